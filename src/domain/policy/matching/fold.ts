/**
 * Case and accents for comparing (`norm` of crawl rules). Canonical URLs are ASCII: what a person writes as `é` stands
 * there as `%C3%A9`, so accents are folded after such bytes have been decoded; other escapes stay as they are.
 */
import type { MatchNorm } from '../../crawl/definition.js';

const ENCODED_NON_ASCII = /(?:%[89a-f][0-9a-f])+/gi;
const NON_ASCII = /[^\x00-\x7f]/;
const MARKS = /\p{M}+/gu;

/** The form in which a text is compared. Texts of equal form are the same under that norm. */
export function fold(text: string, norm: MatchNorm): string {
  if (norm === 'none') return text;
  return norm === 'lower' ? text.toLowerCase() : foldAccents(text).toLowerCase();
}

export function foldAccents(text: string): string {
  const decoded = text.includes('%') ? text.replace(ENCODED_NON_ASCII, decodeOrKeep) : text;
  return NON_ASCII.test(decoded) ? decoded.normalize('NFD').replace(MARKS, '').normalize('NFC') : decoded;
}

function decodeOrKeep(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes; // not UTF-8: an older encoding that nobody names
  }
}

/** A written text as it stands in a canonical URL. */
export const encodeNonAscii = (text: string): string =>
  NON_ASCII.test(text) ? text.toWellFormed().replace(/[^\x00-\x7f]+/g, encodeURIComponent) : text;

/** A written host name as it stands in a canonical URL: lower case, punycode. Kept as written when it is none. */
export function encodeHost(text: string): string {
  if (!NON_ASCII.test(text)) return text.toLowerCase();
  const dot = text.startsWith('.') ? '.' : '';
  const host = URL.parse(`http://${text.slice(dot.length)}`)?.hostname;
  return host === undefined ? text.toLowerCase() : dot + host;
}
