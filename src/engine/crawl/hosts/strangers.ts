/**
 * Whose URL is it? A page may name any number of URLs of another host. These are charged to strangers: together they take
 * at most a tenth of a host's limits, and wait behind the URLs that the host names itself.
 */
import { BoundedMap } from '../../../domain/bounded-map.js';
import { isPlainAddress } from '../../../domain/content/exact-duplicates.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../../domain/frontier/sources.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { NewUrl } from '../../ports/frontier-store.js';
import type { LoadDomains } from './politeness-groups.js';

/** The source of strangers' URLs, whose visits a host's own pages go before: see `HostWindow`. */
export const STRANGERS_SOURCE: SourceNumber = 4;
/** The source in which a host's own URLs wait that would otherwise wait among those of strangers. */
export const OWN_SOURCE: SourceNumber = 3;

/** Strangers' share of a limit, but always a few, so that a small limit does not keep other hosts from linking at all. */
export const getStrangersLimit = (limit: number): number => Math.min(limit, Math.max(FEW, Math.floor(limit / 10)));
/** Up to this many strangers' URLs of a host without any of its own are queued like its own: most hosts are found by links from others. */
export const FEW = 10;

type Named = Pick<NewUrl, 'url' | 'foundOn' | 'discoveredVia'> | Pick<UrlState, 'url' | 'foundOn' | 'discoveredVia'>;

const MAX_DOMAINS = 10_000;

export class Strangers {
  private readonly domains = new BoundedMap<string, string>(MAX_DOMAINS);
  private domainOf: ((hostname: string) => string | undefined) | undefined;

  constructor(private readonly loadDomains: LoadDomains) {}

  /** Whether a page of another registrable domain has named the URL; a promise only if it is on another host. */
  areNaming(link: Named): false | Promise<boolean> {
    const page = getOtherHost(link);
    return page !== undefined && this.differ(page, toCrawlUrl(link.url).host);
  }

  /** Of several addresses of one page, the lowest is kept: strangers can make up spellings, so the site's own and plain ones go first. */
  async rank(link: Named): Promise<number> {
    return !(await this.areNaming(link)) ? 0 : isPlainAddress(link.url) ? 1 : 2;
  }

  /** Whether the hosts belong to different registrable domains. */
  async differ(host: string, otherHost: string): Promise<boolean> {
    if (host === otherHost) return false;
    await this.load();
    return this.findDomain(host) !== this.findDomain(otherHost);
  }

  /** The same for a URL that `areNaming` has already judged; false if no domains were needed so far. */
  haveNamed(link: Named): boolean {
    const page = getOtherHost(link);
    return (
      page !== undefined &&
      this.domainOf !== undefined &&
      this.findDomain(page) !== this.findDomain(toCrawlUrl(link.url).host)
    );
  }

  /** To be awaited before `getDomain` is called. */
  async load(): Promise<void> {
    this.domainOf ??= await this.loadDomains();
  }

  /** The registrable domain of a URL's host, or the host if it has none. */
  getDomain(url: string): string {
    return this.findDomain(toCrawlUrl(url).host);
  }

  private findDomain(host: string): string {
    const known = this.domains.get(host);
    if (known !== undefined) return known;
    const domain = this.domainOf!(host) ?? host;
    this.domains.set(host, domain);
    return domain;
  }
}

/** Ways in which a host can name URLs of another one; its robots.txt can name any number of sitemaps. */
const NAMED: ReadonlySet<UrlState['discoveredVia']> = new Set(['link', 'redirect', 'sitemap', 'robots']);

/** The host of the page that names the URL, if it is another one. */
function getOtherHost({ url, foundOn, discoveredVia }: Named): string | undefined {
  if (foundOn === undefined || !NAMED.has(discoveredVia)) return undefined;
  const slashes = url.indexOf('//') + 2;
  const end = url.indexOf('/', slashes) + 1;
  // The same origin, which is nearly every link.
  if (end > 0 && foundOn.startsWith(url.slice(0, end))) return undefined;
  const page = toCrawlUrl(foundOn).host;
  return withoutWww(page) === withoutWww(toCrawlUrl(url).host) ? undefined : page;
}

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host);
