import type { Task } from '../domain/task.js';
import type { Log, SettledVisit } from '../ports/telemetry.js';
import { describeWithoutMessage } from './describe-error.js';
import { traceIdOf } from './trace-id.js';

/** What ties a line to the request that caused it, however much later it is written. */
export const idsOf = (task: Task): object => ({
  request_id: task.requestId,
  trace_id: traceIdOf(task.traceparent),
  task_id: task.id,
  job_id: task.jobId ?? undefined,
});

/** One line per visit, findable by the request that asked for it. Field names only; what the page said is not ours. */
export function logVisit(log: Log, visit: SettledVisit): void {
  const ids = idsOf(visit.task);
  if (visit.end === 'completed') log.info({ ...ids, ...completion(visit) }, 'task completed');
  else if (visit.end === 'failed') log.error({ ...ids, ...failure(visit) }, 'task failed');
  else log.warn({ ...ids, ...failure(visit), attempt: visit.task.attempts }, 'visit failed, task back in the queue');
}

/** As a visit that failed, but for what only a visit would know. */
export function logConviction(log: Log, task: Task): void {
  const { targetType, targetUrl, error, code, attempts } = task;
  const fields = { target_type: targetType, target_url: targetUrl, error_reason: error, code, attempts };
  log.error({ ...idsOf(task), ...fields }, 'task failed');
}

const completion = ({ task, durationMs, fieldsExtracted, renderedBy, proxyUsed }: SettledVisit): object => ({
  target_type: task.targetType,
  target_domain: task.domain,
  duration_ms: durationMs,
  fields_extracted: fieldsExtracted,
  rendered_by: renderedBy,
  proxy_used: proxyUsed,
  attempts: task.attempts,
});

const failure = (visit: SettledVisit): object => ({
  target_type: visit.task.targetType,
  target_url: visit.task.targetUrl,
  proxy_used: visit.proxyUsed,
  error_reason: visit.reason ?? visit.code ?? 'unknown',
  code: visit.code,
  duration_ms: visit.durationMs,
  rendered_by: visit.renderedBy,
  attempts: visit.task.attempts,
  ...beneath(visit),
});

/** An adapter that failed was reading the page; its error may quote it. Others speak of sockets and browsers. */
function beneath({ cause, code }: SettledVisit): object {
  if (cause === undefined || cause === null) return {};
  return code === 'extraction_failed' ? { cause: describeWithoutMessage(cause) } : { err: cause };
}
