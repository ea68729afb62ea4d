/** What a conditional request sends back: the validators of an answer (RFC 9110, 8.8). */
import { parseHttpDate } from '../time/http-date.js';

export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Stored with each URL: one from a hostile host must not cost more than the URL itself. */
const LONGEST_ETAG = 1_024;
const LONGEST_DATE = 64;

/** Only those that a later request can use: a Last-Modified that is not a date and an unterminated ETag are left out. */
export function readValidators(headers: Readonly<Record<string, string>>): Validators {
  const etag = headers['etag'];
  const date = headers['last-modified'];
  return {
    etag: etag !== undefined && etag !== '' && etag.length <= LONGEST_ETAG ? etag : undefined,
    lastModified:
      date !== undefined && date.length <= LONGEST_DATE && parseHttpDate(date) !== undefined ? date : undefined,
  };
}
