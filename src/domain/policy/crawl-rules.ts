/**
 * Layer 6, the crawl rules and the crawler's defaults (reference: CloudView, "Crawl Rules"). All matching rules apply,
 * in file order; each sets only the aspects that it names, and a later rule overrides an earlier one, aspect by aspect.
 */
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import type { MatchExpression, MetaDefinition, RuleDefinition, UrlOptions } from '../crawl/policy-definition.js';
import { flatMapInSteps, runAtOnce, type Steps } from '../steps.js';
import { type Draft, isRoot, type Layer, type Rejection } from './layer.js';
import { compileExpression } from './matching/expression.js';
import { LiteralIndex } from './matching/literal-index.js';
import type { RequiredTexts } from './matching/necessary.js';
import type { Predicate, Subject } from './matching/subject.js';
import { formatOptions } from './options.js';
import type { Candidate, TraceStep } from './verdict.js';

interface CompiledRule {
  readonly definition: RuleDefinition;
  readonly matches: Predicate;
  readonly label: string;
  /** The detail shown for a URL that the rule ignores. */
  readonly ignoreDetail: string;
}

/** The combined result of the rules; an aspect is undefined if no matching rule sets it. */
interface Aspects {
  accept?: boolean;
  decidingRule?: CompiledRule;
  index?: boolean;
  follow?: boolean;
  source?: string;
  priorityShift?: number;
  metas: MetaDefinition[] | undefined;
  render?: UrlOptions;
}

interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly index: LiteralIndex;
  readonly problems: readonly Problem[];
}

/** Definitions never change, and compiling 100,000 rules takes a second, so that each is compiled once. */
const compiledRules = new WeakMap<readonly RuleDefinition[], CompiledRules>();

export function* compileRulesInSteps(definitions: readonly RuleDefinition[]): Steps<CompiledRules> {
  const existing = compiledRules.get(definitions);
  if (existing) return existing;
  const problems: Problem[] = [];
  const requiredTexts: RequiredTexts[] = [];
  const rules = yield* flatMapInSteps(definitions, (definition) => {
    const compiled = compileExpression(definition.match, problems);
    requiredTexts.push(compiled.requiredTexts);
    const label = formatRuleLabel(definition);
    const ignoreDetail = `${label} ignores URLs with ${formatExpression(definition.match)}`;
    return [{ definition, matches: compiled.matches, label, ignoreDetail }];
  });
  const result = { rules, index: yield* LiteralIndex.create(requiredTexts), problems };
  compiledRules.set(definitions, result);
  return result;
}

export function createCrawlRulesLayer(crawler: CrawlerDefinition, problems: Problem[]): Layer {
  const { rules, index, problems: ofRules } = runAtOnce(compileRulesInSteps(crawler.rules));
  for (const problem of ofRules) problems.push(problem);
  return {
    name: 'crawl-rules',
    judge(candidate, draft, trace) {
      const aspects = rules.length === 0 ? { metas: undefined } : matchRules(draft.subject, rules, index, trace);
      return judgeByAspects(crawler, candidate, aspects, draft, trace);
    },
  };
}

/** So few are tried one by one: that takes less time than looking for their texts in the URL. */
const FEW_RULES = 4;

export const formatRuleLabel = (rule: RuleDefinition): string => `rule ${rule.number} (group "${rule.group}")`;

function matchRules(
  subject: Subject,
  rules: readonly CompiledRule[],
  index: LiteralIndex,
  trace?: TraceStep[],
): Aspects {
  const aspects: Aspects = { metas: undefined };
  let matchedCount = 0;
  const candidates =
    rules.length <= FEW_RULES
      ? rules.keys()
      : index.findCandidates(subject.getText('url', 'lower'), subject.getText('url', 'norm'));
  for (const ruleIndex of candidates) {
    const rule = rules[ruleIndex];
    if (!rule?.matches(subject)) continue;
    matchedCount++;
    applyRule(rule, aspects);
    trace?.push({
      layer: 'crawl-rules',
      test: `${rule.label}: ${formatExpression(rule.definition.match)}`,
      outcome: getTraceOutcome(rule.definition),
      reason: rule.definition.actions.accept === false ? 'rule-ignored' : undefined,
      place: rule.definition.place,
      effect: describeRuleEffect(rule.definition),
    });
  }
  const unmatchedCount = rules.length - matchedCount;
  if (unmatchedCount > 0 || rules.length === 0) {
    trace?.push({ layer: 'crawl-rules', test: `${unmatchedCount} of ${rules.length} rules`, outcome: 'no match' });
  }
  return aspects;
}

function applyRule(rule: CompiledRule, aspects: Aspects): void {
  const { accept, index, follow, source, priorityShift, metas, render } = rule.definition.actions;
  if (accept !== undefined) {
    aspects.accept = accept;
    aspects.decidingRule = rule;
  }
  if (index !== undefined) aspects.index = index;
  if (follow !== undefined) aspects.follow = follow;
  if (source !== undefined) aspects.source = source;
  if (priorityShift !== undefined) aspects.priorityShift = priorityShift;
  if (render !== undefined) aspects.render = { ...aspects.render, ...render };
  if (metas.length > 0) aspects.metas = aspects.metas ? [...aspects.metas, ...metas] : [...metas];
}

function getTraceOutcome({ actions }: RuleDefinition): TraceStep['outcome'] {
  if (actions.accept === undefined) return 'set';
  return actions.accept ? 'accept' : 'reject';
}

export function describeRuleEffect({ actions }: RuleDefinition): string {
  const formatFlag = (name: string, value: boolean | undefined) =>
    value === undefined ? [] : [`${name}=${value ? 'yes' : 'no'}`];
  return [
    ...formatFlag('accept', actions.accept),
    ...formatFlag('index', actions.index),
    ...formatFlag('follow', actions.follow),
    ...(actions.source === undefined ? [] : [`source=${actions.source}`]),
    ...(actions.priorityShift === undefined ? [] : [`priority shift ${actions.priorityShift}`]),
    ...(actions.render === undefined ? [] : formatOptions(actions.render)),
    ...actions.metas.map((meta) => `meta ${meta.name}=${meta.value}`),
  ].join(', ');
}

function judgeByAspects(
  crawler: CrawlerDefinition,
  candidate: Candidate,
  aspects: Aspects,
  draft: Draft,
  trace?: TraceStep[],
): Rejection | undefined {
  const isAcceptedBySite = aspects.accept === undefined && draft.isOnSite;
  const isAccepted = aspects.accept ?? (isAcceptedBySite || crawler.defaultAccept);
  const rule = aspects.decidingRule;
  if (isAcceptedBySite) traceSiteAcceptance(candidate, trace);
  else if (!rule) traceDefault(isAccepted, trace);
  if (!isAccepted) return createRejection(rule, crawler);
  const isRootCandidate = isRoot(candidate);
  const defaultFollow = crawler.defaultFollow || (isRootCandidate && crawler.defaultFollowRoots);
  draft.index &&= aspects.index ?? crawler.defaultIndex;
  draft.follow &&= aspects.follow ?? defaultFollow;
  draft.source = aspects.source ?? draft.source;
  draft.priorityShift = (aspects.priorityShift ?? 0) + (isRootCandidate ? (candidate.root?.priority ?? 0) : 0);
  if (aspects.metas) draft.addMetas(aspects.metas);
  if (aspects.render) draft.setOptions(aspects.render);
  const defaultDetail = isAcceptedBySite ? 'accepted in site mode' : 'accepted by default';
  draft.opinion = { layer: 'crawl-rules', place: rule?.definition.place, detail: rule?.label ?? defaultDetail };
  traceGrants(draft, aspects, trace);
  return undefined;
}

function traceSiteAcceptance({ root }: Candidate, trace?: TraceStep[]): void {
  trace?.push({
    layer: 'crawl-rules',
    test: `no rule with Accept or Ignore matches, but the URL is on the site of root ${root?.url.href}`,
    outcome: 'accept',
    place: root?.place,
  });
}

function traceDefault(accepted: boolean, trace?: TraceStep[]): void {
  trace?.push({
    layer: 'crawl-rules',
    test: `no rule with Accept or Ignore matches: defaultAccept="${accepted}"`,
    outcome: accepted ? 'accept' : 'reject',
    reason: accepted ? undefined : 'not-accepted',
  });
}

function traceGrants(draft: Draft, aspects: Aspects, trace?: TraceStep[]): void {
  trace?.push({
    layer: 'crawl-rules',
    test: `defaults for what no rule sets: ${listUnsetAspects(aspects).join(', ') || 'none'}`,
    outcome: 'set',
    effect: `index=${draft.index ? 'yes' : 'no'}, follow=${draft.follow ? 'yes' : 'no'}, priority shift ${draft.priorityShift}`,
  });
}

const listUnsetAspects = (aspects: Aspects): string[] =>
  (['accept', 'index', 'follow'] as const).filter((aspect) => aspects[aspect] === undefined);

function createRejection(rule: CompiledRule | undefined, { place }: CrawlerDefinition): Rejection {
  const layer = 'crawl-rules';
  if (rule) return { layer, reason: 'rule-ignored', place: rule.definition.place, detail: rule.ignoreDetail };
  return {
    layer,
    reason: 'not-accepted',
    place,
    detail: 'no rule with Accept matches, defaultAccept is off, and no site mode accepts it',
  };
}

/** Describes an expression: `host exact "www.foo.com" and not (path suffix ".gif")`. */
export function formatExpression(expression: MatchExpression): string {
  switch (expression.type) {
    case 'and':
    case 'or':
      return expression.children.map(parenthesize).join(` ${expression.type} `);
    case 'not':
      return `not ${parenthesize(expression.child)}`;
    case 'length':
      return `${expression.field} length ${expression.minimum ?? 0} to ${expression.maximum ?? 'any'}`;
    case 'domain':
      return `domain ${expression.value}`;
    case 'atom':
      return `${expression.field} ${expression.kind} "${expression.value.slice(0, 200)}"`;
  }
}

const parenthesize = (expression: MatchExpression): string =>
  expression.type === 'and' || expression.type === 'or' || expression.type === 'not'
    ? `(${formatExpression(expression)})`
    : formatExpression(expression);
