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

test('a rule is looked up by the rarest of its texts, so that it is a candidate for few URLs', () => {
  const candidates = (rules: readonly (readonly (readonly string[])[])[], text: string) =>
    new LiteralIndex(rules).findCandidates(text, text);
  // Nearly every URL contains these, and short texts are in more URLs than long ones.
  for (const common of ['https://', 'www.', '.com', '/', 'a'])
    expect(candidates([[[common], ['/rarely/']]], 'https://www.a.com/x'), common).toEqual([]);
  // Ten rules share a host, and each has a path of its own.
  const rules = Array.from({ length: 10 }, (_, i) => [['intranet.example'], [`/part-${i}/`]]);
  expect(candidates(rules, 'http://intranet.example/part-7/x')).toEqual([7]);
  // Of alternatives, all are looked up.
  expect(candidates([[['abcd', 'efgh']]], 'http://x/efgh')).toEqual([0]);
  // An empty text is no help.
  expect(candidates([[['abcd', '']], [['', 'x'], ['efgh']]], 'http://a/')).toEqual([0]);
});

test('candidates are in the order of the rules, whether they are indexed or not', () => {
  const index = new LiteralIndex([[], [['bbbb']], [], [['cccc']], [['b']], []]);
  expect(index.findCandidates('xx', 'xx')).toEqual([0, 2, 5]);
  expect(index.findCandidates('cccc bbbb bbbb', 'cccc')).toEqual([0, 1, 2, 3, 4, 5]);
  expect(index.findCandidates('xx', 'cccc')).toEqual([0, 2, 3, 5]);
  expect(new LiteralIndex([[['bbbb']]]).findCandidates('bbbb', 'bbbb')).toEqual([0]);
  expect(new LiteralIndex([[['bbbb']], []]).findCandidates('bbbb bbbb', 'bbbb')).toEqual([0, 1]);
});
