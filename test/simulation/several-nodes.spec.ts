import { expect, it } from 'vitest';
import { runCluster } from './cluster-world.js';
import { worlds } from './worlds.js';

/** Each takes as long as five others: its nodes share a PostgreSQL. */
const WORLDS = worlds({
  count: 5,
  few: 2,
  // A node that lost its lease while it visited, and had it again before the visit ended, never visited the host again.
  found: [1_200_015],
});

it.each(WORLDS)('world %i with several nodes: killed, frozen, cut off from the database', async (seed) => {
  const { violations } = await runCluster(seed);
  expect(violations, `npm run simulate -- --nodes --from ${seed} --seeds 1`).toEqual([]);
});
