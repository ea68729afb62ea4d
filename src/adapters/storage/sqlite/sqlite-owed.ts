import { urlKey } from '../../../domain/url/url-key.js';
import type { OwedChange, OwedCount, OwedOrder } from '../../../engine/ports/owed-orders.js';
import { OWED_COLUMNS, type OwedRecord, owedKey, owedValues, toOwed } from '../shared/owed-row.js';
import { whole } from '../shared/url-row.js';
import { type Handle, prepareOnce } from './sqlite-handle.js';

const KEY = 'crawler = ? AND sink = ? AND host = ? AND uri_key = ?';

/** What sinks are owed, on one SQLite handle; `save` and `drop` are called inside SqliteFrontier.transaction. */
export class SqliteOwed {
  readonly #sql;

  constructor(db: Handle) {
    this.#sql = {
      putOff: prepareOnce(
        db,
        `INSERT INTO owed_order (${OWED_COLUMNS.join(', ')}) VALUES (${OWED_COLUMNS.map(() => '?').join(', ')})
         ON CONFLICT DO UPDATE SET order_id = excluded.order_id, asked_at = excluded.asked_at
         WHERE excluded.order_id > order_id`,
      ),
      delivered: prepareOnce(db, `DELETE FROM owed_order WHERE ${KEY} AND order_id <= ?`),
      asked: prepareOnce(db, `UPDATE owed_order SET asked_at = ? WHERE ${KEY} AND order_id <= ?`),
      drop: prepareOnce(db, 'DELETE FROM owed_order WHERE crawler = ? AND sink = ?'),
      page: prepareOnce(
        db,
        'SELECT * FROM owed_order WHERE crawler = ? AND sink = ? AND order_id > ? ORDER BY order_id LIMIT ?',
      ),
      ofUri: prepareOnce(
        db,
        `SELECT o.* FROM (SELECT DISTINCT sink FROM owed_order WHERE crawler = ?) s
         JOIN owed_order o ON o.crawler = ? AND o.sink = s.sink AND o.host = ? AND o.uri_key = ? AND o.uri = ?`,
      ),
      counts: prepareOnce(
        db,
        'SELECT crawler, sink, count(*) AS documents, min(since) AS since FROM owed_order GROUP BY crawler, sink',
      ),
    };
  }

  save(changes: readonly OwedChange[]): void {
    for (const one of changes) {
      if (one.change === 'put off') this.#sql.putOff.run(...owedValues(one));
      else if (one.change === 'delivered') this.#sql.delivered.run(...owedKey(one), one.orderId);
      else this.#sql.asked.run(whole(one.askedAt!), ...owedKey(one), one.orderId);
    }
  }

  drop(crawler: string, sink: string): void {
    this.#sql.drop.run(crawler, sink);
  }

  owed(crawler: string, sink: string, after: number, limit: number): OwedOrder[] {
    return (this.#sql.page.all(crawler, sink, after, limit) as OwedRecord[]).map(toOwed);
  }

  owedOf(crawler: string, hostKey: string, uri: string): OwedOrder[] {
    return (this.#sql.ofUri.all(crawler, crawler, hostKey, urlKey(uri), uri) as OwedRecord[]).map(toOwed);
  }

  owedCounts(): OwedCount[] {
    return this.#sql.counts.all() as OwedCount[];
  }
}
