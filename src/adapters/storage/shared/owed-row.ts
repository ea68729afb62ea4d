/** Conversion between rows and records of what sinks are owed; shared by both databases. */
import type { Instant } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { OwedChange, OwedOrder } from '../../../engine/ports/owed-orders.js';
import { roundTime, type Value } from './url-row.js';

/** Columns with their PostgreSQL types, in the order of `owedValues`. */
const OWED = {
  crawler: 'text',
  sink: 'text',
  host: 'text',
  uri_key: 'int8',
  uri: 'text',
  order_id: 'int8',
  since: 'int8',
  asked_at: 'int8',
};

export const OWED_COLUMNS = Object.keys(OWED);
export const OWED_TYPES = Object.values(OWED);

export const toOwedKey = ({ crawler, sink, hostKey, uri }: OwedOrder): Value[] => [
  crawler,
  sink,
  hostKey,
  computeUrlKey(uri),
];

export const toOwedValues = (owed: OwedOrder): Value[] => [
  ...toOwedKey(owed),
  owed.uri,
  owed.orderId,
  roundTime(owed.since),
  owed.askedAt === undefined ? null : roundTime(owed.askedAt),
];

/**
 * If there are several changes for one URI at one sink, the last one counts, because a statement must not touch a row
 * twice.
 */
export function keepLastChanges(changes: readonly OwedChange[]): OwedChange[] {
  return [...new Map(changes.map((one) => [toOwedKey(one).join('\n'), one])).values()];
}

export interface OwedRecord {
  readonly crawler: string;
  readonly sink: string;
  readonly host: string;
  readonly uri: string;
  readonly order_id: number;
  readonly since: number;
  readonly asked_at: number | null;
}

export const toOwed = (row: OwedRecord): OwedOrder => ({
  crawler: row.crawler,
  sink: row.sink,
  uri: row.uri,
  hostKey: row.host,
  orderId: row.order_id,
  since: row.since as Instant,
  askedAt: (row.asked_at ?? undefined) as Instant | undefined,
});
