/**
 * Takes the links that a visit found into the frontier, and handles what the page says about changes to other pages.
 */
import { NOT_LINKED } from '../../../domain/crawl/disposition.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { SITEMAPS } from '../../../domain/frontier/sources.js';
import { type Instant } from '../../../domain/time/units.js';
import { type CrawlUrl, getHostKey, getOrigin, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../../domain/url/url-key.js';
import { type CrawlContext, findRoot, findSitemapObjection, isNamedElsewhere } from '../../page/crawl-context.js';
import { nameByRecords } from '../../page/requested-page.js';
import type { Clock } from '../../ports/clock.js';
import type { NewUrl, Settings } from '../../ports/frontier-store.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { DiscoveredLink, PageOutcome, PageResult, RefusedLink } from '../../ports/page-task.js';
import type { ClaimedChanges } from '../evidence/claimed-changes.js';
import { ENDLESS_REASON, type EndlessLinks } from '../evidence/endless-links.js';
import type { HubSubscriptions } from '../evidence/hub-subscriptions.js';
import type { Redirects } from '../evidence/redirects.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { Discovery } from '../frontier/discovery.js';
import type { RefusedLinks } from '../frontier/refused-links.js';
import type { SiteMoves } from '../frontier/site-moves.js';
import type { RobotsEntry } from '../hosts/robots-gate.js';
import type { Tally } from '../load/metrics.js';
import { REPEATED_TEXT, type SameTexts } from './same-texts.js';

export class LinkStage {
  constructor(
    private readonly context: CrawlContext,
    private readonly links: Pick<FoundLinks, 'storeLinks' | 'dropRepeatedLinks'>,
    private readonly rediscovery: Pick<Rediscovery, 'findLinked' | 'getLinkKeys'>,
    private readonly redirects: Pick<Redirects, 'areAwaitingLinks' | 'noteLinked'>,
    private readonly claims: Pick<ClaimedChanges, 'bringForwardDatedPages' | 'bringForwardHubLinks'>,
    private readonly subscriptions: Pick<HubSubscriptions, 'subscribeIfAllowed'>,
    private readonly siteMoves: Pick<SiteMoves, 'noteHomePage' | 'noteDocument'>,
  ) {}

  /** Returns the result; that of a sitemap also says whether the sitemap contained anything new. */
  async process(state: UrlState, page: PageResult, original?: UrlState): Promise<PageResult> {
    const kept = this.links.dropRepeatedLinks(state, page, original);
    const result = kept instanceof Promise ? await kept : kept;
    const linked = this.rediscovery.findLinked(state, result, this.context);
    const rediscoveredLinks = linked instanceof Promise ? await linked : linked;
    if (this.redirects.areAwaitingLinks)
      await this.redirects.noteLinked(state.url, this.rediscovery.getLinkKeys(state, result));
    const newUrlCount = await this.links.storeLinks(
      state,
      rediscoveredLinks.length > 0 ? { ...result, links: [...result.links, ...rediscoveredLinks] } : result,
    );
    const { outcome, links, hub } = result;
    const noted = this.noteOwnContent(state, outcome, original);
    if (noted) await noted;
    if (hub) this.subscriptions.subscribeIfAllowed(state.crawler, state.url, hub);
    if (outcome.kind === 'sitemap')
      return {
        ...result,
        outcome: { ...outcome, changed: (await this.claims.bringForwardDatedPages(state, links)) || newUrlCount > 0 },
      };
    if (outcome.kind === 'document') {
      if (outcome.reason === 'machine-readable') await this.claims.bringForwardDatedPages(state, links);
      else if (isHub(state, this.context) && outcome.facts.stamp !== state.stamp)
        await this.claims.bringForwardHubLinks(state, links);
    }
    return result;
  }

  private noteOwnContent(state: UrlState, outcome: PageOutcome, original?: UrlState): Promise<void> | undefined {
    if (outcome.kind !== 'document' && outcome.kind !== 'unchanged') return undefined;
    const { textSketch } = outcome.kind === 'document' ? outcome.facts : state;
    if (state.discoveredVia === 'root' && this.context.roots.has(state.url))
      return this.siteMoves.noteHomePage({ url: state.url, textSketch });
    const isDocument = outcome.kind === 'document' ? outcome.index : state.stamp !== undefined;
    return isDocument && original === undefined ? this.siteMoves.noteDocument(state, textSketch) : undefined;
  }
}

export interface LinkServices {
  readonly clock: Clock;
  readonly discovery: Pick<Discovery, 'discover'>;
  readonly store: Settings;
  readonly processor: Pick<PageProcessor, 'forget'>;
}

export interface LinkTarget {
  readonly context: CrawlContext;
  readonly tally: Tally;
  readonly endless: EndlessLinks;
  readonly sameTexts: Pick<SameTexts, 'recordPage' | 'isInTrap' | 'isBelowRepeated'>;
  readonly refused: Pick<RefusedLinks, 'add'>;
  readonly siteMoves: Pick<SiteMoves, 'recordMove'>;
}

/** Maximum number of listed links kept for one page. */
const MAX_LISTED_LINKS = 500;

export const getListedLinksSettingName = ({ crawler, url }: Pick<UrlState, 'crawler' | 'url'>): string =>
  `listed-links/${crawler}/${url}`;

/**
 * Takes the URLs that a visit finds into the frontier: a page's links, the target of a redirect, and the sitemaps named
 * by robots.txt.
 */
export class FoundLinks {
  /** The versions of robots.txt whose sitemaps are already in the frontier. */
  private readonly seededEntries = new WeakSet<RobotsEntry>();

  constructor(
    private readonly services: LinkServices,
    private readonly target: LinkTarget,
  ) {}

  /** Stores what the visit has found; returns how many URLs were new. */
  async storeLinks(state: UrlState, result: PageResult): Promise<number> {
    const { tally, refused, siteMoves } = this.target;
    const now = this.services.clock.now();
    tally.refused += result.refused.length;
    if (result.refused.some(isListed)) await this.saveListedLinks(state, result);
    const isRedirect = result.outcome.kind === 'redirect';
    const foundUrls = result.links.map(
      (link): NewUrl => ({
        ...toNewUrl(state, link.url, now),
        key: link.key,
        hostKey: link.hostKey,
        ...followProbe(state, link),
        hops: link.discoveredVia === 'redirect' || link.discoveredVia === 'robots' ? state.hops : state.hops + 1,
        redirects: link.discoveredVia === 'redirect' ? state.redirects + 1 : 0,
        inheritedMetas: link.inheritedMetas,
        reason: isRedirect ? 'redirect-target' : 'discovered',
      }),
    );
    for (const link of result.refused) {
      refused.add(link, state.url, now);
      if (link.record) {
        foundUrls.push({
          ...toNewUrl(state, link.url, now),
          key: computeUrlKey(link.url),
          hostKey: link.hostKey,
          status: 'filtered',
          reason: link.reason,
        });
      }
    }
    if (result.outcome.kind === 'document' && result.outcome.reason === NOT_LINKED) {
      tally.refused++;
      refused.add({ url: state.url, hostKey: state.hostKey, reason: NOT_LINKED }, state.foundOn ?? state.url, now);
    }
    if (result.outcome.kind === 'redirect' && result.outcome.movesSite && state.root !== undefined) {
      await siteMoves.recordMove(state.root, toCrawlUrl(result.outcome.target));
    }
    const newUrls = await this.target.endless.discoverLinks(state, result.words, foundUrls, {
      discover: (urls) => this.services.discovery.discover(urls),
      refuse: ({ url, hostKey }) => refused.add({ url, hostKey, reason: ENDLESS_REASON }, state.url, now),
    });
    tally.discovered += newUrls.length;
    return newUrls.length;
  }

  /** Refuses the links of a page in a subtree of pages that repeat texts. */
  dropRepeatedLinks(
    state: UrlState,
    result: PageResult,
    original: UrlState | undefined,
  ): PageResult | Promise<PageResult> {
    const recorded = this.target.sameTexts.recordPage(state, original, result.outcome);
    return recorded === false
      ? result
      : recorded.then((leadsNowhere) => (leadsNowhere ? this.drop(result, state) : result));
  }

  private drop(result: PageResult, state: UrlState): PageResult {
    if (result.links.length === 0) return result;
    // Found on another page, they are followed.
    this.services.processor.forget(
      state.crawler,
      result.links.map(({ url }) => url),
    );
    const refused = result.links.map(({ url, hostKey }) => ({ url, hostKey, reason: REPEATED_TEXT, record: false }));
    return { ...result, links: [], refused: [...result.refused, ...refused] };
  }

  /** Saves links that are listed for approval instead of being queued, for the history of their page. */
  private async saveListedLinks(state: UrlState, { refused }: PageResult): Promise<void> {
    const listedUrls = refused.filter(isListed).map(({ url }) => url);
    const urls = [...new Set(listedUrls)].slice(0, MAX_LISTED_LINKS);
    await this.services.store.putSetting(getListedLinksSettingName(state), JSON.stringify(urls));
  }

  /** Takes the sitemaps named by robots.txt, or the usual place if it names none, into the frontier like any URL. */
  seedSitemaps(state: UrlState, url: CrawlUrl, entry: RobotsEntry): Promise<void> | undefined {
    const { definition, canonicalize } = nameByRecords(this.target.context, toCrawlUrl(state.url));
    // Of a host on which another one names a sitemap, nobody has asked for more.
    if (!definition.crawlSitemaps || this.seededEntries.has(entry) || isNamedElsewhere(state, url)) return undefined;
    // The links of such a root wait for approval; so do its site's sitemaps.
    if (findRoot(this.target.context, state.root, undefined)?.followLinks === false) return undefined;
    const namedSitemaps = entry.policy.robots.sitemaps;
    const sitemapUrls = namedSitemaps.length > 0 ? namedSitemaps : ['/sitemap.xml'];
    const robotsTxt = `${getOrigin(url)}/robots.txt`;
    const canonicalUrls = sitemapUrls.flatMap((sitemapUrl) => canonicalize(sitemapUrl, robotsTxt) ?? []);
    const urls = canonicalUrls
      .filter((sitemapUrl) => /^https?$/.test(sitemapUrl.scheme) && this.mayReadSitemap(state, sitemapUrl))
      .map((sitemapUrl) => ({
        ...toNewUrl(state, sitemapUrl.href, this.services.clock.now()),
        key: computeUrlKey(sitemapUrl.href),
        hostKey: getHostKey(sitemapUrl),
        source: SITEMAPS,
        discoveredVia: 'robots' as const,
        hops: 0,
      }));
    return this.services.discovery.discover(urls).then(() => void this.seededEntries.add(entry));
  }

  /** A host decides that what the rules ignore is read as a sitemap only if that is its own. */
  private mayReadSitemap(state: UrlState, url: CrawlUrl): boolean {
    const reason = findSitemapObjection(this.target.context, state, url);
    const now = this.services.clock.now();
    if (reason) this.target.refused.add({ url: url.href, hostKey: getHostKey(url), reason }, state.url, now);
    return reason === undefined;
  }
}

const toNewUrl = (state: UrlState, url: string, dueAt: Instant): Omit<NewUrl, 'key' | 'hostKey'> => ({
  crawler: state.crawler,
  url,
  status: 'waiting',
  reason: 'discovered',
  hops: state.hops + 1,
  redirects: 0,
  discoveredVia: 'link',
  foundOn: state.url,
  root: state.root,
  dueAt,
});

/** Whether the link waits for approval. */
const isListed = ({ reason }: RefusedLink): boolean => reason === 'links-not-followed';

/** What a sitemap redirects to is a sitemap, or nothing that anybody has linked to. */
const followProbe = ({ discoveredVia }: UrlState, link: DiscoveredLink): Pick<NewUrl, 'source' | 'discoveredVia'> =>
  discoveredVia === 'robots' && link.discoveredVia === 'redirect'
    ? { source: SITEMAPS, discoveredVia: 'robots' }
    : { source: link.source, discoveredVia: link.discoveredVia };

/**
 * Whether the page is a hub, one that has changed before: another change suggests that the pages it links to have
 * changed, too.
 */
export const isHub = ({ changes, stamp }: UrlState, { definition }: CrawlContext): boolean =>
  definition.refresh.hubs && changes > 0 && stamp !== undefined;
