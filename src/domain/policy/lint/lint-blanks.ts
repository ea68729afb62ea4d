/**
 * Finds patterns with a space or line break, which URLs cannot contain: they result from a wrapped line, or from a list
 * where a single value is expected.
 */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import type { ConditionRule, MatchExpression } from '../../crawl/policy-definition.js';
import { flatMapInSteps, type Steps } from '../../steps.js';
import { formatCondition } from '../conditions.js';
import { createLintWarning } from './codes.js';

export function* lintBlanks({ rules, conditions }: CrawlerDefinition): Steps<Problem[]> {
  const ruleProblems = yield* flatMapInSteps(rules, ({ match, number }) =>
    collectValues(match)
      .filter(hasBlank)
      .map(({ value, place }) => {
        const message = `rule ${number}: "${value.slice(0, 200)}" contains a space, which URLs cannot contain, so it never matches`;
        return createLintWarning('rule-never-matches', place, `${message}; a space in a URL is written as %20`);
      }),
  );
  return [...ruleProblems, ...lintConditionBlanks(conditions?.rules ?? [])];
}

const hasBlank = ({ value }: { readonly value: string }): boolean => /\s/.test(value);

type ValueExpression = Extract<MatchExpression, { readonly value: string }>;

function collectValues(expression: MatchExpression): ValueExpression[] {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.children.flatMap(collectValues);
    case 'not':
      return collectValues(expression.child);
    case 'length':
      return [];
    default:
      return [expression];
  }
}

function lintConditionBlanks(rules: readonly ConditionRule[]): Problem[] {
  return rules.flatMap((rule) => {
    const nestedProblems = lintConditionBlanks(rule.children);
    if (rule.test.type === 'wildcard-set' || !hasBlank(rule.test)) return nestedProblems;
    const hint = rule.test.type === 'wildcard' ? '; for several wildcards, write a wildcard-set' : '';
    const message = `"${formatCondition(rule)}" contains a space, which URLs cannot contain, so it never matches${hint}`;
    return [createLintWarning('condition-unreachable', rule.place, message), ...nestedProblems];
  });
}
