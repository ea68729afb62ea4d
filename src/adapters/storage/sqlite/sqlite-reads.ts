import type { Statement } from 'better-sqlite3';
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
  findHost,
  GLOB,
  type Where,
} from '../shared/filter-sql.js';
import { type LinksRecord, toLinks } from '../shared/link-row.js';
import { type OrderRecord, toLedgerEntry, toOrderStateCode, toVisit, type VisitRecord } from '../shared/order-row.js';
import type { CounterChange } from '../shared/tally.js';
import { toCrawlerCounts } from '../shared/tally.js';
import {
  REMOVED,
  TEXT_COLUMNS,
  toIndexedText,
  toState,
  URL_COLUMNS,
  type UrlRecord,
  VISITED,
} from '../shared/url-row.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

export const SELECT_URL = `SELECT ${URL_COLUMNS} FROM url u JOIN site s ON s.id = u.site_id`;

/** Number of URLs that can be sorted quickly. */
const MAX_SORTED_URLS = 20_000;
/** Number of URLs that are sorted in a step, of half a second or so: a server that stops waits for its end. */
const SORT_STEP = 100_000;

type HostCounts = Awaited<ReturnType<FrontierStore['listHosts']>>;

/** The synchronous read operations on one SQLite handle. */
export class SqliteReads {
  readonly #db: Handle;
  readonly #sql;
  /** Filters have a few dozen forms, and preparing takes longer than reading a URL's orders or a counter. */
  readonly #statementsByText = new Map<string, Statement>();

  constructor(db: Handle) {
    this.#db = db;
    this.#sql = prepareStatements(db);
  }

  find(crawler: string, url: string): UrlState | undefined {
    const row = this.#sql.find.get(crawler, getHostKey(toCrawlUrl(url)), computeUrlKey(url), url) as
      | UrlRecord
      | undefined;
    return row && toState(row);
  }

  get(ids: readonly UrlId[]): UrlState[] {
    return ids.flatMap((id) => {
      const row = this.#sql.byId.get(id) as UrlRecord | undefined;
      return row ? [toState(row)] : [];
    });
  }

  findByKeys(crawler: string, hostKey: string, keys: BigInt64Array): UrlState[] {
    return (this.#sql.byKeys.all(`[${keys.join()}]`, crawler, hostKey) as UrlRecord[]).map(toState);
  }

  /** Finds URLs with these keys whose status is removed. */
  findRemoved(crawler: string, keys: BigInt64Array): UrlState[] {
    return (this.#sql.removed.all(`[${keys.join()}]`, crawler) as UrlRecord[]).map(toState);
  }

  findPagesThatGaveWayTo(crawler: string, canonical: string, limit: number): UrlState[] {
    return (this.#sql.gaveWayTo.all(canonical, crawler, limit) as UrlRecord[]).map(toState);
  }

  getLinks(id: UrlId): PageLinks | undefined {
    const row = this.#sql.links.get(id) as LinksRecord | undefined;
    return row && toLinks(row);
  }

  listVisits(id: UrlId, limit: number): Visit[] {
    return (this.#sql.visits.all(id, limit) as VisitRecord[]).map(toVisit);
  }

  countByStatus(crawler: string): CrawlerCounts {
    const oldestDueAt = (this.#sql.oldestDue.get(crawler) ?? undefined) as Instant | undefined;
    return toCrawlerCounts(this.#sql.counters.all(crawler) as CounterChange[], oldestDueAt);
  }

  /**
   * Finds the oldest queued URL of each source. Hosts are read in the order of their first due time: once that exceeds
   * the due time found for a source, the source's oldest URL is known.
   */
  findOldest(crawler: string): Map<SourceNumber, QueuedUrl> {
    const oldest = new Map<SourceNumber, QueuedUrl>();
    const { bySource } = this.countByStatus(crawler);
    const queuedSources = SOURCES.map((_, source) => source as SourceNumber).filter(
      (number) => (bySource[number] ?? 0) > 0,
    );
    const getDueTime = (source: SourceNumber): number => oldest.get(source)?.dueAt ?? Number.POSITIVE_INFINITY;
    for (const { id, dueAt } of this.#sql.sitesDue.all(crawler, MAX_OLDEST_HOSTS) as { id: number; dueAt: Instant }[]) {
      const unresolvedSources = queuedSources.filter((source) => getDueTime(source) > dueAt);
      if (unresolvedSources.length === 0) break;
      for (const source of unresolvedSources) {
        const oldestUrl = this.#sql.firstOfSite.get(id, source) as QueuedUrl | undefined;
        if (oldestUrl && oldestUrl.dueAt < getDueTime(source)) oldest.set(source, oldestUrl);
      }
    }
    return oldest;
  }

  countIndexedOfHost(crawler: string, host: string): number {
    return (this.#sql.indexedOfHost.get(crawler, host) as number | undefined) ?? 0;
  }

  listHosts(crawler: string, after: string | undefined, limit: number): HostCounts {
    return this.#sql.hosts.all(crawler, after ?? '', limit) as HostCounts;
  }

  list(filter: UrlFilter, after: UrlId, limit: number): UrlState[] {
    const { from, where } = this.#buildSearchScope(filter);
    const statement = this.#db.prepare(
      `SELECT ${URL_COLUMNS} ${from} WHERE u.id > ? AND ${where.sql} ORDER BY u.id LIMIT ?`,
    );
    return (statement.all(after, ...where.values, limit) as UrlRecord[]).map(toState);
  }

  listTexts(crawler: string, after: UrlId, limit: number): IndexedText[] {
    return (this.#sql.texts.all(after, crawler, limit) as UrlRecord[]).map(toIndexedText);
  }

  count(filter: UrlFilter): number {
    const counterQuery = buildCounterQuery(filter);
    if (counterQuery)
      return this.#prepareByText(counterQuery.sql)
        .pluck()
        .get(...counterQuery.values) as number;
    const { from, where } = this.#buildSearchScope(filter);
    return this.#db
      .prepare(`SELECT count(*) ${from} WHERE ${where.sql}`)
      .pluck()
      .get(...where.values) as number;
  }

  /** Finds ids of matching URLs in ascending order, for work in steps. */
  findMatching(filter: UrlFilter, after: UrlId, limit: number): UrlId[] {
    const { from, where } = this.#buildSearchScope(filter);
    const statement = this.#db.prepare(`SELECT u.id ${from} WHERE u.id > ? AND ${where.sql} ORDER BY u.id LIMIT ?`);
    return statement.pluck().all(after, ...where.values, limit) as UrlId[];
  }

  /**
   * There is no index on the text of URLs (it would be the largest of all), so they are sorted into a temporary table
   * before the first page is read; URLs that are added or deleted in the meantime are left out. This is one step of it.
   * @param after the last id of the previous step, 0 to start
   * @returns the last id of this step, undefined if it was the last one
   */
  sortUrls(table: number, crawler: string, after: UrlId): UrlId | undefined {
    if (after === 0) {
      this.#dropSortedUrls(table);
      this.#db.exec(`CREATE TEMP TABLE by_url_${table} (url TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID`);
    }
    const last = after + SORT_STEP;
    this.#db
      .prepare(
        `INSERT OR IGNORE INTO temp.by_url_${table} SELECT u.url, u.id FROM url u CROSS JOIN site s ON s.id = u.site_id
         WHERE u.id > ? AND u.id <= ? AND s.crawler = ? ORDER BY u.url`,
      )
      .run(after, last, crawler);
    return last < (this.#sql.lastUrl.get() as number) ? last : undefined;
  }

  /** Lists URLs that have been sorted and are still stored; after the last one, the table is removed. */
  listSorted(table: number, after: string | undefined, limit: number): UrlState[] {
    // The id of a deleted URL may have been given to a new one.
    const page = this.#db
      .prepare(
        `SELECT ${URL_COLUMNS} FROM temp.by_url_${table} b CROSS JOIN url u ON u.id = b.id AND u.url = b.url
         CROSS JOIN site s ON s.id = u.site_id WHERE b.url > ? ORDER BY b.url LIMIT ?`,
      )
      .all(after ?? '', limit) as UrlRecord[];
    if (page.length < limit) this.#dropSortedUrls(table);
    return page.map(toState);
  }

  getOrder(id: number): LedgerEntry | undefined {
    const row = this.#sql.order.get(id) as OrderRecord | undefined;
    return row && toLedgerEntry(row);
  }

  listOrders(filter: LedgerFilter, before: number | undefined, limit: number): LedgerEntry[] {
    const where = buildOrderWhere(filter);
    const statement = this.#prepareByText(
      `SELECT * FROM push_order WHERE id < ? AND ${where.sql} ORDER BY id DESC LIMIT ?`,
    );
    return (statement.all(before ?? Number.MAX_SAFE_INTEGER, ...where.values, limit) as OrderRecord[]).map(
      toLedgerEntry,
    );
  }

  countOrders(filter: LedgerFilter): number {
    const where = buildOrderWhere(filter);
    return this.#prepareByText(`SELECT count(*) FROM push_order WHERE ${where.sql}`)
      .pluck()
      .get(...where.values) as number;
  }

  #prepareByText(sql: string): Statement {
    const statement = this.#statementsByText.get(sql) ?? this.#db.prepare(sql);
    this.#statementsByText.set(sql, statement);
    return statement;
  }

  getLastOrderId(): number {
    return this.#sql.lastOrder.get() as number;
  }

  /**
   * Finds acknowledged orders that need not be kept, oldest first. The newest order is always kept, because ids must
   * not be reused.
   */
  findPrunable(decidedBefore: Instant, keepCount: number, limit: number): number[] {
    const lastSurplusId = (this.#sql.nthAcknowledged.get(keepCount) as number | undefined) ?? 0;
    return this.#sql.prunable.all(lastSurplusId, decidedBefore, limit) as number[];
  }

  measureSize(): number {
    return this.#sql.size.get() as number;
  }

  getSetting(name: string): string | undefined {
    return this.#sql.setting.get(name) as string | undefined;
  }

  listSettings(prefix: string, { from, limit }: SettingsPage = allSettings(prefix)): ReadonlyMap<string, string> {
    return new Map(this.#sql.settings.all(from, computeSettingsEnd(prefix), limit) as [string, string][]);
  }

  /**
   * Determines the tables and the condition of a search. CROSS JOIN keeps SQLite from choosing the order of the tables:
   * it does not know their sizes and would sort millions of a crawler's URLs for every page. Only if the site is small
   * is it looked up first and its URLs sorted.
   */
  #buildSearchScope(filter: UrlFilter): { readonly from: string; readonly where: Where } {
    const where = buildUrlWhere(filter, GLOB);
    const host = findHost(filter);
    const isSmallSite = host !== undefined && (this.#sql.urlsOfHost.get(host) as number) <= MAX_SORTED_URLS;
    const from = isSmallSite
      ? 'FROM site s CROSS JOIN url u ON u.site_id = s.id'
      : 'FROM url u CROSS JOIN site s ON s.id = u.site_id';
    return { from, where };
  }

  #dropSortedUrls(table: number): void {
    this.#db.exec(`DROP TABLE IF EXISTS temp.by_url_${table}`);
  }
}

const ACKNOWLEDGED = toOrderStateCode('acknowledged');

const prepareStatements = (db: Handle) => ({
  find: prepareOnce(db, `${SELECT_URL} WHERE s.crawler = ? AND s.host = ? AND u.key = ? AND u.url = ?`),
  texts: prepareOnce(
    db,
    `SELECT ${TEXT_COLUMNS} FROM url u CROSS JOIN site s ON s.id = u.site_id
     WHERE u.id > ? AND s.crawler = ? AND u.stamp IS NOT NULL ORDER BY u.id LIMIT ?`,
  ),
  byId: prepareOnce(db, `${SELECT_URL} WHERE u.id = ?`),
  byKeys: prepareOnce(
    db,
    `SELECT ${URL_COLUMNS} FROM json_each(?) k CROSS JOIN site s CROSS JOIN url u ON u.site_id = s.id AND u.key = k.value
     WHERE s.crawler = ? AND s.host = ?`,
  ),
  removed: prepareOnce(
    db,
    `SELECT ${URL_COLUMNS} FROM json_each(?) k CROSS JOIN url u ON u.key = k.value AND u.status = ${REMOVED}
     JOIN site s ON s.id = u.site_id WHERE s.crawler = ?`,
  ),
  gaveWayTo: prepareOnce(db, `${SELECT_URL} WHERE u.canonical = ? AND s.crawler = ? AND u.status = ${VISITED} LIMIT ?`),
  links: prepareOnce(db, 'SELECT * FROM page_links WHERE url_id = ?'),
  visits: prepareOnce(db, 'SELECT * FROM visit WHERE url_id = ? ORDER BY at DESC LIMIT ?'),
  counters: prepareOnce(db, 'SELECT status, source, indexed, urls FROM counter WHERE crawler = ?'),
  oldestDue: prepareOnce(db, 'SELECT min(next_due_at) FROM site WHERE crawler = ? AND next_due_at IS NOT NULL').pluck(),
  sitesDue: prepareOnce(
    db,
    'SELECT id, next_due_at AS "dueAt" FROM site WHERE crawler = ? AND next_due_at IS NOT NULL ORDER BY next_due_at LIMIT ?',
  ),
  firstOfSite: prepareOnce(
    db,
    'SELECT url, due_at AS "dueAt" FROM url WHERE site_id = ? AND source = ? ORDER BY due_at LIMIT 1',
  ),
  indexedOfHost: prepareOnce(db, 'SELECT indexed FROM site WHERE crawler = ? AND host = ?').pluck(),
  urlsOfHost: prepareOnce(db, 'SELECT coalesce(sum(urls), 0) FROM site WHERE host = ?').pluck(),
  hosts: prepareOnce(
    db,
    `SELECT host AS hostKey, urls, indexed, errors, queued FROM site
     WHERE crawler = ? AND host > ? AND urls > 0 ORDER BY host LIMIT ?`,
  ),
  order: prepareOnce(db, 'SELECT * FROM push_order WHERE id = ?'),
  lastUrl: prepareOnce(db, 'SELECT coalesce(max(id), 0) FROM url').pluck(),
  lastOrder: prepareOnce(
    db,
    'SELECT max(coalesce((SELECT max(id) FROM push_order), 0), coalesce((SELECT max(order_id) FROM owed_order), 0))',
  ).pluck(),
  nthAcknowledged: prepareOnce(
    db,
    `SELECT id FROM push_order WHERE state = ${ACKNOWLEDGED} ORDER BY id DESC LIMIT 1 OFFSET ?`,
  ).pluck(),
  prunable: prepareOnce(
    db,
    `SELECT id FROM push_order WHERE state = ${ACKNOWLEDGED} AND (id <= ? OR decided_at < ?)
         AND id < (SELECT max(id) FROM push_order) ORDER BY id LIMIT ?`,
  ).pluck(),
  size: prepareOnce(db, 'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()').pluck(),
  setting: prepareOnce(db, 'SELECT value FROM setting WHERE name = ?').pluck(),
  settings: prepareOnce(db, 'SELECT name, value FROM setting WHERE name >= ? AND name < ? ORDER BY name LIMIT ?').raw(),
});
