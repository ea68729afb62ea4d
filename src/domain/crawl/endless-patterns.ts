import { BoundedMap } from '../bounded-map.js';
import { Vocabulary } from '../content/vocabulary.js';
import { toGrowingPattern } from '../url/url-pattern.js';

/** Number of consecutive first visits without anything new after which a pattern is considered endless. */
export const MAX_BARREN_PAGES = 50;

/**
 * Maximum number of patterns whose URLs are counted, and of patterns that are watched, which takes 64 KiB each. Beyond
 * these limits, patterns are forgotten that have not been used for long; one host has at most a tenth of each.
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
  /** Number of URLs found, by host and pattern. */
  private readonly urlCounts = new PatternTable<number>(MAX_COUNTED_PATTERNS);
  private readonly watches = new PatternTable<Watch>(MAX_WATCHED_PATTERNS);

  constructor(private readonly getLimit: () => number) {}

  /** Call this for every link to an unknown URL. */
  countNewUrl(hostKey: string, url: string): void {
    const pattern = toGrowingPattern(url);
    if (pattern === undefined || this.watches.get(hostKey, pattern)) return;
    const count = (this.urlCounts.get(hostKey, pattern) ?? 0) + 1;
    if (count < this.getLimit()) this.urlCounts.set(hostKey, pattern, count);
    else {
      this.urlCounts.delete(hostKey, pattern);
      this.startWatching(hostKey, pattern);
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
    return [...this.watches.list(hostKey)].flatMap(([pattern, { endless }]) => (endless ? [pattern] : []));
  }

  restore(hostKey: string, patterns: readonly string[]): void {
    for (const pattern of patterns) {
      const watch = this.startWatching(hostKey, pattern);
      watch.endless = true;
      watch.learningPages = MAX_BARREN_PAGES;
    }
  }

  private startWatching(hostKey: string, pattern: string): Watch {
    const watch: Watch = { vocabulary: new Vocabulary(), barrenVisits: 0, endless: false, learningPages: 0 };
    this.watches.set(hostKey, pattern, watch);
    return watch;
  }

  private findWatch(hostKey: string, url: string): Watch | undefined {
    if (this.watches.size === 0) return undefined;
    const pattern = toGrowingPattern(url);
    return pattern === undefined ? undefined : this.watches.get(hostKey, pattern);
  }
}

/** A value for each pattern of each host, limited in number: the patterns of one host cannot displace those of all others. */
class PatternTable<Value> {
  /** The host used last is last, and so is its pattern. */
  private readonly hosts = new Map<string, BoundedMap<string, Value>>();
  size = 0;

  constructor(private readonly limit: number) {}

  get(hostKey: string, pattern: string): Value | undefined {
    return this.hosts.get(hostKey)?.get(pattern);
  }

  list(hostKey: string): Iterable<[string, Value]> {
    return this.hosts.get(hostKey) ?? [];
  }

  set(hostKey: string, pattern: string, value: Value): void {
    const patterns = this.hosts.get(hostKey) ?? new BoundedMap<string, Value>(this.limit / 10);
    this.hosts.delete(hostKey);
    this.hosts.set(hostKey, patterns);
    const previousSize = patterns.size;
    patterns.set(pattern, value);
    this.size += patterns.size - previousSize;
    if (this.size > this.limit) this.dropOldest();
  }

  delete(hostKey: string, pattern: string): void {
    const patterns = this.hosts.get(hostKey);
    if (!patterns?.delete(pattern)) return;
    this.size--;
    if (patterns.size === 0) this.hosts.delete(hostKey);
  }

  private dropOldest(): void {
    for (const [hostKey, patterns] of this.hosts)
      for (const pattern of patterns.keys()) {
        this.delete(hostKey, pattern);
        return;
      }
  }
}
