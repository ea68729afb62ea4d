/** Checks the time before each URL that a statement matches, because SQLite itself cannot be interrupted. */
import { GLOB, type PatternDialect } from '../shared/filter-sql.js';
import type { Handle } from './sqlite-handle.js';

const FUNCTION = 'crawlway_in_time';

/**
 * Decides for each URL in turn whether there is time to match it. The first one is always matched, so that every step
 * makes progress; after the first URL that is not matched, no other one is.
 */
export class MatchWatch {
  #deadline = 0;
  #hasMatched = false;
  #refusedId: number | undefined;

  static forHandle(db: Handle): MatchWatch {
    const existing = WATCHES.get(db);
    if (existing) return existing;
    const watch = new MatchWatch();
    db.function(FUNCTION, (id) => (watch.#allowMatch(id as number) ? 1 : 0));
    WATCHES.set(db, watch);
    return watch;
  }

  start(deadline: number): void {
    this.#deadline = deadline;
    this.#hasMatched = false;
    this.#refusedId = undefined;
  }

  /** Id of the first URL that was not matched because the time was up. */
  get refusedId(): number | undefined {
    return this.#refusedId;
  }

  #allowMatch(id: number): boolean {
    if (this.#refusedId === undefined && this.#hasMatched && performance.now() >= this.#deadline) this.#refusedId = id;
    this.#hasMatched = true;
    return this.#refusedId === undefined;
  }
}

const WATCHES = new WeakMap<Handle, MatchWatch>();

/**
 * GLOB with a time limit. Its worst-case cost is the length of the URL times that of the pattern; if this is small, the
 * time is not checked, because the function call takes twice as long as matching an ordinary URL.
 */
export const globWithTimeLimit = (like: string | undefined, maxUncheckedCost: number): PatternDialect => ({
  ...GLOB,
  buildMatch: (column) =>
    `CASE WHEN octet_length(${column}) < ${Math.floor(maxUncheckedCost / ((like?.length ?? 0) + 1))} OR ${FUNCTION}(u.id) THEN ${GLOB.buildMatch(column)} END`,
});
