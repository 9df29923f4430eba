import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import type { Store } from '../../src/ports/store.js';
import { aPage, hang, openEngine } from '../support/engine-harness.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const FATES = ['ok', 'shell', 'server_error', 'throttled', 'not_found', 'hang', 'crash'] as const;
type Fate = (typeof FATES)[number];

/** After `die`, nothing the old process does reaches the disk any more, and nothing answers it. */
function mortal(store: Store): { store: Store; die: () => void } {
  let dead = false;
  const never = new Promise<never>(() => {});
  const handler: ProxyHandler<Store> = {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => (dead ? never : Reflect.apply(value, target, args));
    },
  };
  return {
    store: new Proxy(store, handler),
    die: () => {
      dead = true;
    },
  };
}

describe('the engine under random faults', () => {
  it('ends every accepted task exactly once and keeps counts that add up, whatever fails or dies', async () => {
    const plan = fc.record({
      batches: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
      fates: fc.array(fc.constantFrom<Fate>(...FATES), { minLength: 8, maxLength: 60 }),
      kills: fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 3 }),
      cancelAt: fc.option(fc.integer({ min: 0, max: 10_000 })),
    });
    await fc.assert(fc.asyncProperty(plan, run), { numRuns: 100 });
  });
});

async function run(plan: {
  batches: number[];
  fates: Fate[];
  kills: number[];
  cancelAt: number | null;
}): Promise<void> {
  const clock = new VirtualClock();
  const opened = await openTempStore();
  const fates = [...plan.fates];
  const ends = new Map<string, string[]>();
  let restart = false;

  const http: Fetcher['fetch'] = async (request, signal) => {
    await clock.wait(150);
    switch (fates.shift() ?? 'ok') {
      case 'shell':
        return aPage(request, 'shell');
      case 'server_error':
        throw new GleanerError('target_server_error', 'The target answered 503.');
      case 'throttled':
        throw new GleanerError('rate_limited', 'Too many requests.', { retryAfterMs: 400 });
      case 'not_found':
        throw new GleanerError('target_client_error', 'The target answered 404.');
      case 'hang':
        return hang(request, signal);
      case 'crash':
        restart = true;
        return hang(request, signal);
      default:
        return aPage(request, 'Engineer');
    }
  };
  const boot = async (): Promise<{ engine: Engine; die: () => void }> => {
    const { store, die } = mortal(opened.store);
    const { engine, telemetry } = openEngine({
      store,
      clock,
      http,
      queue: { httpConcurrency: 3, browserConcurrency: 1 },
    });
    const settled = telemetry.visitSettled.bind(telemetry);
    telemetry.visitSettled = (visit) => {
      settled(visit);
      if (visit.end !== 'retried') ends.set(visit.task.id, [...(ends.get(visit.task.id) ?? []), visit.end]);
    };
    await engine.start();
    return { engine, die };
  };

  let current = await boot();
  const jobs: { id: string; taskIds: string[] }[] = [];
  for (const size of plan.batches) {
    const targets = Array.from({ length: size }, (_, n) =>
      aSpec({ render: 'auto', targetUrl: `https://d${n % 3}.com/${n}` }),
    );
    const { job, taskIds } = await current.engine.submitBatch({ targets, callbackUrl: null }, CALLER);
    jobs.push({ id: job.id, taskIds });
  }
  const kills = [...plan.kills].sort((a, b) => a - b);
  for (let at = 0; at < 600_000; at += 500) {
    await clock.advance(500);
    for (const { id, taskIds } of jobs) {
      const { counts } = await current.engine.job(id);
      expect(counts.queued + counts.running + counts.completed + counts.failed + counts.cancelled).toBe(taskIds.length);
    }
    if (plan.cancelAt !== null && at <= plan.cancelAt && plan.cancelAt < at + 500)
      await current.engine.cancelJob(jobs[0]?.id ?? '');
    if (restart || (kills[0] ?? Number.POSITIVE_INFINITY) <= at) {
      kills.shift();
      restart = false;
      current.die();
      current = await boot();
    }
    if ((await Promise.all(jobs.map(({ id }) => current.engine.job(id)))).every((job) => job.completedAt !== null))
      break;
  }
  for (const { id, taskIds } of jobs) {
    const job = await current.engine.job(id);
    expect(job.completedAt).not.toBeNull();
    for (const taskId of taskIds) {
      const task = await current.engine.task(taskId);
      expect(['completed', 'failed', 'cancelled']).toContain(task.status);
      expect(ends.get(taskId) ?? []).toEqual(task.status === 'cancelled' ? [] : [task.status]);
    }
  }
  const stopping = current.engine.stop(0);
  await clock.advance(0);
  await stopping;
  await opened.end();
}
