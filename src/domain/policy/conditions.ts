/**
 * Layer 5, recursive conditions (reference: Vivisimo Velocity, "Recursive Conditions"). Global options come first, then
 * the rules in order; the last setting of an option wins. Being filtered is final, but evaluation continues: a later
 * rule that also filters the URL may request a record of it.
 */
import type { RootDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import type { ConditionRule, ConditionsDefinition, ConditionTest, UrlOptions } from '../crawl/policy-definition.js';
import { type Draft, type Layer, type Rejection } from './layer.js';
import { createPatternProblem } from './matching/expression.js';
import { LiteralIndex } from './matching/literal-index.js';
import { NO_REQUIRED_TEXTS, type RequiredTexts, requireOneOf, toIndexForm } from './matching/necessary.js';
import type { Predicate, Subject } from './matching/subject.js';
import {
  type CompiledPattern,
  compilePattern,
  mayNameUnicodeHost,
  toUnicodeText,
  toUrlForm,
} from './matching/text-matcher.js';
import { createWildcardMatcher, listRequiredTexts, splitWildcards } from './matching/wildcard.js';
import { formatOptions, mergeOptions } from './options.js';
import {
  findNamedServers,
  findRootServers,
  hasSecrets,
  type NamedServers,
  NO_NAMED_SERVERS,
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
  readonly secretServers: Servers | undefined;
  /** What a URL must contain for the rule to have an effect. */
  readonly requiredTexts: RequiredTexts;
}

/** Rules of one level; long lists are searched with an index. */
interface Level {
  readonly rules: readonly CompiledCondition[];
  readonly index: LiteralIndex | undefined;
}

const INDEX_THRESHOLD = 16;

/** What one rule did with one URL; `depth` 0 is the outermost. */
export interface ConditionStep {
  readonly rule: ConditionRule;
  readonly depth: number;
  readonly outcome: 'applies' | 'does not apply' | 'filters' | 'passes' | 'not evaluated';
  /** The options that a matching rule assigns, except secrets that are not meant for this server. */
  readonly options?: UrlOptions;
}

interface ConditionsResult {
  /** The last setting of each option, including the global ones. */
  readonly options: UrlOptions;
  readonly filteredBy?: ConditionRule;
  /** The rules that last set `defaultAllow` and `maxHops`; absent if only the global options do. */
  readonly defaultAllowBy?: ConditionRule;
  readonly maxHopsBy?: ConditionRule;
  /** Whether a rule that filtered the URL requests a record of it. */
  readonly log: boolean;
}

interface ConditionsContext {
  readonly onStep?: (step: ConditionStep) => void;
  /** The URL from which the document is fetched if it has an alias; secrets are sent there. */
  readonly fetchUrl?: string;
}

export type ConditionsEvaluator = (subject: Subject, context?: ConditionsContext) => ConditionsResult;

interface Walk {
  readonly subject: Subject;
  /** The address from which the URL is fetched. */
  readonly href: string;
  /** The server of `href`, computed on first use. */
  server: string | undefined;
  readonly onStep: ((step: ConditionStep) => void) | undefined;
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
): ConditionsEvaluator {
  const compiler: Compiler = { problems, getRootServers: memoize(() => findRootServers(roots)) };
  const level = compileLevel(definition.rules, compiler, NO_NAMED_SERVERS);
  const globalOptions: UrlOptions = { defaultAllow: definition.defaultAllow, ...definition.options };
  const publicOptions = omitSecrets(globalOptions);
  const secretServers = hasSecrets(globalOptions) ? compiler.getRootServers() : undefined;
  return (subject, { onStep, fetchUrl } = {}) => {
    const walk: Walk = {
      subject,
      href: fetchUrl ?? subject.url.href,
      server: undefined,
      onStep,
      options: globalOptions,
      filteredBy: undefined,
      defaultAllowBy: undefined,
      maxHopsBy: undefined,
      log: false,
    };
    if (secretServers && !maySendSecrets(walk, secretServers)) walk.options = publicOptions;
    evaluateLevel(level, 0, walk);
    return walk;
  };
}

interface Compiler {
  readonly problems: Problem[];
  readonly getRootServers: () => Servers;
}

function memoize<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

/** Whether secrets for these servers may be sent to the server from which the URL is fetched. */
function maySendSecrets(walk: Walk, servers: Servers): boolean {
  walk.server ??= findServer(walk.href) ?? '';
  return servers.has(walk.server);
}

/** Explanations do not use the index, because they also show the rules that have no effect. */
function evaluateLevel({ rules, index }: Level, depth: number, walk: Walk): void {
  if (!index || walk.onStep) {
    for (const rule of rules) evaluateCondition(rule, depth, walk);
    return;
  }
  const text = walk.subject.getText('url', 'lower');
  for (const ruleIndex of index.findCandidates(text, text)) {
    const rule = rules[ruleIndex];
    if (rule) evaluateCondition(rule, depth, walk);
  }
}

function evaluateCondition(condition: CompiledCondition, depth: number, walk: Walk): void {
  const { rule, children } = condition;
  const isMatch = condition.matches(walk.subject);
  if (rule.kind === 'may-not-have' || rule.kind === 'must-have') {
    const isFiltered = isMatch === (rule.kind === 'may-not-have');
    walk.onStep?.({ rule, depth, outcome: isFiltered ? 'filters' : 'passes' });
    if (!isFiltered) return;
    walk.filteredBy ??= rule;
    walk.log ||= rule.log;
    return;
  }
  const applies = isMatch === (rule.kind === 'apply-for');
  const options = applies ? selectAssignableOptions(condition, walk) : undefined;
  walk.onStep?.({ rule, depth, outcome: applies ? 'applies' : 'does not apply', ...(options && { options }) });
  if (!options) {
    if (walk.onStep) skipLevel(children, depth + 1, walk.onStep);
    return;
  }
  if (options !== NO_OPTIONS) assignOptions(rule, options, walk);
  evaluateLevel(children, depth + 1, walk);
}

const selectAssignableOptions = ({ rule, secretServers }: CompiledCondition, walk: Walk): UrlOptions =>
  secretServers === undefined || maySendSecrets(walk, secretServers) ? rule.options : omitSecrets(rule.options);

function assignOptions(rule: ConditionRule, options: UrlOptions, walk: Walk): void {
  walk.options = mergeOptions(walk.options, options);
  if (options.defaultAllow !== undefined) walk.defaultAllowBy = rule;
  if (options.maxHops !== undefined) walk.maxHopsBy = rule;
}

function skipLevel(level: Level, depth: number, onStep: (step: ConditionStep) => void): void {
  for (const child of level.rules) {
    onStep({ rule: child.rule, depth, outcome: 'not evaluated' });
    skipLevel(child.children, depth + 1, onStep);
  }
}

const NO_OPTIONS: UrlOptions = {};

function compileLevel(definitions: readonly ConditionRule[], compiler: Compiler, outer: NamedServers): Level {
  const rules = definitions.map((rule) => {
    const namedServers = findNamedServers(rule, outer);
    return {
      rule: Object.keys(rule.options).length === 0 ? { ...rule, options: NO_OPTIONS } : rule,
      children: compileLevel(rule.children, compiler, namedServers),
      secretServers: hasSecrets(rule.options)
        ? new Set([...namedServers.servers, ...compiler.getRootServers()])
        : undefined,
      ...compileTest(rule, compiler.problems),
    };
  });
  const index =
    rules.length > INDEX_THRESHOLD ? new LiteralIndex(rules.map(({ requiredTexts }) => requiredTexts)) : undefined;
  return { rules, index };
}

type CompiledTest = Pick<CompiledCondition, 'matches' | 'requiredTexts'>;

function compileTest({ kind, test, place }: ConditionRule, problems: Problem[]): CompiledTest {
  try {
    const { matches, requiredTexts } = compilePatternTest(test);
    const norm = isCaseKept(test) ? 'none' : 'lower';
    const actsOnMatch = kind === 'apply-for' || kind === 'may-not-have';
    return {
      matches: (subject) => matches(subject.getText(test.field, norm)),
      requiredTexts: actsOnMatch && test.field !== 'fragment' ? toIndexForm(requiredTexts) : NO_REQUIRED_TEXTS,
    };
  } catch (error) {
    problems.push(createPatternProblem(test.value, error, place));
    return { matches: () => false, requiredTexts: NO_REQUIRED_TEXTS };
  }
}

/** Names of hosts have no case, whatever the test says. */
const isCaseKept = ({ caseSensitive, field }: ConditionTest): boolean => caseSensitive && field !== 'host';

function compilePatternTest(test: ConditionTest): CompiledPattern {
  const { type, field, value } = test;
  const norm = isCaseKept(test) ? 'none' : 'lower';
  if (type === 'regex') return compilePattern({ field, kind: 'inside', norm, value, litteral: false });
  const values = type === 'wildcard' ? [value] : splitWildcards(value);
  const wildcards = values.map((text) => toUrlForm(text, { field, kind: 'exact', norm }));
  const matchers = wildcards.map((text) => createWildcardMatcher(text, 'star-question'));
  const hostValues = values.filter((text) => mayNameUnicodeHost(text, field));
  if (hostValues.length > 0) {
    // A star may stand for a part of a label, which is nowhere in its punycode.
    const hostMatchers = hostValues.map((text) =>
      createWildcardMatcher((isCaseKept(test) ? text : text.toLowerCase()).normalize('NFC'), 'star-question'),
    );
    return {
      matches: (text) => {
        const unicodeText = toUnicodeText(text, field);
        return matchers.some((matches) => matches(text)) || hostMatchers.some((matches) => matches(unicodeText));
      },
      requiredTexts: NO_REQUIRED_TEXTS,
    };
  }
  return {
    matches: (text) => matchers.some((matches) => matches(text)),
    requiredTexts: requireOneOf(wildcards.map((text) => listRequiredTexts(text, 'star-question'))),
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
      const onStep = trace && ((step: ConditionStep) => trace.push(toTraceStep(step)));
      const result = conditions(draft.subject, { onStep, fetchUrl: draft.fetchUrl });
      const rejection = findRejection(definition, candidate, result);
      trace?.push({
        layer: 'conditions',
        test: rejection?.detail ?? `default-allow is ${result.options.defaultAllow}`,
        outcome: rejection ? 'reject' : 'accept',
        reason: rejection?.reason,
        place: rejection?.place,
        effect: formatOptions(result.options).join(', '),
      });
      // A sitemap that robots.txt names is requested even where the conditions end.
      if (!rejection || candidate.isNamedSitemap) applyResult(definition, result, draft);
      return rejection;
    },
  };
}

function applyResult(definition: ConditionsDefinition, result: ConditionsResult, draft: Draft): void {
  const recordLimit = draft.options.maxHops;
  draft.setOptions(result.options);
  // A server record rejects URLs beyond its own limit, whatever a condition allows.
  if (recordLimit !== undefined && recordLimit < (draft.options.maxHops ?? recordLimit))
    draft.setOptions({ maxHops: recordLimit });
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

const KIND_LABELS: Readonly<Record<ConditionRule['kind'], string>> = {
  'apply-for': 'conditions apply for',
  'apply-except-for': 'conditions apply except for',
  'may-not-have': 'URLs may not have',
  'must-have': 'URLs must have',
};

/** "URLs may not have: path matches wildcard `*.gif`". */
export function formatCondition({ kind, test }: ConditionRule): string {
  const values = test.type === 'wildcard-set' ? splitWildcards(test.value).join(' | ') : test.value;
  return `${KIND_LABELS[kind]}: ${test.field} matches ${test.type} "${values.slice(0, 200)}"`;
}

const TRACE_OUTCOMES: Readonly<Record<ConditionStep['outcome'], TraceStep['outcome']>> = {
  applies: 'set',
  'does not apply': 'no match',
  filters: 'reject',
  passes: 'accept',
  'not evaluated': 'not evaluated',
};

function toTraceStep({ rule, depth, outcome, options }: ConditionStep): TraceStep {
  const recordNote = outcome === 'filters' && rule.log ? 'a record is kept' : undefined;
  return {
    layer: 'conditions',
    test: '· '.repeat(depth) + formatCondition(rule),
    outcome: TRACE_OUTCOMES[outcome],
    reason: outcome === 'filters' ? 'condition-filtered' : undefined,
    place: rule.place,
    effect: options ? formatOptions(options).join(', ') : recordNote,
  };
}
