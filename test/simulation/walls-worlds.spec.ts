import { describe, expect, it } from 'vitest';
import { runLapsesWorld, runSmallSitesWorld, runWallsWorld, runWavesWorld } from './walls-world.js';
import { worlds } from './worlds.js';

/**
 * Half of the site is ill soon after a rewrite, or long after it is held, nobody is left to be asked, or most pages fail; a page that
 * is held is forbidden by its template, too.
 */
const FOUND = [19, 38, 47, 71, 2018, 2034];

describe('good statuses with wrong contents: no document carries a text that its page did not have, and everything recovers', () => {
  it.each(worlds({ count: 12, few: 2, found: FOUND }))('world %i, with walls', async (seed) => {
    const { violations } = await runWallsWorld(seed);
    expect(violations, `npm run simulate -- --walls --from ${seed} --seeds 1`).toEqual([]);
  });

  /** A sink refuses the document of a new address; a page that is held gives way to its home page, too. */
  it.each(worlds({ count: 12, few: 2, found: [15, 2017] }))('world %i, with waves', async (seed) => {
    const { violations } = await runWavesWorld(seed);
    expect(violations, `npm run simulate -- --waves --from ${seed} --seeds 1`).toEqual([]);
  });

  /** The process dies when the redirect of a page has just been given up. */
  it.each(worlds({ count: 12, few: 1, found: [4578] }))('world %i, with lapses', async (seed) => {
    const { violations } = await runLapsesWorld(seed);
    expect(violations, `npm run simulate -- --lapses --from ${seed} --seeds 1`).toEqual([]);
  });

  /** The page that looks for recovery is gone, or fails of its own. */
  it.each(worlds({ count: 24, found: [4463, 4539] }))('world %i, of small sites', async (seed) => {
    const { violations } = await runSmallSitesWorld(seed);
    expect(violations, `npm run simulate -- --small-sites --from ${seed} --seeds 1`).toEqual([]);
  });
});
