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
  /** The module a worker runs. */
  entry: URL;
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

  const handOut = (): void => {
    while (waiting.length > 0) {
      const idle = [...threads].find((thread) => thread.isIdle);
      if (!idle) break;
      idle.take(waiting.shift() as Job);
    }
    const starting = [...threads].filter((thread) => thread.isStarting).length;
    if (!isClosed && waiting.length > starting && threads.size < options.workers) start();
  };
  const start = (): void => {
    const thread = new Thread(options, {
      onIdle: handOut,
      onEnd: (error) => {
        threads.delete(thread);
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

  const isForWorkers = ({ html: { length } }: Page): boolean =>
    length >= options.longFrom || (length >= options.helpFrom && options.isBusy() && isHelpNear());
  /** A short page does not wait for a worker to start; the next ones will find it. */
  const isHelpNear = (): boolean => {
    if (threads.size === 0 && !hasFailedToStart) start();
    return [...threads].some((thread) => thread.isIdle);
  };

  const readFar = (order: ReadOrder, signal: AbortSignal): Promise<PageReading> =>
    new Promise((resolve, reject) => {
      const job: Job = { order, resolve, reject };
      // The signal is the visit's own and goes with it. A worker that is at it ends by itself, or by its time.
      signal.addEventListener('abort', () => {
        const at = waiting.indexOf(job);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal.reason);
      });
      waiting.push(job);
      handOut();
    });

  return {
    async read(page, wish, signal) {
      signal.throwIfAborted();
      if (isClosed) throw stopping();
      if (!isForWorkers(page)) return options.near.read(page, wish, signal);
      // A picture has nothing to be read.
      return readFar({ page: { ...page, screenshot: null }, wish }, signal);
    },
    async close() {
      isClosed = true;
      for (const job of waiting.splice(0)) job.reject(stopping());
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}

interface ThreadEvents {
  onIdle(): void;
  onEnd(error: GleanerError): void;
}

/** One worker and what it reads: starting → idle ⇄ reading → ended. */
class Thread {
  isStarting = true;
  private job: Job | null = null;
  private disarm = (): void => {};
  private readonly worker: Worker;
  private readonly options: WorkerReaderOptions;
  private readonly events: ThreadEvents;

  constructor(options: WorkerReaderOptions, events: ThreadEvents) {
    this.options = options;
    this.events = events;
    const resourceLimits = { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: YOUNG_MB };
    // Pages need nothing of the environment, and it holds secrets.
    this.worker = new Worker(options.entry, { execArgv: [], env: {}, resourceLimits });
    this.worker.on('message', (answer: ReadAnswer) => this.hear(answer));
    this.worker.on('error', (cause) => this.end(unreadable('The page could not be read.', cause)));
    this.worker.on('exit', () => this.end(unreadable('The page could not be read.')));
    this.arm();
  }

  get isIdle(): boolean {
    return !this.isStarting && this.job === null;
  }

  take(job: Job): void {
    this.job = job;
    this.arm();
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
    const { job } = this;
    this.isStarting = false;
    this.job = null;
    this.disarm();
    if (answer.kind === 'read') job?.resolve(answer.reading);
    if (answer.kind === 'failed') job?.reject(new GleanerError(answer.code, answer.message, { cause: answer.cause }));
    this.events.onIdle();
  }

  /** An error comes before the exit it leads to: the first of them counts. */
  private end(error: GleanerError): void {
    this.worker.removeAllListeners();
    this.worker.on('error', () => {});
    this.disarm();
    this.job?.reject(error);
    this.job = null;
    this.events.onEnd(error);
  }
}

/** The tree of a long page should be gone before it grows old. */
const YOUNG_MB = 96;

const unreadable = (message: string, cause?: unknown): GleanerError =>
  new GleanerError('extraction_failed', message, { cause });

const stopping = (): GleanerError => new GleanerError('shutting_down', 'The service is stopping.');
