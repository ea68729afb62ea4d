/**
 * Finds what a body says besides its text: robots directives, the base of its links, its canonical URL, and whether it
 * sends visitors elsewhere.
 */
import { isMachineReadableType } from '../../domain/content/alternates.js';
import type { UrlOptions } from '../../domain/crawl/policy-definition.js';
import { parseRobotsDirectives, type RobotsDirectives } from '../../domain/robots/robots-directives.js';
import { toMetaName } from '../../domain/signals/meta-names.js';
import { findSearchProhibition, type Preference, readPreferences } from '../../domain/signals/usage-preferences.js';
import type { Instant } from '../../domain/time/units.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import { getOrigin } from '../../domain/url/crawl-url.js';
import { parseRefresh, QUICK_REFRESH } from '../../domain/url/refresh-target.js';
import type { PageContent } from '../ports/page-reader.js';
import type { PageTask } from '../ports/page-task.js';
import { type CrawlContext, findFetcher } from './crawl-context.js';
import { parseLinkHeader } from './link-header.js';
import type { HttpAnswer } from './page-outcome.js';

const OBEY_NOTHING: RobotsDirectives = { index: true, follow: true, archive: true, terms: [] };

/** Whether the page's robots directives are obeyed; robots.txt is checked before the page is requested. */
export const obeysPageDirectives = ({ definition }: CrawlContext, { obeyRobots }: UrlOptions): boolean =>
  obeyRobots ?? !definition.linkRules.rogue;

export function findDirectives(
  context: CrawlContext,
  options: UrlOptions,
  answer: HttpAnswer,
  metas: PageContent['robotsMetas'],
): RobotsDirectives {
  if (!obeysPageDirectives(context, options)) return OBEY_NOTHING;
  const header = answer.headers['x-robots-tag'];
  return parseRobotsDirectives(metas, header ? header.split('\n') : [], findFetcher(context, options).robotsAgent);
}

/** What a site says about the use of a page. */
export interface Terms {
  readonly directives: RobotsDirectives;
  /** Usage preferences, then the directives that are kept, as metas of the document. */
  readonly metas: readonly Preference[];
  /** Why the page may not be indexed. */
  readonly forbids?: 'noindex' | 'unavailable-after' | 'search-not-allowed';
}

/** @param content without it, only the headers and robots.txt count */
export function findTerms(
  context: CrawlContext,
  options: UrlOptions,
  answer: HttpAnswer,
  { task, content }: { readonly task: PageTask; readonly content?: PageContent },
): Terms {
  const directives = findDirectives(context, options, answer, content?.robotsMetas ?? []);
  const inRobots = (task.robotsPreferences ?? []).map(({ field, value }) => ({ name: toMetaName(field), value }));
  const stated = readPreferences(answer.headers, content?.metas ?? []);
  const preferences = inRobots.length === 0 ? stated : [...stated, ...inRobots];
  const metas = directives.terms.length === 0 ? preferences : [...preferences, ...directives.terms];
  return {
    directives,
    metas,
    forbids: obeysPageDirectives(context, options)
      ? findIndexingProhibition(directives, preferences, task.now)
      : undefined,
  };
}

function findIndexingProhibition(
  { index, unavailableAfter }: RobotsDirectives,
  preferences: readonly Preference[],
  now: Instant,
): Terms['forbids'] {
  if (!index) return 'noindex';
  if (unavailableAfter !== undefined && unavailableAfter <= now) return 'unavailable-after';
  return preferences.length > 0 && findSearchProhibition(preferences) ? 'search-not-allowed' : undefined;
}

/** Every resolved link is at least as long as the page's base: a base of a megabyte could cost gigabytes. */
const LONGEST_BASE = 16_383;

/** The base of the page's relative links: `<base href>`, or the page's own URL. */
export function resolveBase(address: string, content: PageContent): string {
  if (content.base === undefined) return address;
  const base = URL.parse(content.base, address);
  if (!base || base.href.length > LONGEST_BASE) return address;
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : address;
}

/** The canonical URL that the page names, if it is not its own. If a page names several by mistake, none counts. */
export function findCanonical(
  context: CrawlContext,
  url: CrawlUrl,
  base: string,
  answer: HttpAnswer,
  content: PageContent,
): CrawlUrl | undefined {
  const elements = content.links.filter((link) => link.kind === 'canonical');
  const header = parseHeaderLinks(answer).filter((link) => link.relation === 'canonical');
  const [canonical, ...more] = [
    ...elements.map(({ href }) => context.canonicalize(href, base)),
    ...header.map(({ href }) => context.canonicalize(href, url.href)),
  ].filter((named) => named !== undefined);
  if (canonical === undefined || canonical.href === url.href) return undefined;
  return more.every(({ href }) => href === canonical.href) ? canonical : undefined;
}

const FOLLOWED_RELATIONS = new Set(['next', 'prev', 'alternate', 'canonical']);

/** The targets in the HTTP Link header (RFC 8288) whose relation is also followed in HTML, and that of Refresh. */
export function parseHeaderLinks(answer: HttpAnswer): { href: string; relation: string; delay?: number }[] {
  const header = answer.headers['link'] ?? '';
  const refresh = parseRefresh(answer.headers['refresh']?.slice(0, 16_384) ?? '');
  const links: ReturnType<typeof parseHeaderLinks> =
    refresh === undefined ? [] : [{ href: refresh.target, relation: 'refresh', delay: refresh.delay }];
  for (const { href, parameters } of parseLinkHeader(header.slice(0, 16_384))) {
    // An anchor means that the link does not lead from this page.
    if (parameters.get('anchor')) continue;
    const relations = parameters.get('rel')?.trim().toLowerCase().split(/\s+/);
    const followed = relations?.find((word) => FOLLOWED_RELATIONS.has(word));
    if (followed === 'alternate' && isMachineReadableType(parameters.get('type'))) continue;
    if (followed) links.push({ href, relation: followed });
  }
  return links;
}

/** A page in which refreshes are looked for. */
interface ReadPage {
  readonly url: CrawlUrl;
  /** The base of the page's relative links. */
  readonly base: string;
  readonly answer: HttpAnswer;
  readonly content: PageContent;
}

/** The other site to which a site root's home page sends visitors by a refresh, if it does. */
export function findMovedHome(context: CrawlContext, page: ReadPage): CrawlUrl | undefined {
  const root = context.roots.get(page.url.href);
  if (!root?.site) return undefined;
  const target = findRefreshTarget(context, page)?.target;
  return target && getOrigin(target) !== getOrigin(page.url) ? target : undefined;
}

/** The other URL to which a page sends visitors before they could read it, if it does. */
export function findQuickRefresh(context: CrawlContext, page: ReadPage): CrawlUrl | undefined {
  const refresh = findRefreshTarget(context, page);
  if (refresh?.delay === undefined || refresh.delay > QUICK_REFRESH) return undefined;
  return /^https?$/.test(refresh.target.scheme) && refresh.target.href !== page.url.href ? refresh.target : undefined;
}

function findRefreshTarget(
  { canonicalize }: CrawlContext,
  { url, base, answer, content }: ReadPage,
): { readonly target: CrawlUrl; readonly delay: number | undefined } | undefined {
  const inHeader = answer.headers['refresh'] !== undefined;
  const header = inHeader ? parseHeaderLinks(answer).find((link) => link.relation === 'refresh') : undefined;
  const refresh = header ?? content.links.find((link) => link.kind === 'meta-refresh');
  const target = refresh && canonicalize(refresh.href, header ? url.href : base);
  return target && { target, delay: refresh.delay };
}
