import type { RefusedLink } from '../ports/page-task.js';
import { copyString } from '../support/copied-string.js';

/** What is known of a link as written: its URL was reported, or was refused and always will be. */
export type KnownLink = 'handed on' | RefusedLink;

/** Longer ones seldom occur twice: URLs for sharing a page, for example. */
const LONGEST_REFUSED = 160;

/** Few sites have pages in folders with longer names, and each of them would be remembered. */
const LONGEST_PLACE = 2_048;

/**
 * Remembers which links were already reported: most links of a page were on the page before, and a known URL needs neither a
 * verdict nor a place in a message. It also remembers some refused links. Bounded; forgetting one costs a needless report or
 * verdict.
 */
export class LinkMemory {
  /** URLs in two generations: when the younger one is full, it becomes the older one. */
  private young = new Set<string>();
  private old = new Set<string>();
  /** Links as written, by the part of a page's base URL on which their meaning depends. */
  private places = new Map<string, Map<string, KnownLink>>();
  private room: number;
  private roomForRefused: number;

  constructor(private readonly generationSize = 100_000) {
    this.room = generationSize;
    this.roomForRefused = generationSize / 5;
  }

  /** These URLs are no longer stored. */
  forget(urls: readonly string[]): void {
    this.forgetWritten();
    for (const url of urls) {
      this.young.delete(url);
      this.old.delete(url);
    }
  }

  isReported(href: string): boolean {
    return this.young.has(href) || this.old.has(href);
  }

  markReported(href: string): void {
    if (this.young.size >= this.generationSize) {
      this.old = this.young;
      this.young = new Set();
    }
    this.young.add(copyString(href));
  }

  /** For the links of one page with this base URL (http or https, as the URL standard writes it). */
  writtenLinksFor(base: string): WrittenLinks {
    if (this.room <= 0) this.forgetWritten();
    const end = base.search(/[?#]/);
    const directory = base.slice(0, base.lastIndexOf('/', end < 0 ? base.length : end) + 1);
    const origin = base.slice(0, base.indexOf('/', base.indexOf('//') + 2));
    return new WrittenLinks(
      this.findOrCreatePlace(directory),
      this.findOrCreatePlace(origin),
      this.findOrCreatePlace(''),
      (known) => this.reserveRoom(known),
    );
  }

  private reserveRoom(known: KnownLink): boolean {
    if (known !== 'handed on' && this.roomForRefused-- <= 0) return false;
    this.room--;
    return true;
  }

  private findOrCreatePlace(place: string): Map<string, KnownLink> {
    if (place.length > LONGEST_PLACE) return new Map();
    const known = this.places.get(place);
    if (known) return known;
    const links = new Map<string, KnownLink>();
    this.places.set(place, links);
    this.room--;
    return links;
  }

  private forgetWritten(): void {
    this.places = new Map();
    this.room = this.generationSize;
    this.roomForRefused = this.generationSize / 5;
  }
}

const [SPACE, HASH, SLASH, QUESTION] = [0x20, 0x23, 0x2f, 0x3f];

/** Links that need not even be resolved: a page in the same place had a link with the same characters. */
export class WrittenLinks {
  constructor(
    private readonly relative: Map<string, KnownLink>,
    private readonly fromRoot: Map<string, KnownLink>,
    private readonly absolute: Map<string, KnownLink>,
    private readonly takesRoom: (known: KnownLink) => boolean,
  ) {}

  /** `link` has no fragment, except one that may be a route. */
  get(link: string): KnownLink | undefined {
    return this.mapFor(link)?.get(link);
  }

  addReported(link: string): void {
    this.add(copyString(link), 'handed on');
  }

  /** Only for links that would be refused on any page. */
  addRefused(link: string, { url, hostKey, reason, record }: RefusedLink): void {
    if (link.length > LONGEST_REFUSED) return;
    const written = copyString(link);
    const known = { url: url === link ? written : copyString(url), hostKey: copyString(hostKey), reason, record };
    this.add(written, known);
  }

  private add(link: string, known: KnownLink): void {
    const links = this.mapFor(link);
    if (links && this.takesRoom(known)) links.set(link, known);
  }

  /** Undefined for a link whose meaning may depend on the whole base URL. */
  private mapFor(link: string): Map<string, KnownLink> | undefined {
    const first = link === '' ? QUESTION : link.charCodeAt(0);
    if (first === QUESTION || first === HASH || first <= SPACE) return undefined;
    if (first === SLASH) return this.fromRoot;
    if (link.startsWith('http://') || link.startsWith('https://')) return this.absolute;
    // `http:x` is a relative link if the base has the same scheme.
    return link.includes(':') ? undefined : this.relative;
  }
}
