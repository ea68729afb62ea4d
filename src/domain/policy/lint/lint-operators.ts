/**
 * Finds expressions in which a dot or question mark is an operator, although the character itself seems to be meant.
 */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import type { Place, Problem } from '../../crawl/place.js';
import type { ConditionRule, MatchExpression, MatchField } from '../../crawl/policy-definition.js';
import { flatMapInSteps, type Steps } from '../../steps.js';
import { createLintWarning } from './codes.js';

interface Pattern {
  readonly owner: string;
  readonly field: MatchField;
  readonly value: string;
  readonly place: Place;
  /** Whether the attribute `litteral` is available; only crawl rules have it. */
  readonly litteral: boolean;
}

export function* lintOperators({ rules, conditions }: CrawlerDefinition): Steps<Problem[]> {
  const ofRules = yield* flatMapInSteps(rules, ({ match, number }) =>
    keepOnePerPlace(collectAtoms(match, `rule ${number}`)).flatMap(lintPattern),
  );
  const problems = [...ofRules, ...collectConditionPatterns(conditions?.rules ?? []).flatMap(lintPattern)];
  const [next, ...others] = problems.slice(MAX_SHOWN);
  if (next === undefined || others.length === 0) return problems;
  const message = `${next.message} (and in ${others.length} more patterns of this crawler)`;
  return [...problems.slice(0, MAX_SHOWN), { ...next, message }];
}

/** A long list of patterns by one author has such a mistake in most of them, or it is none. */
const MAX_SHOWN = 3;

function collectAtoms(expression: MatchExpression, owner: string): Pattern[] {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.children.flatMap((child) => collectAtoms(child, owner));
    case 'not':
      return collectAtoms(expression.child, owner);
    case 'atom':
      return expression.litteral ? [] : [{ owner, ...expression, litteral: true }];
    default:
      return [];
  }
}

/** One element may have been converted to several expressions, of which the last is as written. */
const keepOnePerPlace = (patterns: readonly Pattern[]): Pattern[] => [
  ...new Map(patterns.map((pattern) => [`${pattern.place.line}:${pattern.place.column}`, pattern])).values(),
];

const collectConditionPatterns = (rules: readonly ConditionRule[]): Pattern[] =>
  rules.flatMap(({ kind, test, place, children }) => [
    ...(test.type === 'regex'
      ? [{ owner: `condition ${kind}`, field: test.field, value: test.value, place, litteral: false }]
      : []),
    ...collectConditionPatterns(children),
  ]);

const FIELDS_WITH_NAMES: ReadonlySet<MatchField> = new Set<MatchField>(['url', 'host', 'path']);

/** A dot before a letter or digit, as in host and file names; a question mark before `name=`. */
const LIKELY_LITERAL = /\\.|\[\^?\]?(?:\\.|[^\]\\[])*\]|(\.)(?=[a-z0-9])|(?<=[\w%~/-])(\?)(?=[\w%.~-]{1,100}=)/gi;

function lintPattern({ owner, field, value, place, litteral }: Pattern): Problem[] {
  if (!FIELDS_WITH_NAMES.has(field)) return [];
  let hasDot = false;
  let hasQuestionMark = false;
  const suggestion = value.replace(LIKELY_LITERAL, (text, dot?: string, questionMark?: string) => {
    hasDot ||= dot !== undefined;
    hasQuestionMark ||= questionMark !== undefined;
    return (dot ?? questionMark) === undefined ? text : `\\${text}`;
  });
  if (!hasDot && !hasQuestionMark) return [];
  const shownValue = value.slice(0, 200);
  const explanation = hasQuestionMark
    ? `the question mark in "${shownValue}" makes the character before it optional and does not match a question mark`
    : `a dot in "${shownValue}" matches any one character`;
  const canBeLiteral = litteral && !/[\\^$*+[\](){}|]/.test(value);
  const hint = canBeLiteral ? ', or add litteral="true"' : '';
  return [
    createLintWarning(
      'operator-in-pattern',
      place,
      `${owner}: ${explanation}; write "${suggestion.slice(0, 200)}"${hint}`,
    ),
  ];
}
