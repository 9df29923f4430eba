import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { SqliteDatabase } from '../../src/backends/embedded/sqlite-database.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { PlanRules } from '../../src/ports/plans.js';
import type { Store } from '../../src/ports/store.js';
import { migrate } from '../../src/store/migrate.js';
import { createSqlDeliveries } from '../../src/store/sql-deliveries.js';
import { createSqlStore } from '../../src/store/sql-store.js';
import { tempDir } from './temp-dir.js';

export interface OpenedStore {
  store: Store;
  deliveries: Deliveries;
}

export interface StoreOptions {
  /** Told of what names no callback. */
  defaultReceiver?: string | null;
  plans?: PlanRules;
}

export async function openStoreAt(
  directory: string,
  { defaultReceiver = null, plans }: StoreOptions = {},
): Promise<OpenedStore> {
  // No test pulls the plug; and virtual time must not run ahead while a disk is waited for.
  const database = new SqliteDatabase(join(directory, 'gleaner.db'), { syncFile: async () => {} });
  await migrate(database, 0);
  const store = createSqlStore(database, { newId: uuidv7, defaultReceiver, ...(plans && { plans }) });
  return { store, deliveries: createSqlDeliveries(database) };
}

export interface TempStore extends OpenedStore {
  /** Closes and opens the same data again, as a restart does. */
  reopen: () => Promise<Store>;
  end: () => Promise<void>;
}

/** A real store in a directory of its own. */
export async function openTempStore(options: StoreOptions = {}): Promise<TempStore> {
  const directory = tempDir('store');
  const temp: TempStore = {
    ...(await openStoreAt(directory.path, options)),
    reopen: async () => {
      await temp.store.close();
      Object.assign(temp, await openStoreAt(directory.path, options));
      return temp.store;
    },
    end: async () => {
      await temp.store.close();
      directory.remove();
    },
  };
  return temp;
}
