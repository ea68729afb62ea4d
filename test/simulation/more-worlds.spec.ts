import { describe, expect, it } from 'vitest';
import { runWorld } from './world.js';

const FIRST = 76;
const WORLDS = 75;

describe('in every further simulated world the index equals the web in the end', () => {
  it.each(Array.from({ length: WORLDS }, (_, i) => i + FIRST))('world %i, with faults and crashes', async (seed) => {
    const { violations } = await runWorld(seed);
    expect(violations, `npm run simulate -- --from ${seed} --seeds 1`).toEqual([]);
  });
});
