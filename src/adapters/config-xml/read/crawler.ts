/** One crawler: from checked elements to its definition. */
import type {
  CrawlerDefinition,
  DeletionGuardDefinition,
  ErrorPolicyDefinition,
  LinkRulesDefinition,
  RefreshDefinition,
  RootDefinition,
  SoftErrorDefinition,
} from '../../../domain/crawl/definition.js';
import { DEFAULT_WEIGHTS, type SourceName } from '../../../domain/frontier/sources.js';
import { all, defaults, type Node, one } from '../interpret.js';
import * as crawl from '../schema/crawl.js';
import * as policy from '../schema/policy.js';
import type { Attributes, ElementSpec, Values } from '../schema/spec.js';
import { readConditions } from './conditions.js';
import type { ReadContext } from './context.js';
import { readCrawlSpace } from './crawl-space.js';
import { readRules } from './rules.js';
import { readServers } from './servers.js';

export type CrawlerNode = Node<typeof crawl.CRAWLER.attributes>;

export function readCrawler(crawler: CrawlerNode, context: ReadContext): CrawlerDefinition {
  const node = crawler as Node;
  const { values } = crawler;
  const { problems } = context;
  const servers = one(node, policy.SERVERS);
  const conditions = one(node, policy.CONDITIONS);
  const crawlSpace = readCrawlSpace(node, context);
  return {
    name: values.name,
    place: crawler.place,
    concurrency: values.nthreads,
    throttle: values.throttleTimeMS,
    aggressive: values.aggressive,
    ignoreRobotsTxt: values.ignoreRobotsTxt,
    storeTextOnly: values.storeTextOnly,
    defaultAccept: values.defaultAccept,
    defaultIndex: values.defaultIndex,
    defaultFollow: values.defaultFollow,
    defaultFollowRoots: values.defaultFollowRoots,
    mimeTypesMode: values.mimeTypesMode,
    mimeTypes: settings(node, policy.MIME_TYPES).types,
    crawlSitemaps: values.crawlSitemaps,
    disableConditionalGet: values.disableConditionalGet,
    nearDuplicateDetector: values.nearDuplicateDetector,
    indexRedirectSources: values.indexRedirectSources,
    refresh: readRefresh(crawler, context),
    weights: readWeights(node, context),
    roots: readRoots(node, context),
    rules: readRules(node, problems),
    canonicalization: settings(node, policy.CANONICALIZATION).steps,
    linkRules: readLinkRules(node),
    ...(crawlSpace ? { crawlSpace } : {}),
    ...(servers ? { servers: readServers(servers, context) } : {}),
    ...(conditions ? { conditions: readConditions(conditions, problems) } : {}),
    errors: readErrorPolicy(node, context),
    deletionGuard: readDeletionGuard(crawler),
    softErrors: readSoftErrors(node),
    probeErrorPages: settings(node, policy.SOFT_ERRORS).probe,
    traps: settings(node, policy.TRAPS),
    fetcher: one(node, policy.FETCH_WITH)?.values.fetcher ?? 'default',
    pushTo: [...new Set(all(node, policy.PUSH_TO).map((push) => push.values.sink))],
  };
}

/** The values of an element that may be there, or its defaults. */
const settings = <A extends Attributes>(parent: Node, spec: ElementSpec<A>): Values<A> =>
  one(parent, spec)?.values ?? defaults(spec);

function readRefresh(crawler: CrawlerNode, { problems }: ReadContext): RefreshDefinition {
  const { smartRefresh: smart, smartRefreshMinAgeS: minimumAge, smartRefreshMaxAgeS: maximumAge } = crawler.values;
  if (minimumAge > maximumAge) {
    const message = 'smartRefreshMinAgeS is above smartRefreshMaxAgeS: make the minimum the smaller one';
    problems.add('bad-range', message, crawler.place);
  }
  const scheduler = one(crawler as Node, crawl.SCHEDULER);
  const schedule = scheduler && one(scheduler as Node, policy.REFRESH)?.values;
  return {
    smart,
    minimumAge,
    maximumAge,
    ...(schedule ? { cron: schedule.cron } : {}),
    timeZone: schedule?.timeZone ?? 'UTC',
  };
}

function readWeights(crawler: Node, { problems }: ReadContext): Record<SourceName, number> {
  const weights = { ...DEFAULT_WEIGHTS };
  const seen = new Set<SourceName>();
  const scheduler = one(crawler, crawl.SCHEDULER) as Node | undefined;
  for (const { values, place } of scheduler ? all(scheduler, policy.URL_SOURCE) : []) {
    if (seen.has(values.name)) problems.add('duplicate-name', `source ${values.name} is given twice`, place);
    seen.add(values.name);
    weights[values.name] = values.weight;
  }
  return weights;
}

function readRoots(crawler: Node, { problems }: ReadContext): RootDefinition[] {
  const seen = new Set<string>();
  return all(crawler, crawl.ROOT).map(({ values, place }) => {
    const { kvs, group, ...root } = values;
    const identity = new URL(root.url).href;
    if (seen.has(identity)) problems.add('duplicate-name', `root ${root.url} is given twice`, place);
    seen.add(identity);
    const metas = (kvs ?? []).map((pair) => ({ ...pair, scope: 'links' as const }));
    return { ...root, place, ...(group === undefined ? {} : { group }), metas };
  });
}

/** "The maximum size of an address is 128 by default", "by default the crawler will ignore … a question mark". */
const FDSE_DEFAULTS = { maxUrlLength: 128, followQueryStrings: false };
const OWN_DEFAULTS = { maxUrlLength: 2048, followQueryStrings: true };

function readLinkRules(crawler: Node): LinkRulesDefinition {
  const { dialect, ...values } = settings(crawler, policy.LINK_RULES);
  const fallback = dialect === 'fdse' ? FDSE_DEFAULTS : OWN_DEFAULTS;
  const place = one(crawler, policy.LINK_RULES)?.place;
  return {
    protocols: values.protocols,
    maxUrlLength: values.maxUrlLength ?? fallback.maxUrlLength,
    followQueryStrings: values.followQueryStrings ?? fallback.followQueryStrings,
    ignoreLinksTo: values.ignoreLinksTo,
    rogue: values.rogue,
    followOffsite: values.followOffsite,
    ...(place ? { place } : {}),
  };
}

function readErrorPolicy(crawler: Node, { problems }: ReadContext): ErrorPolicyDefinition {
  const element = one(crawler, policy.ERROR_POLICY);
  const { maxTemporaryErrors, retryDelayS, maxRetryDelayS } = element?.values ?? defaults(policy.ERROR_POLICY);
  if (element && retryDelayS > maxRetryDelayS) {
    problems.add('bad-range', 'retryDelayS is above maxRetryDelayS: make it the smaller one', element.place);
  }
  const overrides = element ? all(element as Node, policy.ERROR) : [];
  return {
    maxTemporaryErrors,
    retryDelay: retryDelayS,
    maxRetryDelay: maxRetryDelayS,
    classes: Object.fromEntries(overrides.map(({ values }) => [values.code, values.class])),
  };
}

function readDeletionGuard(crawler: CrawlerNode): DeletionGuardDefinition {
  const { enabled, maxDeletions, maxShare, windowS } = settings(crawler as Node, policy.DELETION_GUARD);
  return { on: crawler.values.deletionGuard && enabled, maxDeletions, maxShare, window: windowS };
}

function readSoftErrors(crawler: Node): SoftErrorDefinition[] {
  const element = one(crawler, policy.SOFT_ERRORS) as Node | undefined;
  return element ? all(element, policy.SOFT_ERROR).map(({ values, place }) => ({ ...values, place })) : [];
}
