import { expect, it } from 'vitest';
import { Batcher } from './batcher.js';

it('what is added at once is processed together, in batches of the maximum size and in order', async () => {
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>(async (items) => {
    if (batches.push(items) > 10) throw new Error('empty batches without end');
    return items.map((item) => item * 10);
  }, 2);
  expect(await Promise.all([1, 2, 3].map((item) => batcher.add(item)))).toEqual([10, 20, 30]);
  expect(await batcher.add(4)).toBe(40);
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toEqual([[1, 2], [3], [4]]);
});

it('a batch that fails fails for each of its items, and the next one is processed', async () => {
  const batcher = new Batcher<number, number>(async (items) => {
    if (items.includes(1)) throw new Error('down');
    return items;
  }, 2);
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
