/** Reads which paragraphs of a Word 97 document are list items, and what their lists look like ([MS-DOC] 2.9.131 to 2.9.150). */
import { type Level, ListNumbers, MAX_LEVELS, type Numbering, toLevelIndex } from '../list-numbers.js';
import { toHeadingLevel } from '../word-codes.js';
import { readByte, readInt, readShort } from './little-endian.js';
import { findOperand, readFormatRuns, readPart } from './word-formats.js';

/** Where the file information block has the position and size of each part in the table stream. */
const PART = { styles: 0xa2, paragraphFormats: 0x102, lists: 0x2e2, listUses: 0x2ea };
/** Operations of paragraph formats. */
const LEVEL = 0x260a;
const LIST_USE = 0x460b;
const OUTLINE_LEVEL = 0x2640;
const NO_STYLE = 0xfff;
const LIST_SIZE = 28;
const LIST_USE_SIZE = 16;
const LEVEL_SIZE = 28;
const PARAGRAPH_ENTRY_SIZE = 13;
const MAX_LEVEL_TEXT = 200;
const FORMATS = new Map([
  [1, 'upperRoman'],
  [2, 'lowerRoman'],
  [3, 'upperLetter'],
  [4, 'lowerLetter'],
  [5, 'ordinal'],
  [22, 'decimalZero'],
  [23, 'bullet'],
  [255, 'none'],
]);

export interface NumberedParagraphs {
  readonly numbers: ListNumbers;
  /** What the paragraphs that are items say of their lists, by the byte of the text at which they start. */
  readonly items: ReadonlyMap<number, Numbering>;
  /** The levels of the paragraphs that are headings, by the same bytes. */
  readonly headings: ReadonlyMap<number, number>;
  /** All those bytes in ascending order. */
  readonly starts: readonly number[];
}

export function readNumberedParagraphs(
  stream: Buffer,
  table: Buffer,
  wantsHeadings: boolean,
): NumberedParagraphs | undefined {
  const numbers = new ListNumbers();
  const listAt = readInt(stream, PART.lists);
  if (readInt(stream, PART.lists + 4) === 0 && !wantsHeadings) return undefined;
  readLists(table.subarray(listAt), numbers);
  readListUses(readPart(table, stream, PART.listUses), numbers);
  readStyles(readPart(table, stream, PART.styles), numbers);
  const items = new Map<number, Numbering>();
  const headings = new Map<number, number>();
  for (const { start, page, at } of readFormatRuns(
    stream,
    readPart(table, stream, PART.paragraphFormats),
    PARAGRAPH_ENTRY_SIZE,
  )) {
    // The size is in words, less a byte; after a 0 it is in words, in the byte that follows.
    const size = readByte(page, at) * 2 - 1;
    const format =
      size > 0 ? page.subarray(at + 1, at + 1 + size) : page.subarray(at + 2, at + 2 + readByte(page, at + 1) * 2);
    const style = String(readShort(format, 0));
    const operations = format.subarray(2);
    const numbering = { style, ...readNumbering(operations) };
    const level = wantsHeadings ? numbers.findHeadingLevel(style, readOutlineLevel(operations)) : undefined;
    if (level !== undefined) headings.set(start, level);
    if (numbering.useId !== undefined || numbers.resolveStyle(style).useId !== undefined) items.set(start, numbering);
  }
  const starts = new Set([...items.keys(), ...headings.keys()]);
  return { numbers, items, headings, starts: [...starts].sort((a, b) => a - b) };
}

function readOutlineLevel(operations: Buffer): number | undefined {
  const operand = findOperand(operations, OUTLINE_LEVEL);
  return operand && readByte(operand, 0);
}

function readNumbering(operations: Buffer): Omit<Numbering, 'style'> {
  const use = findOperand(operations, LIST_USE);
  const level = findOperand(operations, LEVEL);
  return {
    useId: use && String(readShort(use, 0)),
    level: level && toLevelIndex(String(readByte(level, 0))),
  };
}

/** The levels of all lists follow their table. */
function readLists(part: Buffer, { lists }: ListNumbers): void {
  const count = Math.min(readShort(part, 0), Math.floor(part.length / LIST_SIZE));
  let at = 2 + count * LIST_SIZE;
  for (let index = 0; index < count; index++) {
    const head = part.subarray(2 + index * LIST_SIZE);
    const levels: Level[] = [];
    const levelsByStyle = new Map<string, number>();
    const levelCount = readByte(head, 26) & 1 ? 1 : MAX_LEVELS;
    for (let level = 0; level < levelCount && at < part.length; level++) {
      const style = readShort(head, 8 + level * 2);
      if (style !== NO_STYLE) levelsByStyle.set(String(style), level);
      const read = readLevel(part, at);
      levels.push(read.level);
      at = read.end;
    }
    lists.set(String(readInt(head, 0)), { levels, levelsByStyle, styleLink: undefined, counters: [] });
  }
}

function readLevel(part: Buffer, at: number): { level: Level; end: number } {
  const flags = readByte(part, at + 5);
  const textAt = at + LEVEL_SIZE + readByte(part, at + 24) + readByte(part, at + 25);
  const end = textAt + 2 + readShort(part, textAt) * 2;
  const text = part.toString('utf16le', textAt + 2, Math.min(end, textAt + 2 + MAX_LEVEL_TEXT * 2));
  const level = {
    start: readInt(part, at),
    format: FORMATS.get(readByte(part, at + 4)) ?? 'decimal',
    // The numbers of levels are the characters 0 to 8.
    text: text.replace(/[\0-\u0008]/g, (character) => `%${character.charCodeAt(0) + 1}`),
    restart: flags & 8 ? readByte(part, at + 26) : undefined,
    isLegal: (flags & 4) !== 0,
  };
  return { level, end };
}

/** Uses of lists are numbered from 1. What each changes in its list follows their table. */
function readListUses(part: Buffer, { uses }: ListNumbers): void {
  const count = Math.min(readInt(part, 0), Math.floor(part.length / LIST_USE_SIZE));
  let at = 4 + count * LIST_USE_SIZE;
  for (let index = 0; index < count; index++) {
    const head = 4 + index * LIST_USE_SIZE;
    const startOverrides = new Map<number, number>();
    const levels: Level[] = [];
    at += 4;
    for (let changes = readByte(part, head + 12); changes > 0 && at < part.length; changes--) {
      const flags = readInt(part, at + 4);
      const level = flags & 15;
      if (flags & 16) startOverrides.set(level, readInt(part, at));
      at += 8;
      if (!(flags & 32)) continue;
      const read = readLevel(part, at);
      levels[level] = read.level;
      at = read.end;
    }
    uses.set(String(index + 1), { listId: String(readInt(part, head)), startOverrides, levels, isStarted: false });
  }
}

/** Reads the paragraph styles: lists, levels of headings, and on which others they are based. The built-in headings are 1 to 9. */
function readStyles(part: Buffer, { styles }: ListNumbers): void {
  const baseSize = readShort(part, 4);
  let at = 2 + readShort(part, 0);
  for (let index = 0; at + 2 <= part.length; index++) {
    const size = readShort(part, at);
    const style = part.subarray(at + 2, at + 2 + size);
    at += 2 + size + (size % 2);
    if (size === 0 || (readShort(style, 2) & 15) !== 1) continue;
    const formatAt = baseSize + 2 + readShort(style, baseSize) * 2 + 2;
    const operations = style.subarray(formatAt + 4, formatAt + 2 + readShort(style, formatAt));
    const builtIn = readShort(style, 0) & 0xfff;
    const headingLevel =
      toHeadingLevel(readOutlineLevel(operations)) ?? (builtIn >= 1 && builtIn <= 9 ? builtIn : undefined);
    styles.set(String(index), {
      parent: String(readShort(style, 2) >> 4),
      headingLevel,
      ...readNumbering(operations),
    });
  }
}
