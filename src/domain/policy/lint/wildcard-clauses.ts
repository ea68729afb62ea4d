/** Derives what wildcards and unanchored patterns require of a URL. */
import type { MatchField, MatchNorm } from '../../crawl/policy-definition.js';
import { analyzePattern } from '../matching/pattern.js';
import { mayNameUnicodeHost, toUrlForm } from '../matching/text-matcher.js';
import type { WildcardSyntax } from '../matching/wildcard.js';
import { type Clauses, deriveFacts, moveAnchorsToKind } from './clauses.js';
import type { Fact } from './facts.js';

interface FieldTest {
  readonly field: MatchField;
  readonly value: string;
  readonly norm: MatchNorm;
}

/** The text before the first star and after the last one is certain; the pattern as a whole is opaque. */
export function toWildcardClauses({ field, value, norm }: FieldTest, syntax: WildcardSyntax): Clauses {
  const text = toUrlForm(value, { field, kind: 'exact', norm });
  const wildcardCharacter = syntax === 'star' ? /\*/ : /[*?]/;
  if (!wildcardCharacter.test(text)) return [deriveFacts({ field, kind: 'exact', text, norm })];
  if (/^\*+$/.test(text)) return [[]];
  if (mayNameUnicodeHost(value, field)) return [[{ field, kind: 'opaque', text, norm }]];
  const head = text.slice(0, text.search(wildcardCharacter));
  const tail = text.split(wildcardCharacter).at(-1) ?? '';
  const facts: Fact[] = [
    ...(head === '' ? [] : deriveFacts({ field, kind: 'prefix', text: head, norm })),
    ...(tail === '' ? [] : deriveFacts({ field, kind: 'suffix', text: tail, norm })),
  ];
  const pieces = text.split('*').filter((piece) => piece !== '');
  const isOnePiece = pieces.length === 1 && !wildcardCharacter.test(pieces[0] ?? '');
  if (isOnePiece && facts.length > 0) return [facts];
  if (isOnePiece) return [deriveFacts({ field, kind: 'inside', text: pieces[0] ?? '', norm })];
  return [[...facts, { field, kind: 'opaque', text, norm }]];
}

/** Clauses of a regular expression that may match anywhere in the field. */
export function toPatternClauses({ field, value, norm }: FieldTest): Clauses {
  if (value === '' || value === '.*') return [[]];
  const { source, kind } = moveAnchorsToKind(value, 'inside');
  const { template } = analyzePattern(source);
  if (template && !template.includes(undefined) && !mayNameUnicodeHost(value, field))
    return [deriveFacts({ field, kind, text: toUrlForm(template.join(''), { field, kind, norm }), norm })];
  return [[{ field, kind: 'opaque', text: `regex ${value}`, norm }]];
}
