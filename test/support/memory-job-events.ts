import { GleanerError } from '../../src/domain/errors.js';
import type { JobEvent } from '../../src/domain/job-event.js';
import type { EventsOptions } from '../../src/engine/api.js';
import type { Clock } from '../../src/ports/clock.js';

type Happening<E extends JobEvent = JobEvent> = E extends JobEvent ? Omit<E, 'seq' | 'at'> : never;

/** The events of jobs, kept and told. `open` and `maxOpen` are streams; `fault` is thrown into each of them. */
export class MemoryJobEvents {
  open = 0;
  maxOpen = Number.POSITIVE_INFINITY;
  fault: unknown;
  private readonly byJob = new Map<string, JobEvent[]>();
  private readonly wakes = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  of(jobId: string): JobEvent[] {
    return this.byJob.get(jobId) ?? [];
  }

  record(jobId: string, happening: Happening): void {
    const events = this.of(jobId);
    this.byJob.set(jobId, [...events, { seq: events.length + 1, at: this.clock.now(), ...happening }]);
    this.wake();
  }

  /** Streams look again, also for a fault. */
  wake(): void {
    for (const wake of this.wakes) wake();
  }

  /** A place is taken at once and given back at the end, or when the signal says that nobody reads. */
  follow(jobId: string, options: EventsOptions, isOver: () => boolean): AsyncIterable<JobEvent | null> {
    if (this.open >= this.maxOpen) throw new GleanerError('too_many_streams', 'Too many event streams are open.');
    this.open++;
    let isOpen = true;
    const leave = (): void => {
      if (isOpen) this.open--;
      isOpen = false;
    };
    options.signal.addEventListener('abort', leave, { once: true });
    return this.tell(jobId, options, { isOver, leave });
  }

  private async *tell(
    jobId: string,
    { after, heartbeatMs, signal }: EventsOptions,
    { isOver, leave }: { isOver: () => boolean; leave: () => void },
  ): AsyncGenerator<JobEvent | null> {
    try {
      for (let told = after; !signal.aborted; ) {
        if (this.fault !== undefined) throw this.fault;
        const next = this.of(jobId)[told];
        if (next) {
          told = next.seq;
          yield next;
        } else if (isOver()) return;
        else if (!(await this.changeWithin(heartbeatMs, signal)) && !signal.aborted) yield null;
      }
    } finally {
      leave();
    }
  }

  private async changeWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    const changed = new AbortController();
    const wake = (): void => changed.abort();
    this.wakes.add(wake);
    await this.clock.wait(ms, AbortSignal.any([signal, changed.signal]));
    this.wakes.delete(wake);
    return changed.signal.aborted;
  }
}
