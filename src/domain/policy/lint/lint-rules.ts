/** Crawl rules that never match, have no effect, or undo each other. */
import type { CrawlerDefinition } from '../../crawl/definition.js';
import { formatPlace, type Problem } from '../../crawl/place.js';
import type { RuleActions, RuleDefinition } from '../../crawl/policy-definition.js';
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

export function lintRules(crawler: CrawlerDefinition): Problem[] {
  const rules = crawler.rules.map((definition) => ({ definition, clauses: toClauses(definition.match) }));
  return [
    ...rules.flatMap((rule) => lintNeverMatches(rule, crawler.linkRules.protocols)),
    ...rules.flatMap((rule) => lintIneffective(rule, crawler)),
    ...compareRules(rules.slice(0, MAX_COMPARED)),
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

function lintIneffective(rule: Rule, crawler: CrawlerDefinition): Problem[] {
  const { actions, place } = rule.definition;
  if (actions.accept && actions.index === false && actions.follow === false) {
    const message = `${getRuleName(rule)} accepts URLs that are neither indexed nor followed, so they are fetched for nothing; write Ignore, or Index or Follow`;
    return [createLintWarning('fetched-for-nothing', place, message)];
  }
  const grants = actions.accept === undefined && (actions.index || actions.follow);
  if (
    !grants ||
    crawler.defaultAccept ||
    crawler.roots.some(({ site, entireSite }) => site || entireSite) ||
    crawler.rules.some((other) => other.actions.accept)
  )
    return [];
  const message = `${getRuleName(rule)} grants index or follow, but no rule has Accept and defaultAccept is off, so nothing is crawled`;
  return [createLintWarning('nothing-accepted', place, message)];
}

function compareRules(rules: readonly Rule[]): Problem[] {
  return rules.flatMap((rule, position) => {
    const later = rules.slice(position + 1);
    const over = later.find((other) => setsSameAspects(other, rule) && covers(other.clauses, rule.clauses));
    if (over) return [createOverriddenProblem(rule, over)];
    const undone =
      rule.definition.actions.accept === false ? later.find((other) => acceptsAgain(other, rule)) : undefined;
    return undone ? [createIgnoreUndoneProblem(rule, undone)] : lintGrantsUndone(rule, later);
  });
}

/**
 * A rule that narrows an earlier one is an exception to it; one for more URLs, or for others, was hardly meant to undo
 * it.
 */
function lintGrantsUndone(rule: Rule, later: readonly Rule[]): Problem[] {
  if (rule.definition.actions.accept === false) return [];
  const aspects = (['index', 'follow'] as const).filter((aspect) => rule.definition.actions[aspect] === false);
  const found = aspects.flatMap((aspect) => {
    const last = later.findLast(
      (other) => other.definition.actions[aspect] !== undefined && covers(other.clauses, rule.clauses),
    );
    if (last?.definition.actions[aspect] === false) return [];
    const by = later.find((other) => other.definition.actions[aspect] && undoesGrant(other, rule));
    return by
      ? [{ by, action: aspect === 'index' ? 'NoIndex' : 'NoFollow', again: aspect === 'index' ? 'indexes' : 'follows' }]
      : [];
  });
  return found.slice(0, 1).map(({ by, action, again }) => {
    const where = `${getRuleName(by)} (${formatPlace(by.definition.place)})`;
    const message = `${where} ${again} URLs for which ${getRuleName(rule)} has ${action}, where both match: put ${getRuleName(rule)} after it`;
    return createLintWarning('grant-undone', rule.definition.place, message);
  });
}

const undoesGrant = (later: Rule, rule: Rule): boolean =>
  !areDisjoint(later.clauses, rule.clauses) &&
  (covers(later.clauses, rule.clauses) || !covers(rule.clauses, later.clauses));

const ASPECTS = ['accept', 'index', 'follow', 'source', 'priorityShift'] as const;

const listDefinedAspects = (actions: RuleActions) => ASPECTS.filter((aspect) => actions[aspect] !== undefined);

/** Metas accumulate, so a rule that adds one always has an effect. */
function setsSameAspects(later: Rule, { definition: { actions } }: Rule): boolean {
  const aspects = listDefinedAspects(actions);
  return (
    actions.metas.length === 0 &&
    actions.render === undefined &&
    aspects.length > 0 &&
    aspects.every((aspect) => later.definition.actions[aspect] !== undefined)
  );
}

function createOverriddenProblem(rule: Rule, later: Rule): Problem {
  const { place } = rule.definition;
  const where = `${getRuleName(later)} (${formatPlace(later.definition.place)})`;
  if (rule.definition.actions.accept === false && later.definition.actions.accept) {
    return createLintWarning(
      'ignore-undone',
      place,
      `${where} re-accepts everything that ${getRuleName(rule)} ignores: put ${getRuleName(rule)} after it`,
    );
  }
  return createLintWarning(
    'rule-overridden',
    place,
    `${getRuleName(rule)} has no effect: ${where} matches the same URLs and sets the same actions; change their order or remove one`,
  );
}

const acceptsAgain = (later: Rule, ignoring: Rule): boolean =>
  later.definition.actions.accept === true && !areDisjoint(later.clauses, ignoring.clauses);

const createIgnoreUndoneProblem = (rule: Rule, later: Rule): Problem =>
  createLintWarning(
    'ignore-undone',
    rule.definition.place,
    `${getRuleName(later)} (${formatPlace(later.definition.place)}) re-accepts what ${getRuleName(rule)} ignores, where both match: put ${getRuleName(rule)} after it if these URLs are to stay out`,
  );

function lintRuleCount(rules: readonly Rule[]): Problem[] {
  const first = rules[MAX_COMPARED];
  if (!first) return [];
  const message = `only the first ${MAX_COMPARED} of ${rules.length} rules are compared with each other`;
  return [createLintWarning('rules-not-compared', first.definition.place, message)];
}
