import type { Statement } from 'better-sqlite3';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import type { Instant } from '../../domain/time/units.js';
import type { Backlog, NewUrl, Settlement, UrlChanges, UrlFilter } from '../../engine/ports/frontier-store.js';
import { GLOB, urlWhere } from './filter-sql.js';
import { KEPT_VISITS, UNDER_WAY, visitValues } from './order-row.js';
import type { Handle } from './sqlite-handle.js';
import { SqliteRecords } from './sqlite-records.js';
import { type Counted, EARLIEST_BY_SOURCE, SqliteTally } from './sqlite-tally.js';
import {
  arrivalCode,
  CHANGE_FIELDS,
  CHANGES,
  metasText,
  NEW_COLUMNS,
  newState,
  newValues,
  SELECT_URL,
  statusCode,
  toState,
  type UrlRecord,
  type Value,
} from './url-row.js';

/** Sites remembered in memory; beyond that the memory starts anew. */
const SITE_CACHE = 100_000;

const NEVER_CRAWLED = ['excluded', 'elsewhere', 'filtered'].map((status) => statusCode(status as UrlState['status']));

/** Keys of URLs, each with the position of its site in a list of (crawler, host): 100 links take 1 KB, not 50. */
export interface Keys {
  readonly sites: readonly (readonly [crawler: string, hostKey: string])[];
  readonly site: Uint32Array;
  readonly keys: BigInt64Array;
}

/**
 * The writing verbs of the frontier on one SQLite handle, synchronous: the caller owns the thread that it runs in.
 * Every verb is to be called inside `transaction`, which may hold several of them.
 */
export class SqliteFrontier {
  readonly records: SqliteRecords;
  readonly #db: Handle;
  readonly #tally: SqliteTally;
  readonly #sites = new Map<string, number>();
  readonly #updates = new Map<string, Statement<Value[]>>();
  readonly #sql;

  constructor(db: Handle) {
    this.#db = db;
    this.#tally = new SqliteTally(db);
    this.records = new SqliteRecords(db);
    this.#sql = statements(db);
  }

  /** Runs the action in one transaction: all of it is stored, or nothing. */
  transaction<T>(action: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = action();
      this.#tally.write();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#tally.discard();
      this.#sites.clear();
      // SQLite has rolled back by itself after some errors, a full disk among them.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Positions of the keys that no URL of their site has. */
  unknown({ sites, site, keys }: Keys): Uint32Array {
    const ids = sites.map(([crawler, host]) => this.#knownSite(crawler, host));
    const positions: number[] = [];
    for (let i = 0; i < keys.length; i++) {
      const id = ids[site[i]!];
      if (id === undefined || this.#sql.idOf.get(id, keys[i]) === undefined) positions.push(i);
    }
    return Uint32Array.from(positions);
  }

  /** Stores those that are not known yet. Their ids in the order given; 0 for a URL that was known. */
  insert(urls: readonly NewUrl[]): Float64Array {
    return Float64Array.from(urls, (url) => this.#insert(url) ?? 0);
  }

  seed(urls: readonly NewUrl[]): { readonly state: UrlState; readonly known: boolean }[] {
    return urls.map((url) => {
      const added = this.#insert(url);
      if (added !== undefined) return { state: newState(added, url), known: false };
      const id = this.#sql.idOf.get(this.#site(url.crawler, url.hostKey), url.key) as UrlId;
      this.#requeue(id, url);
      return { state: toState(this.#sql.urlOf.get(id) as UrlRecord), known: true };
    });
  }

  due(
    crawler: string,
    hostKey: string,
    source: SourceNumber,
    now: Instant,
    limit: number,
    skip: ReadonlySet<UrlId>,
  ): { urls: UrlState[]; next?: Instant } {
    const site = this.#knownSite(crawler, hostKey);
    if (site === undefined) return { urls: [] };
    const ids: UrlId[] = [];
    let next: Instant | undefined;
    // Walks the index alone, so that passing over the URLs in hand costs no row reads.
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
      const row = this.#sql.counted.get(settlement.id) as (Counted & { visits: number }) | undefined;
      if (row) this.#settleUrl(settlement, row);
      if (settlement.orders) this.records.saveOrders(settlement.orders);
    }
  }

  backlogs(
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

  /** Of these URLs, makes due those that match the filter (still) and may be crawled. */
  makeDueAmong(ids: readonly UrlId[], filter: UrlFilter, dueAt: Instant, source: SourceNumber): number {
    const rows = this.#among<Counted & { id: UrlId; due_at: Instant }>(
      ids,
      filter,
      `u.status NOT IN (${NEVER_CRAWLED.join(', ')})`,
    );
    for (const row of rows) {
      const queued = row.source !== null;
      const waiting = row.status === statusCode('waiting') && queued;
      this.#update(row.id, row, {
        source: (waiting ? row.source : source) as SourceNumber,
        dueAt: queued && row.due_at < dueAt ? row.due_at : dueAt,
      });
    }
    return rows.length;
  }

  /** Of these URLs, deletes those that match the filter (still), hold no document and have no order under way. */
  forgetAmong(ids: readonly UrlId[], filter: UrlFilter): number {
    const rows = this.#among<Counted & { id: UrlId }>(
      ids,
      filter,
      `u.stamp IS NULL AND u.pending_deletion IS NULL AND NOT EXISTS
         (SELECT 1 FROM push_order o WHERE o.uri_key = u.key AND o.uri = u.url AND o.crawler = s.crawler
            AND o.state IN (${UNDER_WAY.join(', ')}))`,
    );
    for (const row of rows) this.#remove(row.id, row);
    return rows.length;
  }

  #insert(url: NewUrl): UrlId | undefined {
    const site = this.#site(url.crawler, url.hostKey);
    // Most links are known: one index probe is a fifth of an insert that comes to nothing.
    if (this.#sql.idOf.get(site, url.key) !== undefined) return undefined;
    const id = Number(this.#sql.insert.run(site, ...newValues(url)).lastInsertRowid);
    this.#tally.count({ site_id: site, status: statusCode(url.status), source: url.source ?? null, indexed: 0 }, 1);
    return id;
  }

  /** A submission makes a known URL due again; as a root, it has the hops and metas of a root from now on. */
  #requeue(id: UrlId, url: NewUrl): void {
    const row = this.#sql.counted.get(id) as Counted;
    if (url.source !== undefined) this.#update(id, row, { source: url.source, dueAt: url.dueAt });
    if (url.arrival === 'root') {
      this.#sql.becomeRoot.run(
        url.hops,
        url.redirects,
        arrivalCode(url.arrival),
        url.root ?? null,
        metasText(url.inheritedMetas),
        id,
      );
    }
  }

  #settleUrl(settlement: Settlement, row: Counted & { visits: number }): void {
    const { id, changes, visit } = settlement;
    if (settlement.remove) {
      this.#remove(id, row);
      return;
    }
    if (changes) this.#update(id, row, changes);
    if (visit) {
      this.#sql.insertVisit.run(id, ...visitValues(visit));
      if (Math.max(row.visits, changes?.visits ?? 0) > KEPT_VISITS) this.#sql.pruneVisits.run(id, id);
    }
  }

  #remove(id: UrlId, row: Counted): void {
    this.#sql.deleteVisits.run(id);
    this.#sql.deleteUrl.run(id);
    this.#tally.count(row, -1);
  }

  /** Writes only the columns that change, so that indexes which do not are left alone. */
  #update(id: UrlId, row: Counted, changes: UrlChanges): void {
    const fields = CHANGE_FIELDS.filter((field) => changes[field] !== undefined);
    if (fields.length === 0) return;
    const values = fields.map((field) => stored(field, changes));
    this.#updateOf(fields).run(...values, id);
    this.#tally.count(row, -1);
    this.#tally.count(
      {
        site_id: row.site_id,
        status: changes.status === undefined ? row.status : statusCode(changes.status),
        source: changes.source === undefined ? row.source : changes.source,
        indexed: changes.stamp === undefined ? row.indexed : changes.stamp === null ? 0 : 1,
      },
      1,
    );
  }

  /** The engine changes URLs in a few shapes only: each is prepared once. */
  #updateOf(fields: readonly (keyof UrlChanges)[]) {
    const key = fields.join();
    let update = this.#updates.get(key);
    if (!update) {
      update = this.#db.prepare<Value[]>(
        `UPDATE url SET ${fields.map((f) => `${CHANGES[f].column} = ?`).join(', ')} WHERE id = ?`,
      );
      this.#updates.set(key, update);
    }
    return update;
  }

  #among<Row>(ids: readonly UrlId[], filter: UrlFilter, condition: string): Row[] {
    const where = urlWhere(filter, GLOB);
    return this.#db
      .prepare(
        `SELECT u.id, u.site_id, u.status, u.source, u.due_at, u.stamp IS NOT NULL AS indexed
         FROM json_each(?) wanted CROSS JOIN url u ON u.id = wanted.value JOIN site s ON s.id = u.site_id
         WHERE ${condition} AND ${where.sql}`,
      )
      .all(JSON.stringify(ids), ...where.values) as Row[];
  }

  #site(crawler: string, hostKey: string): number {
    const known = this.#knownSite(crawler, hostKey);
    if (known !== undefined) return known;
    const site = Number(this.#sql.insertSite.run(crawler, hostKey).lastInsertRowid);
    this.#sites.set(`${crawler}\n${hostKey}`, site);
    return site;
  }

  #knownSite(crawler: string, hostKey: string): number | undefined {
    const key = `${crawler}\n${hostKey}`;
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = this.#sql.site.get(crawler, hostKey) as number | undefined;
      if (this.#sites.size >= SITE_CACHE) this.#sites.clear();
      if (site !== undefined) this.#sites.set(key, site);
    }
    return site;
  }
}

function stored(field: keyof UrlChanges, changes: UrlChanges): Value {
  const value = changes[field];
  return value === null ? null : CHANGES[field].store(value as never);
}

const statements = (db: Handle) => ({
  site: db.prepare('SELECT id FROM site WHERE crawler = ? AND host = ?').pluck(),
  insertSite: db.prepare('INSERT INTO site (crawler, host) VALUES (?, ?)'),
  idOf: db.prepare('SELECT id FROM url WHERE site_id = ? AND key = ?').pluck(),
  insert: db.prepare(
    `INSERT INTO url (site_id, ${NEW_COLUMNS.join(', ')}) VALUES (?, ${NEW_COLUMNS.map(() => '?').join(', ')})`,
  ),
  becomeRoot: db.prepare(
    'UPDATE url SET hops = ?, redirects = ?, arrival = ?, root = ?, inherited_metas = ? WHERE id = ?',
  ),
  urlOf: db.prepare(`${SELECT_URL} WHERE u.id = ?`),
  queue: db.prepare('SELECT id, due_at FROM url WHERE site_id = ? AND source = ? ORDER BY due_at, id').raw(),
  counted: db.prepare('SELECT site_id, status, source, stamp IS NOT NULL AS indexed, visits FROM url WHERE id = ?'),
  deleteUrl: db.prepare('DELETE FROM url WHERE id = ?'),
  dueSites: db
    .prepare('SELECT id, host FROM site WHERE crawler = ? AND host > ? AND next_due_at <= ? ORDER BY host LIMIT ?')
    .raw(),
  earliest: db.prepare(EARLIEST_BY_SOURCE).raw(),
  insertVisit: db.prepare('INSERT OR REPLACE INTO visit VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
  pruneVisits: db.prepare(
    `DELETE FROM visit WHERE url_id = ?
       AND at < (SELECT at FROM visit WHERE url_id = ? ORDER BY at DESC LIMIT 1 OFFSET ${KEPT_VISITS - 1})`,
  ),
  deleteVisits: db.prepare('DELETE FROM visit WHERE url_id = ?'),
});
