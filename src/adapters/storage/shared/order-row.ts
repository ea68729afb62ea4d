/** Conversion between rows and ledger entries, and between rows and visits; shared by both databases. */
import { toReason } from '../../../domain/policy/reasons.js';
import { ORDER_STATES, type OrderKind } from '../../../domain/push/order.js';
import type { Instant } from '../../../domain/time/units.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import type { LedgerEntry, Visit } from '../../../engine/ports/frontier-store.js';
import { roundTime, type Value } from './url-row.js';

/** A kind is stored as its position in this list. */
const KINDS: readonly OrderKind[] = ['add', 'delete'];

export const toKindCode = (kind: OrderKind): number => KINDS.indexOf(kind);
export const toOrderStateCode = (state: LedgerEntry['state']): number => ORDER_STATES.indexOf(state);

/** States of unfinished orders, whose URLs must not be forgotten. */
export const UNFINISHED_STATES = [toOrderStateCode('pending'), toOrderStateCode('held'), toOrderStateCode('awaiting')];

/** Columns with their PostgreSQL types, in the order of `toOrderValues`. */
const ORDER = {
  id: 'int8',
  crawler: 'text',
  uri: 'text',
  uri_key: 'int8',
  host: 'text',
  kind: 'int2',
  reason: 'text',
  decided_at: 'int8',
  state: 'int2',
  attempts: 'int4',
  answered_at: 'int8',
  answer: 'text',
  stamp: 'text',
};

export const ORDER_COLUMNS = Object.keys(ORDER);
export const ORDER_TYPES = Object.values(ORDER);

/** Columns that a later update of the same order may change. */
export const ORDER_CHANGES = ['state', 'attempts', 'answered_at', 'answer', 'reason', 'stamp'] as const;

export const toOrderValues = (entry: LedgerEntry): Value[] => [
  entry.id,
  entry.crawler,
  entry.uri,
  computeUrlKey(entry.uri),
  entry.hostKey,
  toKindCode(entry.kind),
  entry.reason,
  roundTime(entry.decidedAt),
  toOrderStateCode(entry.state),
  entry.attempts,
  entry.answeredAt === undefined ? null : roundTime(entry.answeredAt),
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

export const toLedgerEntry = (row: OrderRecord): LedgerEntry => ({
  id: row.id,
  crawler: row.crawler,
  uri: row.uri,
  hostKey: row.host,
  kind: KINDS[row.kind] ?? 'add',
  reason: toReason(row.reason),
  decidedAt: row.decided_at as Instant,
  state: ORDER_STATES[row.state] ?? 'pending',
  attempts: row.attempts,
  answeredAt: (row.answered_at ?? undefined) as Instant | undefined,
  answer: row.answer ?? undefined,
  stamp: row.stamp ?? undefined,
});

/** Number of visits to keep for each URL. */
export const MAX_VISITS = 20;

export interface VisitRecord {
  readonly at: number;
  readonly status: number | null;
  readonly outcome: string;
  readonly detail: string | null;
  readonly duration: number;
  readonly bytes: number;
  readonly changed: number;
}

const VISIT = {
  at: 'int8',
  status: 'int2',
  outcome: 'text',
  detail: 'text',
  duration: 'int4',
  bytes: 'int8',
  changed: 'int2',
};

/** The columns after the URL's id, in the order of `toVisitValues`. */
export const VISIT_COLUMNS = Object.keys(VISIT);
export const VISIT_TYPES = Object.values(VISIT);

export const toVisitValues = (visit: Visit): Value[] => [
  roundTime(visit.at),
  visit.status ?? null,
  visit.outcome,
  visit.detail ?? null,
  roundTime(visit.duration),
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
