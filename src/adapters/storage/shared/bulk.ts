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
  let changed = 0;
  let last = 0;
  for (;;) {
    const ids = await find(last);
    if (ids.length > 0) changed += await apply(ids);
    if (ids.length < BULK_STEP) return changed;
    last = ids.at(-1)!;
  }
}
