import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashWords, Vocabulary } from './vocabulary.js';

describe('the words of a text', () => {
  it('are runs of letters; a run with a digit is not a word', () => {
    expect([...hashWords('Page 17 of 2031, id a8f3bc.', 'without numbers')]).toEqual([
      ...hashWords('page OF id', 'without numbers'),
    ]);
  });

  it('include runs with digits when numbers are wanted', () => {
    expect(hashWords('Page 17 of 2031', 'with numbers')).toHaveLength(4);
    expect(hashWords('Page 17 of 2031', 'without numbers')).toHaveLength(2);
  });

  it('are equal whatever their ASCII case, and differ if a letter or its place does', () => {
    const hash = (word: string) => [...hashWords(word, 'with numbers')];
    expect(hash('aZ')).toEqual(hash('Az'));
    const words = ['a', 'b', 'ab', 'ba', 'aa', 'z', 'é', 'É', 'straße', '漢', 'a1', 'a0', '9', '0'];
    expect(new Set(words.flatMap(hash)).size).toBe(words.length);
  });

  it.each([
    ['a-z', ['a', 'z']],
    ['A_Z', ['a', 'z']],
    ['a@Z[b`z{c/d:e', ['a', 'z', 'b', 'z', 'c', 'd', 'e']],
    ['a\u00bfb', ['a', 'b']],
    ['aÀb', ['aÀb']],
    ['a\u1fffb', ['a\u1fffb']],
    ['a\u2000b\u206fc', ['a', 'b', 'c']],
    ['a\u2070b', ['a\u2070b']],
    ['0/9:8', ['0', '9', '8']],
    ['trailing', ['trailing']],
  ])('in %j are %j', (text, words) => {
    const expected = new Set(words.flatMap((word) => [...hashWords(word, 'with numbers')]));
    expect(new Set(hashWords(text, 'with numbers'))).toEqual(expected);
    expect(expected.size).toBe(new Set(words.map((word) => word.toLowerCase())).size);
  });

  it('are counted once each', () => {
    expect(hashWords('to be or not to be', 'without numbers')).toHaveLength(4);
    expect(hashWords('', 'without numbers')).toHaveLength(0);
  });

  it('are limited in number, however long the text is', () => {
    const word = (n: number): string => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);
    expect(hashWords(Array.from({ length: 50_000 }, (_, i) => word(i)).join(' '), 'without numbers')).toHaveLength(
      2_000,
    );
  });
});

describe('a vocabulary', () => {
  it('contains the words that were added', () => {
    const vocabulary = new Vocabulary();
    expect(vocabulary.add(hashWords('Nothing on Monday', 'without numbers'))).toBe(3);
    expect(vocabulary.add(hashWords('Nothing on Tuesday', 'without numbers'))).toBe(1);
    expect(vocabulary.add(hashWords('On Tuesday nothing, on Monday nothing', 'without numbers'))).toBe(0);
  });

  it('takes none of the last 16,000 words for a new one, however many came before', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 40_000 }), (start, before) => {
        const vocabulary = new Vocabulary();
        const words = Int32Array.from({ length: before + 16_000 }, (_, i) => start + i);
        vocabulary.add(words);
        expect(vocabulary.add(words.subarray(before))).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps words that are still in use, and forgets those that are not', () => {
    const vocabulary = new Vocabulary();
    const [used, unused] = [
      hashWords('menu imprint', 'without numbers'),
      hashWords('monday tuesday', 'without numbers'),
    ];
    vocabulary.add(unused);
    for (let page = 0; page < 100; page++) {
      const isNew = vocabulary.add(used);
      expect(isNew).toBe(page === 0 ? 2 : 0);
      vocabulary.add(Int32Array.from({ length: 1_000 }, (_, i) => Math.imul(page * 1_000 + i + 1, 0x9e3779b1)));
    }
    expect(vocabulary.add(unused)).toBe(2);
  });

  it('reports nearly every unknown word as new, however many words were added', () => {
    const vocabulary = new Vocabulary();
    let fresh = 0;
    for (let page = 0; page < 200; page++) {
      fresh = vocabulary.add(Int32Array.from({ length: 500 }, (_, i) => Math.imul(page * 500 + i + 1, 0x9e3779b1)));
    }
    expect(fresh).toBeGreaterThan(470);
  });
});
