import type { HostRecord, LedgerEntry } from '../../../engine/ports/frontier-store.js';
import { type StoredHost, toHost, toHostValues } from '../shared/host-row.js';
import { ORDER_CHANGES, ORDER_COLUMNS, toOrderValues } from '../shared/order-row.js';
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
    for (const host of hosts) {
      this.#sql.saveHost.run(...toHostValues(host));
    }
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
