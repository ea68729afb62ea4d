import type { Statement } from 'better-sqlite3';
import type { UrlId, UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import type { Instant } from '../../../domain/time/units.js';
import type { Backlog, NewUrl, Settlement, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { buildUrlWhere, GLOB } from '../shared/filter-sql.js';
import { type Keys, sortByIndex } from '../shared/keys.js';
import { toLinkValues } from '../shared/link-row.js';
import { KEPT_VISITS, toVisitValues, UNDER_WAY } from '../shared/order-row.js';
import { type Counted, Tally } from '../shared/tally.js';
import {
  CHANGES,
  createDueChanges,
  createRestartChanges,
  createState,
  createSubmissionChanges,
  listChangedFields,
  NEVER_CRAWLED,
  NEW_COLUMNS,
  REMOVED,
  type RowChanges,
  toCounted,
  toNewValues,
  toState,
  toStoredValue,
  type UrlRecord,
  type Value,
} from '../shared/url-row.js';
import { createCounterWriter, EARLIEST_BY_SOURCE } from './sqlite-counters.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';
import { SqliteOwed } from './sqlite-owed.js';
import { SELECT_URL } from './sqlite-reads.js';
import { SqliteRecords } from './sqlite-records.js';
import { SqliteSites } from './sqlite-sites.js';

type CountedUrl = Counted & { readonly id: UrlId; readonly visits: number };

/**
 * The write operations of the frontier on one SQLite handle. They are synchronous: the caller owns the thread. Every
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

  /** Runs the action in one transaction: either everything is stored, or nothing. */
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

  /** Finds the positions of keys that no URL of their site has. */
  findUnknown({ sites, site, keys }: Keys): Uint32Array {
    const ids = sites.map(([crawler, host]) => this.#sites.findId(crawler, host));
    const positions: number[] = [];
    const anyRemoved = this.#sql.anyRemoved.get() !== undefined;
    for (const i of sortByIndex(site, keys)) {
      const id = ids[site[i]!];
      const key = keys[i]!;
      const isKnown = id !== undefined && this.#sql.idOf.get(id, key) !== undefined;
      if (!isKnown || (anyRemoved && this.#sql.removedOf.get(key, id) !== undefined)) positions.push(i);
    }
    return Uint32Array.from(positions).sort();
  }

  /** Stores unknown URLs. Returns their ids in the given order; 0 for a known URL. */
  insert(urls: readonly NewUrl[]): Float64Array {
    return Float64Array.from(urls, (url) => this.#insert(url) ?? 0);
  }

  seed(urls: readonly NewUrl[]): { readonly state: UrlState; readonly known: boolean }[] {
    return urls.map((url) => {
      const added = this.#insert(url);
      if (added !== undefined) return { state: createState(added, url), known: false };
      const id = this.#sql.idOf.get(this.#sites.findOrAddId(url.crawler, url.hostKey), url.key) as UrlId;
      this.#update(this.#sql.counted.get(id) as CountedUrl, createSubmissionChanges(url));
      return { state: toState(this.#sql.urlOf.get(id) as UrlRecord), known: true };
    });
  }

  listDue(
    crawler: string,
    hostKey: string,
    source: SourceNumber,
    now: Instant,
    limit: number,
    skip: ReadonlySet<UrlId>,
  ): { urls: UrlState[]; next?: Instant } {
    const site = this.#sites.findId(crawler, hostKey);
    if (site === undefined) return { urls: [] };
    const ids: UrlId[] = [];
    let next: Instant | undefined;
    // Walks only the index, so that skipping the URLs in memory needs no row reads.
    for (const [id, dueAt] of this.#sql.queue.iterate(site, source) as Iterable<[UrlId, Instant]>) {
      if (skip.has(id)) continue;
      if (dueAt > now || ids.length >= limit) {
        next = dueAt;
        break;
      }
      ids.push(id);
    }
    return { urls: ids.map((id) => toState(this.#sql.urlOf.get(id) as UrlRecord)), next };
  }

  settle(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) {
      const row = this.#sql.counted.get(settlement.id) as CountedUrl | undefined;
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

  /** Makes the given URLs due, as far as they (still) match the filter and may be crawled. */
  makeDueAmong(ids: readonly UrlId[], filter: UrlFilter, dueAt: Instant, source: SourceNumber): number {
    const rows = this.#findMatching(ids, filter, `u.status NOT IN (${NEVER_CRAWLED.join(', ')})`);
    for (const row of rows) this.#update(row, createDueChanges(row, dueAt, source));
    return rows.length;
  }

  /** Deletes the given URLs, as far as they (still) match the filter, have no document and have no order in flight. */
  forgetMatching(ids: readonly UrlId[], filter: UrlFilter): number {
    const rows = this.#findMatching(ids, filter, FORGETTABLE);
    for (const row of rows) this.#remove(row);
    return rows.length;
  }

  #insert(url: NewUrl): UrlId | undefined {
    const site = this.#sites.findOrAddId(url.crawler, url.hostKey);
    // Most links are known, and an index probe costs a fifth of an insert that has no effect.
    if (this.#sql.idOf.get(site, url.key) !== undefined) return this.#restartRemoved(site, url);
    const id = Number(this.#sql.insert.run(site, ...toNewValues(url)).lastInsertRowid);
    this.#tally.countRow(toCounted(site, url), 1);
    return id;
  }

  /** Restarts a known URL whose status is removed, and returns its id. */
  #restartRemoved(site: number, url: NewUrl): UrlId | undefined {
    if (url.source === undefined) return undefined;
    const row = this.#sql.removedOf.get(url.key, site) as CountedUrl | undefined;
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
      if (Math.max(row.visits, changes?.visits ?? 0) > KEPT_VISITS) this.#sql.pruneVisits.run(row.id, row.id);
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
    this.#tally.changeRow(row, changes);
  }

  /** The engine changes only a few combinations of fields, so a statement is prepared once for each. */
  #prepareUpdate(fields: readonly (keyof RowChanges)[]): Statement<Value[]> {
    const shape = fields.map((field) => `${CHANGES[field].column} = ?`).join(', ');
    let update = this.#updates.get(shape);
    if (!update) {
      update = prepareOnce<Value[]>(this.#db, `UPDATE url SET ${shape} WHERE id = ?`);
      this.#updates.set(shape, update);
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
     AND o.state IN (${UNDER_WAY.join(', ')}))`;

const prepareStatements = (db: Handle) => ({
  idOf: prepareOnce<[number, bigint], UrlId>(db, 'SELECT id FROM url WHERE site_id = ? AND key = ?').pluck(),
  insert: prepareOnce<Value[]>(
    db,
    `INSERT INTO url (site_id, ${NEW_COLUMNS.join(', ')}) VALUES (?, ${NEW_COLUMNS.map(() => '?').join(', ')})`,
  ),
  urlOf: prepareOnce(db, `${SELECT_URL} WHERE u.id = ?`),
  queue: prepareOnce(db, 'SELECT id, due_at FROM url WHERE site_id = ? AND source = ? ORDER BY due_at, id').raw(),
  counted: prepareOnce(db, `SELECT ${COUNTED} FROM url u WHERE u.id = ?`),
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
       AND at < (SELECT at FROM visit WHERE url_id = ? ORDER BY at DESC LIMIT 1 OFFSET ${KEPT_VISITS - 1})`,
  ),
  anyRemoved: prepareOnce(db, `SELECT 1 FROM url WHERE status = ${REMOVED} LIMIT 1`),
  removedOf: prepareOnce(
    db,
    `SELECT ${COUNTED} FROM url u WHERE u.key = ? AND u.site_id = ? AND u.status = ${REMOVED} AND u.source IS NULL`,
  ),
  saveLinks: prepareOnce(db, 'INSERT OR REPLACE INTO page_links VALUES (?, ?, ?, ?, ?)'),
  deleteLinks: prepareOnce(db, 'DELETE FROM page_links WHERE url_id = ?'),
  deleteVisits: prepareOnce(db, 'DELETE FROM visit WHERE url_id = ?'),
});
