import BetterSqlite3 from 'better-sqlite3';
import { GleanerError } from '../../domain/errors.js';

/**
 * What SQLite says when the file is not what it was, or the disk does not do what it says. A full disk, a lock and
 * a file that cannot be mapped right now are no such thing: they pass.
 */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|WRITE|FSYNC|DIR_FSYNC|CORRUPTFS|DATA)$)/;

export const isDamage = (error: unknown): boolean =>
  error instanceof BetterSqlite3.SqliteError && DAMAGE.test(error.code);

/** A fault of SQLite as one of ours; anything else as it is. */
export function storageFault(error: unknown): unknown {
  const isSqlite = error instanceof BetterSqlite3.SqliteError;
  if (!isSqlite) return error;
  return new GleanerError('storage_unavailable', 'The store cannot write right now.', { cause: error });
}

/**
 * Opens the store if it is whole. A damaged one is left as it is: whoever has a backup wants to compare, and results
 * read from it might be those of another task.
 */
export function openSound(path: string, open: (path: string) => BetterSqlite3.Database): BetterSqlite3.Database {
  let database: BetterSqlite3.Database | null = null;
  try {
    database = open(path);
    const found = database.pragma('quick_check(1)', { simple: true });
    if (found === 'ok') return database;
    throw damaged(path, new Error(String(found)));
  } catch (error) {
    database?.close();
    throw isDamage(error) ? damaged(path, error) : error;
  }
}

const damaged = (path: string, cause: unknown): GleanerError =>
  new GleanerError(
    'storage_unavailable',
    `The store ${path} is damaged. Put a backup in its place, or move it and the files beside it away to begin anew.`,
    { cause },
  );
