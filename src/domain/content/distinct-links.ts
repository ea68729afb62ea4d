/**
 * Limits a page's links by the number of distinct URLs, not counting fragments, so that the many repeated links in
 * menus and indexes do not use up the limit. An ordinary page has too few links for this to matter, so its links are
 * only counted.
 */
import { isHashRoute } from '../url/crawl-url.js';

/** Duplicates are removed only once a page has this many links. */
const DEDUPLICATION_THRESHOLD = 10_000;

/**
 * V8 gives all longer strings of one length the same hash: looking up thousands of them takes minutes, so they are
 * treated as distinct.
 */
const MAX_LOOKUP_LENGTH = 16_383;

/** Maximum number of samples of the links that were left out. */
const MAX_SAMPLES = 500;

export interface Link {
  readonly href: string;
  readonly kind: string;
  readonly nofollow: boolean;
}

/** Links that were left out because the page links to too many URLs. */
export interface CutLinks<L extends Link> {
  /** Number of links that were left out, duplicates included. */
  readonly count: number;
  /** The first of these links, without duplicates. */
  readonly samples: readonly L[];
}

export class DistinctLinks<L extends Link> {
  readonly links: L[] = [];
  /** Number of `links` that are already in the sets below. */
  private indexedCount = 0;
  private readonly identities = new Set<string>();
  private readonly urls = new Set<string>();
  private longLinkCount = 0;
  private cutCount = 0;
  private readonly cutSamples = new Map<string, L>();
  private readonly deduplicationThreshold: number;

  constructor(private readonly maxUrls: number) {
    this.deduplicationThreshold = Math.min(DEDUPLICATION_THRESHOLD, maxUrls);
  }

  get cutLinks(): CutLinks<L> | undefined {
    return this.cutCount === 0 ? undefined : { count: this.cutCount, samples: [...this.cutSamples.values()] };
  }

  add(link: L): void {
    if (this.links.length >= this.deduplicationThreshold && !this.admitLink(link)) return;
    this.links.push(link);
  }

  private admitLink(link: L): boolean {
    for (; this.indexedCount < this.links.length; this.indexedCount++) this.indexLink(this.links[this.indexedCount]!);
    const identity = computeIdentity(link);
    if (identity !== undefined && this.identities.has(identity)) return false;
    const url = identity === undefined ? undefined : stripFragment(identity);
    const isNew = url === undefined || !this.urls.has(url);
    // Rules may examine the fragment, so the same URL with different fragments is kept, up to twice the limit.
    const isWithinLimit = isNew
      ? this.urls.size + this.longLinkCount < this.maxUrls
      : this.links.length < 2 * this.maxUrls;
    if (isWithinLimit) return true;
    if (isNew) this.recordCutLink(link, url);
    return false;
  }

  private indexLink(link: L): void {
    const identity = computeIdentity(link);
    if (identity === undefined) {
      this.longLinkCount++;
      return;
    }
    this.identities.add(identity);
    this.urls.add(stripFragment(identity));
  }

  private recordCutLink(link: L, url: string | undefined): void {
    this.cutCount++;
    if (url !== undefined && this.cutSamples.size < MAX_SAMPLES && !this.cutSamples.has(url))
      this.cutSamples.set(url, link);
  }
}

/**
 * The string by which links are compared; undefined if it is too long to look up. The same URL has a different meaning
 * in a canonical link or with nofollow.
 */
function computeIdentity({ href, kind, nofollow }: Link): string | undefined {
  if (href.length > MAX_LOOKUP_LENGTH) return undefined;
  if (kind === 'canonical' || kind === 'meta-refresh') return `${kind} ${href}`;
  return nofollow ? `nofollow ${href}` : href;
}

function stripFragment(text: string): string {
  const hashIndex = text.indexOf('#');
  return hashIndex < 0 || isHashRoute(text.slice(hashIndex + 1)) ? text : text.slice(0, hashIndex);
}
