import { expect, it } from 'vitest';
import { runCluster } from './cluster-world.js';

/** Any number of further ones: `npm run simulate -- --nodes`. */
const WORLDS = 12;

it.each(Array.from({ length: WORLDS }, (_, i) => i + 1))(
  'world %i of several nodes: killed, frozen, cut off from the database',
  async (seed) => {
    const { violations } = await runCluster(seed);
    expect(violations, `npm run simulate -- --nodes --from ${seed} --seeds 1`).toEqual([]);
  },
);
