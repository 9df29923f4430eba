import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import type { Job } from '../../src/domain/job.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import { aPage, openEngine } from '../support/engine-harness.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const url = (n: number, outcome: string): string => `https://jobs.example.com/${outcome}/${n}`;

describe('jobs', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  beforeAll(async () => {
    opened = await openTempStore();
  });
  afterAll(() => opened.end());

  it('Property 9: Job status derived from task outcomes', async () => {
    const http: Fetcher['fetch'] = async (request) => {
      if (request.url.includes('/fail/')) throw new GleanerError('target_client_error', 'The target answered 404.');
      return aPage(request, 'Engineer');
    };
    const { engine } = openEngine({ store: opened.store, http });
    await engine.start();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (outcomes) => {
        const targets = outcomes.map((ok, n) => aSpec({ targetUrl: url(n, ok ? 'ok' : 'fail') }));
        const { job, taskIds } = await engine.submitBatch({ targets, callbackUrl: null }, CALLER);
        for (const id of taskIds) await engine.awaitTask(id, 10_000);
        const done = await engine.job(job.id);
        const good = outcomes.filter(Boolean).length;
        const bad = outcomes.length - good;
        expect(done.counts).toMatchObject({ completed: good, failed: bad, queued: 0, running: 0, cancelled: 0 });
        expect(done.status).toBe(bad === 0 ? 'completed' : good === 0 ? 'failed' : 'partially_completed');
        expect(done.completedAt).not.toBeNull();
      }),
      { numRuns: 100 },
    );
    await engine.stop(0);
  });

  it('Property 11: Job cancellation preserves running tasks', async () => {
    let finish: (() => void)[] = [];
    const http: Fetcher['fetch'] = async (request) => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return aPage(request, 'Engineer');
    };
    const shape = fc.record({ size: fc.integer({ min: 1, max: 20 }), slots: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(shape, async ({ size, slots }) => {
        finish = [];
        const { engine } = openEngine({ store: opened.store, http, queue: { httpConcurrency: slots } });
        await engine.start();
        const targets = Array.from({ length: size }, (_, n) => aSpec({ targetUrl: url(n, 'ok') }));
        const { job, taskIds } = await engine.submitBatch({ targets, callbackUrl: null }, CALLER);
        const running = Math.min(size, slots);
        while (finish.length < running) await turn();

        const cancelled = await engine.cancelJob(job.id);
        expect(cancelled).toMatchObject({
          status: 'cancelled',
          counts: { running, cancelled: size - running, queued: 0 },
        });
        expect(await engine.cancelJob(job.id)).toEqual(cancelled);

        for (const end of finish) end();
        const ends = await Promise.all(taskIds.map((id) => engine.awaitTask(id, 10_000)));
        expect(ends.filter((task) => task.status === 'completed')).toHaveLength(running);
        expect(ends.filter((task) => task.status === 'cancelled')).toHaveLength(size - running);
        const after: Job = await engine.job(job.id);
        expect(after).toMatchObject({ status: 'cancelled', counts: { completed: running, cancelled: size - running } });
        expect(after.completedAt).not.toBeNull();
        expect(finish).toHaveLength(running);
        await engine.stop(0);
      }),
      { numRuns: 100 },
    );
  });
});
