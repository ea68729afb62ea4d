/**
 * Collects a page's visible text as UTF-8 with white space folded: runs of it become one space, the text is trimmed,
 * and soft hyphens, which would hide words from a search, are removed.
 */
import { AMPERSAND, LESS, SPACE } from './bytes.js';
import { CharacterReferences } from './character-reference.js';

const PLAIN = 0;
const STOP = 1;
const BLANK = 2;
/** First byte of characters some of which are blank (U+00A0, U+1680, U+2000 to U+200B, U+3000 and so on). */
const LEAD = 3;

const KIND = new Uint8Array(256);
KIND.fill(BLANK, 0, SPACE + 1);
KIND[0x7f] = BLANK;
KIND[LESS] = KIND[AMPERSAND] = STOP;
for (const lead of [0xc2, 0xe1, 0xe2, 0xe3, 0xef]) KIND[lead] = LEAD;

/** Second byte of the soft hyphen (U+00AD), which marks where a word may be hyphenated and is not part of the word. */
const SOFT_HYPHEN = 0xad;

/**
 * Named references grow by at most a fifth when decoded (`&nGt;`: from 5 bytes to 6), and a word separator may be
 * added.
 */
const GROWTH = 1.25;
const KEPT_SIZE = 1 << 20;
/** Up to this many bytes are copied faster one by one than by a call. */
const SHORT_RUN = 32;

export class TextBuffer {
  private bytes = Buffer.allocUnsafeSlow(1 << 16);
  private length = 0;
  private readonly references = new CharacterReferences();

  /** Begins a new text from a source of this many bytes. */
  begin(sourceLength: number): void {
    const wanted = Math.ceil(sourceLength * GROWTH) + 16;
    if (this.bytes.length < wanted) this.bytes = Buffer.allocUnsafeSlow(wanted);
    this.length = 0;
  }

  /** Size of the text so far, in bytes. */
  get size(): number {
    return this.length;
  }

  /** Copies text up to the first `<`, `&` or `end`; returns the position where it stopped. */
  copy(source: Buffer, from: number, end: number): number {
    const out = this.bytes;
    let at = from;
    for (;;) {
      at = this.copyPlain(source, at, end);
      if (at >= end) return at;
      const byte = source[at]!;
      const kind = KIND[byte]!;
      if (kind === STOP) return at;
      const blank = kind === BLANK ? 1 : spaceWidth(source, at);
      if (blank === 0) {
        out[this.length++] = byte;
        at++;
      } else {
        const hyphen = byte === 0xc2 && source[at + 1] === SOFT_HYPHEN;
        if (!hyphen && this.length > 0 && out[this.length - 1] !== SPACE) out[this.length++] = SPACE;
        at += blank;
      }
    }
  }

  /**
   * Copies plain characters with single spaces between them; returns the position of the first other byte. Nearly all text is like
   * this, and finding its end first is more than twice as fast as copying byte by byte.
   */
  private copyPlain(source: Buffer, from: number, end: number): number {
    const out = this.bytes;
    let length = this.length;
    let before = length > 0 ? out[length - 1]! : SPACE;
    let at = from;
    while (at < end) {
      const byte = source[at]!;
      if (KIND[byte] !== PLAIN && (byte !== SPACE || before === SPACE)) break;
      before = byte;
      at++;
    }
    if (at - from > SHORT_RUN) {
      source.copy(out, length, from, at);
      length += at - from;
    } else for (let i = from; i < at; i++) out[length++] = source[i]!;
    this.length = length;
    return at;
  }

  /** Makes the following text begin a new word. */
  startNewWord(): void {
    if (this.length > 0 && this.bytes[this.length - 1] !== SPACE) this.bytes[this.length++] = SPACE;
  }

  /** Adds what the character reference at `at` stands for, or a plain `&`; returns the position after it. */
  appendReference(source: Buffer, at: number): number {
    const { length, characters } = this.references.read(source, at);
    if (length === 0) this.appendLiteral(AMPERSAND);
    else this.append(characters);
    return at + Math.max(length, 1);
  }

  /** Adds a `<` or `&` that is not markup. */
  appendLiteral(byte: number): void {
    this.bytes[this.length++] = byte;
  }

  /** Adds text that contains no markup. */
  append(text: string | Buffer): void {
    const source = typeof text === 'string' ? Buffer.from(text) : text;
    for (let at = 0; at < source.length; at++) {
      at = this.copy(source, at, source.length);
      if (at < source.length) this.appendLiteral(source[at]!);
    }
  }

  /** Returns up to this many bytes from the middle of the text, in whole characters. */
  sampleMiddle(length: number): string {
    let start = Math.max(0, (this.length - length) >> 1);
    let end = Math.min(this.length, start + length);
    while (start < end && isContinuation(this.bytes[start]!)) start++;
    while (end < this.length && end > start && isContinuation(this.bytes[end]!)) end--;
    return this.bytes.toString('utf8', start, end);
  }

  /** Returns the text, and whether it exceeded `maxLength` UTF-16 code units. The buffer can then be reused. */
  finish(maxLength: number): { text: string; truncated: boolean } {
    let length = this.length;
    if (length > 0 && this.bytes[length - 1] === SPACE) length--;
    // A UTF-16 code unit takes at most three bytes of UTF-8, so bytes beyond that cannot be part of the result.
    const all = this.bytes.toString('utf8', 0, Math.min(length, maxLength * 3 + 3));
    if (this.bytes.length > KEPT_SIZE) this.bytes = Buffer.allocUnsafeSlow(1 << 16);
    return all.length <= maxLength ? { text: all, truncated: false } : { text: clip(all, maxLength), truncated: true };
  }
}

/** Whether the byte continues a UTF-8 character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Cuts the text to a length without leaving half of a surrogate pair. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxLength - 1 : maxLength);
}

/** Number of bytes of the blank character or soft hyphen at `at`; 0 if there is a different character. */
function spaceWidth(bytes: Buffer, at: number): number {
  const [lead, second, third] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!];
  if (lead === 0xc2) return second === 0xa0 || second === 0x85 || second === SOFT_HYPHEN ? 2 : 0;
  if (lead === 0xe1) return second === 0x9a && third === 0x80 ? 3 : 0;
  if (lead === 0xe3) return second === 0x80 && third === 0x80 ? 3 : 0;
  if (lead === 0xef) return second === 0xbb && third === 0xbf ? 3 : 0;
  if (second === 0x81) return third === 0x9f ? 3 : 0;
  if (second !== 0x80) return 0;
  return (third >= 0x80 && third <= 0x8b) || third === 0xa8 || third === 0xa9 || third === 0xaf ? 3 : 0;
}
