/** Checks the time between two URLs of one statement, because SQLite itself cannot be interrupted. */
import { GLOB, type PatternDialect } from '../shared/filter-sql.js';
import type { Handle } from './sqlite-handle.js';

const FUNCTION = 'crawlway_in_time';

/**
 * Decides for each URL in turn whether there is time to match it. The first one is always matched, so that every step
 * makes progress; once a URL was not matched, no later one is.
 */
export class MatchWatch {
  #deadline = 0;
  #asked = false;
  #refused: number | undefined;

  static forHandle(db: Handle): MatchWatch {
    const known = WATCHES.get(db);
    if (known) return known;
    const watch = new MatchWatch();
    db.function(FUNCTION, (id) => (watch.#allowMatch(id as number) ? 1 : 0));
    WATCHES.set(db, watch);
    return watch;
  }

  start(deadline: number): void {
    this.#deadline = deadline;
    this.#asked = false;
    this.#refused = undefined;
  }

  /** Id of the first URL that was not matched because the time was up. */
  get refusedId(): number | undefined {
    return this.#refused;
  }

  #allowMatch(id: number): boolean {
    if (this.#refused === undefined && this.#asked && performance.now() >= this.#deadline) this.#refused = id;
    this.#asked = true;
    return this.#refused === undefined;
  }
}

const WATCHES = new WeakMap<Handle, MatchWatch>();

/**
 * GLOB under the watch. Its worst-case cost is the length of the URL times that of the pattern; if this is small, the
 * function call is skipped, which takes twice as long as matching an ordinary URL.
 */
export const globWithTimeLimit = (like: string | undefined, unwatched: number): PatternDialect => ({
  ...GLOB,
  matches: (column) =>
    `CASE WHEN octet_length(${column}) < ${Math.floor(unwatched / ((like?.length ?? 0) + 1))} OR ${FUNCTION}(u.id) THEN ${GLOB.matches(column)} END`,
});
