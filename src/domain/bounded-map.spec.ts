import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.js';

it('holds the keys that were set last, the newest at the end, with their latest values', () => {
  const calls = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer()), { maxLength: 60 });
  fc.assert(
    fc.property(calls, fc.integer({ min: 1, max: 6 }), (entries, limit) => {
      const map = new BoundedMap<number, number>(limit);
      for (const [key, value] of entries) expect(map.set(key, value)).toBe(map);
      const newestFirst = [...new Set(entries.map(([key]) => key).reverse())].slice(0, limit);
      expect([...map]).toEqual(newestFirst.reverse().map((key) => [key, new Map(entries).get(key)]));
    }),
  );
});

it('reading an entry does not keep it', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['b', 'c']);
});
