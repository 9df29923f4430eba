import type { DomainPolicy } from '../domain/policy.js';
import type { DomainLimit, DomainReport, DomainRobots, DomainSummary, NextVisit } from '../ports/domains.js';
import { iso, isoOrNull } from './iso.js';
import type { DomainReportWire, DomainWire } from './schemas/domains.js';

export const domainToWire = ({ domain, state, limit, nextVisit, queuedTasks }: DomainSummary): DomainWire => ({
  domain,
  breaker_state: state,
  tokens_left: limit.tokensLeft,
  next_grant_at: isoOrNull(limit.nextGrantAt),
  throttled: limit.slowdown > 1,
  visits_under_way: limit.underWay,
  queued_tasks: queuedTasks,
  ...nextVisitToWire(nextVisit),
});

const nextVisitToWire = ({ at, waitingFor }: NextVisit): Pick<DomainWire, 'next_visit_at' | 'waiting_for'> => ({
  next_visit_at: isoOrNull(at),
  waiting_for: waitingFor,
});

export function domainReportToWire(report: DomainReport): DomainReportWire {
  const { breaker, lastReset } = report;
  return {
    domain: report.domain,
    queued_tasks: report.queuedTasks,
    ...nextVisitToWire(report.nextVisit),
    breaker: {
      state: breaker.state,
      failures: breaker.failures,
      window_size: breaker.windowSize,
      reason: breaker.reason && { code: breaker.reason.code, message: breaker.reason.sentence },
      opened_at: isoOrNull(breaker.openedAt),
      next_probe_at: isoOrNull(breaker.nextProbeAt),
      probe_under_way: breaker.isProbing,
    },
    rate_limits: report.limits.map(limitToWire),
    robots: report.robots.map(robotsFileToWire),
    policy: { entry: report.policyEntry, ...policyToWire(report.policy) },
    proxy_cooldowns: report.proxyCooldowns.map(({ id, until }) => ({ proxy: id, until: iso(until) })),
    render: report.render.map(({ targetType, habit }) => ({ target_type: targetType, habit })),
    last_reset: lastReset && { at: iso(lastReset.at), request_id: lastReset.requestId },
  };
}

const limitToWire = (limit: DomainLimit): DomainReportWire['rate_limits'][number] => ({
  key: limit.key,
  tokens_per_interval: limit.tokens,
  tokens_left: limit.tokensLeft,
  interval_seconds: limit.intervalMs / 1000,
  next_grant_at: isoOrNull(limit.nextGrantAt),
  visits_under_way: limit.underWay,
  slowdown: limit.slowdown,
  slow_until: isoOrNull(limit.slowUntil),
});

const robotsFileToWire = (robots: DomainRobots): DomainReportWire['robots'][number] => ({
  robots_url: `${robots.origin}/robots.txt`,
  basis: robots.basis,
  http_status: robots.httpStatus,
  fetched_at: iso(robots.fetchedAt),
  fresh_until: iso(robots.freshUntil),
  crawl_delay_seconds: robots.crawlDelaySeconds,
  root_allowed: robots.rootAllowed,
  rule: robots.rule,
});

const policyToWire = (policy: DomainPolicy): Omit<DomainReportWire['policy'], 'entry'> => ({
  tokens_per_interval: policy.tokensPerInterval,
  interval_seconds: policy.intervalSeconds,
  min_interval_ms: policy.minIntervalMs,
  min_delay_ms: policy.minDelayMs,
  max_delay_ms: policy.maxDelayMs,
  max_concurrent: policy.maxConcurrent,
  browser_engine: policy.browserEngine,
  allowed_hours: policy.allowedHours && { start: policy.allowedHours.start, end: policy.allowedHours.end },
  respect_robots_txt: policy.respectRobotsTxt,
  robots_reason: policy.robotsReason,
});
