import type { IndexedText, UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import { SOURCES, type SourceNumber } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import { getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import {
  type CrawlerCounts,
  type FrontierStore,
  type LedgerEntry,
  type LedgerFilter,
  MAX_OLDEST_HOSTS,
  type PageLinks,
  type QueuedUrl,
  type SettingsPage,
  type UrlFilter,
  type Visit,
} from '../../../engine/ports/frontier-store.js';
import {
  allSettings,
  buildCounterQuery,
  buildOrderWhere,
  buildUrlWhere,
  computeSettingsEnd,
  LIKE,
} from '../shared/filter-sql.js';
import { type LinksRecord, toLinks } from '../shared/link-row.js';
import { type OrderRecord, toLedgerEntry, toOrderStateCode, toVisit, type VisitRecord } from '../shared/order-row.js';
import { computePartition, getPartition } from '../shared/partition.js';
import type { CounterChange } from '../shared/tally.js';
import { toCrawlerCounts } from '../shared/tally.js';
import { REMOVED, TEXT_COLUMNS, toIndexedText, toState, type UrlRecord, VISITED } from '../shared/url-row.js';
import { toIdColumns } from './postgres-changes.js';
import type { PostgresPool } from './postgres-pool.js';
import { numberParameters, SELECT_URL, URLS } from './postgres-sql.js';

type HostCounts = Awaited<ReturnType<FrontierStore['listHosts']>>;

const ACKNOWLEDGED = toOrderStateCode('acknowledged');

/** The read operations for PostgreSQL. */
export class PostgresReads {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async find(crawler: string, url: string): Promise<UrlState | undefined> {
    const host = getHostKey(toCrawlUrl(url));
    const [row] = await this.#pool.rows<UrlRecord>(
      `${SELECT_URL} WHERE s.part = $1 AND s.crawler = $2 AND s.host = $3 AND u.part = $1 AND u.key = $4 AND u.url = $5`,
      [computePartition(host), crawler, host, computeUrlKey(url), url],
      'find',
    );
    return row && toState(row);
  }

  async get(ids: readonly UrlId[]): Promise<UrlState[]> {
    const rows = await this.#pool.rows<UrlRecord>(URLS, toIdColumns(ids), 'urls');
    const states = new Map(rows.map((row) => [row.id, toState(row)]));
    return ids.flatMap((id) => states.get(id) ?? []);
  }

  async findByKeys(crawler: string, hostKey: string, keys: BigInt64Array): Promise<UrlState[]> {
    const sql = `${SELECT_URL} JOIN unnest($1::int8[]) AS k(key) ON u.key = k.key
      WHERE s.part = $2 AND u.part = $2 AND s.crawler = $3 AND s.host = $4`;
    const values = [[...keys], computePartition(hostKey), crawler, hostKey];
    return (await this.#pool.rows<UrlRecord>(sql, values, 'by-keys')).map(toState);
  }

  async findRemoved(crawler: string, keys: BigInt64Array): Promise<UrlState[]> {
    const sql = `${SELECT_URL} JOIN unnest($1::int8[]) AS k(key) ON u.key = k.key
      WHERE u.status = ${REMOVED} AND s.crawler = $2`;
    return (await this.#pool.rows<UrlRecord>(sql, [[...keys], crawler], 'removed')).map(toState);
  }

  async findPagesThatGaveWayTo(crawler: string, canonical: string, limit: number): Promise<UrlState[]> {
    const sql = `${SELECT_URL} WHERE u.canonical = $1 AND s.crawler = $2 AND u.status = ${VISITED} LIMIT $3`;
    return (await this.#pool.rows<UrlRecord>(sql, [canonical, crawler, limit], 'gave-way-to')).map(toState);
  }

  async getLinks(id: UrlId): Promise<PageLinks | undefined> {
    const sql = 'SELECT at, stamp, validators, keys FROM page_links WHERE part = $1 AND url_id = $2';
    const [row] = await this.#pool.rows<LinksRecord>(sql, [getPartition(id), id], 'links-of');
    return row && toLinks(row);
  }

  async listVisits(id: UrlId, limit: number): Promise<Visit[]> {
    const sql = 'SELECT * FROM visit WHERE part = $1 AND url_id = $2 ORDER BY at DESC LIMIT $3';
    return (await this.#pool.rows<VisitRecord>(sql, [getPartition(id), id, limit])).map(toVisit);
  }

  async countByStatus(crawler: string): Promise<CrawlerCounts> {
    const counters = await this.#pool.rows<CounterChange>(
      'SELECT status, source, indexed, sum(urls) AS urls FROM counter WHERE crawler = $1 GROUP BY 1, 2, 3',
      [crawler],
    );
    const [oldest] = await this.#pool.rows<{ due_at: Instant | null }>(
      'SELECT min(next_due_at) AS due_at FROM site WHERE crawler = $1 AND next_due_at IS NOT NULL',
      [crawler],
    );
    return toCrawlerCounts(counters, oldest?.due_at ?? undefined);
  }

  async findOldest(crawler: string): Promise<Map<SourceNumber, QueuedUrl>> {
    const rows = await this.#pool.rows<{ source: SourceNumber; url: string; due_at: Instant }>(
      `SELECT DISTINCT ON (q.source) q.source, q.url, q.due_at
       FROM (SELECT part, id FROM site WHERE crawler = $1 AND next_due_at IS NOT NULL ORDER BY next_due_at LIMIT $2) s
       CROSS JOIN generate_series(0, ${SOURCES.length - 1}) AS n (source)
       CROSS JOIN LATERAL (
         SELECT u.source, u.url, u.due_at FROM url u
         WHERE u.part = s.part AND u.source = n.source AND u.site_id = s.id ORDER BY u.due_at, u.id LIMIT 1) q
       ORDER BY q.source, q.due_at`,
      [crawler, MAX_OLDEST_HOSTS],
    );
    return new Map(rows.map(({ source, url, due_at }) => [source, { url, dueAt: due_at }]));
  }

  async countIndexedOfHost(crawler: string, host: string): Promise<number> {
    const sql = 'SELECT indexed FROM site WHERE part = $1 AND crawler = $2 AND host = $3';
    const values = [computePartition(host), crawler, host];
    const [row] = await this.#pool.rows<{ indexed: number }>(sql, values, 'indexed-of-host');
    return row?.indexed ?? 0;
  }

  listHosts(crawler: string, after: string | undefined, limit: number): Promise<HostCounts> {
    return this.#pool.rows(
      `SELECT host AS "hostKey", urls, indexed, errors, queued FROM site
       WHERE crawler = $1 AND host > $2 AND urls > 0 ORDER BY host LIMIT $3`,
      [crawler, after ?? '', limit],
    );
  }

  async list(filter: UrlFilter, after: UrlId, limit: number): Promise<UrlState[]> {
    const where = buildUrlWhere(filter, LIKE);
    const rows = await this.#pool.rows<UrlRecord>(
      `${SELECT_URL} WHERE (u.part, u.id) > ($1, $2) AND ${numberParameters(where.sql, 4)} ORDER BY u.part, u.id LIMIT $3`,
      [getPartition(after), after, limit, ...where.values],
    );
    return rows.map(toState);
  }

  async listTexts(crawler: string, after: UrlId, limit: number): Promise<IndexedText[]> {
    const rows = await this.#pool.rows<UrlRecord>(
      `SELECT ${TEXT_COLUMNS} FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id
       WHERE (u.part, u.id) > ($1, $2) AND s.crawler = $3 AND u.stamp IS NOT NULL ORDER BY u.part, u.id LIMIT $4`,
      [getPartition(after), after, crawler, limit],
    );
    return rows.map(toIndexedText);
  }

  /** Finds ids of matching URLs, in the order of `list`, for work in steps. */
  async findMatching(filter: UrlFilter, after: UrlId, limit: number): Promise<UrlId[]> {
    const where = buildUrlWhere(filter, LIKE);
    const rows = await this.#pool.rows<{ id: UrlId }>(
      `SELECT u.id FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id
       WHERE (u.part, u.id) > ($1, $2) AND ${numberParameters(where.sql, 4)} ORDER BY u.part, u.id LIMIT $3`,
      [getPartition(after), after, limit, ...where.values],
    );
    return rows.map(({ id }) => id);
  }

  async count(filter: UrlFilter): Promise<number> {
    const counterQuery = buildCounterQuery(filter);
    if (counterQuery)
      return (await this.#pool.rows<{ urls: number }>(numberParameters(counterQuery.sql, 1), counterQuery.values))[0]!
        .urls;
    const where = buildUrlWhere(filter, LIKE);
    const sql = `SELECT count(*) AS urls FROM url u JOIN site s ON s.part = u.part AND s.id = u.site_id
      WHERE ${numberParameters(where.sql, 1)}`;
    return (await this.#pool.rows<{ urls: number }>(sql, where.values))[0]!.urls;
  }

  async getOrder(id: number): Promise<LedgerEntry | undefined> {
    const [row] = await this.#pool.rows<OrderRecord>('SELECT * FROM push_order WHERE id = $1', [id]);
    return row && toLedgerEntry(row);
  }

  async listOrders(filter: LedgerFilter, before: number | undefined, limit: number): Promise<LedgerEntry[]> {
    const where = buildOrderWhere(filter);
    const rows = await this.#pool.rows<OrderRecord>(
      `SELECT * FROM push_order WHERE id < $1 AND ${numberParameters(where.sql, 3)} ORDER BY id DESC LIMIT $2`,
      [before ?? Number.MAX_SAFE_INTEGER, limit, ...where.values],
    );
    return rows.map(toLedgerEntry);
  }

  async countOrders(filter: LedgerFilter): Promise<number> {
    const where = buildOrderWhere(filter);
    const sql = `SELECT count(*) AS orders FROM push_order WHERE ${numberParameters(where.sql, 1)}`;
    return (await this.#pool.rows<{ orders: number }>(sql, where.values))[0]!.orders;
  }

  /** Finds acknowledged orders that need not be kept, oldest first. */
  async findPrunable(decidedBefore: Instant, keepCount: number, limit: number): Promise<number[]> {
    const rows = await this.#pool.rows<{ id: number }>(
      `SELECT id FROM push_order WHERE state = ${ACKNOWLEDGED} AND (decided_at < $1 OR id <=
         (SELECT id FROM push_order WHERE state = ${ACKNOWLEDGED} ORDER BY id DESC LIMIT 1 OFFSET $2)) ORDER BY id LIMIT $3`,
      [decidedBefore, keepCount, limit],
    );
    return rows.map(({ id }) => id);
  }

  async measureSize(): Promise<number> {
    const [row] = await this.#pool.rows<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
    return Number(row?.bytes);
  }

  async getSetting(name: string): Promise<string | undefined> {
    const sql = 'SELECT value FROM setting WHERE name = $1';
    return (await this.#pool.rows<{ value: string }>(sql, [name], 'setting'))[0]?.value;
  }

  async listSettings(
    prefix: string,
    { from, limit }: SettingsPage = allSettings(prefix),
  ): Promise<ReadonlyMap<string, string>> {
    const sql = 'SELECT name, value FROM setting WHERE name >= $1 AND name < $2 ORDER BY name LIMIT $3';
    const rows = await this.#pool.rows<{ name: string; value: string }>(sql, [from, computeSettingsEnd(prefix), limit]);
    return new Map(rows.map(({ name, value }) => [name, value]));
  }
}
