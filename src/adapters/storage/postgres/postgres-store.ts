import type { Secret } from '../../../domain/secret.js';
import type { FrontierStore } from '../../../engine/ports/frontier-store.js';
import { openPostgresNodes } from '../cluster/postgres-nodes.js';
import { AdminStore } from '../shared/admin-store.js';
import { decryptSecrets, type EncryptedSecret } from '../shared/seal.js';
import { bindMethods, createLongCalls } from '../shared/store-calls.js';
import type { OpenBackend } from '../store-backend.js';
import { getDisplayName } from './connection.js';
import { openPostgresDataSource } from './postgres-data-source.js';
import { PostgresFrontier } from './postgres-frontier.js';
import { PostgresOwed } from './postgres-owed.js';
import { PostgresPool, toPortError } from './postgres-pool.js';
import { PostgresReads } from './postgres-reads.js';
import { PostgresRecords } from './postgres-records.js';
import { PostgresSearch } from './postgres-search.js';
import { PostgresSortedUrls } from './postgres-sorted-urls.js';

/** Number of separate connections for user searches, which must not hold up the crawl's statements. */
const SEARCH_CONNECTIONS = 3;
/** A search should respond within 200 ms; the database ends statements that a pattern makes too slow. */
const MAX_STATEMENT_MS = 1_000;

/**
 * The store on PostgreSQL, version 13 or later, shared by any number of servers. Throws StoreUnavailable if the
 * database cannot be reached, StoreDamaged if it has other tables than this program uses.
 */
export async function openPostgresStore(url: Secret): Promise<FrontierStore> {
  await (await openPostgresDataSource(url)).destroy();
  const pool = new PostgresPool(url);
  const searchPool = new PostgresPool(url, { connections: SEARCH_CONNECTIONS, statementTimeoutMs: MAX_STATEMENT_MS });
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
    listByUrl: async (...query) => reads.get(await sortedUrls.getPage(...query)),
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
  openStore: () => openPostgresStore(url),
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
