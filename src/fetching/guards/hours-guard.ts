import { nextAllowedTime, type PolicyBook } from '../../domain/policy.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';

/** Asked again at least this often: the wall clock may have been wrong, or set right. */
const LONGEST_WAIT_MS = 15 * 60_000;

/** Is this the time of day for it? Outside the hours of its policy a task waits for the next window; it does not fail. */
export function createHoursGuard({ policies, clock }: { policies: PolicyBook; clock: Clock }): Guard {
  return {
    name: 'hours',
    check(plan) {
      const policy = policies.forHost(new URL(plan.url).hostname);
      const wall = clock.now();
      const delayMs = nextAllowedTime(policy.allowedHours, wall) - wall;
      if (delayMs === 0) return { kind: 'go' };
      const now = clock.mono();
      const until = now + Math.min(delayMs, LONGEST_WAIT_MS);
      return { kind: 'wait', until, expected: now + delayMs, reason: 'outside the allowed hours' };
    },
  };
}
