import type { Database } from './database.js';
import { tasksAndJobs } from './migrations/0001-tasks-and-jobs.js';
import { formats } from './migrations/0002-formats.js';
import { webhooks } from './migrations/0003-webhooks.js';
import { crashes } from './migrations/0004-crashes.js';
import { suspicion } from './migrations/0005-suspicion.js';
import { siteNotes } from './migrations/0006-site-notes.js';
import { plans } from './migrations/0007-plans.js';

interface Migration {
  id: number;
  name: string;
  statements: readonly string[];
}

const MIGRATIONS: readonly Migration[] = [tasksAndJobs, formats, webhooks, crashes, suspicion, siteNotes, plans];

/** Brings the schema up to date, all missing steps in one transaction. Refuses a database written by a newer version. */
export async function migrate(database: Database, now: number): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(
      'CREATE TABLE IF NOT EXISTS schema_migrations (id BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    );
    const rows = await tx.all<{ newest: number | null }>('SELECT MAX(id) AS newest FROM schema_migrations');
    const newest = rows[0]?.newest ?? 0;
    const known = MIGRATIONS.at(-1)?.id ?? 0;
    if (newest > known) {
      throw new Error(`The database has schema ${newest}, this version knows ${known}: start a newer gleaner.`);
    }
    for (const { id, name, statements } of MIGRATIONS.filter((migration) => migration.id > newest)) {
      for (const statement of statements) await tx.run(statement);
      await tx.run('INSERT INTO schema_migrations (id, name, applied_at) VALUES (?, ?, ?)', [id, name, now]);
    }
  });
}
