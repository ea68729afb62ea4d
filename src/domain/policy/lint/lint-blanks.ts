/**
 * Patterns with a space or line break, from a wrapped line or from a list where one value is expected: URLs contain
 * neither.
 */

import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import type { ConditionRule, MatchExpression } from '../../crawl/policy-definition.js';
import { formatCondition } from '../conditions.js';
import { createLintWarning } from './codes.js';

export function lintBlanks({ rules, conditions }: CrawlerDefinition): Problem[] {
  const inRules = rules.flatMap(({ match, number }) =>
    collectValues(match)
      .filter(hasBlank)
      .map(({ value, place }) => {
        const message = `rule ${number}: "${value.slice(0, 200)}" contains a space, which no URL does, so it never matches`;
        return createLintWarning('rule-never-matches', place, `${message}; a space in a URL is written as %20`);
      }),
  );
  return [...inRules, ...lintConditionBlanks(conditions?.rules ?? [])];
}

const hasBlank = ({ value }: { readonly value: string }): boolean => /\s/.test(value);

type Valued = Extract<MatchExpression, { readonly value: string }>;

function collectValues(expression: MatchExpression): Valued[] {
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
    const inside = lintConditionBlanks(rule.children);
    if (rule.test.type === 'wildcard-set' || !hasBlank(rule.test)) return inside;
    const hint = rule.test.type === 'wildcard' ? '; for several wildcards, write a wildcard-set' : '';
    const message = `"${formatCondition(rule)}" contains a space, which no URL does, so it never matches${hint}`;
    return [createLintWarning('condition-unreachable', rule.place, message), ...inside];
  });
}
