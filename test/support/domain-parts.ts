import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import type { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY, type DomainPolicy } from '../../src/domain/policy.js';
import { RenderExperience } from '../../src/domain/render-experience.js';
import { createDomains } from '../../src/fetching/domains.js';
import { createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import { createProxyGuard } from '../../src/fetching/guards/proxy-guard.js';
import { createRateLimitGuard } from '../../src/fetching/guards/rate-limit-guard.js';
import type { FetchText } from '../../src/fetching/http-fetch.js';
import { createProxies } from '../../src/fetching/proxies.js';
import { createRobots } from '../../src/fetching/robots.js';
import type { Clock } from '../../src/ports/clock.js';
import type { ProxyChoice } from '../../src/ports/fetcher.js';
import type { Verdict, VisitPlan } from '../../src/ports/guard.js';
import type { Log } from '../../src/ports/telemetry.js';
import { memoryNotes } from './memory-notes.js';
import { visitPlan } from './visit-plan.js';

interface Given {
  clock: Clock;
  log: Log;
  entries?: Record<string, Partial<DomainPolicy>>;
  proxies?: ProxyChoice[];
  fetchText?: FetchText;
}

/** The real guards that remember something about domains, and `domains` that reports what they do. */
export function domainParts({ clock, log, entries = {}, proxies: choices = [], fetchText = noRobots }: Given) {
  const policies = createPolicyBook(DEFAULT_POLICY, new Map(Object.entries(entries)));
  const limiter = createLocalLimiter({ clock });
  const breaker = createBreakerGuard({
    notes: memoryNotes(),
    log,
    settings: { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 },
    clock,
  });
  const robots = createRobots({ fetchText, clock, agent: 'gleaner' });
  const proxies = createProxies(choices, {
    clock,
    log,
    cooldownMs: 30_000,
    checkIntervalMs: 60_000,
    probe: async () => {},
  });
  const guards = [breaker, createRateLimitGuard({ limiter, policies, clock }), createProxyGuard({ proxies, clock })];
  const experience = new RenderExperience();
  const lanes: { lane: string; waiting: number }[] = [];
  const domains = createDomains({
    policies,
    breaker,
    limiter,
    robots,
    proxies,
    queue: { lanes: () => lanes },
    experience,
    targetTypes: ['job_posting', 'company_website'],
    clock,
    log,
  });

  /** Up to the visit itself; `null` if a guard has something against it. */
  const begin = async (url: string): Promise<VisitPlan | null> => {
    const plan = visitPlan(url);
    for (const guard of guards) {
      const verdict: Verdict = await guard.check(plan, new AbortController().signal);
      if (verdict.kind !== 'go') return null;
    }
    return plan;
  };
  const end = (plan: VisitPlan, error: GleanerError | null): void => {
    for (const guard of guards) guard.after?.(plan, { error });
  };
  /** Opens the breaker of the URL's domain without asking for tokens. */
  const fail = (url: string, error: GleanerError, times = 6): void => {
    for (let n = 0; n < times; n += 1) breaker.after!(visitPlan(url), { error });
  };
  return { domains, limiter, breaker, robots, proxies, experience, lanes, begin, end, fail };
}

const noRobots: FetchText = async ({ url }) => ({ status: 404, text: '', finalUrl: url, retryAfterMs: undefined });
