import type { AttemptedDelivery, Log } from '../ports/telemetry.js';

/** One line per attempt. The receiver is an origin: the rest of its URL may be a secret. */
export function logDelivery(log: Log, { delivery, end }: AttemptedDelivery): void {
  const fields = {
    delivery_id: delivery.id,
    event: delivery.event,
    receiver: delivery.receiver,
    job_id: delivery.jobId ?? undefined,
    task_id: delivery.taskId ?? undefined,
    attempt: delivery.attempts,
    status: end.status ?? undefined,
    duration_ms: Math.round(end.durationMs),
  };
  const failure = { ...fields, error_reason: end.error };
  if (end.next.kind === 'delivered') log.info(fields, 'webhook delivered');
  else if (end.next.kind === 'dead') log.error(failure, 'webhook given up');
  else log.warn({ ...failure, next_attempt_at: isoOf(delivery.nextAttemptAt) }, 'webhook failed, tried again later');
}

const isoOf = (ms: number | null): string | undefined => (ms === null ? undefined : new Date(ms).toISOString());
