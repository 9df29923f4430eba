import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.js';

/** setTimeout keeps its delay in 31 bits; what is further away is woken early and armed again by its owner. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  wait(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, timerMs(ms)).unref();
      signal?.addEventListener('abort', end, { once: true });
    });
  },
  after(ms, callback) {
    const timer = setTimeout(callback, timerMs(ms)).unref();
    return () => clearTimeout(timer);
  },
};

/** Rounded up: a timer must never fire before the time it stands for. */
const timerMs = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), LONGEST_TIMER_MS);
