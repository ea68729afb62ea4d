/**
 * Keeps a crawler out of a site's endless parts: once the pages of a pattern no longer bring anything new, links from
 * such pages to other URLs of endless patterns are no longer followed. Links from anywhere else still are.
 */
import { BARREN_PAGES, EndlessPatterns } from '../../../domain/crawl/endless-patterns.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { toUrlPattern } from '../../../domain/url/url-pattern.js';
import type { NewUrl, Settings } from '../../ports/frontier-store.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { PageTask } from '../../ports/page-task.js';

export const ENDLESS_REASON = 'trap-endless-pattern';

/**
 * One URL in sixteen, by the upper four bits of its hashed id (Fibonacci hashing): the lower bits are the same for all URLs of a
 * host in a shared database.
 */
const isSampled = (id: number): boolean => Math.imul(id, 0x9e3779b1) >>> 28 === 0;

/**
 * Up to this many links from the root, a number on a page counts as something new (Heritrix follows no more links than
 * this). An endless chain becomes deep, and its pages differ only in their numbers; a large site has all its pages
 * within a few links, and there only pages with exactly the same words are endless, such as those under ever new
 * sessions.
 */
const SHALLOW = 20;

export interface EndlessServices {
  readonly store: Settings;
  readonly processor: Pick<PageProcessor, 'forget'>;
}

/** What the store keeps for a host: its endless patterns and the limit under which they were found. */
interface Kept {
  readonly limit: number;
  readonly patterns: readonly string[];
}

export class EndlessLinks {
  private patterns: EndlessPatterns;
  private restored: Promise<void> | undefined;

  constructor(
    private readonly crawler: string,
    private readonly services: EndlessServices,
    private readonly limit: () => number,
  ) {
    this.patterns = new EndlessPatterns(limit);
  }

  /** Which of the page's words are needed to tell whether it brings something new; undefined if none. */
  async findNeededWords({ hostKey, url, hops }: UrlState): Promise<PageTask['wantsWords']> {
    this.restored ??= this.restore().catch((error: unknown) => {
      this.restored = undefined;
      throw error;
    });
    await this.restored;
    if (!this.patterns.isWatched(hostKey, url)) return undefined;
    return hops > SHALLOW ? 'without numbers' : 'with numbers';
  }

  /**
   * Whether the URL's first visit is not worth a request, because the URL was found before its pattern turned out to be
   * endless. A sample is visited nevertheless, to see whether there is something new by now.
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
    const judged = words !== undefined && this.patterns.isWatched(page.hostKey, page.url);
    const suspicious =
      judged && this.patterns.isEndless(page.hostKey, page.url) ? this.selectEndlessLinks(links) : new Set();
    const stored = await discover(links.filter((link) => !suspicious.has(link)));
    for (const { discoveredVia, hostKey, url } of stored)
      if (discoveredVia === 'link') this.patterns.countNewUrl(hostKey, url);
    if (!judged) return stored;
    const brings = await this.recordPage(page, words, stored);
    const held = links.filter((link) => suspicious.has(link));
    if (brings) return [...stored, ...(await discover(held))];
    for (const link of held) refuse(link);
    // These links are accepted if found on another page, so they must not count as reported.
    if (held.length > 0)
      this.services.processor.forget(
        this.crawler,
        held.map(({ url }) => url),
      );
    return stored;
  }

  /** Why further URLs like this one are not accepted from each other's pages; undefined if they are. */
  findObjection(hostKey: string, url: string): string | undefined {
    if (!this.patterns.isEndless(hostKey, url)) return undefined;
    return `there are ${this.limit()} or more URLs like ${toUrlPattern(url)}, and the last ${BARREN_PAGES} of them brought nothing new: no words and no links`;
  }

  /**
   * To be called when hosts have been taken over from another node or stored URLs were cleared: what is known of
   * endless patterns is read again.
   */
  forget(): void {
    this.patterns = new EndlessPatterns(this.limit);
    this.restored = undefined;
  }

  private selectEndlessLinks(links: readonly NewUrl[]): Set<NewUrl> {
    return new Set(
      links.filter(
        ({ discoveredVia, hostKey, url }) => discoveredVia === 'link' && this.patterns.isEndless(hostKey, url),
      ),
    );
  }

  private async recordPage(page: UrlState, words: Int32Array, stored: readonly UrlState[]): Promise<boolean> {
    const { hostKey, url } = page;
    const own = toUrlPattern(url);
    const ledOn = stored.some((found) => toUrlPattern(found.url) !== own && !this.isEndless(found));
    const { brings, turned } = this.patterns.recordPage({ hostKey, url, words, firstVisit: page.visits === 0, ledOn });
    if (turned) await this.savePatterns(hostKey);
    return brings;
  }

  private isEndless({ hostKey, url }: UrlState): boolean {
    return this.patterns.isEndless(hostKey, url);
  }

  private async savePatterns(hostKey: string): Promise<void> {
    const patterns = this.patterns.listEndlessPatterns(hostKey);
    const kept: Kept = { limit: this.limit(), patterns };
    await this.services.store.putSetting(
      `${this.prefix}${hostKey}`,
      patterns.length === 0 ? undefined : JSON.stringify(kept),
    );
  }

  private async restore(): Promise<void> {
    for (const [name, text] of await this.services.store.listSettings(this.prefix)) {
      const { limit, patterns } = JSON.parse(text) as Kept;
      // A person who changed the limit wants to see its effect.
      if (limit === this.limit()) this.patterns.restore(name.slice(this.prefix.length), patterns);
    }
  }

  private get prefix(): string {
    return `endless/${this.crawler}/`;
  }
}
