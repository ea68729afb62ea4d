import { describe, expect, it } from 'vitest';
import { runSinksWorld } from './sinks-world.js';
import { worlds } from './worlds.js';

/**
 * The process dies while a document waits for both sinks, after errors of its page; a request is on its way when the process
 * dies; a sink that refuses everything has been asked with an order that newer ones have overtaken,
 * or no longer answers once it is clear that it refuses everything.
 */
const FOUND = [149, 168, 1600014, 1900017];
const WORLDS = worlds({ count: 6, found: FOUND });

describe('however long one of two sinks is slow or down, both are correct in the end, and neither waits for the other', () => {
  it.each(WORLDS)('world %i, with two sinks', async (seed) => {
    const { violations, putOff } = await runSinksWorld(seed);
    expect(violations, `npm run simulate -- --sinks --from ${seed} --seeds 1`).toEqual([]);
    expect(putOff).toBeGreaterThan(0);
  });
});
