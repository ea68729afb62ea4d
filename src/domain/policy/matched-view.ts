/** The resolved view for one URL: whether each rule of each layer matches it. */
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { ConditionRule, GlobalCrawlSpaceDefinition } from '../crawl/policy-definition.js';
import { type ConditionStep, compileConditions } from './conditions.js';
import { compileCrawlSpace } from './crawl-space.js';
import { compileExpression } from './matching/expression.js';
import { Subject } from './matching/subject.js';
import { createResolvedView, MAX_LISTED, type ResolvedEntry } from './resolved.js';
import { compileRecords, compileServers } from './server-records.js';
import type { Candidate, LayerName } from './verdict.js';

export interface MatchedEntry extends ResolvedEntry {
  /** Undefined if the entry is not a rule that can match, or is a condition below one that does not apply. */
  readonly matched: boolean | undefined;
}

type Matches = readonly (boolean | undefined)[];

/** Returns the entries of `createResolvedView`, in the same order. */
export function createMatchedView(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
  candidate: Candidate,
): MatchedEntry[] {
  const matchIterators: Readonly<Record<LayerName, Iterator<boolean | undefined>>> = {
    'link-rules': [][Symbol.iterator](),
    'site-mode': matchSites(crawler, candidate)[Symbol.iterator](),
    'crawl-space': matchSpaces(crawler, globalCrawlSpace, candidate)[Symbol.iterator](),
    'server-records': matchServers(crawler, candidate)[Symbol.iterator](),
    conditions: matchConditions(crawler, candidate)[Symbol.iterator](),
    'crawl-rules': matchRules(crawler, candidate)[Symbol.iterator](),
  };
  return createResolvedView(crawler, globalCrawlSpace).map((entry) => ({
    ...entry,
    matched: matchIterators[entry.layer].next().value,
  }));
}

const matchSites = ({ roots }: CrawlerDefinition, { root }: Candidate): Matches =>
  roots
    .filter(({ site, entireSite }) => site || entireSite)
    .slice(0, MAX_LISTED)
    .map(({ place }) => place !== undefined && root?.place === place);

function matchSpaces(
  { crawlSpace }: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
  { url, address }: Candidate,
): Matches {
  if (!crawlSpace) return [];
  const subject = new Subject(url);
  const matches = (rule: (typeof crawlSpace.rules)[number]): boolean =>
    compileCrawlSpace([rule], [])(subject, address ?? undefined).rule !== undefined;
  return [...crawlSpace.rules.map(matches), undefined, ...(globalCrawlSpace?.rules ?? []).map(matches)];
}

function matchServers({ servers }: CrawlerDefinition, { url }: Candidate): Matches {
  if (!servers) return [];
  const matchedRecord = compileServers(servers)(url.href);
  return compileRecords(servers)
    .slice(0, MAX_LISTED)
    .map(({ prefix }) => matchedRecord?.prefix === prefix);
}

function matchConditions({ conditions, roots }: CrawlerDefinition, { url }: Candidate): Matches {
  if (!conditions) return [];
  const results = new Map<ConditionRule, boolean>();
  const onStep = ({ rule, outcome }: ConditionStep): void => {
    if (outcome !== 'not evaluated') results.set(rule, outcome === 'applies' || outcome === 'filters');
  };
  compileConditions(conditions, [], roots)(new Subject(url), { onStep });
  const matchNested = (rules: readonly ConditionRule[], isEvaluated: boolean): (boolean | undefined)[] =>
    rules.flatMap((rule) => {
      const hasEffect = results.get(findOriginalRule(rule, results)) ?? false;
      const isNegated = rule.kind === 'must-have' || rule.kind === 'apply-except-for';
      const applies = isEvaluated && hasEffect && rule.kind.startsWith('apply');
      return [isEvaluated ? hasEffect !== isNegated : undefined, ...matchNested(rule.children, applies)];
    });
  return [undefined, ...matchNested(conditions.rules, true)];
}

/** A compiled condition without options is a copy of the rule as written. */
const findOriginalRule = (rule: ConditionRule, results: ReadonlyMap<ConditionRule, boolean>): ConditionRule =>
  results.has(rule) ? rule : ([...results.keys()].find(({ test }) => test === rule.test) ?? rule);

function matchRules({ rules }: CrawlerDefinition, { url }: Candidate): Matches {
  const subject = new Subject(url);
  return [undefined, ...rules.slice(0, MAX_LISTED).map(({ match }) => compileExpression(match, []).matches(subject))];
}
