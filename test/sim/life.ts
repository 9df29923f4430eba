import type { Clock } from '../../src/ports/clock.js';

/**
 * One process, from its boot to its end. Whatever it waits for after its end never comes: its timers do not ring, its
 * store does not answer, its requests bring nothing.
 */
export class Life {
  readonly clock: Clock;
  isOver = false;
  private armed = 0;

  constructor(
    readonly number: number,
    clock: Clock,
  ) {
    this.clock = {
      now: () => clock.now(),
      mono: () => clock.mono(),
      after: (ms, callback) => this.after(clock, ms, callback),
      wait: (ms, signal) => this.wait(ms, signal),
    };
  }

  /** Timers that would still ring. */
  get timers(): number {
    return this.armed;
  }

  end(): void {
    this.isOver = true;
  }

  private after(clock: Clock, ms: number, callback: () => void): () => void {
    let isArmed = true;
    const disarm = (): boolean => {
      const was = isArmed;
      if (isArmed) this.armed -= 1;
      isArmed = false;
      return was;
    };
    this.armed += 1;
    const cancel = clock.after(ms, () => {
      if (disarm() && !this.isOver) callback();
    });
    return () => {
      disarm();
      cancel();
    };
  }

  private wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.clock.after(ms, end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}

/** What a dead process is answered. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {});
