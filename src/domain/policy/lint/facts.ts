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

/** Whether everything that satisfies `known` also satisfies `wanted`. */
export function factImplies(known: Fact, wanted: Fact): boolean {
  if (known.field !== wanted.field) return false;
  const caseless = known.field === 'host' || known.field === 'scheme';
  if (!caseless && STRICTNESS[known.norm] < STRICTNESS[wanted.norm]) return false;
  const text = fold(known.text, wanted.norm);
  switch (wanted.kind) {
    case 'exact':
    case 'opaque':
      return known.kind === wanted.kind && text === wanted.text;
    case 'prefix':
      return (known.kind === 'exact' || known.kind === 'prefix') && text.startsWith(wanted.text);
    case 'suffix':
      return (
        known.kind !== 'prefix' && known.kind !== 'inside' && known.kind !== 'opaque' && text.endsWith(wanted.text)
      );
    case 'inside':
      return known.kind !== 'opaque' && text.includes(wanted.text);
    case 'domain':
      return impliesDomain(known.kind, text, wanted.text);
  }
}

function impliesDomain(kind: Fact['kind'], text: string, domain: string): boolean {
  const below = text.endsWith(`.${domain}`);
  return kind === 'suffix' ? below : (kind === 'exact' || kind === 'domain') && (below || text === domain);
}

/**
 * Whether nothing can satisfy both. They are compared in the loosest form: texts that differ in that form differ in
 * every form.
 */
export function factContradicts(a: Fact, b: Fact): boolean {
  if (a.field !== b.field || a.kind === 'opaque' || b.kind === 'opaque') return false;
  const toLooseForm = (fact: Fact): Fact => ({ ...fact, text: fold(fact.text, 'norm'), norm: 'norm' });
  const [one, other] = [toLooseForm(a), toLooseForm(b)];
  if (one.kind === 'exact') return !factImplies(one, other);
  if (other.kind === 'exact') return !factImplies(other, one);
  if (one.kind === 'prefix' && other.kind === 'prefix') {
    return !one.text.startsWith(other.text) && !other.text.startsWith(one.text);
  }
  return haveDifferentEnds(one, other);
}

function haveDifferentEnds(a: Fact, b: Fact): boolean {
  const hasKnownEnd = ({ kind }: Fact) => kind === 'suffix' || kind === 'domain';
  return hasKnownEnd(a) && hasKnownEnd(b) && !a.text.endsWith(b.text) && !b.text.endsWith(a.text);
}

/** Describes a fact: `host www.foo.com`, `path prefix /x`. */
export const formatFact = ({ field, kind, text }: Fact): string =>
  kind === 'exact' ? `${field} ${text}` : `${field} ${kind} ${text}`;
