/**
 * Numbers of simulated worlds: a few with every change, which take seconds, and many in `npm run test:engines`; any number of
 * further ones: `npm run simulate`.
 */
export function worlds({ from = 1, few, many }: { from?: number; few: number; many: number }): number[] {
  const length = process.env['CRAWLWAY_TEST_WORLDS'] === 'many' ? many : few;
  return Array.from({ length }, (_, i) => from + i);
}
