/**
 * Collects a page's visible text as UTF-8 with white space folded: runs of it become one space, or one line break
 * between blocks and where lines have a meaning, the text is trimmed, and invisible characters, which would hide words from a search,
 * are removed.
 */
import { AMPERSAND, CARRIAGE_RETURN, LESS, LINE_FEED, SPACE } from './bytes.js';
import { CharacterReferences } from './character-reference.js';

const PLAIN = 0;
const STOP = 1;
const BLANK = 2;
/** First bytes of characters some of which are blank (U+00A0, U+1680, U+2000 to U+200B, U+3000 and so on). */
const LEAD = 3;

const BYTE_KINDS = new Uint8Array(256);
BYTE_KINDS.fill(BLANK, 0, SPACE + 1);
BYTE_KINDS[0x7f] = BLANK;
BYTE_KINDS[LESS] = BYTE_KINDS[AMPERSAND] = STOP;
for (const lead of [0xc2, 0xe1, 0xe2, 0xe3, 0xef]) BYTE_KINDS[lead] = LEAD;

const INVISIBLE = '[\\u00ad\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069]';
const HAS_INVISIBLE = new RegExp(INVISIBLE);
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'g');

/**
 * Removes characters that say how a word may be hyphenated (U+00AD), in which direction text runs, or that no line ends
 * (U+2060): they are not part of the word.
 */
export const removeInvisible = (text: string): string =>
  HAS_INVISIBLE.test(text) ? text.replace(ALL_INVISIBLE, '') : text;

/**
 * Named references grow by at most a fifth when decoded (`&nGt;`: from 5 bytes to 6), and a word separator may be
 * added.
 */
const GROWTH_FACTOR = 1.25;
const MAX_KEPT_SIZE = 1 << 20;
/** Up to this many bytes, copying one by one is faster than a call. */
const MAX_SHORT_RUN = 32;

export class TextBuffer {
  private bytes = Buffer.allocUnsafeSlow(1 << 16);
  private length = 0;
  /** Whether line breaks in the source are kept, as in plain text and code. */
  keepsLines = false;
  private readonly references = new CharacterReferences();

  /** Begins a new text from a source of this many bytes. */
  begin(sourceLength: number, keepsLines = false): void {
    const requiredSize = Math.ceil(sourceLength * GROWTH_FACTOR) + 16;
    if (this.bytes.length < requiredSize) this.bytes = Buffer.allocUnsafeSlow(requiredSize);
    this.length = 0;
    this.keepsLines = keepsLines;
  }

  /** Size of the text so far, in bytes. */
  get size(): number {
    return this.length;
  }

  /** Copies text up to the first `<`, `&` or `end`; returns the position where it stopped. */
  copy(source: Buffer, from: number, end: number): number {
    const target = this.bytes;
    let position = from;
    for (;;) {
      position = this.copyPlain(source, position, end);
      if (position >= end) return position;
      const byte = source[position]!;
      const kind = BYTE_KINDS[byte]!;
      if (kind === STOP) return position;
      const blankWidth = kind === BLANK ? 1 : measureBlank(source, position);
      if (blankWidth === 0) {
        target[this.length++] = byte;
        position++;
      } else {
        if (this.keepsLines && (byte === LINE_FEED || byte === CARRIAGE_RETURN)) this.startNewLine();
        else if (blankWidth > 0) this.startNewWord();
        position += Math.abs(blankWidth);
      }
    }
  }

  /**
   * Copies plain characters with single spaces between them; returns the position of the first other byte. Nearly all
   * text has this form, and finding its end first is more than twice as fast as copying byte by byte.
   */
  private copyPlain(source: Buffer, from: number, end: number): number {
    const target = this.bytes;
    let length = this.length;
    let position = from;
    let previousByte = length > 0 ? target[length - 1]! : SPACE;
    for (; position < end; position++) {
      const byte = source[position]!;
      if (BYTE_KINDS[byte] !== PLAIN && (byte !== SPACE || previousByte <= SPACE)) break;
      previousByte = byte;
    }
    if (position - from > MAX_SHORT_RUN) {
      source.copy(target, length, from, position);
      length += position - from;
    } else for (let i = from; i < position; i++) target[length++] = source[i]!;
    this.length = length;
    return position;
  }

  /** Makes the following text begin a new word. */
  startNewWord(): void {
    if (this.length > 0 && this.bytes[this.length - 1]! > SPACE) this.bytes[this.length++] = SPACE;
  }

  /** Makes the following text begin a new line. */
  startNewLine(): void {
    if (this.length === 0) return;
    if (this.bytes[this.length - 1]! > SPACE) this.length++;
    this.bytes[this.length - 1] = LINE_FEED;
  }

  /** Adds what a character reference represents, or a plain `&`; returns the position after it. */
  appendReference(source: Buffer, position: number): number {
    const { length, characters } = this.references.read(source, position);
    if (length === 0) this.appendLiteral(AMPERSAND);
    else this.append(characters);
    return position + Math.max(length, 1);
  }

  /** Adds a `<` or `&` that is not markup. */
  appendLiteral(byte: number): void {
    this.bytes[this.length++] = byte;
  }

  /** Adds text that contains no markup. */
  append(text: string | Buffer): void {
    const source = typeof text === 'string' ? Buffer.from(text) : text;
    for (let position = 0; position < source.length; position++) {
      position = this.copy(source, position, source.length);
      if (position < source.length) this.appendLiteral(source[position]!);
    }
  }

  /** Returns the text from a position on, in whole characters of together at most this many bytes. */
  read(from: number, maxLength: number): string {
    let end = Math.min(this.length, from + maxLength);
    while (end < this.length && end > from && isContinuation(this.bytes[end]!)) end--;
    return this.bytes.toString('utf8', from, end);
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
    if (length > 0 && this.bytes[length - 1]! <= SPACE) length--;
    // A UTF-16 code unit takes at most three bytes of UTF-8, so bytes beyond that cannot be part of the result.
    const fullText = this.bytes.toString('utf8', 0, Math.min(length, maxLength * 3 + 3));
    if (this.bytes.length > MAX_KEPT_SIZE) this.bytes = Buffer.allocUnsafeSlow(1 << 16);
    return fullText.length <= maxLength
      ? { text: fullText, truncated: false }
      : { text: clip(fullText, maxLength), truncated: true };
  }
}

/** Whether the byte continues a UTF-8 character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Cuts the text to a length without leaving half of a surrogate pair. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const lastUnit = text.charCodeAt(maxLength - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit < 0xdc00 ? maxLength - 1 : maxLength);
}

/** Returns the number of bytes of a blank character, negative for an invisible one; 0 for a different character. */
function measureBlank(bytes: Buffer, position: number): number {
  const [lead, second, third] = [bytes[position]!, bytes[position + 1]!, bytes[position + 2]!];
  if (lead === 0xc2) return second === 0xad ? -2 : second === 0xa0 || second === 0x85 ? 2 : 0;
  if (lead === 0xe1) return second === 0x9a && third === 0x80 ? 3 : 0;
  if (lead === 0xe3) return second === 0x80 && third === 0x80 ? 3 : 0;
  if (lead === 0xef) return second === 0xbb && third === 0xbf ? 3 : 0;
  if (second === 0x81) return third === 0x9f ? 3 : third === 0xa0 || (third >= 0xa6 && third <= 0xa9) ? -3 : 0;
  if (second !== 0x80) return 0;
  if (third === 0x8e || third === 0x8f || (third >= 0xaa && third <= 0xae)) return -3;
  return (third >= 0x80 && third <= 0x8b) || third === 0xa8 || third === 0xa9 || third === 0xaf ? 3 : 0;
}
