/**
 * The crawl policy: one ordered list of layers, one verdict. Crawling, explanations, and previews and checks of a
 * configuration all use it; nothing is decided anywhere else.
 */
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { Problem } from '../crawl/place.js';
import type { GlobalCrawlSpaceDefinition } from '../crawl/policy-definition.js';
import { type CrawlUrl, toCrawlUrl } from '../url/crawl-url.js';
import { toComparableUrl } from '../url/url-form.js';
import { createConditionsLayer } from './conditions.js';
import { createCrawlRulesLayer } from './crawl-rules.js';
import { createCrawlSpaceLayer } from './crawl-space.js';
import { createUnconfiguredLayer, Draft, type Layer, PolicyError, type Rejection } from './layer.js';
import { createLinkRulesLayer } from './link-rules.js';
import type { ReasonCode } from './reasons.js';
import { createServerRecordsLayer } from './server-records.js';
import { createSiteModeLayer } from './site-mode.js';
import type { Candidate, Effects, Explanation, TraceStep, Verdict } from './verdict.js';

export interface CrawlPolicy {
  judge(candidate: Candidate): Verdict;
  /**
   * The same verdict as `judge`, with the opinion of every layer; layers after the deciding one are included for
   * information.
   */
  explain(candidate: Candidate): Explanation;
}

/** @throws PolicyError that lists everything in the definition that does not compile: rules never fail open */
export function compilePolicy(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
): CrawlPolicy {
  const problems: Problem[] = [];
  const layers = createLayers(crawler, globalCrawlSpace, problems);
  if (problems.length > 0) throw new PolicyError(problems);
  return {
    judge: (candidate) => evaluateLayers(layers, candidate),
    explain(candidate) {
      const trace: TraceStep[] = [];
      return { verdict: evaluateLayers(layers, candidate, trace), trace };
    },
  };
}

/** The layers in the order in which they are consulted. The first rejection decides. */
function createLayers(
  crawler: CrawlerDefinition,
  globalCrawlSpace: GlobalCrawlSpaceDefinition | undefined,
  problems: Problem[],
): readonly Layer[] {
  const { crawlSpace, servers, conditions } = crawler;
  return [
    createLinkRulesLayer(crawler.linkRules, crawler.traps),
    createSiteModeLayer(),
    crawlSpace ? createCrawlSpaceLayer(crawlSpace, globalCrawlSpace, problems) : createUnconfiguredLayer('crawl-space'),
    servers ? createServerRecordsLayer(servers) : createUnconfiguredLayer('server-records'),
    conditions ? createConditionsLayer(conditions, problems, crawler.roots) : createUnconfiguredLayer('conditions'),
    createCrawlRulesLayer(crawler, problems),
  ];
}

function evaluateLayers(layers: readonly Layer[], original: Candidate, trace?: TraceStep[]): Verdict {
  const candidate = toComparableCandidate(original);
  const draft = new Draft(candidate.url);
  inheritFromRoot(candidate, draft);
  let rejection: Rejection | undefined;
  for (const layer of layers) {
    const objection = layer.judge(candidate, draft, trace);
    if (objection && isOverruled(candidate, objection)) restrictToLinks(candidate, draft, objection, trace);
    else rejection ??= objection;
    if (rejection && !trace) break;
  }
  return rejection ? toRejectedVerdict(rejection) : toAcceptedVerdict(draft);
}

/** Rules are written for URLs in canonical form and must apply to every URL, so all URLs are converted to that form. */
function toComparableCandidate(candidate: Candidate): Candidate {
  const { url, from, root } = candidate;
  if (toComparableUrl(url) === url && areComparable(from, root?.url)) return candidate;
  return {
    ...candidate,
    url: toComparableUrl(url),
    from: from && toComparableUrl(from),
    root: root && { ...root, url: toComparableUrl(root.url), sitePrefixes: root.sitePrefixes.map(toComparablePrefix) },
  };
}

/** The last page and root that were examined: consecutive links have the same ones. */
let lastFrom: CrawlUrl | undefined;
let lastRoot: CrawlUrl | undefined;

function areComparable(from: CrawlUrl | undefined, root: CrawlUrl | undefined): boolean {
  if (from && from !== lastFrom) {
    if (toComparableUrl(from) !== from) return false;
    lastFrom = from;
  }
  if (root && root !== lastRoot) {
    if (toComparableUrl(root) !== root) return false;
    lastRoot = root;
  }
  return true;
}

const toComparablePrefix = (prefix: string): string => toComparableUrl(toCrawlUrl(prefix)).href;

/** What a person keeps out, wherever it is. */
const KEPT_OUT: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['rule-ignored', 'condition-filtered']);

const isOverruled = ({ isNamedSitemap, isNamedElsewhere }: Candidate, { layer, reason }: Rejection): boolean =>
  isNamedSitemap === true && layer !== 'crawl-space' && !(isNamedElsewhere && KEPT_OUT.has(reason));

/** Lets a sitemap be read only for its links: a site's sitemaps may be in places that rules for pages do not allow. */
function restrictToLinks(
  { isNamedElsewhere }: Candidate,
  draft: Draft,
  { layer }: Rejection,
  trace?: TraceStep[],
): void {
  draft.index = false;
  draft.follow = false;
  draft.anonymous = isNamedElsewhere;
  trace?.push({ layer, test: 'robots.txt names it as a sitemap, so it is read all the same', outcome: 'accept' });
}

/** What a candidate inherits from its root: the root's metas, and whether links are followed. */
function inheritFromRoot({ root, hops }: Candidate, draft: Draft): void {
  if (!root) return;
  draft.addMetas(root.metas);
  // It is unknown whether the links of a removed root were followed; those of deeper pages were.
  draft.follow = root.followLinks && !(root.removed && hops === 0);
}

const NO_EFFECTS: Effects = { index: false, follow: false, priorityShift: 0, metas: [], options: {} };

const toRejectedVerdict = (rejection: Rejection): Verdict => ({
  accepted: false,
  reason: rejection.reason,
  layer: rejection.layer,
  place: rejection.place,
  detail: rejection.detail,
  effects: NO_EFFECTS,
  record: rejection.record ?? false,
  status: rejection.status,
  keepDocument: rejection.keepDocument ?? false,
  needsAddress: false,
});

const toAcceptedVerdict = (draft: Draft): Verdict => ({
  accepted: true,
  reason: 'accepted',
  layer: draft.opinion?.layer,
  place: draft.opinion?.place,
  detail: draft.opinion?.detail,
  effects: {
    index: draft.index,
    follow: draft.follow,
    source: draft.source,
    priorityShift: draft.priorityShift,
    metas: draft.metas,
    options: draft.options,
    period: draft.period,
    fetchUrl: draft.fetchUrl,
    anonymous: draft.anonymous,
    maxNetworkErrors: draft.maxNetworkErrors,
    networkErrorDelay: draft.networkErrorDelay,
  },
  record: false,
  status: undefined,
  keepDocument: false,
  needsAddress: draft.needsAddress,
});
