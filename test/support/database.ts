import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { onTestFinished } from 'vitest';
import { openPostgresDataSource, openPostgresStore } from '../../src/adapters/storage/postgres/postgres-store.js';
import { openSqliteDataSource, openSqliteStore } from '../../src/adapters/storage/sqlite/sqlite-store.js';
import { Secret } from '../../src/domain/secret.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import { onPostgres, postgresDatabase } from './postgres.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A store for one test, on its own database, which survives the store. */
export interface TestStore {
  readonly store: FrontierStore;
  /** Closes the store and opens the same database again. */
  restart(): Promise<FrontierStore>;
}

/** A migrated, empty database for one test. */
export const ADMIN_DATABASES: readonly { readonly name: string; readonly open: () => Promise<DataSource> }[] = [
  { name: 'SQLite', open: () => openSqliteDataSource(join(temporaryDirectory(), 'crawlway.db')) },
  ...onPostgres({
    name: 'PostgreSQL',
    open: async () => openPostgresDataSource(new Secret(await postgresDatabase())),
  }),
];

/** Every supported database, see `onPostgres`; the same tests run on all of them. */
export const DATABASES: readonly { readonly name: string; readonly open: () => Promise<TestStore> }[] = [
  { name: 'SQLite', open: () => kept((directory) => openSqliteStore(join(directory, 'crawlway.db'))) },
  ...onPostgres({
    name: 'PostgreSQL',
    open: async () => {
      const url = await postgresDatabase();
      return testStore(() => openPostgresStore(new Secret(url)));
    },
  }),
];

async function kept(openIn: (directory: string) => Promise<FrontierStore>): Promise<TestStore> {
  const directory = temporaryDirectory();
  return testStore(() => openIn(directory));
}

async function testStore(open: () => Promise<FrontierStore>): Promise<TestStore> {
  let store = await open();
  onTestFinished(() => store.close());
  return {
    get store() {
      return store;
    },
    async restart() {
      await store.close();
      store = await open();
      return store;
    },
  };
}
