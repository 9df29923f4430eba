import type { ErrorCode } from '../domain/errors.js';
import type { Task } from '../domain/task.js';
import type { AttemptedDelivery, AutoDecision, SettledVisit, Telemetry } from '../ports/telemetry.js';
import { createLabelCap } from './label-cap.js';
import type { Metrics } from './metrics.js';
import type { Scrubber } from './scrubber.js';

/** One answered request. `route` is the pattern, never the path. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  durationMs: number;
}

export interface Recorder extends Omit<Telemetry, 'log'> {
  httpRequest(request: AnsweredRequest): void;
}

/** No page came at all: the fault lies before anything could be read. */
const NAVIGATION_FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'dns_not_found',
  'dns_failed',
  'connect_failed',
  'tls_failed',
  'target_timeout',
  'task_timeout',
  'body_truncated',
  'too_many_redirects',
  'browser_crashed',
  'proxy_failed',
]);

/** Turns events into series. Every label that comes from outside is capped, and nothing here throws. */
export function createRecorder(metrics: Metrics, options: { scrubber: Scrubber; maxDomains: number }): Recorder {
  const cap = (max: number) => createLabelCap(max, options.scrubber);
  const label = {
    domain: cap(options.maxDomains),
    type: cap(50),
    sign: cap(50),
    guard: cap(20),
    reason: cap(20),
    route: cap(100),
  };
  const methodLabel = cap(12);

  const quietly = <Args extends unknown[]>(record: (...args: Args) => void) => {
    return (...args: Args): void => {
      try {
        record(...args);
      } catch {
        metrics.faults.inc();
      }
    };
  };

  return {
    taskAccepted: quietly((task: Task) => {
      metrics.tasksAccepted.inc({ target_type: label.type(task.targetType) });
    }),
    workShed: quietly((reason: string) => {
      metrics.shed.inc({ reason: label.reason(reason) });
    }),
    taskCancelled: quietly((task: Task) => {
      metrics.tasks.inc({ target_type: label.type(task.targetType), status: 'cancelled' });
    }),
    taskConvicted: quietly((task: Task) => {
      metrics.scrapes.inc({ domain: label.domain(task.domain), status: 'failure' });
      metrics.tasks.inc({ target_type: label.type(task.targetType), status: 'failed' });
      metrics.taskErrors.inc({ code: task.code ?? 'none' });
    }),
    autoDecided: quietly((task: Task, decision: AutoDecision) => {
      metrics.autoDecisions.inc({ target_type: label.type(task.targetType), decision });
    }),
    escalated: quietly((task: Task, sign: string | null) => {
      metrics.escalations.inc({ target_type: label.type(task.targetType), sign: label.sign(sign ?? 'none') });
    }),
    browserNotNeeded: quietly((task: Task, found: string) => {
      metrics.browserNotNeeded.inc({ target_type: label.type(task.targetType), found });
    }),
    deliveryAttempted: quietly(({ delivery, end }: AttemptedDelivery) => {
      const kind = end.next.kind;
      metrics.webhookAttempts.inc({ end: kind });
      metrics.webhookDuration.observe({ end: kind }, seconds(end.durationMs));
      const tookMs = (delivery.endedAt ?? delivery.createdAt) - delivery.createdAt;
      if (kind === 'delivered') metrics.webhookDelay.observe(seconds(tookMs));
    }),
    browserRetired: quietly((reason: string) => {
      metrics.recycles.inc({ reason: label.reason(reason) });
    }),
    guardWaited: quietly((guard: string, waitMs: number) => {
      metrics.guardWait.observe({ guard: label.guard(guard) }, seconds(waitMs));
    }),
    httpRequest: quietly(({ method, route, status, durationMs }: AnsweredRequest) => {
      const labels = { method: methodLabel(method), route: label.route(route), status: statusLabel(status) };
      metrics.httpDuration.observe(labels, seconds(durationMs));
    }),
    visitSettled: quietly((visit: SettledVisit) => {
      recordVisit(metrics, visit, { domain: label.domain(visit.task.domain), type: label.type(visit.task.targetType) });
    }),
  };
}

function recordVisit(metrics: Metrics, visit: SettledVisit, { domain, type }: { domain: string; type: string }): void {
  const { task, end, durationMs } = visit;
  const code = visit.code ?? 'none';
  const renderedBy = visit.renderedBy ?? 'none';

  metrics.visits.inc({ rendered_by: renderedBy, end });
  metrics.scrapes.inc({ domain, status: end === 'completed' ? 'success' : 'failure' });
  metrics.scrapeDuration.observe({ domain }, seconds(durationMs));
  if (visit.code !== null && NAVIGATION_FAULTS.has(visit.code)) metrics.navigationFailures.inc({ domain });
  // Later visits waited for a retry's time, not for a free place.
  if (task.visits === 1 && task.startedAt !== null) metrics.queueWait.observe(seconds(task.startedAt - task.createdAt));

  if (end === 'retried') {
    metrics.taskRetries.inc({ code });
    // Its job was cancelled while it ran, so it did not go back to the queue after all.
    if (task.status === 'cancelled') metrics.tasks.inc({ target_type: type, status: 'cancelled' });
    return;
  }
  metrics.tasks.inc({ target_type: type, status: end });
  metrics.taskDuration.observe({ target_type: type, rendered_by: renderedBy }, seconds(durationMs));
  if (end === 'failed') metrics.taskErrors.inc({ code });
}

/** Clocks may be set back; a duration is never negative. */
const seconds = (ms: number): number => (Number.isFinite(ms) && ms > 0 ? ms / 1000 : 0);

const statusLabel = (status: number): string => (status >= 100 && status <= 599 ? String(Math.trunc(status)) : 'other');
