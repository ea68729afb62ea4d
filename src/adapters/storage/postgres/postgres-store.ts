import { DataSource } from 'typeorm';
import { ORDER_BLOCK_SIZE } from '../../../domain/push/order.js';
import type { Secret } from '../../../domain/secret.js';
import type { FrontierStore, HostRecord, LedgerEntry } from '../../../engine/ports/frontier-store.js';
import { openPostgresNodes } from '../cluster/postgres-nodes.js';
import { createMigrations, migrate } from '../migrations/migrations.js';
import { ADMIN_ENTITIES } from '../shared/admin-rows.js';
import { AdminStore } from '../shared/admin-store.js';
import { type StoredHost, toHost, toHostValues } from '../shared/host-row.js';
import { computePartition } from '../shared/partition.js';
import { decryptSecrets, type EncryptedSecret } from '../shared/seal.js';
import { bindMethods, createLongCalls } from '../shared/store-calls.js';
import type { OpenBackend, StoreOptions } from '../store-backend.js';
import { getDisplayName, toConnectionConfig } from './connection.js';
import { saveOrders } from './postgres-changes.js';
import { PostgresFrontier } from './postgres-frontier.js';
import { PostgresOwed } from './postgres-owed.js';
import { MAX_RESPONSE_MS, PostgresPool, toConnectionError, toPortError } from './postgres-pool.js';
import { PostgresReads } from './postgres-reads.js';
import { PostgresSearch } from './postgres-search.js';
import { PostgresSortedUrls } from './postgres-sorted-urls.js';
import { toColumns } from './postgres-sql.js';

/** Number of separate connections for user searches, which must not hold up the crawl's statements. */
const SEARCH_CONNECTIONS = 3;
/** A search should respond within 200 ms; the database ends statements that a pattern makes too slow. */
const MAX_STATEMENT_MS = 1_000;

/**
 * The store on PostgreSQL, version 13 or later, shared by any number of servers. Throws StoreUnavailable if the
 * database cannot be reached, StoreDamaged if it has other tables than this program uses.
 */
export async function openPostgresStore(url: Secret, { onTime, onWait }: StoreOptions = {}): Promise<FrontierStore> {
  const pool = new PostgresPool(url);
  try {
    const time = await pool.checkServer();
    onTime?.(time);
    await (await openPostgresDataSource(url, onWait)).destroy();
  } catch (error) {
    await pool.close();
    throw error;
  }
  const searchPool = new PostgresPool(url, {
    connections: SEARCH_CONNECTIONS,
    statementTimeoutMs: MAX_STATEMENT_MS,
    queryTimeoutMs: MAX_RESPONSE_MS,
  });
  const reads = new PostgresReads(pool);
  const sortedUrls = new PostgresSortedUrls(pool);
  const calls = bindMethods(
    new PostgresFrontier(pool),
    new PostgresRecords(pool),
    reads,
    new PostgresSearch(searchPool, (ids) => reads.get(ids)),
    new PostgresOwed(pool),
  );
  return {
    ...calls,
    ...createLongCalls(calls),
    listByUrl: (...query) => sortedUrls.getPage(...query),
    close: async () => {
      await sortedUrls.close();
      await searchPool.close();
      await pool.close();
    },
  };
}

/** Opens a database that any number of servers can share. They have no common folder in which to keep a key. */
export const postgresBackend: OpenBackend = (url) => ({
  displayName: getDisplayName(url),
  exists: () => true,
  lock: () => () => {},
  openStore: (options) => openPostgresStore(url, options),
  openAdminStore: async (seal) =>
    new AdminStore(await openPostgresDataSource(url), (error) => toPortError(error, getDisplayName(url)), seal),
  readSecrets: async (seal) => decryptSecrets(await readSecretRows(url), seal),
  openOwnSeal: () => undefined,
  openNodes: (options) => openPostgresNodes(url, options),
});

async function readSecretRows(url: Secret): Promise<EncryptedSecret[]> {
  const pool = new PostgresPool(url, { connections: 1 });
  try {
    const [table] = await pool.rows<{ name: string | null }>(`SELECT to_regclass('secret')::text AS name`);
    return table?.name ? await pool.rows<EncryptedSecret>('SELECT name, value FROM secret') : [];
  } finally {
    await pool.close();
  }
}

import 'reflect-metadata';

/** Arbitrary number of the lock that makes servers starting at the same time on one database migrate it in turn. */
const MIGRATION_LOCK = 5_218_017;
const MIGRATION_LOCK_HOLDERS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = $1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Connects to the database and brings its tables up to date. Throws StoreUnavailable if the database cannot be reached,
 * StoreDamaged if it was written by a version with other tables.
 */
export async function openPostgresDataSource(url: Secret, onWait?: StoreOptions['onWait']): Promise<DataSource> {
  const extra = toConnectionConfig(url);
  const dataSource = new DataSource({
    type: 'postgres',
    database: extra.database,
    extra,
    poolSize: 2,
    entities: ADMIN_ENTITIES,
    migrations: createMigrations('postgres'),
    migrationsTableName: 'migration',
  });
  try {
    await dataSource.initialize().catch((error: unknown) => {
      throw toConnectionError((error as { driverError?: unknown }).driverError ?? error, getDisplayName(url));
    });
    await migrateInTurn(dataSource, getDisplayName(url), onWait);
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw toPortError((error as { driverError?: unknown }).driverError ?? error, getDisplayName(url));
  }
}

async function migrateInTurn(
  dataSource: DataSource,
  displayName: string,
  onWait?: StoreOptions['onWait'],
): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    const [{ locked }] = await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [MIGRATION_LOCK]);
    if (!locked) {
      const holders: { pid: number }[] = await runner.query(MIGRATION_LOCK_HOLDERS, [MIGRATION_LOCK]);
      const processes = holders.map(({ pid }) => pid).join(', ');
      onWait?.(
        `waiting for another server that brings the tables of the database at ${displayName} up to date (process of the database: ${processes})`,
      );
      await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    }
    await migrate(dataSource, displayName);
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {});
    await runner.release();
  }
}

/** Number of the lock under which servers begin blocks one at a time. */
const ORDER_BLOCK_LOCK = 5_218_019;
const NEXT_ORDER_BLOCK = `SELECT nextval('order_block') AS block, greatest((SELECT max(id) FROM push_order),
  (SELECT max((SELECT max(o.order_id) FROM owed_order o WHERE o.crawler = c.crawler AND o.sink = c.sink))
   FROM (SELECT DISTINCT crawler, sink FROM owed_count) c)) AS last`;

const HOST_TYPES = ['int2', 'text', 'int8', 'int8', 'int4', 'int2', 'int8'];

/** The clocks of a host never go back, so a late update from a node that has lost the host does no harm. */
const SAVE_HOSTS = `INSERT INTO host SELECT * FROM unnest(${HOST_TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
    AS i(part, host, next_request_at, back_off_until, back_off_step, paused, visit_price) ORDER BY 1, 2
  ON CONFLICT (part, host) DO UPDATE SET next_request_at = greatest(host.next_request_at, excluded.next_request_at),
    back_off_until = greatest(host.back_off_until, excluded.back_off_until), back_off_step = excluded.back_off_step, paused = excluded.paused,
    visit_price = excluded.visit_price`;

const PUT_SETTING = `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Hosts, ledger and settings in PostgreSQL. */
class PostgresRecords {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async loadHosts(hostKeys: readonly string[]): Promise<HostRecord[]> {
    const sql = `SELECT h.* FROM unnest($1::int2[], $2::text[]) AS i(part, host) JOIN host h ON h.part = i.part AND h.host = i.host`;
    const rows = await this.#pool.rows<StoredHost>(sql, [hostKeys.map(computePartition), [...hostKeys]], 'load-hosts');
    return rows.map(toHost);
  }

  async saveHosts(hosts: readonly HostRecord[]): Promise<void> {
    const rows = new Map(hosts.map((host) => [host.hostKey, [computePartition(host.hostKey), ...toHostValues(host)]]));
    await this.#pool.rows(SAVE_HOSTS, toColumns([...rows.values()], HOST_TYPES.length), 'save-hosts');
  }

  saveOrders(entries: readonly LedgerEntry[]): Promise<void> {
    return saveOrders(this.#pool, entries);
  }

  async deleteOrders(ids: readonly number[]): Promise<number> {
    return (await this.#pool.rows('DELETE FROM push_order WHERE id = ANY ($1::int8[]) RETURNING id', [[...ids]]))
      .length;
  }

  /** Begins a block above all ids in use: those of orders that were imported are of blocks of another database. */
  getLastOrderId(): Promise<number> {
    return this.#pool.transaction(async (connection) => {
      await connection.rows('SELECT pg_advisory_xact_lock($1)', [ORDER_BLOCK_LOCK]);
      const [row] = await connection.rows<{ block: number; last: number | null }>(NEXT_ORDER_BLOCK);
      const block = Math.max(row!.block, Math.floor((row!.last ?? 0) / ORDER_BLOCK_SIZE) + 1);
      if (block > row!.block) await connection.rows(`SELECT setval('order_block', $1)`, [block]);
      return block * ORDER_BLOCK_SIZE;
    });
  }

  async putSetting(name: string, value: string | undefined): Promise<void> {
    if (value === undefined) await this.#pool.rows('DELETE FROM setting WHERE name = $1', [name], 'delete-setting');
    else await this.#pool.rows(PUT_SETTING, [name, value], 'put-setting');
  }
}
