import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { OwedChange, OwedCount, OwedOrder } from '../../../engine/ports/owed-orders.js';
import {
  keepLastChanges,
  OWED_COLUMNS,
  OWED_TYPES,
  type OwedRecord,
  toOwed,
  toOwedKey,
  toOwedValues,
} from '../shared/owed-row.js';
import { computePartition } from '../shared/partition.js';
import { roundTime, type Value } from '../shared/url-row.js';
import type { Connection, PostgresPool } from './postgres-pool.js';
import { toColumns } from './postgres-sql.js';

const COLUMNS = ['part', ...OWED_COLUMNS];
const TYPES = ['int2', ...OWED_TYPES];

/** Sorted, so that two transactions wait for each other instead of deadlocking. */
const PUT_OFF = `INSERT INTO owed_order (${COLUMNS.join(', ')})
  SELECT * FROM unnest(${TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')}) AS i(${COLUMNS.join(', ')}) ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (part, crawler, sink, host, uri_key) DO NOTHING RETURNING part, crawler, sink`;

const KEYED = `unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::int8[])
  AS i(part, crawler, sink, host, uri_key, order_id, asked_at)`;
const SAME = `o.part = i.part AND o.crawler = i.crawler AND o.sink = i.sink AND o.host = i.host AND o.uri_key = i.uri_key
  AND o.order_id <= i.order_id`;
const PUT_OFF_AGAIN = `UPDATE owed_order o SET order_id = i.order_id, asked_at = i.asked_at FROM ${KEYED}
  WHERE ${SAME} AND o.order_id < i.order_id`;
const DELIVERED = `DELETE FROM owed_order o USING ${KEYED} WHERE ${SAME} RETURNING o.part, o.crawler, o.sink`;
const ASKED = `UPDATE owed_order o SET asked_at = i.asked_at FROM ${KEYED} WHERE ${SAME}`;
/** Runs after the rows were written, so that `dropOwed`, which begins with the counts, misses none. */
const COUNT = `INSERT INTO owed_count (part, crawler, sink, documents)
  SELECT part, crawler, sink, sum(n) FROM unnest($1::int2[], $2::text[], $3::text[], $4::int8[]) AS i(part, crawler, sink, n)
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (part, crawler, sink) DO UPDATE SET documents = owed_count.documents + excluded.documents`;

interface Counted {
  readonly part: number;
  readonly crawler: string;
  readonly sink: string;
}

/** Must be called inside a transaction, unless all changes are of one kind. */
export async function saveOwed(connection: Connection, changes: readonly OwedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const last = keepLastChanges(changes);
  const selectChangesOfKind = (change: OwedChange['change']) => last.filter((one) => one.change === change);
  const added = await insertOwed(connection, selectChangesOfKind('put off'));
  const delivered = selectChangesOfKind('delivered').map(getOwedKey);
  const gone =
    delivered.length > 0 ? await connection.rows<Counted>(DELIVERED, toColumns(delivered, 7), 'owed-delivered') : [];
  const asked = selectChangesOfKind('asked').map(getOwedKey);
  if (asked.length > 0) await connection.rows(ASKED, toColumns(asked, 7), 'owed-asked');
  const counts = [...groupCounts(added, 1), ...groupCounts(gone, -1)];
  if (counts.length > 0) await connection.rows(COUNT, toColumns(counts, 4), 'owed-count');
}

/** Inserts rows and returns the counts of those that were new. */
async function insertOwed(connection: Connection, changes: readonly OwedChange[]): Promise<Counted[]> {
  if (changes.length === 0) return [];
  const values = changes.map((one) => [computePartition(one.hostKey), ...toOwedValues(one)]);
  const added = await connection.rows<Counted>(PUT_OFF, toColumns(values, COLUMNS.length), 'owed-put-off');
  if (added.length < changes.length)
    await connection.rows(PUT_OFF_AGAIN, toColumns(changes.map(getOwedKey), 7), 'owed-put-off-again');
  return added;
}

const groupCounts = (rows: readonly Counted[], n: number): Value[][] =>
  rows.map(({ part, crawler, sink }) => [part, crawler, sink, n]);

const getOwedKey = (one: OwedChange): Value[] => [
  computePartition(one.hostKey),
  ...toOwedKey(one),
  one.orderId,
  one.askedAt === undefined ? null : roundTime(one.askedAt),
];

/** What sinks are owed, stored in PostgreSQL. */
export class PostgresOwed {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async listOwed(
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

  async findOwed(crawler: string, hostKey: string, uri: string): Promise<OwedOrder[]> {
    const rows = await this.#pool.rows<OwedRecord>(
      'SELECT * FROM owed_order WHERE part = $1 AND crawler = $2 AND host = $3 AND uri_key = $4 AND uri = $5 ORDER BY sink',
      [computePartition(hostKey), crawler, hostKey, computeUrlKey(uri), uri],
    );
    return rows.map(toOwed);
  }

  countOwed(): Promise<OwedCount[]> {
    return this.#pool.rows<OwedCount>(
      `SELECT crawler, sink, sum(documents)::int8 AS documents, min(since) AS since FROM
         (SELECT c.crawler, c.sink, c.documents, (SELECT min(o.since) FROM owed_order o
            WHERE o.part = c.part AND o.crawler = c.crawler AND o.sink = c.sink) AS since
          FROM owed_count c WHERE c.documents > 0) c
       GROUP BY 1, 2 ORDER BY 1, 2`,
    );
  }

  async dropOwed(crawler: string, sink: string): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      // A transaction that has written rows but not yet counted them waits for this one, or this one waits for it.
      await connection.rows('DELETE FROM owed_count WHERE crawler = $1 AND sink = $2', [crawler, sink]);
      await connection.rows('DELETE FROM owed_order WHERE crawler = $1 AND sink = $2', [crawler, sink]);
    });
  }
}
