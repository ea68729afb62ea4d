import { describe, expect, it } from 'vitest';
import { runRuledWorld } from './ruled-world.js';

const WORLDS = 12;

describe('whatever a person and the configuration do meanwhile, every sink is true in the end', () => {
  it.each(Array.from({ length: WORLDS }, (_, i) => i + 1))('world %i, with rules that change', async (seed) => {
    const { violations } = await runRuledWorld(seed);
    expect(violations, `npm run simulate -- --rules --from ${seed} --seeds 1`).toEqual([]);
  });
});
