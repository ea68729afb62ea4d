/**
 * Layer 2, the site mode of the root that led here (CloudView `site="true"`; FDSE "Index Entire Site", which is
 * stricter). It concerns the URLs found from a root; the root's own URL is not judged.
 */
import type { RootDefinition } from '../crawl/definition.js';
import { parseAddress } from '../net/address.js';
import { type CrawlUrl, getOrigin, toCrawlUrl } from '../url/crawl-url.js';
import { isRoot, type Layer, type Rejection } from './layer.js';
import type { Candidate, RootContext, TraceStep } from './verdict.js';

export function createSiteModeLayer(): Layer {
  return {
    name: 'site-mode',
    judge(candidate, draft, trace) {
      const root = candidate.root;
      if (!root || (!root.site && !root.entireSite)) {
        trace?.push({ layer: 'site-mode', test: describeInapplicability(candidate), outcome: 'not configured' });
        return undefined;
      }
      if (isRoot(candidate) || isKeptInStore(candidate)) {
        draft.isOnSite = !root.removed;
        trace?.push({ layer: 'site-mode', test: describeInapplicability(candidate), outcome: 'not configured' });
        return undefined;
      }
      const rejection =
        findOutsideSiteRejection(candidate, root, trace) ?? findOutsideDirectoryRejection(candidate, root, trace);
      draft.isOnSite = !rejection && !root.removed;
      return rejection;
    },
  };
}

/** Removing a root does not remove anything that the rules accept. */
const isKeptInStore = ({ discoveredVia, root }: Candidate): boolean =>
  discoveredVia === 'stored' && root?.removed === true;

function describeInapplicability(candidate: Candidate): string {
  if (isRoot(candidate)) return 'site mode does not apply to the root itself';
  if (isKeptInStore(candidate)) return `root ${candidate.root?.url.href} was removed, but stored URLs stay`;
  return candidate.root ? `root ${candidate.root.url.href} is not in site mode` : 'no root is known for the URL';
}

function findOutsideSiteRejection(candidate: Candidate, root: RootContext, trace?: TraceStep[]): Rejection | undefined {
  if (!root.site) return undefined;
  if (isSiteMove(candidate)) {
    trace?.push({
      layer: 'site-mode',
      test: `home page ${root.url.href} redirects here, so the site moves here`,
      outcome: 'accept',
    });
    return undefined;
  }
  const prefixes = selectPrefixes(candidate, root);
  const isInside = startsWithAny(candidate.url.href, prefixes);
  trace?.push({
    layer: 'site-mode',
    test: `begins with ${prefixes.join(' or ')}`,
    outcome: isInside ? 'accept' : 'reject',
    reason: isInside ? undefined : 'outside-site',
  });
  if (isInside) return undefined;
  const removedNote = root.removed ? ' (removed, but its limits remain)' : '';
  const detail = `not on the site of root ${root.url.href}${removedNote}: it does not begin with ${prefixes.join(' or ')}`;
  return { layer: 'site-mode', reason: 'outside-site', place: root.place, detail };
}

/** Stored URLs of a site that has moved stay as long as they respond, because the move may be temporary. */
const selectPrefixes = (
  { discoveredVia }: Candidate,
  { sitePrefixes, formerPrefixes = [] }: RootContext,
): readonly string[] => (discoveredVia === 'stored' ? [...sitePrefixes, ...formerPrefixes] : sitePrefixes);

function findOutsideDirectoryRejection(
  candidate: Candidate,
  root: RootContext,
  trace?: TraceStep[],
): Rejection | undefined {
  if (!root.entireSite) return undefined;
  const directory = getDirectory(root.url);
  const isInside = candidate.url.href.startsWith(directory, candidate.url.scheme.length);
  trace?.push({
    layer: 'site-mode',
    test: `is in directory ${root.url.scheme}${directory}`,
    outcome: isInside ? 'accept' : 'reject',
    reason: isInside ? undefined : 'outside-directory',
  });
  if (isInside) return undefined;
  const detail = `not in ${root.url.scheme}${directory}, the directory of root ${root.url.href}`;
  return { layer: 'site-mode', reason: 'outside-directory', place: root.place, detail };
}

/** A root's metas reach every URL below it through this context, so pages need not pass them on. */
export function createRootContext(definition: RootDefinition, url: CrawlUrl): RootContext {
  return {
    url,
    place: definition.place,
    site: definition.site,
    entireSite: definition.entireSite,
    sitePrefixes: definition.site ? computeSitePrefixes(url.href) : [],
    group: definition.group,
    metas: definition.metas.map((meta) => ({ ...meta, scope: 'document' as const })),
    followLinks: definition.followLinks,
    priority: definition.priority,
  };
}

/**
 * Whether a crawl starts from the root: one in the configuration, or one that stands for its site. Other submitted URLs
 * are lists of pages.
 */
export const isStart = (root: RootContext | undefined): boolean =>
  root !== undefined && !root.removed && (root.place !== undefined || root.site || root.entireSite);

/** Represents a root that no longer exists: removing it must not lift the limits on what was found from it. */
export function createRemovedRoot(url: CrawlUrl): RootContext {
  const definition = { url: url.href, site: true, entireSite: false, priority: 0, metas: [], followLinks: true };
  return { ...createRootContext(definition, url), removed: true };
}

/**
 * Computes the URL prefixes that make up the site of a root: `http://foo.com/bar` is its own prefix; `http://foo.com`
 * means foo.com and www.foo.com, over http and https. A port applies only to the scheme with which it is written.
 */
export function computeSitePrefixes(rootUrl: string): string[] {
  const url = toCrawlUrl(rootUrl);
  if ((url.path !== '/' && url.path !== '') || url.query !== '') return [rootUrl];
  const isSingleHost = url.host.startsWith('www.') || parseAddress(url.host) !== undefined;
  const hosts = isSingleHost ? [url.host] : [url.host, `www.${url.host}`];
  const schemes = url.port === '' ? ['http', 'https'] : [url.scheme];
  const portSuffix = url.port === '' ? '' : `:${url.port}`;
  return schemes.flatMap((scheme) => hosts.map((host) => `${scheme}://${host}${portSuffix}/`));
}

/** Whether the URL is on the site of a root with site mode. */
export function isOnSite(root: RootContext, url: CrawlUrl): boolean {
  if (!root.site && !root.entireSite) return false;
  if (root.site && !startsWithAny(url.href, root.sitePrefixes)) return false;
  return !root.entireSite || url.href.startsWith(getDirectory(root.url), url.scheme.length);
}

/**
 * Finds the root from which a URL that has not been found yet would most likely be found: one whose site contains it,
 * or one without site mode, preferably on its server; no other root would accept it.
 */
export function findLikelyRoot(roots: Iterable<RootContext>, url: CrawlUrl): RootContext | undefined {
  const allRoots = [...roots];
  const isOnServer = (root: RootContext): boolean => root.url.host === url.host && root.url.port === url.port;
  const unrestrictedRoots = allRoots.filter((root) => !root.site && !root.entireSite);
  return (
    allRoots.find((root) => isOnSite(root, url)) ??
    unrestrictedRoots.find(isOnServer) ??
    unrestrictedRoots[0] ??
    allRoots.find(isOnServer) ??
    allRoots[0]
  );
}

/** Whether the home page of a site redirects to another site, which is then crawled instead. */
export function isSiteMove(candidate: Candidate): boolean {
  const { root, url } = candidate;
  if (!root?.site || root.removed || candidate.discoveredVia !== 'redirect' || candidate.hops !== 0) return false;
  return !startsWithAny(url.href, root.sitePrefixes);
}

/**
 * Moves the root's site to the target of its home page's redirect: the whole host if the root was a whole host;
 * otherwise the target without a file name: `/en/` if a home page `/docs/` moves to `/en/index.html`.
 */
export function moveSite(root: RootContext, target: CrawlUrl): RootContext {
  const isWholeHost = root.url.path === '/' && root.url.query === '';
  const prefixes = isWholeHost ? computeSitePrefixes(`${getOrigin(target)}/`) : [stripFileName(target)];
  return { ...root, sitePrefixes: prefixes, formerPrefixes: root.formerPrefixes ?? root.sitePrefixes };
}

/** Restores the root's own site once its home page no longer redirects. */
export function moveSiteBack(root: RootContext): RootContext {
  const { formerPrefixes, ...rest } = root;
  return formerPrefixes === undefined ? root : { ...rest, sitePrefixes: formerPrefixes };
}

/** The root's own site beside the one to which it has moved: it is not known yet which of them stays. */
export const reopenSite = (root: RootContext): RootContext => ({
  ...root,
  sitePrefixes: [...root.sitePrefixes, ...(root.formerPrefixes ?? [])],
});

function stripFileName(url: CrawlUrl): string {
  const fileName = url.path.slice(url.path.lastIndexOf('/') + 1);
  const path = fileName.includes('.') ? url.path.slice(0, -fileName.length) : url.path;
  return getOrigin(url) + path;
}

/** Directory of the root document, without scheme: http and https of one host are one site. */
function getDirectory(url: CrawlUrl): string {
  const path = url.path.slice(0, url.path.lastIndexOf('/') + 1);
  return getOrigin(url).slice(url.scheme.length) + path;
}

function startsWithAny(text: string, prefixes: readonly string[]): boolean {
  for (const prefix of prefixes) if (text.startsWith(prefix)) return true;
  return false;
}
