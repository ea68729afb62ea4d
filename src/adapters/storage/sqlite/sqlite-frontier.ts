import type { Statement } from 'better-sqlite3';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type { Backlog, NewUrl, Settlement, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { buildUrlWhere, GLOB } from '../shared/filter-sql.js';
import { type Keys, sortByIndex } from '../shared/keys.js';
import { toLinkValues } from '../shared/link-row.js';
import { MAX_VISITS, toVisitValues, UNFINISHED_STATES } from '../shared/order-row.js';
import { type CountedRow, Tally } from '../shared/tally.js';
import {
  buildCrawledCondition,
  CHANGES,
  createCountedRow,
  createDueChanges,
  createRestartChanges,
  createState,
  createSubmissionChanges,
  listChangedFields,
  NEW_COLUMNS,
  REMOVED,
  type RowChanges,
  toNewValues,
  toState,
  toStoredValue,
  type UrlRecord,
  type Value,
} from '../shared/url-row.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';
import { SELECT_URL } from './sqlite-reads.js';
import { SqliteOwed, SqliteRecords } from './sqlite-records.js';
import { createCounterWriter, EARLIEST_BY_SOURCE, SqliteSites } from './sqlite-sites.js';

type CountedUrl = CountedRow & { readonly id: UrlId; readonly visits: number };

/**
 * The write operations of the frontier on one SQLite handle. They are synchronous and block the calling thread. Every
 * operation that writes must be called inside `transaction`, which may contain several of them.
 */
export class SqliteFrontier {
  readonly records: SqliteRecords;
  readonly owed: SqliteOwed;
  readonly #db: Handle;
  readonly #sites: SqliteSites;
  readonly #tally = new Tally();
  readonly #writeCounters;
  readonly #updates = new Map<string, Statement<Value[]>>();
  readonly #sql;

  constructor(db: Handle) {
    this.#db = db;
    this.#sites = new SqliteSites(db);
    this.#writeCounters = createCounterWriter(db, (site) => this.#sites.getCrawler(site));
    this.records = new SqliteRecords(db);
    this.owed = new SqliteOwed(db);
    this.#sql = prepareStatements(db);
  }

  /** Runs the action in one transaction: either all its changes are stored or none. */
  transaction<T>(action: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      this.#writeCounters(this.#tally.drainChanges());
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#tally.drainChanges();
      this.#sites.clearCache();
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Finds the positions of keys that belong to no stored URL of their site, or to one whose status is removed. */
  findUnknown({ sites, sitePositions, keys }: Keys): Uint32Array {
    const ids = sites.map(([crawler, host]) => this.#sites.findId(crawler, host));
    const positions: number[] = [];
    const hasRemoved = this.#sql.selectAnyRemoved.get() !== undefined;
    for (const i of sortByIndex(sitePositions, keys)) {
      const id = ids[sitePositions[i]!];
      const key = keys[i]!;
      const isKnown = id !== undefined && this.#sql.selectId.get(id, key) !== undefined;
      if (!isKnown || (hasRemoved && this.#sql.selectRemoved.get(key, id) !== undefined)) positions.push(i);
    }
    return Uint32Array.from(positions).sort();
  }

  /** Stores unknown URLs and restarts removed ones. Returns their ids in the given order; 0 for any other known URL. */
  insert(urls: readonly NewUrl[]): Float64Array {
    return Float64Array.from(urls, (url) => this.#insert(url) ?? 0);
  }

  seed(urls: readonly NewUrl[]): { readonly state: UrlState; readonly known: boolean }[] {
    return urls.map((url) => {
      const addedId = this.#insert(url);
      if (addedId !== undefined) return { state: createState(addedId, url), known: false };
      const id = this.#sql.selectId.get(this.#sites.findOrAddId(url.crawler, url.hostKey), url.key) as UrlId;
      this.#update(this.#sql.selectCounted.get(id) as CountedUrl, createSubmissionChanges(url));
      return { state: toState(this.#sql.selectUrl.get(id) as UrlRecord), known: true };
    });
  }

  listDue(
    crawler: string,
    hostKey: string,
    source: SourceNumber,
    now: Instant,
    limit: number,
    excludedIds: ReadonlySet<UrlId>,
  ): { urls: UrlState[]; next?: Instant } {
    const site = this.#sites.findId(crawler, hostKey);
    if (site === undefined) return { urls: [] };
    const ids: UrlId[] = [];
    let next: Instant | undefined;
    // Walks only the index, so that skipping the URLs in memory needs no row reads.
    for (const [id, dueAt] of this.#sql.queue.iterate(site, source) as Iterable<[UrlId, Instant]>) {
      if (excludedIds.has(id)) continue;
      if (dueAt > now || ids.length >= limit) {
        next = dueAt;
        break;
      }
      ids.push(id);
    }
    return { urls: ids.map((id) => toState(this.#sql.selectUrl.get(id) as UrlRecord)), next };
  }

  settle(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) {
      const row = this.#sql.selectCounted.get(settlement.id) as CountedUrl | undefined;
      if (row) this.#settleUrl(row, settlement);
      if (settlement.orders) this.records.saveOrders(settlement.orders);
      if (settlement.owed) this.owed.save(settlement.owed);
    }
  }

  listBacklogs(
    crawler: string,
    horizon: Instant,
    after: string | undefined,
    limit: number,
  ): { backlogs: Backlog[]; next?: string } {
    const sites = this.#sql.dueSites.all(crawler, after ?? '', horizon, limit) as [number, string][];
    const backlogs: Backlog[] = [];
    for (const [site, hostKey] of sites) {
      for (const [source, dueAt] of this.#sql.earliest.all({ site }) as [SourceNumber, Instant | null][]) {
        if (dueAt !== null && dueAt <= horizon) backlogs.push({ crawler, hostKey, source, dueAt });
      }
    }
    return { backlogs, next: sites.length < limit ? undefined : sites.at(-1)?.[1] };
  }

  /** Makes those of the given URLs due that (still) match the filter and may be crawled. */
  makeDueAmong(ids: readonly UrlId[], filter: UrlFilter, dueAt: Instant, source: SourceNumber): number {
    const rows = this.#findMatching(ids, filter, buildCrawledCondition(filter));
    for (const row of rows) this.#update(row, createDueChanges(row, dueAt, source));
    return rows.length;
  }

  /**
   * Deletes those of the given URLs that (still) match the filter and have neither a document nor an unfinished order.
   */
  forgetMatching(ids: readonly UrlId[], filter: UrlFilter): number {
    const rows = this.#findMatching(ids, filter, FORGETTABLE);
    for (const row of rows) this.#remove(row);
    return rows.length;
  }

  #insert(url: NewUrl): UrlId | undefined {
    const site = this.#sites.findOrAddId(url.crawler, url.hostKey);
    // Most links are known, and an index probe costs a fifth of an insert that has no effect.
    if (this.#sql.selectId.get(site, url.key) !== undefined) return this.#restartRemoved(site, url);
    const id = Number(this.#sql.insert.run(site, ...toNewValues(url)).lastInsertRowid);
    this.#tally.countRow(createCountedRow(site, url), 1);
    return id;
  }

  /** Restarts a known URL if its status is removed, and then returns its id. */
  #restartRemoved(site: number, url: NewUrl): UrlId | undefined {
    if (url.source === undefined) return undefined;
    const row = this.#sql.selectRemoved.get(url.key, site) as CountedUrl | undefined;
    if (row) this.#update(row, createRestartChanges(url));
    return row?.id;
  }

  #settleUrl(row: CountedUrl, { changes, visit, remove, links }: Settlement): void {
    if (remove) {
      this.#remove(row);
      return;
    }
    if (changes) this.#update(row, changes);
    if (links) this.#sql.saveLinks.run(row.id, ...toLinkValues(links));
    if (visit) {
      this.#sql.insertVisit.run(row.id, ...toVisitValues(visit));
      if (Math.max(row.visits, changes?.visits ?? 0) > MAX_VISITS) this.#sql.pruneVisits.run(row.id, row.id);
    }
  }

  #remove(row: CountedUrl): void {
    this.#sql.deleteVisits.run(row.id);
    this.#sql.deleteLinks.run(row.id);
    this.#sql.deleteUrl.run(row.id);
    this.#tally.countRow(row, -1);
  }

  /** Writes only the columns that change, so that indexes on other columns are not touched. */
  #update(row: CountedUrl, changes: RowChanges): void {
    const fields = listChangedFields(changes);
    if (fields.length === 0) return;
    this.#prepareUpdate(fields).run(...fields.map((field) => toStoredValue(field, changes)), row.id);
    this.#tally.countChangedRow(row, changes);
  }

  /** Prepares one statement for each combination of changed fields; the engine uses only a few. */
  #prepareUpdate(fields: readonly (keyof RowChanges)[]): Statement<Value[]> {
    const assignments = fields.map((field) => `${CHANGES[field].column} = ?`).join(', ');
    let update = this.#updates.get(assignments);
    if (!update) {
      update = prepareOnce<Value[]>(this.#db, `UPDATE url SET ${assignments} WHERE id = ?`);
      this.#updates.set(assignments, update);
    }
    return update;
  }

  #findMatching(ids: readonly UrlId[], filter: UrlFilter, condition: string): CountedUrl[] {
    const where = buildUrlWhere(filter, GLOB);
    return this.#db
      .prepare(
        `SELECT ${COUNTED} FROM json_each(?) wanted CROSS JOIN url u ON u.id = wanted.value
         JOIN site s ON s.id = u.site_id WHERE ${condition} AND ${where.sql}`,
      )
      .all(JSON.stringify(ids), ...where.values) as CountedUrl[];
  }
}

const COUNTED = 'u.id, u.site_id, u.status, u.source, u.due_at, u.visits, u.stamp IS NOT NULL AS indexed';

const FORGETTABLE = `u.stamp IS NULL AND u.pending_deletion IS NULL AND NOT EXISTS
  (SELECT 1 FROM push_order o WHERE o.uri_key = u.key AND o.uri = u.url AND o.crawler = s.crawler
     AND o.state IN (${UNFINISHED_STATES.join(', ')}))`;

const prepareStatements = (db: Handle) => ({
  selectId: prepareOnce<[number, bigint], UrlId>(db, 'SELECT id FROM url WHERE site_id = ? AND key = ?').pluck(),
  insert: prepareOnce<Value[]>(
    db,
    `INSERT INTO url (site_id, ${NEW_COLUMNS.join(', ')}) VALUES (?, ${NEW_COLUMNS.map(() => '?').join(', ')})`,
  ),
  selectUrl: prepareOnce(db, `${SELECT_URL} WHERE u.id = ?`),
  queue: prepareOnce(db, 'SELECT id, due_at FROM url WHERE site_id = ? AND source = ? ORDER BY due_at, id').raw(),
  selectCounted: prepareOnce(db, `SELECT ${COUNTED} FROM url u WHERE u.id = ?`),
  deleteUrl: prepareOnce(db, 'DELETE FROM url WHERE id = ?'),
  dueSites: prepareOnce(
    db,
    'SELECT id, host FROM site WHERE crawler = ? AND host > ? AND next_due_at <= ? ORDER BY host LIMIT ?',
  ).raw(),
  earliest: prepareOnce(db, EARLIEST_BY_SOURCE).raw(),
  insertVisit: prepareOnce(db, 'INSERT OR REPLACE INTO visit VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
  pruneVisits: prepareOnce(
    db,
    `DELETE FROM visit WHERE url_id = ?
       AND at < (SELECT at FROM visit WHERE url_id = ? ORDER BY at DESC LIMIT 1 OFFSET ${MAX_VISITS - 1})`,
  ),
  selectAnyRemoved: prepareOnce(db, `SELECT 1 FROM url WHERE status = ${REMOVED} LIMIT 1`),
  selectRemoved: prepareOnce(
    db,
    `SELECT ${COUNTED} FROM url u WHERE u.key = ? AND u.site_id = ? AND u.status = ${REMOVED} AND u.source IS NULL`,
  ),
  saveLinks: prepareOnce(db, 'INSERT OR REPLACE INTO page_links VALUES (?, ?, ?, ?, ?)'),
  deleteLinks: prepareOnce(db, 'DELETE FROM page_links WHERE url_id = ?'),
  deleteVisits: prepareOnce(db, 'DELETE FROM visit WHERE url_id = ?'),
});
