import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.js';

/**
 * A timer that is so late was held up by our own event loop. Node then calls every timer before it reads a byte: answers
 * that have been here all along would count as missing. So it waits once more, as long as it was late or for this at
 * most, and what has come meanwhile is heard first.
 */
const STOOD_STILL_MS = 250;
const LONGEST_EXCUSE_MS = 1_000;

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
    let due = performance.now() + ms;
    let timer: NodeJS.Timeout;
    let isExcused = false;
    const arm = (leftMs: number): void => {
      timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(leftMs)), LONGEST_TIMER_MS)).unref();
    };
    const look = (): void => {
      const left = due - performance.now();
      // Node's timers may fire a fraction of a millisecond early; what was promised for a time never comes before it.
      if (left > 0) return arm(left);
      if (left > -STOOD_STILL_MS || isExcused) return callback();
      isExcused = true;
      due = performance.now() + Math.min(-left, LONGEST_EXCUSE_MS);
      arm(due - performance.now());
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
