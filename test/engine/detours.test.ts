import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY } from '../../src/domain/policy.js';
import { createHoursGuard } from '../../src/fetching/guards/hours-guard.js';
import type { Fetcher, FetchRequest } from '../../src/ports/fetcher.js';
import type { Guard } from '../../src/ports/guard.js';
import type { Store } from '../../src/ports/store.js';
import { aPage, openEngine } from '../support/engine-harness.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const HOUR_MS = 3_600_000;

describe('a visit that is led elsewhere', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let clock: VirtualClock;
  beforeEach(async () => {
    opened = await openTempStore();
    store = opened.store;
    clock = new VirtualClock();
  });
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await opened.end();
  });

  const open = async (options: Partial<Parameters<typeof openEngine>[0]>) => {
    const { engine } = openEngine({ store, clock, ...options });
    await engine.start();
    const stop = async (): Promise<void> => {
      const stopping = engine.stop(0);
      await clock.advance(0);
      await stopping;
    };
    stops.push(stop);
    return { engine, stop };
  };

  /** Leads on as told, by URL; anything else is a page. */
  const leading = (ways: Record<string, string>, seen: string[] = []): Fetcher['fetch'] => {
    return async (request: FetchRequest) => {
      seen.push(request.url);
      const to = ways[request.url];
      return to ? { kind: 'detour', to, hops: 1 } : aPage(request, 'Engineer');
    };
  };

  it('asks the guards about the new URL, as the same visit and the same attempt', async () => {
    const asked: { url: string; domain: string; provider: string | null }[] = [];
    const guard: Guard = {
      name: 'witness',
      check: ({ url, domain, provider }) => {
        asked.push({ url, domain, provider });
        return { kind: 'go' };
      },
    };
    const http = leading({ 'https://a.example/x': 'https://b.test/y' });
    const { engine } = await open({ http, guards: [guard] });
    const { id } = await engine.submit(aSpec({ targetUrl: 'https://a.example/x' }), CALLER);
    await clock.advance(0);
    expect(await engine.task(id)).toMatchObject({
      status: 'completed',
      attempts: 1,
      visits: 1,
      meta: { finalUrl: 'https://b.test/y' },
    });
    expect(asked).toEqual([
      { url: 'https://a.example/x', domain: 'a.example', provider: null },
      { url: 'https://b.test/y', domain: 'b.test', provider: null },
    ]);
  });

  it('waits in the lane of the new domain and holds up nobody else', async () => {
    const guard: Guard = {
      name: 'slow',
      check: ({ domain }) =>
        domain === 'b.test' && clock.mono() < 5_000 ? { kind: 'wait', until: 5_000, reason: 'slow' } : { kind: 'go' },
    };
    const { engine } = await open({
      http: leading({ 'https://a.example/x': 'https://b.test/y' }),
      guards: [guard],
    });
    const led = await engine.submit(aSpec({ targetUrl: 'https://a.example/x' }), CALLER);
    await clock.advance(0);
    const other = await engine.submit(aSpec({ targetUrl: 'https://a.example/z' }), CALLER);
    await clock.advance(10);
    expect((await engine.task(other.id)).status).toBe('completed');
    expect((await engine.task(led.id)).status).toBe('running');
    await clock.advance(5_000);
    expect((await engine.task(led.id)).status).toBe('completed');
  });

  it('tells the guards of each domain how its own part went', async () => {
    const told: string[] = [];
    const guard: Guard = {
      name: 'witness',
      check: () => ({ kind: 'go' }),
      after: ({ domain }, { error }) => void told.push(`${domain} ${error?.code ?? 'well'}`),
    };
    const http: Fetcher['fetch'] = async (request) => {
      if (request.url === 'https://a.example/x') return { kind: 'detour', to: 'https://b.test/y', hops: 1 };
      throw new GleanerError('target_client_error', 'b.test answered 404.', { httpStatus: 404 });
    };
    const { engine } = await open({ http, guards: [guard] });
    const { id } = await engine.submit(aSpec({ targetUrl: 'https://a.example/x' }), CALLER);
    await clock.advance(0);
    expect(await engine.task(id)).toMatchObject({ status: 'failed', code: 'target_client_error' });
    expect(told).toEqual(['a.example well', 'b.test target_client_error']);
  });

  it('ends where the redirects do not', async () => {
    const seen: string[] = [];
    const http = leading({ 'https://a.example/': 'https://b.test/', 'https://b.test/': 'https://a.example/' }, seen);
    const { engine } = await open({ http });
    const { id } = await engine.submit(aSpec({ targetUrl: 'https://a.example/' }), CALLER);
    // Each leg is noted in the store when it ends and when the next begins.
    for (let turn = 0; turn < 20 && seen.length < 21; turn++) await clock.advance(0);
    await clock.advance(0);
    expect(await engine.task(id)).toMatchObject({ status: 'failed', code: 'too_many_redirects', attempts: 1 });
    expect(seen).toHaveLength(21);
  });

  it('goes on in a browser where the page turned out to be', async () => {
    const inBrowser: string[] = [];
    const http: Fetcher['fetch'] = async (request) =>
      request.url === 'https://a.example/x'
        ? { kind: 'detour', to: 'https://b.test/y', hops: 1 }
        : aPage(request, 'shell');
    const browser: Fetcher['fetch'] = async (request) => {
      inBrowser.push(request.url);
      return aPage(request, 'Rendered', 'browser');
    };
    const { engine } = await open({ http, browser });
    const { id } = await engine.submit(aSpec({ targetUrl: 'https://a.example/x', render: 'auto' }), CALLER);
    await clock.advance(0);
    expect(await engine.task(id)).toMatchObject({ status: 'completed', attempts: 1, meta: { renderedBy: 'browser' } });
    expect(inBrowser).toEqual(['https://b.test/y']);
  });

  it('begins again where it was told to after a stop', async () => {
    const seen: string[] = [];
    const guard: Guard = {
      name: 'shut',
      check: ({ domain }) => (domain === 'b.test' ? { kind: 'wait', until: 1e9, reason: 'shut' } : { kind: 'go' }),
    };
    const http = leading({ 'https://a.example/x': 'https://b.test/y' }, seen);
    const first = await open({ http, guards: [guard] });
    const { id } = await first.engine.submit(aSpec({ targetUrl: 'https://a.example/x' }), CALLER);
    await clock.advance(0);
    await first.stop();
    const second = await open({ http });
    await clock.advance(0);
    expect(await second.engine.task(id)).toMatchObject({ status: 'completed', attempts: 1 });
    expect(seen).toEqual(['https://a.example/x', 'https://a.example/x', 'https://b.test/y']);
  });
});

describe('a task that waits in its lane', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let clock: VirtualClock;
  beforeEach(async () => {
    opened = await openTempStore();
    clock = new VirtualClock(Date.UTC(2026, 0, 5, 12, 0, 0));
  });
  afterEach(() => opened.end());

  it('says until when, from the hours of its domain, also while the wait is cut into looks', async () => {
    const policies = createPolicyBook({ ...DEFAULT_POLICY, allowedHours: { start: 22, end: 6 } }, new Map());
    const guards = [createHoursGuard({ policies, clock })];
    const { engine } = openEngine({ store: opened.store, clock, guards });
    await engine.start();
    const first = await engine.submit(aSpec(), CALLER);
    await clock.advance(0);
    const second = await engine.submit(aSpec(), CALLER);
    for (const { id } of [first, second]) {
      expect(await engine.task(id)).toMatchObject({ status: 'queued', notBefore: Date.UTC(2026, 0, 5, 22, 0, 0) });
    }
    await clock.advance(9 * HOUR_MS);
    expect(await engine.task(second.id)).toMatchObject({ notBefore: Date.UTC(2026, 0, 5, 22, 0, 0) });
    await clock.advance(HOUR_MS);
    expect(await engine.task(second.id)).toMatchObject({ status: 'completed', notBefore: null });
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
  });
});
