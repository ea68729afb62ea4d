import { Vocabulary } from '../content/vocabulary.js';
import { toUrlPattern } from '../url/url-pattern.js';

/** Number of consecutive first visits without anything new after which a pattern counts as endless. */
export const BARREN_PAGES = 50;

/**
 * Maximum numbers of patterns counted, and of patterns watched at 64 KiB each; beyond them, the least recently used one
 * is forgotten.
 */
const MOST_COUNTED = 50_000;
const MOST_WATCHED = 500;

interface Watch {
  readonly vocabulary: Vocabulary;
  /** Number of consecutive first visits that brought nothing new. */
  barren: number;
  endless: boolean;
  /** Number of pages whose words are still only learned, because the words before a restart are unknown. */
  learning: number;
}

/** What was found on a page of a watched pattern. */
export interface WatchedPage {
  readonly url: string;
  readonly hostKey: string;
  readonly words: Int32Array;
  readonly firstVisit: boolean;
  /** Whether it led to an unknown URL that does not belong to an endless pattern. */
  readonly ledOn: boolean;
}

/**
 * Distinguishes endless calendars, next links and facets from large archives by what their pages contain. A pattern of
 * URLs (see url-pattern.ts) with more URLs on one host than its limit is watched. A page of the pattern brings
 * something new if it has a word that the previous ones did not have, or leads to new URLs of another kind. A calendar
 * has used all its words after a year, facets show the same things in another order; articles always have new words.
 * After a number of consecutive pages that brought nothing new, the pattern is endless until one brings something new
 * again.
 */
export class EndlessPatterns {
  /** Number of URLs found, by host and pattern; here and below, the most recently used ones are at the end. */
  private readonly found = new Map<string, number>();
  private readonly watches = new Map<string, Watch>();

  constructor(private readonly limit: () => number) {}

  /** Call this when a link has led to an unknown URL. */
  countNewUrl(hostKey: string, url: string): void {
    const key = keyOf(hostKey, url);
    if (key === undefined || this.watches.has(key)) return;
    const count = (this.found.get(key) ?? 0) + 1;
    if (count < this.limit()) setBounded(this.found, key, count, MOST_COUNTED);
    else {
      this.found.delete(key);
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
   * Records whether the page brings something new. `turned` is true if its pattern became endless, or is no longer
   * endless.
   */
  recordPage({ hostKey, url, words, firstVisit, ledOn }: WatchedPage): { brings: boolean; turned: boolean } {
    const watch = this.findWatch(hostKey, url);
    if (!watch) return { brings: true, turned: false };
    const newWords = watch.vocabulary.add(words) > 0 && watch.learning === 0;
    if (watch.learning > 0) watch.learning--;
    const brings = newWords || ledOn;
    if (brings) watch.barren = 0;
    else if (firstVisit) watch.barren++;
    const endless = !brings && (watch.endless || watch.barren >= BARREN_PAGES);
    const turned = endless !== watch.endless;
    watch.endless = endless;
    return { brings, turned };
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
      watch.learning = BARREN_PAGES;
    }
  }

  private startWatching(key: string): Watch {
    const watch: Watch = { vocabulary: new Vocabulary(), barren: 0, endless: false, learning: 0 };
    setBounded(this.watches, key, watch, MOST_WATCHED);
    return watch;
  }

  private findWatch(hostKey: string, url: string): Watch | undefined {
    if (this.watches.size === 0) return undefined;
    const key = keyOf(hostKey, url);
    return key === undefined ? undefined : this.watches.get(key);
  }
}

function keyOf(hostKey: string, url: string): string | undefined {
  const pattern = toUrlPattern(url);
  return pattern === undefined ? undefined : `${hostKey} ${pattern}`;
}

function setBounded<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
