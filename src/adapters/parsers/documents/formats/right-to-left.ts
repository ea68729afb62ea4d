/**
 * Repairs text on pages with Arabic or Hebrew whose characters PDFium returns in reverse: Arabic and Hebrew letters from
 * left to right, as in files of LuaTeX, which writes them in reading order, and numbers and Latin words among them from
 * right to left.
 */
import type { Box } from './accents.js';
import { type Glyphs, getAdvance, isSameLine } from './gaps.js';

export const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}]/u;

/** Characters that are written in one direction, and those among them that do not end a run. */
interface Direction {
  readonly member: RegExp;
  readonly neutral: RegExp;
  /** The sign of the distance from one character to the next one in reverse. */
  readonly reverseSign: 1 | -1;
}

const LEFTWARD: Direction = {
  member: /^ ?(?:(?!\p{N})[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{M}])+$/u,
  neutral: /^[^\p{L}\p{N}\r\n]*$/u,
  reverseSign: 1,
};

/** Only single words, because the columns of a table may follow each other from right to left. */
const RIGHTWARD: Direction = {
  member: /^(?:\p{N}|(?![\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}])\p{L})+$/u,
  neutral: /^[^\p{L}\p{N}\p{Ps}\p{Pe}\s]*$/u,
  reverseSign: -1,
};

const MIRRORED: Readonly<Record<string, string>> = Object.fromEntries(
  ['()', '[]', '{}', '<>', '«»'].flatMap(([open, close]) => [
    [open!, close!],
    [close!, open!],
  ]),
);

/** Reverses runs of characters whose positions show that they were returned in reverse. */
export function reverseMisorderedRuns(glyphs: Glyphs): void {
  const { texts } = glyphs;
  for (let index = 0; index < texts.length; index++) {
    const direction = [LEFTWARD, RIGHTWARD].find(({ member }) => member.test(texts[index]!.trimStart()));
    if (!direction) continue;
    const { end, isMisordered } = findRun(glyphs, index, direction);
    if (isMisordered) {
      const run = reverse(texts.slice(index, end));
      texts.fill('', index, end);
      texts[index] = run;
    }
    index = end - 1;
  }
}

/** Keeps the space before the run, and moves any other to the other side of its character. */
function reverse(run: readonly string[]): string {
  const mirrored = run.map((text) => (text.startsWith(' ') ? `${text.slice(1)} ` : (MIRRORED[text] ?? text)));
  return (run[0]!.startsWith(' ') ? ' ' : '') + mirrored.reverse().join('').trimEnd();
}

/** The run ends after its last character that is written in the direction. */
function findRun(
  glyphs: Glyphs,
  start: number,
  { member, neutral, reverseSign }: Direction,
): { end: number; isMisordered: boolean } {
  const { texts } = glyphs;
  let end = start + 1;
  let last = getAdvance(glyphs, start);
  /** How many more characters follow the one before them in reverse than as they should. */
  let reversedCount = 0;
  for (let index = start + 1; index < texts.length; index++) {
    const isMember = member.test(texts[index]!);
    if (!isMember && !neutral.test(texts[index]!)) break;
    if (!isMember) continue;
    const box = getAdvance(glyphs, index);
    if (last && box) {
      if (!isSameLine(last, box)) break;
      reversedCount += compareCenters(last, box) * reverseSign;
    }
    last = box ?? last;
    end = index + 1;
  }
  return { end, isMisordered: reversedCount > 0 };
}

const compareCenters = (first: Box, second: Box): number =>
  Math.sign(second.left + second.right - first.left - first.right);
