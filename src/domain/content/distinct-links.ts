/**
 * Limits a page's links by the number of distinct URLs, not counting fragments, so that the many repeated links in
 * menus and indexes do not use up the limit. On an ordinary page, which has too few links for this to matter, links are
 * only counted.
 */
import { isHashRoute } from '../url/crawl-url.js';

/** Number of links on a page from which on duplicates are removed. */
const LOOK_FROM = 1_000;

/**
 * V8 gives all longer strings of one length the same hash: looking up thousands of them takes minutes, so they are
 * treated as distinct.
 */
const LONGEST_LOOKED_UP = 16_383;

/** Maximum number of samples of the links that were left out. */
const MOST_SAMPLES = 500;

export interface Link {
  readonly href: string;
  readonly kind: string;
  readonly nofollow: boolean;
}

/** Links that were left out because the page links to too many URLs. */
export interface CutLinks<Kept extends Link> {
  /** Number of links as written; duplicates among them count each time. */
  readonly count: number;
  /** The first of them, without duplicates. */
  readonly samples: readonly Kept[];
}

export class DistinctLinks<Kept extends Link> {
  readonly links: Kept[] = [];
  /** Number of `links` that are already in the sets below. */
  private known = 0;
  private readonly written = new Set<string>();
  private readonly urls = new Set<string>();
  private long = 0;
  private cutCount = 0;
  private readonly cutSamples = new Map<string, Kept>();
  private readonly lookFrom: number;

  constructor(private readonly most: number) {
    this.lookFrom = Math.min(LOOK_FROM, most);
  }

  get cutLinks(): CutLinks<Kept> | undefined {
    return this.cutCount === 0 ? undefined : { count: this.cutCount, samples: [...this.cutSamples.values()] };
  }

  add(link: Kept): void {
    if (this.links.length >= this.lookFrom && !this.admitLink(link)) return;
    this.links.push(link);
  }

  private admitLink(link: Kept): boolean {
    for (; this.known < this.links.length; this.known++) this.keepLink(this.links[this.known]!);
    const written = computeIdentity(link);
    if (written !== undefined && this.written.has(written)) return false;
    const url = written === undefined ? undefined : stripFragment(written);
    const isNew = url === undefined || !this.urls.has(url);
    // Rules may examine the fragment, so the same URL with other fragments is kept, up to twice the limit.
    const fits = isNew ? this.urls.size + this.long < this.most : this.links.length < 2 * this.most;
    if (fits) return true;
    if (isNew) this.recordCut(link, url);
    return false;
  }

  private keepLink(link: Kept): void {
    const written = computeIdentity(link);
    if (written === undefined) {
      this.long++;
      return;
    }
    this.written.add(written);
    this.urls.add(stripFragment(written));
  }

  private recordCut(link: Kept, url: string | undefined): void {
    this.cutCount++;
    if (url !== undefined && this.cutSamples.size < MOST_SAMPLES && !this.cutSamples.has(url))
      this.cutSamples.set(url, link);
  }
}

/** As a canonical link or with nofollow, the same URL has a different meaning. */
function computeIdentity({ href, kind, nofollow }: Link): string | undefined {
  if (href.length > LONGEST_LOOKED_UP) return undefined;
  if (kind === 'canonical' || kind === 'meta-refresh') return `${kind} ${href}`;
  return nofollow ? `nofollow ${href}` : href;
}

function stripFragment(text: string): string {
  const hash = text.indexOf('#');
  return hash < 0 || isHashRoute(text.slice(hash + 1)) ? text : text.slice(0, hash);
}
