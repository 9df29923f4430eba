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
      const now = clock.now();
      const delayMs = nextAllowedTime(policy.allowedHours, now) - now;
      if (delayMs === 0) return { kind: 'go' };
      const until = clock.mono() + Math.min(delayMs, LONGEST_WAIT_MS);
      // A host with hours of its own must not hold its whole domain.
      const holds = policy === policies.forHost(plan.domain) ? 'domain' : 'task';
      return { kind: 'wait', until, reason: 'outside the allowed hours', holds };
    },
  };
}
