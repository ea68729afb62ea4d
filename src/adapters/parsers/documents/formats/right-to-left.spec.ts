import { expect, it } from 'vitest';
import type { Glyphs } from './gaps.js';
import { reverseMisorderedRuns } from './right-to-left.js';

const SHALOM = 'שלום';
const SALAM = 'سلام';
const reversed = (text: string): string => [...text].reverse().join('');

/** Characters 5 points wide on one line: each at the next position to the right, or to the left. */
function line(texts: readonly string[], direction: 1 | -1): Glyphs {
  const advances = Float32Array.from(
    texts.flatMap((text, index) => [
      text === ' ' ? Number.NaN : index * 5 * direction,
      10,
      index * 5 * direction + 5,
      0,
    ]),
  );
  return {
    texts: [...texts],
    advances,
    getInkBox: () => undefined,
    size: () => 10,
    angle: () => 0,
    isGenerated: () => false,
  };
}

const repaired = (texts: string | readonly string[], direction: 1 | -1): string => {
  const glyphs = line([...texts], direction);
  reverseMisorderedRuns(glyphs);
  return glyphs.texts.join('');
};

it.each([SHALOM, SALAM, `${SHALOM} ${SHALOM}`, `${SALAM} (${SALAM}) ${SALAM}`])(
  'puts %s into reading order if its letters were returned from left to right',
  (text) => {
    const written = reversed(text).replace(/[()]/g, (bracket) => (bracket === '(' ? ')' : '('));
    expect(repaired(written, 1)).toBe(text);
    expect(repaired(text, -1)).toBe(text);
  },
);

it('leaves numbers and Latin words where they are, and the space before a run', () => {
  expect(repaired(`2022 ${reversed(SALAM)} 31 pages`, 1)).toBe(`2022 ${SALAM} 31 pages`);
  expect(repaired(['2', ` ${reversed(SALAM)[0]}`, ...reversed(SALAM).slice(1)], 1)).toBe(`2 ${SALAM}`);
});

it.each(['2022', 'x0', '٢٠', '3.14', 'name@example.org'])('puts %s among Arabic words into reading order', (word) => {
  expect(repaired(`${SALAM} ${reversed(word)} ${SALAM}`, -1)).toBe(`${SALAM} ${word} ${SALAM}`);
  expect(repaired([...SALAM, ` ${reversed(word)[0]}`, ...reversed(word).slice(1)], -1)).toBe(`${SALAM} ${word}`);
});

it('keeps the order of columns that follow each other from right to left', () => {
  expect(repaired(['12', ' ', '34', ' ', '56', ' 7', ' 8'], -1)).toBe('12 34 56 7 8');
});

it('changes no other text', () => {
  expect(repaired('Words (from left to right), 31.', 1)).toBe('Words (from left to right), 31.');
});
