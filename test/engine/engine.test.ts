import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Adapter, type AdapterRegistry, FORMATS } from '../../src/domain/adapter.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { Engine } from '../../src/engine/engine.js';
import type { FetchRequest } from '../../src/ports/fetcher.js';
import type { Guard } from '../../src/ports/guard.js';
import type { Store } from '../../src/ports/store.js';
import { aPage, hang, noteRegistry, openEngine } from '../support/engine-harness.js';
import { memoryPictures } from '../support/memory-pictures.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('the engine', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let clock: VirtualClock;
  beforeEach(async () => {
    opened = await openTempStore();
    store = opened.store;
    clock = new VirtualClock();
  });
  afterEach(() => opened.end());

  /** The grace is waited on the virtual clock, so somebody must move it. */
  const stop = async (engine: Engine): Promise<void> => {
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
  };

  it('takes a task from accepted to completed', async () => {
    const { engine, telemetry } = openEngine({ store, clock });
    await engine.start();
    const { id } = await engine.submit(aSpec({ requestedFields: ['job_title'] }), CALLER);
    await clock.advance(0);
    expect(await engine.task(id)).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { job_title: 'Engineer' },
      meta: { renderedBy: 'http', httpStatus: 200, adapter: 'job_posting', quality: 'ok' },
    });
    expect(telemetry.visits).toMatchObject([{ end: 'completed', fieldsExtracted: ['job_title'], proxyUsed: 'direct' }]);
    await stop(engine);
  });

  it('retries what may pass, with growing pauses, and gives up after three attempts', async () => {
    const visits: number[] = [];
    const http = async (): Promise<never> => {
      visits.push(clock.mono());
      throw new GleanerError('target_server_error', 'The target answered 503.', { httpStatus: 503 });
    };
    const { engine } = openEngine({ store, clock, http });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(2_999);
    expect(await engine.task(id)).toMatchObject({ status: 'queued', attempts: 1, code: null });
    await clock.advance(30_000);
    expect(visits).toEqual([0, 3_000, 9_000]);
    expect(await engine.task(id)).toMatchObject({ status: 'failed', attempts: 3, code: 'target_server_error' });
    await stop(engine);
  });

  it('does not retry what cannot pass', async () => {
    let visits = 0;
    const http = async (): Promise<never> => {
      visits += 1;
      throw new GleanerError('target_client_error', 'The target answered 404.', { httpStatus: 404 });
    };
    const { engine } = openEngine({ store, clock, http });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(60_000);
    expect(visits).toBe(1);
    expect(await engine.task(id)).toMatchObject({
      status: 'failed',
      code: 'target_client_error',
      meta: { httpStatus: 404 },
    });
    await stop(engine);
  });

  it('keeps with a failed task when asking again makes sense', async () => {
    const closed: Guard = {
      name: 'closed',
      check: () => ({ kind: 'no', error: new GleanerError('circuit_open', 'Left alone.', { retryAfterMs: 120_000 }) }),
    };
    const { engine } = openEngine({ store, clock, guards: [closed] });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(0);
    const task = await engine.task(id);
    expect(task).toMatchObject({
      status: 'failed',
      code: 'circuit_open',
      attempts: 1,
      notBefore: clock.now() + 120_000,
    });
    await stop(engine);
  });

  it('waits as long as a 429 asks, counts no attempt for it, and gives up after three in a row', async () => {
    const visits: number[] = [];
    const http = async (): Promise<never> => {
      visits.push(clock.mono());
      throw new GleanerError('rate_limited', 'Too many requests.', { httpStatus: 429, retryAfterMs: 7_000 });
    };
    const { engine } = openEngine({ store, clock, http });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(6_999);
    expect(await engine.task(id)).toMatchObject({ status: 'queued', attempts: 0, throttles: 1 });
    await clock.advance(60_000);
    expect(visits).toEqual([0, 7_000, 14_000]);
    expect(await engine.task(id)).toMatchObject({ status: 'failed', code: 'rate_limited' });
    await stop(engine);
  });

  it('ends a visit that takes too long and frees what it held', async () => {
    const { engine } = openEngine({ store, clock, http: hang, parts: { maxAttempts: 1 } });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(59_999);
    expect(await engine.task(id)).toMatchObject({ status: 'running' });
    expect(engine.queueStats().activeWorkers).toBe(1);
    await clock.advance(1);
    expect(await engine.task(id)).toMatchObject({ status: 'failed', code: 'task_timeout' });
    expect(engine.queueStats().activeWorkers).toBe(0);
    await stop(engine);
  });

  it('opens a browser only when plain HTTP did not bring what the adapter needs, as one attempt', async () => {
    const rendered: string[] = [];
    const { engine, telemetry } = openEngine({
      store,
      clock,
      http: async (request) => aPage(request, request.url.endsWith('/js') ? 'shell' : 'Engineer'),
      browser: async (request) => {
        rendered.push(request.url);
        return aPage(request, 'Rendered', 'browser');
      },
    });
    await engine.start();
    const plain = await engine.submit(aSpec({ render: 'auto' }), CALLER);
    const scripted = await engine.submit(aSpec({ render: 'auto', targetUrl: 'https://jobs.example.com/js' }), CALLER);
    await clock.advance(0);
    expect(await engine.task(plain.id)).toMatchObject({
      result: { job_title: 'Engineer' },
      meta: { renderedBy: 'http' },
    });
    expect(await engine.task(scripted.id)).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { job_title: 'Rendered' },
      meta: { renderedBy: 'browser' },
    });
    expect(rendered).toEqual(['https://jobs.example.com/js']);
    expect(telemetry.escalations).toBe(1);
    await stop(engine);
  });

  it('never opens a browser for render: http, and reports what it found', async () => {
    const http = async (request: FetchRequest) => aPage(request, request.url.endsWith('/b') ? 'captcha' : 'shell');
    const { engine } = openEngine({ store, clock, http });
    await engine.start();
    const shell = await engine.submit(aSpec({ targetUrl: 'https://x.com/a' }), CALLER);
    const blocked = await engine.submit(aSpec({ targetUrl: 'https://x.com/b' }), CALLER);
    await clock.advance(0);
    expect(await engine.task(shell.id)).toMatchObject({ status: 'completed', meta: { renderedBy: 'http' } });
    expect(await engine.task(blocked.id)).toMatchObject({ status: 'failed', code: 'blocked_page' });
    await stop(engine);
  });

  it('reads the page behind an error status: a wall is what it is, anything else stays an error', async () => {
    const http = async (request: FetchRequest): Promise<never> => {
      const answer = { ...aPage(request, new URL(request.url).pathname.slice(1)), httpStatus: 403 };
      throw new GleanerError('target_client_error', 'The target answered 403.', { httpStatus: 403, answer });
    };
    const { engine, telemetry } = openEngine({ store, clock, http });
    await engine.start();
    const wall = await engine.submit(aSpec({ targetUrl: 'https://x.com/captcha' }), CALLER);
    const other = await engine.submit(aSpec({ targetUrl: 'https://x.com/forbidden' }), CALLER);
    const empty = await engine.submit(aSpec({ targetUrl: 'https://x.com/' }), CALLER);
    const tried = await engine.submit(aSpec({ targetUrl: 'https://x.com/captcha', render: 'auto' }), CALLER);
    await clock.advance(0);
    expect(await engine.task(wall.id)).toMatchObject({
      status: 'failed',
      code: 'blocked_page',
      meta: { httpStatus: 403, pageSign: 'captcha' },
    });
    for (const { id } of [other, empty]) {
      expect(await engine.task(id)).toMatchObject({ code: 'target_client_error', meta: { pageSign: null } });
    }
    expect(await engine.task(tried.id)).toMatchObject({ status: 'completed', meta: { renderedBy: 'browser' } });
    expect(telemetry.escalations).toBe(1);
    await stop(engine);
  });

  it('lets a domain wait in its lane without holding a worker, and other domains pass', async () => {
    const opensAt = 5_000;
    const gate: Guard = {
      name: 'gate',
      check: (plan) =>
        plan.domain === 'slow.com' && clock.mono() < opensAt
          ? { kind: 'wait', until: opensAt, reason: 'test' }
          : { kind: 'go' },
    };
    const { engine, telemetry } = openEngine({ store, clock, guards: [gate], queue: { httpConcurrency: 1 } });
    await engine.start();
    const slow = await engine.submit(aSpec({ targetUrl: 'https://slow.com/' }), CALLER);
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, n) => engine.submit(aSpec({ targetUrl: `https://fast${n}.com/` }), CALLER)),
    );
    await clock.advance(100);
    for (const { id } of others) expect((await engine.task(id)).status).toBe('completed');
    expect(await engine.task(slow.id)).toMatchObject({ status: 'queued', attempts: 0 });
    expect(engine.queueStats().activeWorkers).toBe(0);
    expect(telemetry.waits).toEqual([{ guard: 'gate', waitMs: opensAt }]);
    await clock.advance(opensAt);
    expect((await engine.task(slow.id)).status).toBe('completed');
    await stop(engine);
  });

  it('lets a single task wait without holding its domain', async () => {
    const picky: Guard = {
      name: 'picky',
      check: (plan) =>
        plan.url.endsWith('/later') && clock.mono() < 900
          ? { kind: 'wait', until: 900, reason: 'test', holds: 'task' }
          : { kind: 'go' },
    };
    const { engine } = openEngine({ store, clock, guards: [picky] });
    await engine.start();
    const later = await engine.submit(aSpec({ targetUrl: 'https://x.com/later' }), CALLER);
    const now = await engine.submit(aSpec({ targetUrl: 'https://x.com/now' }), CALLER);
    await clock.advance(800);
    expect((await engine.task(now.id)).status).toBe('completed');
    expect((await engine.task(later.id)).status).toBe('queued');
    await clock.advance(200);
    expect((await engine.task(later.id)).status).toBe('completed');
    await stop(engine);
  });

  it('gives back what earlier guards handed out when a later one says wait or no', async () => {
    const held = { now: 0, most: 0, after: 0 };
    const scarce: Guard = {
      name: 'scarce',
      check: () => {
        held.now += 1;
        held.most = Math.max(held.most, held.now);
        return { kind: 'go', release: () => void (held.now -= 1) };
      },
      after: () => {
        held.now -= 1;
        held.after += 1;
      },
    };
    const refusing: Guard = {
      name: 'refusing',
      check: (plan) =>
        plan.domain === 'bad.com'
          ? { kind: 'no', error: new GleanerError('robots_denied', 'robots.txt says no.') }
          : clock.mono() < 100
            ? { kind: 'wait', until: 100, reason: 'test' }
            : { kind: 'go' },
    };
    const { engine } = openEngine({ store, clock, guards: [scarce, refusing] });
    await engine.start();
    const bad = await engine.submit(aSpec({ targetUrl: 'https://bad.com/' }), CALLER);
    await engine.submit(aSpec({ targetUrl: 'https://good.com/' }), CALLER);
    await clock.advance(1_000);
    expect(await engine.task(bad.id)).toMatchObject({ status: 'failed', code: 'robots_denied' });
    expect(held).toEqual({ now: 0, most: expect.any(Number), after: 1 });
    await stop(engine);
  });

  it('refuses a batch for which there is no room, whole, and names what is wrong in it', async () => {
    const { engine } = openEngine({ store, clock, http: hang, queue: { maxDepth: 4, httpConcurrency: 1 } });
    await engine.start();
    for (let n = 0; n < 3; n++) await engine.submit(aSpec(), CALLER);
    const targets = Array.from({ length: 4 }, () => aSpec());
    await expect(engine.submitBatch({ targets, callbackUrl: null }, CALLER)).rejects.toMatchObject({
      code: 'queue_full',
    });
    expect((await engine.jobs({}, { limit: 10, cursor: null })).items).toEqual([]);
    const wrong = [
      aSpec(),
      aSpec({ targetUrl: 'http://10.0.0.1/' }),
      aSpec({ requestedFields: ['job_title', 'nose'] }),
    ];
    await expect(engine.submitBatch({ targets: wrong, callbackUrl: 'ftp://x.com/' }, CALLER)).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [
        { field: 'targets[1].target_url' },
        { field: 'targets[2].requested_fields[1]', value: 'nose', message: 'must be one of job_title, company_name' },
        { field: 'callback_url' },
      ],
    });
    await engine.submitBatch({ targets: targets.slice(0, 1), callbackUrl: null }, CALLER);
    await stop(engine);
  });

  it('keeps a result in hand until the store can take it', async () => {
    let broken = true;
    const flaky: Store = {
      ...store,
      settle: (...args) =>
        broken ? Promise.reject(new GleanerError('storage_unavailable', 'Disk full.')) : store.settle(...args),
    };
    let visits = 0;
    const http = async (request: FetchRequest) => {
      visits += 1;
      return aPage(request, 'Engineer');
    };
    const { engine } = openEngine({ store: flaky, clock, http });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(10_000);
    expect((await engine.task(id)).status).toBe('running');
    broken = false;
    await clock.advance(1_000);
    expect(await engine.task(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(visits).toBe(1);
    await stop(engine);
  });

  it('stops with grace: what runs goes back to the queue unharmed and the next start finishes it', async () => {
    const first = openEngine({ store, clock, http: hang, queue: { httpConcurrency: 1 } });
    await first.engine.start();
    const running = await first.engine.submit(aSpec(), CALLER);
    const waiting = await first.engine.submit(aSpec(), CALLER);
    await clock.advance(0);
    const stopping = first.engine.stop(5_000);
    await expect(first.engine.submit(aSpec(), CALLER)).rejects.toMatchObject({ code: 'shutting_down' });
    await clock.advance(4_999);
    expect((await store.task(running.id))?.status).toBe('running');
    await clock.advance(1);
    await stopping;
    expect(await store.task(running.id)).toMatchObject({ status: 'queued', attempts: 0 });

    const second = openEngine({ store, clock });
    await second.engine.start();
    await clock.advance(0);
    expect(await store.task(running.id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(await store.task(waiting.id)).toMatchObject({ status: 'completed', attempts: 1 });
    await stop(second.engine);
  });

  it('tells who waits for a task at once, or after the wait that it is not done', async () => {
    const http = async (request: FetchRequest) => {
      await clock.wait(3_000);
      return aPage(request, 'Engineer');
    };
    const { engine } = openEngine({ store, clock, http });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    const early = engine.awaitTask(id, 1_000);
    const patient = engine.awaitTask(id, 60_000);
    await clock.advance(1_000);
    expect((await early).status).toBe('running');
    await clock.advance(2_000);
    expect((await patient).status).toBe('completed');
    expect((await engine.awaitTask(id, 60_000)).status).toBe('completed');
    await stop(engine);
  });

  it('does not keep anybody waiting for a task that goes back to the queue because the service stops', async () => {
    const { engine } = openEngine({ store, clock, http: hang });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    const waiting = engine.awaitTask(id, 120_000);
    await clock.advance(0);
    await stop(engine);
    expect((await waiting).status).toBe('queued');
  });

  it('abandons a task only while it is queued', async () => {
    const { engine, telemetry } = openEngine({ store, clock, http: hang, queue: { httpConcurrency: 1 } });
    await engine.start();
    const running = await engine.submit(aSpec(), CALLER);
    const waiting = await engine.submit(aSpec(), CALLER);
    await clock.advance(0);
    expect(await engine.abandon(running.id)).toBe(false);
    expect(await engine.abandon(waiting.id)).toBe(true);
    expect(await engine.task(waiting.id)).toMatchObject({ status: 'cancelled', code: 'cancelled' });
    expect(engine.queueStats().depth).toBe(0);
    expect(telemetry.cancelled).toBe(1);
    await stop(engine);
  });

  it('forgets ended work after its retention', async () => {
    const { engine } = openEngine({ store, clock, parts: { resultTtlMs: 120_000 } });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(100_000);
    expect((await engine.task(id)).status).toBe('completed');
    await clock.advance(90_000);
    await expect(engine.task(id)).rejects.toMatchObject({ code: 'task_not_found' });
    await stop(engine);
  });

  describe('with a screenshot', () => {
    const picture = Uint8Array.from([1, 2, 3]);
    const wish = aSpec({ formats: ['screenshot'], render: 'browser' });
    const adapters: AdapterRegistry = {
      ...noteRegistry,
      get: (type) => ({ ...(noteRegistry.get(type) as Adapter), formats: FORMATS }),
    };
    const browser = async (request: FetchRequest) => ({
      ...aPage(request, 'Rendered', 'browser'),
      screenshot: request.screenshot ? picture : null,
    });

    it('keeps the picture beside the result, as long as the result', async () => {
      const pictures = memoryPictures(clock);
      const { engine } = openEngine({ store, clock, browser, parts: { adapters, pictures, resultTtlMs: 120_000 } });
      await engine.start();
      const { id } = await engine.submit(wish, CALLER);
      await clock.advance(0);
      expect((await engine.task(id)).result).toMatchObject({ job_title: 'Rendered', screenshot: `${id}.png` });
      expect(await engine.screenshot(id)).toEqual(picture);
      await clock.advance(240_000);
      await expect(engine.screenshot(id)).rejects.toMatchObject({ code: 'task_not_found' });
      await clock.advance(2 * 3_600_000);
      expect(pictures.kept.size).toBe(0);
      await stop(engine);
    });

    const failing = (times: number) => {
      const pictures = memoryPictures(clock);
      let left = times;
      const keep: typeof pictures.keep = async (...args) => {
        if ((left -= 1) >= 0) throw new GleanerError('storage_unavailable', 'The disk is full.');
        await pictures.keep(...args);
      };
      return { ...pictures, keep };
    };

    it('tries again where the disk does not take the picture, without visiting the site again', async () => {
      const { engine } = openEngine({ store, clock, browser, parts: { adapters, pictures: failing(2) } });
      await engine.start();
      const { id } = await engine.submit(wish, CALLER);
      await clock.advance(0);
      expect((await engine.task(id)).status).toBe('running');
      await clock.advance(10_000);
      expect(await engine.task(id)).toMatchObject({ status: 'completed', attempts: 1, visits: 1 });
      expect(await engine.screenshot(id)).toEqual(picture);
      await stop(engine);
    });

    it('keeps the rest of a result whose picture cannot be stored, and says so', async () => {
      const { engine } = openEngine({ store, clock, browser, parts: { adapters, pictures: failing(100) } });
      await engine.start();
      const { id } = await engine.submit(wish, CALLER);
      await clock.advance(30_000);
      expect(await engine.task(id)).toMatchObject({
        status: 'completed',
        visits: 1,
        result: { job_title: 'Rendered' },
        meta: { quality: 'partial', dropped: ['screenshot'] },
      });
      await expect(engine.screenshot(id)).rejects.toMatchObject({ code: 'screenshot_not_found' });
      await stop(engine);
    });

    it('answers that there is none where none was asked for', async () => {
      const { engine } = openEngine({ store, clock });
      await engine.start();
      const { id } = await engine.submit(aSpec(), CALLER);
      await clock.advance(0);
      await expect(engine.screenshot(id)).rejects.toMatchObject({ code: 'screenshot_not_found' });
      await stop(engine);
    });
  });
});
