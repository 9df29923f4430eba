import type { Delivery, DeliveryStatus, EventName } from '../domain/delivery.js';

export interface DeliveryRow {
  id: string;
  event: string;
  job_id: string | null;
  task_id: string | null;
  url: string;
  receiver: string;
  status: string;
  attempts: number;
  failures: number;
  round: number;
  next_attempt_at: number | null;
  created_at: number;
  ended_at: number | null;
  last_status: number | null;
  last_error: string | null;
}

/** Everything but the body: that may be megabytes, and only an attempt needs it. */
export const SHOWN = `id, event, job_id, task_id, url, receiver, status, attempts, failures, round, next_attempt_at,
  created_at, ended_at, last_status, last_error`;

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    event: row.event as EventName,
    jobId: row.job_id,
    taskId: row.task_id,
    url: row.url,
    receiver: row.receiver,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    failures: row.failures,
    round: row.round,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

export const firstDelivery = (rows: readonly DeliveryRow[]): Delivery | null => (rows[0] ? toDelivery(rows[0]) : null);
