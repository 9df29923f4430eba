import { closeSync, fdatasync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { GleanerError } from '../../domain/errors.js';
import type { Database, Sql, SqlValue } from '../../store/database.js';
import { isDamage, openSound, storageFault } from './sqlite-faults.js';
import { SqliteLog } from './sqlite-log.js';

/** The driver is synchronous: waiting for a lock stops everything, so it waits only briefly. */
const BUSY_TIMEOUT_MS = 250;
const LONG_LOG_BYTES = 256 * 1024 * 1024;
/** Bounds how long one shared transaction keeps the event loop. */
const MAX_UNITS_PER_COMMIT = 512;

interface PendingUnit {
  run(tx: Sql): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Steps = Record<'begin' | 'commit' | 'rollback' | 'save' | 'release' | 'undo', () => void>;

/** Brings what was written to an open file onto the disk. */
export type SyncFile = (fd: number) => Promise<void>;

export interface SqliteOptions {
  syncFile?: SyncFile;
  /** Called when the disk has refused what was written or lost what it had: there is no going on from here. */
  onBroken?: (error: GleanerError) => void;
  longLogBytes?: number;
  /** Called when the log has become too long, because somebody keeps reading from it, and when it no longer is. */
  onLogLength?: (isLong: boolean, bytes: number) => void;
}

/**
 * SQLite in this process, durable. All units of one turn of the event loop share one transaction (a savepoint keeps
 * each of them all-or-nothing). SQLite itself syncs only checkpoints: the log, to which a commit is written, is synced
 * here, by another thread, so that the service goes on while the disk works and the next units gather. Until the log is
 * on the disk nobody is told of the commit, and nobody who reads is answered from it.
 */
export class SqliteDatabase implements Database {
  readonly read: Sql;
  private readonly path: string;
  private readonly writer: BetterSqlite3.Database;
  private readonly reader: BetterSqlite3.Database;
  private readonly tx: Sql;
  private readonly step: Steps;
  private readonly syncFile: SyncFile;
  private readonly onBroken: (error: GleanerError) => void;
  private readonly log: SqliteLog;
  private logFile: number | null = null;
  private pending: PendingUnit[] = [];
  private flushing: Promise<void> | null = null;
  /** The commit that is not yet on the disk. */
  private syncing: Promise<void> | null = null;
  private broken: GleanerError | null = null;

  constructor(path: string, options: SqliteOptions = {}) {
    const { syncFile = promisify(fdatasync), onBroken = () => {} } = options;
    const { longLogBytes: longBytes = LONG_LOG_BYTES, onLogLength: onLength = () => {} } = options;
    mkdirSync(dirname(path), { recursive: true });
    this.syncFile = syncFile;
    this.onBroken = onBroken;
    this.writer = openSound(path, openWriter);
    this.log = new SqliteLog(this.writer, { longBytes, onLength });
    // The log lies beside the file itself, not beside a link to it.
    this.path = realpathSync(path);
    this.step = stepsOn(this.writer);
    this.reader = new BetterSqlite3(path, { readonly: true });
    this.reader.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const onFault = (error: unknown): unknown => this.faultOf(error);
    this.tx = sqlOn(this.writer, onFault);
    this.read = this.onceOnDisk(sqlOn(this.reader, onFault));
  }

  /** How much of the log is in use. */
  get logBytes(): number {
    return this.log.bytes;
  }

  write<T>(unit: (tx: Sql) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ run: unit, resolve: resolve as (value: unknown) => void, reject });
      this.flushing ??= this.nextFlush();
    });
  }

  async close(): Promise<void> {
    while (this.flushing) await this.flushing;
    this.reader.close();
    this.writer.close();
    if (this.logFile !== null) closeSync(this.logFile);
  }

  private nextFlush(): Promise<void> {
    return new Promise<void>((done) => setImmediate(() => void this.flush().finally(done)));
  }

  private async flush(): Promise<void> {
    const units = this.pending.splice(0, MAX_UNITS_PER_COMMIT);
    try {
      const announcements = await this.commitTogether(units);
      await this.syncing;
      for (const announce of announcements) announce();
      this.log.keep();
    } catch (error) {
      // Who has been told already is not told again.
      const fault = this.faultOf(error);
      for (const unit of units) unit.reject(fault);
    }
    this.syncing = null;
    this.flushing = this.pending.length === 0 ? null : this.nextFlush();
  }

  /** What each unit is to be told, good or bad, once the commit is on the disk. */
  private async commitTogether(units: PendingUnit[]): Promise<(() => void)[]> {
    if (this.broken) throw this.broken;
    const announcements: (() => void)[] = [];
    this.step.begin();
    try {
      for (const unit of units) announcements.push(await this.runUnit(unit));
      if (this.broken) throw this.broken;
      this.step.commit();
      // In the same step: from here on readers see the commit.
      this.syncing = this.sync();
    } catch (error) {
      if (this.writer.inTransaction) this.step.rollback();
      throw error;
    }
    return announcements;
  }

  private async runUnit(unit: PendingUnit): Promise<() => void> {
    this.step.save();
    try {
      const value = await unit.run(this.tx);
      this.step.release();
      return () => unit.resolve(value);
    } catch (error) {
      // A full disk or a broken file may have ended the whole transaction: then no unit of it may be announced.
      if (!this.writer.inTransaction) throw error;
      this.step.undo();
      this.step.release();
      return () => unit.reject(error);
    }
  }

  /** Once it has failed the system no longer knows what is on the disk: nothing is trusted any more until a restart. */
  private async sync(): Promise<void> {
    try {
      // The log is there since the first commit, and stays the same file as long as a connection is open.
      this.logFile ??= openSync(`${this.path}-wal`, 'r');
      await this.syncFile(this.logFile);
    } catch (cause) {
      throw this.breakFor(cause);
    }
  }

  private faultOf(error: unknown): unknown {
    return isDamage(error) ? this.breakFor(error) : storageFault(error);
  }

  private breakFor(cause: unknown): GleanerError {
    if (this.broken) return this.broken;
    this.broken = new GleanerError('storage_unavailable', 'The disk does not keep what is written.', { cause });
    this.onBroken(this.broken);
    return this.broken;
  }

  private onceOnDisk(sql: Sql): Sql {
    const afterSync = async <T>(found: Promise<T>): Promise<T> => {
      const { syncing } = this;
      const rows = await found;
      if (syncing) await syncing;
      if (this.broken) throw this.broken;
      return rows;
    };
    return {
      all: (text, values) => afterSync(sql.all(text, values)),
      rows: (text, values) => afterSync(sql.rows(text, values)),
      run: (text, values) => afterSync(sql.run(text, values)),
    };
  }
}

function openWriter(path: string): BetterSqlite3.Database {
  const database = new BetterSqlite3(path);
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') throw new Error(`SQLite keeps a journal of the kind ${mode} here, not a log that can be synced.`);
  database.pragma('synchronous = NORMAL');
  database.pragma('foreign_keys = ON');
  return database;
}

/** Prepared once: they stand around every unit. */
function stepsOn(connection: BetterSqlite3.Database): Steps {
  const prepared = (text: string) => {
    const statement = connection.prepare(text);
    return () => void statement.run();
  };
  return {
    begin: prepared('BEGIN IMMEDIATE'),
    commit: prepared('COMMIT'),
    rollback: prepared('ROLLBACK'),
    save: prepared('SAVEPOINT unit'),
    release: prepared('RELEASE unit'),
    undo: prepared('ROLLBACK TO unit'),
  };
}

function sqlOn(connection: BetterSqlite3.Database, onFault: (error: unknown) => unknown): Sql {
  const named = preparedOnce((text) => connection.prepare<SqlValue[]>(text));
  const listed = preparedOnce((text) => connection.prepare<SqlValue[]>(text).raw());
  const faulting = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw onFault(error);
    }
  };
  return {
    all: async <Row>(text: string, values: readonly SqlValue[] = []) =>
      faulting(() => named(text).all(...values) as Row[]),
    rows: async (text, values = []) => faulting(() => listed(text).all(...values) as SqlValue[][]),
    run: async (text, values = []) => faulting(() => named(text).run(...values).changes),
  };
}

type Statement = BetterSqlite3.Statement<SqlValue[]>;

function preparedOnce(prepare: (text: string) => Statement): (text: string) => Statement {
  const statements = new Map<string, Statement>();
  return (text) => {
    const known = statements.get(text);
    if (known) return known;
    const statement = prepare(text);
    statements.set(text, statement);
    return statement;
  };
}
