import type { NewPlan, PlanPlace, PlanSnapshot } from '../ports/plans.js';
import type { Sql } from './database.js';

/** A plan as it stands; what it is about (`params`) never changes, may be long, and is read once. */
export interface PlanRow {
  job_id: string;
  kind: string;
  cursor: string;
  window_size: number;
  request_id: string;
  traceparent: string | null;
  paused: string | null;
  completed: number;
  failed: number;
  cancelled: number;
  ended: number;
  attempts: number;
}

const SHOWN = `job_id, kind, cursor, window_size, request_id, traceparent, paused, completed, failed, cancelled, ended, attempts`;

/** How far a plan has come when it is written for the first time. */
export type PlanStart = Pick<PlanRow, 'paused' | 'completed' | 'failed' | 'ended' | 'attempts'>;

export const FRESH: PlanStart = { paused: null, completed: 0, failed: 0, ended: 0, attempts: 0 };

export async function insertPlan(tx: Sql, jobId: string, plan: NewPlan, start: PlanStart): Promise<void> {
  await tx.run(`INSERT INTO plans (${SHOWN}, params, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, 0)`, [
    jobId,
    plan.kind,
    JSON.stringify(plan.cursor),
    plan.window,
    plan.requestId,
    plan.traceparent,
    start.paused,
    start.completed,
    start.failed,
    start.ended,
    start.attempts,
    JSON.stringify(plan.params),
  ]);
}

export async function findPlanRow(sql: Sql, jobId: string): Promise<PlanRow | null> {
  const [row] = await sql.all<PlanRow>(`SELECT ${SHOWN} FROM plans WHERE job_id = ?`, [jobId]);
  return row ?? null;
}

export async function savePlan(tx: Sql, row: PlanRow): Promise<void> {
  await tx.run(
    `UPDATE plans SET cursor = ?, paused = ?, completed = ?, failed = ?, cancelled = ?, ended = ?, attempts = ?
     WHERE job_id = ?`,
    [row.cursor, row.paused, row.completed, row.failed, row.cancelled, row.ended, row.attempts, row.job_id],
  );
}

export async function unfinishedPlans(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ job_id: string }>('SELECT job_id FROM plans WHERE finished = 0 ORDER BY job_id');
  return rows.map((row) => row.job_id);
}

export async function markFinished(tx: Sql, jobId: string): Promise<void> {
  await tx.run('UPDATE plans SET finished = 1 WHERE job_id = ?', [jobId]);
}

/** So many at least. */
export async function countAttempts(tx: Sql, jobId: string, attempts: number): Promise<void> {
  await tx.run('UPDATE plans SET attempts = ? WHERE job_id = ? AND attempts < ?', [attempts, jobId, attempts]);
}

export async function countOpenTasks(tx: Sql, jobId: string): Promise<{ queued: number; running: number }> {
  const [row] = await tx.all<{ queued: number; running: number }>(
    `SELECT (SELECT COUNT(*) FROM tasks WHERE job_id = ? AND status = 'queued') AS queued,
            (SELECT COUNT(*) FROM tasks WHERE job_id = ? AND status = 'running') AS running`,
    [jobId, jobId],
  );
  return { queued: Number(row?.queued), running: Number(row?.running) };
}

/** One statement, so that all of it is of one moment. */
export async function snapshotOf(sql: Sql, jobId: string, params: unknown): Promise<PlanSnapshot | null> {
  type Row = PlanRow & {
    created_at: number;
    job_status: string;
    seq: number | null;
    status: string;
    tries: number;
    meta: string | null;
  };
  const rows = await sql.all<Row>(
    `SELECT p.kind, p.cursor, p.window_size, p.request_id, p.traceparent, p.ended, p.attempts,
            j.created_at, j.status AS job_status, t.seq, t.status, t.attempts AS tries, t.meta
     FROM plans p JOIN jobs j ON j.id = p.job_id LEFT JOIN tasks t ON t.job_id = p.job_id WHERE p.job_id = ?
     ORDER BY t.seq`,
    [jobId],
  );
  const [first] = rows;
  if (!first) return null;
  return {
    ...planOf(first, params),
    ended: first.ended,
    attempts: first.attempts,
    createdAt: first.created_at,
    isCancelled: first.job_status === 'cancelled',
    open: rows.flatMap((row) =>
      row.seq === null
        ? []
        : [
            {
              seq: row.seq,
              isRunning: row.status === 'running',
              attempts: row.tries,
              lastError: row.meta === null ? null : (JSON.parse(row.meta).lastError ?? null),
            },
          ],
    ),
  };
}

export const planOf = (
  row: Pick<PlanRow, 'kind' | 'cursor' | 'window_size' | 'request_id' | 'traceparent'>,
  params: unknown,
): NewPlan => ({
  kind: row.kind,
  params,
  cursor: JSON.parse(row.cursor),
  window: row.window_size,
  requestId: row.request_id,
  traceparent: row.traceparent,
});

export const placeOf = (row: PlanRow, params: unknown): PlanPlace => ({
  jobId: row.job_id,
  plan: planOf(row, params),
});

/** Params by job: a list of 10,000 identifiers is not to be parsed for each of its visits. */
export type PlanParams = (sql: Sql, jobId: string) => Promise<unknown>;

const MOST_KEPT = 100;

export function createPlanParams(): PlanParams {
  const kept = new Map<string, unknown>();
  return async (sql, jobId) => {
    if (kept.has(jobId)) return kept.get(jobId);
    const [row] = await sql.all<{ params: string }>('SELECT params FROM plans WHERE job_id = ?', [jobId]);
    const params: unknown = row ? JSON.parse(row.params) : null;
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    if (row) kept.set(jobId, params);
    return params;
  };
}
