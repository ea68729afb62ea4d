/** Worlds of each kind that `npm test` runs. */
const FEW = 5;

/**
 * Seeds of simulated worlds: a few with `npm test`; with `npm run test:worlds` all of them, and those in which faults were found. Any
 * further ones: `npm run simulate`.
 */
export const worlds = ({ count, found = [] }: { count: number; found?: readonly number[] }): number[] => {
  const all = process.env['CRAWLWAY_TEST_WORLDS'] === 'all';
  const seeds = Array.from({ length: all ? count : Math.min(count, FEW) }, (_, i) => i + 1);
  return all ? [...seeds, ...found] : seeds;
};
