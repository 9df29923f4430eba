import type { Notes } from '../ports/notes.js';
import type { Database, Sql } from './database.js';

/** Notes of one kind on their way to and from the database. */
export function createSiteNotes<T>(database: Database, kind: 'limit' | 'circuit'): Notes<T> {
  return {
    keep: (key, note, until) => database.write((tx) => putNote(tx, [kind, key, JSON.stringify(note), until])),
    forget: (key) => database.write((tx) => deleteNote(tx, kind, key)),
    async all(now) {
      const rows = await database.read.all<{ name: string; note: string }>(
        'SELECT name, note FROM site_notes WHERE kind = ? AND until > ?',
        [kind, now],
      );
      return rows.map(({ name, note }) => ({ key: name, note: JSON.parse(note) as T }));
    },
  };
}

async function putNote(tx: Sql, row: [kind: string, name: string, note: string, until: number]): Promise<void> {
  await tx.run(
    `INSERT INTO site_notes (kind, name, note, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, name) DO UPDATE SET note = excluded.note, until = excluded.until`,
    row,
  );
}

async function deleteNote(tx: Sql, kind: string, name: string): Promise<void> {
  await tx.run('DELETE FROM site_notes WHERE kind = ? AND name = ?', [kind, name]);
}

/** There are no more of them than sites that were visited lately, so that no index is worth its upkeep. */
export const deleteOldNotes = (tx: Sql, now: number): Promise<number> =>
  tx.run('DELETE FROM site_notes WHERE until <= ?', [now]);
