import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../src/backends/embedded/sqlite-database.js';
import type { Store } from '../../src/ports/store.js';
import type { Database, Sql } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrate.js';
import { createSqlStore } from '../../src/store/sql-store.js';
import { aTask } from '../support/tasks.js';
import { tempDir } from '../support/temp-dir.js';

/** The same database, and every statement that was read with. */
function recorded(database: Database): { database: Database; statements: string[] } {
  const statements: string[] = [];
  const { read: inner } = database;
  const read: Sql = {
    all: (text, values) => {
      statements.push(text);
      return inner.all(text, values);
    },
    rows: (text, values) => {
      statements.push(text);
      return inner.rows(text, values);
    },
    run: (text, values) => inner.run(text, values),
  };
  return {
    statements,
    database: { read, write: (unit) => database.write(unit), close: () => database.close() },
  };
}

describe('who polls', () => {
  let directory: ReturnType<typeof tempDir>;
  let store: Store;
  let statements: string[];
  const path = (): string => join(directory.path, 'gleaner.db');
  beforeEach(async () => {
    directory = tempDir('polling');
    const spy = recorded(new SqliteDatabase(path()));
    ({ statements } = spy);
    await migrate(spy.database, 0);
    store = createSqlStore(spy.database, { newId: uuidv7, defaultReceiver: null });
    statements.length = 0;
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  /** What SQLite says it does for the only statement there was. */
  function plan(): string[] {
    expect(statements).toHaveLength(1);
    const probe = new BetterSqlite3(path(), { readonly: true });
    const steps = probe.prepare(`EXPLAIN QUERY PLAN ${statements[0]}`).all('x') as { detail: string }[];
    probe.close();
    return steps.map(({ detail }) => detail);
  }

  it('a task costs one query by its key', async () => {
    const task = aTask();
    await store.openTask(task);
    expect(await store.task(task.id)).toMatchObject({ id: task.id });
    expect(plan()).toEqual([expect.stringMatching(/^SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 \(id=\?\)$/)]);
  });

  it('a job costs one query, which counts its tasks in an index and opens none of them', async () => {
    const jobId = uuidv7();
    const tasks = Array.from({ length: 100 }, (_, seq) => aTask({ jobId, seq, jobSize: 100 }));
    await store.openJob({ id: jobId, totalTasks: 100, callbackUrl: null, createdAt: 1 }, tasks);
    expect(await store.job(jobId)).toMatchObject({ counts: { total: 100, queued: 100 } });
    const [job, ...counts] = plan().filter((step) => /^(SEARCH|SCAN)/.test(step));
    expect(job).toMatch(/^SEARCH j USING INDEX sqlite_autoindex_jobs_1 \(id=\?\)$/);
    // Whether it has a plan is one look at a key.
    const [hasPlan] = counts.splice(0, 1);
    expect(hasPlan).toMatch(/^SEARCH p USING INDEX sqlite_autoindex_plans_1 \(job_id=\?\)/);
    expect(counts).toHaveLength(5);
    for (const count of counts) expect(count).toMatch(/^SEARCH t USING COVERING INDEX tasks_of_job \(/);
  });
});
