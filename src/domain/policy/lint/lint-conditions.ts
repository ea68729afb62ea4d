/** Recursive conditions that can have no effect in their position. */

import type { Problem } from '../../crawl/place.js';
import type { ConditionRule, ConditionsDefinition, ConditionTest } from '../../crawl/policy-definition.js';
import { formatCondition } from '../conditions.js';
import { splitWildcards } from '../matching/wildcard.js';
import { areDisjoint, type Clauses, covers, intersect, matchesAll } from './clauses.js';
import { createLintWarning } from './codes.js';
import { findClausesFault } from './forms.js';
import { toPatternClauses, toWildcardClauses } from './wildcard-clauses.js';

/** What is known about the URLs that reach a rule. */
interface Known {
  /** All of these URLs match this. */
  readonly within: Clauses;
  /** URLs that match one of these do not get this far, or are already filtered. */
  readonly without: readonly Clauses[];
  /** The crawler's protocols. */
  readonly protocols: readonly string[];
}

/** Each rule is compared with up to this many filters before it. */
const MAX_COMPARED = 500;

export function lintConditions(
  { rules, defaultAllow, options, place }: ConditionsDefinition,
  protocols: readonly string[],
): Problem[] {
  const problems = lintLevel(rules, { within: [[]], without: [], protocols });
  if ((options.defaultAllow ?? defaultAllow) !== 'allow' && !allowsSomething(rules)) {
    const message = 'default-allow is disallow and no condition sets it to allow, so nothing is crawled';
    problems.push(createLintWarning('condition-unreachable', place, message));
  }
  return problems;
}

const allowsSomething = (rules: readonly ConditionRule[]): boolean =>
  rules.some((rule) => rule.options.defaultAllow === 'allow' || allowsSomething(rule.children));

function lintLevel(rules: readonly ConditionRule[], outer: Known): Problem[] {
  const problems: Problem[] = [];
  let known = outer;
  for (const rule of rules) {
    const test = toTestClauses(rule.test);
    const reason = findNeverMatchesReason(rule, test, known) ?? findNoEffectReason(rule, test, known);
    if (reason)
      problems.push(createLintWarning('condition-unreachable', rule.place, `"${formatCondition(rule)}" ${reason}`));
    else problems.push(...lintLevel(rule.children, narrowKnown(rule, test, known)));
    const filters = rule.kind === 'may-not-have' && !reason && known.without.length < MAX_COMPARED;
    if (filters) known = { ...known, without: [...known.without, test] };
  }
  return problems;
}

function narrowKnown(rule: ConditionRule, test: Clauses, known: Known): Known {
  if (rule.kind === 'apply-for') return { ...known, within: intersect(known.within, test) };
  return rule.kind === 'apply-except-for' ? { ...known, without: [...known.without, test] } : known;
}

const WITHOUT_MATCH: Readonly<Record<ConditionRule['kind'], string>> = {
  'apply-for': 'never applies',
  'apply-except-for': 'excepts nothing',
  'may-not-have': 'filters nothing',
  'must-have': 'filters every URL',
};

function findNeverMatchesReason({ kind }: ConditionRule, test: Clauses, { protocols }: Known): string | undefined {
  const reason = test.length === 0 ? 'it has no wildcard' : findClausesFault(test, protocols);
  return reason && `${WITHOUT_MATCH[kind]}: ${reason}`;
}

function findNoEffectReason(rule: ConditionRule, test: Clauses, known: Known): string | undefined {
  const never = areDisjoint(test, known.within) || known.without.some((gone) => covers(gone, test));
  const always = matchesAll(test) || (known.within.length > 0 && covers(test, known.within));
  switch (rule.kind) {
    case 'apply-for':
      return never ? 'never applies: no URL that it matches gets this far' : undefined;
    case 'apply-except-for':
      return always ? 'never applies: every URL that gets this far is an exception' : undefined;
    case 'may-not-have':
      if (never) return 'filters nothing: no URL that it matches gets this far';
      return (
        findMisplacedReason(rule) ?? (matchesAll(test) && matchesAll(known.within) ? 'filters every URL' : undefined)
      );
    case 'must-have':
      if (always) return 'filters nothing: every URL that gets this far has it';
      return findMisplacedReason(rule) ?? (never ? 'filters every URL that gets this far' : undefined);
  }
}

/** Only "apply" conditions assign options and evaluate the conditions that they contain. */
function findMisplacedReason(rule: ConditionRule): string | undefined {
  if (rule.children.length > 0)
    return 'contains conditions that are never evaluated: put them into a condition that applies';
  return Object.keys(rule.options).length > 0
    ? 'sets options that are never assigned: put them into a condition that applies'
    : undefined;
}

function toTestClauses({ type, field, value, caseSensitive }: ConditionTest): Clauses {
  const norm = caseSensitive ? 'none' : 'lower';
  if (type === 'regex') return toPatternClauses({ field, value, norm });
  const wildcards = type === 'wildcard' ? [value] : splitWildcards(value);
  return wildcards.flatMap((wildcard) => toWildcardClauses({ field, value: wildcard, norm }, 'star-question'));
}
