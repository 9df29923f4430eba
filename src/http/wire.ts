import type { Job } from '../domain/job.js';
import type { DomainPolicy } from '../domain/policy.js';
import type { RobotsEvidence } from '../domain/robots.js';
import type { Task, TaskSpec, VisitMeta } from '../domain/task.js';
import type { DomainLimit, DomainReport, DomainRobots, DomainSummary, NextVisit } from '../ports/domains.js';
import type { PageOf } from '../ports/store.js';
import type { JobWire, RobotsWire, TaskWire, VisitMetaWire } from './schemas/answers.js';
import type { DomainReportWire, DomainWire } from './schemas/domains.js';
import type { ScrapeBody } from './schemas/requests.js';

// The border between camelCase and snake_case, epoch milliseconds and ISO 8601. Field by field on purpose: what is
// not named here (request ids, callback URLs, fencing tokens) does not leave the house.

export function specFromWire(body: ScrapeBody): TaskSpec {
  return {
    targetType: body.target_type,
    targetUrl: body.target_url,
    workspaceId: body.workspace_id,
    requestedFields: body.requested_fields ?? null,
    callbackUrl: body.callback_url ?? null,
    render: body.render ?? 'auto',
    formats: body.formats ?? null,
  };
}

export function taskToWire(task: Task): TaskWire {
  return {
    task_id: task.id,
    job_id: task.jobId,
    status: task.status,
    target_type: task.targetType,
    target_url: task.targetUrl,
    workspace_id: task.workspaceId,
    requested_fields: task.requestedFields,
    render: task.render,
    formats: task.formats,
    attempts: task.attempts,
    created_at: iso(task.createdAt),
    started_at: isoOrNull(task.startedAt),
    completed_at: isoOrNull(task.completedAt),
    not_before: isoOrNull(task.notBefore),
    ...ending(task),
    meta: task.meta === null ? null : metaToWire(task.meta),
  };
}

/** A result iff it completed, an error and its code iff it did not: whatever else the row may hold. */
function ending(task: Task): Pick<TaskWire, 'result' | 'error' | 'code'> {
  if (task.status === 'completed') return { result: withPath(task, task.result ?? {}) };
  if (task.status === 'failed') return { error: task.error ?? 'The task failed.', code: task.code ?? 'internal_error' };
  if (task.status === 'cancelled')
    return { error: task.error ?? 'Cancelled before it ran.', code: task.code ?? 'cancelled' };
  return {};
}

/** The record holds the name of the picture; a caller needs to know where to ask for it. */
const withPath = (task: Task, result: Record<string, unknown>): Record<string, unknown> =>
  task.formats?.includes('screenshot') && result.screenshot
    ? { ...result, screenshot: screenshotPath(task.id) }
    : result;

export const taskPath = (taskId: string): string => `/api/v1/scrape/${taskId}`;
const screenshotPath = (taskId: string): string => `${taskPath(taskId)}/screenshot`;

export function jobToWire(job: Job): JobWire {
  const { counts } = job;
  return {
    job_id: job.id,
    status: job.status,
    total_tasks: counts.total,
    queued_tasks: counts.queued,
    running_tasks: counts.running,
    completed_tasks: counts.completed,
    failed_tasks: counts.failed,
    cancelled_tasks: counts.cancelled,
    created_at: iso(job.createdAt),
    updated_at: iso(job.updatedAt),
    completed_at: isoOrNull(job.completedAt),
  };
}

export const pageToWire = <T, W>(
  page: PageOf<T>,
  toWire: (item: T) => W,
): { items: W[]; next_cursor: string | null } => ({
  items: page.items.map(toWire),
  next_cursor: page.nextCursor,
});

function metaToWire(meta: VisitMeta): VisitMetaWire {
  return {
    rendered_by: meta.renderedBy,
    final_url: meta.finalUrl,
    http_status: meta.httpStatus,
    duration_ms: meta.durationMs,
    adapter: meta.adapter,
    adapter_version: meta.adapterVersion,
    content_hash: meta.contentHash,
    quality: meta.quality,
    provenance: meta.provenance,
    dropped_fields: meta.dropped,
    notes: meta.notes,
    page_sign: meta.pageSign,
    proxy: meta.proxy,
    robots: meta.robots === null ? null : robotsToWire(meta.robots),
  };
}

function robotsToWire(robots: RobotsEvidence): RobotsWire {
  return {
    allowed: robots.allowed,
    basis: robots.basis,
    robots_url: robots.robotsUrl,
    http_status: robots.httpStatus,
    rule: robots.rule,
    fetched_at: isoOrNull(robots.fetchedAt),
    crawl_delay_seconds: robots.crawlDelaySeconds,
  };
}

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
  allowed_hours: policy.allowedHours && { start: policy.allowedHours.start, end: policy.allowedHours.end },
  respect_robots_txt: policy.respectRobotsTxt,
  robots_reason: policy.robotsReason,
});

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
