import type { Format } from '../domain/adapter.js';
import type { ErrorCode } from '../domain/errors.js';
import type { Job, JobStatus } from '../domain/job.js';
import type { Suspicion } from '../domain/poison.js';
import { EMPTY_META, type RenderMode, type Task, type TaskStatus, type VisitMeta } from '../domain/task.js';
import type { SqlValue } from './database.js';

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
  'crashes',
  'suspicion',
] as const;

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
    task.crashes,
    task.suspicion,
  ];
}

/** A row as `taskValues` gives it. */
type TaskRow = [
  id: string,
  jobId: string | null,
  seq: number,
  jobSize: number,
  targetType: string,
  targetUrl: string,
  domain: string,
  workspaceId: string,
  requestedFields: string | null,
  callbackUrl: string | null,
  render: RenderMode,
  requestId: string,
  traceparent: string | null,
  status: TaskStatus,
  attempts: number,
  visits: number,
  throttles: number,
  notBefore: number | null,
  createdAt: number,
  startedAt: number | null,
  completedAt: number | null,
  code: ErrorCode | null,
  error: string | null,
  meta: string | null,
  result: string | null,
  formats: string | null,
  crashes: number,
  suspicion: Suspicion | null,
];

export function toTask(row: readonly SqlValue[]): Task {
  const [id, jobId, seq, jobSize, targetType, targetUrl, domain, workspaceId, requestedFields, callbackUrl, ...more] =
    row as TaskRow;
  const [render, requestId, traceparent, status, attempts, visits, throttles, notBefore, ...times] = more;
  const [createdAt, startedAt, completedAt, code, error, meta, result, formats, crashes, suspicion] = times;
  return {
    id,
    jobId,
    seq,
    jobSize,
    targetType,
    targetUrl,
    domain,
    workspaceId,
    requestedFields: fromJson<string[]>(requestedFields),
    callbackUrl,
    render,
    formats: fromJson<Format[]>(formats),
    requestId,
    traceparent,
    status,
    attempts,
    visits,
    throttles,
    crashes,
    suspicion,
    notBefore,
    createdAt,
    startedAt,
    completedAt,
    code,
    error,
    meta: toMeta(fromJson<VisitMeta>(meta)),
    result: fromJson<Record<string, unknown>>(result),
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
  plan: string | null;
  plan_completed: number | null;
  plan_failed: number | null;
  plan_cancelled: number | null;
}

export function toJob(row: JobRow): Job {
  const ended = {
    completed: row.completed + (row.plan_completed ?? 0),
    failed: row.failed + (row.plan_failed ?? 0),
    cancelled: row.cancelled + (row.plan_cancelled ?? 0),
  };
  const known = row.running + ended.completed + ended.failed + ended.cancelled;
  return {
    id: row.id,
    status: row.status as JobStatus,
    callbackUrl: row.callback_url,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    counts: {
      total: row.total_tasks,
      // What a plan has not yet come to is waiting, too.
      queued: row.plan === null ? row.queued : Math.max(0, row.total_tasks - known),
      running: row.running,
      ...ended,
    },
    ...(row.plan !== null && { plan: row.plan }),
  };
}

export const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const fromJson = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
