import type { Job } from '../domain/job.js';
import type { RobotsEvidence } from '../domain/robots.js';
import type { Task, TaskSpec, VisitMeta } from '../domain/task.js';
import type { PageOf } from '../ports/store.js';
import { iso, isoOrNull } from './iso.js';
import type { JobWire, RobotsWire, TaskWire, VisitMetaWire } from './schemas/answers.js';
import type { ScrapeBody } from './schemas/requests.js';

// The border between camelCase and snake_case, epoch milliseconds and ISO 8601. Field by field on purpose: what is
// not named here (request ids, callback URLs, fencing tokens) does not leave the house. Domains, deliveries and events
// have files of their own beside this one.

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
