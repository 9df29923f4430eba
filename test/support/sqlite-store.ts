import { join } from 'node:path';
import { SqliteDatabase } from '../../src/backends/embedded/sqlite-database.js';
import type { Store } from '../../src/ports/store.js';
import { migrate } from '../../src/store/migrate.js';
import { createSqlStore } from '../../src/store/sql-store.js';
import { tempDir } from './temp-dir.js';

export async function openStoreAt(directory: string): Promise<Store> {
  const database = new SqliteDatabase(join(directory, 'gleaner.db'));
  await migrate(database, 0);
  return createSqlStore(database);
}

/** A real store in a directory of its own. */
export async function openTempStore(): Promise<{
  store: Store;
  reopen: () => Promise<Store>;
  end: () => Promise<void>;
}> {
  const directory = tempDir('store');
  let store = await openStoreAt(directory.path);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openStoreAt(directory.path);
      return store;
    },
    end: async () => {
      await store.close();
      directory.remove();
    },
  };
}
