import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Stored, StoredTask } from './accounts.js';

/** What the store of a service, alive or dead, holds. */
export interface StoreLook extends Stored {
  /** What SQLite's own check says; `ok` if all is well. */
  integrity: string;
  /** From its creation to its (last) visit, in ms; only of tasks that were visited once. */
  waits: readonly { url: string; createdAt: number; waitMs: number }[];
}

export const storePath = (dataDir: string): string => join(dataDir, 'gleaner.db');

/**
 * A copy is looked at, never the file itself: whoever opens a log after a crash repairs it, and that is for the next
 * service to do. The service must be dead.
 */
export function lookAtCopy(dataDir: string, scratchDir: string): StoreLook {
  const folder = mkdtempSync(join(scratchDir, 'copy-'));
  const copy = join(folder, 'copy.db');
  try {
    for (const suffix of ['', '-wal']) {
      if (existsSync(storePath(dataDir) + suffix)) copyFileSync(storePath(dataDir) + suffix, copy + suffix);
    }
    return look(copy, { check: true, readonly: false });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Beside a living service: reads only, and is gone again at once. */
export const lookBeside = (dataDir: string): StoreLook => look(storePath(dataDir), { check: false, readonly: true });

/** What has not come to its end: tasks, and receivers that are still to be told something. Cheap, to be asked often. */
export function openBeside(dataDir: string): {
  tasks: Pick<StoredTask, 'id' | 'url' | 'status'>[];
  receivers: string[];
} {
  const database = new BetterSqlite3(storePath(dataDir), { readonly: true, timeout: 5_000 });
  try {
    const tasks = database.prepare(OPEN).all() as Pick<StoredTask, 'id' | 'url' | 'status'>[];
    const receivers = (database.prepare(PENDING).all() as PendingRow[]).map(({ receiver }) => receiver);
    return { tasks, receivers };
  } finally {
    database.close();
  }
}

function look(path: string, { check, readonly }: { check: boolean; readonly: boolean }): StoreLook {
  const database = new BetterSqlite3(path, { readonly, timeout: 5_000 });
  try {
    return database.transaction(() => ({
      integrity: check ? String(database.pragma('integrity_check', { simple: true })) : 'ok',
      tasks: (database.prepare(TASKS).all() as TaskRow[]).map(toTask),
      jobs: (database.prepare(JOBS).all() as JobRow[]).map(({ id, status, completed_at: at }) => {
        return { id, status, isOver: at !== null };
      }),
      waits: (database.prepare(WAITS).all() as WaitRow[]).map(toWait),
    }))();
  } finally {
    database.close();
  }
}

const TASKS = `SELECT id, target_url, job_id, status, attempts, visits, code, error, meta, result, completed_at FROM tasks`;
const JOBS = 'SELECT id, status, completed_at FROM jobs';
const OPEN = 'SELECT id, target_url AS url, status FROM tasks WHERE completed_at IS NULL';
const PENDING = `SELECT DISTINCT receiver FROM deliveries WHERE status = 'pending'`;
const WAITS = 'SELECT target_url, created_at, started_at FROM tasks WHERE visits = 1 AND started_at IS NOT NULL';

interface TaskRow {
  id: string;
  target_url: string;
  job_id: string | null;
  status: StoredTask['status'];
  attempts: number;
  visits: number;
  code: string | null;
  error: string | null;
  meta: string | null;
  result: string | null;
  completed_at: number | null;
}

interface JobRow {
  id: string;
  status: string;
  completed_at: number | null;
}

interface PendingRow {
  receiver: string;
}

interface WaitRow {
  target_url: string;
  created_at: number;
  started_at: number;
}

function toTask({ id, target_url: url, job_id: jobId, ...row }: TaskRow): StoredTask {
  const { status, attempts, visits, code } = row;
  const fingerprint = createHash('sha256').update(JSON.stringify(row)).digest('base64');
  return { id, url, jobId, status, attempts, visits, code, fingerprint };
}

const toWait = ({ target_url: url, created_at: createdAt, started_at: startedAt }: WaitRow) => ({
  url,
  createdAt,
  waitMs: startedAt - createdAt,
});
