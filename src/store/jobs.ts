import type { Job, JobStatus } from '../domain/job.js';
import type { JobFilter, NewJob } from '../ports/store.js';
import type { Sql } from './database.js';
import { whereOf } from './page.js';
import { type JobRow, toJob } from './rows.js';

export async function insertJob(tx: Sql, job: NewJob): Promise<void> {
  await tx.run(
    `INSERT INTO jobs (id, status, total_tasks, callback_url, created_at, updated_at) VALUES (?, 'queued', ?, ?, ?, ?)`,
    [job.id, job.totalTasks, job.callbackUrl, job.createdAt, job.createdAt],
  );
}

/** A job and its counts in one statement, so that they are of one moment and add up. */
const WITH_COUNTS = `SELECT j.id, j.status, j.total_tasks, j.callback_url, j.created_at, j.updated_at, j.completed_at,
  ${['queued', 'running', 'completed', 'failed', 'cancelled']
    .map((status) => `(SELECT COUNT(*) FROM tasks t WHERE t.job_id = j.id AND t.status = '${status}') AS ${status}`)
    .join(',\n  ')},
  p.kind AS plan, p.completed AS plan_completed, p.failed AS plan_failed, p.cancelled AS plan_cancelled
  FROM jobs j LEFT JOIN plans p ON p.job_id = j.id`;

export async function findJob(sql: Sql, id: string): Promise<Job | null> {
  const rows = await sql.all<JobRow>(`${WITH_COUNTS} WHERE j.id = ?`, [id]);
  return rows[0] ? toJob(rows[0]) : null;
}

/** Newest first; ids are time-ordered, so the last id seen is the place to go on from. */
export async function listJobs(
  sql: Sql,
  filter: JobFilter,
  page: { beforeId: string | null; limit: number },
): Promise<Job[]> {
  const { where, values } = whereOf([
    ['j.status = ?', filter.status],
    ['j.created_at >= ?', filter.createdAfter],
    ['j.created_at < ?', filter.createdBefore],
    ['j.id < ?', page.beforeId ?? undefined],
  ]);
  const rows = await sql.all<JobRow>(`${WITH_COUNTS} ${where} ORDER BY j.id DESC LIMIT ?`, [...values, page.limit]);
  return rows.map(toJob);
}

export async function statusOf(sql: Sql, id: string): Promise<JobStatus | null> {
  const [row] = await sql.all<{ status: string }>('SELECT status FROM jobs WHERE id = ?', [id]);
  return (row?.status as JobStatus | undefined) ?? null;
}

/** `true`: it was queued until now. */
export async function markJobRunning(tx: Sql, id: string, now: number): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE jobs SET status = 'running', updated_at = ? WHERE id = ? AND status = 'queued'`,
    [now, id],
  );
  return changed > 0;
}

/** `true`: it was not over until now. */
export async function endJob(tx: Sql, id: string, status: JobStatus, now: number): Promise<boolean> {
  const changed = await tx.run(
    'UPDATE jobs SET status = ?, updated_at = ?, completed_at = ? WHERE id = ? AND completed_at IS NULL',
    [status, now, now, id],
  );
  return changed > 0;
}

export async function touchJob(tx: Sql, id: string, now: number): Promise<void> {
  await tx.run('UPDATE jobs SET updated_at = ? WHERE id = ?', [now, id]);
}

/** A plan may learn that there is less to visit than it seemed. */
export async function setTotal(tx: Sql, id: string, total: number): Promise<void> {
  await tx.run('UPDATE jobs SET total_tasks = ? WHERE id = ? AND total_tasks <> ?', [total, id, total]);
}

export async function markJobCancelled(tx: Sql, id: string, now: number): Promise<void> {
  await tx.run(`UPDATE jobs SET status = 'cancelled', updated_at = ? WHERE id = ? AND completed_at IS NULL`, [now, id]);
}

/** Jobs that were cancelled but have not ended: something of them was running. */
export async function cancelledButOpenJobs(tx: Sql): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(`SELECT id FROM jobs WHERE status = 'cancelled' AND completed_at IS NULL`);
  return rows.map((row) => row.id);
}

/** What has yet to be told of, or may be submitted again, stays; so does a plan whose files are not complete. */
export const EXPIRED_JOBS = `SELECT id FROM jobs WHERE completed_at < ?
  AND NOT EXISTS
    (SELECT 1 FROM deliveries d WHERE d.job_id = jobs.id AND d.body IS NULL)
  AND NOT EXISTS (SELECT 1 FROM submissions s WHERE s.job_id = jobs.id)
  AND NOT EXISTS (SELECT 1 FROM plans p WHERE p.job_id = jobs.id AND p.finished = 0)`;

export async function deleteJobsEndedBefore(tx: Sql, before: number, limit: number): Promise<number> {
  return tx.run(
    `DELETE FROM jobs WHERE id IN
       (${EXPIRED_JOBS} AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.job_id = jobs.id)
        ORDER BY completed_at LIMIT ?)`,
    [before, limit],
  );
}
