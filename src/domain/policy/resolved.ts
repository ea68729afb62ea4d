/**
 * The resolved view (reference: Velocity, "view resolved"): the whole policy expanded in the order in which it is
 * evaluated, and, for one URL, what each rule did, with the final options and what set them.
 */
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { Place } from '../crawl/place.js';
import type {
  ConditionRule,
  GlobalCrawlSpaceDefinition,
  RuleDefinition,
  UrlOptions,
} from '../crawl/policy-definition.js';
import { toComparableUrl } from '../url/url-form.js';
import { type ConditionStep, compileConditions, formatCondition } from './conditions.js';
import { compilePolicy } from './crawl-policy.js';
import { describeRuleEffect, formatExpression, formatRuleLabel } from './crawl-rules.js';
import { formatSpaceRule } from './crawl-space.js';
import { compileExpression } from './matching/expression.js';
import { Subject } from './matching/subject.js';
import { formatOptions, formatOptionValues, type OptionName } from './options.js';
import {
  compileRecords,
  compileServers,
  createOptionsFor,
  describeRecordEffect,
  findAliasUrl,
} from './server-records.js';
import { type Candidate, LAYERS, type LayerName, type TraceStep, type Verdict } from './verdict.js';

export interface ResolvedEntry {
  readonly layer: LayerName;
  /** Nesting depth of recursive conditions; 0 elsewhere. */
  readonly depth: number;
  readonly text: string;
  /** What the entry sets when it applies. Secrets are hidden. */
  readonly effect?: string;
  readonly place?: Place;
}

/** Everything that the policy of one crawler consists of, in the order of evaluation. */
export function createResolvedView(
  crawler: CrawlerDefinition,
  globalCrawlSpace?: GlobalCrawlSpaceDefinition,
): ResolvedEntry[] {
  return LAYERS.flatMap((layer) => ENTRY_LISTERS[layer](crawler, globalCrawlSpace));
}

const createEntry = (layer: LayerName, text: string, place?: Place, effect?: string): ResolvedEntry => ({
  layer,
  depth: 0,
  text,
  place,
  effect,
});

const ENTRY_LISTERS: Readonly<
  Record<LayerName, (crawler: CrawlerDefinition, global?: GlobalCrawlSpaceDefinition) => ResolvedEntry[]>
> = {
  'link-rules': listLinkEntries,
  'site-mode': (crawler) => listSiteEntries(crawler),
  'crawl-space': listSpaceEntries,
  'server-records': listServerEntries,
  conditions: listConditionEntries,
  'crawl-rules': listRuleEntries,
};

function listLinkEntries({ linkRules, traps }: CrawlerDefinition): ResolvedEntry[] {
  const { protocols, maxUrlLength, followQueryStrings, ignoreLinksTo, followOffsite, place } = linkRules;
  const texts = [
    `protocol is ${protocols.join(' or ')}`,
    `address length is at most ${maxUrlLength} characters`,
    ...(followQueryStrings ? [] : ['no query string']),
    ...(ignoreLinksTo.length === 0 ? [] : [`file extension is not one of ${ignoreLinksTo.join(', ')}`]),
    ...(followOffsite ? [] : ["host is that of the link's page"]),
    `at most ${traps.maxPathDepth} path segments`,
    `no path segment appears more than ${traps.maxRepeatedSegments} times`,
  ];
  return texts.map((text) => createEntry('link-rules', text, place));
}

const listSiteEntries = ({ roots }: CrawlerDefinition): ResolvedEntry[] =>
  listFirst(
    'site-mode',
    roots.filter((root) => root.site || root.entireSite),
    'roots',
    ({ url, site, place }) =>
      createEntry('site-mode', `below root ${url}: URLs of its ${site ? 'site' : 'directory'}`, place),
  );

function listSpaceEntries(
  { crawlSpace }: CrawlerDefinition,
  globalCrawlSpace?: GlobalCrawlSpaceDefinition,
): ResolvedEntry[] {
  if (!crawlSpace) return [];
  const createSpaceEntry = createEntry.bind(undefined, 'crawl-space');
  return [
    ...crawlSpace.rules.map((rule) => createSpaceEntry(formatSpaceRule(rule), rule.place)),
    createSpaceEntry('else allow'),
    ...(globalCrawlSpace?.rules ?? []).map((rule) =>
      createSpaceEntry(`for excluded hosts, global: ${formatSpaceRule(rule)}`, rule.place),
    ),
    ...(globalCrawlSpace ? [createSpaceEntry('for excluded hosts, global: else forbid')] : []),
  ];
}

/** A longer list is neither read by anybody nor written in a few milliseconds. */
export const MAX_LISTED = 10_000;

/** Lists as many items as can be read, and says how many there are besides. */
function listFirst<T>(
  layer: LayerName,
  items: readonly T[],
  noun: string,
  toEntry: (item: T) => ResolvedEntry,
): ResolvedEntry[] {
  const entries = items.slice(0, MAX_LISTED).map(toEntry);
  const text = `${items.length - entries.length} more ${noun}, which are not listed: name a URL to see which one applies to it`;
  return entries.length === items.length ? entries : [...entries, createEntry(layer, text)];
}

/** In the order in which they take precedence. */
function listServerEntries({ servers }: CrawlerDefinition): ResolvedEntry[] {
  return listFirst('server-records', servers ? compileRecords(servers) : [], 'server records', (record) =>
    createEntry('server-records', record.label, record.definition.place, describeRecordEffect(record)),
  );
}

function listConditionEntries({ conditions }: CrawlerDefinition): ResolvedEntry[] {
  if (!conditions) return [];
  const { defaultAllow, options, rules, place } = conditions;
  const effect = formatOptions({ defaultAllow, ...options }).join(', ');
  return [createEntry('conditions', 'global options', place, effect), ...listNestedEntries(rules, 0)];
}

const listNestedEntries = (rules: readonly ConditionRule[], depth: number): ResolvedEntry[] =>
  rules.flatMap((rule) => [
    {
      ...createEntry('conditions', formatCondition(rule) + (rule.log ? ' (log)' : ''), rule.place),
      depth,
      effect: formatOptions(rule.options).join(', '),
    },
    ...listNestedEntries(rule.children, depth + 1),
  ]);

const formatRule = (rule: RuleDefinition): string => `${formatRuleLabel(rule)}: ${formatExpression(rule.match)}`;

function listRuleEntries({ rules, defaultAccept, defaultIndex, defaultFollow }: CrawlerDefinition): ResolvedEntry[] {
  const effect = `accept=${defaultAccept}, index=${defaultIndex}, follow=${defaultFollow}`;
  return [
    createEntry('crawl-rules', 'defaults', undefined, effect.replaceAll('true', 'yes').replaceAll('false', 'no')),
    ...listFirst('crawl-rules', rules, 'rules', (rule) =>
      createEntry('crawl-rules', formatRule(rule), rule.place, describeRuleEffect(rule)),
    ),
  ];
}

export interface ResolvedOption {
  readonly name: OptionName;
  /** The value as text, with its unit. Secrets are hidden. */
  readonly value: string;
  /** The part of the configuration that last set it. */
  readonly setBy: string;
  readonly place?: Place;
}

export interface ResolvedUrl {
  readonly verdict: Verdict;
  /** For each rule of each layer, whether it matched and what it set. */
  readonly steps: readonly TraceStep[];
  readonly options: readonly ResolvedOption[];
}

/** @throws PolicyError if the definition does not compile */
export function resolveUrl(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
  candidate: Candidate,
): ResolvedUrl {
  const { verdict, trace } = compilePolicy(crawler, globalCrawlSpace).explain(candidate);
  const subject = new Subject(toComparableUrl(candidate.url));
  const unmatchedRules = crawler.rules.filter((rule) => !compileExpression(rule.match, []).matches(subject));
  const steps = trace.filter(({ layer, outcome }) => layer !== 'crawl-rules' || outcome !== 'no match');
  return {
    verdict,
    steps: [...steps, ...unmatchedRules.map(createNoMatchStep)],
    options: resolveOptions(crawler, candidate),
  };
}

const createNoMatchStep = (rule: RuleDefinition): TraceStep => ({
  layer: 'crawl-rules',
  test: formatRule(rule),
  outcome: 'no match',
  place: rule.place,
});

interface Setting {
  readonly source: string;
  readonly place?: Place;
  readonly options: UrlOptions;
}

function resolveOptions(crawler: CrawlerDefinition, candidate: Candidate): ResolvedOption[] {
  const resolvedOptions = new Map<string, ResolvedOption>();
  const settings = listSettings(crawler, candidate);
  for (const { source, place, options } of settings) {
    for (const [name, value] of Object.entries(formatOptionValues(options))) {
      resolvedOptions.set(name, { name: name as OptionName, value, setBy: source, place });
    }
  }
  keepSmallerMaxHops(resolvedOptions, crawler.servers && settings[1]);
  return [...resolvedOptions.values()];
}

/** Both a server record and the conditions can reject URLs by `maxHops`, so the smaller limit applies. */
function keepSmallerMaxHops(resolvedOptions: Map<string, ResolvedOption>, record: Setting | undefined): void {
  const limit = record?.options.maxHops;
  if (!record || limit === undefined || limit >= Number(resolvedOptions.get('maxHops')?.value)) return;
  resolvedOptions.set('maxHops', { name: 'maxHops', value: String(limit), setBy: record.source, place: record.place });
}

/** Settings in the order in which they are assigned. */
function listSettings(crawler: CrawlerDefinition, candidate: Candidate): Setting[] {
  const url = toComparableUrl(candidate.url);
  const settings: Setting[] = [
    { source: `crawler ${crawler.name}`, place: crawler.place, options: getCrawlerOptions(crawler) },
  ];
  const record = crawler.servers && compileServers(crawler.servers)(url.href);
  if (record)
    settings.push({ source: record.label, place: record.definition.place, options: createOptionsFor(record, url) });
  if (!crawler.conditions) return settings;
  const fetchUrl = record && findAliasUrl(record, url);
  const globalOptionsOnly = compileConditions({ ...crawler.conditions, rules: [] }, [], crawler.roots);
  const globalResult = globalOptionsOnly(new Subject(url), { fetchUrl });
  settings.push({ source: 'global options', place: crawler.conditions.place, options: globalResult.options });
  const onStep = ({ rule, options }: ConditionStep): void => {
    if (options) settings.push({ source: formatCondition(rule), place: rule.place, options });
  };
  compileConditions(crawler.conditions, [], crawler.roots)(new Subject(url), { onStep, fetchUrl });
  return settings;
}

const getCrawlerOptions = (crawler: CrawlerDefinition): UrlOptions => ({
  throttle: crawler.throttle,
  obeyRobots: !crawler.ignoreRobotsTxt && !crawler.linkRules.rogue,
  nearDuplicateDetector: crawler.nearDuplicateDetector,
  refreshMinimumAge: crawler.refresh.minimumAge,
  refreshMaximumAge: crawler.refresh.maximumAge,
});
