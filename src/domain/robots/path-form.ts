/**
 * The one form in which robots.txt patterns and URL paths are compared (RFC 9309, 2.2.2): unreserved characters plain,
 * everything that RFC 3986 allows nowhere in a URL percent-encoded, escapes in upper case. In the query an escaped `:` or
 * `/` is the same as a plain one (the RFC's own example); in the path `%2F` stays apart from `/`.
 */
const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[\w.~-]$/;
/** Characters of URLs; anything else is written as an escape. */
const PLAIN = /^[!#-;=?-[\]_a-z~]*$/;

/** Path and query of a URL; an empty one is the root. A plain `*` or `$` is no operator here. */
export function normalizePath(pathWithQuery: string): string {
  if (pathWithQuery === '') return '/';
  return settled(pathWithQuery, utf8Bytes).replace(/[*$]/g, (operator) => (operator === '*' ? '%2A' : '%24'));
}

/** A pattern with one character per byte. `*` and a `$` at the end stay operators; other `$` are plain. */
export function normalizePattern(pattern: string): string {
  const anchored = pattern.endsWith('$');
  const form = settled(anchored ? pattern.slice(0, -1) : pattern, charactersAsBytes)
    .replaceAll('$', '%24')
    .replace(/\*{2,}/g, '*');
  return anchored ? `${form}$` : form;
}

const utf8Bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const charactersAsBytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

function settled(text: string, bytesOf: (text: string) => Uint8Array): string {
  const ascii = PLAIN.test(text) ? text : encoded(bytesOf(text));
  if (!ascii.includes('%')) return ascii;
  const queryStart = ascii.indexOf('?');
  return ascii.replace(ESCAPE, (written, at: number) => unescaped(written, queryStart >= 0 && at > queryStart));
}

function encoded(bytes: Uint8Array): string {
  let form = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    form += PLAIN.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return form;
}

function unescaped(written: string, inQuery: boolean): string {
  const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
  if (UNRESERVED.test(character) || (inQuery && (character === ':' || character === '/'))) return character;
  return written.toUpperCase();
}
