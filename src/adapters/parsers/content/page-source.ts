/** The bytes of a page, from which texts are cut. */
import { isAscii } from 'node:buffer';
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

const BEYOND_ASCII = /[\u0080-\u00ff]/;

export class PageSource {
  /** One character for each byte: cutting from it is many times faster than decoding each piece. */
  readonly characters: string;
  private readonly ascii: boolean;

  /** `bytes` are valid UTF-8. */
  constructor(readonly bytes: Buffer) {
    this.characters = bytes.toString('latin1');
    this.ascii = isAscii(bytes);
  }

  slice(start: number, end: number): string {
    const cut = this.characters.slice(start, end);
    return this.ascii || !BEYOND_ASCII.test(cut) ? cut : this.bytes.toString('utf8', start, end);
  }

  /** With character references decoded. */
  text(start: number, end: number): string {
    const written = this.slice(start, end);
    return written.includes('&') ? decodeHTML(written) : written;
  }

  attributeValue(start: number, end: number): string {
    const written = this.slice(start, end);
    return written.includes('&') ? decodeHTMLAttribute(written) : written;
  }
}

/** Comparing this many names is faster than a look-up. */
const FEW = 16;

/** The attributes of all elements of a page, in one list: values are cut out when somebody asks for them, which is seldom. */
export class PageAttributes {
  private readonly names: string[] = [];
  /** Where the values begin and end in the page. */
  private readonly bounds: number[] = [];

  /** Of elements with many attributes, by the first of these: where each name stands. */
  private readonly indexes = new Map<number, ReadonlyMap<string, number>>();

  constructor(private readonly source: PageSource) {}

  get count(): number {
    return this.names.length;
  }

  add(name: string, start: number, end: number): void {
    this.names.push(name);
    this.bounds.push(start, end);
  }

  /** The first attribute with that name from `first` up to `end`; -1 if there is none. */
  find(name: string, first: number, end: number): number {
    if (end - first > FEW) return this.getIndex(first, end).get(name) ?? -1;
    for (let at = first; at < end; at++) if (this.names[at] === name) return at;
    return -1;
  }

  /** Selectors may ask an element for an attribute once for each of its descendants, so that no look-up may take long. */
  private getIndex(first: number, end: number): ReadonlyMap<string, number> {
    const known = this.indexes.get(first);
    if (known) return known;
    const index = new Map<string, number>();
    for (let at = first; at < end; at++) if (!index.has(this.names[at]!)) index.set(this.names[at]!, at);
    this.indexes.set(first, index);
    return index;
  }

  nameAt(index: number): string {
    return this.names[index]!;
  }

  valueAt(index: number): string {
    return this.source.attributeValue(this.bounds[index * 2]!, this.bounds[index * 2 + 1]!);
  }
}
