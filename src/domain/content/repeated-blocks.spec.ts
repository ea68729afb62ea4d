import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_PAGE_BLOCKS, MIN_PAGES, RepeatedBlocks, SAMPLE_SIZE } from './repeated-blocks.js';

const record = (blocks: RepeatedBlocks, from: number, to: number, hashes: readonly number[]): void => {
  for (let id = from; id < to; id++) blocks.record(id, [...hashes, 1_000 + id]);
};

it('a block is learned on most of enough pages, and forgotten only when few pages still have it', () => {
  const blocks = new RepeatedBlocks();
  record(blocks, 0, MIN_PAGES - 1, [1]);
  expect([...blocks.learned]).toEqual([]);
  expect(blocks.record(MIN_PAGES - 1, [2])).toBe('learned');
  expect([...blocks.learned]).toEqual([1]);
  record(blocks, 0, 9, [2]);
  // On ten of twenty pages each: one is still known, the other not yet.
  expect([...blocks.learned]).toEqual([1]);
  record(blocks, 9, 15, [2]);
  expect([...blocks.learned]).toEqual([2]);
});

it('a page counts once, however often it is visited', () => {
  const blocks = new RepeatedBlocks();
  for (let visit = 0; visit < 200; visit++) blocks.record(7, [1]);
  expect(blocks.toStored().pages).toHaveLength(1);
  expect(blocks.forget(7)).toBe('sample');
  expect(blocks.forget(7)).toBe('none');
  expect(blocks.toStored().pages).toEqual([]);
});

it('the same pages are remembered in whatever order they are visited, and never more than the limit', () => {
  const ids = Array.from({ length: 200 }, (_, index) => 3 + index * 7);
  const remember = (order: readonly number[]): number[] => {
    const blocks = new RepeatedBlocks();
    for (const id of order)
      blocks.record(
        id,
        Array.from({ length: 1_000 }, (_, index) => index),
      );
    const { pages, learned } = blocks.toStored();
    expect(pages).toHaveLength(SAMPLE_SIZE);
    expect(pages.every(([, list]) => list.length <= MAX_PAGE_BLOCKS)).toBe(true);
    expect(learned.length).toBeLessThanOrEqual(500);
    return pages.map(([id]) => id).sort((a, b) => a - b);
  };
  fc.assert(
    fc.property(fc.shuffledSubarray(ids, { minLength: ids.length }), (order) => {
      expect(remember(order)).toEqual(remember(ids));
    }),
    { numRuns: 5 },
  );
});

it('knows as much after a restart', () => {
  const blocks = new RepeatedBlocks();
  record(blocks, 0, 40, [1, 2]);
  const restored = new RepeatedBlocks(JSON.parse(JSON.stringify(blocks.toStored())));
  expect(restored.toStored()).toEqual(blocks.toStored());
  expect([...restored.learned].sort()).toEqual([1, 2]);
});
