/** Finds crawl rules that never match, have no effect, or undo each other. */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import { formatPlace, type Problem } from '../../crawl/place.js';
import type { RuleActions, RuleDefinition } from '../../crawl/policy-definition.js';
import { flatMapInSteps, type Steps } from '../../steps.js';
import { areDisjoint, type Clauses, covers, findContradiction, toClauses } from './clauses.js';
import { createLintWarning } from './codes.js';
import { formatFact } from './facts.js';
import { findClausesFault } from './forms.js';

interface Rule {
  readonly definition: RuleDefinition;
  readonly clauses: Clauses;
}

/** Each rule is compared with all later ones, so the work grows quadratically. */
const MAX_COMPARED = 2000;
const RULES_PER_STEP = 50;

export function* lintRules(crawler: CrawlerDefinition): Steps<Problem[]> {
  const rules = yield* flatMapInSteps(crawler.rules, (definition) => [
    { definition, clauses: toClauses(definition.match) },
  ]);
  const acceptsNothing =
    !crawler.defaultAccept &&
    !crawler.roots.some(({ site, entireSite }) => site || entireSite) &&
    !crawler.rules.some(({ actions }) => actions.accept);
  return [
    ...(yield* flatMapInSteps(rules, (rule) => lintNeverMatches(rule, crawler.linkRules.protocols))),
    ...(yield* flatMapInSteps(rules, (rule) => lintIneffective(rule, acceptsNothing))),
    ...(yield* compareRules(rules.slice(0, MAX_COMPARED))),
    ...lintRuleCount(rules),
  ];
}

const getRuleName = ({ definition }: Rule): string => `rule ${definition.number}`;

function lintNeverMatches(rule: Rule, protocols: readonly string[]): Problem[] {
  const { clauses, definition } = rule;
  const pair = findContradiction(clauses);
  const reason =
    findClausesFault(clauses, protocols) ??
    (pair && `no URL has both ${formatFact(pair[0])} and ${formatFact(pair[1])}`);
  return reason
    ? [
        createLintWarning(
          'rule-never-matches',
          definition.place,
          `${getRuleName(rule)} cannot match any URL: ${reason}`,
        ),
      ]
    : [];
}

function lintIneffective(rule: Rule, acceptsNothing: boolean): Problem[] {
  const { actions, place } = rule.definition;
  if (actions.accept && actions.index === false && actions.follow === false) {
    const message = `${getRuleName(rule)} accepts URLs that are neither indexed nor followed, so they are fetched to no purpose: write Ignore, or Index or Follow`;
    return [createLintWarning('fetched-for-nothing', place, message)];
  }
  const isGrant = actions.accept === undefined && (actions.index || actions.follow);
  if (!isGrant || !acceptsNothing) return [];
  const message = `${getRuleName(rule)} grants index or follow, but no rule has Accept and defaultAccept is off, so nothing is crawled`;
  return [createLintWarning('nothing-accepted', place, message)];
}

function* compareRules(rules: readonly Rule[]): Steps<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, rule] of rules.entries()) {
    if (index % RULES_PER_STEP === RULES_PER_STEP - 1) yield;
    problems.push(...compareRule(rule, rules.slice(index + 1)));
  }
  return problems;
}

function compareRule(rule: Rule, laterRules: readonly Rule[]): Problem[] {
  const overridingRule = laterRules.find(
    (laterRule) => setsSameAspects(laterRule, rule) && covers(laterRule.clauses, rule.clauses),
  );
  if (overridingRule) return [createOverriddenProblem(rule, overridingRule)];
  const undoingRule =
    rule.definition.actions.accept === false
      ? laterRules.find((laterRule) => acceptsAgain(laterRule, rule))
      : undefined;
  return undoingRule ? [createIgnoreUndoneProblem(rule, undoingRule)] : lintGrantsUndone(rule, laterRules);
}

/**
 * A later rule that matches only some URLs of an earlier one is an exception to it; a rule that matches more or other
 * URLs was probably not meant to undo the earlier one.
 */
function lintGrantsUndone(rule: Rule, laterRules: readonly Rule[]): Problem[] {
  if (rule.definition.actions.accept === false) return [];
  const aspects = (['index', 'follow'] as const).filter((aspect) => rule.definition.actions[aspect] === false);
  const found = aspects.flatMap((aspect) => {
    const lastSettingRule = laterRules.findLast(
      (laterRule) => laterRule.definition.actions[aspect] !== undefined && covers(laterRule.clauses, rule.clauses),
    );
    if (lastSettingRule?.definition.actions[aspect] === false) return [];
    const undoingRule = laterRules.find(
      (laterRule) => laterRule.definition.actions[aspect] && undoesGrant(laterRule, rule),
    );
    return undoingRule
      ? [
          {
            by: undoingRule,
            action: aspect === 'index' ? 'NoIndex' : 'NoFollow',
            verb: aspect === 'index' ? 'indexes' : 'follows',
          },
        ]
      : [];
  });
  return found.slice(0, 1).map(({ by: undoingRule, action, verb }) => {
    const location = `${getRuleName(undoingRule)} (${formatPlace(undoingRule.definition.place)})`;
    const message = `${location} ${verb} URLs for which ${getRuleName(rule)} has ${action}, where both match: put ${getRuleName(rule)} after it`;
    return createLintWarning('grant-undone', rule.definition.place, message);
  });
}

const undoesGrant = (laterRule: Rule, rule: Rule): boolean =>
  !areDisjoint(laterRule.clauses, rule.clauses) &&
  (covers(laterRule.clauses, rule.clauses) || !covers(rule.clauses, laterRule.clauses));

const ASPECTS = ['accept', 'index', 'follow', 'source', 'priorityShift'] as const;

const listDefinedAspects = (actions: RuleActions) => ASPECTS.filter((aspect) => actions[aspect] !== undefined);

/** Metas accumulate, so a rule that adds one always has an effect. */
function setsSameAspects(laterRule: Rule, { definition: { actions } }: Rule): boolean {
  const aspects = listDefinedAspects(actions);
  return (
    actions.metas.length === 0 &&
    actions.render === undefined &&
    aspects.length > 0 &&
    aspects.every((aspect) => laterRule.definition.actions[aspect] !== undefined)
  );
}

function createOverriddenProblem(rule: Rule, laterRule: Rule): Problem {
  const { place } = rule.definition;
  const location = `${getRuleName(laterRule)} (${formatPlace(laterRule.definition.place)})`;
  if (rule.definition.actions.accept === false && laterRule.definition.actions.accept) {
    return createLintWarning(
      'ignore-undone',
      place,
      `${location} re-accepts everything that ${getRuleName(rule)} ignores: put ${getRuleName(rule)} after it`,
    );
  }
  return createLintWarning(
    'rule-overridden',
    place,
    `${getRuleName(rule)} has no effect: ${location} matches the same URLs and sets the same actions; change their order or remove one`,
  );
}

const acceptsAgain = (laterRule: Rule, ignoringRule: Rule): boolean =>
  laterRule.definition.actions.accept === true && !areDisjoint(laterRule.clauses, ignoringRule.clauses);

const createIgnoreUndoneProblem = (rule: Rule, laterRule: Rule): Problem =>
  createLintWarning(
    'ignore-undone',
    rule.definition.place,
    `${getRuleName(laterRule)} (${formatPlace(laterRule.definition.place)}) re-accepts what ${getRuleName(rule)} ignores, where both match: put ${getRuleName(rule)} after it if these URLs should stay out`,
  );

function lintRuleCount(rules: readonly Rule[]): Problem[] {
  const firstSkippedRule = rules[MAX_COMPARED];
  if (!firstSkippedRule) return [];
  const message = `only the first ${MAX_COMPARED} of ${rules.length} rules are compared with each other`;
  return [createLintWarning('rules-not-compared', firstSkippedRule.definition.place, message)];
}
