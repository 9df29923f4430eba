import type { DomainPolicy, PolicyBook } from '../../domain/policy.js';
import {
  isWindowIdle,
  newTokenWindow,
  returnToken,
  type TokenWindow,
  takeToken,
  throttle,
} from '../../domain/token-window.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard, VisitPlan } from '../../ports/guard.js';
import { createDomainStates } from './domain-states.js';

export interface RateLimitGuard extends Guard {
  stats(): { domains: number; throttled: number };
}

interface Limit {
  window: TokenWindow;
  underWay: number;
  /** After this long without a grant nothing of the window matters. */
  memoryMs: number;
}

/** A place becomes free when a visit ends, and nobody tells us: look again after this. */
const PLACE_PAUSE_MS = 250;
const LEAST_CRAWL_DELAY_SECONDS = 1;
const MOST_CRAWL_DELAY_SECONDS = 60;

/** Is it this domain's turn again? Grants tokens by the policy of the host, no faster than the site's Crawl-delay. */
export function createRateLimitGuard({ policies, clock }: { policies: PolicyBook; clock: Clock }): RateLimitGuard {
  const limits = createDomainStates<Limit>(
    () => ({ window: newTokenWindow(), underWay: 0, memoryMs: 0 }),
    (limit) => limit.underWay === 0 && isWindowIdle(limit.window, clock.mono(), limit.memoryMs),
  );

  return {
    name: 'rate_limit',
    check(plan) {
      const policy = policies.forHost(new URL(plan.url).hostname);
      const limit = limits.get(plan.domain);
      const now = clock.mono();
      if (policy.maxConcurrent !== null && limit.underWay >= policy.maxConcurrent) {
        return { kind: 'wait', until: now + PLACE_PAUSE_MS, reason: 'enough visits of the domain are under way' };
      }
      const rate = rateOf(policy, plan);
      const grant = takeToken(limit.window, rate, now);
      if (!grant.granted) return { kind: 'wait', until: grant.notBefore, reason: 'rate limit of the domain' };
      limit.memoryMs = Math.max(2 * rate.intervalMs, rate.minGapMs);
      limit.underWay += 1;
      const release = (): void => {
        returnToken(limit.window, now);
        limit.underWay -= 1;
      };
      return { kind: 'go', release };
    },
    after(plan, { error }) {
      const limit = limits.get(plan.domain);
      // Never below zero: the state may have been let go and made anew in between.
      limit.underWay = Math.max(0, limit.underWay - 1);
      if (error?.code === 'rate_limited') throttle(limit.window, clock.mono(), error.retryAfterMs);
    },
    stats() {
      const now = clock.mono();
      let throttled = 0;
      for (const [, { window }] of limits.entries()) if (now < window.slowUntil || now < window.floor) throttled += 1;
      return { domains: limits.size(), throttled };
    },
  };
}

function rateOf(policy: DomainPolicy, plan: VisitPlan): { tokens: number; intervalMs: number; minGapMs: number } {
  const crawlDelay = plan.robots?.crawlDelaySeconds ?? 0;
  const honoured = Math.min(Math.max(crawlDelay, LEAST_CRAWL_DELAY_SECONDS), MOST_CRAWL_DELAY_SECONDS);
  return {
    tokens: policy.tokensPerInterval,
    intervalMs: policy.intervalSeconds * 1000,
    minGapMs: crawlDelay > 0 ? honoured * 1000 : 0,
  };
}
