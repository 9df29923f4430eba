import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

/**
 * One process per data directory: a second one would take up, and so visit again, what the first is working on.
 * The lock is a transaction that is never ended, in a database of its own: the system frees it when the process dies,
 * however it dies, and no stale file can lock anybody out.
 */
export function lockDataDir(directory: string): { release: () => void } {
  mkdirSync(directory, { recursive: true });
  const lock = new BetterSqlite3(join(directory, 'gleaner.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new Error(`Another gleaner is running with the data directory ${directory}.`, { cause });
  }
  return { release: () => void lock.close() };
}
