import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { GleanerError } from '../../domain/errors.js';
import type { Database, Sql, SqlValue } from '../../store/database.js';

/** The driver is synchronous: waiting for a lock stops everything, so it waits only briefly. */
const BUSY_TIMEOUT_MS = 250;
/** Bounds how long one shared transaction keeps the event loop. */
const MAX_UNITS_PER_COMMIT = 512;
const SYNCHRONOUS_FULL = 2;

interface PendingUnit {
  run(tx: Sql): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * SQLite in this process, durable: WAL with `synchronous=FULL`. All units of one turn of the event loop share one
 * transaction and so one fsync (a savepoint keeps each of them all-or-nothing); while the disk works, the next turn's
 * units gather. Reads use a connection of their own and see only what is committed.
 */
export class SqliteDatabase implements Database {
  readonly read: Sql;
  private readonly writer: BetterSqlite3.Database;
  private readonly reader: BetterSqlite3.Database;
  private readonly tx: Sql;
  private pending: PendingUnit[] = [];
  private flushing: Promise<void> | null = null;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.writer = openWriter(path);
    this.reader = new BetterSqlite3(path, { readonly: true });
    this.reader.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.tx = sqlOn(this.writer);
    this.read = sqlOn(this.reader);
  }

  write<T>(unit: (tx: Sql) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ run: unit, resolve: resolve as (value: unknown) => void, reject });
      this.flushing ??= new Promise<void>((done) => setImmediate(() => void this.flush().finally(done)));
    });
  }

  async close(): Promise<void> {
    while (this.flushing) await this.flushing;
    this.reader.close();
    this.writer.close();
  }

  private async flush(): Promise<void> {
    const units = this.pending.splice(0, MAX_UNITS_PER_COMMIT);
    try {
      await this.commitTogether(units);
    } catch (error) {
      for (const unit of units) unit.reject(storageFault(error));
    }
    this.flushing =
      this.pending.length === 0
        ? null
        : new Promise<void>((done) => setImmediate(() => void this.flush().finally(done)));
  }

  /** Nobody is told anything, good or bad, before the commit has succeeded. */
  private async commitTogether(units: PendingUnit[]): Promise<void> {
    const announcements: (() => void)[] = [];
    this.writer.exec('BEGIN IMMEDIATE');
    try {
      for (const unit of units) announcements.push(await this.runUnit(unit));
      this.writer.exec('COMMIT');
    } catch (error) {
      if (this.writer.inTransaction) this.writer.exec('ROLLBACK');
      throw error;
    }
    for (const announce of announcements) announce();
  }

  private async runUnit(unit: PendingUnit): Promise<() => void> {
    this.writer.exec('SAVEPOINT unit');
    try {
      const value = await unit.run(this.tx);
      this.writer.exec('RELEASE unit');
      return () => unit.resolve(value);
    } catch (error) {
      // A full disk or a broken file may have ended the whole transaction: then no unit of it may be announced.
      if (!this.writer.inTransaction) throw error;
      this.writer.exec('ROLLBACK TO unit');
      this.writer.exec('RELEASE unit');
      return () => unit.reject(error);
    }
  }
}

function openWriter(path: string): BetterSqlite3.Database {
  const database = new BetterSqlite3(path);
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.pragma('journal_mode = WAL');
  // After journal_mode: in WAL mode the driver otherwise runs at NORMAL, which may forget the last commits.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const level = database.pragma('synchronous', { simple: true });
  if (level !== SYNCHRONOUS_FULL) throw new Error(`SQLite runs at synchronous=${level}, not FULL: not durable.`);
  return database;
}

function sqlOn(connection: BetterSqlite3.Database): Sql {
  const statements = new Map<string, BetterSqlite3.Statement<SqlValue[]>>();
  const prepared = (text: string): BetterSqlite3.Statement<SqlValue[]> => {
    const known = statements.get(text);
    if (known) return known;
    const statement = connection.prepare<SqlValue[]>(text);
    statements.set(text, statement);
    return statement;
  };
  const faulting = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw storageFault(error);
    }
  };
  return {
    all: async <Row>(text: string, values: readonly SqlValue[] = []) =>
      faulting(() => prepared(text).all(...values) as Row[]),
    run: async (text, values = []) => faulting(() => prepared(text).run(...values).changes),
  };
}

function storageFault(error: unknown): unknown {
  const isSqlite = error instanceof BetterSqlite3.SqliteError;
  if (!isSqlite) return error;
  return new GleanerError('storage_unavailable', 'The store cannot write right now.', { cause: error });
}
