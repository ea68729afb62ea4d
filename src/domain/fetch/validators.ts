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
