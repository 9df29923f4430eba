import type { Outcome } from '../domain/outcome.js';
import type { AttemptNote } from '../ports/plans.js';
import type { Sql } from './database.js';
import { whereOf } from './page.js';

interface OutcomeRow {
  n: number;
  seq: number;
  name: string;
  outcome: string;
  attempts: number;
  error_type: string | null;
  error: string | null;
  error_at: number | null;
  record_path: string | null;
  page_path: string | null;
  at: number;
}

const SHOWN = 'n, seq, name, outcome, attempts, error_type, error, error_at, record_path, page_path, at';

export async function insertOutcome(tx: Sql, jobId: string, outcome: Outcome): Promise<void> {
  const { lastError, files } = outcome;
  await tx.run(`INSERT INTO outcomes (job_id, ${SHOWN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    jobId,
    outcome.n,
    outcome.seq,
    outcome.name,
    outcome.outcome,
    outcome.attempts,
    lastError?.type ?? null,
    lastError?.message ?? null,
    lastError?.ts ?? null,
    files.record,
    files.page,
    outcome.at,
  ]);
}

export async function outcomesOf(
  sql: Sql,
  jobId: string,
  page: { after: number; limit: number; outcome: string | null },
): Promise<Outcome[]> {
  const { where, values } = whereOf([
    ['job_id = ?', jobId],
    ['outcome = ?', page.outcome ?? undefined],
    ['n > ?', page.after],
  ]);
  const rows = await sql.all<OutcomeRow>(`SELECT ${SHOWN} FROM outcomes ${where} ORDER BY n LIMIT ?`, [
    ...values,
    page.limit,
  ]);
  return rows.map(toOutcome);
}

const toOutcome = (row: OutcomeRow): Outcome => ({
  n: row.n,
  seq: row.seq,
  name: row.name,
  outcome: row.outcome,
  attempts: row.attempts,
  lastError:
    row.error_type === null ? null : { type: row.error_type, message: row.error ?? '', ts: row.error_at ?? row.at },
  files: { record: row.record_path, page: row.page_path },
  at: row.at,
});

export async function deleteOutcomesOfJob(tx: Sql, jobId: string): Promise<void> {
  await tx.run('DELETE FROM outcomes WHERE job_id = ?', [jobId]);
}

export async function insertNote(tx: Sql, jobId: string, { n, line }: AttemptNote): Promise<void> {
  await tx.run('INSERT INTO attempt_notes (job_id, n, line) VALUES (?, ?, ?)', [jobId, n, JSON.stringify(line)]);
}

export async function notesOf(sql: Sql, jobId: string, limit: number): Promise<AttemptNote[]> {
  const rows = await sql.all<{ n: number; line: string }>(
    'SELECT n, line FROM attempt_notes WHERE job_id = ? ORDER BY n LIMIT ?',
    [jobId, limit],
  );
  return rows.map(({ n, line }) => ({ n, line: JSON.parse(line) }));
}

export async function deleteNotes(tx: Sql, jobId: string, upTo: number): Promise<void> {
  await tx.run('DELETE FROM attempt_notes WHERE job_id = ? AND n <= ?', [jobId, upTo]);
}

/**
 * What belongs to long jobs whose time has come goes first, a bite at a time: with the job itself all of it would go at
 * once, and everybody would wait.
 */
export async function deleteOutcomesOf(
  tx: Sql,
  expiredJobs: { text: string; before: number },
  limit: number,
): Promise<number> {
  let gone = 0;
  for (const [table, key] of [
    ['outcomes', 'n'],
    ['attempt_notes', 'n'],
    ['job_events', 'seq'],
  ]) {
    gone += await tx.run(
      `DELETE FROM ${table} WHERE (job_id, ${key}) IN
         (SELECT o.job_id, o.${key} FROM ${table} o JOIN plans p ON p.job_id = o.job_id
          WHERE o.job_id IN (${expiredJobs.text}) LIMIT ?)`,
      [expiredJobs.before, limit],
    );
  }
  return gone;
}
