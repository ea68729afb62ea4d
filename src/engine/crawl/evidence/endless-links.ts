/**
 * Keeps a crawler out of a site's endless parts: once the pages of a pattern no longer bring anything new, links from
 * such pages to other URLs of endless patterns are no longer followed. Links from anywhere else still are.
 */
import { EndlessPatterns, MAX_BARREN_PAGES } from '../../../domain/crawl/endless-patterns.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { toGrowingPattern } from '../../../domain/url/url-pattern.js';
import type { NewUrl, Settings } from '../../ports/frontier-store.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageTask } from '../../ports/page-task.js';
import type { Strangers } from '../hosts/strangers.js';

export const ENDLESS_REASON = 'trap-endless-pattern';

/**
 * Selects one URL in sixteen, by the upper four bits of its hashed id (Fibonacci hashing): the lower bits are the same
 * for all URLs of a host in a shared database.
 */
export const isSampled = (id: number): boolean => Math.imul(id, 0x9e3779b1) >>> 28 === 0;

/**
 * Up to this many links from the root, a number on a page is considered something new (Heritrix follows no more links
 * than this). An endless chain becomes deep, and its pages differ only in their numbers; a large site has all its pages
 * within a few links, and there only pages with exactly the same words are considered endless, such as those under ever
 * new session ids.
 */
const MAX_SHALLOW_HOPS = 20;

export interface EndlessServices {
  readonly store: Settings;
  readonly processor: Pick<PageProcessor, 'forget'>;
}

const NONE: ReadonlySet<NewUrl> = new Set();

/** The stored data of a host: its endless patterns and the limit under which they were found. */
interface StoredPatterns {
  readonly limit: number;
  readonly patterns: readonly string[];
}

export class EndlessLinks {
  private patterns: EndlessPatterns;
  private restoring: Promise<void> | undefined;

  constructor(
    private readonly crawler: string,
    private readonly services: EndlessServices,
    private readonly getLimit: () => number,
    private readonly strangers: Pick<Strangers, 'haveNamed'>,
  ) {
    this.patterns = new EndlessPatterns(getLimit);
  }

  /** Decides which of the page's words are needed to tell whether it brings something new; undefined if none. */
  async findNeededWords({ hostKey, url, hops }: UrlState): Promise<PageTask['wantsWords']> {
    this.restoring ??= this.restore().catch((error: unknown) => {
      this.restoring = undefined;
      throw error;
    });
    await this.restoring;
    if (!this.patterns.isWatched(hostKey, url)) return undefined;
    return hops > MAX_SHALLOW_HOPS ? 'without numbers' : 'with numbers';
  }

  /**
   * True if the URL need not be visited for the first time, because it was found before its pattern turned out to be
   * endless. A sample of such URLs is visited anyway, to see whether they bring something new by now.
   */
  shouldSkip({ id, hostKey, url, discoveredVia, visits, foundOn }: UrlState): boolean {
    if (visits > 0 || discoveredVia !== 'link' || foundOn === undefined || isSampled(id)) return false;
    return this.patterns.isEndless(hostKey, url) && this.patterns.isEndless(hostKey, foundOn);
  }

  /**
   * Passes those links of a page that are to be followed to `discover`, and the others to `refuse`. Returns the new
   * ones.
   */
  async discoverLinks(
    page: UrlState,
    words: Int32Array | undefined,
    links: NewUrl[],
    { discover, refuse }: { discover(links: NewUrl[]): Promise<UrlState[]>; refuse(link: NewUrl): void },
  ): Promise<UrlState[]> {
    const isJudged = words !== undefined && this.patterns.isWatched(page.hostKey, page.url);
    const suspicious =
      isJudged && this.patterns.isEndless(page.hostKey, page.url) ? this.selectEndlessLinks(links) : NONE;
    const newUrls = await discover(suspicious.size === 0 ? links : links.filter((link) => !suspicious.has(link)));
    for (const newUrl of newUrls)
      if (newUrl.discoveredVia === 'link' && !this.strangers.haveNamed(newUrl))
        this.patterns.countNewUrl(newUrl.hostKey, newUrl.url);
    // What strangers have made up says nothing about the site's own pages.
    if (!isJudged || (page.visits === 0 && this.strangers.haveNamed(page))) return newUrls;
    const isProductive = await this.recordPage(page, words, newUrls);
    const suspiciousLinks = links.filter((link) => suspicious.has(link));
    if (isProductive) return [...newUrls, ...(await discover(suspiciousLinks))];
    for (const link of suspiciousLinks) refuse(link);
    // These links are accepted if found on another page, so they must not be recorded as reported.
    if (suspiciousLinks.length > 0)
      this.services.processor.forget(
        this.crawler,
        suspiciousLinks.map(({ url }) => url),
      );
    return newUrls;
  }

  /** Explains why further URLs like this one are not accepted from each other's pages; undefined if they are. */
  findObjection(hostKey: string, url: string): string | undefined {
    if (!this.patterns.isEndless(hostKey, url)) return undefined;
    return `there are ${this.getLimit()} or more URLs like ${toGrowingPattern(url)}, and the last ${MAX_BARREN_PAGES} of them brought nothing new: no words and no links`;
  }

  /**
   * To be called when hosts have been taken over from another node or stored URLs were cleared: the endless patterns
   * are then read from the store again.
   */
  reset(): void {
    this.patterns = new EndlessPatterns(this.getLimit);
    this.restoring = undefined;
  }

  private selectEndlessLinks(links: readonly NewUrl[]): Set<NewUrl> {
    return new Set(
      links.filter(
        ({ discoveredVia, hostKey, url }) => discoveredVia === 'link' && this.patterns.isEndless(hostKey, url),
      ),
    );
  }

  private async recordPage(page: UrlState, words: Int32Array, newUrls: readonly UrlState[]): Promise<boolean> {
    const { hostKey, url } = page;
    const ownPattern = toGrowingPattern(url);
    const ledToNewPages = newUrls.some(
      (newUrl) => toGrowingPattern(newUrl.url) !== ownPattern && !this.isOfEndlessPattern(newUrl),
    );
    const { isProductive, endlessChanged } = this.patterns.recordPage({
      hostKey,
      url,
      words,
      firstVisit: page.visits === 0,
      linksToNewPages: ledToNewPages,
    });
    if (endlessChanged) await this.savePatterns(hostKey);
    return isProductive;
  }

  private isOfEndlessPattern({ hostKey, url }: UrlState): boolean {
    return this.patterns.isEndless(hostKey, url);
  }

  private async savePatterns(hostKey: string): Promise<void> {
    const patterns = this.patterns.listEndlessPatterns(hostKey);
    const record: StoredPatterns = { limit: this.getLimit(), patterns };
    await this.services.store.putSetting(
      `${this.prefix}${hostKey}`,
      patterns.length === 0 ? undefined : JSON.stringify(record),
    );
  }

  private async restore(): Promise<void> {
    for (const [name, text] of await this.services.store.listSettings(this.prefix)) {
      const { limit, patterns } = JSON.parse(text) as StoredPatterns;
      // Patterns found under another limit are dropped, so that a changed limit takes effect.
      if (limit === this.getLimit()) this.patterns.restore(name.slice(this.prefix.length), patterns);
    }
  }

  private get prefix(): string {
    return `endless/${this.crawler}/`;
  }
}
