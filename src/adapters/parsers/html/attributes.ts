/** Reads the attributes of one tag at a time, by the tokenizer rules of the HTML standard (section 13.2.5). */
import { decodeHTMLAttribute } from 'entities/decode';
import { APOSTROPHE, EQUALS, endsName, GREATER, isSpace, QUOTE, SLASH } from './bytes.js';
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
} as const;

/** Maximum bytes of a value that are examined. URLs and contents are not cut here, because the caller limits them. */
const LONGEST_WORDS = 4_096;
const WITHOUT_BOUND = new Set(['href', 'src', 'content', 'xlink:href']);
const LONGEST = Object.keys(ATTRIBUTE).map((name) =>
  WITHOUT_BOUND.has(name) ? Number.POSITIVE_INFINITY : LONGEST_WORDS,
);

const COUNT = Object.keys(ATTRIBUTE).length;
const TRIE = new NameTrie<number>(Object.entries(ATTRIBUTE));

export class Attributes {
  /** Whether the last tag read ended in `/>`. */
  selfClosing = false;
  private readonly starts: number[] = new Array<number>(COUNT).fill(0);
  private readonly ends: number[] = new Array<number>(COUNT).fill(0);
  /** Bitwise OR of all bytes of the value: below 0x80 if the value is ASCII. */
  private readonly bits: number[] = new Array<number>(COUNT).fill(0);
  /** The number of the tag that a value belongs to, so that nothing has to be cleared between tags. */
  private readonly tags: number[] = new Array<number>(COUNT).fill(0);
  private tag = 0;
  /**
   * The input as a string with one character per byte: slicing values from it is many times faster than decoding each
   * separately.
   */
  private characters: string | undefined;

  constructor(private readonly bytes: Buffer) {}

  /** Reads a tag from the end of its name on; returns the position after the tag, or -1 if the input ends inside it. */
  read(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    this.tag++;
    this.selfClosing = false;
    let at = from;
    if (at < end && bytes[at] === GREATER) return at + 1;
    while (at < end) {
      let slash = false;
      while (at < end && (isSpace(bytes[at]!) || bytes[at] === SLASH)) slash = bytes[at++] === SLASH;
      if (at < end && bytes[at] === GREATER) {
        this.selfClosing = slash;
        return at + 1;
      }
      if (at < end) at = this.readAttribute(at);
    }
    return -1;
  }

  /** The value with its character references decoded; undefined if the tag read last does not have the attribute. */
  get(index: number): string | undefined {
    if (this.tags[index] !== this.tag) return undefined;
    const start = this.starts[index]!;
    const end = Math.min(this.ends[index]!, start + LONGEST[index]!);
    if (start === end) return '';
    const raw = this.bits[index]! < 0x80 ? this.latin1.slice(start, end) : this.bytes.toString('utf8', start, end);
    return raw.includes('&') ? decodeHTMLAttribute(raw) : raw;
  }

  has(index: number): boolean {
    return this.tags[index] === this.tag;
  }

  /** Size of the value as written, in bytes; 0 if there is none. */
  getSize(index: number): number {
    return this.tags[index] === this.tag ? this.ends[index]! - this.starts[index]! : 0;
  }

  private get latin1(): string {
    this.characters ??= this.bytes.toString('latin1');
    return this.characters;
  }

  private readAttribute(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    const { next } = TRIE;
    let at = from;
    let byte = bytes[at]!;
    let node = ROOT;
    // The first byte belongs to the name, whatever it is, even `=`.
    do {
      node = next[node * WIDTH + SYMBOL[byte]!]!;
      byte = ++at < end ? bytes[at]! : GREATER;
    } while (byte !== EQUALS && !endsName(byte));
    while (at < end && isSpace(bytes[at]!)) at++;
    const index = TRIE.valueAt(node);
    if (at < end && bytes[at] === EQUALS) return this.readValue(index, at + 1);
    this.storeAttribute(index, at, at, 0);
    return at;
  }

  private readValue(index: number | undefined, from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let at = from;
    while (at < end && isSpace(bytes[at]!)) at++;
    const quote = at < end ? bytes[at]! : GREATER;
    let bits = 0;
    if (quote === QUOTE || quote === APOSTROPHE) {
      const start = ++at;
      for (; at < end && bytes[at] !== quote; at++) bits |= bytes[at]!;
      this.storeAttribute(index, start, at, bits);
      return at + 1;
    }
    const start = at;
    for (; at < end && bytes[at] !== GREATER && !isSpace(bytes[at]!); at++) bits |= bytes[at]!;
    this.storeAttribute(index, start, at, bits);
    return at;
  }

  /** If an attribute appears twice, the first one counts. */
  private storeAttribute(index: number | undefined, start: number, end: number, bits: number): void {
    if (index === undefined || this.tags[index] === this.tag) return;
    this.tags[index] = this.tag;
    this.starts[index] = start;
    this.ends[index] = end;
    this.bits[index] = bits;
  }
}
