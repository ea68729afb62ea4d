import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashWords, Vocabulary } from './vocabulary.js';

describe('the words of a text', () => {
  it('are runs of letters, and what has a digit in it is none', () => {
    expect([...hashWords('Page 17 of 2031, id a8f3bc.', 'without numbers')]).toEqual([
      ...hashWords('page OF id', 'without numbers'),
    ]);
  });

  it('are what has a digit in it too, when numbers are wanted', () => {
    expect(hashWords('Page 17 of 2031', 'with numbers')).toHaveLength(4);
    expect(hashWords('Page 17 of 2031', 'without numbers')).toHaveLength(2);
  });

  it('count once each', () => {
    expect(hashWords('to be or not to be', 'without numbers')).toHaveLength(4);
    expect(hashWords('', 'without numbers')).toHaveLength(0);
  });

  it('are so many at most, however long the text is', () => {
    const word = (n: number): string => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);
    expect(hashWords(Array.from({ length: 50_000 }, (_, i) => word(i)).join(' '), 'without numbers')).toHaveLength(
      2_000,
    );
  });
});

describe('a vocabulary', () => {
  it('knows the words that it was given', () => {
    const vocabulary = new Vocabulary();
    expect(vocabulary.add(hashWords('Nothing on Monday', 'without numbers'))).toBe(3);
    expect(vocabulary.add(hashWords('Nothing on Tuesday', 'without numbers'))).toBe(1);
    expect(vocabulary.add(hashWords('On Tuesday nothing, on Monday nothing', 'without numbers'))).toBe(0);
  });

  it('forgets none of the last thousands', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { maxLength: 2_000 }),
        fc.array(fc.integer(), { maxLength: 10_000 }),
        (a, b) => {
          const vocabulary = new Vocabulary();
          vocabulary.add(Int32Array.from(a));
          vocabulary.add(Int32Array.from(b));
          expect(vocabulary.add(Int32Array.from(a))).toBe(0);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('takes nearly every word as new that it has not had, however many it has had', () => {
    const vocabulary = new Vocabulary();
    let fresh = 0;
    for (let page = 0; page < 200; page++) {
      fresh = vocabulary.add(Int32Array.from({ length: 500 }, (_, i) => Math.imul(page * 500 + i + 1, 0x9e3779b1)));
    }
    expect(fresh).toBeGreaterThan(470);
  });
});
