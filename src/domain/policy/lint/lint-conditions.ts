/** Finds recursive conditions that cannot have an effect in their position. */
import type { Problem } from '../../crawl/place.js';
import type { ConditionRule, ConditionsDefinition, ConditionTest } from '../../crawl/policy-definition.js';
import { formatCondition } from '../conditions.js';
import { splitWildcards } from '../matching/wildcard.js';
import { areDisjoint, type Clauses, covers, intersect, matchesEveryUrl } from './clauses.js';
import { createLintWarning } from './codes.js';
import { findClausesFault } from './forms.js';
import { toPatternClauses, toWildcardClauses } from './wildcard-clauses.js';

/** What is known about the URLs that reach a rule. */
interface UrlBounds {
  /** The clauses that all of these URLs match. */
  readonly requiredClauses: Clauses;
  /** URLs that match one of these do not get this far, or are already filtered. */
  readonly excludedClauses: readonly Clauses[];
  /** The crawler's protocols. */
  readonly protocols: readonly string[];
}

/** Each rule is compared with up to this many filters before it. */
const MAX_COMPARED = 500;

export function lintConditions(
  { rules, defaultAllow, options, place }: ConditionsDefinition,
  protocols: readonly string[],
): Problem[] {
  const problems = lintLevel(rules, { requiredClauses: [[]], excludedClauses: [], protocols });
  if ((options.defaultAllow ?? defaultAllow) !== 'allow' && !allowsSomething(rules)) {
    const message = 'default-allow is disallow and no condition sets it to allow, so nothing is crawled';
    problems.push(createLintWarning('condition-unreachable', place, message));
  }
  return problems;
}

const allowsSomething = (rules: readonly ConditionRule[]): boolean =>
  rules.some((rule) => rule.options.defaultAllow === 'allow' || allowsSomething(rule.children));

function lintLevel(rules: readonly ConditionRule[], outerBounds: UrlBounds): Problem[] {
  const problems: Problem[] = [];
  let bounds = outerBounds;
  for (const rule of rules) {
    const testClauses = toTestClauses(rule.test);
    const reason = findNeverMatchesReason(rule, testClauses, bounds) ?? findNoEffectReason(rule, testClauses, bounds);
    if (reason)
      problems.push(createLintWarning('condition-unreachable', rule.place, `"${formatCondition(rule)}" ${reason}`));
    else problems.push(...lintLevel(rule.children, narrowBounds(rule, testClauses, bounds)));
    const isFilter = rule.kind === 'may-not-have' && !reason && bounds.excludedClauses.length < MAX_COMPARED;
    if (isFilter) bounds = { ...bounds, excludedClauses: [...bounds.excludedClauses, testClauses] };
  }
  return problems;
}

function narrowBounds(rule: ConditionRule, testClauses: Clauses, bounds: UrlBounds): UrlBounds {
  if (rule.kind === 'apply-for') return { ...bounds, requiredClauses: intersect(bounds.requiredClauses, testClauses) };
  return rule.kind === 'apply-except-for'
    ? { ...bounds, excludedClauses: [...bounds.excludedClauses, testClauses] }
    : bounds;
}

const UNMATCHED_EFFECTS: Readonly<Record<ConditionRule['kind'], string>> = {
  'apply-for': 'never applies',
  'apply-except-for': 'excepts nothing',
  'may-not-have': 'filters nothing',
  'must-have': 'filters every URL',
};

function findNeverMatchesReason(
  { kind }: ConditionRule,
  testClauses: Clauses,
  { protocols }: UrlBounds,
): string | undefined {
  const reason = testClauses.length === 0 ? 'it has no wildcard' : findClausesFault(testClauses, protocols);
  return reason && `${UNMATCHED_EFFECTS[kind]}: ${reason}`;
}

function findNoEffectReason(rule: ConditionRule, testClauses: Clauses, bounds: UrlBounds): string | undefined {
  const neverMatches =
    areDisjoint(testClauses, bounds.requiredClauses) ||
    bounds.excludedClauses.some((excluded) => covers(excluded, testClauses));
  const alwaysMatches = covers(testClauses, bounds.requiredClauses);
  switch (rule.kind) {
    case 'apply-for':
      return neverMatches ? 'never applies: no URL that it matches gets this far' : undefined;
    case 'apply-except-for':
      return alwaysMatches ? 'never applies: every URL that gets this far is an exception' : undefined;
    case 'may-not-have':
      if (neverMatches) return 'filters nothing: no URL that it matches gets this far';
      return (
        findMisplacedReason(rule) ??
        (matchesEveryUrl(testClauses) && matchesEveryUrl(bounds.requiredClauses) ? 'filters every URL' : undefined)
      );
    case 'must-have':
      if (alwaysMatches) return 'filters nothing: every URL that gets this far has it';
      return findMisplacedReason(rule) ?? (neverMatches ? 'filters every URL that gets this far' : undefined);
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
