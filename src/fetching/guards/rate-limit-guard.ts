import { type PolicyBook, rateFor } from '../../domain/policy.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard, VisitPlan, VisitResult } from '../../ports/guard.js';
import type { Lease, Limiter, LimitOutcome, LimitReason } from '../../ports/limiter.js';

export interface RateLimitGuard extends Guard {
  /** Domains something is remembered about, and how many of them are visited slower than usual after a 429. */
  stats(): Promise<{ domains: number; throttled: number }>;
}

export interface RateLimitParts {
  limiter: Limiter;
  policies: PolicyBook;
  clock: Clock;
}

/** Is it this domain's turn again? Takes a token by the policy of the host, no faster than the site's Crawl-delay. */
export function createRateLimitGuard({ limiter, policies, clock }: RateLimitParts): RateLimitGuard {
  // From the check to the end of the visit. A lease ends once, so a second word about it does no harm.
  const leases = new WeakMap<VisitPlan, Lease>();

  return {
    name: 'rate_limit',
    async check(plan) {
      const { hostname } = new URL(plan.url);
      const policy = policies.forHost(hostname);
      const rate = rateFor(policy, plan.robots?.crawlDelaySeconds);
      const answer = await limiter.acquire(policies.limitKey(hostname), rate);
      if (!answer.granted) {
        return { kind: 'wait', until: clock.mono() + answer.waitMs, reason: REASONS[answer.reason] };
      }
      leases.set(plan, answer.lease);
      plan.pace = { minDelayMs: policy.minDelayMs, maxDelayMs: policy.maxDelayMs };
      return { kind: 'go', release: () => void limiter.giveBack(answer.lease) };
    },
    after(plan, result) {
      const lease = leases.get(plan);
      if (lease) void limiter.done(lease, outcomeOf(result));
    },
    async stats() {
      const { keys, slowed } = await limiter.counts();
      return { domains: keys, throttled: slowed };
    },
  };
}

const REASONS: Record<LimitReason, string> = {
  tokens: 'rate limit of the domain',
  gap: 'least time between two visits of the domain',
  places: 'enough visits of the domain are under way',
  retry_after: 'the site asked us to come back later',
  busy: 'too many domains are visited at once',
};

/** Only a page that was served shows patience: an error page says nothing about how fast we may come. */
function outcomeOf({ error }: VisitResult): LimitOutcome {
  if (error === null) return 'ok';
  if (error.code !== 'rate_limited') return 'neutral';
  return { throttled: true, retryAfterMs: error.retryAfterMs };
}
