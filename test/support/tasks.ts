import { uuidv7 } from 'uuidv7';
import type { Task, TaskSpec } from '../../src/domain/task.js';
import type { QueueEntry } from '../../src/ports/queue.js';
import type { Settlement } from '../../src/ports/store.js';

export const CALLER = { requestId: '00000000-0000-4000-8000-000000000000', traceparent: null };

export function aSpec(changes: Partial<TaskSpec> = {}): TaskSpec {
  return {
    targetType: 'job_posting',
    targetUrl: 'https://jobs.example.com/1',
    workspaceId: 'ws-1',
    requestedFields: null,
    callbackUrl: null,
    render: 'http',
    formats: null,
    ...changes,
  };
}

export function aTask(changes: Partial<Task> = {}): Task {
  return {
    ...aSpec(),
    id: uuidv7(),
    jobId: null,
    seq: 0,
    jobSize: 0,
    domain: 'example.com',
    status: 'queued',
    attempts: 0,
    visits: 0,
    throttles: 0,
    crashes: 0,
    suspicion: null,
    notBefore: null,
    createdAt: 1_000,
    startedAt: null,
    completedAt: null,
    result: null,
    error: null,
    code: null,
    meta: null,
    ...CALLER,
    ...changes,
  };
}

export function anEntry(changes: Partial<QueueEntry> = {}): QueueEntry {
  return {
    taskId: uuidv7(),
    jobId: null,
    lane: 'example.com',
    jobSize: 0,
    since: 0,
    notBefore: 0,
    needs: 'http',
    isProbe: false,
    leg: null,
    ...changes,
  };
}

/** The visit came to nothing, and the task is to be visited again. */
export const requeued = (changes: object = {}): Settlement => ({
  kind: 'requeued',
  notBefore: null,
  refundAttempt: false,
  throttles: 0,
  suspicion: null,
  crashes: 0,
  meta: null,
  ...changes,
});
