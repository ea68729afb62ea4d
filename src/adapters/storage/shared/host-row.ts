/** Conversion between rows of `host` and HostRecord; shared by both databases. */
import type { Duration, Instant } from '../../../domain/time/units.js';
import type { HostRecord } from '../../../engine/ports/frontier-store.js';
import { roundTime, type Value } from './url-row.js';

export interface StoredHost {
  readonly host: string;
  readonly next_request_at: number;
  readonly back_off_until: number;
  readonly back_off_step: number;
  readonly paused: number;
  readonly visit_price: number;
}

/** No request may begin earlier because of rounding. */
const roundUp = (time: Instant): number => Math.ceil(time);

/** Returns the values in the order of the table's columns. */
export const toHostValues = (host: HostRecord): Value[] => [
  host.hostKey,
  roundUp(host.nextRequestAt),
  roundUp(host.backOffUntil),
  host.backOffStep,
  host.paused ? 1 : 0,
  roundTime(host.visitPrice),
];

export const toHost = (row: StoredHost): HostRecord => ({
  hostKey: row.host,
  nextRequestAt: row.next_request_at as Instant,
  backOffUntil: row.back_off_until as Instant,
  backOffStep: row.back_off_step,
  paused: row.paused === 1,
  visitPrice: row.visit_price as Duration,
});
