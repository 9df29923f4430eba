/**
 * How much slower than usual a site is visited since it answered 429.
 *
 *   1 ── 429 ──▶ 2 ── 429 ──▶ 4 ──▶ 8 ──▶ 16     each 429 holds for 300 s; then it is 1 again at once
 *                2 ◀── ok ── 3 ◀── ok ── 4 …     never below 2 before that
 */
export interface Slowdown {
  /** How many times the usual time a token takes to come back. Holds until `until`. */
  factor: number;
  /** When the factor last grew. */
  since: number;
  /** The last grant before a 429 that was news: what earlier visits bring says nothing about the present speed. */
  lastGrant: number;
  until: number;
}

const SLOW_FOR_MS = 300_000;
const SLOWEST = 16;

export const newSlowdown = (): Slowdown => ({ factor: 1, since: 0, lastGrant: 0, until: 0 });

export const factorAt = (slowdown: Slowdown, now: number): number => (now < slowdown.until ? slowdown.factor : 1);

/** The site answered 429 to the visit of `grant` (grants are numbered); `lastGrant` is the newest one. */
export function slowDown(slowdown: Slowdown, { grant, lastGrant, now }: Record<'grant' | 'lastGrant' | 'now', number>) {
  const factor = factorAt(slowdown, now);
  if (factor === 1 || grant > slowdown.lastGrant) {
    slowdown.factor = Math.min(2 * factor, SLOWEST);
    if (slowdown.factor > factor) slowdown.since = now;
    slowdown.lastGrant = lastGrant;
  }
  slowdown.until = Math.max(slowdown.until, now + SLOW_FOR_MS);
}

/** The visit of `grant` went well. */
export function speedUp(slowdown: Slowdown, grant: number): void {
  if (slowdown.factor > 2 && grant > slowdown.lastGrant) slowdown.factor -= 1;
}

/** While the site is slowed down: from when on `usualMs` after `from` have passed, as slowly as time passes now. */
export function stretched(
  slowdown: Slowdown,
  from: number,
  { usualMs, now }: Record<'usualMs' | 'now', number>,
): number {
  // The usual speed is back at `until`, so nothing is later than it would be then.
  return Math.min(from + factorAt(slowdown, now) * usualMs, slowdown.until);
}
