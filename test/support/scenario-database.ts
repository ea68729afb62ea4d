import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgresStore } from '../../src/adapters/storage/postgres/postgres-store.js';
import { Secret } from '../../src/domain/secret.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import { startedPostgres } from './postgres-server.js';
import { openStoreInThisThread } from './store-in-this-thread.js';
import { temporaryDirectory } from './temporary-directory.js';

const TABLES = [
  'url',
  'site',
  'counter',
  'host',
  'visit',
  'push_order',
  'setting',
  'page_links',
  'owed_order',
  'owed_count',
];

/** PostgreSQL databases that are not in use: emptying one is faster than creating one. */
const unused: string[] = [];

const isOnPostgres = (): boolean => process.env['CRAWLWAY_TEST_DATABASE'] === 'postgres';

/** An empty store: SQLite in this process, or PostgreSQL with `CRAWLWAY_TEST_DATABASE=postgres`. */
export async function scenarioStore(): Promise<FrontierStore> {
  if (!isOnPostgres()) return openStoreInThisThread();
  const database = await emptyDatabase();
  return postgresStore(database, () => unused.push(database));
}

/** Opens the same store, empty at first, once for each start of a server that restarts. */
export async function keptStore(): Promise<() => Promise<FrontierStore>> {
  if (!isOnPostgres()) {
    const file = join(temporaryDirectory(), 'crawlway.db');
    return () => openStoreInThisThread(file);
  }
  const database = await emptyDatabase();
  return () => postgresStore(database);
}

async function postgresStore(database: string, closed?: () => void): Promise<FrontierStore> {
  const store = await openPostgresStore(new Secret(database));
  const close = async (): Promise<void> => {
    await store.close();
    closed?.();
  };
  return countedOnce({ ...store, close });
}

/** Calls that change no URL. */
const HARMLESS: ReadonlySet<string | symbol> = new Set([
  'listBacklogs',
  'count',
  'listDue',
  'find',
  'get',
  'getSetting',
  'list',
  'loadHosts',
  'findOldest',
  'listOrders',
  'listOwed',
  'countOwed',
  'findOwed',
  'pruneOrders',
  'putSetting',
  'saveHosts',
  'listSettings',
] satisfies (keyof FrontierStore)[]);

/** A world on a manual clock reads the counters all the time: as long as nothing changes, they are read only once. */
export function countedOnce(store: FrontierStore): FrontierStore {
  const answers = new Map<string, ReturnType<FrontierStore['countByStatus']>>();
  return new Proxy(store, {
    get: (target, name) => {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function' || HARMLESS.has(name)) return call;
      if (name === 'countByStatus')
        return (crawler: string) => {
          const known = answers.get(crawler) ?? target.countByStatus(crawler);
          answers.set(crawler, known);
          known.catch(() => answers.clear());
          return known;
        };
      return async (...args: unknown[]): Promise<unknown> => {
        answers.clear();
        try {
          return await Reflect.apply(call, target, args);
        } finally {
          answers.clear();
        }
      };
    },
  });
}

async function emptyDatabase(): Promise<string> {
  const used = unused.pop();
  if (used !== undefined) {
    await run(used, `TRUNCATE ${TABLES.join(', ')}`);
    return used;
  }
  const server = await startedPostgres(inject('postgresDirectory'));
  const name = `scenarios_${randomUUID().replaceAll('-', '')}`;
  await run(server, `CREATE DATABASE ${name}`);
  return server.replace(/\/postgres$/, `/${name}`);
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
