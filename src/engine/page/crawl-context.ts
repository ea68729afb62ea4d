import type { CrawlerDefinition, FetcherDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { compileSoftErrors, type SoftErrorMatcher } from '../../domain/fetch/soft-errors.js';
import { type CrawlPolicy, compilePolicy } from '../../domain/policy/crawl-policy.js';
import { removedRoot, rootContext } from '../../domain/policy/site-mode.js';
import type { Candidate, RootContext } from '../../domain/policy/verdict.js';
import { type Canonicalizer, canonicalizer } from '../../domain/url/canonicalize.js';
import { type CrawlUrl, crawlUrl } from '../../domain/url/crawl-url.js';
import { KnownRoots } from './known-roots.js';

/** One crawler's definition with everything compiled that judging and reading its pages needs. */
export interface CrawlContext {
  readonly definition: CrawlerDefinition;
  readonly fetcher: FetcherDefinition;
  readonly policy: CrawlPolicy;
  readonly canonicalize: Canonicalizer;
  readonly softErrors: SoftErrorMatcher | undefined;
  /** A sink of this crawler indexes the extracted text; the Push API server extracts its own from the bytes. */
  readonly wantsText: boolean;
  readonly roots: KnownRoots;
}

/** The root that led to a URL, by its name; undefined when none did. */
export function rootOf({ roots }: CrawlContext, name: string | undefined): RootContext | undefined {
  return name === undefined ? undefined : (roots.get(name) ?? removedRoot(crawlUrl(name)));
}

/** A URL that is stored already, as it is judged again. */
export const storedCandidate = (
  { arrival, hops }: Pick<UrlState, 'arrival' | 'hops'>,
  url: CrawlUrl,
  root: RootContext | undefined,
): Candidate => ({
  url,
  arrival: arrival === 'root' ? 'root' : 'stored',
  isNamedSitemap: arrival === 'robots',
  root,
  hops,
});

/** Throws PolicyError, with all problems, when the definition does not compile. */
export function compileContexts(definition: ServerDefinition): Map<string, CrawlContext> {
  return new Map(definition.crawlers.map((crawler) => [crawler.name, compileContext(crawler, definition)]));
}

function compileContext(crawler: CrawlerDefinition, server: ServerDefinition): CrawlContext {
  const fetcher = server.fetchers.find((candidate) => candidate.name === crawler.fetcher);
  if (!fetcher) throw new Error(`crawler ${crawler.name} names the fetcher ${crawler.fetcher}, which is not defined`);
  const canonicalize = canonicalizer(crawler.canonicalization);
  const roots = new KnownRoots();
  for (const root of crawler.roots) {
    const url = canonicalize(root.url);
    if (url) roots.set(url.href, rootContext(root, url));
  }
  return {
    definition: crawler,
    fetcher,
    policy: compilePolicy(crawler, server.globalCrawlSpace),
    canonicalize,
    softErrors: crawler.softErrors.length > 0 ? compileSoftErrors(crawler.softErrors) : undefined,
    wantsText: server.sinks.some((sink) => crawler.pushTo.includes(sink.name) && sink.type !== 'papi'),
    roots,
  };
}
