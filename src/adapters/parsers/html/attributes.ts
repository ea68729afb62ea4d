/** Reads the attributes of one tag at a time, by the tokenizer rules of the HTML standard (section 13.2.5). */
import { decodeHTMLAttribute } from 'entities/decode';
import { APOSTROPHE, DASH, EQUALS, endsName, GREATER, isSpace, QUOTE, SLASH } from './bytes.js';
import { isMarkerName } from './markers.js';
import { NameTrie, ROOT, SYMBOL, WIDTH } from './name-trie.js';

/** The attributes that can be queried. Using numbers instead of names saves a lookup for each. */
export const ATTRIBUTE = {
  href: 0,
  src: 1,
  rel: 2,
  name: 3,
  property: 4,
  content: 5,
  'http-equiv': 6,
  charset: 7,
  lang: 8,
  'xml:lang': 9,
  encoding: 10,
  shadowrootmode: 11,
  color: 12,
  face: 13,
  size: 14,
  type: 15,
  'xlink:href': 16,
  data: 17,
} as const;

/** Maximum length of a value in bytes; longer ones are truncated. URLs and contents are limited by the caller. */
const MAX_VALUE_LENGTH = 4_096;
const UNLIMITED_ATTRIBUTES = new Set(['href', 'src', 'content', 'xlink:href', 'data']);
const MAX_LENGTHS = Object.keys(ATTRIBUTE).map((name) =>
  UNLIMITED_ATTRIBUTES.has(name) ? Number.POSITIVE_INFINITY : MAX_VALUE_LENGTH,
);

const ATTRIBUTE_COUNT = Object.keys(ATTRIBUTE).length;
const TRIE = new NameTrie<number>(Object.entries(ATTRIBUTE));

export class Attributes {
  /** Whether the last tag read ended in `/>`. */
  selfClosing = false;
  /** Whether one of the tags read so far has an attribute that excludes it from search engines. */
  hasMarkers = false;
  private readonly starts: number[] = new Array<number>(ATTRIBUTE_COUNT).fill(0);
  private readonly ends: number[] = new Array<number>(ATTRIBUTE_COUNT).fill(0);
  /** Bitwise OR of all bytes of the value: below 0x80 if the value is ASCII. */
  private readonly combinedBits: number[] = new Array<number>(ATTRIBUTE_COUNT).fill(0);
  /** The number of the tag that a value belongs to, so that nothing has to be cleared between tags. */
  private readonly tagNumbers: number[] = new Array<number>(ATTRIBUTE_COUNT).fill(0);
  private tagNumber = 0;
  /**
   * The input as a string with one character per byte: slicing values from it is many times faster than decoding each
   * separately.
   */
  private characters: string | undefined;

  constructor(private readonly bytes: Buffer) {}

  noteDash(position: number): void {
    this.hasMarkers ||= isMarkerName(this.bytes, position);
  }

  /** Reads attributes from the end of a tag's name; returns the position after the tag, or -1 if it is incomplete. */
  read(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    this.tagNumber++;
    this.selfClosing = false;
    let position = from;
    if (position < end && bytes[position] === GREATER) return position + 1;
    while (position < end) {
      let endsWithSlash = false;
      while (position < end && (isSpace(bytes[position]!) || bytes[position] === SLASH))
        endsWithSlash = bytes[position++] === SLASH;
      if (position < end && bytes[position] === GREATER) {
        this.selfClosing = endsWithSlash;
        return position + 1;
      }
      if (position < end) position = this.readAttribute(position);
    }
    return -1;
  }

  /** Returns the value with character references decoded; undefined if the last tag does not have the attribute. */
  get(index: number): string | undefined {
    if (this.tagNumbers[index] !== this.tagNumber) return undefined;
    const start = this.starts[index]!;
    const end = Math.min(this.ends[index]!, start + MAX_LENGTHS[index]!);
    if (start === end) return '';
    const raw =
      this.combinedBits[index]! < 0x80 ? this.latin1.slice(start, end) : this.bytes.toString('utf8', start, end);
    return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
  }

  has(index: number): boolean {
    return this.tagNumbers[index] === this.tagNumber;
  }

  /** Returns the size of the value as written, in bytes; 0 if there is none. */
  getSize(index: number): number {
    return this.tagNumbers[index] === this.tagNumber ? this.ends[index]! - this.starts[index]! : 0;
  }

  get latin1(): string {
    this.characters ??= this.bytes.toString('latin1');
    return this.characters;
  }

  private readAttribute(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    const { next } = TRIE;
    let position = from;
    let byte = bytes[position]!;
    let node = ROOT;
    // The first byte belongs to the name, whatever it is, even `=`.
    do {
      node = next[node * WIDTH + SYMBOL[byte]!]!;
      if (byte === DASH) this.noteDash(position);
      byte = ++position < end ? bytes[position]! : GREATER;
    } while (byte !== EQUALS && !endsName(byte));
    while (position < end && isSpace(bytes[position]!)) position++;
    const index = TRIE.valueAt(node);
    if (position < end && bytes[position] === EQUALS) return this.readValue(index, position + 1);
    this.storeAttribute(index, position, position, 0);
    return position;
  }

  private readValue(index: number | undefined, from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let position = from;
    while (position < end && isSpace(bytes[position]!)) position++;
    const quote = position < end ? bytes[position]! : GREATER;
    let bits = 0;
    if (quote === QUOTE || quote === APOSTROPHE) {
      const start = ++position;
      for (; position < end && bytes[position] !== quote; position++) bits |= bytes[position]!;
      this.storeAttribute(index, start, position, bits);
      return position + 1;
    }
    const start = position;
    for (; position < end && bytes[position] !== GREATER && !isSpace(bytes[position]!); position++)
      bits |= bytes[position]!;
    this.storeAttribute(index, start, position, bits);
    return position;
  }

  /** If an attribute is repeated, its first value is kept. */
  private storeAttribute(index: number | undefined, start: number, end: number, bits: number): void {
    if (index === undefined || this.tagNumbers[index] === this.tagNumber) return;
    this.tagNumbers[index] = this.tagNumber;
    this.starts[index] = start;
    this.ends[index] = end;
    this.combinedBits[index] = bits;
  }
}
