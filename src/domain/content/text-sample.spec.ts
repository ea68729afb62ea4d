import { expect, it } from 'vitest';
import { toCrawlUrl } from '../url/crawl-url.js';
import { createTextSample, hasSimilarWords, isSameText, isSuspicious } from './text-sample.js';
import { computeTextSketch, countAgreements, hasSimilarSketch, isLongEnoughToGuard } from './text-sketch.js';

const WORDS = Array.from(
  { length: 400 },
  (_, i) => `${String.fromCharCode(97 + (i % 26))}${'aeiou'[i % 5]}${'xkqzv'[(i % 7) % 5]}`,
);

function write(seed: number, length = 80): string[] {
  let state = (seed * 7_919 + 1) >>> 0;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 12) % WORDS.length]!;
  });
}

const sampleOf = (text: string, path = '/', indexed?: string) =>
  createTextSample(
    { title: 'Title', text },
    toCrawlUrl(`https://a.example${path}`),
    computeTextSketch(text),
    indexed === undefined ? undefined : computeTextSketch(indexed),
  );

it('of ten thousand pairs of texts without anything in common, not one is mistaken for a related one', () => {
  let mostAgreements = 0;
  for (let seed = 0; seed < 10_000; seed++) {
    const text = write(seed).join(' ');
    const sample = sampleOf(write(seed + 20_000, 30).join(' '), '/', text)!;
    if (!sample.isDrastic) mostAgreements++;
  }
  expect(mostAgreements).toBe(0);
});

it('a text with a changed sentence is no drastic change, and one with a changed number none at all', () => {
  for (let seed = 0; seed < 200; seed++) {
    const words = write(seed, 200);
    const edited = [...words.slice(0, 190), ...write(seed + 500, 10)].join(' ');
    expect(sampleOf(edited, '/', words.join(' '))?.isDrastic ?? false).toBe(false);
    expect(sampleOf(`${words.join(' ')} 17:${seed}`, '/', words.join(' '))).toBeUndefined();
  }
});

it('a text of part numbers or figures has the words with digits, and a message with an id and a time has not', () => {
  const numbers = (seed: number, make: (i: number) => string) =>
    `Parts of series ${Array.from({ length: 40 }, (_, i) => make(i * 7 + seed * 1_000)).join(' ')}`;
  for (const make of [(i: number) => `bc${i}x`, String]) {
    const [own, other] = [1, 2].map((seed) => numbers(seed, make)) as [string, string];
    expect(isLongEnoughToGuard(computeTextSketch(own))).toBe(true);
    expect(isSameText(sampleOf(own)!, sampleOf(other)!)).toBe(false);
    expect(hasSimilarWords(sampleOf(own)!, sampleOf(other)!)).toBe(false);
    expect(isSuspicious(sampleOf('The service is not available.', '/', own)!)).toBe(true);
    expect(sampleOf(own, '/', own)).toBeUndefined();
    const hasNewFigures = (text: string, indexed: string) => sampleOf(text, '/', indexed)!.hasNewFigures;
    expect(isSuspicious(sampleOf(other, '/', own)!)).toBe(true);
    expect(hasNewFigures(other, own)).toBe(true);
    expect(hasNewFigures(other.split(' ').slice(0, 30).join(' '), own)).toBe(true);
    expect(hasNewFigures(other, write(1, 43).join(' '))).toBe(false);
    expect(hasNewFigures(`Under maintenance. ${other}`, own)).toBe(false);
    expect(sampleOf(`${write(1, 25).join(' ')} ${own}`, '/', own)!.isDrastic).toBe(false);
  }
  const message = (id: number) =>
    `The page cannot be shown now. ${id} ${id + 1}x ${id + 2} 2026 11 30 23 59 ${id} ${id} 1 2 3 4 5`;
  expect(isSameText(sampleOf(message(17))!, sampleOf(message(4_711))!)).toBe(true);
});

it('numbers and the own URL of a page make no difference between two texts', () => {
  const text = write(1).join(' ');
  const first = sampleOf(`The page /products/tea is closed since 12:01. ${text}`, '/products/tea')!;
  const second = sampleOf(`The page /news is closed since 13:57. ${text}`, '/news')!;
  expect(isSameText(first, second)).toBe(true);
  expect(first.digest).not.toBe(second.digest);
  expect(isSameText(first, sampleOf(write(2).join(' '))!)).toBe(false);
  expect(sampleOf(`${write(1).join(' \n ')}\n`)!.digest).toBe(sampleOf(text)!.digest);
  expect(isSameText(sampleOf('')!, sampleOf('Loading')!)).toBe(true);
  expect(isSameText(first, sampleOf('')!)).toBe(false);
  expect(isSameText(sampleOf('')!, first)).toBe(false);
});

it('short texts are the same only if their words are', () => {
  expect(isSameText(sampleOf('We are back soon, please wait.')!, sampleOf('We are back soon, please wait!')!)).toBe(
    true,
  );
  expect(isSameText(sampleOf('We are back soon, please wait.')!, sampleOf('This page is about the tea.')!)).toBe(false);
});

it('a sketch fits into 64 signed bits, and agrees with itself in all parts', () => {
  for (let seed = 0; seed < 100; seed++) {
    const sketch = computeTextSketch(write(seed, seed).join(' '));
    expect(BigInt.asIntN(64, sketch)).toBe(sketch);
    expect(countAgreements(sketch, sketch)).toBe(8);
  }
});

it('two short texts agree in what they have in common, not in what neither of them has', () => {
  const sketch = computeTextSketch('Our shop sells tea and cups.');
  for (const text of ['We are away for lunch today.', 'Nobody lives here any more.', 'Tea'])
    expect(countAgreements(sketch, computeTextSketch(text))).toBeLessThanOrEqual(1);
  expect(countAgreements(sketch, computeTextSketch('Our shop sells tea and cups.'))).toBe(8);
});

it.each([
  ['This is a text of twenty words and more, in which the shop says what it sells, and for how much, on page 7.', true],
  ['我们的商店卖茶和杯子也卖咖啡和糖欢迎大家来看看', true],
  ['This is the text of page 7.', false],
  ['1 2 3 4 5 6 7 8 9', false],
  ['', false],
])('whether a text is long enough to be compared with later ones: %s', (text, isLong) => {
  expect(isLongEnoughToGuard(computeTextSketch(text))).toBe(isLong);
});

it('the sketch of a long text is that of its beginning and its end, wherever its middle has changed', () => {
  const [beginning, middle, end] = [1, 2, 3].map((seed) => write(seed, 1_500));
  const sketch = (...parts: (readonly string[])[]): bigint => computeTextSketch(parts.flat().join(' '));
  const before = sketch(beginning!, middle!, end!);
  expect(sketch(beginning!, write(4, 900), end!)).toBe(before);
  expect(sketch(beginning!, end!)).toBe(before);
  expect(sketch(write(5, 1_500), middle!, end!)).not.toBe(before);
  expect(sketch(beginning!, middle!, write(6, 1_500))).not.toBe(before);
});

it('a text that has lost a tenth or more is reduced, also if the rest is the same', () => {
  const words = write(1, 100);
  for (const kept of [30, 60, 85]) {
    const sample = sampleOf(words.slice(0, kept).join(' '), '/', words.join(' '));
    expect(sample?.isReduced).toBe(true);
  }
  expect(sampleOf(`${words.join(' ')} ${write(2, 30).join(' ')}`, '/', words.join(' '))?.isReduced ?? false).toBe(
    false,
  );
});

it('the sketches of texts are those that the database holds', () => {
  const texts = ['', 'one', 'one two', 'one two three four', write(1).join(' '), '北京大学'];
  expect(texts.map((text) => computeTextSketch(text).toString(36))).toMatchInlineSnapshot(`
    [
      "0",
      "98jiramxw1lx",
      "drvjki2fsmtm",
      "k9zjsvhibcar",
      "1jtfjq19oxahm",
      "ki2euf31wabw",
    ]
  `);
});

it('a text is suspicious if it is reduced, changed drastically or names an outage', () => {
  const sample = { ...sampleOf('x', '/', write(1).join(' '))!, isDrastic: false, isReduced: false, namesOutage: false };
  expect(isSuspicious(sample)).toBe(false);
  for (const sign of ['isDrastic', 'isReduced', 'namesOutage'])
    expect(isSuspicious({ ...sample, [sign]: true })).toBe(true);
});

it('a text of several sentences is not the same as one of a word', () => {
  const [long, tiny] = [write(1).join(' '), 'x'].map((text) => sampleOf(text, '/', write(2).join(' '))!);
  expect([isSameText(long!, tiny!), isSameText(tiny!, long!), isSameText(tiny!, tiny!)]).toEqual([false, false, true]);
});

it.each([
  ['of the same length are similar', 0, true],
  ['of which one is longer by a quarter are not', 20, false],
])('two short texts that agree in two parts %s', (_, more, expected) => {
  let pairs = 0;
  for (let seed = 0; seed < 400; seed++) {
    const words = write(seed);
    const own = write(seed + 1_000, 50 + more);
    const [one, other] = [words, [...words.slice(0, 30), ...own]].map((text) => computeTextSketch(text.join(' ')));
    if (countAgreements(one!, other!) !== 2) continue;
    pairs++;
    expect(hasSimilarSketch(one!, other!)).toBe(expected);
  }
  expect(pairs).toBeGreaterThan(10);
});
