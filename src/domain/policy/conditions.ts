/**
 * Layer 5, recursive conditions (seed: Vivisimo Velocity, "Recursive Conditions"). Global options first, then the rules in
 * order; the last setting of an option wins. Being filtered is final, but evaluation goes on: a later rule that filters as
 * well may ask for a record of the URL.
 */
import type { ConditionRule, ConditionsDefinition, ConditionTest, UrlOptions } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import { type Draft, type Layer, type Rejection } from './layer.js';
import { patternProblem } from './matching/expression.js';
import { encodeHost, encodeNonAscii, fold } from './matching/fold.js';
import { type Predicate, Subject } from './matching/subject.js';
import { compilePattern, type TextMatcher } from './matching/text-matcher.js';
import { wildcardMatcher } from './matching/wildcard.js';
import { mergeOptions, optionsText } from './options.js';
import type { Candidate, TraceStep } from './verdict.js';

interface CompiledCondition {
  readonly rule: ConditionRule;
  readonly matches: Predicate;
  readonly children: readonly CompiledCondition[];
}

/** What one rule did with one URL; `depth` 0 is the outermost. */
export interface ConditionStep {
  readonly rule: ConditionRule;
  readonly depth: number;
  readonly outcome: 'applies' | 'does not apply' | 'filters' | 'passes' | 'not evaluated';
}

export interface ConditionsResult {
  /** Last setting of each option, global ones included. */
  readonly options: UrlOptions;
  readonly filteredBy?: ConditionRule;
  /** A rule that filtered the URL asks for a record of it. */
  readonly log: boolean;
}

export type Conditions = (subject: Subject, visit?: (step: ConditionStep) => void) => ConditionsResult;

interface Walk {
  readonly subject: Subject;
  readonly visit: ((step: ConditionStep) => void) | undefined;
  options: UrlOptions;
  filteredBy: ConditionRule | undefined;
  log: boolean;
}

export function compileConditions(definition: ConditionsDefinition, problems: Problem[]): Conditions {
  const rules = compileRules(definition.rules, problems);
  const global: UrlOptions = { defaultAllow: definition.defaultAllow, ...definition.options };
  return (subject, visit) => {
    const walk: Walk = { subject, visit, options: global, filteredBy: undefined, log: false };
    for (const rule of rules) step(rule, 0, walk);
    return walk;
  };
}

function step(condition: CompiledCondition, depth: number, walk: Walk): void {
  const { rule, children } = condition;
  const matched = condition.matches(walk.subject);
  if (rule.kind === 'may-not-have' || rule.kind === 'must-have') {
    const filters = matched === (rule.kind === 'may-not-have');
    walk.visit?.({ rule, depth, outcome: filters ? 'filters' : 'passes' });
    if (!filters) return;
    walk.filteredBy ??= rule;
    walk.log ||= rule.log;
    return;
  }
  const applies = matched === (rule.kind === 'apply-for');
  walk.visit?.({ rule, depth, outcome: applies ? 'applies' : 'does not apply' });
  if (!applies) {
    if (walk.visit) skip(children, depth + 1, walk.visit);
    return;
  }
  if (rule.options !== NO_OPTIONS) walk.options = mergeOptions(walk.options, rule.options);
  for (const child of children) step(child, depth + 1, walk);
}

function skip(children: readonly CompiledCondition[], depth: number, visit: (step: ConditionStep) => void): void {
  for (const child of children) {
    visit({ rule: child.rule, depth, outcome: 'not evaluated' });
    skip(child.children, depth + 1, visit);
  }
}

const NO_OPTIONS: UrlOptions = {};

function compileRules(rules: readonly ConditionRule[], problems: Problem[]): CompiledCondition[] {
  return rules.map((rule) => ({
    rule: Object.keys(rule.options).length === 0 ? { ...rule, options: NO_OPTIONS } : rule,
    matches: compileTest(rule, problems),
    children: compileRules(rule.children, problems),
  }));
}

function compileTest({ test, place }: ConditionRule, problems: Problem[]): Predicate {
  try {
    const matches = textMatcher(test);
    const norm = test.caseSensitive ? 'none' : 'lower';
    return (subject) => matches(subject.text(test.field, norm));
  } catch (error) {
    problems.push(patternProblem(test.value, error, place));
    return () => false;
  }
}

function textMatcher({ type, field, value, caseSensitive }: ConditionTest): TextMatcher {
  const norm = caseSensitive ? 'none' : 'lower';
  if (type === 'regex') return compilePattern({ field, kind: 'inside', norm, value, litteral: false }).matches;
  const wildcard = (text: string) =>
    wildcardMatcher(field === 'host' ? encodeHost(text) : fold(encodeNonAscii(text), norm), 'star-question');
  if (type === 'wildcard') return wildcard(value);
  const matchers = wildcardSet(value).map(wildcard);
  return (text) => matchers.some((matches) => matches(text));
}

/** One wildcard a line; blank lines mean nothing. */
export const wildcardSet = (value: string): string[] =>
  value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function conditionsLayer(definition: ConditionsDefinition, problems: Problem[]): Layer {
  const conditions = compileConditions(definition, problems);
  return {
    name: 'conditions',
    judge(candidate, draft, trace) {
      const visit = trace && ((said: ConditionStep) => trace.push(traceStep(said)));
      const result = conditions(new Subject(candidate.url), visit);
      const rejection = reject(definition, candidate, result);
      trace?.push({
        layer: 'conditions',
        test: rejection?.detail ?? `default-allow is ${result.options.defaultAllow}`,
        outcome: rejection ? 'reject' : 'accept',
        reason: rejection?.reason,
        place: rejection?.place,
        effect: optionsText(result.options).join(', '),
      });
      if (!rejection) assign(definition, result, draft);
      return rejection;
    },
  };
}

function assign(definition: ConditionsDefinition, result: ConditionsResult, draft: Draft): void {
  draft.setOptions(result.options);
  draft.opinion = { layer: 'conditions', place: definition.place, detail: 'passed all conditions' };
}

function reject(
  definition: ConditionsDefinition,
  candidate: Candidate,
  result: ConditionsResult,
): Rejection | undefined {
  const layer = 'conditions';
  const { filteredBy, options, log } = result;
  if (filteredBy) {
    const detail = `filtered: ${conditionText(filteredBy)}`;
    return { layer, reason: 'condition-filtered', place: filteredBy.place, detail, record: log };
  }
  const { defaultAllow, maxHops } = options;
  if (defaultAllow !== 'allow') {
    const detail = `default-allow is ${defaultAllow}`;
    const record = defaultAllow === 'disallow-log';
    return { layer, reason: 'condition-disallowed', place: definition.place, detail, record };
  }
  if (maxHops === undefined || candidate.hops <= maxHops) return undefined;
  const detail = `${candidate.hops} links from the root, ${maxHops} are allowed`;
  return { layer, reason: 'condition-max-hops', place: definition.place, detail };
}

const KIND_TEXT: Readonly<Record<ConditionRule['kind'], string>> = {
  'apply-for': 'conditions apply for',
  'apply-except-for': 'conditions apply except for',
  'may-not-have': 'URLs may not have',
  'must-have': 'URLs must have',
};

/** "URLs may not have: path matches wildcard `*.gif`". */
export function conditionText({ kind, test }: ConditionRule): string {
  const values = test.type === 'wildcard-set' ? wildcardSet(test.value).join(' | ') : test.value;
  return `${KIND_TEXT[kind]}: ${test.field} matches ${test.type} "${values.slice(0, 200)}"`;
}

const OUTCOME: Readonly<Record<ConditionStep['outcome'], TraceStep['outcome']>> = {
  applies: 'set',
  'does not apply': 'no match',
  filters: 'reject',
  passes: 'accept',
  'not evaluated': 'not evaluated',
};

function traceStep({ rule, depth, outcome }: ConditionStep): TraceStep {
  const kept = outcome === 'filters' && rule.log ? 'a record is kept' : undefined;
  return {
    layer: 'conditions',
    test: '· '.repeat(depth) + conditionText(rule),
    outcome: OUTCOME[outcome],
    reason: outcome === 'filters' ? 'condition-filtered' : undefined,
    place: rule.place,
    effect: outcome === 'applies' ? optionsText(rule.options).join(', ') : kept,
  };
}
