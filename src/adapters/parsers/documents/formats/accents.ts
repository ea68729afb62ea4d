/**
 * Joins accents that are printed separately over their letters, as TeX does with its early fonts. Only an accent's
 * position on the page tells which letter it belongs to: in the text it may be anywhere in the line.
 */

/** The position of a character in points; `bottom` is less than `top`. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** The combining character of each accent. */
const COMBINING_ACCENTS: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '\u00a8': '\u0308',
  '\u00af': '\u0304',
  '\u00b4': '\u0301',
  '\u00b8': '\u0327',
  '\u02c6': '\u0302',
  '\u02c7': '\u030c',
  '\u02d8': '\u0306',
  '\u02d9': '\u0307',
  '\u02da': '\u030a',
  '\u02db': '\u0328',
  '\u02dc': '\u0303',
  '\u02dd': '\u030b',
};
export const SPACING_ACCENT = /[`\u00a8\u00af\u00b4\u00b8\u02c6\u02c7\u02d8\u02d9-\u02dd]/u;
const ACCENTS_BELOW = new Set(['\u00b8', '\u02db']);
/** How many characters before and after an accent are searched for its letter, which is a few lines. */
const SEARCH_RANGE = 300;
/** Maximum number of accents on one page: if there are more, they are not text. */
const MAX_ACCENTS = 2_000;

/** Returns the accent and the letter as one character; undefined if there is no such character. */
export function composeAccent(accent: string, letter: string): string | undefined {
  const composed = `${letter === '\u0131' ? 'i' : letter}${COMBINING_ACCENTS[accent]}`.normalize('NFC');
  return composed.length === 1 ? composed : undefined;
}

/**
 * Whether the accent is printed over or under the letter: its middle is within the letter's width, and it begins where
 * the letter ends.
 */
export function isPrintedOn(accent: string, accentBox: Box, letterBox: Box): boolean {
  const middle = (accentBox.left + accentBox.right) / 2;
  const height = letterBox.top - letterBox.bottom;
  if (height <= 0 || middle < letterBox.left || middle > letterBox.right) return false;
  return ACCENTS_BELOW.has(accent)
    ? accentBox.bottom < letterBox.bottom && Math.abs(accentBox.top - letterBox.bottom) < height * 0.35
    : accentBox.top > letterBox.top - height * 0.2 && Math.abs(accentBox.bottom - letterBox.top) < height * 0.5;
}

export interface Characters {
  /** The characters of the page, which are changed in place; '' represents a removed one. */
  readonly texts: string[];
  /** Undefined if the position is unknown. */
  getBox(index: number): Box | undefined;
  /** Whether the character is a space that was not written but inferred from a gap. */
  isGenerated(index: number): boolean;
  /** In points. */
  getFontSize(index: number): number;
}

/** Joins each accent with its letter, and removes the gap that it leaves in the word. */
export function joinAccents(characters: Characters): void {
  const { texts } = characters;
  let remaining = MAX_ACCENTS;
  for (let index = 0; index < texts.length && remaining > 0; index++) {
    if (!SPACING_ACCENT.test(texts[index]!)) continue;
    remaining--;
    const accentBox = characters.getBox(index);
    const letterIndex = accentBox && findAccentedLetter(characters, index, accentBox);
    if (letterIndex === undefined) continue;
    texts[letterIndex] = composeAccent(texts[index]!, texts[letterIndex]!)!;
    texts[index] = '';
    closeGap(characters, index);
  }
}

/** An accent and its letter have about the same font size; a large initial under an accent is not its letter. */
const MAX_SIZE_RATIO = 2;

function findAccentedLetter(
  { texts, getBox, getFontSize }: Characters,
  accentIndex: number,
  accentBox: Box,
): number | undefined {
  for (let distance = 1; distance <= SEARCH_RANGE; distance++) {
    for (const index of [accentIndex + distance, accentIndex - distance]) {
      const letter = texts[index];
      if (letter === undefined || !/^[A-Za-z\u0131]$/.test(letter)) continue;
      const letterBox = getBox(index);
      if (
        !letterBox ||
        !isPrintedOn(texts[accentIndex]!, accentBox, letterBox) ||
        !composeAccent(texts[accentIndex]!, letter)
      )
        continue;
      const sizes = [getFontSize(accentIndex), getFontSize(index)];
      if (Math.max(...sizes) <= Math.min(...sizes) * MAX_SIZE_RATIO) return index;
    }
  }
  return undefined;
}

/** A gap smaller than this share of the font size does not separate words. */
const WORD_GAP = 0.15;

/** Removes the gap at a joined accent if the characters on both sides of it are adjacent. */
function closeGap(characters: Characters, accentIndex: number): void {
  const { texts } = characters;
  const findNeighbor = (from: number, step: -1 | 1): number => {
    let index = from + step;
    while (index >= 0 && index < texts.length && (texts[index] === '' || isGap(characters, index))) index += step;
    return index;
  };
  const leftIndex = findNeighbor(accentIndex, -1);
  const rightIndex = findNeighbor(accentIndex, 1);
  const [leftBox, rightBox] = [characters.getBox(leftIndex), characters.getBox(rightIndex)];
  if (!leftBox || !rightBox) return;
  const gap = rightBox.left - leftBox.right;
  const isSameLine = leftBox.bottom < rightBox.top && rightBox.bottom < leftBox.top;
  if (!isSameLine || Math.abs(gap) > characters.getFontSize(rightIndex) * WORD_GAP) return;
  for (let index = leftIndex + 1; index < rightIndex; index++) texts[index] = '';
}

const isGap = ({ texts, isGenerated }: Characters, index: number): boolean =>
  /^\s$/.test(texts[index]!) && isGenerated(index);
