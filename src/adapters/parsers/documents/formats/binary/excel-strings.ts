/** Reads the strings of workbooks ([MS-XLS] 2.5), which may continue in further records. */
import { decodeCodePage } from './code-pages.js';
import { readByte, readInt, readShort } from './little-endian.js';

const WIDE = 1;
const HAS_PHONETICS = 4;
const HAS_RUNS = 8;

/** Shared strings beyond this number are read as empty. */
const MAX_STRINGS = 1_000_000;

/** Reads a record and the ones that continue it, one after the other. */
class SegmentReader {
  private index = 0;
  private at = 0;

  constructor(private readonly segments: readonly Buffer[]) {}

  get isAtEnd(): boolean {
    this.moveToData();
    return this.index >= this.segments.length;
  }

  readByte(): number {
    this.moveToData();
    return this.index < this.segments.length ? this.segments[this.index]![this.at++]! : 0;
  }

  readShort(): number {
    return this.readByte() | (this.readByte() << 8);
  }

  readInt(): number {
    return (this.readShort() | (this.readShort() << 16)) >>> 0;
  }

  skip(count: number): void {
    let remaining = count;
    while (remaining > 0 && !this.isAtEnd) {
      const step = Math.min(remaining, this.segments[this.index]!.length - this.at);
      this.at += step;
      remaining -= step;
    }
  }

  /** Where characters continue in the next record, its first byte tells anew whether they are wide. */
  readCharacters(count: number, isWide: boolean): string {
    let text = '';
    let remaining = count;
    let wide = isWide;
    while (remaining > 0 && this.index < this.segments.length) {
      const segment = this.segments[this.index]!;
      const size = wide ? 2 : 1;
      const length = Math.min(remaining, Math.floor((segment.length - this.at) / size));
      text += segment.toString(wide ? 'utf16le' : 'latin1', this.at, this.at + length * size);
      this.at += length * size;
      remaining -= length;
      if (remaining === 0) break;
      this.index++;
      this.at = 1;
      wide = (this.segments[this.index]?.[0] ?? 0) % 2 === WIDE;
    }
    return text;
  }

  private moveToData(): void {
    while (this.index < this.segments.length && this.at >= this.segments[this.index]!.length) {
      this.index++;
      this.at = 0;
    }
  }
}

/** Reads the table of shared strings, without formats and the phonetic readings of Japanese text. */
export function readStringTable(segments: readonly Buffer[]): string[] {
  const reader = new SegmentReader(segments);
  reader.skip(4);
  const count = Math.min(reader.readInt(), MAX_STRINGS);
  const strings: string[] = [];
  while (strings.length < count && !reader.isAtEnd) {
    const length = reader.readShort();
    const flags = reader.readByte();
    const runs = flags & HAS_RUNS ? reader.readShort() : 0;
    const phoneticSize = flags & HAS_PHONETICS ? reader.readInt() : 0;
    strings.push(reader.readCharacters(length, (flags & WIDE) !== 0));
    reader.skip(runs * 4 + phoneticSize);
  }
  return strings;
}

/**
 * Reads a string that is preceded by its length, in characters: one byte or two. The characters of Excel 95 are in the
 * workbook's code page; since Excel 97, a byte before them tells whether they are wide.
 */
export function readCountedString(
  segments: readonly Buffer[],
  at: number,
  lengthSize: 1 | 2,
  codePage: number | undefined,
): string {
  const [first] = segments;
  if (!first) return '';
  const length = lengthSize === 1 ? readByte(first, at) : readShort(first, at);
  const start = at + lengthSize;
  if (codePage !== undefined)
    return decodeCodePage(Buffer.concat([first.subarray(start), ...segments.slice(1)]).subarray(0, length), codePage);
  const reader = new SegmentReader([first.subarray(start + 1), ...segments.slice(1)]);
  return reader.readCharacters(length, readByte(first, start) % 2 === WIDE);
}

const URL_MONIKER = Buffer.from('e0c9ea79f9bace118c8200aa004ba90b', 'hex');
const HAS_MONIKER = 1;
const IS_TEXT_MONIKER = 0x100;
const HAS_NAME = 0x10;
const HAS_FRAME = 0x80;
const MAX_URL_BYTES = 32_768;

/** Reads the URL of a hyperlink object ([MS-OSHARED] 2.3.7.1); undefined if it is a file, or a place in the document. */
export function readHyperlink(bytes: Buffer): string | undefined {
  const flags = readInt(bytes, 4);
  let at = 8;
  if (flags & HAS_NAME) at += 4 + readInt(bytes, at) * 2;
  if (flags & HAS_FRAME) at += 4 + readInt(bytes, at) * 2;
  if (!(flags & HAS_MONIKER)) return undefined;
  const readUrl = (start: number, size: number): string =>
    bytes.toString('utf16le', start, start + Math.min(size, MAX_URL_BYTES)).split('\0', 1)[0]!;
  if (flags & IS_TEXT_MONIKER) return readUrl(at + 4, readInt(bytes, at) * 2);
  return URL_MONIKER.equals(bytes.subarray(at, at + 16)) ? readUrl(at + 20, readInt(bytes, at + 16)) : undefined;
}
