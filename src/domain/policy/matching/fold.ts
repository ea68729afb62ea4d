/**
 * Folds case and accents for comparisons (`norm` of crawl rules). Canonical URLs are ASCII and contain `é` as `%C3%A9`,
 * so such bytes are decoded before letters are folded; other escapes stay unchanged.
 */
import type { MatchNorm } from '../../crawl/policy-definition.js';
import { decodeNonAscii, NON_ASCII } from '../../url/non-ascii.js';

const COMBINING_MARKS = /\p{M}+/gu;

/** The form in which a text is compared. Texts with equal forms are the same under that norm. */
export function fold(text: string, norm: MatchNorm): string {
  if (norm === 'none') return text;
  return (norm === 'lower' ? decodeNonAscii(text) : foldAccents(text)).toLowerCase();
}

export function foldAccents(text: string): string {
  const decoded = decodeNonAscii(text);
  return NON_ASCII.test(decoded) ? decoded.normalize('NFD').replace(COMBINING_MARKS, '').normalize('NFC') : decoded;
}
