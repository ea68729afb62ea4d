/** Number of rows per step of a long change; crawling continues between the steps. */
export const BULK_STEP = 2_000;

/**
 * Changes very many rows in steps: `find` returns the next ids after a given one (in its own thread, if there is one),
 * and `apply` changes those that still qualify, in a transaction of its own. Returns how many rows were changed.
 */
export async function changeInSteps(
  find: (after: number) => Promise<number[]>,
  apply: (ids: readonly number[]) => Promise<number>,
): Promise<number> {
  let changedCount = 0;
  let lastId = 0;
  for (;;) {
    const ids = await find(lastId);
    if (ids.length > 0) changedCount += await apply(ids);
    if (ids.length < BULK_STEP) return changedCount;
    lastId = ids.at(-1)!;
  }
}
