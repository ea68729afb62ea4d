import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { Secret } from '../../../domain/secret.js';
import type { FrontierStore, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { BULK_STEP, changeInSteps } from '../shared/bulk.js';
import { type StoredHost, toHost, toHostValues } from '../shared/host-row.js';
import { computePartition } from '../shared/partition.js';
import { countInSteps, findMatchingInSteps, needsSteps } from '../shared/search.js';
import { saveOrders } from './postgres-changes.js';
import { openPostgresDataSource } from './postgres-data-source.js';
import { PostgresFrontier } from './postgres-frontier.js';
import { PostgresOwed } from './postgres-owed.js';
import { PostgresPool } from './postgres-pool.js';
import { PostgresReads } from './postgres-reads.js';
import { PostgresSearch } from './postgres-search.js';
import { PostgresSortedUrls } from './postgres-sorted-urls.js';
import { toColumns } from './postgres-sql.js';

/**
 * Number of order ids that a server may assign per start; each start gets its own block, so ids are unique across all
 * servers of one database.
 */
const ORDER_BLOCK_SIZE = 2 ** 32;

/** Number of separate connections for user searches, which must not hold up the crawl's statements. */
const SEARCH_CONNECTIONS = 3;
/** A search should respond within 200 ms; the database ends statements that a pattern makes too slow. */
const MAX_STATEMENT_MS = 1_000;

const HOST_TYPES = ['int2', 'text', 'int8', 'int8', 'int4', 'int2', 'int8'];

/**
 * The store on PostgreSQL, version 13 or later, shared by any number of servers. Throws StoreUnavailable if the
 * database cannot be reached, StoreDamaged if it is newer than this program.
 */
export async function openPostgresStore(url: Secret): Promise<FrontierStore> {
  await (await openPostgresDataSource(url)).destroy();
  return createStore(
    new PostgresPool(url),
    new PostgresPool(url, { connections: SEARCH_CONNECTIONS, statementTimeoutMs: MAX_STATEMENT_MS }),
  );
}

function createStore(pool: PostgresPool, searchPool: PostgresPool): FrontierStore {
  const frontier = new PostgresFrontier(pool);
  const reads = new PostgresReads(pool);
  const search = new PostgresSearch(searchPool, (ids) => reads.get(ids));
  const owed = new PostgresOwed(pool);
  const sortedUrls = new PostgresSortedUrls(pool);
  const findMatching = (filter: UrlFilter, after: UrlId, limit: number): Promise<UrlId[]> =>
    needsSteps(filter)
      ? findMatchingInSteps((...args) => search.findMatches(filter, ...args), after, limit)
      : reads.findMatching(filter, after, limit);
  const changeAll = (filter: UrlFilter, apply: (ids: readonly number[]) => Promise<number>) =>
    changeInSteps((after) => findMatching(filter, after, BULK_STEP), apply);
  return {
    discover: (urls) => frontier.discover(urls),
    seed: (urls) => frontier.seed(urls),
    settle: (settlements) => frontier.settle(settlements),
    listDue: (...query) => frontier.listDue(...query),
    listBacklogs: (...query) => frontier.listBacklogs(...query),
    makeDue: (filter, dueAt, source, note) =>
      changeAll(filter, (ids) => {
        note?.(ids);
        return frontier.makeDueAmong(ids, filter, dueAt, source);
      }),
    forget: (filter) => changeAll(filter, (ids) => frontier.forgetMatching(ids, filter)),
    loadHosts: async (hostKeys) => {
      const sql = `SELECT h.* FROM unnest($1::int2[], $2::text[]) AS i(part, host) JOIN host h ON h.part = i.part AND h.host = i.host`;
      const rows = await pool.rows<StoredHost>(sql, [hostKeys.map(computePartition), [...hostKeys]], 'load-hosts');
      return rows.map(toHost);
    },
    saveHosts: async (hosts) => {
      const rows = new Map(
        hosts.map((host) => [host.hostKey, [computePartition(host.hostKey), ...toHostValues(host)]]),
      );
      await pool.rows(SAVE_HOSTS, toColumns([...rows.values()], HOST_TYPES.length), 'save-hosts');
    },
    saveOrders: (entries) => saveOrders(pool, entries),
    getLastOrderId: async () => {
      const [row] = await pool.rows<{ block: number }>(`SELECT nextval('order_block') AS block`);
      return row!.block * ORDER_BLOCK_SIZE;
    },
    pruneOrders: (decidedBefore, keep) =>
      changeInSteps(
        () => reads.findPrunable(decidedBefore, keep, BULK_STEP),
        async (ids) =>
          (await pool.rows('DELETE FROM push_order WHERE id = ANY ($1::int8[]) RETURNING id', [[...ids]])).length,
      ),
    putSetting: async (name, value) => {
      if (value === undefined) await pool.rows('DELETE FROM setting WHERE name = $1', [name]);
      else await pool.rows(PUT_SETTING, [name, value]);
    },
    find: (...query) => reads.find(...query),
    get: (ids) => reads.get(ids),
    list: async (filter, after, limit) =>
      needsSteps(filter) ? reads.get(await findMatching(filter, after, limit)) : reads.list(filter, after, limit),
    search: (...query) => search.search(...query),
    listFolders: (...query) => search.listFolders(...query),
    survey: (...query) => search.survey(...query),
    countFailing: (...query) => search.countFailing(...query),
    listFailingHosts: (...query) => search.listFailingHosts(...query),
    count: (filter, signal) =>
      needsSteps(filter) ? countInSteps((...args) => search.findMatches(filter, ...args), signal) : reads.count(filter),
    countByStatus: (crawler) => reads.countByStatus(crawler),
    findOldest: (crawler) => reads.findOldest(crawler),
    countIndexedOfHost: (...query) => reads.countIndexedOfHost(...query),
    listHosts: (...query) => reads.listHosts(...query),
    listByUrl: async (...query) => reads.get(await sortedUrls.getPage(...query)),
    listVisits: (...query) => reads.listVisits(...query),
    findByKeys: (...query) => reads.findByKeys(...query),
    findRemoved: (...query) => reads.findRemoved(...query),
    findPagesThatGaveWayTo: (...query) => reads.findPagesThatGaveWayTo(...query),
    getLinks: (...query) => reads.getLinks(...query),
    listOrders: (...query) => reads.listOrders(...query),
    getOrder: (id) => reads.getOrder(id),
    countOrders: (filter) => reads.countOrders(filter),
    listOwed: (...query) => owed.listOwed(...query),
    findOwed: (...query) => owed.findOwed(...query),
    countOwed: () => owed.countOwed(),
    dropOwed: (...query) => owed.dropOwed(...query),
    getSetting: (name) => reads.getSetting(name),
    listSettings: (...query) => reads.listSettings(...query),
    close: async () => {
      await sortedUrls.close();
      await searchPool.close();
      await pool.close();
    },
  };
}

/** The clocks of a host never go back, so a late update from a node that has lost the host does no harm. */
const SAVE_HOSTS = `INSERT INTO host SELECT * FROM unnest(${HOST_TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
    AS i(part, host, next_request_at, back_off_until, back_off_step, paused, visit_price) ORDER BY 1, 2
  ON CONFLICT (part, host) DO UPDATE SET next_request_at = greatest(host.next_request_at, excluded.next_request_at),
    back_off_until = greatest(host.back_off_until, excluded.back_off_until), back_off_step = excluded.back_off_step, paused = excluded.paused,
    visit_price = excluded.visit_price`;

const PUT_SETTING = `INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
