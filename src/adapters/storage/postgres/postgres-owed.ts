import { urlKey } from '../../../domain/url/url-key.js';
import type { OwedChange, OwedCount, OwedOrder } from '../../../engine/ports/owed-orders.js';
import {
  lastWords,
  OWED_COLUMNS,
  OWED_TYPES,
  type OwedRecord,
  owedKey,
  owedValues,
  toOwed,
} from '../shared/owed-row.js';
import { partitionOf } from '../shared/partition.js';
import { type Value, whole } from '../shared/url-row.js';
import type { Connection } from './postgres-pool.js';
import { columns } from './postgres-sql.js';

const COLUMNS = ['part', ...OWED_COLUMNS];
const TYPES = ['int2', ...OWED_TYPES];

/** Sorted, so that two transactions wait for each other instead of colliding. */
const PUT_OFF = `INSERT INTO owed_order (${COLUMNS.join(', ')})
  SELECT * FROM unnest(${TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')}) AS i(${COLUMNS.join(', ')}) ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (part, crawler, sink, host, uri_key) DO UPDATE SET order_id = excluded.order_id, asked_at = excluded.asked_at
  WHERE excluded.order_id > owed_order.order_id`;

const KEYED = `unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::int8[])
  AS i(part, crawler, sink, host, uri_key, order_id, asked_at)`;
const SAME = `o.part = i.part AND o.crawler = i.crawler AND o.sink = i.sink AND o.host = i.host AND o.uri_key = i.uri_key
  AND o.order_id <= i.order_id`;
const DELIVERED = `DELETE FROM owed_order o USING ${KEYED} WHERE ${SAME}`;
const ASKED = `UPDATE owed_order o SET asked_at = i.asked_at FROM ${KEYED} WHERE ${SAME}`;

/** To be called inside a transaction, or for one kind of change. */
export async function saveOwed(connection: Connection, changes: readonly OwedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const last = lastWords(changes);
  const of = (change: OwedChange['change']) => last.filter((one) => one.change === change);
  const putOff = of('put off').map((one) => [partitionOf(one.hostKey), ...owedValues(one)]);
  if (putOff.length > 0) await connection.rows(PUT_OFF, columns(putOff, COLUMNS.length), 'owed-put-off');
  const delivered = of('delivered').map(keyed);
  if (delivered.length > 0) await connection.rows(DELIVERED, columns(delivered, 7), 'owed-delivered');
  const asked = of('asked').map(keyed);
  if (asked.length > 0) await connection.rows(ASKED, columns(asked, 7), 'owed-asked');
}

const keyed = (one: OwedChange): Value[] => [
  partitionOf(one.hostKey),
  ...owedKey(one),
  one.orderId,
  one.askedAt === undefined ? null : whole(one.askedAt),
];

/** What sinks are owed, as PostgreSQL has it. */
export class PostgresOwed {
  readonly #pool: Connection;

  constructor(pool: Connection) {
    this.#pool = pool;
  }

  async owed(
    crawler: string,
    sink: string,
    after: number,
    limit: number,
    partitions?: readonly number[],
  ): Promise<OwedOrder[]> {
    const rows = await this.#pool.rows<OwedRecord>(
      `SELECT * FROM owed_order WHERE crawler = $1 AND sink = $2 AND order_id > $3${
        partitions ? ' AND part = ANY ($5::int2[])' : ''
      } ORDER BY order_id LIMIT $4`,
      [crawler, sink, after, limit, ...(partitions ? [[...partitions]] : [])],
    );
    return rows.map(toOwed);
  }

  async owedOf(crawler: string, hostKey: string, uri: string): Promise<OwedOrder[]> {
    const rows = await this.#pool.rows<OwedRecord>(
      'SELECT * FROM owed_order WHERE part = $1 AND crawler = $2 AND host = $3 AND uri_key = $4 AND uri = $5 ORDER BY sink',
      [partitionOf(hostKey), crawler, hostKey, urlKey(uri), uri],
    );
    return rows.map(toOwed);
  }

  owedCounts(): Promise<OwedCount[]> {
    return this.#pool.rows<OwedCount>(
      'SELECT crawler, sink, count(*) AS documents, min(since) AS since FROM owed_order GROUP BY crawler, sink ORDER BY 1, 2',
    );
  }

  async dropOwed(crawler: string, sink: string): Promise<void> {
    await this.#pool.rows('DELETE FROM owed_order WHERE crawler = $1 AND sink = $2', [crawler, sink]);
  }
}
