import { GleanerError } from '../../src/domain/errors.js';
import type { Database, Sql } from '../../src/store/database.js';
import { type Life, never } from './life.js';
import type { SimFile } from './sim-file.js';

/** What becomes of one commit: the process may die before it, or after it and before anybody has heard of it. */
export type CommitFate = 'ok' | 'fault' | 'dies_before' | 'dies_after';

export interface SimDatabaseParts {
  file: SimFile;
  life: Life;
  /** Asked for every commit: what becomes of it, and how long the disk takes. */
  fate: () => { fate: CommitFate; syncMs: number };
  committed: () => void;
  die: (why: string) => void;
}

interface PendingUnit {
  run(tx: Sql): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The database of one process on the shared file, with the conduct of the embedded one: units gather, share a commit,
 * have a savepoint each, and nobody is told or answered from it before it is on the disk. Only that all of it happens at
 * virtual times: gathering, committing and telling are steps of their own, and between any two the process may die.
 */
export class SimDatabase implements Database {
  readonly read: Sql;
  private pending: PendingUnit[] = [];
  private isPlanned = false;
  private batch: Promise<void> | null = null;

  constructor(private readonly parts: SimDatabaseParts) {
    const { sql } = parts.file;
    this.read = {
      all: (text, values) => this.whenOnDisk(() => sql.all(text, values)),
      rows: (text, values) => this.whenOnDisk(() => sql.rows(text, values)),
      run: (text, values) => this.whenOnDisk(() => sql.run(text, values)),
    };
  }

  write<T>(unit: (tx: Sql) => Promise<T>): Promise<T> {
    if (this.parts.life.isOver) return never<T>();
    return new Promise<T>((resolve, reject) => {
      this.pending.push({ run: unit, resolve: resolve as (value: unknown) => void, reject });
      this.plan();
    });
  }

  async close(): Promise<void> {}

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.parts.life.clock.after(0, () => {
      this.batch = this.flush(this.pending.splice(0)).finally(() => {
        this.batch = null;
        this.isPlanned = false;
        if (this.pending.length > 0) this.plan();
      });
    });
  }

  private async flush(units: PendingUnit[]): Promise<void> {
    const { file, life, committed, die } = this.parts;
    const { fate, syncMs } = this.parts.fate();
    file.step('BEGIN IMMEDIATE');
    const announcements: (() => void)[] = [];
    for (const unit of units) announcements.push(await this.runUnit(unit));
    if (fate === 'fault' || fate === 'dies_before') {
      file.step('ROLLBACK');
      if (fate === 'dies_before') return this.dieNow('before a commit', die);
      const full = new GleanerError('storage_unavailable', 'The store cannot write right now.');
      for (const unit of units) unit.reject(full);
      return;
    }
    file.step('COMMIT');
    committed();
    if (fate === 'dies_after') return this.dieNow('after a commit', die);
    await life.clock.wait(syncMs);
    for (const announce of announcements) announce();
  }

  private async runUnit(unit: PendingUnit): Promise<() => void> {
    const { file } = this.parts;
    file.step('SAVEPOINT unit');
    try {
      const value = await unit.run(file.sql);
      file.step('RELEASE unit');
      return () => unit.resolve(value);
    } catch (error) {
      file.step('ROLLBACK TO unit');
      file.step('RELEASE unit');
      return () => unit.reject(error);
    }
  }

  private dieNow(why: string, die: (why: string) => void): Promise<void> {
    die(why);
    return never();
  }

  private async whenOnDisk<T>(read: () => Promise<T>): Promise<T> {
    while (this.batch) await this.batch;
    return this.parts.life.isOver ? never<T>() : read();
  }
}
