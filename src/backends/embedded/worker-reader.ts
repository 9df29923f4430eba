import { Worker } from 'node:worker_threads';
import { type ErrorCode, GleanerError } from '../../domain/errors.js';
import type { Page } from '../../domain/page.js';
import type { Clock } from '../../ports/clock.js';
import type { PageReading, Reader, ReadingWish } from '../../ports/reader.js';

/** What goes to a worker, and what comes back. Before the first answer it says that it is ready. */
export interface ReadOrder {
  page: Page;
  wish: ReadingWish;
}
export type ReadAnswer =
  | { kind: 'ready' }
  | { kind: 'read'; reading: PageReading }
  | { kind: 'failed'; code: ErrorCode; message: string; cause: unknown };

export interface WorkerReaderOptions {
  /** Reads what is short: for that, the way to a worker and back costs more than the reading. */
  near: Reader;
  /** Characters from which a page is read by a worker, in any case. */
  longFrom: number;
  /** Characters from which a worker that has nothing to do reads a page, too, while this thread is busy. */
  helpFrom: number;
  isBusy(): boolean;
  /** The module a worker runs, and what it is told at its start. */
  entry: URL;
  workerData?: unknown;
  /** Workers at most. Each is started when there is nobody else to read, and stays. */
  workers: number;
  /** How long one page may be read. */
  timeoutMs: number;
  /** Megabytes of heap that one worker may take. */
  memoryMb: number;
  clock: Clock;
}

export interface WorkerReader extends Reader {
  /** Ends all workers, and what they read fails. */
  close(): Promise<void>;
}

interface Job {
  order: ReadOrder;
  resolve(reading: PageReading): void;
  reject(error: unknown): void;
}

/**
 * Reads long pages in threads of their own, so that no page holds the event loop, whatever stands on it. One that takes
 * too long, or more memory than there is for it, loses its worker and fails; it is not read again here, where it would
 * take everybody down. Whoever waits for a worker holds the place of a visit, so that no more can wait than visits run.
 */
export function createWorkerReader(options: WorkerReaderOptions): WorkerReader {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let isClosed = false;
  let hasFailedToStart = false;

  const withLess = (jobs: number): Thread | undefined => [...threads].find((thread) => thread.hasLess(jobs));
  const handOut = (): void => {
    while (waiting.length > 0) {
      const idle = withLess(1);
      if (!idle) break;
      idle.take(waiting.shift() as Job);
    }
    const starting = [...threads].filter((thread) => thread.isStarting).length;
    if (!isClosed && waiting.length > starting && threads.size < options.workers) start();
  };
  const start = (): void => {
    const thread = new Thread(options, {
      onIdle: handOut,
      onEnd: (error, unread) => {
        threads.delete(thread);
        waiting.unshift(...unread);
        // One that cannot even start would be started for ever.
        if (thread.isStarting) {
          hasFailedToStart = true;
          waiting.shift()?.reject(error);
        }
        handOut();
      },
    });
    threads.add(thread);
  };

  /** Who reads a page that is not long, while this thread is busy. It waits for no worker to start, and for no long one. */
  const helpFor = ({ html: { length } }: Page): Thread | undefined => {
    if (length < options.helpFrom || !options.isBusy()) return undefined;
    if (threads.size === 0 && !hasFailedToStart) start();
    return waiting.length === 0 ? (withLess(1) ?? withLess(AHEAD)) : undefined;
  };

  const readFar = (order: ReadOrder, signal: AbortSignal, by?: Thread): Promise<PageReading> =>
    new Promise((resolve, reject) => {
      const job: Job = { order, resolve, reject };
      // The signal is the visit's own and goes with it. A worker that is at it ends by itself, or by its time.
      signal.addEventListener('abort', () => {
        const at = waiting.indexOf(job);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal.reason);
      });
      if (by) return by.take(job);
      waiting.push(job);
      handOut();
    });

  return {
    async read(page, wish, signal) {
      signal.throwIfAborted();
      if (isClosed) throw stopping();
      const help = page.html.length >= options.longFrom ? undefined : helpFor(page);
      if (!help && page.html.length < options.longFrom) return options.near.read(page, wish, signal);
      // A picture has nothing to be read.
      return readFar({ page: { ...page, screenshot: null }, wish }, signal, help);
    },
    async close() {
      isClosed = true;
      const ending = [...threads].map((thread) => thread.close());
      // What a worker would have read next waits again by now.
      for (const job of waiting.splice(0)) job.reject(stopping());
      await Promise.all(ending);
    },
  };
}

interface ThreadEvents {
  onIdle(): void;
  /** `unread`: what it would have read next. */
  onEnd(error: GleanerError, unread: readonly Job[]): void;
}

/**
 * What a worker has in hand at most. While this thread is busy it hears late that a page has been read; a worker that has
 * the next one already does not wait for that.
 */
const AHEAD = 2;

/** One worker and what it reads: starting → idle ⇄ reading → ended. */
class Thread {
  isStarting = true;
  /** The first is being read. */
  private jobs: Job[] = [];
  private disarm = (): void => {};
  private readonly worker: Worker;
  private readonly options: WorkerReaderOptions;
  private readonly events: ThreadEvents;

  constructor(options: WorkerReaderOptions, events: ThreadEvents) {
    this.options = options;
    this.events = events;
    const resourceLimits = { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB };
    // Pages need nothing of the environment, and it holds secrets.
    this.worker = new Worker(options.entry, {
      execArgv: [],
      env: {},
      resourceLimits,
      workerData: options.workerData,
    });
    this.worker.on('message', (answer: ReadAnswer) => this.hear(answer));
    this.worker.on('error', (cause) => this.end(unreadable('The page could not be read.', cause)));
    this.worker.on('exit', () => this.end(unreadable('The page could not be read.')));
    this.arm();
  }

  hasLess(jobs: number): boolean {
    return !this.isStarting && this.jobs.length < jobs;
  }

  take(job: Job): void {
    this.jobs.push(job);
    if (this.jobs.length === 1) this.arm();
    this.worker.postMessage(job.order);
  }

  /** For the start, and for each page. */
  private arm(): void {
    const { clock, timeoutMs } = this.options;
    this.disarm = clock.after(timeoutMs, () => {
      this.end(unreadable(`The page could not be read within ${timeoutMs / 1_000} s.`));
      void this.worker.terminate();
    });
  }

  async close(): Promise<void> {
    this.end(stopping());
    await this.worker.terminate();
  }

  private hear(answer: ReadAnswer): void {
    const job = this.jobs.shift();
    this.isStarting = false;
    this.disarm();
    if (this.jobs.length > 0) this.arm();
    if (answer.kind === 'read') job?.resolve(answer.reading);
    if (answer.kind === 'failed') job?.reject(new GleanerError(answer.code, answer.message, { cause: answer.cause }));
    if (this.jobs.length === 0) this.events.onIdle();
  }

  /** An error comes before the exit it leads to: the first of them counts. */
  private end(error: GleanerError): void {
    this.worker.removeAllListeners();
    this.worker.on('error', () => {});
    this.disarm();
    const [job, ...unread] = this.jobs.splice(0);
    job?.reject(error);
    this.events.onEnd(error, unread);
  }
}

/** The tree of a long page should be gone before it grows old. */
const YOUNG_MB = 96;

const unreadable = (message: string, cause?: unknown): GleanerError =>
  new GleanerError('extraction_failed', message, { cause });

const stopping = (): GleanerError => new GleanerError('shutting_down', 'The service is stopping.');
