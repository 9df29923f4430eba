/**
 * A strict rate limit. At most `tokens` grants in any window of `intervalMs`, wherever the window begins: a token
 * comes back one interval after it was taken. (A bucket that refills steadily would grant nearly twice as many to
 * whoever takes all of them and waits for the refill.)
 */
export interface TokenWindow {
  /** When the tokens still out were taken, oldest first. */
  taken: number[];
  /** Until then a token takes twice as long to come back: the site answered 429. */
  slowUntil: number;
  /** Nothing is granted before then: the site's own Retry-After. */
  floor: number;
}

export interface TokenRate {
  tokens: number;
  intervalMs: number;
  /** Least time between two grants, such as a Crawl-delay. */
  minGapMs?: number;
}

export type Grant = { granted: true } | { granted: false; notBefore: number };

const SLOW_FOR_MS = 300_000;

export const newTokenWindow = (): TokenWindow => ({ taken: [], slowUntil: 0, floor: 0 });

export function takeToken(window: TokenWindow, rate: TokenRate, now: number): Grant {
  forget(window, rate, now);
  const notBefore = nextGrant(window, rate, now);
  if (notBefore > now) return { granted: false, notBefore };
  window.taken.push(now);
  return { granted: true };
}

/** Takes back a grant that nobody used: the visit never began. */
export function returnToken(window: TokenWindow, takenAt: number): void {
  const place = window.taken.lastIndexOf(takenAt);
  if (place !== -1) window.taken.splice(place, 1);
}

export function throttle(window: TokenWindow, now: number, retryAfterMs = 0): void {
  window.slowUntil = Math.max(window.slowUntil, now + SLOW_FOR_MS);
  window.floor = Math.max(window.floor, now + retryAfterMs);
}

/** Nothing in it matters any more: a fresh window would answer the same. */
export function isWindowIdle(window: TokenWindow, now: number, longestIntervalMs: number): boolean {
  const last = window.taken.at(-1);
  return now >= window.slowUntil && now >= window.floor && (last === undefined || last + longestIntervalMs <= now);
}

/** When the token taken at `takenAt` is back. Slowness that ends earlier lets it back earlier, never before one interval. */
function returnsAt(window: TokenWindow, rate: TokenRate, takenAt: number, now: number): number {
  const usual = takenAt + rate.intervalMs;
  if (now >= window.slowUntil) return usual;
  return Math.max(usual, Math.min(takenAt + 2 * rate.intervalMs, window.slowUntil));
}

function nextGrant(window: TokenWindow, rate: TokenRate, now: number): number {
  const { taken } = window;
  const last = taken.at(-1);
  const afterGap = last === undefined ? 0 : last + (rate.minGapMs ?? 0);
  // With as many out as there are tokens, the one that makes room is the `tokens`-th from the end.
  const blocking = taken.at(-rate.tokens);
  const afterReturn = blocking === undefined ? 0 : returnsAt(window, rate, blocking, now);
  return Math.max(window.floor, afterGap, afterReturn);
}

function forget(window: TokenWindow, rate: TokenRate, now: number): void {
  const keepMs = Math.max(2 * rate.intervalMs, rate.minGapMs ?? 0);
  let old = 0;
  while (old < window.taken.length && window.taken[old]! + keepMs <= now) old += 1;
  if (old > 0) window.taken.splice(0, old);
}
