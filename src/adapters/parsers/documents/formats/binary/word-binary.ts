/**
 * Reads documents of Word 97 to 2003 ([MS-DOC]), and of Word 6 and 95. The text is stored in pieces: the table of
 * pieces tells where each is, and whether it is in UTF-16 or in a code page. The main text, footnotes, headers, comments,
 * endnotes and text boxes follow each other in one sequence of character positions.
 */
import { findEncoding } from '../../../charset.js';
import { type DocumentContent, Unreadable } from '../../document-content.js';
import {
  decodeCodePage,
  findCodePageOfCharset,
  findCodePageOfLanguage,
  findEncodingName,
  WESTERN,
} from './code-pages.js';
import type { CompoundFile } from './compound-file.js';
import { readByte, readInt, readShort } from './little-endian.js';
import { findOperand, readFormatRuns, readPart } from './word-formats.js';
import { readNumberedParagraphs } from './word-lists.js';
import { WordTextWriter } from './word-text.js';

const WORD_97 = 0xa5ec;
/** Of Word 6 and 95, the last three in Japanese, Korean and Chinese. */
const WORD_95 = new Set([0xa5dc, 0xa697, 0xa698, 0xa699]);
/** Versions of the file format before this one have the layout of Word 6 and 95. */
const FIRST_VERSION_OF_97 = 105;
const ENCRYPTED = 0x0100;
const SECOND_TABLE = 0x0200;
const COMPLEX = 0x0004;

/** Where the file information block has what the reader needs; it depends on the version. */
interface Layout {
  /** Lengths in characters of main text, footnotes, headers, macros, comments, endnotes, text boxes, text boxes of headers. */
  readonly lengths: number;
  readonly pieces: number;
  readonly characterFormats: number;
}

const LAYOUT_97: Layout = { lengths: 0x4c, pieces: 0x1a2, characterFormats: 0xfa };
const LAYOUT_95: Layout = { lengths: 0x34, pieces: 0x160, characterFormats: 0xb8 };
/** The order in which the sequences are read: what belongs to the text before headers and footers, without macros. */
const READING_ORDER = [0, 6, 1, 5, 4, 2, 7];
const MAX_CHARACTERS = 0x7fff_ffff;

/** Consecutive characters that are stored together. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** Position of the first character in the stream, in bytes. */
  readonly offset: number;
  readonly isWide: boolean;
}

/** A range of bytes in the stream, from `start` to before `end`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** @throws Unreadable */
export function readWordBinary(file: CompoundFile, content: DocumentContent): void {
  const stream = file.read(file.find('WordDocument'));
  const flags = readShort(stream, 10);
  const version = readShort(stream, 2);
  const identifier = readShort(stream, 0);
  if (identifier !== WORD_97 && !WORD_95.has(identifier))
    throw new Unreadable('extract-corrupt', 'the document has no file information block');
  if (flags & ENCRYPTED) throw new Unreadable('extract-encrypted', 'the document is encrypted');
  const is97 = version >= FIRST_VERSION_OF_97;
  const layout = is97 ? LAYOUT_97 : LAYOUT_95;
  const table = is97 ? file.read(file.find(flags & SECOND_TABLE ? '1Table' : '0Table')) : stream;
  const lengths = Array.from({ length: 8 }, (_, index) => readInt(stream, layout.lengths + index * 4));
  const pieces =
    is97 || flags & COMPLEX
      ? readPieces(readPart(table, stream, layout.pieces), is97)
      : [{ start: 0, end: MAX_CHARACTERS, offset: readInt(stream, 0x18), isWide: false }];
  const codePage = is97 ? WESTERN : findCodePage(stream);
  const deleted = is97 ? readDeletedRanges(stream, readPart(table, stream, layout.characterFormats)) : [];
  const text = new WordTextWriter(
    content,
    is97 ? readNumberedParagraphs(stream, table, content.position !== undefined) : undefined,
  );
  for (const index of READING_ORDER) {
    const start = lengths.slice(0, index).reduce((sum, length) => sum + length, 0);
    for (const piece of pieces) {
      if (content.isFull) return;
      addPiece(stream, cutPiece(piece, start, start + lengths[index]!), deleted, codePage, text);
    }
    text.endStory();
  }
}

const MACINTOSH = 10000;

/**
 * Finds the code page of a document of Word 6 or 95. It may be in the code page of its language, or of one of its fonts
 * if the text looks like it: each character run has a font, but documents name fonts that they do not use.
 */
function findCodePage(stream: Buffer): number {
  if (readByte(stream, 0x12) === 1) return MACINTOSH;
  const codePage = findCodePageOfLanguage(readShort(stream, 6));
  if (codePage !== WESTERN) return codePage;
  const fonts = readPart(stream, stream, 0xd0);
  const text = stream.subarray(readInt(stream, 0x18), readInt(stream, 0x1c));
  let detected: string | undefined;
  for (let at = 2; at < fonts.length; at += 1 + readByte(fonts, at)) {
    const candidate = findCodePageOfCharset(readByte(fonts, at + 4));
    if (candidate === undefined) continue;
    detected ??= findEncoding(text, undefined, 'text');
    if (findEncodingName(candidate) === detected) return candidate;
    if (NON_LATIN.has(candidate) && !isLatin(text)) return candidate;
  }
  return WESTERN;
}

/** Code pages of Cyrillic, Greek, Hebrew and Arabic. */
const NON_LATIN = new Set([1251, 1253, 1255, 1256]);

/** Whether letters beyond ASCII stand alone or in pairs among others, as in Western words; short texts tell no more. */
function isLatin(text: Buffer): boolean {
  const letters = text.toString('latin1');
  const count = (runs: readonly string[] | null): number => runs?.join('').length ?? 0;
  return count(letters.match(/[\u00c0-\u00ff]{3,}/g)) * 2 <= count(letters.match(/[\u00c0-\u00ff]+/g));
}

/** Reads the pieces from the `Clx`: formats, which are skipped, and then character positions and piece descriptors. */
function readPieces(clx: Buffer, hasWidePieces: boolean): Piece[] {
  let at = 0;
  while (readByte(clx, at) === 1) at += 3 + readShort(clx, at + 1);
  const size = readInt(clx, at + 1);
  const list = clx.subarray(at + 5, at + 5 + size);
  if (readByte(clx, at) !== 2 || list.length < 16)
    throw new Unreadable('extract-corrupt', 'the document has no table of pieces');
  const count = Math.floor((list.length - 4) / 12);
  return Array.from({ length: count }, (_, index) => {
    const [start, end] = [readInt(list, index * 4), readInt(list, index * 4 + 4)];
    const position = readInt(list, (count + 1) * 4 + index * 8 + 2);
    const isCompressed = (position & 0x40000000) !== 0;
    if (!hasWidePieces) return { start, end, offset: position, isWide: false };
    return isCompressed
      ? { start, end, offset: (position & 0x3fffffff) >>> 1, isWide: false }
      : { start, end, offset: position & 0x3fffffff, isWide: true };
  });
}

/** Returns the part of a piece that is in a range of character positions. */
function cutPiece(piece: Piece, from: number, to: number): Piece {
  const start = Math.max(piece.start, from);
  const end = Math.min(piece.end, to);
  return { ...piece, start, end, offset: piece.offset + (start - piece.start) * (piece.isWide ? 2 : 1) };
}

/** Characters that are decoded at a time, so that the limit of the text is noticed. */
const CHUNK_LENGTH = 65_536;

function addPiece(
  stream: Buffer,
  { start, end, offset, isWide }: Piece,
  deleted: readonly ByteRange[],
  codePage: number,
  text: WordTextWriter,
): void {
  if (end <= start) return;
  const size = Math.min((end - start) * (isWide ? 2 : 1), stream.length - offset);
  for (const range of subtractRanges({ start: offset, end: offset + size }, deleted))
    for (let at = range.start; at < range.end && !text.isFull; ) {
      const end = Math.min(at + CHUNK_LENGTH, range.end, text.beginAt(at));
      const bytes = stream.subarray(at, end);
      text.add(isWide ? bytes.toString('utf16le') : decodeCodePage(bytes, codePage));
      at = end;
    }
}

/** Returns what is left of a range without others, which are sorted and do not overlap. */
function subtractRanges(range: ByteRange, others: readonly ByteRange[]): ByteRange[] {
  const rest: ByteRange[] = [];
  let { start } = range;
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (others[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < others.length && others[index]!.start < range.end; index++) {
    if (others[index]!.start > start) rest.push({ start, end: others[index]!.start });
    start = Math.max(start, others[index]!.end);
  }
  if (start < range.end) rest.push({ start, end: range.end });
  return rest;
}

/** Operation of character formats ([MS-DOC] 2.6.1). */
const DELETED_BY_REVISION = 0x0800;

/** Reads which bytes are deleted, but kept because changes are tracked. */
function readDeletedRanges(stream: Buffer, pageTable: Buffer): ByteRange[] {
  const ranges: ByteRange[] = [];
  for (const { start, end, page, at } of readFormatRuns(stream, pageTable, 1)) {
    const format = page.subarray(at + 1, at + 1 + readByte(page, at));
    if (findOperand(format, DELETED_BY_REVISION)?.[0] !== 1) continue;
    if (start >= (ranges.at(-1)?.end ?? 0) && end > start) ranges.push({ start, end });
  }
  return ranges;
}
