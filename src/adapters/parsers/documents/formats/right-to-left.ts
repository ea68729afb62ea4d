/**
 * Repairs Arabic and Hebrew text whose letters PDFium returns in the order of their positions from left to right: in
 * files of LuaTeX, for example, which writes them in reading order.
 */
import type { Box } from './accents.js';
import { type Glyphs, getAdvance, isSameLine } from './gaps.js';

export const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}]/u;

const LETTER = /^ ?[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{M}]+$/u;
/** What does not end a run of letters; numbers keep their direction. */
const NEUTRAL = /^[^\p{L}\p{N}\r\n]*$/u;

const MIRRORED: Readonly<Record<string, string>> = Object.fromEntries(
  ['()', '[]', '{}', '<>', '«»'].flatMap(([open, close]) => [
    [open!, close!],
    [close!, open!],
  ]),
);

/** Reverses runs of letters whose positions increase from left to right. */
export function reverseMisorderedRuns(glyphs: Glyphs): void {
  const { texts } = glyphs;
  for (let index = 0; index < texts.length; index++) {
    if (!LETTER.test(texts[index]!)) continue;
    const { end, isMisordered } = findRun(glyphs, index);
    if (isMisordered) {
      const run = texts.slice(index, end).join('');
      texts.fill('', index, end);
      texts[index] = run.startsWith(' ') ? ` ${reverse(run.slice(1))}` : reverse(run);
    }
    index = end - 1;
  }
}

const reverse = (text: string): string =>
  Array.from(text, (character) => MIRRORED[character] ?? character)
    .reverse()
    .join('');

/** The run ends after its last letter. */
function findRun(glyphs: Glyphs, start: number): { end: number; isMisordered: boolean } {
  const { texts } = glyphs;
  let end = start + 1;
  let last = getAdvance(glyphs, start);
  /** How many more letters are to the right of the one before them than to its left. */
  let rightward = 0;
  for (let index = start + 1; index < texts.length; index++) {
    const isLetter = LETTER.test(texts[index]!);
    if (!isLetter && !NEUTRAL.test(texts[index]!)) break;
    if (!isLetter) continue;
    const box = getAdvance(glyphs, index);
    if (last && box) {
      if (!isSameLine(last, box)) break;
      rightward += compareCenters(last, box);
    }
    last = box ?? last;
    end = index + 1;
  }
  return { end, isMisordered: rightward > 0 };
}

const compareCenters = (first: Box, second: Box): number =>
  Math.sign(second.left + second.right - first.left - first.right);
