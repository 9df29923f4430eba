import { completedTask, failedTask, JOB_ID, TASK_ID } from './examples.js';

export const DELIVERY_ID = '0190b5a2-7e44-7b21-a1c5-2d3e4f5a6b77';
export const CALLBACK_URL = 'https://hooks.example.net/gleaner';

export const deadDelivery = {
  delivery_id: DELIVERY_ID,
  event: 'job.partially_completed',
  job_id: JOB_ID,
  task_id: null,
  receiver: 'https://hooks.example.net',
  status: 'dead',
  attempts: 2,
  failed_attempts: 2,
  next_attempt_at: null,
  created_at: '2025-06-02T08:15:31.020Z',
  ended_at: '2025-06-02T08:15:33.208Z',
  last_http_status: 410,
  last_error: 'The receiver answered 410.',
};

export const deadReport = {
  ...deadDelivery,
  history: [
    {
      attempt: 1,
      started_at: '2025-06-02T08:15:31.024Z',
      http_status: null,
      duration_ms: 38,
      error: 'The connection was refused.',
    },
    {
      attempt: 2,
      started_at: '2025-06-02T08:15:33.130Z',
      http_status: 410,
      duration_ms: 78,
      error: 'The receiver answered 410.',
    },
  ],
};

export const redelivery = {
  ...deadDelivery,
  status: 'pending',
  failed_attempts: 0,
  next_attempt_at: '2025-06-02T09:40:02.511Z',
  ended_at: null,
};

export const pingReport = {
  ...deadDelivery,
  event: 'ping',
  job_id: null,
  status: 'delivered',
  attempts: 1,
  failed_attempts: 0,
  created_at: '2025-06-02T08:10:00.000Z',
  ended_at: '2025-06-02T08:10:00.064Z',
  last_http_status: 204,
  last_error: null,
  history: [{ attempt: 1, started_at: '2025-06-02T08:10:00.000Z', http_status: 204, duration_ms: 64, error: null }],
};

/** What a receiver is sent. */
export const jobPayload = {
  job_id: JOB_ID,
  status: 'partially_completed',
  summary: { total: 2, completed: 1, failed: 1 },
  results: [{ ...completedTask, job_id: JOB_ID }, failedTask],
};

export const taskPayload = {
  task_id: TASK_ID,
  status: 'completed',
  summary: { total: 1, completed: 1, failed: 0 },
  results: [completedTask],
};
