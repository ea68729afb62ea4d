import { assignSource, SITEMAPS } from '../../domain/frontier/sources.js';
import type { Reason, ReasonCode } from '../../domain/policy/reasons.js';
import { moveSiteBack } from '../../domain/policy/site-mode.js';
import type { Candidate, LayerName, RootContext, Verdict } from '../../domain/policy/verdict.js';
import { type CrawlUrl, getHostKey, isHashRoute } from '../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { DiscoveredLink, PageTask, RefusedLink } from '../ports/page-task.js';
import type { CrawlContext } from './crawl-context.js';
import type { LinkMemory, WrittenLinks } from './link-memory.js';

/**
 * Whether a layer's verdict depends on the page that the link is on; the other layers reject a link because of its URL
 * alone.
 */
const DEPENDS_ON_PAGE: Readonly<Record<LayerName, boolean>> = {
  'link-rules': true,
  'site-mode': true,
  'crawl-space': false,
  'server-records': true,
  conditions: true,
  'crawl-rules': false,
};

/** V8 gives all longer strings of one length the same hash: looking up thousands of them in a set takes minutes. */
const MAX_LOOKUP_LENGTH = 16_383;

/** Maximum number of characters in the refused links that one page reports; 40,000 links are usually shorter. */
const MAX_REFUSED_LENGTH = 4_000_000;

type LinkDiscoveredVia = Exclude<DiscoveredLink['discoveredVia'], 'robots'>;

export interface PageOrigin {
  readonly url: CrawlUrl;
  readonly root: RootContext | undefined;
  readonly hops: number;
  /** A sitemap that robots.txt names speaks for the site that does so, wherever it is. */
  readonly isNamedSitemap?: boolean;
}

/** Judges the links of one page and collects the results, each URL once. */
export class LinkCollector {
  readonly links: DiscoveredLink[] = [];
  readonly refused: RefusedLink[] = [];
  private readonly seenLinks = new Set<string>();
  private refusedLength = 0;
  private cachedLinks: { readonly base: string; readonly links: WrittenLinks } | undefined;

  constructor(
    private readonly context: CrawlContext,
    private readonly memory: LinkMemory,
    private page: PageOrigin,
  ) {}

  /**
   * To be called if the page is not a redirect: a home page's links belong to its own site again, whichever site it
   * redirected to before.
   */
  restoreSite(): void {
    const { root, url } = this.page;
    if (root?.formerPrefixes && root.url.href === url.href) this.page = { ...this.page, root: moveSiteBack(root) };
  }

  add(raw: string, base: string, discoveredVia: LinkDiscoveredVia = 'link', lastModified?: string): void {
    if (raw.length > MAX_LOOKUP_LENGTH) {
      this.addLongLink(raw, base, discoveredVia, lastModified);
      return;
    }
    const hashIndex = raw.indexOf('#');
    const link = hashIndex < 0 || isHashRoute(raw.slice(hashIndex + 1)) ? raw : raw.slice(0, hashIndex);
    if (link === '' && base === this.page.url.href) return;
    const knownLink = discoveredVia === 'link' ? this.getWrittenLinks(base).get(link) : undefined;
    if (knownLink === 'handed on' || this.seenLinks.has(raw)) return;
    this.seenLinks.add(raw);
    // A link with a fragment is judged again, as rules may examine the fragment.
    if (!knownLink || link !== raw || this.mayAcceptBySite(knownLink))
      this.addWrittenLink(raw, link, base, discoveredVia, lastModified);
    else if (knownLink.url !== this.page.url.href) this.report(knownLink);
  }

  /** Whether the site of this page's root may accept a link that no rule accepted on a page of another root. */
  private mayAcceptBySite({ reason }: RefusedLink): boolean {
    const { root } = this.page;
    return reason === 'not-accepted' && root !== undefined && (root.site || root.entireSite);
  }

  /**
   * Adds a sitemap named by a sitemap index that robots.txt or the operator names. On the index's host, it is requested
   * like one named by robots.txt, whatever the policy says about documents, since its URLs are judged individually.
   */
  addSitemap(raw: string, index: PageTask['discoveredVia']): void {
    const url = this.context.canonicalize(raw, this.page.url.href);
    if (!url || url.href === this.page.url.href) return;
    const isTrusted = index === 'robots' || index === 'root';
    const isNamed = isTrusted && getHostKey(url) === getHostKey(this.page.url) && /^https?$/.test(url.scheme);
    const verdict = this.context.policy.judge(this.toCandidate(url, 'sitemap'));
    if (isNamed || verdict.accepted) this.links.push(this.toDiscoveredLink(url, 'robots', verdict));
    else this.refuse(url, verdict.reason, verdict.record);
  }

  private addLongLink(raw: string, base: string, discoveredVia: LinkDiscoveredVia, lastModified?: string): void {
    const url = this.resolve(raw, base);
    if (url) this.collect(url, discoveredVia, lastModified);
  }

  private addWrittenLink(
    raw: string,
    link: string,
    base: string,
    discoveredVia: LinkDiscoveredVia,
    lastModified?: string,
  ): void {
    const url = this.resolve(raw, base);
    if (!url) return;
    const previousCount = this.refused.length;
    const verdict = this.collect(url, discoveredVia, lastModified);
    const writtenLinks = this.getWrittenLinks(base);
    if (this.isOwn(url) && this.isReported(url)) writtenLinks.addReported(link);
    else if (link === raw && verdict?.layer && !DEPENDS_ON_PAGE[verdict.layer] && this.refused.length > previousCount)
      writtenLinks.addRefused(link, this.refused.at(-1)!);
  }

  /** The page's own URL need not be parsed once more; one with escapes may be of a version that normalized fewer. */
  private resolve(raw: string, base: string): CrawlUrl | undefined {
    const { url } = this.page;
    return this.context.canonicalize(raw, base === url.href && !/[#%]/.test(base) ? url : base);
  }

  /** Returns the reason why the URL is refused, or undefined if it is accepted or already known. */
  addUrl(url: CrawlUrl, discoveredVia: LinkDiscoveredVia): ReasonCode | undefined {
    return this.collect(url, discoveredVia)?.reason;
  }

  /** Collects the link if the policy accepts it; otherwise returns the verdict that refuses it. */
  private collect(url: CrawlUrl, discoveredVia: LinkDiscoveredVia, lastModified?: string): Verdict | undefined {
    if (discoveredVia === 'link' && (url.href === this.page.url.href || this.isReported(url))) return undefined;
    const verdict = this.context.policy.judge(this.toCandidate(url, discoveredVia));
    if (!verdict.accepted) {
      this.refuse(url, verdict.reason, verdict.record);
      return verdict;
    }
    if (url.href.length <= MAX_LOOKUP_LENGTH) this.memory.markReported(url.href, this.isOwn(url));
    this.links.push(this.toDiscoveredLink(url, discoveredVia, verdict, lastModified));
    return undefined;
  }

  refuse(url: CrawlUrl, reason: Reason, record = false): void {
    this.report({ url: url.href, hostKey: getHostKey(url), reason, record });
  }

  private report(link: RefusedLink): void {
    this.refusedLength += link.url.length + link.hostKey.length;
    if (this.refusedLength <= MAX_REFUSED_LENGTH) this.refused.push(link);
  }

  private isReported(url: CrawlUrl): boolean {
    return url.href.length <= MAX_LOOKUP_LENGTH && this.memory.isReported(url.href, this.isOwn(url));
  }

  private isOwn({ host }: CrawlUrl): boolean {
    return host === this.page.url.host;
  }

  private getWrittenLinks(base: string): WrittenLinks {
    if (this.cachedLinks?.base !== base) this.cachedLinks = { base, links: this.memory.getWrittenLinks(base) };
    return this.cachedLinks.links;
  }

  private toCandidate(url: CrawlUrl, discoveredVia: LinkDiscoveredVia): Candidate {
    const hops = discoveredVia === 'redirect' ? this.page.hops : this.page.hops + 1;
    const { root, isNamedSitemap } = this.page;
    const from = isNamedSitemap && root?.url.host === url.host ? root.url : this.page.url;
    return { url, discoveredVia, from, root, hops };
  }

  /** The metas of rules that match only because of the fragment, which is not part of the URL when it is crawled. */
  private findFragmentMetas(
    url: CrawlUrl,
    discoveredVia: DiscoveredLink['discoveredVia'],
    { effects: { metas } }: Verdict,
  ): DiscoveredLink['inheritedMetas'] {
    if (metas.length === 0 || discoveredVia === 'robots') return undefined;
    const metasWithoutFragment = this.context.policy.judge(this.toCandidate({ ...url, fragment: '' }, discoveredVia))
      .effects.metas;
    const fragmentMetas = metas.filter((meta) => !metasWithoutFragment.includes(meta));
    return fragmentMetas.length === 0
      ? undefined
      : fragmentMetas.map(({ name, value, scope }) => ({
          name,
          value,
          ...(scope === 'links' ? {} : { scope: 'document' as const }),
        }));
  }

  private toDiscoveredLink(
    url: CrawlUrl,
    discoveredVia: DiscoveredLink['discoveredVia'],
    verdict: Verdict,
    lastModified?: string,
  ): DiscoveredLink {
    return {
      url: url.href,
      key: computeUrlKey(url.href),
      hostKey: getHostKey(url),
      source:
        discoveredVia === 'robots'
          ? SITEMAPS
          : assignSource(discoveredVia, verdict.effects, verdict.effects.priorityShift),
      discoveredVia,
      inheritedMetas: url.fragment === '' ? undefined : this.findFragmentMetas(url, discoveredVia, verdict),
      lastModified,
    };
  }
}
