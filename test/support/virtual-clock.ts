import { Heap, type HeapItem } from '../../src/domain/heap.js';
import type { Clock } from '../../src/ports/clock.js';

interface Timer extends HeapItem {
  at: number;
  order: number;
  fire: () => void;
}

/** Real I/O of the embedded store needs several real turns of the event loop; time does not pass meanwhile. */
const TURNS_FOR_STORE = 12;

/** Time that moves only when told to. Wall and monotonic time can be set apart to show a jump of the wall clock. */
export class VirtualClock implements Clock {
  private elapsed = 0;
  private wallOffset: number;
  private readonly timers = new Heap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
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
    const timer = { at: this.elapsed + Math.max(0, ms), order: this.order++, fire: callback, heapIndex: -1 };
    this.timers.push(timer);
    return () => {
      if (timer.heapIndex !== -1) this.timers.remove(timer);
    };
  }

  get pendingTimers(): number {
    return this.timers.size;
  }

  /** When the next timer rings; `null` if none is armed. */
  get nextAt(): number | null {
    return this.timers.peek()?.at ?? null;
  }

  /** On to the next timer, which rings, or to `until` where none rings before it. Nothing is waited for. */
  step(until: number): void {
    const timer = this.timers.peek();
    this.elapsed = Math.max(this.elapsed, Math.min(timer?.at ?? until, until));
    if (!timer || timer.at > until) return;
    this.timers.remove(timer);
    timer.fire();
  }

  /** Lets everything that is ready run, then moves to each timer in turn, up to `ms` from now. */
  async advance(ms: number, { turns = TURNS_FOR_STORE } = {}): Promise<void> {
    const end = this.elapsed + ms;
    await realTurns(turns);
    for (let timer = this.timers.peek(); timer && timer.at <= end; timer = this.timers.peek()) {
      this.timers.remove(timer);
      this.elapsed = Math.max(this.elapsed, timer.at);
      timer.fire();
      await realTurns(turns);
    }
    this.elapsed = end;
    await realTurns(turns);
  }
}

export async function realTurns(count = TURNS_FOR_STORE): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
