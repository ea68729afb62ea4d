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
  ['He said: "Lift it." Then he left the house', 'He said: "Lift it."'],
  ['「重い物です。」彼はそう言って、急いで家を出ました', '「重い物です。」'],
  ['वह भारी है। फिर वह घर से चला गया', 'वह भारी है।'],
])('ends a chunk behind the quotation mark or the sign that ends a sentence: %s', (text, first) => {
  const [chunk] = splitIntoChunks({ text, headings: [], blockEnds: [] }, { size: 22, overlap: 0, unit: 'characters' });
  expect(chunk!.text).toBe(first);
});

it('puts a heading without a text of its own in the chunk of the next one', () => {
  const text = 'Guide\nUse\nFirst\nLift it.\nCare\nMore';
  const headings = (
    [
      [1, 'Guide'],
      [2, 'Use', 'use'],
      [3, 'First'],
      [2, 'Care', 'care'],
      [2, 'More'],
    ] as const
  ).map(([level, title, anchor]) => ({
    level,
    text: title,
    start: text.indexOf(title),
    ...(anchor ? { anchor } : {}),
  }));
  expect(splitIntoChunks({ text, headings, blockEnds: [] }, { size: 50, overlap: 0, unit: 'tokens' })).toEqual([
    { text: 'Guide\nUse\nFirst\nLift it.', path: ['Guide', 'Use', 'First'], start: 0, end: 24, anchor: 'use' },
    { text: 'Care', path: ['Guide', 'Care'], start: 25, end: 29, anchor: 'care' },
    { text: 'More', path: ['Guide', 'More'], start: 30, end: 34 },
  ]);
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

const lengths = (text: string, definition: Parameters<typeof splitIntoChunks>[1], blockEnds: readonly number[] = []) =>
  splitIntoChunks({ text, headings: [], blockEnds }, definition).map((chunk) => chunk.text.length);

it.each([
  ['x', 80],
  ['\u08ff', 80],
  ['\u0900', 40],
  ['\u10ff', 40],
  ['\u1100', 80],
  ['\u1780', 40],
  ['\u1800', 80],
  ['\u2fff', 80],
  ['\u3001', 20],
  ['\u9fff', 20],
  ['\ua000', 80],
  ['\uabff', 80],
  ['\uac00', 20],
  ['\ud7af', 20],
  ['\ud7b0', 80],
  ['\ufefe', 80],
  ['\uff00', 20],
  ['\uffef', 20],
])('a chunk of 20 tokens has of %j %s characters', (character, expected) => {
  const text = character.repeat(100);
  expect(lengths(text, { size: 20, overlap: 0, unit: 'tokens' })[0]).toBe(expected);
});

it('an ideograph of two units is not cut in two, and counts as one token and a quarter', () => {
  const chunks = lengths('\u{20000}'.repeat(40), { size: 10, overlap: 0, unit: 'tokens' });
  expect(chunks[0]).toBe(16);
  expect(lengths('\u{1f600}'.repeat(40), { size: 11, overlap: 0, unit: 'characters' }).every((n) => n % 2 === 0)).toBe(
    true,
  );
});

it.each([
  ['at the end of a block', 'aaaa bbbb cccc dddd eeee', [10], 'aaaa bbbb'],
  ['not at one in its first quarter', 'aaaa bbbb. cccc dddd eeee', [5], 'aaaa bbbb.'],
  ['after a sentence', 'aaaa bbb! cccc dddd eeee', [], 'aaaa bbb!'],
  ['after a question', 'aaaa bbb? cccc dddd eeee', [], 'aaaa bbb?'],
  ['not at a point within a word', 'aaaa b.bb cccc dddd eeee', [], 'aaaa b.bb cccc dddd'],
  ['after an ideographic full stop', 'aaaabbb。ccccddddeeeeffff', [], 'aaaabbb。'],
  ['after a word', 'aaaa bbbb cccc dddd eeee', [], 'aaaa bbbb cccc dddd'],
  ['anywhere in a long word', 'a'.repeat(40), [], 'a'.repeat(20)],
  ['after a word that is not too near to its start', `aaa ${'b'.repeat(40)}`, [], `aaa ${'b'.repeat(16)}`],
])('a chunk ends %s', (_, text, blockEnds, first) => {
  const outline = { text, headings: [], blockEnds };
  expect(splitIntoChunks(outline, { size: 20, overlap: 0, unit: 'characters' })[0]!.text).toBe(first);
});

it.each([
  ['Thai', 'ประภาคารที่ท่าเรือส่องแสงตลอดทั้งคืนเพื่อให้เรือสามารถหาทางเข้าที่แคบระหว่างโขดหินกับท่าเรือได้'],
  ['Japanese', '港の灯台は一晩中明かりを灯し船が岩と桟橋の間の狭い入り口を見つけられるようにしている'],
  ['joined pictures', '👩‍👩‍👧‍👦👨‍🚀'],
])('a text without spaces is not cut within a word: %s', (_, words) => {
  const text = words.repeat(4);
  const borders = new Set(
    Array.from(new Intl.Segmenter('und', { granularity: 'word' }).segment(text), ({ index }) => index),
  );
  for (const size of [20, 30, 50]) {
    const chunks = splitIntoChunks({ text, headings: [], blockEnds: [] }, { size, overlap: 0, unit: 'characters' });
    expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
    expect(chunks.filter(({ start }) => !borders.has(start))).toEqual([]);
  }
});

it.each([
  ['Chinese', '我们在这里提供所有产品的技术文档和用户手册。', 10],
  ['Japanese', 'この製品の取扱説明書はこちらからダウンロードできます。', 10],
  ['Thai', 'ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน', 20],
])('the next chunk begins with a word within the overlap in %s, too', (_, line, overlap) => {
  const text = line.repeat(9);
  const chunks = splitIntoChunks({ text, headings: [], blockEnds: [] }, { size: 60, overlap, unit: 'characters' });
  const words = new Set(
    [...new Intl.Segmenter('und', { granularity: 'word' }).segment(text)].map(({ index }) => index),
  );
  const ends = chunks.map(({ start, text: part }) => start + part.length);
  const overlaps = chunks.slice(1).map(({ start }, at) => ends[at]! - start);
  expect(chunks.slice(1).filter(({ start }) => !words.has(start))).toEqual([]);
  expect(Math.min(...overlaps)).toBeGreaterThan(0);
  expect(Math.max(...overlaps)).toBeLessThanOrEqual(overlap);
});

it('the next chunk begins with a word within the overlap', () => {
  const outline = { text: 'aaaa bbbb cccc dddd eeee ffff', headings: [], blockEnds: [] };
  const texts = (overlap: number) =>
    splitIntoChunks(outline, { size: 20, overlap, unit: 'characters' }).map(({ text }) => text);
  expect(texts(0)).toEqual(['aaaa bbbb cccc dddd', 'eeee ffff']);
  expect(texts(6)).toEqual(['aaaa bbbb cccc dddd', 'dddd eeee ffff']);
  expect(texts(5)).toEqual(['aaaa bbbb cccc dddd', 'eeee ffff']);
  const short = splitIntoChunks(
    { text: 'a bbbb cc', headings: [], blockEnds: [] },
    { size: 8, overlap: 7, unit: 'characters' },
  );
  expect(short.map(({ text }) => text)).toEqual(['a bbbb', 'bbbb cc']);
  const tokens = splitIntoChunks(outline, { size: 5, overlap: 2, unit: 'tokens' }).map(({ text }) => text);
  expect(tokens).toEqual(['aaaa bbbb cccc dddd', 'dddd eeee ffff']);
});

it.each([
  ['Chinese', '今天天气很好。\n'],
  ['Hindi', 'यह छोटा है। '],
])('the overlap in tokens is as large as it says in %s, too', (_, line) => {
  const text = line.repeat(500);
  const chunks = splitIntoChunks({ text, headings: [], blockEnds: [] }, { size: 100, overlap: 50, unit: 'tokens' });
  expect(chunks.reduce((sum, chunk) => sum + chunk.text.length, 0)).toBeLessThan(2.2 * text.length);
});

it('chunks carry the headings above them, of which a deeper one ends with the next of its level or above', () => {
  const heading = (level: number, text: string, start: number) => ({ level, text, start });
  const outline = {
    text: 'intro A 1 b c D',
    headings: [heading(1, 'A', 6), heading(2, 'b', 10), heading(2, 'c', 12), heading(1, 'D', 14)],
    blockEnds: [],
  };
  const chunks = splitIntoChunks(outline, { size: 50, overlap: 0, unit: 'characters' });
  expect(chunks.map(({ text, path, start, end }) => [text, path.join('/'), start, end])).toEqual([
    ['intro', '', 0, 5],
    ['A 1', 'A', 6, 9],
    ['b', 'A/b', 10, 11],
    ['c', 'A/c', 12, 13],
    ['D', 'D', 14, 15],
  ]);
});

it('a text has at most 10,000 chunks', () => {
  const text = 'a '.repeat(10_001);
  expect(
    splitIntoChunks({ text, headings: [], blockEnds: [] }, { size: 2, overlap: 0, unit: 'characters' }),
  ).toHaveLength(10_000);
  const headings = Array.from({ length: 10_001 }, (_, i) => ({ level: 1, text: 'a', start: 2 * i }));
  expect(splitIntoChunks({ text, headings, blockEnds: [] }, { size: 2, overlap: 0, unit: 'characters' })).toHaveLength(
    10_000,
  );
});
