import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.js';
import { watchForStandStill } from './stand-still.js';

/** A process has one event loop. */
const loop = watchForStandStill();

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
    const setAt = performance.now();
    const due = setAt + ms;
    let timer: NodeJS.Timeout | null;
    let isExcused = false;
    const end = (): void => {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      loop.end();
    };
    // Node's timers may fire a fraction of a millisecond early; what was promised for a time never comes before it.
    const look = (): void => {
      const left = due - performance.now();
      if (left > 0) return void arm(left);
      const moment = isExcused ? 0 : loop.owedMs(setAt);
      // Once: where the loop stands still again and again, nothing would ever be due.
      isExcused = true;
      if (moment > 0) return void arm(moment);
      end();
      callback();
    };
    const arm = (leftMs: number): void => {
      timer = setTimeout(look, Math.min(Math.max(0, Math.ceil(leftMs)), LONGEST_TIMER_MS)).unref();
    };
    loop.begin();
    arm(ms);
    return end;
  },
};
