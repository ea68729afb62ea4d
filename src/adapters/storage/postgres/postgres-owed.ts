import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { OwedChange, OwedCount, OwedOrder } from '../../../engine/ports/owed-orders.js';
import {
  OWED_COLUMNS,
  OWED_TYPES,
  type OwedRecord,
  splitIntoRounds,
  toOwedKey,
  toOwedOrder,
  toOwedValues,
} from '../shared/owed-row.js';
import { computePartition } from '../shared/partition.js';
import { roundTime, type Value } from '../shared/url-row.js';
import type { Connection, PostgresPool } from './postgres-pool.js';
import { toColumns } from './postgres-sql.js';

const COLUMNS = ['part', ...OWED_COLUMNS];
const TYPES = ['int2', ...OWED_TYPES];

/** The rows are sorted, so that two transactions wait for each other instead of deadlocking. */
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
/** Runs after the rows have been written, so that `dropOwed`, which deletes the counts first, misses no row. */
const COUNT = `INSERT INTO owed_count (part, crawler, sink, documents)
  SELECT part, crawler, sink, sum(n) FROM unnest($1::int2[], $2::text[], $3::text[], $4::int8[]) AS i(part, crawler, sink, n)
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (part, crawler, sink) DO UPDATE SET documents = owed_count.documents + excluded.documents`;

interface OwedCountKey {
  readonly part: number;
  readonly crawler: string;
  readonly sink: string;
}

/** Must be called inside a transaction, because rows and counts are written by separate statements. */
export async function saveOwed(connection: Connection, changes: readonly OwedChange[]): Promise<void> {
  const counts: Value[][] = [];
  for (const round of splitIntoRounds(changes)) counts.push(...(await saveRound(connection, round)));
  if (counts.length > 0) await connection.rows(COUNT, toColumns(counts, 4), 'owed-count');
}

/** Returns what changes in the counts. */
async function saveRound(connection: Connection, changes: readonly OwedChange[]): Promise<Value[][]> {
  const selectChangesOfKind = (kind: OwedChange['change']) => changes.filter((change) => change.change === kind);
  const addedRows = await insertOwed(connection, selectChangesOfKind('put off'));
  const deliveredRows = selectChangesOfKind('delivered').map(toKeyRow);
  const removedRows =
    deliveredRows.length > 0
      ? await connection.rows<OwedCountKey>(DELIVERED, toColumns(deliveredRows, 7), 'owed-delivered')
      : [];
  const askedRows = selectChangesOfKind('asked').map(toKeyRow);
  if (askedRows.length > 0) await connection.rows(ASKED, toColumns(askedRows, 7), 'owed-asked');
  return [...toCountRows(addedRows, 1), ...toCountRows(removedRows, -1)];
}

/** Inserts rows and returns the counts of those that were new. */
async function insertOwed(connection: Connection, changes: readonly OwedChange[]): Promise<OwedCountKey[]> {
  if (changes.length === 0) return [];
  const values = changes.map((change) => [computePartition(change.hostKey), ...toOwedValues(change)]);
  const addedRows = await connection.rows<OwedCountKey>(PUT_OFF, toColumns(values, COLUMNS.length), 'owed-put-off');
  if (addedRows.length < changes.length)
    await connection.rows(PUT_OFF_AGAIN, toColumns(changes.map(toKeyRow), 7), 'owed-put-off-again');
  return addedRows;
}

const toCountRows = (rows: readonly OwedCountKey[], delta: number): Value[][] =>
  rows.map(({ part, crawler, sink }) => [part, crawler, sink, delta]);

const toKeyRow = (change: OwedChange): Value[] => [
  computePartition(change.hostKey),
  ...toOwedKey(change),
  change.orderId,
  change.askedAt === undefined ? null : roundTime(change.askedAt),
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
    return rows.map(toOwedOrder);
  }

  async findOwed(crawler: string, hostKey: string, uri: string): Promise<OwedOrder[]> {
    const rows = await this.#pool.rows<OwedRecord>(
      'SELECT * FROM owed_order WHERE part = $1 AND crawler = $2 AND host = $3 AND uri_key = $4 AND uri = $5 ORDER BY sink',
      [computePartition(hostKey), crawler, hostKey, computeUrlKey(uri), uri],
    );
    return rows.map(toOwedOrder);
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
      // Either this transaction waits for one that has written rows but not yet counted them, or the reverse.
      await connection.rows('DELETE FROM owed_count WHERE crawler = $1 AND sink = $2', [crawler, sink]);
      await connection.rows('DELETE FROM owed_order WHERE crawler = $1 AND sink = $2', [crawler, sink]);
    });
  }
}
