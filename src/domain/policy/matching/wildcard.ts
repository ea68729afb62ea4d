/**
 * Compiles wildcards: `*` matches any run of characters and, if enabled, `?` any one character. The whole text must
 * match.
 */
import { type RequiredTexts, requireAll, requireText } from './necessary.js';
import { findTemplate, matchesAt } from './template.js';
import type { TextMatcher } from './text-matcher.js';

/** `star`: only `*` is special (a `?` in a URL begins its query); `star-question`: both are. */
export type WildcardSyntax = 'star' | 'star-question';

/**
 * The pieces between stars are searched for from left to right, each at its first occurrence, so there is no
 * backtracking and the time is never exponential.
 */
export function createWildcardMatcher(pattern: string, syntax: WildcardSyntax): TextMatcher {
  const pieces = pattern.split('*').map((text) => (syntax === 'star' ? compilePlainPiece(text) : compilePiece(text)));
  const firstPiece = pieces[0] ?? compilePlainPiece('');
  if (pieces.length === 1) return (text) => text.length === firstPiece.length && firstPiece.matchesAt(text, 0);
  const lastPiece = pieces[pieces.length - 1] ?? compilePlainPiece('');
  const middlePieces = pieces.slice(1, -1).filter(({ length }) => length > 0);
  return (text) => {
    const end = text.length - lastPiece.length;
    if (end < firstPiece.length || !firstPiece.matchesAt(text, 0) || !lastPiece.matchesAt(text, end)) return false;
    let from = firstPiece.length;
    for (const { find, length } of middlePieces) {
      const position = find(text, from);
      if (position < 0 || position + length > end) return false;
      from = position + length;
    }
    return true;
  };
}

interface Piece {
  readonly length: number;
  readonly matchesAt: (text: string, position: number) => boolean;
  /** First position of the piece at or after `from`; -1 if there is none. */
  readonly find: (text: string, from: number) => number;
}

const compilePlainPiece = (piece: string): Piece => ({
  length: piece.length,
  matchesAt: (text, position) => text.startsWith(piece, position),
  find: (text, from) => text.indexOf(piece, from),
});

function compilePiece(text: string): Piece {
  if (!text.includes('?')) return compilePlainPiece(text);
  const template = text.split('').map((char) => (char === '?' ? undefined : char));
  return {
    length: template.length,
    matchesAt: (whole, position) => matchesAt(template, whole, position),
    find: (whole, from) => findTemplate(template, whole, from),
  };
}

/** Lists the texts between wildcards; every match contains all of them. */
export const listRequiredTexts = (pattern: string, syntax: WildcardSyntax): RequiredTexts =>
  requireAll(pattern.split(syntax === 'star' ? '*' : /[*?]/).map(requireText));

/** Splits a set of wildcards, one per line; blank lines are ignored. */
export const splitWildcards = (value: string): string[] =>
  value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
