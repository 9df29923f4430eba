import { fstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../src/backends/embedded/sqlite-database.js';
import { EMPTY_META } from '../../src/domain/task.js';
import { migrate } from '../../src/store/migrate.js';
import { tasksAndJobs } from '../../src/store/migrations/0001-tasks-and-jobs.js';
import { formats } from '../../src/store/migrations/0002-formats.js';
import { webhooks } from '../../src/store/migrations/0003-webhooks.js';
import { crashes } from '../../src/store/migrations/0004-crashes.js';
import { createSqlStore } from '../../src/store/sql-store.js';
import { tempDir } from '../support/temp-dir.js';

describe('the SQLite database', () => {
  let directory: ReturnType<typeof tempDir>;
  let database: SqliteDatabase;
  beforeEach(async () => {
    directory = tempDir('sqlite');
    database = new SqliteDatabase(join(directory.path, 'gleaner.db'));
    await database.write(async (tx) => {
      await tx.run('CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT)');
    });
  });
  afterEach(async () => {
    await database.close();
    directory.remove();
  });

  const insert = (id: number): Promise<number> =>
    database.write((tx) => tx.run('INSERT INTO notes (id, text) VALUES (?, ?)', [id, 'x']));
  const count = async (): Promise<number> =>
    (await database.read.all<{ n: number }>('SELECT COUNT(*) AS n FROM notes'))[0]?.n ?? -1;

  it('keeps a log, and lets SQLite sync what it moves out of it', async () => {
    const probe = await database.write((tx) => tx.all<{ synchronous: number }>('PRAGMA synchronous'));
    expect(probe).toEqual([{ synchronous: 1 }]);
    expect(await database.read.all('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });

  it('shares one commit between the writes of one turn', async () => {
    const probe = new BetterSqlite3(join(directory.path, 'gleaner.db'), { readonly: true });
    const version = (): unknown => probe.pragma('data_version', { simple: true });
    const seen = new Set<unknown>();
    const writes = Array.from({ length: 200 }, (_, id) => insert(id).then(() => seen.add(version())));
    await Promise.all(writes);
    probe.close();
    expect(await count()).toBe(200);
    expect(seen.size).toBe(1);
  });

  it('shows readers nothing before it is committed', async () => {
    let during = -1;
    await database.write(async (tx) => {
      await tx.run('INSERT INTO notes (id, text) VALUES (1, ?)', ['x']);
      during = await count();
    });
    expect([during, await count()]).toEqual([0, 1]);
  });

  it('answers storage_unavailable while another process holds the lock, and works again afterwards', async () => {
    const other = new BetterSqlite3(join(directory.path, 'gleaner.db'));
    other.exec('BEGIN IMMEDIATE');
    await expect(Promise.all([insert(1), insert(2)])).rejects.toMatchObject({ code: 'storage_unavailable' });
    // The wait stops everything in this process. It is asked for, not timed: a busy machine may take longer.
    const wait = 'PRAGMA busy_timeout';
    const [reader] = await database.read.all<{ timeout: number }>(wait);
    expect(reader?.timeout).toBeLessThanOrEqual(250);
    other.exec('ROLLBACK');
    other.close();
    await insert(3);
    expect(await count()).toBe(1);
    const [writer] = await database.write((tx) => tx.all<{ timeout: number }>(wait));
    expect(writer?.timeout).toBeLessThanOrEqual(250);
  });

  it('applies migrations once and refuses a schema from the future', async () => {
    await migrate(database, 1);
    await migrate(database, 2);
    expect(await database.read.all('SELECT id FROM schema_migrations WHERE applied_at = 2')).toEqual([]);
    await database.write((tx) => tx.run("INSERT INTO schema_migrations (id, name, applied_at) VALUES (999, 'x', 3)"));
    await expect(migrate(database, 4)).rejects.toThrow('schema 999');
  });

  it('takes a task for suspect that an earlier version counted crashes of, and counts anew', async () => {
    await database.write(async (tx) => {
      await tx.run('CREATE TABLE schema_migrations (id BIGINT PRIMARY KEY, name TEXT, applied_at BIGINT)');
      for (const { id, name, statements } of [tasksAndJobs, formats, webhooks, crashes]) {
        for (const statement of statements) await tx.run(statement);
        await tx.run('INSERT INTO schema_migrations VALUES (?, ?, 1)', [id, name]);
      }
      for (const [id, status, endedAt] of [
        ['open', 'running', null],
        ['ended', 'failed', 1],
      ] as const) {
        await tx.run(
          `INSERT INTO tasks (id, seq, job_size, target_type, target_url, domain, workspace_id, render, request_id, status,
             attempts, visits, throttles, created_at, crashes, completed_at)
           VALUES (?, 0, 0, 'job_posting', 'https://a.example/', 'a.example', 'w', 'auto', 'r', ?, 1, 1, 0, 1, 2, ?)`,
          [id, status, endedAt],
        );
      }
    });
    await migrate(database, 2);
    const store = createSqlStore(database, { newId: uuidv7, defaultReceiver: null });
    // Whether it was at work nobody knows: so it is not counted now either.
    expect(await store.requeueRunning({ refundAttempt: false }, 3)).toEqual({ running: 1, ended: [] });
    expect(await store.task('open')).toMatchObject({ suspicion: 'service', crashes: 0 });
    expect(await store.task('ended')).toMatchObject({ suspicion: null, crashes: 2 });
  });

  it('takes over what an earlier version wrote, with the gaps filled', async () => {
    await database.write(async (tx) => {
      await tx.run('CREATE TABLE schema_migrations (id BIGINT PRIMARY KEY, name TEXT, applied_at BIGINT)');
      for (const statement of tasksAndJobs.statements) await tx.run(statement);
      await tx.run("INSERT INTO schema_migrations VALUES (1, 'tasks and jobs', 1)");
      await tx.run(
        `INSERT INTO tasks (id, seq, job_size, target_type, target_url, domain, workspace_id, render, request_id, status,
           attempts, visits, throttles, created_at, meta)
         VALUES ('old', 0, 0, 'job_posting', 'https://a.example/', 'a.example', 'w', 'auto', 'r', 'failed', 1, 1, 0, 1,
           '{"renderedBy":"http"}')`,
      );
    });
    await migrate(database, 2);
    const task = await createSqlStore(database, { newId: uuidv7, defaultReceiver: null }).task('old');
    expect(task).toMatchObject({ formats: null, meta: { ...EMPTY_META, renderedBy: 'http' } });
  });
});

describe('the disk behind it', () => {
  let directory: ReturnType<typeof tempDir>;
  let database: SqliteDatabase;
  /** Syncs that have been asked for; each waits to be let through or refused. */
  let asked: { fd: number; done: () => void; fail: (error: Error) => void }[];
  let broken: Error[];
  const path = (): string => join(directory.path, 'gleaner.db');
  const syncFile = (fd: number): Promise<void> =>
    new Promise((done, fail) => {
      asked.push({ fd, done, fail });
    });
  const untilAsked = (count: number): Promise<void> => expect.poll(() => asked.length).toBe(count);
  const insert = (id: number): Promise<number> =>
    database.write((tx) => tx.run('INSERT INTO notes (id) VALUES (?)', [id]));
  const count = async (): Promise<number> =>
    (await database.read.all<{ n: number }>('SELECT COUNT(*) AS n FROM notes'))[0]?.n ?? -1;

  beforeEach(async () => {
    directory = tempDir('sqlite-disk');
    asked = [];
    broken = [];
    const first = new SqliteDatabase(path());
    await first.write((tx) => tx.run('CREATE TABLE notes (id BIGINT PRIMARY KEY)'));
    await first.close();
    database = new SqliteDatabase(path(), { syncFile, onBroken: (error) => broken.push(error) });
  });
  afterEach(async () => {
    for (const { done } of asked) done();
    await database.close();
    directory.remove();
  });

  it('is asked to keep the log itself', async () => {
    const written = insert(1);
    await untilAsked(1);
    const { fd, done } = asked[0]!;
    expect(fstatSync(fd).ino).toBe(statSync(`${path()}-wal`).ino);
    done();
    await written;
  });

  it('has a write before anybody is told of it, or shown it', async () => {
    const order: string[] = [];
    const written = insert(1).then(() => order.push('told'));
    await untilAsked(1);
    const shown = count().then((notes) => order.push(`shown ${notes}`));
    await nextTurn();
    expect(order).toEqual([]);
    asked[0]!.done();
    await Promise.all([written, shown]);
    expect(order.sort()).toEqual(['shown 1', 'told']);
    expect(await count()).toBe(1);
  });

  it('gathers what is written while it works into one further sync', async () => {
    const first = insert(0);
    await untilAsked(1);
    const rest = Array.from({ length: 20 }, (_, id) => insert(id + 1));
    await nextTurn();
    expect(asked).toHaveLength(1);
    asked[0]!.done();
    await first;
    await untilAsked(2);
    asked[1]!.done();
    await Promise.all(rest);
    expect(asked).toHaveLength(2);
  });

  it('that refused a sync is never trusted again', async () => {
    const refused = [insert(1), insert(2)].map((write) => expect(write).rejects.toMatchObject(UNAVAILABLE));
    await untilAsked(1);
    const shown = expect(count()).rejects.toMatchObject(UNAVAILABLE);
    asked[0]!.fail(new Error('EIO'));
    await Promise.all([...refused, shown]);
    await expect(insert(3)).rejects.toMatchObject(UNAVAILABLE);
    await expect(count()).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.read.all('SELECT * FROM nothing')).rejects.toThrow();
    expect(asked).toHaveLength(1);
    expect(broken).toMatchObject([UNAVAILABLE]);
  });
});

const UNAVAILABLE = { code: 'storage_unavailable' };
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
