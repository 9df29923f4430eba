import type { Delivery, DeliveryAttempt } from '../domain/delivery.js';
import type { DeliveryReport } from '../engine/api.js';
import { iso, isoOrNull } from './iso.js';
import type { DeliveryReportWire, DeliveryWire } from './schemas/webhooks.js';

/** Never with its URL: the path or query of a callback may be its password. The origin says enough. */
export const deliveryToWire = (delivery: Delivery): DeliveryWire => ({
  delivery_id: delivery.id,
  event: delivery.event,
  job_id: delivery.jobId,
  task_id: delivery.taskId,
  receiver: delivery.receiver,
  status: delivery.status,
  attempts: delivery.attempts,
  failed_attempts: delivery.failures,
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  created_at: iso(delivery.createdAt),
  ended_at: isoOrNull(delivery.endedAt),
  last_http_status: delivery.lastStatus,
  last_error: delivery.lastError,
});

export const deliveryReportToWire = ({ delivery, attempts }: DeliveryReport): DeliveryReportWire => ({
  ...deliveryToWire(delivery),
  history: attempts.map(attemptToWire),
});

const attemptToWire = (attempt: DeliveryAttempt): DeliveryReportWire['history'][number] => ({
  attempt: attempt.attempt,
  started_at: iso(attempt.startedAt),
  http_status: attempt.status,
  duration_ms: attempt.durationMs,
  error: attempt.error,
});
