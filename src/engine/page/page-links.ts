/** Decides which links of a page, feed or sitemap are followed, and what they inherit. */
import { isDirectoryListing, isSortLink } from '../../domain/content/directory-listing.js';
import { hashWords } from '../../domain/content/vocabulary.js';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import type { FeedHub } from '../../domain/signals/websub.js';
import type { PageContent, PageReader, SitemapContent } from '../ports/page-reader.js';
import type { PageOutcome, PageResult, PageTask } from '../ports/page-task.js';
import { findRoot } from './crawl-context.js';
import { parseLinkHeader } from './header-parameters.js';
import type { LinkCollector } from './link-collector.js';
import { obeysPageDirectives, parseHeaderLinks } from './page-reading.js';
import type { RequestedPage } from './requested-page.js';

const MAX_SITEMAP_ENTRIES = 50_000;

/** XML that may list URLs for programs, as opposed to pages and drawings. */
const LIST_TYPE = /[/+]xml$/;
const OTHER_XML = /^(?:application\/xhtml|image\/svg)\+xml$/;

/** Reads a response that lists URLs for programs, whatever its name; undefined if it is none. */
export function readUrlList(
  { task, context, url }: RequestedPage,
  { body, headers }: HttpResponse,
  mediaType: string,
  reader: PageReader,
): { readonly sitemap: SitemapContent } | { readonly feed: SitemapContent } | undefined {
  const isNamed = task.discoveredVia === 'robots';
  const isExpected = isNamed || isSitemapName(url.path);
  if (!isExpected && (!LIST_TYPE.test(mediaType) || OTHER_XML.test(mediaType))) return undefined;
  const list = reader.readSitemap(body, headers['content-type'], MAX_SITEMAP_ENTRIES);
  if (!list || (list.kind === 'text' && !isExpected)) return undefined;
  if (list.kind === 'feed' && !isNamed) return { feed: list };
  return context.definition.crawlSitemaps ? { sitemap: list } : undefined;
}

/** Whether a sitemap that robots.txt names, or that was guessed, redirects here. */
export const isBehindProbe = ({ discoveredVia, redirects }: PageTask): boolean =>
  discoveredVia === 'robots' && redirects > 0;

function isSitemapName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /\.xml(?:\.gz)?$/i.test(name) && /sitemap/i.test(name);
}

export function followSitemap(
  { task, url }: RequestedPage,
  { kind, entries }: SitemapContent,
  collector: LinkCollector,
): PageOutcome {
  for (const { url: entry, lastModified } of entries) {
    if (kind === 'index') collector.addSitemap(entry, task.discoveredVia);
    else collector.add(entry, url.href, 'sitemap', lastModified);
  }
  return { kind: 'sitemap', entries: entries.length };
}

/**
 * Follows a feed's links with the dates of their last changes; returns the hub that reports changes, if there is one.
 */
export function followFeed(
  { context, effects, url }: RequestedPage,
  feed: SitemapContent | undefined,
  { headers }: HttpResponse,
  collector: LinkCollector,
): FeedHub | undefined {
  if (!feed || !context.definition.crawlSitemaps || !effects.follow) return undefined;
  for (const { url: entry, lastModified } of feed.entries) collector.add(entry, url.href, 'sitemap', lastModified);
  return context.asksHubs ? findHub(feed, headers, url.href) : undefined;
}

/** The Link header takes precedence over the feed. */
function findHub(feed: SitemapContent, headers: HttpResponse['headers'], base: string): FeedHub | undefined {
  const links = parseLinkHeader(headers['link'] ?? '');
  const findByRelation = (relation: string): string | undefined =>
    links.find(({ parameters }) => parameters.get('rel')?.toLowerCase() === relation)?.href;
  const hub = URL.parse(findByRelation('hub') ?? feed.hub ?? '')?.href;
  const topic = URL.parse(findByRelation('self') ?? feed.self ?? base, base)?.href;
  return hub === undefined || topic === undefined ? undefined : { hub, topic };
}

/** A page whose links are to be collected. */
export interface LinkingPage {
  readonly response: HttpResponse;
  readonly content: PageContent;
  /** The base of the page's relative links. */
  readonly base: string;
  /** Whether the page's robots directives allow its links to be followed. */
  readonly allowed: boolean;
}

/** Collects the page's links. Returns the hashes of its words, if they are needed. */
export function followLinks(
  page: RequestedPage,
  linkingPage: LinkingPage,
  collector: LinkCollector,
): Int32Array | undefined {
  const { task, context, effects, url } = page;
  const { response, content, base, allowed } = linkingPage;
  if (!effects.follow && !task.inspect) {
    // If a root's links wait for approval, they are reported, not queued.
    if (findRoot(context, task.root, url)?.followLinks === false)
      for (const { kind, href } of content.links)
        if (kind !== 'canonical') refuseLink(page, href, base, 'links-not-followed', collector);
    return undefined;
  }
  const obeysDirectives = obeysPageDirectives(context, effects.options);
  const isListing = context.definition.leaveOut.directoryListings && isDirectoryListing(content, url);
  for (const link of content.links) {
    if (link.kind === 'canonical') continue;
    if (isListing && isSortLink(link.href)) refuseLink(page, link.href, base, 'directory-listing', collector);
    else if (allowed && !(link.nofollow && obeysDirectives)) collector.add(link.href, base);
    else refuseLink(page, link.href, base, 'nofollow', collector);
  }
  if (allowed) for (const link of parseHeaderLinks(response)) collector.add(link.href, url.href);
  const { wantsWords } = task;
  // A page without possibly new links does not lead into a trap, so its words are not needed.
  return wantsWords && collector.links.length > 0
    ? hashWords(`${content.title} ${content.text}`, wantsWords)
    : undefined;
}

/** Reports samples of the links beyond a page's limit as refused. */
export function reportCutLinks(
  page: RequestedPage,
  { content: { cutLinks }, base }: LinkingPage,
  collector: LinkCollector,
): { count: number; most: number } | undefined {
  if (!cutLinks || !page.effects.follow) return undefined;
  for (const { href } of cutLinks.samples) refuseLink(page, href, base, 'links-cut', collector);
  return { count: cutLinks.count, most: page.context.definition.traps.maxLinksPerPage };
}

function refuseLink(
  { context }: RequestedPage,
  href: string,
  base: string,
  reason: ReasonCode,
  collector: LinkCollector,
): void {
  const url = context.canonicalize(href, base);
  if (url) collector.refuse(url, reason);
}

/** Returns the collected links with the metas that they inherit. */
export function addInheritedMetas(page: RequestedPage, collector: LinkCollector): PageResult['links'] {
  const inherited = selectInheritableMetas(page);
  return collector.links.map((link) => {
    const inheritedMetas = link.inheritedMetas ? [...inherited, ...link.inheritedMetas] : inherited;
    return { ...link, inheritedMetas };
  });
}

/** Metas with scope="links": those of this page and those that it inherited. */
function selectInheritableMetas({ task, effects }: RequestedPage): PageTask['inheritedMetas'] {
  const ownMetas = effects.metas.filter((meta) => meta.scope === 'links');
  const inherited = task.inheritedMetas;
  if (ownMetas.length === 0 && inherited.length === 0) return inherited;
  const remaining = inherited.filter(
    ({ name, scope }) => scope === undefined && !ownMetas.some((ownMeta) => ownMeta.name === name),
  );
  return [...remaining, ...ownMetas.map(({ name, value }) => ({ name, value }))];
}
