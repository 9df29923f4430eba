import type { Format } from '../domain/adapter.js';
import type { ErrorCode } from '../domain/errors.js';
import type { Job, JobStatus } from '../domain/job.js';
import { EMPTY_META, type RenderMode, type Task, type TaskStatus, type VisitMeta } from '../domain/task.js';
import type { SqlValue } from './database.js';

export interface TaskRow {
  id: string;
  job_id: string | null;
  seq: number;
  job_size: number;
  target_type: string;
  target_url: string;
  domain: string;
  workspace_id: string;
  requested_fields: string | null;
  callback_url: string | null;
  render: string;
  request_id: string;
  traceparent: string | null;
  status: string;
  attempts: number;
  visits: number;
  throttles: number;
  not_before: number | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  code: string | null;
  error: string | null;
  meta: string | null;
  result: string | null;
  formats: string | null;
}

export const TASK_COLUMNS = [
  'id',
  'job_id',
  'seq',
  'job_size',
  'target_type',
  'target_url',
  'domain',
  'workspace_id',
  'requested_fields',
  'callback_url',
  'render',
  'request_id',
  'traceparent',
  'status',
  'attempts',
  'visits',
  'throttles',
  'not_before',
  'created_at',
  'started_at',
  'completed_at',
  'code',
  'error',
  'meta',
  'result',
  'formats',
] as const satisfies readonly (keyof TaskRow)[];

export function taskValues(task: Task): SqlValue[] {
  return [
    task.id,
    task.jobId,
    task.seq,
    task.jobSize,
    task.targetType,
    task.targetUrl,
    task.domain,
    task.workspaceId,
    toJson(task.requestedFields),
    task.callbackUrl,
    task.render,
    task.requestId,
    task.traceparent,
    task.status,
    task.attempts,
    task.visits,
    task.throttles,
    task.notBefore,
    task.createdAt,
    task.startedAt,
    task.completedAt,
    task.code,
    task.error,
    toJson(task.meta),
    toJson(task.result),
    toJson(task.formats),
  ];
}

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    jobId: row.job_id,
    seq: row.seq,
    jobSize: row.job_size,
    targetType: row.target_type,
    targetUrl: row.target_url,
    domain: row.domain,
    workspaceId: row.workspace_id,
    requestedFields: fromJson<string[]>(row.requested_fields),
    callbackUrl: row.callback_url,
    render: row.render as RenderMode,
    formats: fromJson<Format[]>(row.formats),
    requestId: row.request_id,
    traceparent: row.traceparent,
    status: row.status as TaskStatus,
    attempts: row.attempts,
    visits: row.visits,
    throttles: row.throttles,
    notBefore: row.not_before,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    code: row.code as ErrorCode | null,
    error: row.error,
    meta: toMeta(fromJson<VisitMeta>(row.meta)),
    result: fromJson<Record<string, unknown>>(row.result),
  };
}

// What an earlier version wrote lacks what came later.
const toMeta = (meta: VisitMeta | null): VisitMeta | null => meta && { ...EMPTY_META, ...meta };

export interface JobRow {
  id: string;
  status: string;
  total_tasks: number;
  callback_url: string | null;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
  queued: number;
  running: number;
  completed: number;
  failed: number;
  cancelled: number;
}

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    status: row.status as JobStatus,
    callbackUrl: row.callback_url,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    counts: {
      total: row.total_tasks,
      queued: row.queued,
      running: row.running,
      completed: row.completed,
      failed: row.failed,
      cancelled: row.cancelled,
    },
  };
}

export const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const fromJson = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
