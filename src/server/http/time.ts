import type { Duration, Instant } from '../../domain/time/units.js';

/** The latest time that a JavaScript Date can represent; NEVER is later. */
const LAST_DATE = 8.64e15;

/** ISO 8601 in UTC; undefined for an absent time and for NEVER. */
export const toOptionalIsoTime = (moment: Instant | undefined): string | undefined =>
  moment === undefined || moment > LAST_DATE ? undefined : new Date(moment).toISOString();

export const toIsoTime = (moment: Instant): string => new Date(moment).toISOString();

/** Seconds, with milliseconds as decimals. */
export const toDecimalSeconds = (duration: Duration | undefined): number | undefined =>
  duration === undefined ? undefined : duration / 1000;
