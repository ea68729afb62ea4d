/** A complete crawler definition with the documented defaults, for tests and benchmarks that vary a part of it. */
import type { CrawlerDefinition, RootDefinition } from '../../src/domain/crawl/definition.js';
import type { Place } from '../../src/domain/crawl/place.js';
import type { MatchExpression, RuleActions, RuleDefinition } from '../../src/domain/crawl/policy-definition.js';
import { DEFAULT_WEIGHTS } from '../../src/domain/frontier/sources.js';
import type { Candidate } from '../../src/domain/policy/verdict.js';
import { days, hours, minutes, seconds } from '../../src/domain/time/units.js';
import { DEFAULT_CANONICALIZATION } from '../../src/domain/url/canonicalize.js';
import { getOrigin, toCrawlUrl } from '../../src/domain/url/crawl-url.js';

export const placeAt = (line: number, file = 'CrawlConfig.xml'): Place => ({ file, line, column: 1 });

const DEFAULTS: CrawlerDefinition = {
  name: 'test',
  place: placeAt(1),
  concurrency: 20,
  throttle: seconds(2.5),
  aggressive: false,
  politenessBy: 'host',
  ignoreRobotsTxt: false,
  storeTextOnly: false,
  defaultAccept: true,
  defaultIndex: true,
  defaultFollow: true,
  defaultFollowRoots: true,
  mimeTypesMode: 'exclude',
  mimeTypes: [],
  whenUnreadable: 'push',
  render: 'never',
  crawlSitemaps: true,
  disableConditionalGet: false,
  nearDuplicateDetector: true,
  nearDuplicateScope: 'domain',
  followMoves: 'domain',
  indexRedirectSources: true,
  refresh: {
    smart: true,
    minimumAge: hours(1),
    maximumAge: days(7),
    objective: 'harmonic',
    hubs: false,
    timeZone: 'UTC',
  },
  weights: DEFAULT_WEIGHTS,
  roots: [],
  rules: [],
  canonicalization: DEFAULT_CANONICALIZATION,
  linkRules: {
    protocols: ['http', 'https'],
    maxUrlLength: 2048,
    followQueryStrings: true,
    ignoreLinksTo: [],
    rogue: false,
    followOffsite: true,
    place: placeAt(2),
  },
  errors: { maxTemporaryErrors: 5, retryDelay: minutes(1), maxRetryDelay: hours(6), classes: {} },
  changeGuard: { on: true },
  deletionGuard: {
    on: true,
    maxDeletions: 50,
    maxShare: 0.1,
    window: hours(1),
    signOfLife: true,
    signOfLifeWait: days(1),
  },
  softErrors: [],
  probeErrorPages: 'when-suspected',
  leaveOut: { exactDuplicates: true, directoryListings: true, unlinked: true },
  traps: {
    maxPathDepth: 32,
    maxRepeatedSegments: 4,
    maxQueryVariants: 10_000,
    maxPatternUrls: 1_000,
    maxUrlsPerHost: 1_000_000,
    maxLinksPerPage: 50_000,
  },
  fetcher: 'default',
  pushTo: ['main'],
};

export const crawlerDefinition = (parts: Partial<CrawlerDefinition> = {}): CrawlerDefinition => ({
  ...DEFAULTS,
  ...parts,
});

export const rootDefinition = (url: string, parts: Partial<RootDefinition> = {}): RootDefinition => ({
  url,
  site: false,
  entireSite: false,
  priority: 0,
  metas: [],
  followLinks: true,
  ...parts,
});

/** A rule whose place is the line of its number. */
export const ruleDefinition = (
  number: number,
  match: MatchExpression,
  actions: Partial<RuleActions>,
): RuleDefinition => ({
  number,
  group: 'default',
  place: placeAt(number, 'rules.xml'),
  match,
  actions: { metas: [], ...actions },
});

type AtomExpression = Extract<MatchExpression, { type: 'atom' }>;

/** An atom of a crawl rule; case- and accent-insensitive and a regular expression unless said otherwise. */
export const atom = (
  field: AtomExpression['field'],
  kind: AtomExpression['kind'],
  value: string,
  parts: Partial<AtomExpression> = {},
): AtomExpression => ({ type: 'atom', field, kind, value, norm: 'norm', litteral: false, place: placeAt(1), ...parts });

/** A link found on a page of the same host, three links below its root, unless said otherwise. */
export const candidate = (url: string, parts: Partial<Candidate> = {}): Candidate => {
  const parsed = toCrawlUrl(url);
  return { url: parsed, discoveredVia: 'link', from: toCrawlUrl(`${getOrigin(parsed)}/`), hops: 3, ...parts };
};
