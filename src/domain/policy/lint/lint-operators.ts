/** Regular expressions in which a dot or a question mark is an operator, although the character itself seems to be meant. */

import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Place, Problem } from '../../crawl/place.js';
import type { ConditionRule, MatchExpression, MatchField } from '../../crawl/policy-definition.js';
import { createLintWarning } from './codes.js';

interface Pattern {
  readonly what: string;
  readonly field: MatchField;
  readonly value: string;
  readonly place: Place;
  /** Whether the attribute `litteral` is available; only crawl rules have it. */
  readonly litteral: boolean;
}

export function lintOperators({ rules, conditions }: CrawlerDefinition): Problem[] {
  const inRules = rules.flatMap(({ match, number }) => keepOnePerPlace(collectAtoms(match, `rule ${number}`)));
  return [...inRules, ...collectConditionPatterns(conditions?.rules ?? [])].flatMap(suggestOperator);
}

function collectAtoms(expression: MatchExpression, what: string): Pattern[] {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.children.flatMap((child) => collectAtoms(child, what));
    case 'not':
      return collectAtoms(expression.child, what);
    case 'atom':
      return expression.litteral ? [] : [{ what, ...expression, litteral: true }];
    default:
      return [];
  }
}

/** One element may be turned into several expressions, the last of which is the one as written. */
const keepOnePerPlace = (patterns: readonly Pattern[]): Pattern[] => [
  ...new Map(patterns.map((pattern) => [`${pattern.place.line}:${pattern.place.column}`, pattern])).values(),
];

const collectConditionPatterns = (rules: readonly ConditionRule[]): Pattern[] =>
  rules.flatMap(({ kind, test, place, children }) => [
    ...(test.type === 'regex'
      ? [{ what: `condition ${kind}`, field: test.field, value: test.value, place, litteral: false }]
      : []),
    ...collectConditionPatterns(children),
  ]);

const WITH_NAMES: ReadonlySet<MatchField> = new Set<MatchField>(['url', 'host', 'path']);

/** A dot before a letter or digit, as in host and file names; a question mark before `name=`. */
const OPERATOR = /\\.|\[\^?\]?(?:\\.|[^\]\\[])*\]|(\.)(?=[a-z0-9])|(?<=[\w%~/-])(\?)(?=[\w%.~-]{1,100}=)/gi;

function suggestOperator({ what, field, value, place, litteral }: Pattern): Problem[] {
  if (!WITH_NAMES.has(field)) return [];
  let dot = false;
  let question = false;
  const meant = value.replace(OPERATOR, (text, isDot?: string, isQuestion?: string) => {
    dot ||= isDot !== undefined;
    question ||= isQuestion !== undefined;
    return (isDot ?? isQuestion) === undefined ? text : `\\${text}`;
  });
  if (!dot && !question) return [];
  const shown = value.slice(0, 200);
  const means = question
    ? `the question mark in "${shown}" makes the character before it optional and does not match a question mark`
    : `a dot in "${shown}" matches any one character`;
  const plain = litteral && !/[\\^$*+[\](){}|]/.test(value);
  const hint = plain ? ', or add litteral="true"' : '';
  return [createLintWarning('operator-in-pattern', place, `${what}: ${means}; write "${meant.slice(0, 200)}"${hint}`)];
}
