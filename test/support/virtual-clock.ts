import type { Clock } from '../../src/ports/clock.js';

interface Timer {
  at: number;
  order: number;
  fire: () => void;
}

/** Time that moves only when told to. Wall and monotonic time can be set apart to show a jump of the wall clock. */
export class VirtualClock implements Clock {
  private elapsed = 0;
  private wallOffset: number;
  private timers: Timer[] = [];
  private order = 0;

  constructor(start = Date.UTC(2026, 0, 5, 12, 0, 0)) {
    this.wallOffset = start;
  }

  now(): number {
    return this.wallOffset + this.elapsed;
  }

  mono(): number {
    return this.elapsed;
  }

  jumpWall(ms: number): void {
    this.wallOffset += ms;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.after(ms, end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.elapsed + Math.max(0, ms), order: this.order++, fire: callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  get pendingTimers(): number {
    return this.timers.length;
  }

  /** Lets everything that is ready run, then moves to each timer in turn, up to `ms` from now. */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await realTurns();
    for (let timer = this.nextUntil(end); timer; timer = this.nextUntil(end)) {
      this.timers = this.timers.filter((other) => other !== timer);
      this.elapsed = Math.max(this.elapsed, timer.at);
      timer.fire();
      await realTurns();
    }
    this.elapsed = end;
    await realTurns();
  }

  private nextUntil(end: number): Timer | undefined {
    return this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Real I/O of the embedded store needs real turns of the event loop; time does not pass meanwhile. */
export async function realTurns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
