import { nextAllowedTime, type PolicyBook } from '../../domain/policy.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';

/** Is this the time of day for it? Outside the hours of its policy a task waits for the next window; it does not fail. */
export function createHoursGuard({ policies, clock }: { policies: PolicyBook; clock: Clock }): Guard {
  return {
    name: 'hours',
    check(plan) {
      const { allowedHours } = policies.forHost(new URL(plan.url).hostname);
      const now = clock.now();
      const delayMs = nextAllowedTime(allowedHours, now) - now;
      if (delayMs === 0) return { kind: 'go' };
      return { kind: 'wait', until: clock.mono() + delayMs, reason: 'outside the allowed hours of the domain' };
    },
  };
}
