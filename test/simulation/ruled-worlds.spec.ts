import { describe, expect, it } from 'vitest';
import { runRuledWorld } from './ruled-world.js';
import { worlds } from './worlds.js';

const WORLDS = worlds({ count: 6 });

describe('whatever commands and configuration changes happen meanwhile, every sink is correct in the end', () => {
  it.each(WORLDS)('world %i, with rules that change', async (seed) => {
    const { violations } = await runRuledWorld(seed);
    expect(violations, `npm run simulate -- --rules --from ${seed} --seeds 1`).toEqual([]);
  });
});
