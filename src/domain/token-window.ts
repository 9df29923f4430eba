import { factorAt, newSlowdown, type Slowdown, slowDown, speedUp, stretched } from './slowdown.js';

/** How fast one key may be visited. */
export interface LimitRate {
  /** At most so many grants in any window of `intervalMs`, wherever the window begins. */
  tokens: number;
  intervalMs: number;
  /** Least time between two grants: `min_interval_ms`, or the site's Crawl-delay where that is longer. 0 for none. */
  minGapMs: number;
  /** Grants that may be out (neither given back nor done) at the same time; `null` for any number. */
  maxConcurrent: number | null;
}

export type TokenRate = Omit<LimitRate, 'maxConcurrent'>;

/**
 * A strict rate limit. At most `tokens` grants in any window of `intervalMs`, wherever the window begins: a token
 * comes back one interval after it was taken. (A bucket that refills steadily would grant nearly twice as many to
 * whoever takes all of them and waits for the refill.)
 */
export interface TokenWindow {
  /** When the tokens that still count were taken, oldest first. */
  taken: number[];
  /** The newest grant that is no longer in `taken`: a gap is kept from it, too. */
  takenBefore: number;
  /** The longest times the window was ever asked for: how long it must remember. */
  longestIntervalMs: number;
  longestGapMs: number;
  slowdown: Slowdown;
  /** Nothing is granted before then: the site's own Retry-After. */
  floor: number;
}

export interface NextGrant {
  at: number;
  /** What it waits for: a token, the gap to the last grant, or the site's Retry-After. */
  reason: 'tokens' | 'gap' | 'retry_after';
}

/** Rates may change from ask to ask: one that is stricter, such as a Crawl-delay learned later, looks back this far. */
const SHORTEST_MEMORY_MS = 60_000;

export const newTokenWindow = (): TokenWindow => ({
  taken: [],
  takenBefore: Number.NEGATIVE_INFINITY,
  longestIntervalMs: 0,
  longestGapMs: 0,
  slowdown: newSlowdown(),
  floor: 0,
});

/** To be called at every ask, also of one that is refused: what must be remembered depends on it. */
export function noteRate(window: TokenWindow, { intervalMs, minGapMs }: TokenRate, now: number): void {
  window.longestIntervalMs = Math.max(window.longestIntervalMs, intervalMs);
  window.longestGapMs = Math.max(window.longestGapMs, minGapMs);
  forgetOld(window, now);
}

export function nextGrant(window: TokenWindow, rate: TokenRate, now: number): NextGrant {
  const token = tokenBack(window, rate, now);
  const gap = gapOver(window, rate, now);
  if (window.floor > Math.max(token, gap)) return { at: window.floor, reason: 'retry_after' };
  return gap > token ? { at: gap, reason: 'gap' } : { at: token, reason: 'tokens' };
}

/** Only when `nextGrant` says that it may be taken now. */
export function takeToken(window: TokenWindow, now: number): void {
  window.taken.push(now);
}

/** Takes back a grant that nobody used: the visit never began. */
export function returnToken(window: TokenWindow, takenAt: number): void {
  const place = window.taken.lastIndexOf(takenAt);
  if (place !== -1) window.taken.splice(place, 1);
}

export interface Throttling {
  /** Number of the grant whose visit was answered 429, and of the newest grant of the window. */
  grant: number;
  lastGrant: number;
  retryAfterMs: number;
}

export function throttle(window: TokenWindow, { grant, lastGrant, retryAfterMs }: Throttling, now: number): void {
  slowDown(window.slowdown, { grant, lastGrant, now });
  window.floor = Math.max(window.floor, now + retryAfterMs);
  // Nothing is granted in between, so the usual speed is not back before that either.
  window.slowdown.until = Math.max(window.slowdown.until, window.floor);
}

/** The visit of this grant was served: one step back towards the usual speed. */
export const relax = (window: TokenWindow, grant: number): void => speedUp(window.slowdown, grant);

/** How many could be granted one after the other at this very moment. */
export function tokensLeft(window: TokenWindow, rate: TokenRate, now: number): number {
  if (nextGrant(window, rate, now).at > now) return 0;
  if (rate.minGapMs > 0 || factorAt(window.slowdown, now) > 1) return 1;
  return rate.tokens - window.taken.filter((takenAt) => takenAt + rate.intervalMs > now).length;
}

/** Nothing in it matters any more: a fresh window would answer the same. */
export function isWindowIdle(window: TokenWindow, now: number): boolean {
  const memoryMs = Math.max(keepMs(window), window.longestGapMs);
  return now >= window.slowdown.until && now >= window.floor && lastGrantAt(window) + memoryMs <= now;
}

const lastGrantAt = (window: TokenWindow): number => window.taken.at(-1) ?? window.takenBefore;

/** Never earlier than at the usual speed, whatever else holds. */
function tokenBack({ taken, slowdown }: TokenWindow, { tokens, intervalMs }: TokenRate, now: number): number {
  // With as many out as there are tokens, the one that makes room is the `tokens`-th from the end.
  const takenAt = taken.at(-tokens) ?? Number.NEGATIVE_INFINITY;
  const back = Math.max(takenAt + intervalMs, stretched(slowdown, takenAt, { usualMs: intervalMs, now }));
  // Throttled though slow already: the site gets one whole slowed interval of quiet.
  if (factorAt(slowdown, now) <= 2) return back;
  return Math.max(back, stretched(slowdown, slowdown.since, { usualMs: intervalMs, now }));
}

/** A site that is slowed down gets its visits evenly spread, not in bursts. */
function gapOver(window: TokenWindow, { tokens, intervalMs, minGapMs }: TokenRate, now: number): number {
  const last = lastGrantAt(window);
  if (factorAt(window.slowdown, now) === 1) return last + minGapMs;
  const usualMs = Math.max(minGapMs, intervalMs / tokens);
  return Math.max(last + minGapMs, stretched(window.slowdown, last, { usualMs, now }));
}

function forgetOld(window: TokenWindow, now: number): void {
  const { taken } = window;
  const keptSince = now - keepMs(window);
  // Half of the list at a time, so that a busy window does not shift thousands of entries at every ask.
  if (taken.length === 0 || taken[taken.length >> 1]! > keptSince) return;
  const firstKept = taken.findIndex((takenAt) => takenAt > keptSince);
  const old = taken.splice(0, firstKept === -1 ? taken.length : firstKept);
  window.takenBefore = old.at(-1) ?? window.takenBefore;
}

/** Twice the interval is enough even when slowed down further: spread and quiet then ask for more than the window does. */
export const keepMs = (window: Pick<TokenWindow, 'longestIntervalMs'>): number =>
  Math.max(2 * window.longestIntervalMs, SHORTEST_MEMORY_MS);
