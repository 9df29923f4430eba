/**
 * What a task costs the queue as the queue grows: enqueue all, then dequeue all, with every domain holding its lane
 * after each take (the worst ordinary case: every task makes its domain rest). The peer is the same work on a plain
 * array that is searched for the best ready task, which is what a queue without lanes comes to.
 *
 *   npm run bench:queue
 */
import { performance } from 'node:perf_hooks';
import { LaneQueue } from '../src/domain/lane-queue.js';

const SIZES = [1_000, 10_000, 100_000];
const TASKS_PER_DOMAIN = 10;
const NAIVE_LIMIT = 10_000;
const ROUNDS = 3;

interface Entry {
  taskId: string;
  lane: string;
  jobSize: number;
  since: number;
  notBefore: number;
}

const entries = (count: number): Entry[] =>
  Array.from({ length: count }, (_, n) => ({
    taskId: `task-${String(n).padStart(7, '0')}`,
    lane: `domain-${n % (count / TASKS_PER_DOMAIN)}.example`,
    jobSize: n % 3 === 0 ? 0 : n % 100,
    since: n % 1_000,
    notBefore: n % 20 === 0 ? 5 : 0,
  }));

function lanes(all: Entry[]): { enqueueUs: number; dequeueUs: number; bytes: number } {
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const queue = new LaneQueue<Entry>(() => 4);
  const begin = performance.now();
  for (const entry of all) queue.add(entry, 0);
  const filled = performance.now();
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - heapBefore) / all.length;
  const drain = performance.now();
  let now = 10;
  for (let left = all.length; left > 0; ) {
    const entry = queue.take(now);
    if (!entry) {
      now = queue.nextDue(now) ?? now;
      continue;
    }
    queue.hold(entry.lane, { until: now + 1_000 }, now);
    queue.done(entry.lane, now);
    left -= 1;
  }
  const end = performance.now();
  return { enqueueUs: perTask(filled - begin, all), dequeueUs: perTask(end - drain, all), bytes };
}

function naive(all: Entry[]): { dequeueUs: number } {
  const waiting = [...all];
  const heldUntil = new Map<string, number>();
  const begin = performance.now();
  let now = 10;
  while (waiting.length > 0) {
    let best = -1;
    for (let n = 0; n < waiting.length; n++) {
      const entry = waiting[n] as Entry;
      if ((heldUntil.get(entry.lane) ?? 0) > now) continue;
      if (best < 0 || entry.jobSize < (waiting[best] as Entry).jobSize) best = n;
    }
    if (best < 0) {
      now += 1_000;
      continue;
    }
    const [entry] = waiting.splice(best, 1) as [Entry];
    heldUntil.set(entry.lane, now + 1_000);
  }
  return { dequeueUs: perTask(performance.now() - begin, all) };
}

const perTask = (ms: number, all: Entry[]): number => (ms * 1_000) / all.length;
const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

// Warm: the first thousands of calls run uncompiled.
lanes(entries(50_000));
naive(entries(1_000));

const rows = SIZES.map((size) => {
  const all = entries(size);
  const ours = Array.from({ length: ROUNDS }, () => lanes(all));
  const peer = size <= NAIVE_LIMIT ? median(Array.from({ length: ROUNDS }, () => naive(all).dequeueUs)) : null;
  const dequeueUs = median(ours.map((one) => one.dequeueUs));
  return {
    tasks: size,
    domains: size / TASKS_PER_DOMAIN,
    'enqueue µs': median(ours.map((one) => one.enqueueUs)).toFixed(2),
    'dequeue µs': dequeueUs.toFixed(2),
    'bytes a task': Math.round(median(ours.map((one) => one.bytes))),
    'array scan µs': peer?.toFixed(1) ?? 'not run',
    'times faster': peer ? (peer / dequeueUs).toFixed(0) : '',
  };
});
console.table(rows);
const growth = Number(rows.at(-1)?.['dequeue µs']) / Number(rows[0]?.['dequeue µs']);
console.log(
  `dequeue cost from ${SIZES[0]} to ${SIZES.at(-1)} tasks: × ${growth.toFixed(1)} (log n would be × 1.7, linear × 100)`,
);
