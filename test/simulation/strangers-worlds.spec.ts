import { describe, expect, it } from 'vitest';
import { runStrangersWorld } from './strangers-world.js';
import { worlds } from './worlds.js';

describe('whatever strangers say about a healthy host, its documents, rights, limits and pace are as without them', () => {
  it.each(worlds({ count: 50, few: 2 }))('world %i, with strangers', async (seed) => {
    const { violations } = await runStrangersWorld(seed);
    expect(violations, `npm run simulate -- --strangers --from ${seed} --seeds 1`).toEqual([]);
  });
});
