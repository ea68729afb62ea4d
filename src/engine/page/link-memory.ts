/**
 * Remembers which links were already handed over: most links of a page were on the page before, and a known URL needs neither
 * a verdict nor a place in a message. Bounded; what is forgotten costs one needless hand-over.
 */
export class LinkMemory {
  /** URLs in two generations: when the younger is full it becomes the older. */
  private young = new Set<string>();
  private old = new Set<string>();
  /** Links as written, whose URLs were handed over, by the part of a page's base URL that gives them their meaning. */
  private places = new Map<string, Set<string>>();
  private room: number;

  constructor(private readonly generationSize = 100_000) {
    this.room = generationSize;
  }

  /** These URLs are not stored any more. */
  forget(urls: readonly string[]): void {
    this.forgetWritten();
    for (const url of urls) {
      this.young.delete(url);
      this.old.delete(url);
    }
  }

  isHandedOver(href: string): boolean {
    return this.young.has(href) || this.old.has(href);
  }

  handedOver(href: string): void {
    if (this.young.size >= this.generationSize) {
      this.old = this.young;
      this.young = new Set();
    }
    this.young.add(detached(href));
  }

  /** For the links of one page, which has this base URL (http or https, as the URL standard writes it). */
  writtenOn(base: string): WrittenLinks {
    if (this.room <= 0) this.forgetWritten();
    const end = base.search(/[?#]/);
    const directory = base.slice(0, base.lastIndexOf('/', end < 0 ? base.length : end) + 1);
    const origin = base.slice(0, base.indexOf('/', base.indexOf('//') + 2));
    return new WrittenLinks(this.at(directory), this.at(origin), this.at(''), () => this.room--);
  }

  private at(place: string): Set<string> {
    const known = this.places.get(place);
    if (known) return known;
    const links = new Set<string>();
    this.places.set(place, links);
    return links;
  }

  private forgetWritten(): void {
    this.places = new Map();
    this.room = this.generationSize;
  }
}

const [SPACE, SLASH, QUESTION] = [0x20, 0x2f, 0x3f];

/** Links that need not even be resolved: written with the same characters, they were handed over from a page of this place. */
export class WrittenLinks {
  constructor(
    private readonly relative: Set<string>,
    private readonly fromRoot: Set<string>,
    private readonly absolute: Set<string>,
    private readonly added: () => void,
  ) {}

  /** `link` has no fragment. */
  has(link: string): boolean {
    return this.of(link)?.has(link) ?? false;
  }

  add(link: string): void {
    const links = this.of(link);
    if (!links) return;
    links.add(detached(link));
    this.added();
  }

  /** Undefined for a link whose meaning may depend on the whole of the base URL. */
  private of(link: string): Set<string> | undefined {
    const first = link === '' ? QUESTION : link.charCodeAt(0);
    if (first === QUESTION || first <= SPACE) return undefined;
    if (first === SLASH) return this.fromRoot;
    if (link.startsWith('http://') || link.startsWith('https://')) return this.absolute;
    // `http:x` is a relative link where the base has the same scheme.
    return link.includes(':') ? undefined : this.relative;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A string that was cut out of a page keeps the whole page in memory; a copy does not. */
const detached = (text: string): string => decoder.decode(encoder.encode(text));
