/**
 * What a body says about itself beyond its text: robots directives, where its links point from, whether another URL is
 * the canonical one, whether it sends the visitor elsewhere.
 */
import { isForPrograms } from '../../domain/content/alternates.js';
import type { UrlOptions } from '../../domain/crawl/definition.js';
import { type RobotsDirectives, robotsDirectives } from '../../domain/robots/robots-directives.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import { origin } from '../../domain/url/crawl-url.js';
import { refreshTarget } from '../../domain/url/refresh-target.js';
import type { PageContent } from '../ports/page-reader.js';
import type { CrawlContext } from './crawl-context.js';
import type { HttpAnswer } from './page-outcome.js';

const OBEY_NOTHING: RobotsDirectives = { index: true, follow: true, archive: true };

/** Whether what the page says to robots counts; robots.txt is judged before the page is asked for. */
export const obeysPage = ({ definition }: CrawlContext, { obeyRobots }: UrlOptions): boolean =>
  obeyRobots ?? !definition.linkRules.rogue;

export function directivesOf(
  context: CrawlContext,
  options: UrlOptions,
  answer: HttpAnswer,
  metas: PageContent['robotsMetas'],
): RobotsDirectives {
  if (!obeysPage(context, options)) return OBEY_NOTHING;
  const header = answer.headers['x-robots-tag'];
  return robotsDirectives(metas, header ? header.split('\n') : [], context.fetcher.robotsAgent);
}

/** Every link of a page is as long as its base at least, so that one of a megabyte would cost a gigabyte. */
const LONGEST_BASE = 16_383;

/** The URL that relative links of the page start from: `<base href>`, or the page itself. */
export function baseOf(address: string, content: PageContent): string {
  if (content.base === undefined) return address;
  const base = URL.parse(content.base, address);
  if (!base || base.href.length > LONGEST_BASE) return address;
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : address;
}

/** The canonical URL that the page names, when it is another one. A page that names several has a slip in it, and none counts. */
export function canonicalOf(
  context: CrawlContext,
  url: CrawlUrl,
  base: string,
  answer: HttpAnswer,
  content: PageContent,
): CrawlUrl | undefined {
  const elements = content.links.filter((link) => link.kind === 'canonical');
  const header = headerLinks(answer).filter((link) => link.relation === 'canonical');
  const [canonical, ...more] = [
    ...elements.map(({ href }) => context.canonicalize(href, base)),
    ...header.map(({ href }) => context.canonicalize(href, url.href)),
  ].filter((named) => named !== undefined);
  if (canonical === undefined || canonical.href === url.href) return undefined;
  return more.every(({ href }) => href === canonical.href) ? canonical : undefined;
}

const LINK_HEADER = /<([^<>]{1,2048})>\s*((?:;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]+))?\s*)+)/g;
const RELATION = /;\s*rel\s*=\s*["']?([^"';,]+)/i;
const TYPE = /;\s*type\s*=\s*"?([^";,]+)/i;
const FOLLOWED_RELATIONS = new Set(['next', 'prev', 'alternate', 'canonical']);

/** Targets of the HTTP Link header (RFC 8288) whose relation is one that is followed in HTML too, and that of Refresh. */
export function headerLinks(answer: HttpAnswer): { href: string; relation: string }[] {
  const header = answer.headers['link'] ?? '';
  const refresh = refreshTarget(answer.headers['refresh']?.slice(0, 16_384) ?? '');
  const links = refresh === undefined ? [] : [{ href: refresh, relation: 'refresh' }];
  for (const match of header.slice(0, 16_384).matchAll(LINK_HEADER)) {
    const relation = RELATION.exec(match[2]!)?.[1]?.trim().toLowerCase();
    const followed = relation?.split(/\s+/).find((word) => FOLLOWED_RELATIONS.has(word));
    if (followed === 'alternate' && isForPrograms(TYPE.exec(match[2]!)?.[1])) continue;
    if (followed) links.push({ href: match[1]!, relation: followed });
  }
  return links;
}

/** The other site that a site root's home page sends its visitors to by a refresh, when it does. */
export function movedHome(
  context: CrawlContext,
  url: CrawlUrl,
  base: string,
  answer: HttpAnswer,
  content: PageContent,
): CrawlUrl | undefined {
  const root = context.roots.get(url.href);
  if (!root?.site) return undefined;
  const header = headerLinks(answer).find((link) => link.relation === 'refresh');
  const refresh = header ?? content.links.find((link) => link.kind === 'meta-refresh');
  const target = refresh && context.canonicalize(refresh.href, header ? url.href : base);
  return target && origin(target) !== origin(url) ? target : undefined;
}
