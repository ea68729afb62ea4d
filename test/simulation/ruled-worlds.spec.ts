import { describe, expect, it } from 'vitest';
import { runRuledWorld, runSharedWorld } from './ruled-world.js';
import { worlds } from './worlds.js';

const WORLDS = worlds({ count: 6 });

describe('whatever commands and configuration changes happen meanwhile, every sink is correct in the end', () => {
  it.each(WORLDS)('world %i, with rules that change', async (seed) => {
    const { violations } = await runRuledWorld(seed);
    expect(violations, `npm run simulate -- --rules --from ${seed} --seeds 1`).toEqual([]);
  });

  it.each(WORLDS)('world %i, whose crawlers share their sinks', async (seed) => {
    const { violations } = await runSharedWorld(seed);
    expect(violations, `npm run simulate -- --shared --from ${seed} --seeds 1`).toEqual([]);
  });
});
