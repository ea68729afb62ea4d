import type { RefusedLink } from '../ports/page-task.js';
import { copyString } from '../support/copied-string.js';

/** What is known about a link as written: its URL has been reported, or is refused on any page. */
export type KnownLink = 'handed on' | RefusedLink;

/** Longer refused links, such as URLs for sharing a page, seldom occur twice. */
const MAX_REFUSED_LENGTH = 160;

/** Few sites have folders with longer paths, and each of them would be remembered. */
const MAX_PLACE_LENGTH = 2_048;

const nameByOthers = (href: string): string => `~${href}`;

/**
 * Remembers which links have already been reported: most of a page's links were on the previous page, too, and a known
 * URL needs neither a verdict nor space in a message. Also remembers some refused links. The memory is limited; a
 * forgotten link costs a needless report or verdict.
 */
export class LinkMemory {
  /** Reported URLs in two generations: when the younger one is full, it becomes the older one. */
  private youngGeneration = new Set<string>();
  private oldGeneration = new Set<string>();
  /** Links as written, by the part of a page's base URL on which their meaning depends. */
  private places = new Map<string, Map<string, KnownLink>>();
  private remainingCapacity: number;
  private remainingRefusedCapacity: number;

  constructor(private readonly generationSize = 100_000) {
    this.remainingCapacity = generationSize;
    this.remainingRefusedCapacity = generationSize / 5;
  }

  /** To be called when these URLs are no longer stored. */
  forget(urls: readonly string[]): void {
    this.forgetWritten();
    for (const url of urls) {
      for (const name of [url, nameByOthers(url)]) {
        this.youngGeneration.delete(name);
        this.oldGeneration.delete(name);
      }
    }
  }

  /** @param isOwn whether the page that links to the URL is on its host: a link from elsewhere counts less (Discovery) */
  isReported(href: string, isOwn: boolean): boolean {
    return this.has(href) || (!isOwn && this.has(nameByOthers(href)));
  }

  private has(name: string): boolean {
    return this.youngGeneration.has(name) || this.oldGeneration.has(name);
  }

  markReported(href: string, isOwn: boolean): void {
    if (this.youngGeneration.size >= this.generationSize) {
      this.oldGeneration = this.youngGeneration;
      this.youngGeneration = new Set();
    }
    this.youngGeneration.add(copyString(isOwn ? href : nameByOthers(href)));
  }

  /** Returns what is remembered for a page with this base URL (http or https, as serialized by the URL standard). */
  getWrittenLinks(base: string): WrittenLinks {
    if (this.remainingCapacity <= 0) this.forgetWritten();
    const end = base.search(/[?#]/);
    const directory = base.slice(0, base.lastIndexOf('/', end < 0 ? base.length : end) + 1);
    const origin = base.slice(0, base.indexOf('/', base.indexOf('//') + 2));
    return new WrittenLinks(
      this.findOrCreatePlace(directory),
      this.findOrCreatePlace(origin),
      this.findOrCreatePlace(''),
      (link) => this.reserve(link),
    );
  }

  private reserve(link: KnownLink): boolean {
    if (link !== 'handed on' && this.remainingRefusedCapacity-- <= 0) return false;
    this.remainingCapacity--;
    return true;
  }

  private findOrCreatePlace(place: string): Map<string, KnownLink> {
    if (place.length > MAX_PLACE_LENGTH) return new Map();
    const existing = this.places.get(place);
    if (existing) return existing;
    const links = new Map<string, KnownLink>();
    this.places.set(place, links);
    this.remainingCapacity--;
    return links;
  }

  private forgetWritten(): void {
    this.places = new Map();
    this.remainingCapacity = this.generationSize;
    this.remainingRefusedCapacity = this.generationSize / 5;
  }
}

const [SPACE, HASH, DOT, SLASH, QUESTION] = [0x20, 0x23, 0x2e, 0x2f, 0x3f];

/** Links that need not even be resolved, since a page in the same place had a link with the same characters. */
export class WrittenLinks {
  constructor(
    private readonly relativeLinks: Map<string, KnownLink>,
    private readonly rootRelativeLinks: Map<string, KnownLink>,
    private readonly absoluteLinks: Map<string, KnownLink>,
    private readonly reserve: (link: KnownLink) => boolean,
  ) {}

  /** @param link has no fragment, except one that may be a route */
  get(link: string): KnownLink | undefined {
    return this.findLinks(link)?.get(link);
  }

  addReported(link: string): void {
    this.add(copyString(link), 'handed on');
  }

  /** Only for links that would be refused on any page. */
  addRefused(link: string, { url, hostKey, reason, record }: RefusedLink): void {
    if (link.length > MAX_REFUSED_LENGTH) return;
    const linkCopy = copyString(link);
    const knownLink = { url: url === link ? linkCopy : copyString(url), hostKey: copyString(hostKey), reason, record };
    this.add(linkCopy, knownLink);
  }

  private add(link: string, knownLink: KnownLink): void {
    const links = this.findLinks(link);
    if (links && this.reserve(knownLink)) links.set(link, knownLink);
  }

  /** Undefined for a link whose meaning may depend on the whole base URL. */
  private findLinks(link: string): Map<string, KnownLink> | undefined {
    const firstCode = link === '' ? QUESTION : link.charCodeAt(0);
    if (firstCode === QUESTION || firstCode === HASH || firstCode <= SPACE) return undefined;
    if (firstCode === DOT) return this.relativeLinks;
    if (firstCode === SLASH) return this.rootRelativeLinks;
    if (link.startsWith('http://') || link.startsWith('https://')) return this.absoluteLinks;
    // `http:x` is a relative link if the base has the same scheme.
    return link.includes(':') ? undefined : this.relativeLinks;
  }
}
