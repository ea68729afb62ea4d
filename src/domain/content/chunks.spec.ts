import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitIntoChunks } from './chunks.js';
import { normalizeDate, normalizeNumber, parseTypedValue } from './typed-values.js';

const words = fc.array(fc.constantFrom('word', 'another', 'end.', '漢字', 'x'), { minLength: 1, maxLength: 120 });

it('splits a text into chunks that cover all of it, stay within the size and never span a heading', () => {
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 20, max: 60 }),
      fc.integer({ min: 0, max: 10 }),
      fc.nat(),
      (list, size, overlap, at) => {
        const text = list.join(' ');
        const start = text.lastIndexOf(' ', at % text.length) + 1;
        const outline = { text, headings: [{ level: 1, text: 'H', start }], blockEnds: [text.length >> 1] };
        const chunks = splitIntoChunks(outline, { size, overlap, unit: 'characters' });
        for (const chunk of chunks) {
          expect(chunk.text).toBe(text.slice(chunk.start, chunk.end));
          expect(chunk.text.length).toBeLessThanOrEqual(size);
          expect(chunk.end <= start || chunk.start >= start).toBe(true);
          expect(chunk.path).toEqual(chunk.start >= start ? ['H'] : []);
        }
        const covered = new Set(
          chunks.flatMap(({ start: from, end }) => Array.from({ length: end - from }, (_, i) => from + i)),
        );
        for (let i = 0; i < text.length; i++) if (text[i] !== ' ') expect(covered.has(i)).toBe(true);
      },
    ),
  );
});

it('counts an ideograph as a token', () => {
  const outline = { text: '漢'.repeat(50), headings: [], blockEnds: [] };
  const chunks = splitIntoChunks(outline, { size: 20, overlap: 0, unit: 'tokens' });
  expect(chunks.map(({ text }) => text.length)).toEqual([20, 20, 10]);
});

it.each([
  ['2024-05-01', '2024-05-01T00:00:00.000Z'],
  ['2024-05-01T23:30:00-02:00', '2024-05-02T01:30:00.000Z'],
  ['2024-05', '2024-05-01T00:00:00.000Z'],
  ['2024/5/1', '2024-05-01T00:00:00.000Z'],
  ['01.05.2024', '2024-05-01T00:00:00.000Z'],
  ['20240501', '2024-05-01T00:00:00.000Z'],
  ['May 1, 2024', '2024-05-01T00:00:00.000Z'],
  ['1st May 2024', '2024-05-01T00:00:00.000Z'],
  ['Wed, 01 May 2024 10:00:00 GMT', '2024-05-01T10:00:00.000Z'],
  ['2024-02-30', undefined],
  ['soon', undefined],
])('reads the date %s', (text, date) => {
  expect(normalizeDate(text)).toBe(date);
});

it.each([
  ['1,299.50 €', '1299.5'],
  ['1.299,50', '1299.5'],
  ['1,234', '1234'],
  ['1.234.567', '1234567'],
  ['-3,5 %', '-3.5'],
  ['none', undefined],
])('reads the number %s', (text, number) => {
  expect(normalizeNumber(text)).toBe(number);
});

it('makes URLs absolute and booleans plain', () => {
  expect(parseTypedValue('../x', 'url', 'http://a/b/c')).toBe('http://a/x');
  expect(parseTypedValue('Yes', 'boolean', 'http://a/')).toBe('true');
});
