import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runAtOnce } from '../steps.js';
import { PrefixTable } from './prefix-table.js';

const text = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 8 }).map((chars) => chars.join(''));

test('finds the longest prefix, in whatever order they were written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 30 }), text, (prefixes, wanted) => {
      const longest = prefixes.filter((prefix) => wanted.startsWith(prefix)).sort((a, b) => b.length - a.length)[0];
      for (const order of [prefixes, prefixes.toReversed()]) {
        const table = runAtOnce(PrefixTable.create(order.map((prefix) => [prefix, prefix] as const)));
        expect(table.findLongest(wanted)).toBe(longest);
      }
    }),
    { numRuns: 1000 },
  );
});
