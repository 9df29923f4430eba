import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY } from '../../src/domain/policy.js';
import type { Engine } from '../../src/engine/engine.js';
import { createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import { createHoursGuard } from '../../src/fetching/guards/hours-guard.js';
import { createRateLimitGuard } from '../../src/fetching/guards/rate-limit-guard.js';
import type { Guard } from '../../src/ports/guard.js';
import type { Store } from '../../src/ports/store.js';
import { aPage, hang, openEngine } from '../support/engine-harness.js';
import { memoryNotes } from '../support/memory-notes.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const HOUR_MS = 3_600_000;
const full = (): Promise<never> => Promise.reject(new GleanerError('storage_unavailable', 'Disk full.'));

describe('the engine in trouble', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let clock: VirtualClock;
  beforeEach(async () => {
    opened = await openTempStore();
    store = opened.store;
    clock = new VirtualClock();
  });
  afterEach(() => opened.end());

  const stop = async (engine: Engine): Promise<void> => {
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
  };
  const rateLimit = (): Guard =>
    createRateLimitGuard({
      limiter: createLocalLimiter({ clock }),
      policies: createPolicyBook(DEFAULT_POLICY, new Map()),
      clock,
    });

  it('settles a claimed task though something unforeseen breaks', async () => {
    let broken = true;
    const odd: Store = {
      ...store,
      settle: (...args) => {
        if (!broken) return store.settle(...args);
        broken = false;
        return Promise.reject(new TypeError('odd'));
      },
    };
    const { engine } = openEngine({ store: odd, clock });
    await engine.start();
    const { id } = await engine.submit(aSpec(), CALLER);
    await clock.advance(60_000);
    expect(await engine.task(id)).toMatchObject({ status: 'completed', attempts: 2 });
    await stop(engine);
  });

  it('rests while the store takes nothing: few tries, few lines, and all goes on afterwards', async () => {
    let claims = 0;
    let broken = true;
    const flaky: Store = {
      ...store,
      claim: (...args) => {
        claims += 1;
        return broken ? full() : store.claim(...args);
      },
    };
    const { engine, telemetry } = openEngine({ store: flaky, clock });
    await engine.start();
    const targets = Array.from({ length: 100 }, (_, n) => aSpec({ targetUrl: `https://d${n}.com/` }));
    const { job } = await engine.submitBatch({ targets, callbackUrl: null }, CALLER);
    await clock.advance(60_000);
    expect(claims).toBeLessThanOrEqual(8 * 7);
    expect(telemetry.lines.filter((line) => line.level === 'error').length).toBeLessThanOrEqual(7);
    broken = false;
    await clock.advance(60_000);
    expect(await engine.job(job.id)).toMatchObject({ status: 'completed', counts: { completed: 100 } });
    await stop(engine);
  });

  it('stops though the disk is full', async () => {
    let broken = false;
    const flaky: Store = { ...store, requeueRunning: (...args) => (broken ? full() : store.requeueRunning(...args)) };
    const { engine, telemetry } = openEngine({ store: flaky, clock });
    await engine.start();
    broken = true;
    await stop(engine);
    expect(telemetry.lines.some((line) => line.level === 'warn')).toBe(true);
  });

  it('answers who asks for a task only after stopping has begun', async () => {
    const { engine } = openEngine({ store, clock });
    await engine.start();
    const late = engine.submit(aSpec(), CALLER).then(({ id }) => engine.awaitTask(id, 120_000));
    const stopping = engine.stop(30_000);
    await clock.advance(0);
    await stopping;
    expect((await late).status).toBe('queued');
  });

  it('does not visit the tasks of a cancelled job again after a crash', async () => {
    let visits = 0;
    const http: typeof hang = (request, signal) => {
      visits += 1;
      return hang(request, signal);
    };
    const first = openEngine({ store, clock, http, queue: { httpConcurrency: 1 } });
    await first.engine.start();
    const { job } = await first.engine.submitBatch({ targets: [aSpec(), aSpec()], callbackUrl: null }, CALLER);
    await clock.advance(0);
    await first.engine.cancelJob(job.id);

    const second = openEngine({ store, clock, http });
    await second.engine.start();
    await clock.advance(0);
    expect(visits).toBe(1);
    const after = await second.engine.job(job.id);
    expect(after).toMatchObject({ status: 'cancelled', counts: { cancelled: 2, running: 0, queued: 0 } });
    expect(after.completedAt).not.toBeNull();
    await stop(second.engine);
    await stop(first.engine);
  });

  it('gives a visit that waits for its browser its attempt back when the service stops', async () => {
    const closed: Guard = {
      name: 'closed',
      check: (plan) =>
        plan.needs === 'browser' ? { kind: 'wait', until: clock.mono() + 5_000, reason: 'test' } : { kind: 'go' },
    };
    const { engine } = openEngine({ store, clock, guards: [closed], http: async (request) => aPage(request, 'shell') });
    await engine.start();
    const { id } = await engine.submit(aSpec({ render: 'auto' }), CALLER);
    await clock.advance(10);
    expect((await engine.task(id)).status).toBe('running');
    await stop(engine);
    expect(await store.task(id)).toMatchObject({ status: 'queued', attempts: 0 });
  });

  it('does not let plain pages of a domain take every token from those that need a browser', async () => {
    const { engine } = openEngine({ store, clock, guards: [rateLimit()] });
    await engine.start();
    for (const n of [1, 2]) await engine.submit(aSpec({ targetUrl: `https://x.com/${n}` }), CALLER);
    await clock.advance(1_000);
    const rendered = await engine.submit(aSpec({ render: 'browser', targetUrl: 'https://x.com/js' }), CALLER);
    for (let round = 0; round < 4; round++) {
      for (const n of [1, 2]) await engine.submit(aSpec({ targetUrl: `https://x.com/${round}/${n}` }), CALLER);
      await clock.advance(10_000);
    }
    expect((await engine.task(rendered.id)).status).toBe('completed');
    await stop(engine);
  });

  it('takes a batch through its browser legs as it goes, not after all first legs', async () => {
    const http = async (request: Parameters<typeof hang>[0]) => aPage(request, 'shell');
    const { engine } = openEngine({ store, clock, guards: [rateLimit()], http });
    await engine.start();
    const targets = Array.from({ length: 20 }, (_, n) => aSpec({ render: 'auto', targetUrl: `https://x.com/${n}` }));
    const { job } = await engine.submitBatch({ targets, callbackUrl: null }, CALLER);
    await clock.advance(30_000);
    expect((await engine.job(job.id)).counts.completed).toBeGreaterThan(0);
    await stop(engine);
  });

  it('charges a block page to the breaker, also when a browser is to look at it once more', async () => {
    const breaker = createBreakerGuard({
      notes: memoryNotes(),
      log: new QuietTelemetry().log,
      settings: { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 },
      clock,
    });
    const captcha = async (request: Parameters<typeof hang>[0]) => aPage(request, 'captcha');
    const { engine } = openEngine({ store, clock, guards: [breaker], http: captcha, browser: captcha });
    await engine.start();
    for (let n = 0; n < 10; n++) {
      await engine.submit(aSpec({ render: 'auto', targetUrl: `https://x.com/${n}` }), CALLER);
      await clock.advance(1_000);
    }
    expect(breaker.counts().open).toBe(1);
    await stop(engine);
  });

  it('does not hold a domain for the hours of one of its hosts', async () => {
    const hour = new Date(clock.now()).getUTCHours();
    const hours = { allowedHours: { start: hour + 8, end: hour + 9 } };
    const policies = createPolicyBook(DEFAULT_POLICY, new Map([['shop.example.com', hours]]));
    const laneOf = (url: string): string => policies.laneKey(new URL(url).hostname);
    const { engine } = openEngine({ store, clock, guards: [createHoursGuard({ policies, clock })], parts: { laneOf } });
    await engine.start();
    const shop = await engine.submit(aSpec({ targetUrl: 'https://shop.example.com/' }), CALLER);
    await clock.advance(0);
    const other = await engine.submit(aSpec({ targetUrl: 'https://www.example.com/' }), CALLER);
    await clock.advance(100);
    expect((await engine.task(other.id)).status).toBe('completed');
    expect((await engine.task(shop.id)).status).toBe('queued');
    await clock.advance(9 * HOUR_MS);
    expect((await engine.task(shop.id)).status).toBe('completed');
    await stop(engine);
  });

  it('recovers from a wall clock that was wrong', async () => {
    const policies = createPolicyBook({ ...DEFAULT_POLICY, allowedHours: { start: 12, end: 14 } }, new Map());
    clock.jumpWall(-10 * HOUR_MS);
    const held = openEngine({ store, clock, guards: [createHoursGuard({ policies, clock })] });
    await held.engine.start();
    const task = await held.engine.submit(aSpec(), CALLER);
    await clock.advance(60_000);
    clock.jumpWall(10 * HOUR_MS);
    await clock.advance(20 * 60_000);
    expect((await held.engine.task(task.id)).status).toBe('completed');
    await stop(held.engine);

    clock.jumpWall(365 * 24 * HOUR_MS);
    const failing = async (): Promise<never> => {
      throw new GleanerError('target_server_error', 'The target answered 503.');
    };
    const ahead = openEngine({ store, clock, http: failing });
    await ahead.engine.start();
    const retried = await ahead.engine.submit(aSpec(), CALLER);
    await clock.advance(0);
    await stop(ahead.engine);
    clock.jumpWall(-365 * 24 * HOUR_MS);
    const back = openEngine({ store, clock });
    await back.engine.start();
    await clock.advance(25 * HOUR_MS);
    await expect(back.engine.task(retried.id)).resolves.toMatchObject({ status: 'completed' });
    await stop(back.engine);
  });

  it('refuses a batch that is larger than the whole queue as a fault of the request', async () => {
    const { engine } = openEngine({ store, clock, queue: { maxDepth: 2 } });
    await engine.start();
    const targets = [aSpec(), aSpec(), aSpec()];
    await expect(engine.submitBatch({ targets, callbackUrl: null }, CALLER)).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [{ field: 'targets', value: 3 }],
    });
    await stop(engine);
  });
});
