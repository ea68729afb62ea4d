import type { RefusedLink } from '../ports/page-task.js';
import { copyString } from '../support/copied-string.js';

/** What is known about a link as written: its URL has been reported, or is refused on any page. */
export type KnownLink = 'handed on' | RefusedLink;

/** Longer refused links, such as URLs for sharing a page, seldom occur twice. */
const LONGEST_REFUSED = 160;

/** Few sites have folders with longer paths, and each of them would be remembered. */
const LONGEST_PLACE = 2_048;

/**
 * Remembers which links have already been reported: most of a page's links were on the previous page, too, and a known
 * URL needs neither a verdict nor space in a message. Also remembers some refused links. The memory is limited; a
 * forgotten link costs a needless report or verdict.
 */
export class LinkMemory {
  /** Reported URLs in two generations: when the younger one is full, it becomes the older one. */
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

  /** To be called when these URLs are no longer stored. */
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

  /** What is remembered for a page with this base URL (http or https, as serialized by the URL standard). */
  getWrittenLinks(base: string): WrittenLinks {
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

/** Links that need not even be resolved, since a page in the same place had a link with the same characters. */
export class WrittenLinks {
  constructor(
    private readonly relative: Map<string, KnownLink>,
    private readonly fromRoot: Map<string, KnownLink>,
    private readonly absolute: Map<string, KnownLink>,
    private readonly takesRoom: (known: KnownLink) => boolean,
  ) {}

  /** @param link has no fragment, except one that may be a route */
  get(link: string): KnownLink | undefined {
    return this.findMap(link)?.get(link);
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
    const links = this.findMap(link);
    if (links && this.takesRoom(known)) links.set(link, known);
  }

  /** Undefined for a link whose meaning may depend on the whole base URL. */
  private findMap(link: string): Map<string, KnownLink> | undefined {
    const first = link === '' ? QUESTION : link.charCodeAt(0);
    if (first === QUESTION || first === HASH || first <= SPACE) return undefined;
    if (first === SLASH) return this.fromRoot;
    if (link.startsWith('http://') || link.startsWith('https://')) return this.absolute;
    // `http:x` is a relative link if the base has the same scheme.
    return link.includes(':') ? undefined : this.relative;
  }
}
