/**
 * Finds what a page declares besides its text: robots directives, the base of its links, its canonical URL, and whether
 * it redirects visitors elsewhere.
 */
import { isMachineReadableType } from '../../domain/content/alternates.js';
import type { UrlOptions } from '../../domain/crawl/policy-definition.js';
import type { HttpResponse } from '../../domain/fetch/outcome.js';
import { parseRobotsDirectives, type RobotsDirectives } from '../../domain/robots/robots-directives.js';
import { toMetaName } from '../../domain/signals/meta-names.js';
import { findSearchProhibition, type Preference, readPreferences } from '../../domain/signals/usage-preferences.js';
import type { Instant } from '../../domain/time/units.js';
import { resolveBaseUrl } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, getOrigin } from '../../domain/url/crawl-url.js';
import { MAX_REDIRECT_DELAY, parseRefresh } from '../../domain/url/refresh-target.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageTask } from '../ports/page-task.js';
import { type CrawlContext, findFetcher } from './crawl-context.js';
import { parseLinkHeader } from './header-parameters.js';

const OBEY_NOTHING: RobotsDirectives = { index: true, follow: true, archive: true, terms: [] };

/** Whether the page's robots directives are obeyed; robots.txt is checked before the page is requested. */
export const obeysPageDirectives = ({ definition }: CrawlContext, { obeyRobots }: UrlOptions): boolean =>
  obeyRobots ?? !definition.linkRules.rogue;

export function findDirectives(
  context: CrawlContext,
  options: UrlOptions,
  response: HttpResponse,
  metas: PageContent['robotsMetas'],
): RobotsDirectives {
  if (!obeysPageDirectives(context, options)) return OBEY_NOTHING;
  const header = response.headers['x-robots-tag'];
  return parseRobotsDirectives(metas, header ? header.split('\n') : [], findFetcher(context, options).robotsAgent);
}

/** What a site says about the use of a page. */
export interface Terms {
  readonly directives: RobotsDirectives;
  /** Usage preferences, then the directives that are kept, as metas of the document. */
  readonly metas: readonly Preference[];
  /** Why the page may not be indexed. */
  readonly prohibition?: 'noindex' | 'unavailable-after' | 'search-not-allowed';
}

/** @param content if absent, only the headers and robots.txt are considered */
export function findTerms(
  context: CrawlContext,
  options: UrlOptions,
  response: HttpResponse,
  { task, content }: { readonly task: PageTask; readonly content?: PageContent },
): Terms {
  const directives = findDirectives(context, options, response, content?.robotsMetas ?? []);
  const robotsPreferences = (task.robotsPreferences ?? []).map(({ field, value }) => ({
    name: toMetaName(field),
    value,
  }));
  const pagePreferences = readPreferences(response.headers, content?.metas ?? []);
  const preferences = robotsPreferences.length === 0 ? pagePreferences : [...pagePreferences, ...robotsPreferences];
  const metas = directives.terms.length === 0 ? preferences : [...preferences, ...directives.terms];
  return {
    directives,
    metas,
    prohibition: obeysPageDirectives(context, options)
      ? findIndexingProhibition(directives, preferences, task.now)
      : undefined,
  };
}

function findIndexingProhibition(
  { index, unavailableAfter }: RobotsDirectives,
  preferences: readonly Preference[],
  now: Instant,
): Terms['prohibition'] {
  if (!index) return 'noindex';
  if (unavailableAfter !== undefined && unavailableAfter <= now) return 'unavailable-after';
  return preferences.length > 0 && findSearchProhibition(preferences) ? 'search-not-allowed' : undefined;
}

export const resolveBase = (pageUrl: string, { base }: PageContent): string => resolveBaseUrl(pageUrl, base);

/** The canonical URL that the page names, if it is not its own. If a page names several by mistake, none is used. */
export function findCanonical(
  context: CrawlContext,
  url: CrawlUrl,
  base: string,
  response: HttpResponse,
  content: PageContent,
): CrawlUrl | undefined {
  const elements = content.links.filter((link) => link.kind === 'canonical');
  const headerLinks = parseHeaderLinks(response).filter((link) => link.relation === 'canonical');
  const [canonical, ...others] = [
    ...elements.map(({ href }) => context.canonicalize(href, base)),
    ...headerLinks.map(({ href }) => context.canonicalize(href, url.href)),
  ].filter((candidate) => candidate !== undefined);
  if (canonical === undefined || canonical.href === url.href) return undefined;
  return others.every(({ href }) => href === canonical.href) ? canonical : undefined;
}

const FOLLOWED_RELATIONS = new Set(['next', 'prev', 'alternate', 'canonical']);

/** The targets in the HTTP Link header (RFC 8288) whose relation is also followed in HTML, and that of Refresh. */
export function parseHeaderLinks(response: HttpResponse): { href: string; relation: string; delay?: number }[] {
  const header = response.headers['link'] ?? '';
  const refresh = parseRefresh(response.headers['refresh']?.slice(0, 16_384) ?? '');
  const links: ReturnType<typeof parseHeaderLinks> =
    refresh === undefined ? [] : [{ href: refresh.target, relation: 'refresh', delay: refresh.delay }];
  for (const { href, parameters } of parseLinkHeader(header.slice(0, 16_384))) {
    // An anchor means that the link does not lead from this page.
    if (parameters.get('anchor')) continue;
    const relations = parameters.get('rel')?.trim().toLowerCase().split(/\s+/);
    const followedRelation = relations?.find((relation) => FOLLOWED_RELATIONS.has(relation));
    if (followedRelation === 'alternate' && isMachineReadableType(parameters.get('type'))) continue;
    if (followedRelation) links.push({ href, relation: followedRelation });
  }
  return links;
}

/** A page in which refreshes are looked for. */
interface ReadPage {
  readonly url: CrawlUrl;
  /** The base of the page's relative links. */
  readonly base: string;
  readonly response: HttpResponse;
  readonly content: PageContent;
}

/** Finds the other site to which the home page of a site root redirects visitors by a refresh, if there is one. */
export function findHomePageRedirect(context: CrawlContext, page: ReadPage): CrawlUrl | undefined {
  const root = context.roots.get(page.url.href);
  if (!root?.site) return undefined;
  const target = findRefreshTarget(context, page)?.target;
  return target && getOrigin(target) !== getOrigin(page.url) ? target : undefined;
}

/** Finds the other URL to which a page redirects visitors before they can read it, if there is one. */
export function findQuickRefresh(context: CrawlContext, page: ReadPage): CrawlUrl | undefined {
  const refresh = findRefreshTarget(context, page);
  if (refresh?.delay === undefined || refresh.delay > MAX_REDIRECT_DELAY) return undefined;
  return /^https?$/.test(refresh.target.scheme) && refresh.target.href !== page.url.href ? refresh.target : undefined;
}

function findRefreshTarget(
  { canonicalize }: CrawlContext,
  { url, base, response, content }: ReadPage,
): { readonly target: CrawlUrl; readonly delay: number | undefined } | undefined {
  const hasRefreshHeader = response.headers['refresh'] !== undefined;
  const header = hasRefreshHeader ? parseHeaderLinks(response).find((link) => link.relation === 'refresh') : undefined;
  const refresh = header ?? content.links.find((link) => link.kind === 'meta-refresh');
  const target = refresh && canonicalize(refresh.href, header ? url.href : base);
  return target && { target, delay: refresh.delay };
}
