import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';

/** How soon a task looks again whether a browser has come up. */
const PAUSE_MS = 250;

/**
 * Is there a browser at all? While none can be started, tasks that need one stay queued: no attempt is lost to our own
 * trouble, no token of the domain is spent, and pages that need no browser go on.
 */
export function createBrowserGuard(parts: { browsers: { canServe(): boolean }; clock: Clock }): Guard {
  return {
    name: 'browser',
    check(plan) {
      if (plan.needs === 'http' || parts.browsers.canServe()) return { kind: 'go' };
      return { kind: 'wait', until: parts.clock.mono() + PAUSE_MS, reason: 'no browser is running', holds: 'task' };
    },
  };
}
