import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { createWorkerReader, type WorkerReader } from './backends/embedded/worker-reader.js';
import type { CaseDescription } from './domain/case-adapter.js';
import { createReader, type ReaderParts } from './engine/reader.js';
import type { Clock } from './ports/clock.js';

/**
 * Characters. The dearest adapter takes 0.09 ms for a thousand of them, so that what is shorter holds the event loop for
 * less than 10 ms. Sending such a page to a worker takes a tenth of a millisecond.
 */
const LONG = 100_000;
/** Every bound of the readers is far below; what takes longer is a page that none of them foresees. */
const TIMEOUT_MS = 10_000;
/** Characters from which sending a page away takes clearly less than reading it. */
const WORTH_SENDING = 10_000;
/** The share of its time that this thread works, from which idle workers help it. */
const BUSY = 0.7;
const BUSY_FRESH_MS = 250;
/** A container may have far fewer processors than are counted, and each worker takes memory. */
const MOST_WORKERS = 4;
const MiB = 1024 * 1024;
const LEAST_MEMORY_MB = 512;
/** Of heap, for every megabyte of a page: its text in two bytes a character, its tree, and what is read from it. */
const MEMORY_A_MEGABYTE = 16;

interface Surroundings {
  clock: Clock;
  maxBodyBytes: number;
  /** The operator's own adapters, for the threads. */
  cases: readonly CaseDescription[];
}

/** Short pages are read where they arrive, long ones in threads of their own; one core is left to everything else. */
export function createReaders(parts: ReaderParts, { clock, maxBodyBytes, cases }: Surroundings): WorkerReader {
  // From the sources, as `npm run dev` and the tests do it, a thread needs what compiles them.
  const isSource = import.meta.url.endsWith('.ts');
  return createWorkerReader({
    near: createReader(parts),
    longFrom: LONG,
    helpFrom: WORTH_SENDING,
    isBusy: createBusyCheck(clock),
    entry: new URL(isSource ? '../scripts/read-worker.mjs' : './read-worker.js', import.meta.url),
    workerData: { cases },
    workers: Math.max(1, Math.min(MOST_WORKERS, availableParallelism() - 1)),
    timeoutMs: TIMEOUT_MS,
    memoryMb: Math.max(LEAST_MEMORY_MB, (maxBodyBytes / MiB) * MEMORY_A_MEGABYTE),
    clock,
  });
}

/** Has this thread had little rest lately? */
function createBusyCheck(clock: Clock): () => boolean {
  let last = performance.eventLoopUtilization();
  let lookedAt = clock.mono();
  let isBusy = false;
  return () => {
    if (clock.mono() - lookedAt < BUSY_FRESH_MS) return isBusy;
    const now = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(now, last).utilization >= BUSY;
    last = now;
    lookedAt = clock.mono();
    return isBusy;
  };
}
