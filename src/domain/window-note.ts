import { keepMs, newTokenWindow, type TokenWindow } from './token-window.js';

/**
 * What of a token window must outlive the process. Times are epoch ms. It may claim more than there was, or later than
 * it was, but never less: a site that is visited too late is no harm.
 */
export interface WindowNote {
  /** When tokens were taken, oldest first, and how many by then. */
  grants: [at: number, count: number][];
  /** So many more may have been taken until then. */
  ahead: [until: number, count: number];
  slowdown: { factor: number; since: number; until: number };
  floor: number;
  longestIntervalMs: number;
  longestGapMs: number;
}

/** The same moment on both clocks. */
export interface Moment {
  wall: number;
  mono: number;
}

/** Of many grants the times are told in so many steps: each step at the time of its last. */
const STEPS = 32;
/** As long as a site may ask us to stay away. A clock that was set back must not make more of it. */
const LONGEST_MS = 24 * 3_600_000;

/** `ahead`: what may be taken before the next note, until `mono + aheadMs`. */
export function noteWindow(
  window: TokenWindow,
  { wall, mono }: Moment,
  { ahead, aheadMs }: { ahead: number; aheadMs: number },
): WindowNote {
  const onWall = (at: number): number => Math.ceil(wall + at - mono);
  const { factor, since, until } = window.slowdown;
  return {
    grants: inSteps(lastGrants(window)).map(([at, count]) => [onWall(at), count]),
    ahead: [onWall(mono + aheadMs), ahead],
    slowdown: { factor, since: onWall(since), until: onWall(until) },
    floor: onWall(window.floor),
    longestIntervalMs: window.longestIntervalMs,
    longestGapMs: window.longestGapMs,
  };
}

/** From when on a fresh window would answer the same. */
export function noteEnds({ grants, ahead, slowdown, floor, ...longest }: WindowNote): number {
  const [lastAt] = grants.at(-1) ?? [Number.NEGATIVE_INFINITY];
  const last = ahead[1] > 0 ? ahead[0] : lastAt;
  return Math.max(last + Math.max(keepMs(longest), longest.longestGapMs), slowdown.until, floor);
}

/** The window as the next process must see it. The clock may have been set since: no grant of then lies ahead. */
export function recallWindow({ grants, ahead, slowdown, floor, ...longest }: WindowNote, now: Moment): TokenWindow {
  const { wall, mono } = now;
  const past = (at: number): number => mono - Math.max(0, wall - at);
  const coming = (at: number): number => mono + Math.min(Math.max(0, at - wall), LONGEST_MS);
  return {
    ...newTokenWindow(),
    ...longest,
    taken: [...grants, ahead].flatMap(([at, count]) => new Array<number>(count).fill(past(at))),
    slowdown: { factor: slowdown.factor, since: past(slowdown.since), lastGrant: 0, until: coming(slowdown.until) },
    floor: coming(floor),
  };
}

/** At least the last one, from which a gap is kept. */
function lastGrants({ taken, takenBefore }: TokenWindow): number[] {
  if (taken.length > 0) return taken;
  return Number.isFinite(takenBefore) ? [takenBefore] : [];
}

function inSteps(times: number[]): [at: number, count: number][] {
  const size = Math.ceil(times.length / STEPS);
  const steps: [number, number][] = [];
  for (let from = 0; from < times.length; from += size) {
    const step = times.slice(from, from + size);
    steps.push([step.at(-1)!, step.length]);
  }
  return steps;
}
