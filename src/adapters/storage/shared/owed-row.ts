/** Conversion between rows of `owed_order` and OwedOrder; shared by both databases. */
import type { Instant } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { OwedChange, OwedOrder } from '../../../engine/ports/owed-orders.js';
import { roundTime, type Value } from './url-row.js';

/** Columns with their PostgreSQL types, in the order of `toOwedValues`. */
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

/** Splits changes into rounds, in their order, because a statement must not change a row twice. */
export function splitIntoRounds(changes: readonly OwedChange[]): OwedChange[][] {
  const rounds: OwedChange[][] = [];
  const counts = new Map<string, number>();
  for (const change of changes) {
    const key = toOwedKey(change).join('\n');
    const number = counts.get(key) ?? 0;
    counts.set(key, number + 1);
    const round = rounds[number] ?? [];
    round.push(change);
    rounds[number] = round;
  }
  return rounds;
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

export const toOwedOrder = (row: OwedRecord): OwedOrder => ({
  crawler: row.crawler,
  sink: row.sink,
  uri: row.uri,
  hostKey: row.host,
  orderId: row.order_id,
  since: row.since as Instant,
  askedAt: (row.asked_at ?? undefined) as Instant | undefined,
});
