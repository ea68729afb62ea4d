import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeSimhash } from './simhash.js';

const VOCABULARY = Array.from({ length: 500 }, (_, index) => `word${(index * 2_654_435_761) % 1_000_003}`);
const words = (count: number, step: number) =>
  Array.from({ length: count }, (_, i) => VOCABULARY[(i * i + i * step) % 500]!);

function distance(a: string, b: string): number {
  const bits = BigInt.asUintN(64, computeSimhash(a)! ^ computeSimhash(b)!).toString(2);
  return bits.replaceAll('0', '').length;
}

describe('the simhash', () => {
  it('is a signed 64-bit number, always the same for the same text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 30 }), (list) => {
        const hash = computeSimhash(list.join(' '));
        expect(hash).toBe(computeSimhash(list.join(' ')));
        if (hash !== undefined) expect(BigInt.asIntN(64, hash)).toBe(hash);
      }),
    );
  });

  it('does not change with case, punctuation and white space', () => {
    const text = words(50, 3);
    expect(computeSimhash(text.join(' ').toUpperCase())).toBe(computeSimhash(`«${text.join(',\n… ')}!»`));
  });

  it('changes little when a text changes little', () => {
    const text = words(1_000, 7);
    expect(distance(text.join(' '), text.with(500, 'other').join(' '))).toBeLessThanOrEqual(3);
    expect(distance(text.join(' '), [...text, 'visitor', 'number', '1234'].join(' '))).toBeLessThanOrEqual(3);
  });

  it('differs in about half of its bits between different texts', () => {
    const hashes = Array.from({ length: 20 }, (_, step) =>
      words(400, step * 2 + 1)
        .map((word) => word + step)
        .join(' '),
    );
    const distances = hashes.flatMap((a, i) => hashes.slice(i + 1).map((b) => distance(a, b)));
    const mean = distances.reduce((sum, each) => sum + each, 0) / distances.length;
    expect(mean).toBeGreaterThan(28);
    expect(mean).toBeLessThan(36);
    expect(Math.min(...distances)).toBeGreaterThan(8);
  });

  it('depends on the order of words', () => {
    const text = words(200, 11);
    expect(distance(text.join(' '), text.toReversed().join(' '))).toBeGreaterThan(8);
  });

  it('treats each character as a word in scripts without spaces', () => {
    const text = Array.from({ length: 800 }, (_, i) => String.fromCharCode(0x4e00 + ((i * i * 31) % 5_000))).join('');
    expect(distance(text, `${text.slice(0, 400)}新${text.slice(400)}`)).toBeLessThanOrEqual(3);
  });

  it('does not exist for texts of fewer than twenty words', () => {
    expect(computeSimhash('')).toBeUndefined();
    expect(computeSimhash(words(19, 1).join(' '))).toBeUndefined();
    expect(computeSimhash(words(20, 1).join(' '))).toBeTypeOf('bigint');
  });
});

describe('the simhash of stored pages', () => {
  // Hashes are stored: if they were computed otherwise, no page would look like its own earlier version any more.
  const latin = Array.from({ length: 60 }, (_, i) => `word${i * i}`).join(' ');
  const han = Array.from({ length: 60 }, (_, i) => String.fromCharCode(0x4e00 + i * i)).join('');

  it.each([
    ['words', latin],
    ['accents and digits', `Überstraße ${latin} é ø 42`],
    ['a script without spaces', han],
    ['both', `${han} ${latin}`],
  ])('is computed as ever: %s', (name, text) => expect({ [name]: computeSimhash(text) }).toMatchSnapshot());

  const repeated = (code: number, separator: string) =>
    computeSimhash(Array(40).fill(String.fromCharCode(code)).join(separator)) !== undefined;

  it.each([
    [0xbf, false, false],
    [0xc0, true, false],
    [0x0dff, true, false],
    [0x0e00, true, true],
    [0x109f, true, true],
    [0x10a0, true, false],
    [0x177f, true, false],
    [0x1780, true, true],
    [0x17ff, true, true],
    [0x1800, true, false],
    [0x1fff, true, false],
    [0x2000, false, false],
    [0x206f, false, false],
    [0x2070, true, false],
    [0x2e7f, true, false],
    [0x2e80, true, true],
    [0xa4cf, true, true],
    [0xa4d0, true, false],
    [0xd7ff, true, false],
    [0xd800, true, true],
    [0xfaff, true, true],
    [0xfb00, true, false],
  ])('U+%s is part of a word: %s; a word of its own: %s', (code, isWord, isOwnWord) => {
    expect([repeated(code, ' '), repeated(code, '')]).toEqual([isWord, isOwnWord]);
  });

  it('needs twenty words', () => {
    const hash = (count: number) => computeSimhash(Array.from({ length: count }, (_, i) => `w${i}`).join(' '));
    expect(hash(19)).toBeUndefined();
    expect(hash(20)).toBeDefined();
  });
});
