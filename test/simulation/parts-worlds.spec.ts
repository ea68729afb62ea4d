import { describe, expect, it } from 'vitest';
import { runPartsWorld } from './parts-world.js';
import { worlds } from './worlds.js';

/** A part leaves its page while a sink refuses it, and is back before somebody releases its deletion. */
const FOUND = [43, 46, 64, 85];
const WORLDS = worlds({ count: 6, found: FOUND });

describe('however often the parts of pages are added, removed and changed, the index has the current ones in the end', () => {
  it.each(WORLDS)('world %i, with pages in parts', async (seed) => {
    const { violations, parts } = await runPartsWorld(seed);
    expect(violations, `npm run simulate -- --parts --from ${seed} --seeds 1`).toEqual([]);
    expect(parts).toBeGreaterThan(0);
  });
});
