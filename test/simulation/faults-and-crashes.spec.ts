import { describe, expect, it } from 'vitest';
import { runWorld } from './world.js';
import { worlds } from './worlds.js';

const WORLDS = worlds({ count: 60 });

describe('in every simulated world the index equals the web in the end', () => {
  it.each(WORLDS)('world %i, with faults and crashes', async (seed) => {
    const { violations } = await runWorld(seed);
    expect(violations, `npm run simulate -- --from ${seed} --seeds 1`).toEqual([]);
  });

  it('a seed determines its world: it replays exactly', async () => {
    expect(await runWorld(7)).toEqual(await runWorld(7));
  });
});
