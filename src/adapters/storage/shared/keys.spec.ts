import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortByIndex } from './keys.js';

const link = fc.record({ site: fc.nat(300), key: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) });

it('orders links by site and then by the high bits of their keys, each once', () => {
  fc.assert(
    fc.property(fc.array(link, { maxLength: 200 }), (links) => {
      const order = sortByIndex(
        Uint32Array.from(links, ({ site }) => site),
        BigInt64Array.from(links, ({ key }) => key),
      );
      expect([...order].sort((a, b) => a - b)).toEqual(links.map((_, i) => i));
      const sorted = [...order].map((i) => links[i]!);
      for (const [i, { site, key }] of sorted.entries()) {
        const next = sorted[i + 1];
        if (next) expect(site < next.site || (site === next.site && key >> 48n <= next.key >> 48n)).toBe(true);
      }
    }),
  );
});
