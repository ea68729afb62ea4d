/** One requirement of an expression on one field of a URL. */
import type { MatchField, MatchNorm } from '../../crawl/policy-definition.js';
import { fold } from '../matching/fold.js';

export interface Fact {
  readonly field: MatchField;
  /**
   * domain: the host equals the text or ends in `.` followed by it; opaque: nothing is known except the expression
   * itself.
   */
  readonly kind: 'exact' | 'prefix' | 'suffix' | 'inside' | 'domain' | 'opaque';
  /** Folded according to `norm`. */
  readonly text: string;
  readonly norm: MatchNorm;
}

const STRICTNESS: Readonly<Record<MatchNorm, number>> = { none: 2, lower: 1, norm: 0 };

/** Whether everything that satisfies `premise` also satisfies `conclusion`. */
export function factImplies(premise: Fact, conclusion: Fact): boolean {
  if (premise.field !== conclusion.field) return false;
  const isCaseless = premise.field === 'host' || premise.field === 'scheme';
  if (!isCaseless && STRICTNESS[premise.norm] < STRICTNESS[conclusion.norm]) return false;
  const text = fold(premise.text, conclusion.norm);
  switch (conclusion.kind) {
    case 'exact':
    case 'opaque':
      return premise.kind === conclusion.kind && text === conclusion.text;
    case 'prefix':
      return (premise.kind === 'exact' || premise.kind === 'prefix') && text.startsWith(conclusion.text);
    case 'suffix':
      return (
        premise.kind !== 'prefix' &&
        premise.kind !== 'inside' &&
        premise.kind !== 'opaque' &&
        text.endsWith(conclusion.text)
      );
    case 'inside':
      return premise.kind !== 'opaque' && text.includes(conclusion.text);
    case 'domain':
      return impliesDomain(premise.kind, text, conclusion.text);
  }
}

function impliesDomain(kind: Fact['kind'], text: string, domain: string): boolean {
  const isSubdomain = text.endsWith(`.${domain}`);
  return kind === 'suffix' ? isSubdomain : (kind === 'exact' || kind === 'domain') && (isSubdomain || text === domain);
}

/**
 * Whether nothing can satisfy both. They are compared in the loosest form: texts that differ in that form differ in
 * every form.
 */
export function factContradicts(a: Fact, b: Fact): boolean {
  if (a.field !== b.field || a.kind === 'opaque' || b.kind === 'opaque') return false;
  const toLooseForm = (fact: Fact): Fact => ({ ...fact, text: fold(fact.text, 'norm'), norm: 'norm' });
  const [left, right] = [toLooseForm(a), toLooseForm(b)];
  if (left.kind === 'exact') return !factImplies(left, right);
  if (right.kind === 'exact') return !factImplies(right, left);
  if (left.kind === 'prefix' && right.kind === 'prefix') {
    return !left.text.startsWith(right.text) && !right.text.startsWith(left.text);
  }
  return haveDifferentEnds(left, right);
}

function haveDifferentEnds(a: Fact, b: Fact): boolean {
  const hasKnownEnd = ({ kind }: Fact) => kind === 'suffix' || kind === 'domain';
  return hasKnownEnd(a) && hasKnownEnd(b) && !a.text.endsWith(b.text) && !b.text.endsWith(a.text);
}

/** Describes a fact: `host www.foo.com`, `path prefix /x`. */
export const formatFact = ({ field, kind, text }: Fact): string =>
  kind === 'exact' ? `${field} ${text}` : `${field} ${kind} ${text}`;
