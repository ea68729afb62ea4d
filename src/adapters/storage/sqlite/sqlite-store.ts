import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { DATABASES } from '../../../domain/database-kind.js';
import type { FrontierStore } from '../../../engine/ports/frontier-store.js';
import { createMigrations, migrate } from '../migrations/migrations.js';
import { ADMIN_ENTITIES } from '../shared/admin-rows.js';
import { AdminStore } from '../shared/admin-store.js';
import { lockDataDirectory, requireDatabaseOfJournal, restrictDatabaseFiles } from '../shared/data-directory.js';
import { buildCounterQuery } from '../shared/filter-sql.js';
import { computeKeys } from '../shared/keys.js';
import { decryptSecrets, type EncryptedSecret, Seal } from '../shared/seal.js';
import { createListByUrl, createLongCalls } from '../shared/store-calls.js';
import { StoreThread } from '../shared/store-thread.js';
import { createRemote, type Executor, performCall, type Remote } from '../shared/thread-protocol.js';
import { createState } from '../shared/url-row.js';
import type { OpenBackend, StoreOptions } from '../store-backend.js';
import { checkPages } from './page-check.js';
import {
  type Handle,
  openHandle,
  prepareHandle,
  requireOwnTables,
  toPortError,
  translateErrors,
} from './sqlite-handle.js';
import { bindReads, createPresenceCheck, type ReaderVerbs, type WriterVerbs } from './sqlite-operations.js';

/** Maximum number of calls in a transaction of the writer: with more, each would wait longer than the sharing saves. */
const WRITER_BATCH = 32;

/**
 * Opens a server's store: one thread writes, one does long reads and checkpoints, and the calling thread does short
 * reads, which cost less than a message to another thread. Throws DataDirectoryInUse if another server is using the
 * file's directory, StoreDamaged if it is no valid database of this program, StoreUnavailable if it cannot be opened now.
 */
export async function openSqliteStore(file: string, { handOut, onDamage }: StoreOptions = {}): Promise<FrontierStore> {
  const unlock = lockDataDirectory(dirname(file));
  try {
    await (await openSqliteDataSource(file)).destroy();
    const endCheck = checkPages(file, onDamage);
    const handle = openHandle(file, 'reader');
    const reader = new URL('./sqlite-reader.thread.js', import.meta.url);
    const startReader = (runsCheckpoints: boolean) => new StoreThread(reader, { file, runsCheckpoints }, 1);
    return createSqliteStore(file, handle, {
      writer: new StoreThread(new URL('./sqlite-writer.thread.js', import.meta.url), { file }, WRITER_BATCH, handOut),
      reader: startReader(true),
      startSorter: () => startReader(false),
      close: () => {
        endCheck();
        handle.close();
        unlock();
      },
    });
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Where an operation is carried out; `here` is the calling thread. */
type Place = 'writer' | 'reader' | 'here';
type PlacesOf<Verb> =
  | (Verb extends keyof WriterVerbs ? 'writer' : never)
  | (Verb extends keyof ReaderVerbs ? 'reader' | 'here' : never);

/** Reads that may take seconds on a large store have the place `reader`. */
const PLACES = {
  findUnknown: 'writer',
  insert: 'writer',
  seed: 'writer',
  settle: 'writer',
  listDue: 'writer',
  listBacklogs: 'writer',
  makeDueAmong: 'writer',
  forgetMatching: 'writer',
  loadHosts: 'writer',
  saveHosts: 'writer',
  saveOrders: 'writer',
  deleteOrders: 'writer',
  putSetting: 'writer',
  dropOwed: 'writer',
  find: 'here',
  get: 'here',
  findByKeys: 'here',
  findRemoved: 'here',
  findPagesThatGaveWayTo: 'here',
  getLinks: 'here',
  listVisits: 'here',
  countByStatus: 'here',
  countIndexedOfHost: 'here',
  listHosts: 'here',
  getLastOrderId: 'here',
  getOrder: 'here',
  listOwed: 'here',
  findOwed: 'here',
  getSetting: 'here',
  measureSize: 'here',
  listSettings: 'here',
  list: 'reader',
  listTexts: 'reader',
  count: 'reader',
  findMatching: 'reader',
  findMatches: 'reader',
  findOldest: 'reader',
  search: 'reader',
  listFolders: 'reader',
  survey: 'reader',
  countFailing: 'reader',
  listFailingHosts: 'reader',
  listOrders: 'reader',
  countOrders: 'reader',
  findPrunable: 'reader',
  countOwed: 'reader',
} as const satisfies { readonly [Verb in keyof WriterVerbs | keyof ReaderVerbs]?: PlacesOf<Verb> };

interface Places {
  readonly writer: Remote<WriterVerbs>;
  readonly reader: Remote<ReaderVerbs>;
  readonly here: Remote<ReaderVerbs>;
}

type Calls = {
  readonly [Verb in keyof typeof PLACES]: Places[(typeof PLACES)[Verb]][Verb & keyof Places[(typeof PLACES)[Verb]]];
};

interface Threads {
  readonly writer: Executor;
  readonly reader: Executor;
  /**
   * To list URLs in their order, all of a crawler's URLs are sorted first, which takes seconds and would hold up other
   * long reads. Few servers ever do this, so the thread is started only when needed.
   */
  readonly startSorter: () => Executor;
  /** Called when the threads have ended. */
  readonly close: () => void | Promise<void>;
}

/** Creates a store that carries out its calls as PLACES says. The handle is that of the calling thread. */
export function createSqliteStore(file: string, handle: Handle, threads: Threads): FrontierStore {
  const reads = bindReads(handle);
  const call: Executor['call'] = async (verb, ...args) =>
    translateErrors(file, () => performCall(reads, { verb, args }));
  const places: Places = {
    writer: createRemote(threads.writer),
    reader: createRemote(threads.reader),
    here: createRemote({ call }),
  };
  const calls = Object.fromEntries(
    Object.entries(PLACES).map(([verb, place]) => [verb, places[place][verb as keyof Places[Place]]]),
  ) as unknown as Calls;
  let sorter: Executor | undefined;
  let listByUrl: FrontierStore['listByUrl'] | undefined;
  return {
    ...calls,
    ...createLongCalls({
      ...calls,
      count: (filter) => places[buildCounterQuery(filter) ? 'here' : 'reader'].count(filter),
    }),
    discover: async (urls) => {
      // Nearly all links lead to known URLs, so only their keys are sent, followed by the new URLs in full.
      const positions = await calls.findUnknown(computeKeys(urls));
      if (positions.length === 0) return [];
      const unknownUrls = Array.from(positions, (position) => urls[position]!);
      const ids = await calls.insert(unknownUrls);
      return unknownUrls.flatMap((url, i) => (ids[i] === 0 ? [] : [createState(ids[i]!, url)]));
    },
    listByUrl: (...query) => {
      sorter ??= threads.startSorter();
      listByUrl ??= createListByUrl(createRemote<ReaderVerbs>(sorter));
      return listByUrl(...query);
    },
    listOrders: (filter, ...page) => places[filter.uri === undefined ? 'reader' : 'here'].listOrders(filter, ...page),
    close: async () => {
      await Promise.all([threads.writer.close(), threads.reader.close(), sorter?.close()]);
      await threads.close();
    },
  };
}

/** Opens a database file that only one server uses. The key that encrypts its texts is a file in the same folder. */
export const sqliteBackend: OpenBackend = (url) => {
  const file = String(url).slice(DATABASES.sqlite.prefix.length);
  const toError = (error: unknown) => toPortError(error, file);
  return {
    displayName: file,
    exists: () => existsSync(file),
    lock: () => lockDataDirectory(dirname(file)),
    openStore: (options) => openSqliteStore(file, options),
    openAdminStore: async (seal) =>
      new AdminStore(await openSqliteDataSource(file), toError, seal, createPresenceCheck(file)),
    readSecrets: async (seal) => decryptSecrets(readSecretRows(file), seal),
    openOwnSeal: () => Seal.forDirectory(dirname(file)),
    openNodes: () => undefined,
  };
};

function readSecretRows(file: string): EncryptedSecret[] {
  if (!existsSync(file)) return [];
  return translateErrors(file, () => {
    const db = new Database(file, { readonly: true });
    try {
      const hasTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'secret'`).get() !== undefined;
      return hasTable ? db.prepare<[], EncryptedSecret>('SELECT name, value FROM secret').all() : [];
    } finally {
      db.close();
    }
  });
}

import 'reflect-metadata';

/**
 * Opens (or creates) the file and brings its tables up to date. Throws StoreDamaged if the file is not a valid database
 * or was written by a version with other tables, or StoreUnavailable if another program has locked it; in these cases,
 * the file is not changed.
 */
export async function openSqliteDataSource(file: string): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: file,
    driver: Database,
    // The journal files, which appear later, have the permissions of the file.
    prepareDatabase: (db: Handle) => {
      requireOwnTables(db, file);
      restrictDatabaseFiles(file);
      prepareHandle(db);
    },
    entities: ADMIN_ENTITIES,
    migrations: createMigrations('sqlite'),
    migrationsTableName: 'migration',
  });
  try {
    requireDatabaseOfJournal(file);
    await dataSource.initialize();
    await migrate(dataSource, file);
    // If another program has locked the file, this reports it now, not when the first write of the server times out.
    getRawHandle(dataSource).exec('BEGIN IMMEDIATE; ROLLBACK');
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw toPortError((error as { driverError?: unknown }).driverError ?? error, file);
  }
}

/** Returns the underlying handle of a TypeORM connection, because TypeORM would slow down hot statements by a third. */
export function getRawHandle(dataSource: DataSource): Handle {
  return (dataSource.driver as unknown as { databaseConnection: Handle }).databaseConnection;
}
