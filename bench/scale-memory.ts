import { createLocalLimiter } from '../src/backends/embedded/local-limiter.js';
import { LocalQueue } from '../src/backends/embedded/local-queue.js';
import { GleanerError } from '../src/domain/errors.js';
import { DEFAULT_POLICY, type PolicyBook, rateFor } from '../src/domain/policy.js';
import { entryFor } from '../src/engine/queue-entry.js';
import { createBreakerGuard } from '../src/fetching/guards/breaker-guard.js';
import type { QueueEntry } from '../src/ports/queue.js';
import { idOf, type WorldTask } from '../test/support/dispatch-run.js';
import { memoryNotes } from '../test/support/memory-notes.js';
import { VirtualClock } from '../test/support/virtual-clock.js';
import { visitPlan } from '../test/support/visit-plan.js';

export interface Filled {
  bytesPerTask: number;
  enqueueUs: number;
}

const CHUNK = 1_000;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const DOWN = new GleanerError('target_server_error', 'The site answered 500.');

/** A queue that holds all of these: what one of them takes, with its entry, its id and the name of its lane. */
export async function fillQueue(count: number, task: (n: number) => WorldTask, policies: PolicyBook): Promise<Filled> {
  const clock = new VirtualClock();
  const before = await heapUsed();
  const queue = new LocalQueue({
    clock,
    maxDepth: count,
    httpConcurrency: 1,
    browserConcurrency: 1,
    laneWidth: (lane) => policies.forHost(lane).maxConcurrent ?? 4,
  });
  const laneOf = (url: string): string => policies.laneKey(new URL(url).hostname);
  let spentUs = 0;
  for (let from = 0; from < count; from += CHUNK) {
    const entries: QueueEntry[] = [];
    for (let n = from; n < Math.min(count, from + CHUNK); n += 1) {
      const { url: targetUrl, jobSize, needs } = task(n);
      const jobId = jobSize === 0 ? null : idOf(jobSize);
      const row = { id: idOf(n), jobId, targetUrl, jobSize, createdAt: clock.now() - 0.5, notBefore: null };
      entries.push(entryFor(row, needs, { clock, laneOf }));
    }
    const begin = process.cpuUsage();
    for (const entry of entries) queue.add(entry);
    spentUs += cpuUs(begin);
  }
  const bytesPerTask = ((await heapUsed()) - before) / count;
  if (queue.stats().depth !== count) throw new Error('The queue lost something.');
  return { bytesPerTask, enqueueUs: spentUs / count };
}

/** What the limiter remembers of a domain that was visited once. */
export async function limiterBytes(domains: number): Promise<number> {
  const clock = new VirtualClock();
  const rate = rateFor(DEFAULT_POLICY, null);
  const before = await heapUsed();
  const limiter = createLocalLimiter({ clock });
  for (let n = 0; n < domains; n += 1) {
    const answer = await limiter.acquire(`site-${n}.com`, rate);
    if (answer.granted) await limiter.done(answer.lease, 'ok');
  }
  const bytes = ((await heapUsed()) - before) / domains;
  if ((await limiter.counts()).keys !== domains) throw new Error('The limiter forgot what matters.');
  return bytes;
}

/** What the breaker remembers of a domain after so many failures in a row. */
export async function breakerBytes(domains: number, failures: number): Promise<number> {
  const clock = new VirtualClock();
  const settings = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };
  const before = await heapUsed();
  const breaker = createBreakerGuard({ notes: memoryNotes(), clock, settings, log: SILENT });
  for (let n = 0; n < domains; n += 1) {
    const plan = visitPlan('https://site.com/', { domain: `site-${n}.com` });
    for (let nth = 0; nth < failures; nth += 1) breaker.after?.(plan, { error: DOWN });
  }
  const bytes = ((await heapUsed()) - before) / domains;
  const { closed, open } = breaker.counts();
  if (closed + open !== domains) throw new Error('The breaker forgot what matters.');
  return bytes;
}

/** What the last step left on the stack goes only when a turn is over. */
async function heapUsed(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

export function cpuUs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}
