import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { HostRecord, LedgerEntry } from '../../../engine/ports/frontier-store.js';
import type { OwedChange, OwedCount, OwedOrder } from '../../../engine/ports/owed-orders.js';
import { type StoredHost, toHost, toHostValues } from '../shared/host-row.js';
import { ORDER_CHANGES, ORDER_COLUMNS, toOrderValues } from '../shared/order-row.js';
import { OWED_COLUMNS, type OwedRecord, toOwedKey, toOwedOrder, toOwedValues } from '../shared/owed-row.js';
import { roundTime } from '../shared/url-row.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

/**
 * Hosts, ledger and settings on one SQLite handle. The operations that write must be called inside
 * SqliteFrontier.transaction.
 */
export class SqliteRecords {
  readonly #sql;

  constructor(db: Handle) {
    this.#sql = {
      host: prepareOnce(db, 'SELECT * FROM host WHERE host = ?'),
      saveHost: prepareOnce(db, 'INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?, ?)'),
      saveOrder: prepareOnce(
        db,
        `INSERT INTO push_order (${ORDER_COLUMNS.join(', ')}) VALUES (${ORDER_COLUMNS.map(() => '?').join(', ')})
         ON CONFLICT (id) DO UPDATE SET ${ORDER_CHANGES.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      ),
      deleteOrder: prepareOnce(db, 'DELETE FROM push_order WHERE id = ?'),
      putSetting: prepareOnce(db, 'INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)'),
      deleteSetting: prepareOnce(db, 'DELETE FROM setting WHERE name = ?'),
    };
  }

  loadHosts(hostKeys: readonly string[]): HostRecord[] {
    return hostKeys.flatMap((host) => {
      const row = this.#sql.host.get(host) as StoredHost | undefined;
      return row ? [toHost(row)] : [];
    });
  }

  saveHosts(hosts: readonly HostRecord[]): void {
    for (const host of hosts) this.#sql.saveHost.run(...toHostValues(host));
  }

  saveOrders(entries: readonly LedgerEntry[]): void {
    for (const entry of entries) this.#sql.saveOrder.run(...toOrderValues(entry));
  }

  deleteOrders(ids: readonly number[]): number {
    return ids.reduce((deleted, id) => deleted + this.#sql.deleteOrder.run(id).changes, 0);
  }

  putSetting(name: string, value: string | undefined): void {
    if (value === undefined) this.#sql.deleteSetting.run(name);
    else this.#sql.putSetting.run(name, value);
  }
}

const KEY = 'crawler = ? AND sink = ? AND host = ? AND uri_key = ?';

/** Stores what sinks are owed, on one SQLite handle. `save` and `dropOwed` require SqliteFrontier.transaction. */
export class SqliteOwed {
  readonly #sql;

  constructor(db: Handle) {
    this.#sql = {
      putOff: prepareOnce(
        db,
        `INSERT INTO owed_order (${OWED_COLUMNS.join(', ')}) VALUES (${OWED_COLUMNS.map(() => '?').join(', ')})
         ON CONFLICT DO NOTHING`,
      ),
      putOffAgain: prepareOnce(db, `UPDATE owed_order SET order_id = ?, asked_at = ? WHERE ${KEY} AND order_id < ?`),
      delivered: prepareOnce(db, `DELETE FROM owed_order WHERE ${KEY} AND order_id <= ?`),
      asked: prepareOnce(db, `UPDATE owed_order SET asked_at = ? WHERE ${KEY} AND order_id <= ?`),
      count: prepareOnce(
        db,
        `INSERT INTO owed_count (crawler, sink, documents) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`,
      ),
      drop: prepareOnce(db, 'DELETE FROM owed_order WHERE crawler = ? AND sink = ?'),
      dropCount: prepareOnce(db, 'DELETE FROM owed_count WHERE crawler = ? AND sink = ?'),
      page: prepareOnce(
        db,
        'SELECT * FROM owed_order WHERE crawler = ? AND sink = ? AND order_id > ? ORDER BY order_id LIMIT ?',
      ),
      selectByUri: prepareOnce(
        db,
        // CROSS fixes the order of the tables: if SQLite began with the other one, it would read everything that the
        // crawler's sinks are owed.
        `SELECT o.* FROM owed_count c CROSS JOIN owed_order o
           ON o.crawler = c.crawler AND o.sink = c.sink AND o.host = ? AND o.uri_key = ? AND o.uri = ? WHERE c.crawler = ?`,
      ),
      counts: prepareOnce(
        db,
        `SELECT c.crawler, c.sink, c.documents,
           (SELECT min(since) FROM owed_order o WHERE o.crawler = c.crawler AND o.sink = c.sink) AS since
         FROM owed_count c WHERE c.documents > 0`,
      ),
    };
  }

  save(changes: readonly OwedChange[]): void {
    for (const entry of changes) {
      if (entry.change === 'put off') this.#insertOwed(entry);
      else if (entry.change === 'delivered')
        this.#changeCount(entry, -this.#sql.delivered.run(...toOwedKey(entry), entry.orderId).changes);
      else this.#sql.asked.run(roundTime(entry.askedAt!), ...toOwedKey(entry), entry.orderId);
    }
  }

  #insertOwed(order: OwedOrder): void {
    const values = toOwedValues(order);
    const { changes: addedCount } = this.#sql.putOff.run(...values);
    if (addedCount > 0) this.#changeCount(order, addedCount);
    else this.#sql.putOffAgain.run(order.orderId, values.at(-1)!, ...toOwedKey(order), order.orderId);
  }

  #changeCount({ crawler, sink }: OwedOrder, documents: number): void {
    if (documents !== 0) this.#sql.count.run(crawler, sink, documents);
  }

  dropOwed(crawler: string, sink: string): void {
    this.#sql.drop.run(crawler, sink);
    this.#sql.dropCount.run(crawler, sink);
  }

  listOwed(crawler: string, sink: string, after: number, limit: number): OwedOrder[] {
    return (this.#sql.page.all(crawler, sink, after, limit) as OwedRecord[]).map(toOwedOrder);
  }

  findOwed(crawler: string, hostKey: string, uri: string): OwedOrder[] {
    return (this.#sql.selectByUri.all(hostKey, computeUrlKey(uri), uri, crawler) as OwedRecord[]).map(toOwedOrder);
  }

  countOwed(): OwedCount[] {
    return this.#sql.counts.all() as OwedCount[];
  }
}
