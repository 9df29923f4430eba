import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.js';

/** setTimeout keeps its delay in 31 bits; what is further away takes several turns. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  wait(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        takeBack();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const takeBack = systemClock.after(ms, end);
      signal?.addEventListener('abort', end, { once: true });
    });
  },
  after(ms, callback) {
    const due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    // Node's timers may fire a fraction of a millisecond early; what was promised for a time never comes before it.
    const look = (): void => {
      const left = due - performance.now();
      if (left <= 0) callback();
      else timer = setTimeout(look, Math.min(Math.ceil(left), LONGEST_TIMER_MS)).unref();
    };
    timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(ms)), LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};
