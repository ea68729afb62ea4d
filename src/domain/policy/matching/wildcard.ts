/**
 * Wildcards: `*` stands for any run of characters and, if enabled, `?` for any one character. The whole text must
 * match.
 */
import { type Necessary, requireAll, requireText } from './necessary.js';
import { findTemplate, matchesAt } from './template.js';
import type { TextMatcher } from './text-matcher.js';

/** `star`: only `*` is special (a `?` in a URL begins its query); `star-question`: both are. */
export type WildcardSyntax = 'star' | 'star-question';

/**
 * The pieces between stars are searched for from left to right, each at its first occurrence: no backtracking, so no
 * exponential time.
 */
export function createWildcardMatcher(pattern: string, syntax: WildcardSyntax): TextMatcher {
  const pieces = pattern.split('*').map((text) => (syntax === 'star' ? compilePlainPiece(text) : compilePiece(text)));
  const first = pieces[0] ?? compilePlainPiece('');
  if (pieces.length === 1) return (text) => text.length === first.length && first.fits(text, 0);
  const last = pieces[pieces.length - 1] ?? compilePlainPiece('');
  const middle = pieces.slice(1, -1).filter(({ length }) => length > 0);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !first.fits(text, 0) || !last.fits(text, end)) return false;
    let from = first.length;
    for (const { find, length } of middle) {
      const at = find(text, from);
      if (at < 0 || at + length > end) return false;
      from = at + length;
    }
    return true;
  };
}

interface Piece {
  readonly length: number;
  readonly fits: (text: string, at: number) => boolean;
  /** First position of the piece at or after `from`; -1 if there is none. */
  readonly find: (text: string, from: number) => number;
}

const compilePlainPiece = (piece: string): Piece => ({
  length: piece.length,
  fits: (text, at) => text.startsWith(piece, at),
  find: (text, from) => text.indexOf(piece, from),
});

function compilePiece(text: string): Piece {
  if (!text.includes('?')) return compilePlainPiece(text);
  const template = text.split('').map((char) => (char === '?' ? undefined : char));
  return {
    length: template.length,
    fits: (whole, at) => matchesAt(template, whole, at),
    find: (whole, from) => findTemplate(template, whole, from),
  };
}

/** The texts between wildcards, all of which every match contains. */
export const listRequiredTexts = (pattern: string, syntax: WildcardSyntax): Necessary =>
  requireAll(pattern.split(syntax === 'star' ? '*' : /[*?]/).map(requireText));

/** Splits a set of wildcards, one per line; blank lines are ignored. */
export const splitWildcards = (value: string): string[] =>
  value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
