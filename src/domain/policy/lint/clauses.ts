/**
 * Converts what a match expression requires of a URL to alternative sets of facts, so that expressions can be compared:
 * whether one matches everything that the other matches, whether both can match one URL, and whether one can match at
 * all. A positive answer is always certain; a negative one may mean that it is unknown.
 */
import type { MatchExpression, MatchField, MatchKind, MatchNorm } from '../../crawl/policy-definition.js';
import { toCrawlUrl } from '../../url/crawl-url.js';
import { normalizeDomain } from '../matching/expression.js';
import { analyzePattern, literalToRegex } from '../matching/pattern.js';
import { mayNameUnicodeHost, toUrlForm } from '../matching/text-matcher.js';
import { type Fact, factContradicts, factImplies } from './facts.js';

/** All facts must hold. An empty clause matches any URL. */
export type Clause = readonly Fact[];
/** At least one clause must hold. An empty list matches no URL. */
export type Clauses = readonly Clause[];

/** Expressions with more clauses are only compared as a whole. */
const MAX_CLAUSES = 64;

export function toClauses(expression: MatchExpression): Clauses {
  switch (expression.type) {
    case 'and':
      return limitClauses(expression, computeCrossProduct(expression.children.map(toClauses)));
    case 'or':
      return limitClauses(expression, expression.children.flatMap(toClauses));
    case 'atom':
      return toAtomClauses(expression);
    case 'domain':
      return [[{ field: 'host', kind: 'domain', text: normalizeDomain(expression.value), norm: 'none' }]];
    default:
      return createOpaqueClauses(expression);
  }
}

/** Returns the clauses for URLs that satisfy both. */
export const intersect = (a: Clauses, b: Clauses): Clauses =>
  a.flatMap((left) => b.map((right) => [...left, ...right]));

const computeCrossProduct = (parts: readonly Clauses[]): Clauses | undefined =>
  parts.reduce<Clauses | undefined>(
    (product, part) => (product && product.length * part.length <= MAX_CLAUSES ? intersect(product, part) : undefined),
    [[]],
  );

const limitClauses = (expression: MatchExpression, clauses: Clauses | undefined): Clauses =>
  clauses && clauses.length <= MAX_CLAUSES ? clauses : createOpaqueClauses(expression);

const omitPlace = (key: string, value: unknown): unknown => (key === 'place' ? undefined : value);

const createOpaqueClauses = (expression: MatchExpression): Clauses => [
  [{ field: 'url', kind: 'opaque', text: JSON.stringify(expression, omitPlace), norm: 'none' }],
];

type Atom = Extract<MatchExpression, { type: 'atom' }>;

function toAtomClauses(atom: Atom): Clauses {
  const { field, norm, value, litteral } = atom;
  const pattern = litteral ? literalToRegex(value) : value;
  if (/^(?:\.\*)?$/.test(pattern) && (atom.kind !== 'exact' || pattern !== '')) return [[]];
  const { source, kind } = moveAnchorsToKind(pattern, atom.kind);
  const { template } = analyzePattern(source);
  // Hosts are usually written with plain dots, although a dot means any character.
  const text = template?.map((char) => char ?? (field === 'host' ? '.' : undefined));
  const isPart = kind !== 'exact' && mayNameUnicodeHost(source, field);
  if (!text || text.includes(undefined) || isPart) return createOpaqueClauses(atom);
  return [deriveFacts({ field, kind, norm, text: toUrlForm(text.join(''), { field, kind, norm }) })];
}

const WITH_ANCHORS = /^(\^?)((?:[\w/~?=&-]|\\[./?])+)(\$?)$/;

/**
 * Moves anchors from a pattern into its kind: `/$` as a prefix means exactly `/`, and with `inside` it is a suffix.
 * This works only for plain characters; other patterns are compiled differently.
 */
export function moveAnchorsToKind(source: string, kind: MatchKind): { source: string; kind: MatchKind } {
  const [, startAnchor, text, endAnchor] = WITH_ANCHORS.exec(source) ?? [];
  if (text === undefined || (!startAnchor && !endAnchor)) return { source, kind };
  const atStart = startAnchor !== '' || kind === 'prefix' || kind === 'exact';
  const atEnd = endAnchor !== '' || kind === 'suffix' || kind === 'exact';
  return { source: text, kind: atStart ? (atEnd ? 'exact' : 'prefix') : 'suffix' };
}

interface LiteralFact {
  readonly field: MatchField;
  readonly kind: Exclude<Fact['kind'], 'opaque' | 'domain'>;
  readonly norm: MatchNorm;
  readonly text: string;
}

/** If the beginning of a URL is known, then so are its scheme, host and path. */
export function deriveFacts(fact: LiteralFact): Clause {
  if (fact.field !== 'url' || (fact.kind !== 'exact' && fact.kind !== 'prefix')) return [fact];
  if (!/^[a-z]+:\/\/[^/?#*]+\//i.test(fact.text)) return [fact];
  const { scheme, host, path, query } = toCrawlUrl(fact.text);
  const { norm } = fact;
  const isWholePath = fact.kind === 'exact' || query !== '';
  return [
    fact,
    { field: 'scheme', kind: 'exact', text: scheme.toLowerCase(), norm },
    { field: 'host', kind: 'exact', text: host.toLowerCase(), norm },
    { field: 'path', kind: isWholePath ? 'exact' : 'prefix', text: path, norm },
  ];
}

/** Whether `big` matches every URL that `small` matches. */
export const covers = (big: Clauses, small: Clauses): boolean =>
  small.every((smallClause) =>
    big.some((clause) => clause.every((fact) => smallClause.some((smallFact) => factImplies(smallFact, fact)))),
  );

/** Whether no URL is matched by both. */
export const areDisjoint = (a: Clauses, b: Clauses): boolean =>
  a.every((left) =>
    b.every((right) => left.some((leftFact) => right.some((rightFact) => factContradicts(leftFact, rightFact)))),
  );

/** Two contradicting facts of the first clause, if every clause contradicts itself. */
export function findContradiction(clauses: Clauses): readonly [Fact, Fact] | undefined {
  const found = clauses.map(findClauseContradiction);
  return found.every((pair) => pair !== undefined) ? found[0] : undefined;
}

function findClauseContradiction(clause: Clause): readonly [Fact, Fact] | undefined {
  for (const [index, fact] of clause.entries()) {
    const contradictingFact = clause.slice(index + 1).find((laterFact) => factContradicts(fact, laterFact));
    if (contradictingFact) return [fact, contradictingFact];
  }
  return undefined;
}

/** Whether the clauses match every URL. */
export const matchesEveryUrl = (clauses: Clauses): boolean => clauses.some((clause) => clause.length === 0);
