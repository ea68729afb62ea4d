/**
 * Converts robots.txt patterns and URL paths to the form in which they are compared (RFC 9309, 2.2.2): unreserved
 * characters are plain, everything that RFC 3986 does not allow in a URL is percent-encoded, and escapes are in upper
 * case. In the
 * query, an escaped `:` or `/` equals a plain one (the RFC's own example); in the path, `%2F` differs from `/`.
 */
const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;
const COLON = 0x3a;
const SLASH = 0x2f;
/** Characters allowed in URLs; all others are escaped. */
const PLAIN_TEXT = /^[!#-;=?-[\]_a-z~]*$/;

const BYTES = Array.from({ length: 256 }, (_, byte) => ({
  character: String.fromCharCode(byte),
  escaped: `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
}));
/** By byte: the form of a raw byte, and the form of an escaped one. */
const RAW_BYTE_FORMS = BYTES.map(({ character, escaped }) => (PLAIN_TEXT.test(character) ? character : escaped));
const ESCAPED_BYTE_FORMS = BYTES.map(({ character, escaped }) => (UNRESERVED.test(character) ? character : escaped));

/** Normalizes path and query of a URL; an empty path is the root. A plain `*` or `$` is not an operator here. */
export function normalizePath(pathWithQuery: string): string {
  if (pathWithQuery === '') return '/';
  return normalizeEncoding(pathWithQuery, encodeUtf8).replace(/[*$]/g, (operator) =>
    operator === '*' ? '%2A' : '%24',
  );
}

/**
 * Normalizes a pattern with one character per byte. `*` and a `$` at the end remain operators; any other `$` is
 * literal.
 */
export function normalizePattern(pattern: string): string {
  const isAnchored = pattern.endsWith('$');
  const form = normalizeEncoding(isAnchored ? pattern.slice(0, -1) : pattern, toCharacterBytes)
    .replaceAll('$', '%24')
    .replace(/\*{2,}/g, '*');
  return isAnchored ? `${form}$` : form;
}

const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const toCharacterBytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

function normalizeEncoding(text: string, toBytes: (text: string) => Uint8Array): string {
  const ascii = PLAIN_TEXT.test(text) ? text : percentEncode(toBytes(text));
  if (!ascii.includes('%')) return ascii;
  const queryStart = ascii.indexOf('?');
  return ascii.replace(ESCAPE, (escaped, index: number) =>
    unescapeByte(escaped, queryStart >= 0 && index > queryStart),
  );
}

const percentEncode = (bytes: Uint8Array): string => Array.from(bytes, (byte) => RAW_BYTE_FORMS[byte]).join('');

const unescapeByte = (escaped: string, inQuery: boolean): string => {
  const byte = Number.parseInt(escaped.slice(1), 16);
  return inQuery && (byte === COLON || byte === SLASH) ? String.fromCharCode(byte) : ESCAPED_BYTE_FORMS[byte]!;
};
