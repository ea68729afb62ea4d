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
  /** The box of what is actually printed of the character. */
  ink(index: number): Box | undefined;
  /** Font size in points. */
  size(index: number): number;
  /** Whether the character is printed upright. */
  isUpright(index: number): boolean;
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
/** The printed shapes of two characters are further apart than the characters' boxes, by at least this factor. */
const INK = 1.2;
/** Gaps within a word differ by at most this share of the font size. */
const SAME_GAP = 0.05;
/** Relative to the height: the letters of a letterspaced word deviate vertically by no more than this. */
const LEVEL = 0.2;
/**
 * A character that is not further right and this many font sizes lower or higher is on a different line; the small
 * letter in LaTeX's logo is not.
 */
const LINE_BELOW = 0.35;
const LINE_ABOVE = 0.75;
/** Relative to the height of a character: the feet of characters on the same line are no further away than this. */
const RAISED = 0.1;
/** Maximum number of digits in a footnote number. */
const MOST_DIGITS = 3;
/** Minimum number of characters in a row with the same gap that count as letterspaced. */
const LEAST_LETTERSPACED = 4;
/** Gaps that differ by less than this share of the font size count as equal. */
const EQUAL_GAP = 0.03;
/** Relative to the font size: single letters with wider gaps are words. */
const LETTER_GAP = 0.18;
/**
 * A gap counts as none, whatever the font, if it is less than these shares of the wider or the narrower of two
 * characters.
 */
const NO_GAP = 0.08;
const NO_GAP_NARROW = 0.3;

const WORD = /^[\p{L}\p{N}]$/u;
const LETTER = /^\p{L}$/u;
const LOWER = /^\p{Ll}$/u;
const DIGIT = /^\p{N}$/u;
/** Scripts that are written without spaces. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]$/u;

const getWidth = (box: Box): number => box.right - box.left;
const getHeight = (box: Box): number => box.top - box.bottom;

/** The gap between two characters on one line, in either writing direction; negative if they overlap. */
const computeGap = (one: Box, other: Box): number => Math.max(other.left - one.right, one.left - other.right);

function isSameLine(one: Box, other: Box): boolean {
  const overlap = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  return overlap > Math.min(getHeight(one), getHeight(other)) / 2;
}

function getAdvance({ advances }: Glyphs, index: number): Box | undefined {
  const left = advances[index * 4];
  if (left === undefined || Number.isNaN(left)) return undefined;
  return { left, top: advances[index * 4 + 1]!, right: advances[index * 4 + 2]!, bottom: advances[index * 4 + 3]! };
}

/**
 * The smaller font size of two characters. Some programs scale fonts in a way that PDFium's font size does not reflect.
 */
function computeSmallerFontSize(glyphs: Glyphs, one: number, other: number): number {
  const [first, second] = [one, other].map((index) => {
    const width = getWidth(getAdvance(glyphs, index) ?? NOWHERE);
    const size = glyphs.size(index);
    return size > width / 2 ? size : width * 2;
  });
  return Math.min(first!, second!);
}

/**
 * Inserts a space where the gap before a character is that between words or lines, although PDFium found none there.
 */
export function separateWords(glyphs: Glyphs): void {
  const { texts, advances } = glyphs;
  const words: number[] = [];
  /** The gap before each character of a word except the first, in points. */
  const gaps = new Float32Array(texts.length);
  let suspects: number[] = [];
  let start = 0;
  const endWord = (index: number, next: number): void => {
    if (suspects.length > 0) {
      for (const word of findWordStarts(glyphs, gaps.subarray(start + 1, index), start, suspects)) words.push(word);
      suspects = [];
    }
    start = next;
  };
  for (let index = 0; index < texts.length; index++) {
    const at = index * 4;
    // A space.
    if (Number.isNaN(advances[at]!)) {
      endWord(index, index + 1);
      continue;
    }
    if (index === start) continue;
    // Usually the previous character is on the same line and in the same font.
    const isPlain = advances[at + 1] === advances[at - 3] && advances[at + 3] === advances[at - 1];
    const gap = isPlain ? advances[at]! - advances[at - 2]! : 0;
    if (isPlain && Math.abs(gap) < (advances[at + 2]! - advances[at]!) * NO_GAP) {
      gaps[index] = gap;
      continue;
    }
    const [before, box] = [getAdvance(glyphs, index - 1), getAdvance(glyphs, index)];
    if (!before || !box) continue;
    if (isBackward(before, box) && isNewLine(glyphs, index, before, box)) {
      if (isHyphenated(texts, index, before, box)) texts[index - 1] = '';
      else words.push(index);
      endWord(index, index);
    } else if (isFootnoteNumber(texts, start, index, before, box)) {
      words.push(index);
      endWord(index, index);
    } else if (isSameLine(before, box) && before.left !== box.left) {
      gaps[index] = computeGap(before, box);
      if (gaps[index]! > largestGapWithinWord(before, box)) suspects.push(index);
    }
  }
  endWord(texts.length, texts.length);
  for (const index of words) texts[index] = ` ${texts[index]}`;
}

function largestGapWithinWord(one: Box, other: Box): number {
  const [first, second] = [getWidth(one), getWidth(other)];
  return Math.min(Math.max(first, second) * NO_GAP, Math.min(first, second) * NO_GAP_NARROW);
}

/** The character is not further right, and is higher or lower: only then is a closer look worthwhile. */
const isBackward = (one: Box, other: Box): boolean =>
  other.left < (one.left + one.right) / 2 && Math.abs(other.bottom - one.bottom) > getHeight(other) * RAISED;

function isNewLine(glyphs: Glyphs, index: number, one: Box, other: Box): boolean {
  const { texts } = glyphs;
  const least =
    computeSmallerFontSize(glyphs, index - 1, index) * (other.bottom < one.bottom ? LINE_BELOW : LINE_ABOVE);
  return (
    Math.abs(other.bottom - one.bottom) > least &&
    (needsSpaceBetween(texts[index - 1]!, texts[index]!) || texts[index - 1] === '-') &&
    glyphs.isUpright(index - 1) &&
    glyphs.isUpright(index)
  );
}

const isHyphenated = (texts: readonly string[], index: number, one: Box, other: Box): boolean =>
  texts[index - 1] === '-' &&
  other.bottom < one.bottom &&
  LOWER.test(texts[index - 2] ?? '') &&
  LOWER.test(texts[index]!);

/** Whether a word begins with a raised number, as at the start of a footnote. */
function isFootnoteNumber(texts: readonly string[], start: number, index: number, number: Box, letter: Box): boolean {
  const height = getHeight(letter);
  if (getHeight(number) >= height * 0.9 || number.bottom <= letter.bottom + height * RAISED) return false;
  if (index - start > MOST_DIGITS || !LETTER.test(texts[index]!)) return false;
  return texts.slice(start, index).every((text) => DIGIT.test(text));
}

const NOWHERE: Box = { left: 0, right: 0, bottom: 0, top: 0 };

/** Finds where words begin inside what PDFium takes for one word. */
function findWordStarts(glyphs: Glyphs, gaps: Float32Array, start: number, suspects: readonly number[]): number[] {
  const { texts } = glyphs;
  // Letterspaced words have the same gap everywhere; letters that are set in columns have arbitrary gaps.
  const usual = Math.max(0, gaps.toSorted()[(gaps.length - 1) >> 1]!);
  const same = computeSmallerFontSize(glyphs, suspects[0]! - 1, suspects[0]!) * SAME_GAP;
  if (gaps.filter((gap) => Math.abs(gap - usual) < same).length < gaps.length / 2) return [];
  return suspects.filter((index) => {
    const [one, other] = [texts[index - 1]!, texts[index]!];
    if (!needsSpaceBetween(one, other)) return false;
    const isWide = (DIGIT.test(one) && DIGIT.test(other)) || isLigature(glyphs, index - 2);
    const least = computeSmallerFontSize(glyphs, index - 1, index) * (isWide ? WIDE_GAP : WORD_GAP);
    if (gaps[index - start - 1]! - usual <= least) return false;
    // Fonts with wrong widths have gaps that are not visible.
    const [before, at] = [glyphs.ink(index - 1), glyphs.ink(index)];
    return before !== undefined && at !== undefined && computeGap(before, at) > least * INK;
  });
}

/** All letters of a ligature have the same position. */
function isLigature(glyphs: Glyphs, index: number): boolean {
  const [one, other] = [getAdvance(glyphs, index), getAdvance(glyphs, index + 1)];
  return one !== undefined && one.left === other?.left;
}

/** Whether a space between the two characters matters. */
const needsSpaceBetween = (one: string, other: string): boolean =>
  WORD.test(one) && WORD.test(other) && !(UNSPACED.test(one) && UNSPACED.test(other));

/** Removes inferred spaces within letterspaced words: those that are as wide as the adjacent gaps. */
export function joinLetterspacedWords(glyphs: Glyphs): void {
  const { texts, advances } = glyphs;
  /** Start of the current run, in which each gap is like the one before it, whether or not it contains a space. */
  let start = 0;
  let last = -1;
  let before = Number.NaN;
  let spaces = 0;
  for (let index = 0; index < texts.length; index++) {
    if (Number.isNaN(advances[index * 4]!)) continue;
    const isSpaced = index === last + 2 && texts[last + 1] === ' ';
    const gap = isSpaced || index === last + 1 ? computeLineGap(advances, last, index) : Number.NaN;
    // Negated as a whole, so that an unknown gap (NaN) ends the run, too.
    if (!(start === last || Math.abs(gap - before) < estimateEm(advances, last, index) * EQUAL_GAP)) {
      if (spaces > 0) joinRun(glyphs, start, last, before);
      // The last character of a run may be the first of the next one.
      start = last;
      spaces = 0;
    }
    if (Number.isNaN(gap)) start = index;
    else if (isSpaced) spaces++;
    before = gap;
    last = index;
  }
  if (spaces > 0) joinRun(glyphs, start, last, before);
}

/** The gap between two characters of about the same size on one line; NaN otherwise. */
function computeLineGap(advances: Float32Array, one: number, other: number): number {
  const [at, next] = [one * 4, other * 4];
  const height = advances[next + 1]! - advances[next + 3]!;
  const isAligned = (edge: number): boolean => Math.abs(advances[at + edge]! - advances[next + edge]!) < height * LEVEL;
  return isAligned(1) && isAligned(3) ? advances[next]! - advances[at + 2]! : Number.NaN;
}

/** An estimate at or below the font size, because bitmap fonts have arbitrary heights. */
function estimateEm(advances: Float32Array, one: number, other: number): number {
  const [at, next] = [one * 4, other * 4];
  const widths = advances[at + 2]! - advances[at]! + advances[next + 2]! - advances[next]!;
  return Math.min(advances[next + 1]! - advances[next + 3]!, widths);
}

/**
 * Joins the words of the run, which are separated by written spaces and by anything that is neither a letter nor a
 * number.
 */
function joinRun(glyphs: Glyphs, start: number, last: number, gap: number): void {
  const { texts } = glyphs;
  let word: number[] = [];
  for (let index = start; index <= last; index++) {
    const isPart = WORD.test(texts[index]!) && !UNSPACED.test(texts[index]!);
    if (isPart) word.push(index);
    else if (texts[index] !== ' ' || !glyphs.isGenerated(index)) {
      joinWord(glyphs, word, gap);
      word = [];
    }
  }
  joinWord(glyphs, word, gap);
}

/** Decides from the positions of the word's letters. */
function joinWord(glyphs: Glyphs, word: readonly number[], gap: number): void {
  const { texts } = glyphs;
  const [first, last] = [word[0]!, word[word.length - 1]!];
  if (word.length < LEAST_LETTERSPACED || last - first < word.length) return;
  const em = computeSmallerFontSize(glyphs, first, last);
  if (last - first === (word.length - 1) * 2) {
    // If the neighbouring words have the same spaces, these are words of one letter.
    if (WORD.test(texts[first - 1] ?? '') || WORD.test(texts[last + 1] ?? '')) return;
    if (gap >= em * (LETTER.test(texts[first]!) ? LETTER_GAP : WORD_GAP)) return;
  } else if (gap < em * EQUAL_GAP) return;
  for (let index = first; index < last; index++) if (texts[index] === ' ') texts[index] = '';
}
