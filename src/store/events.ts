import type { ErrorCode } from '../domain/errors.js';
import type { JobStatus } from '../domain/job.js';
import type { JobEvent } from '../domain/job-event.js';
import type { Task, TaskStatus } from '../domain/task.js';
import type { Sql, SqlValue } from './database.js';

interface EventRow {
  seq: number;
  at: number;
  task_id: string | null;
  status: string;
  attempts: number | null;
  code: string | null;
}

const INSERT = `INSERT INTO job_events (job_id, seq, at, task_id, status, attempts, code)
  VALUES (?, (SELECT COALESCE(MAX(seq), 0) + 1 FROM job_events WHERE job_id = ?), ?, ?, ?, ?, ?)`;

export async function noteTaskEvent(tx: Sql, task: Task & { jobId: string }, now: number): Promise<void> {
  await insert(tx, task.jobId, [now, task.id, task.status, task.attempts, task.code]);
}

export async function noteJobEvent(tx: Sql, jobId: string, status: JobStatus, now: number): Promise<void> {
  await insert(tx, jobId, [now, null, status, null, null]);
}

async function insert(tx: Sql, jobId: string, values: SqlValue[]): Promise<void> {
  await tx.run(INSERT, [jobId, jobId, ...values]);
}

export async function eventsAfter(sql: Sql, jobId: string, after: number, limit: number): Promise<JobEvent[]> {
  const rows = await sql.all<EventRow>(
    'SELECT seq, at, task_id, status, attempts, code FROM job_events WHERE job_id = ? AND seq > ? ORDER BY seq LIMIT ?',
    [jobId, after, limit],
  );
  return rows.map(toEvent);
}

function toEvent({ seq, at, task_id: taskId, status, attempts, code }: EventRow): JobEvent {
  if (taskId === null) return { seq, at, kind: 'job', status: status as JobStatus };
  return {
    seq,
    at,
    kind: 'task',
    taskId,
    status: status as TaskStatus,
    attempts: attempts ?? 0,
    code: code as ErrorCode | null,
  };
}
