/**
 * Case and accents for comparing (`norm` of crawl rules). Canonical URLs are ASCII: what a person writes as `é` is `%C3%A9` in
 * them, so letters are folded after such bytes have been decoded; other escapes are unchanged.
 */
import type { MatchNorm } from '../../crawl/policy-definition.js';
import { decodeNonAscii, NON_ASCII } from '../../url/non-ascii.js';

const MARKS = /\p{M}+/gu;

/** The form in which a text is compared. Texts of equal form are the same under that norm. */
export function fold(text: string, norm: MatchNorm): string {
  if (norm === 'none') return text;
  return (norm === 'lower' ? decodeNonAscii(text) : foldAccents(text)).toLowerCase();
}

export function foldAccents(text: string): string {
  const decoded = decodeNonAscii(text);
  return NON_ASCII.test(decoded) ? decoded.normalize('NFD').replace(MARKS, '').normalize('NFC') : decoded;
}
