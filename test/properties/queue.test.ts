import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalQueue } from '../../src/backends/embedded/local-queue.js';
import type { QueueEntry } from '../../src/ports/queue.js';
import { anEntry } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const openQueue = (clock: VirtualClock, slots: number, maxDepth = 10_000): LocalQueue =>
  new LocalQueue({
    clock,
    maxDepth,
    httpConcurrency: slots,
    browserConcurrency: slots,
    laneWidth: () => 1_000,
  });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the queue', () => {
  it('Property 36: Priority queue ordering by job size', async () => {
    const jobs = fc.array(fc.record({ size: fc.integer({ min: 0, max: 100 }), domain: fc.nat(4) }), {
      minLength: 1,
      maxLength: 25,
    });
    await fc.assert(
      fc.asyncProperty(jobs, async (given) => {
        const queue = openQueue(new VirtualClock(), 1);
        const entries = given.flatMap(({ size, domain }, job) =>
          Array.from({ length: Math.max(1, Math.min(size, 4)) }, () =>
            anEntry({ jobId: size === 0 ? null : `job-${job}`, jobSize: size, lane: `d${domain}.com` }),
          ),
        );
        for (const entry of entries) queue.add(entry);
        const served: QueueEntry[] = [];
        queue.start(async (entry) => void served.push(entry));
        while (served.length < entries.length) await turn();
        const sizes = served.map((entry) => entry.jobSize);
        expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
        expect(new Set(served.map((entry) => entry.taskId)).size).toBe(entries.length);
        await queue.stop();
      }),
      { numRuns: 100 },
    );
  });

  it('Property 37: Queue stats accuracy', async () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('enqueue' as const), size: fc.nat(3), browser: fc.boolean() }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const), nth: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat(5) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (steps, slots) => {
        const queue = openQueue(new VirtualClock(), slots);
        const pending = new Map<string, QueueEntry>();
        const executing = new Map<string, () => void>();
        queue.start((entry) => {
          pending.delete(entry.taskId);
          return new Promise((resolve) => executing.set(entry.taskId, resolve));
        });
        for (const one of steps) {
          if (one.kind === 'enqueue') {
            const entry = anEntry({ jobSize: one.size, needs: one.browser ? 'browser' : 'http' });
            pending.set(entry.taskId, entry);
            queue.add(entry);
          } else if (one.kind === 'finish') {
            const [id, finish] = [...executing][one.nth] ?? [];
            if (id) executing.delete(id);
            finish?.();
          } else {
            const id = [...pending.keys()][one.nth];
            if (id) expect(queue.remove(id)).toBe(true);
            if (id) pending.delete(id);
          }
          await turn();
          const stats = queue.stats();
          expect(stats.depth).toBe(pending.size);
          expect(stats.activeWorkers).toBe(executing.size);
          const standalone = [...pending.values()].filter((entry) => entry.jobSize === 0).length;
          expect([stats.standalone, stats.batch]).toEqual([standalone, pending.size - standalone]);
        }
        const stopped = queue.stop();
        for (const finish of executing.values()) finish();
        await stopped;
      }),
      { numRuns: 100 },
    );
  });
});
