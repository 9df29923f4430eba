import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../src/backends/embedded/sqlite-database.js';
import { migrate } from '../../src/store/migrate.js';
import { createSiteNotes } from '../../src/store/site-notes.js';
import { createSqlStore } from '../../src/store/sql-store.js';
import { tempDir } from '../support/temp-dir.js';

describe('notes on sites', () => {
  let directory: ReturnType<typeof tempDir>;
  let database: SqliteDatabase;
  const open = async (): Promise<void> => {
    database = new SqliteDatabase(join(directory.path, 'gleaner.db'));
    await migrate(database, 0);
  };
  beforeEach(async () => {
    directory = tempDir('site-notes');
    await open();
  });
  afterEach(async () => {
    await database.close();
    directory.remove();
  });
  const notes = () => createSiteNotes<{ n: number }>(database, 'limit');

  it('are there after a restart, each as it was written last', async () => {
    await notes().keep('a.example', { n: 1 }, 1_000);
    await notes().keep('a.example', { n: 2 }, 2_000);
    await notes().keep('b.example', { n: 3 }, 2_000);
    await notes().keep('c.example', { n: 4 }, 2_000);
    await notes().forget('c.example');
    await database.close();
    await open();
    const all = await notes().all(0);
    expect(all.sort((a, b) => a.key.localeCompare(b.key))).toEqual([
      { key: 'a.example', note: { n: 2 } },
      { key: 'b.example', note: { n: 3 } },
    ]);
  });

  it('of one kind are not those of another', async () => {
    await notes().keep('a.example', { n: 1 }, 1_000);
    await createSiteNotes(database, 'circuit').forget('a.example');
    expect(await createSiteNotes(database, 'circuit').all(0)).toEqual([]);
    expect(await notes().all(0)).toHaveLength(1);
  });

  it('are not shown when they are of no more use, and go with the retention', async () => {
    await notes().keep('old.example', { n: 1 }, 1_000);
    await notes().keep('new.example', { n: 2 }, 1_001);
    expect(await notes().all(1_000)).toEqual([{ key: 'new.example', note: { n: 2 } }]);
    const store = createSqlStore(database, { newId: uuidv7, defaultReceiver: null });
    await store.expire({ before: 0, now: 1_000, limit: 10 });
    expect(await notes().all(0)).toEqual([{ key: 'new.example', note: { n: 2 } }]);
  });
});
