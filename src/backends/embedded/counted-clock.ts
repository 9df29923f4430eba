import type { Clock } from '../../ports/clock.js';

/** A clock that knows how many of its timers are still to come: what is never taken back shows as a number that grows. */
export interface CountedClock extends Clock {
  pending(): number;
}

export function countTimers(clock: Clock): CountedClock {
  let pending = 0;
  const after: Clock['after'] = (ms, callback) => {
    let isPending = true;
    pending += 1;
    const end = (): void => {
      if (isPending) pending -= 1;
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
  };
  return {
    now: clock.now,
    mono: clock.mono,
    after,
    async wait(ms, signal) {
      pending += 1;
      await clock.wait(ms, signal);
      pending -= 1;
    },
    pending: () => pending,
  };
}
