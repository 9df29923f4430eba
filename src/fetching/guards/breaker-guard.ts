import {
  askBreaker,
  type BreakerSettings,
  type BreakerState,
  breakerState,
  isBreakerIdle,
  newBreaker,
  recordAnswer,
  returnProbe,
} from '../../domain/breaker.js';
import { errorRule, GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard, VisitResult } from '../../ports/guard.js';
import { createDomainStates } from './domain-states.js';

export interface BreakerGuard extends Guard {
  /** The domains whose circuit is not closed. */
  troubled(): { domain: string; state: BreakerState }[];
  counts(): Record<BreakerState, number>;
}

/** While a probe is out its answer is near: others look again after this, instead of failing. */
const PROBE_PAUSE_MS = 1000;

/** Has the domain failed too often lately? Then it is left alone, and after the cooldown one visit tries it out. */
export function createBreakerGuard({ settings, clock }: { settings: BreakerSettings; clock: Clock }): BreakerGuard {
  const breakers = createDomainStates(newBreaker, isBreakerIdle);

  const troubled = (): { domain: string; state: BreakerState }[] => {
    const now = clock.mono();
    const found: { domain: string; state: BreakerState }[] = [];
    for (const [domain, breaker] of breakers.entries()) {
      const state = breakerState(breaker, settings, now);
      if (state !== 'closed') found.push({ domain, state });
    }
    return found;
  };

  return {
    name: 'breaker',
    check(plan) {
      const breaker = breakers.get(plan.domain);
      const now = clock.mono();
      const answer = askBreaker(breaker, settings, { id: plan.taskId, now });
      switch (answer.kind) {
        case 'go':
          return { kind: 'go', release: () => returnProbe(breaker, plan.taskId) };
        case 'probing':
          return { kind: 'wait', until: now + PROBE_PAUSE_MS, reason: 'the domain is being tried out' };
        case 'open':
          return { kind: 'no', error: circuitOpen(plan.domain, answer.until - now) };
      }
    },
    after(plan, result) {
      const breaker = breakers.get(plan.domain);
      const failed = isFailure(result);
      if (failed === null) returnProbe(breaker, plan.taskId);
      else recordAnswer(breaker, settings, { id: plan.taskId, failed, now: clock.mono() });
    },
    troubled,
    counts() {
      const states = troubled().map(({ state }) => state);
      const open = states.filter((state) => state === 'open').length;
      return { closed: breakers.size() - states.length, open, half_open: states.length - open };
    },
  };
}

/** `null`: the result says nothing about the domain. A 4xx does: the site is there and answers. */
function isFailure({ error }: VisitResult): boolean | null {
  if (error === null || error.code === 'target_client_error') return false;
  return errorRule(error.code).charges === 'target' ? true : null;
}

const circuitOpen = (domain: string, retryAfterMs: number): GleanerError =>
  new GleanerError('circuit_open', `${domain} failed too often lately and is left alone for now.`, { retryAfterMs });
