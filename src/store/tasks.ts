import { POISON_MESSAGE } from '../domain/poison.js';
import type { Task } from '../domain/task.js';
import type { QueuedRow, Settlement } from '../ports/store.js';
import type { Sql, SqlValue } from './database.js';
import { TASK_COLUMNS, taskValues, toJson, toTask } from './rows.js';

const ALL = TASK_COLUMNS.join(', ');
/** A result may be a whole page of text: whoever has just written it need not read it back. */
const ALL_BUT_OUTCOME = TASK_COLUMNS.map((name) =>
  name === 'result' || name === 'meta' ? `NULL AS ${name}` : name,
).join(', ');
const INSERT = `INSERT INTO tasks (${ALL}) VALUES (${TASK_COLUMNS.map(() => '?').join(', ')})`;

export async function insertTask(tx: Sql, task: Task): Promise<void> {
  await tx.run(INSERT, taskValues(task));
}

export async function findTask(sql: Sql, id: string): Promise<Task | null> {
  return first(await sql.rows(`SELECT ${ALL} FROM tasks WHERE id = ?`, [id]));
}

/** Nothing of a plan that rests is taken. */
const NOT_RESTING = `(job_id IS NULL OR NOT EXISTS
  (SELECT 1 FROM plans p WHERE p.job_id = tasks.job_id AND p.paused IS NOT NULL))`;

/** The one way into `running`. */
export async function claimTask(tx: Sql, id: string, now: number): Promise<Task | null> {
  const rows = await tx.rows(
    `UPDATE tasks SET status = 'running', attempts = attempts + 1, visits = visits + 1, started_at = ?, not_before = NULL,
       at_work = 1
     WHERE id = ? AND status = 'queued' AND ${NOT_RESTING} RETURNING ${ALL}`,
    [now, id],
  );
  return first(rows);
}

/** running → completed or failed, if the visit is still the one that runs. */
export async function endTask(
  tx: Sql,
  claim: { taskId: string; visits: number },
  end: Extract<Settlement, { kind: 'completed' | 'failed' }>,
  now: number,
): Promise<Task | null> {
  const completed = end.kind === 'completed';
  const rows = await tx.rows(
    `UPDATE tasks SET status = ?, completed_at = ?, result = ?, code = ?, error = ?, not_before = ?, meta = ?,
       at_work = 0
     WHERE id = ? AND status = 'running' AND visits = ? RETURNING ${ALL_BUT_OUTCOME}`,
    [
      end.kind,
      now,
      completed ? toJson(end.result) : null,
      completed ? null : end.code,
      completed ? null : end.error,
      completed ? null : end.notBefore,
      toJson(end.meta),
      claim.taskId,
      claim.visits,
    ],
  );
  const task = first(rows);
  return task && { ...task, result: completed ? end.result : null, meta: end.meta };
}

/** running → queued. */
export async function requeueTask(
  tx: Sql,
  claim: { taskId: string; visits: number },
  requeue: Extract<Settlement, { kind: 'requeued' }>,
): Promise<Task | null> {
  const rows = await tx.rows(
    `UPDATE tasks SET status = 'queued', attempts = attempts - ?, throttles = ?, suspicion = ?, crashes = ?,
       not_before = ?, meta = ?, at_work = 0
     WHERE id = ? AND status = 'running' AND visits = ? RETURNING ${ALL}`,
    [
      requeue.refundAttempt ? 1 : 0,
      requeue.throttles,
      requeue.suspicion,
      requeue.crashes,
      requeue.notBefore,
      toJson(requeue.meta),
      claim.taskId,
      claim.visits,
    ],
  );
  return first(rows);
}

const CANCEL = `UPDATE tasks SET status = 'cancelled', completed_at = ?, code = 'cancelled', error = 'Cancelled before it ran.'`;

export async function cancelQueuedTask(tx: Sql, id: string, now: number): Promise<Task | null> {
  return first(await tx.rows(`${CANCEL} WHERE id = ? AND status = 'queued' RETURNING ${ALL}`, [now, id]));
}

export async function cancelQueuedTasksOfJob(tx: Sql, jobId: string, now: number): Promise<Task[]> {
  const rows = await tx.rows(`${CANCEL} WHERE job_id = ? AND status = 'queued' RETURNING ${ALL}`, [now, jobId]);
  return rows.map(toTask);
}

export async function queuedTasksOfJob(sql: Sql, jobId: string): Promise<Task[]> {
  const rows = await sql.rows(`SELECT ${ALL} FROM tasks WHERE job_id = ? AND status = 'queued' ORDER BY seq`, [jobId]);
  return rows.map(toTask);
}

/** Of a plan: what became of it is kept as an outcome. */
export async function deleteTask(tx: Sql, id: string): Promise<void> {
  await tx.run('DELETE FROM tasks WHERE id = ?', [id]);
}

export async function deleteTasksOfJob(tx: Sql, jobId: string): Promise<void> {
  await tx.run('DELETE FROM tasks WHERE job_id = ?', [jobId]);
}

/** The visit waits for its next leg, or goes on with it. `false`: it is not the one that runs any more. */
export async function noteAtWork(
  tx: Sql,
  claim: { taskId: string; visits: number },
  isAtWork: boolean,
): Promise<boolean> {
  const changed = await tx.run(`UPDATE tasks SET at_work = ? WHERE id = ? AND status = 'running' AND visits = ?`, [
    isAtWork ? 1 : 0,
    claim.taskId,
    claim.visits,
  ]);
  return changed > 0;
}

export async function noteNobodyAtWork(tx: Sql): Promise<void> {
  await tx.run(`UPDATE tasks SET at_work = 0 WHERE status = 'running' AND at_work = 1`);
}

/** Of whom something was being fetched, read or shown. */
export async function tasksAtWork(tx: Sql): Promise<Task[]> {
  return (await tx.rows(`SELECT ${ALL} FROM tasks WHERE status = 'running' AND at_work = 1`)).map(toTask);
}

export async function suspectTasksAtWork(tx: Sql): Promise<void> {
  await tx.run(`UPDATE tasks SET suspicion = 'service' WHERE status = 'running' AND at_work = 1`);
}

/** It was its own crash: counted, and before `notBefore` it is not tried again. */
export async function noteOwnCrash(tx: Sql, id: string, notBefore: number): Promise<void> {
  await tx.run(`UPDATE tasks SET crashes = crashes + 1, not_before = ? WHERE id = ? AND status = 'running'`, [
    notBefore,
    id,
  ]);
}

/** running → failed, for the one on whom the service died once too often. */
export async function failAsPoison(tx: Sql, id: string, now: number): Promise<Task | null> {
  const rows = await tx.rows(
    `UPDATE tasks SET status = 'failed', completed_at = ?, code = 'poison', error = ?, crashes = crashes + 1, at_work = 0
     WHERE id = ? AND status = 'running' RETURNING ${ALL}`,
    [now, POISON_MESSAGE, id],
  );
  return first(rows);
}

/** running → queued, all of them. */
export async function requeueAllRunning(tx: Sql, { refundAttempt }: { refundAttempt: boolean }): Promise<Task[]> {
  const rows = await tx.rows(
    `UPDATE tasks SET status = 'queued', attempts = attempts - ?, at_work = 0 WHERE status = 'running' RETURNING ${ALL}`,
    [refundAttempt ? 1 : 0],
  );
  return rows.map(toTask);
}

interface QueuedTaskRow {
  id: string;
  job_id: string | null;
  target_url: string;
  job_size: number;
  render: Task['render'];
  created_at: number;
  not_before: number | null;
}

/** A page of what is queued, after the given place; oldest first. */
export async function queuedAfter(
  sql: Sql,
  after: { createdAt: number; id: string },
  limit: number,
): Promise<QueuedRow[]> {
  const rows = await sql.all<QueuedTaskRow>(
    `SELECT id, job_id, target_url, job_size, render, created_at, not_before FROM tasks
     WHERE status = 'queued' AND (created_at, id) > (?, ?) AND ${NOT_RESTING} ORDER BY created_at, id LIMIT ?`,
    [after.createdAt, after.id, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    jobId: row.job_id,
    targetUrl: row.target_url,
    jobSize: row.job_size,
    render: row.render,
    createdAt: row.created_at,
    notBefore: row.not_before,
  }));
}

export async function endedTasksOfJob(
  sql: Sql,
  jobId: string,
  page: { afterSeq: number; limit: number; includeFailed: boolean },
): Promise<{ tasks: Task[]; isLast: boolean }> {
  const wanted = page.includeFailed ? `('completed', 'failed')` : `('completed')`;
  const from = `FROM tasks WHERE job_id = ? AND seq > ? AND status IN ${wanted}`;
  const sizes = await sql.all<{ seq: number; bytes: number }>(
    `SELECT seq, COALESCE(octet_length(result), 0) AS bytes ${from} ORDER BY seq LIMIT ?`,
    [jobId, page.afterSeq, page.limit + 1],
  );
  const fitting = sizes.slice(0, page.limit).slice(0, howManyFit(sizes));
  const last = fitting.at(-1);
  if (!last) return { tasks: [], isLast: true };
  const rows = await sql.rows(`SELECT ${ALL} ${from} AND seq <= ? ORDER BY seq`, [jobId, page.afterSeq, last.seq]);
  return { tasks: rows.map(toTask), isLast: fitting.length === sizes.length };
}

/** Whole pages of text may be among the results: a hundred of them would be more than one answer can hold. */
const MOST_BYTES = 8 * 1024 * 1024;

/** At least one, however large. */
function howManyFit(sizes: readonly { bytes: number }[]): number {
  let left = MOST_BYTES;
  const fitting = sizes.findIndex(({ bytes }) => (left -= bytes) < 0);
  return fitting === -1 ? sizes.length : Math.max(1, fitting);
}

export async function idsOfJob(sql: Sql, jobId: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>('SELECT id FROM tasks WHERE job_id = ? ORDER BY seq', [jobId]);
  return rows.map((row) => row.id);
}

/** `null`: together their results are over `maxBytes`. */
export async function tasksOfJob(sql: Sql, jobId: string, maxBytes: number): Promise<Task[] | null> {
  const [size] = await sql.all<{ bytes: number }>(
    'SELECT COALESCE(SUM(octet_length(result)), 0) AS bytes FROM tasks WHERE job_id = ?',
    [jobId],
  );
  if (Number(size?.bytes) > maxBytes) return null;
  return (await sql.rows(`SELECT ${ALL} FROM tasks WHERE job_id = ? ORDER BY seq`, [jobId])).map(toTask);
}

/** What has yet to be told of, or may be submitted again, stays. */
export async function deleteTasksEndedBefore(tx: Sql, before: number, limit: number): Promise<number> {
  return tx.run(
    `DELETE FROM tasks WHERE id IN
       (SELECT id FROM tasks WHERE job_id IS NULL AND completed_at < ?
          AND NOT EXISTS
            (SELECT 1 FROM deliveries d WHERE d.task_id = tasks.id AND d.body IS NULL)
          AND NOT EXISTS (SELECT 1 FROM submissions s WHERE s.task_id = tasks.id)
        ORDER BY completed_at LIMIT ?)`,
    [before, limit],
  );
}

const first = (rows: SqlValue[][]): Task | null => (rows[0] ? toTask(rows[0]) : null);
