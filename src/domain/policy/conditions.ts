/**
 * Layer 5, recursive conditions (reference: Vivisimo Velocity, "Recursive Conditions"). Global options first, then the
 * rules in order; the last setting of an option wins. Being filtered is final, but evaluation continues: a later rule
 * that also filters the URL may request a record of it.
 */

import type { RootDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import type { ConditionRule, ConditionsDefinition, ConditionTest, UrlOptions } from '../crawl/policy-definition.js';
import { type Draft, type Layer, type Rejection } from './layer.js';
import { createPatternProblem } from './matching/expression.js';
import { LiteralIndex } from './matching/literal-index.js';
import { type Necessary, requireOneOf, toIndexForm, UNKNOWN } from './matching/necessary.js';
import type { Predicate, Subject } from './matching/subject.js';
import { type CompiledPattern, compilePattern, toUrlForm } from './matching/text-matcher.js';
import { createWildcardMatcher, listRequiredTexts, splitWildcards } from './matching/wildcard.js';
import { formatOptions, mergeOptions } from './options.js';
import {
  findNamedServers,
  findRootServers,
  hasSecrets,
  NAMES_NONE,
  type NamedServers,
  omitSecrets,
  type Servers,
} from './secret-scope.js';
import { findServer } from './server-records.js';
import type { Candidate, TraceStep } from './verdict.js';

interface CompiledCondition {
  readonly rule: ConditionRule;
  readonly matches: Predicate;
  readonly children: Level;
  /** The servers to which its credentials and secret headers may be sent; undefined if it has none. */
  readonly secretsFor: Servers | undefined;
  /** What every URL must contain for which the rule has an effect. */
  readonly necessary: Necessary;
}

/** Rules of one level; long lists are searched with an index. */
interface Level {
  readonly rules: readonly CompiledCondition[];
  readonly index: LiteralIndex | undefined;
}

const WORTH_AN_INDEX = 16;

/** What one rule did with one URL; `depth` 0 is the outermost. */
export interface ConditionStep {
  readonly rule: ConditionRule;
  readonly depth: number;
  readonly outcome: 'applies' | 'does not apply' | 'filters' | 'passes' | 'not evaluated';
  /** What a matching rule assigns: its options, except secrets that are not meant for this server. */
  readonly options?: UrlOptions;
}

export interface ConditionsResult {
  /** The last setting of each option, including the global ones. */
  readonly options: UrlOptions;
  readonly filteredBy?: ConditionRule;
  /** The rules that last set `defaultAllow` and `maxHops`; absent if only the global options do. */
  readonly defaultAllowBy?: ConditionRule;
  readonly maxHopsBy?: ConditionRule;
  /** Whether a rule that filtered the URL requests a record of it. */
  readonly log: boolean;
}

export interface ConditionsQuestion {
  readonly visit?: (step: ConditionStep) => void;
  /** Where the URL is fetched if it is an alias: secrets are sent there. */
  readonly fetchUrl?: string;
}

export type Conditions = (subject: Subject, question?: ConditionsQuestion) => ConditionsResult;

interface Walk {
  readonly subject: Subject;
  /** The address from which the URL is fetched. */
  readonly href: string;
  /** The server of `href`, computed on first use. */
  server: string | undefined;
  readonly visit: ((step: ConditionStep) => void) | undefined;
  options: UrlOptions;
  filteredBy: ConditionRule | undefined;
  defaultAllowBy: ConditionRule | undefined;
  maxHopsBy: ConditionRule | undefined;
  log: boolean;
}

/** @param roots roots in the configuration; secrets are also sent to their servers */
export function compileConditions(
  definition: ConditionsDefinition,
  problems: Problem[],
  roots: readonly RootDefinition[],
): Conditions {
  const compiler: Compiler = { problems, getRootServers: memoize(() => findRootServers(roots)) };
  const level = compileLevel(definition.rules, compiler, NAMES_NONE);
  const global: UrlOptions = { defaultAllow: definition.defaultAllow, ...definition.options };
  const plain = omitSecrets(global);
  const secretsFor = hasSecrets(global) ? compiler.getRootServers() : undefined;
  return (subject, { visit, fetchUrl } = {}) => {
    const walk: Walk = {
      subject,
      href: fetchUrl ?? subject.url.href,
      server: undefined,
      visit,
      options: global,
      filteredBy: undefined,
      defaultAllowBy: undefined,
      maxHopsBy: undefined,
      log: false,
    };
    if (secretsFor && !maySendSecrets(walk, secretsFor)) walk.options = plain;
    evaluate(level, 0, walk);
    return walk;
  };
}

interface Compiler {
  readonly problems: Problem[];
  readonly getRootServers: () => Servers;
}

function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Whether secrets for these servers may be sent to the server from which the URL is fetched. */
function maySendSecrets(walk: Walk, servers: Servers): boolean {
  walk.server ??= findServer(walk.href) ?? '';
  return servers.has(walk.server);
}

/** The index is skipped for an explanation, which also shows the rules without effect. */
function evaluate({ rules, index }: Level, depth: number, walk: Walk): void {
  if (!index || walk.visit) {
    for (const rule of rules) evaluateCondition(rule, depth, walk);
    return;
  }
  const text = walk.subject.getText('url', 'lower');
  for (const number of index.findCandidates(text, text)) {
    const rule = rules[number];
    if (rule) evaluateCondition(rule, depth, walk);
  }
}

function evaluateCondition(condition: CompiledCondition, depth: number, walk: Walk): void {
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
  const options = applies ? selectAssignableOptions(condition, walk) : undefined;
  walk.visit?.({ rule, depth, outcome: applies ? 'applies' : 'does not apply', ...(options && { options }) });
  if (!options) {
    if (walk.visit) skipLevel(children, depth + 1, walk.visit);
    return;
  }
  if (options !== NO_OPTIONS) assignOptions(rule, options, walk);
  evaluate(children, depth + 1, walk);
}

const selectAssignableOptions = ({ rule, secretsFor }: CompiledCondition, walk: Walk): UrlOptions =>
  secretsFor === undefined || maySendSecrets(walk, secretsFor) ? rule.options : omitSecrets(rule.options);

function assignOptions(rule: ConditionRule, options: UrlOptions, walk: Walk): void {
  walk.options = mergeOptions(walk.options, options);
  if (options.defaultAllow !== undefined) walk.defaultAllowBy = rule;
  if (options.maxHops !== undefined) walk.maxHopsBy = rule;
}

function skipLevel(level: Level, depth: number, visit: (step: ConditionStep) => void): void {
  for (const child of level.rules) {
    visit({ rule: child.rule, depth, outcome: 'not evaluated' });
    skipLevel(child.children, depth + 1, visit);
  }
}

const NO_OPTIONS: UrlOptions = {};

function compileLevel(definitions: readonly ConditionRule[], compiler: Compiler, outer: NamedServers): Level {
  const rules = definitions.map((rule) => {
    const named = findNamedServers(rule, outer);
    return {
      rule: Object.keys(rule.options).length === 0 ? { ...rule, options: NO_OPTIONS } : rule,
      children: compileLevel(rule.children, compiler, named),
      secretsFor: hasSecrets(rule.options) ? new Set([...named.servers, ...compiler.getRootServers()]) : undefined,
      ...compileTest(rule, compiler.problems),
    };
  });
  const index = rules.length > WORTH_AN_INDEX ? new LiteralIndex(rules.map(({ necessary }) => necessary)) : undefined;
  return { rules, index };
}

type CompiledTest = Pick<CompiledCondition, 'matches' | 'necessary'>;

function compileTest({ kind, test, place }: ConditionRule, problems: Problem[]): CompiledTest {
  try {
    const { matches, necessary } = compilePatternTest(test);
    const norm = test.caseSensitive ? 'none' : 'lower';
    const whenMatched = kind === 'apply-for' || kind === 'may-not-have';
    return {
      matches: (subject) => matches(subject.getText(test.field, norm)),
      necessary: whenMatched && test.field !== 'fragment' ? toIndexForm(necessary) : UNKNOWN,
    };
  } catch (error) {
    problems.push(createPatternProblem(test.value, error, place));
    return { matches: () => false, necessary: UNKNOWN };
  }
}

function compilePatternTest({ type, field, value, caseSensitive }: ConditionTest): CompiledPattern {
  const norm = caseSensitive ? 'none' : 'lower';
  if (type === 'regex') return compilePattern({ field, kind: 'inside', norm, value, litteral: false });
  const wildcards = (type === 'wildcard' ? [value] : splitWildcards(value)).map((text) =>
    toUrlForm(text, { field, kind: 'exact', norm }),
  );
  const matchers = wildcards.map((text) => createWildcardMatcher(text, 'star-question'));
  return {
    matches: (text) => matchers.some((matches) => matches(text)),
    necessary: requireOneOf(wildcards.map((text) => listRequiredTexts(text, 'star-question'))),
  };
}

export function createConditionsLayer(
  definition: ConditionsDefinition,
  problems: Problem[],
  roots: readonly RootDefinition[],
): Layer {
  const conditions = compileConditions(definition, problems, roots);
  return {
    name: 'conditions',
    judge(candidate, draft, trace) {
      const visit = trace && ((said: ConditionStep) => trace.push(toTraceStep(said)));
      const result = conditions(draft.subject, { visit, fetchUrl: draft.fetchUrl });
      const rejection = findRejection(definition, candidate, result);
      trace?.push({
        layer: 'conditions',
        test: rejection?.detail ?? `default-allow is ${result.options.defaultAllow}`,
        outcome: rejection ? 'reject' : 'accept',
        reason: rejection?.reason,
        place: rejection?.place,
        effect: formatOptions(result.options).join(', '),
      });
      if (!rejection) applyResult(definition, result, draft);
      return rejection;
    },
  };
}

function applyResult(definition: ConditionsDefinition, result: ConditionsResult, draft: Draft): void {
  const limit = draft.options.maxHops;
  draft.setOptions(result.options);
  // A server record rejects URLs beyond its own limit, whatever a condition allows.
  if (limit !== undefined && limit < (draft.options.maxHops ?? limit)) draft.setOptions({ maxHops: limit });
  draft.opinion = { layer: 'conditions', place: definition.place, detail: 'passed all conditions' };
}

function findRejection(
  definition: ConditionsDefinition,
  candidate: Candidate,
  result: ConditionsResult,
): Rejection | undefined {
  const layer = 'conditions';
  const { filteredBy, defaultAllowBy, maxHopsBy, options, log } = result;
  if (filteredBy) {
    const detail = `filtered: ${formatCondition(filteredBy)}`;
    return { layer, reason: 'condition-filtered', place: filteredBy.place, detail, record: log };
  }
  const { defaultAllow, maxHops } = options;
  if (defaultAllow !== 'allow') {
    const detail = `default-allow is ${defaultAllow}, set by ${describeSetter(defaultAllowBy)}`;
    const record = defaultAllow === 'disallow-log';
    return { layer, reason: 'condition-disallowed', place: (defaultAllowBy ?? definition).place, detail, record };
  }
  if (maxHops === undefined || candidate.hops <= maxHops) return undefined;
  const detail = `${candidate.hops} links from the root, but ${describeSetter(maxHopsBy)} allows only ${maxHops}`;
  return { layer, reason: 'condition-max-hops', place: (maxHopsBy ?? definition).place, detail };
}

const describeSetter = (rule: ConditionRule | undefined): string =>
  rule ? formatCondition(rule) : 'the global options';

const KIND_TEXT: Readonly<Record<ConditionRule['kind'], string>> = {
  'apply-for': 'conditions apply for',
  'apply-except-for': 'conditions apply except for',
  'may-not-have': 'URLs may not have',
  'must-have': 'URLs must have',
};

/** "URLs may not have: path matches wildcard `*.gif`". */
export function formatCondition({ kind, test }: ConditionRule): string {
  const values = test.type === 'wildcard-set' ? splitWildcards(test.value).join(' | ') : test.value;
  return `${KIND_TEXT[kind]}: ${test.field} matches ${test.type} "${values.slice(0, 200)}"`;
}

const OUTCOME: Readonly<Record<ConditionStep['outcome'], TraceStep['outcome']>> = {
  applies: 'set',
  'does not apply': 'no match',
  filters: 'reject',
  passes: 'accept',
  'not evaluated': 'not evaluated',
};

function toTraceStep({ rule, depth, outcome, options }: ConditionStep): TraceStep {
  const kept = outcome === 'filters' && rule.log ? 'a record is kept' : undefined;
  return {
    layer: 'conditions',
    test: '· '.repeat(depth) + formatCondition(rule),
    outcome: OUTCOME[outcome],
    reason: outcome === 'filters' ? 'condition-filtered' : undefined,
    place: rule.place,
    effect: options ? formatOptions(options).join(', ') : kept,
  };
}
