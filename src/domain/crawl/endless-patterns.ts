import { BoundedMap } from '../bounded-map.js';
import { Vocabulary } from '../content/vocabulary.js';
import { toUrlPattern } from '../url/url-pattern.js';

/** Number of consecutive first visits without anything new after which a pattern is considered endless. */
export const MAX_BARREN_PAGES = 50;

/**
 * Maximum number of patterns whose URLs are counted, and of patterns that are watched, which takes 64 KiB each. Beyond
 * these limits, the least recently used pattern is forgotten.
 */
const MAX_COUNTED_PATTERNS = 50_000;
const MAX_WATCHED_PATTERNS = 500;

interface Watch {
  readonly vocabulary: Vocabulary;
  /** Number of consecutive first visits that brought nothing new. */
  barrenVisits: number;
  endless: boolean;
  /** Number of pages whose words are still only learned, because the words learned before a restart are lost. */
  learningPages: number;
}

/** What was found on a page of a watched pattern. */
export interface WatchedPage {
  readonly url: string;
  readonly hostKey: string;
  readonly words: Int32Array;
  readonly firstVisit: boolean;
  /** Whether it links to an unknown URL of another pattern that is not endless. */
  readonly linksToNewPages: boolean;
}

/**
 * Distinguishes endless calendars, next links and facets from large archives by what their pages contain. A pattern of
 * URLs (see url-pattern.ts) is watched if it has more URLs on one host than the limit. A page of the pattern brings
 * something new if it has a word that the previous ones did not have, or links to new URLs of another pattern. A
 * calendar has used all its words after a year, and facets show the same things in another order, but articles always
 * have new words. After a number of consecutive pages that brought nothing new, the pattern is endless until a page
 * brings something new again.
 */
export class EndlessPatterns {
  /** Number of URLs found, by host and pattern. In this map and the next, the most recently used entries are last. */
  private readonly urlCounts = new BoundedMap<string, number>(MAX_COUNTED_PATTERNS);
  private readonly watches = new BoundedMap<string, Watch>(MAX_WATCHED_PATTERNS);

  constructor(private readonly getLimit: () => number) {}

  /** Call this for every link to an unknown URL. */
  countNewUrl(hostKey: string, url: string): void {
    const key = createPatternKey(hostKey, url);
    if (key === undefined || this.watches.has(key)) return;
    const count = (this.urlCounts.get(key) ?? 0) + 1;
    if (count < this.getLimit()) this.urlCounts.set(key, count);
    else {
      this.urlCounts.delete(key);
      this.startWatching(key);
    }
  }

  isWatched(hostKey: string, url: string): boolean {
    return this.findWatch(hostKey, url) !== undefined;
  }

  isEndless(hostKey: string, url: string): boolean {
    return this.findWatch(hostKey, url)?.endless ?? false;
  }

  /**
   * Records whether the page brings something new. `endlessChanged` is true if its pattern has become endless,
   * or is no longer endless.
   */
  recordPage({ hostKey, url, words, firstVisit, linksToNewPages }: WatchedPage): {
    isProductive: boolean;
    endlessChanged: boolean;
  } {
    const watch = this.findWatch(hostKey, url);
    if (!watch) return { isProductive: true, endlessChanged: false };
    const hasNewWords = watch.vocabulary.add(words) > 0 && watch.learningPages === 0;
    if (watch.learningPages > 0) watch.learningPages--;
    const isProductive = hasNewWords || linksToNewPages;
    if (isProductive) watch.barrenVisits = 0;
    else if (firstVisit) watch.barrenVisits++;
    const endless = !isProductive && (watch.endless || watch.barrenVisits >= MAX_BARREN_PAGES);
    const endlessChanged = endless !== watch.endless;
    watch.endless = endless;
    return { isProductive, endlessChanged };
  }

  /** Endless patterns of a host, to be passed to `restore` after a restart. */
  listEndlessPatterns(hostKey: string): string[] {
    const prefix = `${hostKey} `;
    return [...this.watches].flatMap(([key, { endless }]) =>
      endless && key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
    );
  }

  restore(hostKey: string, patterns: readonly string[]): void {
    for (const pattern of patterns) {
      const watch = this.startWatching(`${hostKey} ${pattern}`);
      watch.endless = true;
      watch.learningPages = MAX_BARREN_PAGES;
    }
  }

  private startWatching(key: string): Watch {
    const watch: Watch = { vocabulary: new Vocabulary(), barrenVisits: 0, endless: false, learningPages: 0 };
    this.watches.set(key, watch);
    return watch;
  }

  private findWatch(hostKey: string, url: string): Watch | undefined {
    if (this.watches.size === 0) return undefined;
    const key = createPatternKey(hostKey, url);
    return key === undefined ? undefined : this.watches.get(key);
  }
}

function createPatternKey(hostKey: string, url: string): string | undefined {
  const pattern = toUrlPattern(url);
  return pattern === undefined ? undefined : `${hostKey} ${pattern}`;
}
