import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { LedgerEntry, PageLinks, Visit } from '../../../engine/ports/frontier-store.js';
import { toLinkValues } from '../shared/link-row.js';
import { MAX_VISITS, toOrderValues, toVisitValues } from '../shared/order-row.js';
import { computePartition, getPartition, PARTITIONS } from '../shared/partition.js';
import { type CountedRow, Tally } from '../shared/tally.js';
import { FIELDS, type RowChanges, toStoredValue, type Value } from '../shared/url-row.js';
import type { Connection } from './postgres-pool.js';
import type { Site } from './postgres-sites.js';
import {
  COUNTED_URLS,
  COUNTER_WIDTH,
  DELETE_URLS,
  INSERT_VISITS,
  LINKS_WIDTH,
  LOCK_SITES_OF_URLS,
  ORDER_WIDTH,
  PRUNE_VISITS,
  SAVE_LINKS,
  SAVE_ORDERS,
  SITE_CHANGE_WIDTH,
  toColumns,
  UPDATE_URLS,
  UPDATE_WIDTH,
  VISIT_WIDTH,
  WRITE_COUNTS,
} from './postgres-sql.js';

/** A row before the change, with `site_id` made unique by the partition, as the tally requires. */
export type CountedUrl = CountedRow & { readonly id: UrlId; readonly visits: number };

/** Packs partition and site into one number; `unpackSite` reverses this. */
export const packSite = ({ part, id }: Site): number => id * PARTITIONS + part;
const unpackSite = (packedSite: number): Site => ({
  part: packedSite % PARTITIONS,
  id: Math.floor(packedSite / PARTITIONS),
});

/** Converts ids, with their partitions, to the columns that statements expect. */
export const toIdColumns = (ids: readonly UrlId[]): Value[][] => [ids.map(getPartition), [...ids]];

/**
 * Changes URLs in one transaction and keeps the counts up to date. Sites are locked before anything is changed.
 */
export class PostgresChanges {
  readonly tally = new Tally();
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Reads the rows of these URLs and locks them until the transaction ends. */
  async lockRows(ids: readonly UrlId[]): Promise<Map<UrlId, CountedUrl>> {
    await this.#connection.rows(LOCK_SITES_OF_URLS, toIdColumns(ids), 'lock-sites-of-urls');
    const rows = await this.#connection.rows<CountedUrl & { part: number }>(
      COUNTED_URLS,
      toIdColumns(ids),
      'counted-urls',
    );
    return new Map(rows.map((row) => [row.id, toCountedRow(row)]));
  }

  async update(updates: readonly { readonly row: CountedUrl; readonly changes: RowChanges }[]): Promise<void> {
    const rows = updates.map(({ row, changes }) => [
      getPartition(row.id),
      row.id,
      FIELDS.reduce((mask, field, n) => (changes[field] === undefined ? mask : mask + 2 ** n), 0),
      ...FIELDS.map((field) => toStoredValue(field, changes)),
    ]);
    if (rows.length === 0) return;
    await this.#connection.rows(UPDATE_URLS, toColumns(rows, UPDATE_WIDTH), 'update-urls');
    for (const { row, changes } of updates) this.tally.countChangedRow(row, changes);
  }

  async remove(rows: readonly CountedUrl[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#connection.rows(DELETE_URLS, toIdColumns(rows.map(({ id }) => id)), 'delete-urls');
    for (const row of rows) this.tally.countRow(row, -1);
  }

  /** `count` is the number of visits to the URL so far. */
  async addVisits(
    visits: readonly { readonly id: UrlId; readonly visit: Visit; readonly count: number }[],
  ): Promise<void> {
    if (visits.length === 0) return;
    // A statement must not write a row twice: if two visits have the same time, the later entry is stored.
    const rows = new Map(
      visits.map(({ id, visit }) => [`${id} ${visit.at}`, [getPartition(id), id, ...toVisitValues(visit)]]),
    );
    await this.#connection.rows(INSERT_VISITS, toColumns([...rows.values()], VISIT_WIDTH), 'insert-visits');
    const idsToPrune = [...new Set(visits.filter(({ count }) => count > MAX_VISITS).map(({ id }) => id))];
    if (idsToPrune.length > 0) await this.#connection.rows(PRUNE_VISITS, toIdColumns(idsToPrune), 'prune-visits');
  }

  async saveLinks(pages: readonly { readonly id: UrlId; readonly links: PageLinks }[]): Promise<void> {
    if (pages.length === 0) return;
    const rows = pages.map(({ id, links }) => [getPartition(id), id, ...toLinkValues(links)]);
    await this.#connection.rows(SAVE_LINKS, toColumns(rows, LINKS_WIDTH), 'save-links');
  }

  /** Must be called at the end of the transaction. */
  async writeCounts(): Promise<void> {
    const changes = this.tally.drainChanges();
    if (changes.length === 0) return;
    const counters = changes.flatMap(({ site, counters }) =>
      counters.map(({ status, source, indexed, urls }) => [
        unpackSite(site).part,
        unpackSite(site).id,
        status,
        source,
        indexed,
        urls,
      ]),
    );
    const sites = changes.map(({ site, urls, indexed, errors, queued, earliestAdded, earliestRemoved }) => [
      unpackSite(site).part,
      unpackSite(site).id,
      urls,
      indexed,
      errors,
      queued,
      earliestAdded,
      earliestRemoved,
    ]);
    const values = [...toColumns(counters, COUNTER_WIDTH), ...toColumns(sites, SITE_CHANGE_WIDTH)];
    await this.#connection.rows(WRITE_COUNTS, values, 'write-counts');
  }
}

export const toCountedRow = ({ part, ...row }: CountedUrl & { part: number }): CountedUrl => ({
  ...row,
  site_id: packSite({ part, id: row.site_id }),
});

/** Stores orders and updates of orders; if a batch has several entries for one order, the last one is stored. */
export async function saveOrders(connection: Connection, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = new Map(entries.map((entry) => [entry.id, [computePartition(entry.hostKey), ...toOrderValues(entry)]]));
  await connection.rows(SAVE_ORDERS, toColumns([...rows.values()], ORDER_WIDTH), 'save-orders');
}
