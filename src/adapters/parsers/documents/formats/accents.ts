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
const COMBINING: Readonly<Record<string, string>> = {
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
const BELOW = new Set(['\u00b8', '\u02db']);
/** How many characters before and after an accent are searched for its letter, which is a few lines. */
const NEAR = 300;
/** Maximum number of accents on one page: if there are more, they are not text. */
const MOST_ACCENTS = 2_000;

/** Returns the accent and the letter as one character; undefined if there is no such character. */
export function composeAccent(accent: string, letter: string): string | undefined {
  const both = `${letter === '\u0131' ? 'i' : letter}${COMBINING[accent]}`.normalize('NFC');
  return both.length === 1 ? both : undefined;
}

/**
 * Whether the accent is printed over or under the letter: its middle is within the letter's width, and it begins where
 * the letter ends.
 */
export function isPrintedOn(accent: string, at: Box, letter: Box): boolean {
  const middle = (at.left + at.right) / 2;
  const height = letter.top - letter.bottom;
  if (height <= 0 || middle < letter.left || middle > letter.right) return false;
  return BELOW.has(accent)
    ? at.bottom < letter.bottom && Math.abs(at.top - letter.bottom) < height * 0.35
    : at.top > letter.top - height * 0.2 && Math.abs(at.bottom - letter.top) < height * 0.5;
}

export interface Characters {
  /** The characters of the page, which are changed in place; '' stands for a removed one. */
  readonly texts: string[];
  /** Undefined if the position is unknown. */
  box(index: number): Box | undefined;
  /** Whether the character is a space that was not written but inferred from a gap. */
  isGenerated(index: number): boolean;
  /** In points. */
  fontSize(index: number): number;
}

/** Puts each accent on its letter, and removes the gap that it left in the word. */
export function joinAccents(characters: Characters): void {
  const { texts } = characters;
  let left = MOST_ACCENTS;
  for (let index = 0; index < texts.length && left > 0; index++) {
    if (!SPACING_ACCENT.test(texts[index]!)) continue;
    left--;
    const at = characters.box(index);
    const letter = at && findAccentedLetter(characters, index, at);
    if (letter === undefined) continue;
    texts[letter] = composeAccent(texts[index]!, texts[letter]!)!;
    texts[index] = '';
    closeGap(characters, index);
  }
}

/** An accent and its letter have about the same font size; a large initial under an accent is not its letter. */
const MOST_LARGER = 2;

function findAccentedLetter({ texts, box, fontSize }: Characters, accent: number, at: Box): number | undefined {
  for (let away = 1; away <= NEAR; away++) {
    for (const index of [accent + away, accent - away]) {
      const letter = texts[index];
      if (letter === undefined || !/^[A-Za-z\u0131]$/.test(letter)) continue;
      const place = box(index);
      if (!place || !isPrintedOn(texts[accent]!, at, place) || !composeAccent(texts[accent]!, letter)) continue;
      const sizes = [fontSize(accent), fontSize(index)];
      if (Math.max(...sizes) <= Math.min(...sizes) * MOST_LARGER) return index;
    }
  }
  return undefined;
}

/** A gap smaller than this share of the font size does not separate words. */
const WORD_GAP = 0.15;

/** Once the accent is gone, the characters on both sides of it may be adjacent. */
function closeGap(characters: Characters, accent: number): void {
  const { texts } = characters;
  const findNeighbour = (from: number, by: -1 | 1): number => {
    let index = from + by;
    while (index >= 0 && index < texts.length && (texts[index] === '' || isGap(characters, index))) index += by;
    return index;
  };
  const before = findNeighbour(accent, -1);
  const after = findNeighbour(accent, 1);
  const [one, other] = [characters.box(before), characters.box(after)];
  if (!one || !other) return;
  const gap = other.left - one.right;
  const isOneLine = one.bottom < other.top && other.bottom < one.top;
  if (!isOneLine || Math.abs(gap) > characters.fontSize(after) * WORD_GAP) return;
  for (let index = before + 1; index < after; index++) texts[index] = '';
}

const isGap = ({ texts, isGenerated }: Characters, index: number): boolean =>
  /^\s$/.test(texts[index]!) && isGenerated(index);
