/**
 * Canonical URLs are ASCII and contain `é` as `%C3%A9`. These functions convert between the two forms, one whole
 * character at a time.
 */
import { decodePercent } from './decode-percent.js';

/** One percent-encoded multi-byte UTF-8 character. */
const ENCODED_CHARACTER =
  /%c[2-9a-f]%[89ab][0-9a-f]|%d[0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-4](?:%[89ab][0-9a-f]){3}/gi;
const ENCODED_BYTE = /%[89a-f][0-9a-f]/i;

export const NON_ASCII = /[^\x00-\x7f]/;

/**
 * Decodes escapes of non-ASCII characters. Escapes that are not UTF-8 (an unknown older encoding) stay, and so do
 * escapes of ASCII characters, which may be encoded because they would otherwise mean something else.
 */
export const decodeNonAscii = (text: string): string =>
  text.includes('%') && ENCODED_BYTE.test(text) ? text.replace(ENCODED_CHARACTER, decodePercent) : text;

export const encodeNonAscii = (text: string): string =>
  NON_ASCII.test(text) ? text.toWellFormed().replace(/[^\x00-\x7f]+/g, encodeURIComponent) : text;

/** Converts a part of a canonical URL, encoded letters included, to lower case; the result is still canonical. */
export function toLowerCase(text: string): string {
  if (!text.includes('%')) return text.toLowerCase();
  return encodeNonAscii(decodeNonAscii(text).toLowerCase()).replace(/%[0-9a-f]{2}/g, (byte) => byte.toUpperCase());
}
