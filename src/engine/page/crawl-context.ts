import { type AclReader, compileAclInSteps } from '../../domain/content/acl.js';
import type { ContentDefinition } from '../../domain/content/content-definition.js';
import { compileFields, type FieldReader } from '../../domain/content/fields.js';
import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { UrlOptions } from '../../domain/crawl/policy-definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { compileSoftErrors, type SoftErrorMatcher } from '../../domain/fetch/soft-errors.js';
import { type CrawlPolicy, compilePolicy } from '../../domain/policy/crawl-policy.js';
import type { ReasonCode } from '../../domain/policy/reasons.js';
import {
  createRemovedRoot,
  createRootContext,
  findLikelyRoot,
  isOnSite,
  moveSiteBack,
} from '../../domain/policy/site-mode.js';
import type { Candidate, RootContext } from '../../domain/policy/verdict.js';
import { SINK_TYPES } from '../../domain/push/sink-types.js';
import { forEachInSteps, runAtOnce, type Steps } from '../../domain/steps.js';
import { type Canonicalizer, createCanonicalizer } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';

/** One crawler's definition, compiled with everything that is needed to judge and read its pages. */
export interface CrawlContext {
  readonly definition: CrawlerDefinition;
  readonly fetcher: FetcherDefinition;
  /** Fetchers by name: an option may choose a different one for some URLs. */
  readonly fetchers: ReadonlyMap<string, FetcherDefinition>;
  readonly policy: CrawlPolicy;
  readonly canonicalize: Canonicalizer;
  readonly softErrors: SoftErrorMatcher | undefined;
  /** True if a sink of this crawler indexes the extracted text; the Push API server extracts its own from the bytes. */
  readonly wantsText: boolean;
  /** True if a sink of this crawler reads the bytes of documents. */
  readonly wantsBytes: boolean;
  /** True if a sink of this crawler accepts the text of documents that are not pages. */
  readonly wantsDocumentText: boolean;
  readonly roots: KnownRoots;
  /** The canonical URLs of the roots that the configuration names. */
  readonly configuredRoots: ReadonlySet<string>;
  /** The other crawlers that push to a sink of this one. */
  readonly others: readonly { readonly name: string; readonly roots: KnownRoots }[];
  /** Content definitions by name; the one for all pages has no name. */
  readonly contents: ReadonlyMap<string | undefined, CompiledContent>;
  /** Determines who may see a page. */
  readonly readAcl: AclReader | undefined;
  /** True if hubs named by feeds are wanted (WebSub). */
  readonly asksHubs: boolean;
}

export interface CompiledContent {
  readonly definition: ContentDefinition;
  readonly readFields: FieldReader | undefined;
}

/** The definition of what is extracted from a page; undefined if the page is taken as is. */
export const findContent = ({ contents }: CrawlContext, { content }: UrlOptions): CompiledContent | undefined =>
  contents.get(content);

/** The fetcher for a URL with these options. */
export const findFetcher = ({ fetcher, fetchers }: CrawlContext, options: UrlOptions): FetcherDefinition =>
  options.fetcher === undefined ? fetcher : (fetchers.get(options.fetcher) ?? fetcher);

/**
 * Finds the root that led to a URL by its name. If it has none, or the root was removed, finds a root on whose site the
 * URL is.
 */
export function findRoot(
  context: CrawlContext,
  name: string | undefined,
  url: CrawlUrl | undefined,
): RootContext | undefined {
  const knownRoot =
    (name === undefined ? undefined : findKnownRoot(context, name)) ?? (url && context.roots.findBySite(url));
  return knownRoot ?? (name === undefined ? undefined : createRemovedRoot(toCrawlUrl(name)));
}

/** Finds the root with that name, which may date from different canonicalization steps. */
export const findKnownRoot = ({ roots, canonicalize }: CrawlContext, name: string): RootContext | undefined =>
  roots.get(name) ?? roots.get(canonicalize(name)?.href ?? name);

/** Whether a sitemap is one that the robots.txt of another host names. */
export const isNamedElsewhere = (
  { discoveredVia, foundOn }: Partial<Pick<UrlState, 'discoveredVia' | 'foundOn'>>,
  url: CrawlUrl,
): boolean =>
  discoveredVia === 'robots' && foundOn !== undefined && getHostKey(toCrawlUrl(foundOn)) !== getHostKey(url);

/** The candidate for a stored URL that is judged again. */
export const toStoredCandidate = (
  { discoveredVia, hops, foundOn }: Pick<UrlState, 'discoveredVia' | 'hops'> & Partial<Pick<UrlState, 'foundOn'>>,
  url: CrawlUrl,
  root: RootContext | undefined,
): Candidate => ({
  url,
  discoveredVia: discoveredVia === 'root' ? 'root' : 'stored',
  isNamedSitemap: discoveredVia === 'robots',
  isNamedElsewhere: isNamedElsewhere({ discoveredVia, foundOn }, url),
  root,
  hops,
});

/** The fetcher of a stored URL. */
export function findFetcherOf(context: CrawlContext, state: UrlState): FetcherDefinition {
  const url = toCrawlUrl(state.url);
  const { effects } = context.policy.judge(toStoredCandidate(state, url, findRoot(context, state.root, url)));
  return findFetcher(context, effects.options);
}

/** Why a sitemap is not read that the robots.txt of the page's host names; undefined if it is, as all on that host are. */
export function findSitemapObjection(
  context: CrawlContext,
  page: Pick<UrlState, 'url' | 'root'>,
  url: CrawlUrl,
): ReasonCode | undefined {
  const found = { discoveredVia: 'robots', foundOn: page.url, hops: 0 } as const;
  if (!isNamedElsewhere(found, url)) return undefined;
  const verdict = context.policy.judge(toStoredCandidate(found, url, findRoot(context, page.root, undefined)));
  return verdict.accepted ? undefined : verdict.reason;
}

/** The link by which a URL that has not been found yet would most likely be found; on the page `from` if it is given. */
export const createLikelyLink = ({ roots }: CrawlContext, url: CrawlUrl, from?: CrawlUrl): Candidate => ({
  url,
  discoveredVia: 'link',
  from,
  root: roots.findLikely(from ?? url),
  hops: 1,
});

/** @throws PolicyError, listing all problems, when the definition does not compile */
export const compileContexts = (definition: ServerDefinition): Map<string, CrawlContext> =>
  runAtOnce(compileContextsInSteps(definition));

export function* compileContextsInSteps(definition: ServerDefinition): Steps<Map<string, CrawlContext>> {
  const contexts = new Map<string, CrawlContext & { others: CrawlContext['others'][number][] }>();
  for (const crawler of definition.crawlers) contexts.set(crawler.name, yield* compileContext(crawler, definition));
  for (const context of contexts.values()) context.others.push(...findOthers(context, contexts.values()));
  return contexts;
}

const findOthers = ({ definition }: CrawlContext, all: Iterable<CrawlContext>): CrawlContext['others'] =>
  [...all]
    .filter(({ definition: { name } }) => name !== definition.name)
    .filter((other) => other.definition.pushTo.some((sink) => definition.pushTo.includes(sink)))
    .map((other) => ({ name: other.definition.name, roots: other.roots }));

/** The other crawler whose roots cover the URL; undefined if none does. */
export const findCoveringCrawler = ({ others }: CrawlContext, url: CrawlUrl): string | undefined =>
  others.find(({ roots }) => roots.cover(url))?.name;

/** The crawler to which the URL belongs, if that is another one: its roots cover the URL, and none of this one does. */
export const findOwner = (context: CrawlContext, url: CrawlUrl): string | undefined =>
  context.others.length === 0 || context.roots.cover(url) ? undefined : findCoveringCrawler(context, url);

function* compileContext(crawler: CrawlerDefinition, server: ServerDefinition) {
  const fetcher = server.fetchers.find((candidate) => candidate.name === crawler.fetcher);
  if (!fetcher) throw new Error(`crawler ${crawler.name} names the fetcher ${crawler.fetcher}, which is not defined`);
  const destinations = server.sinks.filter(({ name }) => crawler.pushTo.includes(name));
  const canonicalize = createCanonicalizer(crawler.canonicalization);
  const roots = new KnownRoots();
  yield* forEachInSteps(crawler.roots, (root) => {
    const url = canonicalize(root.url);
    if (url) roots.set(url.href, createRootContext(root, url));
  });
  const sinks = destinations.map(({ type }) => SINK_TYPES[type]);
  return {
    definition: crawler,
    fetcher,
    fetchers: new Map(server.fetchers.map((candidate) => [candidate.name, candidate])),
    policy: compilePolicy(crawler, server.globalCrawlSpace),
    canonicalize,
    softErrors: crawler.softErrors.length > 0 ? compileSoftErrors(crawler.softErrors) : undefined,
    wantsText: crawler.keepTexts !== undefined || sinks.some(({ wantsText }) => wantsText),
    wantsBytes: sinks.some(({ wantsBytes }) => wantsBytes),
    wantsDocumentText: destinations.some((sink) => sink.type === 'papi' && sink.options.documentText !== 'omit'),
    roots,
    configuredRoots: new Set(roots.keys()) as ReadonlySet<string>,
    others: [] as { readonly name: string; readonly roots: KnownRoots }[],
    contents: compileContents(crawler.contents ?? []),
    readAcl: crawler.acl && (yield* compileAclInSteps(crawler.acl)),
    asksHubs: server.webSub !== undefined,
  };
}

function compileContents(definitions: readonly ContentDefinition[]): CrawlContext['contents'] {
  return new Map(definitions.map((definition) => [definition.name, compileContent(definition)]));
}

export const compileContent = (definition: ContentDefinition): CompiledContent => ({
  definition,
  readFields: definition.fields.length === 0 ? undefined : compileFields(definition.fields),
});

/** A crawler's roots by canonical URL: configured ones, and submitted ones as they arrive. */
export class KnownRoots extends Map<string, RootContext> {
  /** An index by host: there may be as many roots as URLs on their sites, and each URL may look one up. */
  #byHost: Map<string, RootContext[]> | undefined;
  /** The same by the hosts on which the roots themselves are, wherever their sites have moved. */
  #byOwnHost: Map<string, RootContext[]> | undefined;

  override set(url: string, root: RootContext): this {
    if (this.has(url)) {
      this.#byHost = this.#byOwnHost = undefined;
    } else {
      if (this.#byHost) addByHost(this.#byHost, root);
      if (this.#byOwnHost) addByHost(this.#byOwnHost, moveSiteBack(root));
    }
    return super.set(url, root);
  }

  override delete(url: string): boolean {
    this.#byHost = this.#byOwnHost = undefined;
    return super.delete(url);
  }

  /** Whether the URL is on the own site of a root, or, for a root without site mode, on its host. */
  cover(url: CrawlUrl): boolean {
    this.#byOwnHost ??= groupByHost([...this.values()].map(moveSiteBack));
    const roots = this.#byOwnHost.get(url.host) ?? [];
    return roots.some((root) => (root.site || root.entireSite ? isOnSite(root, url) : root.url.port === url.port));
  }

  /** The root from which a URL that has not been found yet would most likely be found. */
  findLikely(url: CrawlUrl): RootContext | undefined {
    return findLikelyRoot(this.values(), url);
  }

  /** The first root in site mode whose site contains the URL. */
  findBySite(url: CrawlUrl): RootContext | undefined {
    this.#byHost ??= groupByHost(this.values());
    return this.#byHost.get(url.host)?.find((root) => isOnSite(root, url));
  }
}

function groupByHost(roots: Iterable<RootContext>): Map<string, RootContext[]> {
  const byHost = new Map<string, RootContext[]>();
  for (const root of roots) addByHost(byHost, root);
  return byHost;
}

function addByHost(byHost: Map<string, RootContext[]>, root: RootContext): void {
  const hosts = root.site ? root.sitePrefixes.map((prefix) => toCrawlUrl(prefix).host) : [root.url.host];
  for (const host of new Set(hosts)) {
    const group = byHost.get(host);
    if (group) group.push(root);
    else byHost.set(host, [root]);
  }
}
