/** What a response says about reusing it: how long it stays fresh, and what a conditional request sends back (RFC 9110, 8.8). */
import { parseHttpDate } from '../time/http-date.js';
import { between, type Duration, days, type Instant, seconds } from '../time/units.js';

export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/**
 * Maximum lengths: validators are stored with each URL, and those of a hostile host must not take more space than the
 * URL itself.
 */
const MAX_ETAG_LENGTH = 1_024;
const MAX_DATE_LENGTH = 64;

/**
 * Reads only validators that a later request can use: a Last-Modified that is not a date and an ETag that is too long
 * are left out.
 */
export function readValidators(headers: Readonly<Record<string, string>>): Validators {
  const etag = headers['etag'];
  const date = headers['last-modified'];
  return {
    etag: etag !== undefined && etag !== '' && etag.length <= MAX_ETAG_LENGTH ? etag : undefined,
    lastModified:
      date !== undefined && date.length <= MAX_DATE_LENGTH && parseHttpDate(date) !== undefined ? date : undefined,
  };
}

/** Of an ETag without its mark of weakness and what servers append for a content coding. */
const VERSION = /^(?:W\/)?"?(.*?)(?:[-;:+.]{1,2}(?:gzip|br|deflate|zstd))?"?$/s;

/**
 * Whether two ETags name the same version of a page. A server may answer "not modified" because of the date although it has
 * another version; such a response says nothing about the version that was sent earlier (RFC 9111, 4.3.4).
 */
export const isSameVersion = (etag: string, other: string): boolean =>
  VERSION.exec(etag)?.[1] === VERSION.exec(other)?.[1];

/**
 * How often a page is read in full, whatever its validators: where all files have one date, as in images of containers, a server
 * that looks at dates alone answers "not modified" for ever.
 */
const FULL_READING_INTERVAL: Duration = days(30);

/** Whether the page's own time of the month has come since its last visit; the times of pages are spread by their ids. */
export function isFullReadingDue(id: number, lastVisitAt: Instant, now: Instant): boolean {
  const offset = ((Math.imul(id, 0x9e3779b1) >>> 0) / 2 ** 32) * FULL_READING_INTERVAL;
  const countPeriods = (time: Instant): number => Math.floor((time + offset) / FULL_READING_INTERVAL);
  return countPeriods(now) > countPeriods(lastVisitAt);
}

/**
 * How long a response claims to stay fresh (RFC 9111, 4.2.1: max-age takes precedence over Expires); undefined if it
 * does not say.
 */
export function parseLifetime(headers: Readonly<Record<string, string>>): Duration | undefined {
  const cacheControl = headers['cache-control'];
  if (cacheControl !== undefined) {
    if (/(?:^|[,\s])no-(?:store|cache)\b/i.test(cacheControl)) return undefined;
    const maxAge = /(?:^|[,\s])max-age=(?:"?)(\d{1,10})/i.exec(cacheControl);
    if (maxAge) return seconds(Number(maxAge[1]));
  }
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  const expiresAt = parseHttpDate(expires);
  const sentAt = parseHttpDate(headers['date'] ?? '');
  return expiresAt !== undefined && sentAt !== undefined && expiresAt > sentAt ? between(sentAt, expiresAt) : undefined;
}
