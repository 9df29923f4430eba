import { GleanerError } from '../domain/errors.js';
import type { JobEvent } from '../domain/job-event.js';
import type { Clock } from '../ports/clock.js';
import type { Store } from '../ports/store.js';
import type { EventsOptions } from './api.js';
import { Waiters } from './waiters.js';

const PAGE = 200;
/** Each holds a socket and a timer. */
const MAX_STREAMS = 1_000;

/** Follows the events of jobs for whoever listens. They are read from the store, so that nobody misses one. */
export class JobEvents {
  private readonly waiters = new Waiters<true>();
  private readonly unsubscribe: () => void;
  private open = 0;
  private isStopped = false;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {
    this.unsubscribe = store.onChange(({ jobs }) => {
      for (const jobId of jobs) this.waiters.tell(jobId, true);
    });
  }

  /** `null`: the job is over, and all has been told. */
  async follow(jobId: string, options: EventsOptions): Promise<AsyncIterable<JobEvent | null> | null> {
    if (this.open >= MAX_STREAMS) throw new GleanerError('too_many_streams', 'Too many event streams are open.');
    return (await this.isAllTold(jobId, options.after)) ? null : this.stream(jobId, options);
  }

  /** Everybody's stream ends. */
  stop(): void {
    this.isStopped = true;
    this.unsubscribe();
    this.waiters.releaseAll();
  }

  private async *stream(jobId: string, options: EventsOptions): AsyncGenerator<JobEvent | null, void, void> {
    this.open += 1;
    let last = options.after;
    try {
      while (!options.signal.aborted && !this.isStopped) {
        // Waiting begins before reading: what happens in between is not missed.
        const news = this.awaitNews(jobId, options.signal);
        try {
          const events = await this.store.events(jobId, last, PAGE);
          for (const event of events) {
            yield event;
            last = event.seq;
          }
          if (events.length > 0) continue;
          if (await this.isAllTold(jobId, last)) return;
          await this.clock.wait(options.heartbeatMs, news.signal);
          if (!news.signal.aborted) yield null;
        } finally {
          news.end();
        }
      }
    } finally {
      this.open -= 1;
    }
  }

  /** A signal that aborts when something happened to the job, or when nobody listens any more. */
  private awaitNews(jobId: string, gone: AbortSignal): { signal: AbortSignal; end: () => void } {
    const news = new AbortController();
    const tell = (): void => news.abort();
    const stopWaiting = this.waiters.on(jobId, tell);
    gone.addEventListener('abort', tell, { once: true });
    const end = (): void => {
      stopWaiting();
      gone.removeEventListener('abort', tell);
    };
    return { signal: news.signal, end };
  }

  /** First whether it is over, then whether there is more: a job that is over gets no further event. */
  private async isAllTold(jobId: string, last: number): Promise<boolean> {
    const job = await this.store.job(jobId);
    if (!job) throw new GleanerError('job_not_found', `There is no job ${jobId}.`);
    return job.completedAt !== null && (await this.store.events(jobId, last, 1)).length === 0;
  }
}
