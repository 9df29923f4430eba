import type { Clock } from '../../ports/clock.js';

/** Clocks that know how many of their timers are still to come: what is never taken back shows as a number that grows. */
export interface TimerCount {
  /** Whose timers they are, for whoever wonders what is left. */
  clockOf(part: string): Clock;
  /** By part; those that have none are left out. */
  pending(): Record<string, number>;
}

export function countTimers(clock: Clock): TimerCount {
  const counts = new Map<string, number>();
  const add = (part: string, change: 1 | -1): void => {
    counts.set(part, (counts.get(part) ?? 0) + change);
  };
  return {
    clockOf: (part) => counted(clock, (change) => add(part, change)),
    pending: () => Object.fromEntries([...counts].filter(([, count]) => count > 0)),
  };
}

function counted(clock: Clock, add: (change: 1 | -1) => void): Clock {
  return {
    now: clock.now,
    mono: clock.mono,
    after(ms, callback) {
      let isPending = true;
      add(1);
      const end = (): void => {
        if (isPending) add(-1);
        isPending = false;
      };
      const takeBack = clock.after(ms, () => {
        end();
        callback();
      });
      return () => {
        end();
        takeBack();
      };
    },
    async wait(ms, signal) {
      add(1);
      await clock.wait(ms, signal);
      add(-1);
    },
  };
}
