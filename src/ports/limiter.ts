import type { LimitRate } from '../domain/token-window.js';

export type { LimitRate };

/** A grant: a token, and a place until it is given back or done. */
export interface Lease {
  key: string;
  /** Unique among all leases of the key. */
  id: string;
}

/** No grant: tokens are out, two would come too close, no place is free, the site asked us to wait, too many keys. */
export type LimitReason = 'tokens' | 'gap' | 'places' | 'retry_after' | 'busy';

export type LimitAnswer =
  | { granted: true; lease: Lease }
  /** Asking again before `waitMs` have passed is pointless (`places` and `busy`: a guess). */
  | { granted: false; waitMs: number; reason: LimitReason };

/** What a visit says about the site's patience. `neutral`: nothing, as when it never got there. */
export type LimitOutcome = 'ok' | 'neutral' | { throttled: true; retryAfterMs: number | undefined };

export interface LimitState {
  key: string;
  /** Tokens that could be taken now, one after the other. */
  tokensLeft: number;
  tokens: number;
  intervalMs: number;
  /** What `acquire` would say now: 0 for a grant, else its `waitMs`. */
  nextGrantMs: number;
  underWay: number;
  /** 1 is the usual speed; 2 is half of it, and so on. */
  slowdown: number;
  /** Milliseconds until the usual speed is back; 0 if it is. */
  slowMs: number;
}

/**
 * Grants visits per key (a registrable domain, or a host with a rate of its own). Shared by everybody who visits:
 *
 * - **Strict.** A token comes back one interval after it was *taken*, so no window ever holds more than `tokens` grants.
 *   Every ask is judged by the rate it brings, and by all grants of the key, whatever rate they were granted under
 *   (of the last minute at least, and as far back as any rate of the key has asked before).
 * - **Never blocks.** Who gets no grant is told how long to wait, and waits elsewhere.
 * - **Keys do not touch each other.**
 * - **Adaptive.** A throttled outcome doubles the time a token takes to come back (and the least gap) for 300 s and
 *   spreads the grants evenly; another one of a visit granted after that doubles it again, up to 16 times, and begins
 *   with one such time without any grant. Each `ok` takes one step back, not below 2 before the time is up; then the
 *   usual speed is back at once. `retryAfterMs` is a floor: nothing is granted before. Visits that were granted before
 *   the last slowdown are old news: throttled ones only prolong it, and their `ok` takes no step back.
 * - **Bounded.** What no longer matters is forgotten; what matters is never forgotten to make room: then a new key is
 *   told to wait (`busy`).
 *
 * Time is the limiter's own and only moves forward. `giveBack` and `done` never reject: nobody waits for them.
 */
export interface Limiter {
  acquire(key: string, rate: LimitRate): Promise<LimitAnswer>;
  /** The visit never began: token and place are as if they had never been taken. A second call does nothing. */
  giveBack(lease: Lease): Promise<void>;
  /** The visit is over. Its place is free; its token comes back in its own time. A second call does nothing. */
  done(lease: Lease, outcome: LimitOutcome): Promise<void>;
  /** As it is now under this rate, changing nothing; a key that was never visited is as good as new. */
  state(key: string, rate: LimitRate): Promise<LimitState>;
  /** The keys something is remembered about. */
  keys(): Promise<string[]>;
  /** How many those are, and how many of them are slower than usual; cheap enough for a health check. */
  counts(): Promise<{ keys: number; slowed: number }>;
}
