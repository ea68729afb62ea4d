/** The validators of a response, which a conditional request sends back (RFC 9110, 8.8). */
import { parseHttpDate } from '../time/http-date.js';

export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/**
 * Maximum lengths: validators are stored with each URL, and those of a hostile host must not take more space than the
 * URL itself.
 */
const LONGEST_ETAG = 1_024;
const LONGEST_DATE = 64;

/**
 * Reads only validators that a later request can use: a Last-Modified that is not a date and an ETag that is too long
 * are left out.
 */
export function readValidators(headers: Readonly<Record<string, string>>): Validators {
  const etag = headers['etag'];
  const date = headers['last-modified'];
  return {
    etag: etag !== undefined && etag !== '' && etag.length <= LONGEST_ETAG ? etag : undefined,
    lastModified:
      date !== undefined && date.length <= LONGEST_DATE && parseHttpDate(date) !== undefined ? date : undefined,
  };
}
