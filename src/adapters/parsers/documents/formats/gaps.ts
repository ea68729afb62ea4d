/**
 * Finds where words begin, by the gaps between characters. PDFium infers spaces from gaps, too, but its minimum gap
 * depends on the font: if it is wide, words are joined, and if it is narrow, letterspaced words come apart.
 */
import type { Box } from './accents.js';

export interface Glyphs {
  /** The characters of the page, which are changed in place. */
  readonly texts: string[];
  /**
   * Left, top, right and bottom of each character, from its origin to that of the next one; NaN for spaces and if
   * unknown.
   */
  readonly advances: Float32Array;
  /** Returns the bounding box of the character's printed shape. */
  getInkBox(index: number): Box | undefined;
  /** Returns the font size in points. */
  size(index: number): number;
  /** Returns how far the character is turned, clockwise, in radians. */
  angle(index: number): number;
  /** Whether the character is a space that was not written but inferred from a gap. */
  isGenerated(index: number): boolean;
}

/** Relative to the font size: only a gap wider than this separates words, as in poppler. */
const WORD_GAP = 0.1;
/**
 * A wider minimum gap, because digits are also grouped by thin spaces (a sixth of the font size), and PDFium's widths
 * of ligatures are too small.
 */
const WIDE_GAP = 0.2;
/** Even if all gaps are alike, as between the columns of a table: letters of one word are closer. */
const COLUMN_GAP = 0.7;
/** The printed shapes of two characters are further apart than the characters' boxes, by at least this factor. */
const INK_FACTOR = 1.2;
/** Gaps within a word differ by at most this share of the font size. */
const MAX_GAP_DEVIATION = 0.05;
/** Relative to the height: the letters of a letterspaced word deviate vertically by no more than this. */
const MAX_VERTICAL_DEVIATION = 0.2;
/**
 * A character that is not further right and this many font sizes lower or higher is on a different line; the small
 * letter in LaTeX's logo is not.
 */
const LINE_BELOW = 0.35;
const LINE_ABOVE = 0.75;
/** Relative to the height of a character: on the same line, the bottoms of characters differ by no more than this. */
const MAX_BOTTOM_DEVIATION = 0.1;
/** Maximum number of digits in a footnote number. */
const MAX_DIGITS = 3;
/** Minimum number of characters of a letterspaced word. */
const MIN_LETTERSPACED = 4;
/** Gaps that differ by less than this share of the font size are treated as equal. */
const EQUAL_GAP = 0.03;
/** Relative to the font size: single letters with wider gaps are words. */
const LETTER_GAP = 0.18;
/**
 * Whatever the font, a gap is ignored if it exceeds neither of these shares: of the width of the wider and of the
 * narrower of the two characters.
 */
const NEGLIGIBLE_GAP = 0.08;
const NEGLIGIBLE_GAP_NARROW = 0.3;

/** In radians: the letters of a word at an angle differ by less than this. */
const MAX_ANGLE_DEVIATION = 0.01;
/** The difference of the squares of cosine and sine, which is 0 at 45 degrees. */
const MIN_ANGLE_FACTOR = 0.2;

const WORD_CHARACTER = /^[\p{L}\p{N}]$/u;
const LETTER = /^\p{L}$/u;
const LOWERCASE_LETTER = /^\p{Ll}$/u;
const DIGIT = /^\p{N}$/u;
/** Scripts that are written without spaces. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]$/u;

const getWidth = (box: Box): number => box.right - box.left;
const getHeight = (box: Box): number => box.top - box.bottom;

/** The gap between two characters on one line, in either writing direction; negative if they overlap. */
const computeGap = (first: Box, second: Box): number => Math.max(second.left - first.right, first.left - second.right);

export function isSameLine(first: Box, second: Box): boolean {
  const overlap = Math.min(first.top, second.top) - Math.max(first.bottom, second.bottom);
  return overlap > Math.min(getHeight(first), getHeight(second)) / 2;
}

export function getAdvance({ advances }: Glyphs, index: number): Box | undefined {
  const left = advances[index * 4];
  if (left === undefined || Number.isNaN(left)) return undefined;
  return { left, top: advances[index * 4 + 1]!, right: advances[index * 4 + 2]!, bottom: advances[index * 4 + 3]! };
}

/**
 * The smaller font size of two characters. Some programs scale fonts in a way that PDFium's font size does not reflect.
 */
function computeSmallerFontSize(glyphs: Glyphs, firstIndex: number, secondIndex: number): number {
  const [firstSize, secondSize] = [firstIndex, secondIndex].map((index) => {
    const width = getWidth(getAdvance(glyphs, index) ?? EMPTY_BOX);
    const fontSize = glyphs.size(index);
    return fontSize > width / 2 ? fontSize : width * 2;
  });
  return Math.min(firstSize!, secondSize!);
}

/**
 * Inserts a space before a character where the gap is as wide as between words or lines but PDFium inferred no space.
 */
export function separateWords(glyphs: Glyphs): void {
  const { texts, advances } = glyphs;
  const wordStarts: number[] = [];
  /** The gap before each character of a word except the first, in points. */
  const gaps = new Float32Array(texts.length);
  let suspects: number[] = [];
  let start = 0;
  const endWord = (index: number, next: number): void => {
    if (suspects.length > 0) {
      for (const wordStart of findWordStarts(glyphs, gaps.subarray(start + 1, index), start, suspects))
        wordStarts.push(wordStart);
      suspects = [];
    }
    start = next;
  };
  for (let index = 0; index < texts.length; index++) {
    const offset = index * 4;
    // A space.
    if (Number.isNaN(advances[offset]!)) {
      endWord(index, index + 1);
      continue;
    }
    if (index === start) continue;
    // Usually the previous character is on the same line and in the same font.
    const isPlain = advances[offset + 1] === advances[offset - 3] && advances[offset + 3] === advances[offset - 1];
    const gap = isPlain ? advances[offset]! - advances[offset - 2]! : 0;
    if (isPlain && Math.abs(gap) < (advances[offset + 2]! - advances[offset]!) * NEGLIGIBLE_GAP) {
      gaps[index] = gap;
      continue;
    }
    const [previous, box] = [getAdvance(glyphs, index - 1), getAdvance(glyphs, index)];
    if (!previous || !box) continue;
    if (isBackward(previous, box) && isNewLine(glyphs, index, previous, box)) {
      if (isHyphenated(texts, index, previous, box)) texts[index - 1] = '';
      else wordStarts.push(index);
      endWord(index, index);
    } else if (isFootnoteNumber(texts, start, index, previous, box)) {
      wordStarts.push(index);
      endWord(index, index);
    } else if (isSameLine(previous, box) && previous.left !== box.left) {
      gaps[index] = computeGap(previous, box);
      if (gaps[index]! > computeMaxGapWithinWord(previous, box)) suspects.push(index);
    }
  }
  endWord(texts.length, texts.length);
  for (const index of wordStarts) texts[index] = ` ${texts[index]}`;
}

function computeMaxGapWithinWord(previous: Box, current: Box): number {
  const [previousWidth, currentWidth] = [getWidth(previous), getWidth(current)];
  return Math.min(
    Math.max(previousWidth, currentWidth) * NEGLIGIBLE_GAP,
    Math.min(previousWidth, currentWidth) * NEGLIGIBLE_GAP_NARROW,
  );
}

/** Whether the character is not further right and is higher or lower, so that it may begin a new line. */
const isBackward = (previous: Box, current: Box): boolean =>
  current.left < (previous.left + previous.right) / 2 &&
  Math.abs(current.bottom - previous.bottom) > getHeight(current) * MAX_BOTTOM_DEVIATION;

function isNewLine(glyphs: Glyphs, index: number, previous: Box, current: Box): boolean {
  const { texts } = glyphs;
  const minDistance =
    computeSmallerFontSize(glyphs, index - 1, index) * (current.bottom < previous.bottom ? LINE_BELOW : LINE_ABOVE);
  return (
    Math.abs(current.bottom - previous.bottom) > minDistance &&
    (needsSpaceBetween(texts[index - 1]!, texts[index]!) || texts[index - 1] === '-') &&
    glyphs.angle(index - 1) === 0 &&
    glyphs.angle(index) === 0
  );
}

const isHyphenated = (texts: readonly string[], index: number, previous: Box, current: Box): boolean =>
  texts[index - 1] === '-' &&
  current.bottom < previous.bottom &&
  LOWERCASE_LETTER.test(texts[index - 2] ?? '') &&
  LOWERCASE_LETTER.test(texts[index]!);

/** Whether a word begins with a raised number, as at the start of a footnote. */
function isFootnoteNumber(
  texts: readonly string[],
  start: number,
  index: number,
  numberBox: Box,
  letterBox: Box,
): boolean {
  const height = getHeight(letterBox);
  if (getHeight(numberBox) >= height * 0.9 || numberBox.bottom <= letterBox.bottom + height * MAX_BOTTOM_DEVIATION)
    return false;
  if (index - start > MAX_DIGITS || !LETTER.test(texts[index]!)) return false;
  return texts.slice(start, index).every((text) => DIGIT.test(text));
}

const EMPTY_BOX: Box = { left: 0, right: 0, bottom: 0, top: 0 };

/** Finds where words begin inside what PDFium treats as one word. */
function findWordStarts(glyphs: Glyphs, gaps: Float32Array, start: number, suspects: readonly number[]): number[] {
  const { texts } = glyphs;
  // Letterspaced words have the same gap everywhere; letters that are set in columns have arbitrary gaps.
  const typicalGap = Math.max(0, gaps.toSorted()[(gaps.length - 1) >> 1]!);
  const tolerance = computeSmallerFontSize(glyphs, suspects[0]! - 1, suspects[0]!) * MAX_GAP_DEVIATION;
  const areArbitrary = gaps.filter((gap) => Math.abs(gap - typicalGap) < tolerance).length < gaps.length / 2;
  return suspects.filter((index) => {
    const [previous, current] = [texts[index - 1]!, texts[index]!];
    if (!needsSpaceBetween(previous, current)) return false;
    const fontSize = computeSmallerFontSize(glyphs, index - 1, index);
    const gap = gaps[index - start - 1]!;
    const isWide = (DIGIT.test(previous) && DIGIT.test(current)) || isLigature(glyphs, index - 2);
    const minGap = fontSize * (isWide ? WIDE_GAP : WORD_GAP);
    if (gap <= fontSize * COLUMN_GAP && (areArbitrary || gap - typicalGap <= minGap)) return false;
    // Fonts with wrong widths have gaps that are not visible.
    const [previousInk, currentInk] = [glyphs.getInkBox(index - 1), glyphs.getInkBox(index)];
    return (
      previousInk !== undefined && currentInk !== undefined && computeGap(previousInk, currentInk) > minGap * INK_FACTOR
    );
  });
}

/** All letters of a ligature have the same position. */
function isLigature(glyphs: Glyphs, index: number): boolean {
  const [first, second] = [getAdvance(glyphs, index), getAdvance(glyphs, index + 1)];
  return first !== undefined && first.left === second?.left;
}

/** Whether a space between the two characters matters. */
const needsSpaceBetween = (previous: string, current: string): boolean =>
  WORD_CHARACTER.test(previous) && WORD_CHARACTER.test(current) && !(UNSPACED.test(previous) && UNSPACED.test(current));

/** Removes inferred spaces within letterspaced words: those that are as wide as the adjacent gaps. */
export function joinLetterspacedWords(glyphs: Glyphs): void {
  const { texts, advances } = glyphs;
  /** Start of the current run, in which each gap is like the one before it, whether or not it contains a space. */
  let start = 0;
  let lastIndex = -1;
  let previousGap = Number.NaN;
  let spaceCount = 0;
  for (let index = 0; index < texts.length; index++) {
    if (Number.isNaN(advances[index * 4]!)) continue;
    const isSpaced = index === lastIndex + 2 && texts[lastIndex + 1] === ' ';
    const gap = isSpaced || index === lastIndex + 1 ? computeLineGap(advances, lastIndex, index) : Number.NaN;
    // Negated as a whole, so that an unknown gap (NaN) ends the run, too.
    if (!(start === lastIndex || Math.abs(gap - previousGap) < estimateEm(advances, lastIndex, index) * EQUAL_GAP)) {
      if (spaceCount > 0) joinRun(glyphs, start, lastIndex, previousGap);
      // The last character of a run may be the first of the next one.
      start = lastIndex;
      spaceCount = 0;
    }
    if (Number.isNaN(gap)) start = index;
    else if (isSpaced) spaceCount++;
    previousGap = gap;
    lastIndex = index;
  }
  if (spaceCount > 0) joinRun(glyphs, start, lastIndex, previousGap);
}

/** Returns the gap between two characters of about the same size on one line; NaN for any others. */
function computeLineGap(advances: Float32Array, firstIndex: number, secondIndex: number): number {
  const [firstOffset, secondOffset] = [firstIndex * 4, secondIndex * 4];
  const height = advances[secondOffset + 1]! - advances[secondOffset + 3]!;
  const isAligned = (edge: number): boolean =>
    Math.abs(advances[firstOffset + edge]! - advances[secondOffset + edge]!) < height * MAX_VERTICAL_DEVIATION;
  return isAligned(1) && isAligned(3) ? advances[secondOffset]! - advances[firstOffset + 2]! : Number.NaN;
}

/** Returns an estimate that is at most the font size, because bitmap fonts have arbitrary heights. */
function estimateEm(advances: Float32Array, firstIndex: number, secondIndex: number): number {
  const [firstOffset, secondOffset] = [firstIndex * 4, secondIndex * 4];
  const widths =
    advances[firstOffset + 2]! - advances[firstOffset]! + advances[secondOffset + 2]! - advances[secondOffset]!;
  return Math.min(advances[secondOffset + 1]! - advances[secondOffset + 3]!, widths);
}

/**
 * Joins the words of the run, which are separated by written spaces and by anything that is neither a letter nor a
 * number.
 */
function joinRun(glyphs: Glyphs, start: number, last: number, gap: number): void {
  const { texts } = glyphs;
  let word: number[] = [];
  for (let index = start; index <= last; index++) {
    const isPart = WORD_CHARACTER.test(texts[index]!) && !UNSPACED.test(texts[index]!);
    if (isPart) word.push(index);
    else if (texts[index] !== ' ' || !glyphs.isGenerated(index)) {
      joinWord(glyphs, word, gap);
      word = [];
    }
  }
  joinWord(glyphs, word, gap);
}

/** Removes the spaces inside a word if the positions of its letters show that it is letterspaced. */
function joinWord(glyphs: Glyphs, word: readonly number[], gap: number): void {
  const { texts } = glyphs;
  const [first, last] = [word[0]!, word[word.length - 1]!];
  if (word.length < MIN_LETTERSPACED || last - first < word.length) return;
  const em = computeSmallerFontSize(glyphs, first, last);
  if (last - first === (word.length - 1) * 2) {
    // If the adjacent words are separated by the same spaces, these are words of one letter.
    if (WORD_CHARACTER.test(texts[first - 1] ?? '') || WORD_CHARACTER.test(texts[last + 1] ?? '')) return;
    if (gap >= em * (LETTER.test(texts[first]!) ? LETTER_GAP : WORD_GAP)) return;
  } else if (gap < em * EQUAL_GAP) return;
  for (let index = first; index < last; index++) if (texts[index] === ' ') texts[index] = '';
}

/** Removes spaces and line breaks that PDFium infers between the letters of words that are printed at an angle. */
export function joinRotatedWords(glyphs: Glyphs): void {
  const { texts } = glyphs;
  for (let index = 1; index < texts.length; index++) {
    if (!isBreak(texts[index])) continue;
    const before = index - 1;
    while (isBreak(texts[index + 1])) index++;
    if (glyphs.angle(before) === 0 || !isNextInRotatedWord(glyphs, before, index + 1)) continue;
    for (let position = before + 1; position <= index; position++)
      if (glyphs.isGenerated(position)) texts[position] = '';
  }
}

const isBreak = (text: string | undefined): boolean => text === ' ' || text === '\r' || text === '\n';

function isNextInRotatedWord(glyphs: Glyphs, firstIndex: number, secondIndex: number): boolean {
  const [first, second] = [getAdvance(glyphs, firstIndex), getAdvance(glyphs, secondIndex)];
  const angle = glyphs.angle(firstIndex);
  if (!first || !second || Math.abs(glyphs.angle(secondIndex) - angle) > MAX_ANGLE_DEVIATION) return false;
  const [cosine, sine] = [Math.cos(angle), -Math.sin(angle)];
  // The boxes are those around the turned characters, whose own widths cannot be told at an angle of 45 degrees.
  const factor = cosine * cosine - sine * sine;
  if (Math.abs(factor) < MIN_ANGLE_FACTOR) return false;
  const measure = (box: Box): number => (getWidth(box) * Math.abs(cosine) - getHeight(box) * Math.abs(sine)) / factor;
  const right = (second.left + second.right - first.left - first.right) / 2;
  const up = (second.top + second.bottom - first.top - first.bottom) / 2;
  const size = Math.min(glyphs.size(firstIndex), glyphs.size(secondIndex));
  const gap = right * cosine + up * sine - (measure(first) + measure(second)) / 2;
  return Math.abs(gap) < size * WORD_GAP && Math.abs(up * cosine - right * sine) < size * MAX_VERTICAL_DEVIATION;
}
