/**
 * Finds where paragraphs end on a page of a PDF, which knows only lines. A paragraph ends where the next line is further
 * below than usual, of another size, indented or marked as an item of a list, and where its first word would have had room
 * on the line before.
 */
import { BLOCK_END } from '../document-content.js';
import type { Glyphs } from './gaps.js';

interface Line {
  /** The index of the first character, and that of the line break after the last one. */
  readonly start: number;
  /** The index of the first printed character. */
  readonly first: number;
  readonly end: number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  /** The usual height of its characters. */
  readonly height: number;
  readonly firstWordWidth: number;
  /** The widest gap between two characters, relative to the height. */
  readonly gap: number;
}

/** Texts with fewer characters in a line are vertical or single words on a drawing. */
const MIN_LINE_LENGTH = 3;
/** Relative to the usual distance of lines: a greater one separates paragraphs. */
const MAX_LEADING = 1.25;
/** Of the distances between the lines of a page, this share is at most the usual one: most paragraphs have several lines. */
const USUAL_SHARE = 0.25;
/** Heights of one font differ by at most this share. */
const MAX_HEIGHT_DEVIATION = 0.08;
/** Relative to the height: lines lower by less are the same line. */
const SAME_LINE = 0.5;
/** Relative to the height: a word has room if there is so much space beside it, and a line is indented by that much at least, and at most. */
const SPACE = 0.25;
const MIN_INDENT = 0.6;
const MAX_INDENT = 4;
/** Relative to the height: gaps between the columns of a table; the lesser one if the next line has such a gap, too. */
const COLUMN_GAP = 2;
const MIN_COLUMN_GAP = 0.9;
/** Number of lines before and after a line that show how wide its column is. */
const NEIGHBORS = 8;

const ITEM = /^[•‣▪▫■□●○◦∙·–—*➢✓\uf0b7\uf0a7-]\s/;
/** A first line with a mark or a number, below which the others are indented. */
const MARKED = new RegExp(`${ITEM.source}|^\\(?\\w{1,3}[.)]\\s`);
/** Dots that lead to a page number. */
const LEADER = /(?:\.\s?){5}|…\s*…/;
const SENTENCE_END = /[.!?:;][\p{Pf}\p{Pe}"']*$/u;
const SENTENCE_START = /^[^\p{L}]*(?:\p{Lu}|$)/u;
const HYPHEN = /[\ufffe\u0002\u00ad-]$/;

/** Whether a sentence goes on from one page to the next. */
export const goesOn = (text: string, nextText: string): boolean =>
  /[\p{L}\p{N},]$/u.test(text) && /^\p{Ll}/u.test(nextText);

/** Replaces the line breaks at which a paragraph ends. */
export function markParagraphs(glyphs: Glyphs, isRightToLeft: boolean): void {
  const { texts } = glyphs;
  const lines = findLines(glyphs, isRightToLeft);
  if (lines.length < 2) return;
  const leading = findLeading(lines);
  for (let index = 0; index + 1 < lines.length; index++)
    if (endsParagraph(lines, index, leading, texts)) texts[lines[index]!.end] = BLOCK_END;
}

function findLines({ texts, advances, angle }: Glyphs, isMirrored: boolean): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (let index = 0; index <= texts.length; index++) {
    if (index < texts.length && texts[index] !== '\n') continue;
    const line = measureLine(advances, start, index, isMirrored);
    // At an angle, neither is the next line below nor the end of a line right.
    if (line && angle(line.first) === 0) lines.push(line);
    start = index + 1;
  }
  return lines;
}

function measureLine(advances: Float32Array, start: number, end: number, isMirrored: boolean): Line | undefined {
  let first = end;
  let [left, right, bottom, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, Number.NaN];
  let firstWordWidth = Number.NaN;
  let gap = 0;
  const heights: number[] = [];
  for (let index = start; index < end; index++) {
    const offset = index * 4;
    const from = isMirrored ? -advances[offset + 2]! : advances[offset]!;
    const to = isMirrored ? -advances[offset]! : advances[offset + 2]!;
    if (Number.isNaN(from)) {
      if (heights.length > 0 && Number.isNaN(firstWordWidth)) firstWordWidth = right - left;
      continue;
    }
    const height = advances[offset + 1]! - advances[offset + 3]!;
    if (from - last > height * gap) gap = (from - last) / height;
    heights.push(height);
    left = Math.min(left, from);
    right = Math.max(right, to);
    if (first === end) {
      first = index;
      bottom = advances[offset + 3]!;
    }
    last = to;
  }
  if (heights.length === 0) return undefined;
  const height = heights.toSorted((a, b) => a - b)[heights.length >> 1]!;
  return {
    ...{ start, first, end, left, right, bottom, height, gap },
    firstWordWidth: Number.isNaN(firstWordWidth) ? right - left : firstWordWidth,
  };
}

/** Returns the usual distance of lines. */
function findLeading(lines: readonly Line[]): number {
  const distances = lines
    .slice(1)
    .map((line, index) => lines[index]!.bottom - line.bottom)
    .filter((distance, index) => distance > lines[index]!.height * SAME_LINE && distance < lines[index]!.height * 4)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length * USUAL_SHARE)] ?? 0;
}

function endsParagraph(lines: readonly Line[], index: number, leading: number, texts: readonly string[]): boolean {
  const [line, next] = [lines[index]!, lines[index + 1]!];
  if (line.end - line.start < MIN_LINE_LENGTH || next.end - next.start < MIN_LINE_LENGTH) return false;
  const text = texts.slice(line.start, line.end).join('').trimEnd();
  const nextText = texts.slice(next.start, next.end).join('').trimStart();
  if (HYPHEN.test(text)) return false;
  const height = Math.max(line.height, next.height);
  const distance = line.bottom - next.bottom;
  if (Math.abs(distance) < height * SAME_LINE) return false;
  if (Math.abs(line.height - next.height) > height * MAX_HEIGHT_DEVIATION) return true;
  // The next column.
  if (distance < 0) return !goesOn(text, nextText);
  if (distance > Math.max(leading, line.height) * MAX_LEADING) return true;
  if (isRow(line.gap, next.gap) || ITEM.test(nextText) || LEADER.test(text)) return true;
  const isSentence = SENTENCE_END.test(text) && SENTENCE_START.test(nextText);
  const margin = findMargin(
    lines,
    index,
    isSentence ? Number.POSITIVE_INFINITY : Math.max(leading, line.height) * MAX_LEADING,
  );
  return (
    line.right + next.firstWordWidth + line.height * SPACE * 2 < margin ||
    (!MARKED.test(text) && isIndented(lines, index + 1))
  );
}

const isRow = (gap: number, nextGap: number): boolean =>
  Math.max(gap, nextGap) > COLUMN_GAP || Math.min(gap, nextGap) > MIN_COLUMN_GAP;

/**
 * Finds how far to the right the lines around the line break reach, as long as they are no further apart than this: the
 * lines above a column may be longer.
 */
function findMargin(lines: readonly Line[], index: number, maxDistance: number): number {
  let margin = Math.max(lines[index]!.right, lines[index + 1]!.right);
  for (const step of [-1, 1])
    for (let count = 0, at = index; count < NEIGHBORS; count++, at += step) {
      const [line, other] = [lines[at]!, lines[at + step]];
      if (!other || !isSimilar(other, line)) break;
      const distance = (line.bottom - other.bottom) * step;
      if (distance > maxDistance || distance < 0) break;
      margin = Math.max(margin, other.right);
    }
  return margin;
}

const isSimilar = (one: Line, other: Line): boolean =>
  Math.abs(one.height - other.height) <= other.height * MAX_HEIGHT_DEVIATION &&
  Math.abs(one.left - other.left) < other.height * MAX_INDENT;

/** Whether the line begins further right than those before and after it. */
function isIndented(lines: readonly Line[], index: number): boolean {
  const [before, line, after] = [lines[index - 1]!, lines[index]!, lines[index + 1]];
  const isRight = (other: Line): boolean =>
    line.left - other.left > line.height * MIN_INDENT && line.left - other.left < line.height * MAX_INDENT;
  return (
    isRight(before) && after !== undefined && isRight(after) && Math.abs(before.left - after.left) < line.height * SPACE
  );
}
