/** Between rows of the ledger and entries; shared by both databases. */
import { ORDER_STATES, type OrderKind } from '../../domain/push/order.js';
import type { Instant } from '../../domain/time/units.js';
import { urlKey } from '../../domain/url/url-key.js';
import type { LedgerEntry, Visit } from '../../engine/ports/frontier-store.js';
import type { Value } from './url-row.js';

/** The position is what is stored. */
const KINDS: readonly OrderKind[] = ['add', 'delete'];

export const kindCode = (kind: OrderKind): number => KINDS.indexOf(kind);
export const orderStateCode = (state: LedgerEntry['state']): number => ORDER_STATES.indexOf(state);

/** States in which an order has not come to its end: its URL must not be forgotten. */
export const UNDER_WAY = [orderStateCode('pending'), orderStateCode('held')];

export const ORDER_COLUMNS = [
  'id',
  'crawler',
  'uri',
  'uri_key',
  'host',
  'kind',
  'reason',
  'decided_at',
  'state',
  'attempts',
  'answered_at',
  'answer',
  'stamp',
] as const;

/** Columns that a later word on the same order may change. */
export const ORDER_CHANGES = ['state', 'attempts', 'answered_at', 'answer', 'reason', 'stamp'] as const;

export const orderValues = (entry: LedgerEntry): Value[] => [
  entry.id,
  entry.crawler,
  entry.uri,
  urlKey(entry.uri),
  entry.hostKey,
  kindCode(entry.kind),
  entry.reason,
  entry.decidedAt,
  orderStateCode(entry.state),
  entry.attempts,
  entry.answeredAt ?? null,
  entry.answer ?? null,
  entry.stamp ?? null,
];

export interface OrderRecord {
  readonly id: number;
  readonly crawler: string;
  readonly uri: string;
  readonly host: string;
  readonly kind: number;
  readonly reason: string;
  readonly decided_at: number;
  readonly state: number;
  readonly attempts: number;
  readonly answered_at: number | null;
  readonly answer: string | null;
  readonly stamp: string | null;
}

export const toEntry = (row: OrderRecord): LedgerEntry => ({
  id: row.id,
  crawler: row.crawler,
  uri: row.uri,
  hostKey: row.host,
  kind: KINDS[row.kind] ?? 'add',
  reason: row.reason,
  decidedAt: row.decided_at as Instant,
  state: ORDER_STATES[row.state] ?? 'pending',
  attempts: row.attempts,
  answeredAt: (row.answered_at ?? undefined) as Instant | undefined,
  answer: row.answer ?? undefined,
  stamp: row.stamp ?? undefined,
});

/** Visits kept of each URL. */
export const KEPT_VISITS = 20;

export interface VisitRecord {
  readonly at: number;
  readonly status: number | null;
  readonly outcome: string;
  readonly detail: string | null;
  readonly duration: number;
  readonly bytes: number;
  readonly changed: number;
}

export const visitValues = (visit: Visit): Value[] => [
  visit.at,
  visit.status ?? null,
  visit.outcome,
  visit.detail ?? null,
  visit.duration,
  visit.bytes,
  visit.changed ? 1 : 0,
];

export const toVisit = (row: VisitRecord): Visit => ({
  at: row.at as Instant,
  status: row.status ?? undefined,
  outcome: row.outcome,
  detail: row.detail ?? undefined,
  duration: row.duration as Visit['duration'],
  bytes: row.bytes,
  changed: row.changed === 1,
});
