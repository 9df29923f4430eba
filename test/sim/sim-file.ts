import BetterSqlite3 from 'better-sqlite3';
import type { Sql, SqlValue } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrate.js';

/** One row that was written, as the triggers below tell it. */
export interface Change {
  kind: 'task' | 'job' | 'delivery';
  id: string;
  /** `null`: the row is new. */
  before: Record<string, SqlValue> | null;
  /** `null`: the row is gone. */
  after: Record<string, SqlValue> | null;
}

const WATCHED: Record<Change['kind'], { table: string; columns: string[] }> = {
  task: {
    table: 'tasks',
    columns: ['job_id', 'status', 'attempts', 'visits', 'throttles', 'callback_url', 'completed_at', 'result', 'code'],
  },
  job: { table: 'jobs', columns: ['status', 'total_tasks', 'callback_url', 'completed_at'] },
  delivery: {
    table: 'deliveries',
    columns: ['job_id', 'task_id', 'event', 'status', 'attempts', 'failures', 'round', 'round_began_at', 'body', 'url'],
  },
};

/**
 * The data that outlives every process: real SQLite in memory, with the schema of the service. Triggers write down every
 * row that is inserted, changed or deleted, so that not even what two statements of one transaction do goes unseen.
 */
export class SimFile {
  readonly sql: Sql;
  private readonly connection: BetterSqlite3.Database;
  private readonly statements = new Map<string, BetterSqlite3.Statement<SqlValue[]>>();
  private readonly steps = new Map<string, BetterSqlite3.Statement>();

  private constructor(connection: BetterSqlite3.Database) {
    this.connection = connection;
    connection.pragma('foreign_keys = ON');
    this.sql = {
      all: async <Row>(text: string, values: readonly SqlValue[] = []) => this.find(text).all(...values) as Row[],
      rows: async (text, values = []) => this.find(text, true).all(...values) as SqlValue[][],
      run: async (text, values = []) => this.find(text).run(...values).changes,
    };
  }

  static async open(): Promise<SimFile> {
    const file = new SimFile(new BetterSqlite3(':memory:'));
    await migrate({ read: file.sql, write: (unit) => unit(file.sql), close: async () => {} }, 0);
    file.watch();
    return file;
  }

  /** As new: for the next run. */
  empty(): void {
    const rows = ['submissions', 'job_events', 'delivery_attempts', 'deliveries', 'tasks', 'jobs', 'site_notes'];
    const ofPlans = ['attempt_notes', 'outcomes', 'plans'];
    for (const table of [...ofPlans, ...rows, 'changes']) this.step(`DELETE FROM ${table}`);
  }

  /** BEGIN, COMMIT and their like. */
  step(text: string): void {
    const known = this.steps.get(text) ?? this.connection.prepare(text);
    this.steps.set(text, known);
    known.run();
  }

  /** For the checks, at once and unseen by the service. */
  all<Row>(text: string, ...values: SqlValue[]): Row[] {
    return this.find(text).all(...values) as Row[];
  }

  /** What was written since the last time. */
  takeChanges(): Change[] {
    const rows = this.all<{ kind: Change['kind']; id: string; b: string | null; a: string | null }>(
      'SELECT kind, id, b, a FROM changes ORDER BY rowid',
    );
    if (rows.length > 0) this.step('DELETE FROM changes');
    return rows.map(({ kind, id, b, a }) => ({ kind, id, before: b && JSON.parse(b), after: a && JSON.parse(a) }));
  }

  close(): void {
    this.connection.close();
  }

  private find(text: string, isRaw = false): BetterSqlite3.Statement<SqlValue[]> {
    const key = isRaw ? `raw ${text}` : text;
    const known = this.statements.get(key);
    if (known) return known;
    const statement = this.connection.prepare<SqlValue[]>(text);
    if (isRaw) statement.raw();
    this.statements.set(key, statement);
    return statement;
  }

  private watch(): void {
    this.connection.exec('CREATE TEMP TABLE changes (kind TEXT, id TEXT, b TEXT, a TEXT)');
    for (const [kind, { table, columns }] of Object.entries(WATCHED)) {
      const row = (name: string): string =>
        `json_object(${columns.map((column) => `'${column}', ${name}.${column}`).join(', ')})`;
      const on = (what: string, id: string, before: string, after: string): void => {
        this.connection.exec(
          `CREATE TEMP TRIGGER watch_${kind}_${what} AFTER ${what} ON main.${table}
           BEGIN INSERT INTO changes VALUES ('${kind}', ${id}.id, ${before}, ${after}); END`,
        );
      };
      on('INSERT', 'new', 'NULL', row('new'));
      on('UPDATE', 'new', row('old'), row('new'));
      on('DELETE', 'old', row('old'), 'NULL');
    }
  }
}
