/** A value as both SQLite and Postgres take it. Booleans are 0/1, times are epoch ms, structures are JSON text. */
export type SqlValue = string | number | null;

/** Statements in one text for both databases: `?` placeholders, RETURNING and ON CONFLICT as both know them. */
export interface Sql {
  all<Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /** As lists, in the order of the columns: of wide rows the names would cost more than the values. */
  rows(text: string, values?: readonly SqlValue[]): Promise<SqlValue[][]>;
  /** Number of rows changed. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>;
}

/**
 * What the store asks of a database. `read` sees only committed rows. `write` runs the unit inside a transaction and
 * resolves once it is durable; units may share a transaction with their neighbours, but each is all or nothing:
 * one that throws is undone and harms no other. Units run one after the other, never at the same time. Faults of the database reject with `storage_unavailable`.
 */
export interface Database {
  read: Sql;
  write<T>(unit: (tx: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
