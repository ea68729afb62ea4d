/** The bytes of a page, from which texts and attributes are extracted. */
import { isAscii } from 'node:buffer';
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

const NON_ASCII = /[\u0080-\u00ff]/;

export class PageSource {
  /** The page with one character per byte: slicing it is many times faster than decoding each piece. */
  readonly characters: string;
  private readonly ascii: boolean;

  /** `bytes` must be valid UTF-8. */
  constructor(readonly bytes: Buffer) {
    this.characters = bytes.toString('latin1');
    this.ascii = isAscii(bytes);
  }

  slice(start: number, end: number): string {
    const text = this.characters.slice(start, end);
    return this.ascii || !NON_ASCII.test(text) ? text : this.bytes.toString('utf8', start, end);
  }

  /** Returns text with its character references decoded. */
  decodeText(start: number, end: number): string {
    const rawText = this.slice(start, end);
    return rawText.includes('&') ? decodeHTML(rawText) : rawText;
  }

  decodeAttributeValue(start: number, end: number): string {
    const rawText = this.slice(start, end);
    return rawText.includes('&') ? decodeHTMLAttribute(rawText) : rawText;
  }
}

/** Comparing up to this many names is faster than a look-up. */
const MAX_LINEAR_SEARCH = 16;

/** The attributes of all elements of a page in one list. Values are extracted only when needed, which is rare. */
export class PageAttributes {
  private readonly names: string[] = [];
  /** Start and end of each value in the page. */
  private readonly bounds: number[] = [];

  /** The index of each attribute name, for elements with many attributes, by their first attribute. */
  private readonly indexes = new Map<number, ReadonlyMap<string, number>>();

  constructor(private readonly source: PageSource) {}

  get count(): number {
    return this.names.length;
  }

  add(name: string, start: number, end: number): void {
    this.names.push(name);
    this.bounds.push(start, end);
  }

  /** Returns the index of the first attribute with that name from `first` up to `end`; -1 if there is none. */
  find(name: string, first: number, end: number): number {
    if (end - first > MAX_LINEAR_SEARCH) return this.getIndex(first, end).get(name) ?? -1;
    for (let index = first; index < end; index++) if (this.names[index] === name) return index;
    return -1;
  }

  /** Look-ups must be fast: selectors may look up an attribute once for each descendant of its element. */
  private getIndex(first: number, end: number): ReadonlyMap<string, number> {
    const existing = this.indexes.get(first);
    if (existing) return existing;
    const index = new Map<string, number>();
    for (let position = first; position < end; position++)
      if (!index.has(this.names[position]!)) index.set(this.names[position]!, position);
    this.indexes.set(first, index);
    return index;
  }

  getNameAt(index: number): string {
    return this.names[index]!;
  }

  getValueAt(index: number): string {
    return this.source.decodeAttributeValue(this.bounds[index * 2]!, this.bounds[index * 2 + 1]!);
  }
}
