import type { KnownSubmission, Once } from '../ports/store.js';
import type { Sql } from './database.js';

/** How long a key stands for its first request. */
const KEY_LIFE_MS = 24 * 3_600_000;

interface SubmissionRow {
  fingerprint: string;
  task_id: string | null;
  job_id: string | null;
}

export async function findSubmission(sql: Sql, key: string, now: number): Promise<KnownSubmission | null> {
  const [row] = await sql.all<SubmissionRow>(
    'SELECT fingerprint, task_id, job_id FROM submissions WHERE idempotency_key = ? AND created_at > ?',
    [key, now - KEY_LIFE_MS],
  );
  return row ? { fingerprint: row.fingerprint, taskId: row.task_id, jobId: row.job_id } : null;
}

/** `null`: the key is free and now stands for what is being opened. Otherwise what it stood for already. */
export async function takeKey(
  tx: Sql,
  once: Once | undefined,
  opened: { taskId: string | null; jobId: string | null; now: number },
): Promise<KnownSubmission | null> {
  if (!once) return null;
  const known = await findSubmission(tx, once.key, opened.now);
  if (known) return known;
  await deleteOldKeys(tx, opened.now, 2);
  // One whose life is over may still be there.
  await tx.run(
    `INSERT INTO submissions (idempotency_key, fingerprint, task_id, job_id, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, task_id = excluded.task_id,
       job_id = excluded.job_id, created_at = excluded.created_at`,
    [once.key, once.fingerprint, opened.taskId, opened.jobId, opened.now],
  );
  return null;
}

/** Two old ones go for each new one, and all of them with the retention. */
export async function deleteOldKeys(tx: Sql, now: number, limit: number): Promise<number> {
  return tx.run(
    `DELETE FROM submissions WHERE idempotency_key IN
       (SELECT idempotency_key FROM submissions WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
    [now - KEY_LIFE_MS, limit],
  );
}
