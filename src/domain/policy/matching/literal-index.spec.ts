import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiteralIndex } from './literal-index.js';

const letters = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'c', '\u00e9'), { maxLength }).map((chars) => chars.join(''));
const necessary = fc.array(fc.array(letters(6), { minLength: 1, maxLength: 3 }), { maxLength: 3 });

test('finds every rule with a literal that the text contains', () => {
  fc.assert(
    fc.property(fc.array(necessary, { maxLength: 30 }), letters(20), letters(20), (rules, text, other) => {
      const found = new LiteralIndex(rules).findCandidates(text, other);
      const possible = [...rules.keys()].filter((rule) =>
        rules[rule]?.every((set) => set.some((wanted) => text.includes(wanted) || other.includes(wanted))),
      );
      expect(found).toEqual(expect.arrayContaining(possible));
      expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    }),
    { numRuns: 1000 },
  );
});

test('leaves out rules whose literals the text does not contain', () => {
  const index = new LiteralIndex([[['www.foo.com']], [['.gif']], [], [['js']], [['https://'], ['/deep/']]]);
  expect(index.findCandidates('https://www.foo.com/x.html', 'https://www.foo.com/x.html')).toEqual([0, 2]);
  expect(index.findCandidates('https://a.com/deep/x.js', 'https://a.com/deep/x.js')).toEqual([2, 3, 4]);
});
