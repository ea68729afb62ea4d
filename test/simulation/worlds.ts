/**
 * Seeds of simulated worlds: `few` with `npm test`; with `npm run test:worlds` all of them, and those in which faults were found. Any
 * further ones: `npm run simulate`.
 */
export const worlds = ({
  count,
  few = 3,
  found = [],
}: Readonly<{ count: number; few?: number; found?: readonly number[] }>): number[] => {
  const all = process.env['CRAWLWAY_TEST_WORLDS'] === 'all';
  const seeds = Array.from({ length: all ? count : few }, (_, i) => i + 1);
  return all ? [...seeds, ...found] : seeds;
};
