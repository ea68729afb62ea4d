import Database from 'better-sqlite3';
import { type Executor, readReply } from '../../src/adapters/storage/shared/thread-protocol.js';
import { type Handle, prepareHandle } from '../../src/adapters/storage/sqlite/sqlite-handle.js';
import { createReader, createWriter, type RunBatch } from '../../src/adapters/storage/sqlite/sqlite-operations.js';
import {
  createSqliteStore,
  getRawHandle,
  openSqliteDataSource,
} from '../../src/adapters/storage/sqlite/sqlite-store.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';

/** Carries out each call at once, with the code that the thread would run. */
const inThisThread = (runBatch: RunBatch): Executor => ({
  call: async (verb, ...args) => readReply(runBatch([{ verb, args }])[0]!),
  close: async () => {},
});

/**
 * The store of a server, but with its threads in this one: every call resolves in a microtask, so that simulations are
 * reproducible and hundreds of small worlds are fast.
 *
 * @param file where the next store finds what this one has left; in memory by default
 */
export async function openStoreInThisThread(file = ':memory:'): Promise<FrontierStore> {
  const db = file === ':memory:' ? await openInMemory() : await openMigrated(file);
  const reader = inThisThread(createReader(db, file));
  return createSqliteStore(file, db, {
    writer: inThisThread(createWriter(db, file)),
    reader,
    startSorter: () => reader,
    close: () => void db.close(),
  });
}

async function openMigrated(file: string): Promise<Handle> {
  const dataSource = await openSqliteDataSource(file);
  return getRawHandle(dataSource);
}

/** Tables without rows: a copy takes a tenth of the time of all migrations. */
let empty: Buffer | undefined;

async function openInMemory(): Promise<Handle> {
  empty ??= (await openMigrated(':memory:')).serialize();
  const db = new Database(empty);
  prepareHandle(db);
  return db;
}
