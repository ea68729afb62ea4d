import { expect, it } from 'vitest';
import { WeighedCache } from './weighed-cache.js';

it('the oldest entry is evicted when there are too many entries or they weigh too much', () => {
  const cache = new WeighedCache<string, number>(3, 10);
  const kept = (): string => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined).join('');
  for (const key of ['a', 'b', 'c']) cache.set(key, 1, 1);
  cache.set('a', 2, 1);
  cache.set('d', 1, 1);
  expect(kept()).toBe('acd');
  cache.set('e', 1, 9);
  expect(kept()).toBe('de');
  cache.set('e', 1, 1);
  cache.set('b', 1, 8);
  expect(kept()).toBe('bde');
  cache.set('c', 1, 100);
  expect(kept()).toBe('c');
});
