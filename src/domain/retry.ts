import { errorRule, type GleanerError } from './errors.js';

/** 429s in a row after which a visit gives up. */
const MAX_THROTTLES = 3;
const BASE_MS = 2_000;
/** Where the site names no time, a throttled task itself adds none: its domain's lane is slowed down anyway. */
const MAX_RETRY_AFTER_MS = 24 * 3600_000;

export type NextStep =
  | { kind: 'give_up' }
  | { kind: 'retry'; delayMs: number }
  /** Costs no attempt: the site is well, we were too fast. */
  | { kind: 'throttle'; delayMs: number; throttles: number };

/** What follows a failed visit. `attempts` counts the one that just failed. */
export function nextStep(
  error: GleanerError,
  history: { attempts: number; throttles: number; maxAttempts: number; random: () => number },
): NextStep {
  const conduct = errorRule(error.code).engine;
  if (conduct === 'fail') return { kind: 'give_up' };
  const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  if (conduct === 'throttle') {
    const throttles = history.throttles + 1;
    return throttles >= MAX_THROTTLES ? { kind: 'give_up' } : { kind: 'throttle', delayMs: askedMs, throttles };
  }
  if (history.attempts >= history.maxAttempts) return { kind: 'give_up' };
  return { kind: 'retry', delayMs: Math.max(askedMs, backoffMs(history.attempts, history.random)) };
}

/** 2 s + up to 2 s after the first attempt, 4 s + up to 4 s after the second, and so on. */
export function backoffMs(attempts: number, random: () => number): number {
  const floor = BASE_MS * 2 ** (attempts - 1);
  return Math.round(floor + random() * floor);
}
