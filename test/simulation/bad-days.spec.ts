import { describe, expect, it } from 'vitest';
import { runBadDays } from './bad-days-world.js';
import { worlds } from './worlds.js';

/**
 * A deletion waits, the page answers, and the process dies between the document and the note that it went out. A page fails, is left
 * out by the rules, and fails once when it belongs to the crawl again. A page fails, says something that is in doubt, and fails
 * once more.
 */
const FOUND = [498, 2137, 1_200_019];
const WORLDS = worlds({ count: 12, found: FOUND });

describe('outages of hosts of any size: nothing is deleted because of a fault without a sign of life, and everything recovers', () => {
  it.each(WORLDS)('world %i, with faults of every class', async (seed) => {
    const { violations } = await runBadDays(seed);
    expect(violations, `npm run simulate -- --bad-days --from ${seed} --seeds 1`).toEqual([]);
  });
});
