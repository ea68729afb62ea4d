import { describe, expect, it } from 'vitest';
import { runWorld } from './world.js';
import { worlds } from './worlds.js';

const WORLDS = worlds({ from: 31, count: 30 });

describe('in every further simulated world the index equals the web in the end', () => {
  it.each(WORLDS)('world %i, with faults and crashes', async (seed) => {
    const { violations } = await runWorld(seed);
    expect(violations, `npm run simulate -- --from ${seed} --seeds 1`).toEqual([]);
  });
});
