import { createDomainStates } from '../../domain/domain-states.js';
import { factorAt } from '../../domain/slowdown.js';
import {
  isWindowIdle,
  newTokenWindow,
  nextGrant,
  noteRate,
  relax,
  returnToken,
  type TokenWindow,
  takeToken,
  throttle,
  tokensLeft,
} from '../../domain/token-window.js';
import type { Clock } from '../../ports/clock.js';
import type { LimitAnswer, Limiter, LimitRate, LimitState } from '../../ports/limiter.js';

interface KeyState {
  window: TokenWindow;
  underWay: number;
  /** Grants are numbered, so that one can be told to be older than another of the same millisecond. */
  lastGrant: number;
}

interface Grant {
  state: KeyState;
  number: number;
  takenAt: number;
}

/** A place becomes free when a visit ends, and nobody tells who waits: look again after this. */
const PLACE_PAUSE_MS = 250;
const BUSY_PAUSE_MS = 1000;

interface LocalLimiterParts {
  clock: Pick<Clock, 'mono'>;
  /** How many keys are remembered at most. */
  maxKeys?: number;
}

/** A limiter that can be looked into, so that what it knows can outlive the process. */
export interface LocalLimiter extends Limiter {
  /** `undefined` for a key about which nothing is remembered. */
  window(key: string): Readonly<TokenWindow> | undefined;
  /** Takes up what an earlier process knew of a key. Before anything is asked about it. */
  recall(key: string, window: TokenWindow): void;
}

/** The limiter of one process. Every change happens at the call itself, so that two asks can never get one token. */
export function createLocalLimiter({ clock, maxKeys }: LocalLimiterParts): LocalLimiter {
  const keys = createDomainStates<KeyState>(
    newKeyState,
    ({ window, underWay }) => underWay === 0 && isWindowIdle(window, clock.mono()),
    maxKeys === undefined ? {} : { max: maxKeys },
  );
  const out = new Map<string, Grant>();
  // One count for all keys: a lease that ended long ago must not mean a new one of a key that was forgotten since.
  let grants = 0;

  /** The lease ends here; whoever comes with it again finds nothing. A state with a lease out is never let go. */
  const endLease = (id: string): Grant | undefined => {
    const grant = out.get(id);
    if (grant && out.delete(id)) grant.state.underWay -= 1;
    return grant;
  };

  return {
    window: (key) => keys.peek(key)?.window,
    recall: (key, window) => keys.put(key, { ...newKeyState(), window }),
    async acquire(key, rate) {
      const state = keys.getIfRoom(key);
      if (!state) return { granted: false, waitMs: BUSY_PAUSE_MS, reason: 'busy' };
      const now = clock.mono();
      noteRate(state.window, rate, now);
      const refusal = refuse(state, rate, now);
      if (refusal) return refusal;
      takeToken(state.window, now);
      grants += 1;
      state.underWay += 1;
      state.lastGrant = grants;
      const id = String(grants);
      out.set(id, { state, number: grants, takenAt: now });
      return { granted: true, lease: { key, id } };
    },
    async giveBack({ id }) {
      const grant = endLease(id);
      if (grant) returnToken(grant.state.window, grant.takenAt);
    },
    async done({ id }, outcome) {
      const grant = endLease(id);
      if (!grant || outcome === 'neutral') return;
      const { window, lastGrant } = grant.state;
      if (outcome === 'ok') return relax(window, grant.number);
      const retryAfterMs = Math.max(0, outcome.retryAfterMs ?? 0);
      throttle(window, { grant: grant.number, lastGrant, retryAfterMs }, clock.mono());
    },
    async state(key, rate) {
      return describe(key, { state: keys.peek(key) ?? newKeyState(), rate, now: clock.mono() });
    },
    async keys() {
      return Array.from(keys.entries(), ([key]) => key);
    },
    async counts() {
      const now = clock.mono();
      let slowed = 0;
      for (const [, { window }] of keys.entries()) if (factorAt(window.slowdown, now) > 1) slowed += 1;
      return { keys: keys.size(), slowed };
    },
  };
}

const newKeyState = (): KeyState => ({ window: newTokenWindow(), underWay: 0, lastGrant: 0 });

/** `null` if there is a token and a place. A token that comes later than a look for a place is what to wait for. */
function refuse(
  { window, underWay }: KeyState,
  rate: LimitRate,
  now: number,
): Extract<LimitAnswer, { granted: false }> | null {
  const { at, reason } = nextGrant(window, rate, now);
  // Rounded up: whoever comes back after so many whole milliseconds is never a fraction too early.
  if (at > now) return { granted: false, waitMs: Math.ceil(at - now), reason };
  if (rate.maxConcurrent === null || underWay < rate.maxConcurrent) return null;
  return { granted: false, waitMs: PLACE_PAUSE_MS, reason: 'places' };
}

function describe(key: string, { state, rate, now }: { state: KeyState; rate: LimitRate; now: number }): LimitState {
  const { window, underWay } = state;
  return {
    key,
    tokensLeft: tokensLeft(window, rate, now),
    tokens: rate.tokens,
    intervalMs: rate.intervalMs,
    nextGrantMs: refuse(state, rate, now)?.waitMs ?? 0,
    underWay,
    slowdown: factorAt(window.slowdown, now),
    slowMs: Math.max(0, window.slowdown.until - now),
  };
}
