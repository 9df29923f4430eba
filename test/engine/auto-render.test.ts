import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Adapter, AdapterRegistry } from '../../src/domain/adapter.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { Task, TaskSpec } from '../../src/domain/task.js';
import type { Engine } from '../../src/engine/engine.js';
import type { FetchRequest } from '../../src/ports/fetcher.js';
import type { Guard, VisitPlan } from '../../src/ports/guard.js';
import type { Store } from '../../src/ports/store.js';
import { aPage, type HarnessOptions, noteRegistry, openEngine } from '../support/engine-harness.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { realTurns, VirtualClock } from '../support/virtual-clock.js';

const HOUR = 3_600_000;

/** What the two ways bring of every page; the adapter of the harness finds `shell` not enough. */
interface Website {
  http: string;
  browser: string;
}

describe('render: auto', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let clock: VirtualClock;
  let engine: Engine;
  let site: Website;
  let fetched: ('http' | 'browser')[];
  beforeEach(async () => {
    opened = await openTempStore();
    store = opened.store;
    clock = new VirtualClock();
    fetched = [];
  });
  afterEach(async () => {
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
    await opened.end();
  });

  async function openSite(pages: Website, options: Partial<HarnessOptions> = {}) {
    site = pages;
    const bring = (way: keyof Website) => async (request: FetchRequest) => {
      fetched.push(way);
      const html = site[way];
      if (html.startsWith('!')) throw new GleanerError('target_timeout', 'It took too long.');
      return aPage(request, html, way);
    };
    const harness = openEngine({ store, clock, http: bring('http'), browser: bring('browser'), ...options });
    engine = harness.engine;
    await engine.start();
    return harness.telemetry;
  }

  /** One task after the other, each to its end; how each was brought. */
  async function visit(count: number, changes: Partial<TaskSpec> = {}): Promise<('http' | 'browser')[][]> {
    const ways: ('http' | 'browser')[][] = [];
    for (let n = 0; n < count; n += 1) {
      const from = fetched.length;
      last = await engine.submit(aSpec({ render: 'auto', ...changes }), CALLER);
      await clock.advance(0);
      ways.push(fetched.slice(from));
    }
    return ways;
  }
  let last: Task;

  const BOTH = ['http', 'browser'] as const;

  it('goes straight to the browser once that was needed and helped three times', async () => {
    const telemetry = await openSite({ http: 'shell', browser: 'Baker' });
    expect(await visit(5)).toEqual([BOTH, BOTH, BOTH, ['browser'], ['browser']]);
    expect(await engine.task(last.id)).toMatchObject({ result: { job_title: 'Baker' }, attempts: 1 });
    expect(telemetry.decisions).toEqual([
      'http_first',
      'http_first',
      'http_first',
      'straight_to_browser',
      'straight_to_browser',
    ]);
    expect(telemetry.escalations).toBe(3);
    expect(telemetry.notNeeded).toEqual([]);
  });

  it('learns for one domain and one kind of page only', async () => {
    await openSite({ http: 'shell', browser: 'Baker' });
    await visit(3);
    expect(await visit(1, { targetUrl: 'https://elsewhere.com/1' })).toEqual([BOTH]);
    expect(await visit(1, { targetUrl: 'https://www.example.com/other' })).toEqual([['browser']]);
  });

  it('looks at plain HTTP again now and then, and comes back to it where that is enough', async () => {
    const telemetry = await openSite({ http: 'shell', browser: 'Baker' });
    await visit(3);
    await clock.advance(HOUR);
    expect(await visit(2)).toEqual([BOTH, ['browser']]);
    site = { http: 'Baker', browser: 'Baker' };
    await clock.advance(HOUR);
    expect(await visit(3)).toEqual([['http'], ['http'], ['http']]);
    expect(telemetry.notNeeded).toEqual(['http_is_enough']);
    expect(telemetry.decisions.filter((decision) => decision === 'reprobe_http')).toHaveLength(2);
  });

  it('looks again at every twentieth visit, however quickly they come', async () => {
    await openSite({ http: 'shell', browser: 'Baker' });
    await visit(3);
    const ways = await visit(40);
    expect(ways.flatMap((way, at) => (way.length === 2 ? [at + 1] : []))).toEqual([20, 40]);
  });

  it('follows a site from static to scripted', async () => {
    await openSite({ http: 'Baker', browser: 'Baker' });
    expect(await visit(10)).toEqual(Array.from({ length: 10 }, () => ['http']));
    site = { http: 'shell', browser: 'Baker' };
    const ways = await visit(16);
    expect(ways[0]).toEqual(BOTH);
    expect(ways.at(-1)).toEqual(['browser']);
  });

  it('stops asking a browser that brings no more, and gives what plain HTTP gave', async () => {
    const telemetry = await openSite({ http: 'shell', browser: 'shell' });
    expect(await visit(5)).toEqual([BOTH, BOTH, BOTH, ['http'], ['http']]);
    expect(await engine.task(last.id)).toMatchObject({
      status: 'completed',
      result: { job_title: 'shell' },
      meta: { renderedBy: 'http' },
    });
    expect(telemetry.notNeeded).toEqual(['brought_no_more', 'brought_no_more', 'brought_no_more']);
    expect(telemetry.decisions.slice(-2)).toEqual(['http_first', 'kept_on_http']);
    await clock.advance(HOUR);
    expect(await visit(2)).toEqual([BOTH, ['http']]);
    expect(telemetry.decisions).toContain('reprobe_browser');
    site.browser = 'Baker';
    await clock.advance(HOUR);
    // One that helps is enough: no more page is left at plain HTTP.
    expect(await visit(3)).toEqual([BOTH, BOTH, BOTH]);
    expect(await engine.task(last.id)).toMatchObject({ result: { job_title: 'Baker' } });
  });

  it('asks it longer where the page looks scripted', async () => {
    const adapter = noteRegistry.get('job_posting')!;
    const adapters = { ...noteRegistry, get: () => ({ ...adapter, scriptSign: () => 'empty_mount' as const }) };
    const telemetry = await openSite({ http: 'shell', browser: 'shell' }, { parts: { adapters } });
    expect(await visit(6)).toEqual([BOTH, BOTH, BOTH, BOTH, BOTH, ['http']]);
    expect(telemetry.signs).toEqual(Array.from({ length: 5 }, () => 'empty_mount'));
  });

  it('counts a wall that a browser passes as help, and one that stops both as none', async () => {
    const telemetry = await openSite({ http: 'captcha', browser: 'Baker' });
    expect((await visit(4)).at(-1)).toEqual(['browser']);
    const elsewhere = { targetUrl: 'https://elsewhere.com/1' };
    site = { http: 'captcha', browser: 'captcha' };
    for (let tasks = 0; tasks < 5; tasks += 1) {
      await visit(1, elsewhere);
      await clock.advance(60_000);
    }
    fetched.length = 0;
    await visit(1, elsewhere);
    expect(fetched).toEqual(['http']);
    await clock.advance(60_000);
    expect(await engine.task(last.id)).toMatchObject({ status: 'failed', code: 'blocked_page' });
    expect(new Set(telemetry.notNeeded)).toEqual(new Set(['brought_no_more']));
  });

  it('tries plain HTTP with the next visit where a browser that went straight is turned away', async () => {
    await openSite({ http: 'shell', browser: 'Baker' }, { parts: { maxAttempts: 1 } });
    await visit(3);
    site = { http: 'Baker', browser: 'captcha' };
    expect(await visit(3)).toEqual([['browser'], ['http'], ['http']]);
    expect(await engine.task(last.id)).toMatchObject({ status: 'completed', result: { job_title: 'Baker' } });
  });

  it('counts an empty page that a browser fills as help', async () => {
    await openSite({ http: '', browser: 'Baker' });
    expect((await visit(4)).at(-1)).toEqual(['browser']);
  });

  it('learns nothing from what failed', async () => {
    const telemetry = await openSite({ http: 'shell', browser: '!' }, { parts: { maxAttempts: 1 } });
    expect(await visit(10)).toEqual(Array.from({ length: 10 }, () => BOTH));
    expect(telemetry.notNeeded).toEqual([]);
    site = { http: '!', browser: 'Baker' };
    await visit(10);
    site = { http: 'shell', browser: 'shell' };
    expect(await visit(4)).toEqual([BOTH, BOTH, BOTH, ['http']]);
  });

  it('leaves those alone that name their way, and learns nothing from them', async () => {
    const telemetry = await openSite({ http: 'shell', browser: 'Baker' });
    expect(await visit(3, { render: 'http' })).toEqual([['http'], ['http'], ['http']]);
    expect(await visit(4, { render: 'browser' })).toEqual([['browser'], ['browser'], ['browser'], ['browser']]);
    expect(telemetry.decisions).toEqual([]);
    expect(await visit(4)).toEqual([BOTH, BOTH, BOTH, ['browser']]);
    expect(await visit(1, { render: 'http' })).toEqual([['http']]);
  });

  it('moves what was queued before anything was learnt, in its order and without an attempt or a token', async () => {
    const asked: string[] = [];
    const tokens: Guard = {
      name: 'tokens',
      check: (plan) => {
        asked.push(plan.needs);
        return { kind: 'go' };
      },
    };
    const seen: string[] = [];
    let open = 0;
    const browser = async (request: FetchRequest) => {
      open += 1;
      expect(open).toBe(1);
      seen.push(request.url);
      await realTurns(3);
      open -= 1;
      return aPage(request, 'Baker', 'browser');
    };
    const http = async (request: FetchRequest) => {
      fetched.push('http');
      await realTurns(6);
      return aPage(request, 'shell');
    };
    const queue = { httpConcurrency: 4, browserConcurrency: 1 };
    await openSite({ http: '', browser: '' }, { http, browser, guards: [tokens], queue });
    const targets = Array.from({ length: 20 }, (_, n) =>
      aSpec({ render: 'auto', targetUrl: `https://jobs.example.com/${n}` }),
    );
    const { job, taskIds } = await engine.submitBatch({ targets, callbackUrl: null }, CALLER);
    for (let rounds = 0; rounds < 30; rounds += 1) await clock.advance(0);
    expect((await engine.job(job.id)).counts).toMatchObject({ completed: 20 });
    expect(seen).toEqual(targets.map(({ targetUrl }) => targetUrl));
    // Visits under way when it was learnt go on as they began; the others spent nothing on plain HTTP.
    expect(fetched.length).toBeLessThan(20);
    expect(asked.filter((needs) => needs === 'browser')).toHaveLength(20);
    expect(asked.filter((needs) => needs === 'http')).toHaveLength(fetched.length);
    for (const id of taskIds) expect(await engine.task(id)).toMatchObject({ attempts: 1 });
  });

  it('queues what comes later where it belongs at once', async () => {
    const reads: string[] = [];
    const watched: Store = {
      ...store,
      task(id) {
        reads.push(id);
        return store.task(id);
      },
    };
    await openSite({ http: 'shell', browser: 'Baker' }, { store: watched });
    await visit(3);
    reads.length = 0;
    expect(await visit(1)).toEqual([['browser']]);
    // Had it been in the wrong place, it would have been looked at twice.
    expect(reads).toHaveLength(1);
    site.browser = '!';
    await visit(1);
    reads.length = 0;
    site.browser = 'Baker';
    await clock.advance(30_000);
    expect(reads).toHaveLength(1);
  });

  it('begins the next attempt as it has learnt', async () => {
    await openSite({ http: 'shell', browser: 'Baker' });
    await visit(3);
    site = { http: 'shell', browser: '!' };
    expect(await visit(1)).toEqual([['browser']]);
    site = { http: 'shell', browser: 'Baker' };
    fetched.length = 0;
    await clock.advance(30_000);
    expect(fetched).toEqual(['browser']);
    expect(await engine.task(last.id)).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('asks the guards about the browser anew, who are told as whom the visit came', async () => {
    const plans: VisitPlan[] = [];
    const proxy = { id: '1:proxy', url: 'http://proxy.test', region: 'NO' };
    const way: Guard = {
      name: 'way',
      check(plan) {
        plans.push(plan);
        plan.proxy = proxy;
        return { kind: 'go' };
      },
    };
    await openSite({ http: 'shell', browser: 'Baker' }, { guards: [way] });
    await visit(1);
    const [first, second] = plans;
    expect([first?.needs, second?.needs]).toEqual(BOTH);
    expect(first?.earlier).toBeNull();
    expect(second?.earlier).toEqual({ identity: first?.identity, proxy });
  });

  it('keeps a probe with the task that was told to look, however long that waits', async () => {
    let opensAt = 0;
    const gate: Guard = {
      name: 'gate',
      check: () => (clock.mono() < opensAt ? { kind: 'wait', until: opensAt, reason: 'test' } : { kind: 'go' }),
    };
    const telemetry = await openSite({ http: 'shell', browser: 'Baker' }, { guards: [gate] });
    await visit(3);
    await clock.advance(HOUR);
    opensAt = clock.mono() + 10_000;
    fetched.length = 0;
    await visit(3);
    await clock.advance(10_000);
    expect(fetched.filter((way) => way === 'http')).toHaveLength(1);
    expect(fetched.filter((way) => way === 'browser')).toHaveLength(3);
    expect(telemetry.decisions.filter((decision) => decision === 'reprobe_http')).toHaveLength(1);
  });

  it('learns about the site that has the page, not about one that only leads there', async () => {
    const http = async (request: FetchRequest) => {
      fetched.push('http');
      if (request.url.includes('short')) return { kind: 'detour' as const, to: 'https://jobs.example.com/1', hops: 1 };
      return aPage(request, 'shell');
    };
    await openSite({ http: '', browser: 'Baker' }, { http });
    const short = { targetUrl: 'https://short.com/x' };
    expect(await visit(4, short)).toEqual([
      ['http', 'http', 'browser'],
      ['http', 'http', 'browser'],
      ['http', 'http', 'browser'],
      ['http', 'browser'],
    ]);
    expect(await visit(1)).toEqual([['browser']]);
  });

  it('takes a look at one site for no look at another that it leads to', async () => {
    const http = async (request: FetchRequest) => {
      if (request.url.endsWith('/away')) return { kind: 'detour' as const, to: 'https://elsewhere.com/', hops: 1 };
      return aPage(request, request.url.startsWith('https://elsewhere.com') ? 'Baker' : 'shell');
    };
    const telemetry = await openSite({ http: '', browser: 'Baker' }, { http });
    await visit(3);
    await clock.advance(HOUR);
    await visit(1, { targetUrl: 'https://jobs.example.com/away' });
    expect(telemetry.decisions.slice(3)).toEqual(['reprobe_http', 'http_first']);
    expect(telemetry.notNeeded).toEqual([]);
  });

  describe('with an adapter that fails', () => {
    const failing = (html: string): AdapterRegistry => {
      const adapter = noteRegistry.get('job_posting') as Adapter;
      const extract: Adapter['extract'] = (page, options) => {
        if (page.html === html) throw new Error('unforeseen');
        return adapter.extract(page, options);
      };
      return { ...noteRegistry, get: () => ({ ...adapter, extract }) };
    };

    it('on the raw page asks the browser all the same', async () => {
      await openSite({ http: 'shell', browser: 'Baker' }, { parts: { adapters: failing('shell') } });
      expect(await visit(1)).toEqual([BOTH]);
      expect(await engine.task(last.id)).toMatchObject({ status: 'completed', result: { job_title: 'Baker' } });
    });

    it('for good says so, and which page it was', async () => {
      await openSite({ http: 'Baker', browser: '' }, { parts: { adapters: failing('Baker') } });
      await visit(1);
      await clock.advance(HOUR);
      const contentHash = createHash('sha256').update('Baker').digest('hex');
      expect(await engine.task(last.id)).toMatchObject({ code: 'extraction_failed', meta: { contentHash } });
    });
  });
});
