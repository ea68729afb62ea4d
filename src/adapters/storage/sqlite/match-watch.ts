/** A look at the time between two URLs of one statement: SQLite itself stops for nobody. */
import { GLOB, type PatternDialect } from '../shared/filter-sql.js';
import type { Handle } from './sqlite-handle.js';

const FUNCTION = 'crawlway_in_time';

/**
 * Says of each URL in turn whether there is time to match it. The first one is always matched, so that every step comes
 * further; after the first that is not, none is.
 */
export class MatchWatch {
  #deadline = 0;
  #asked = false;
  #refused: number | undefined;

  static of(db: Handle): MatchWatch {
    const known = WATCHES.get(db);
    if (known) return known;
    const watch = new MatchWatch();
    db.function(FUNCTION, (id) => (watch.#mayMatch(id as number) ? 1 : 0));
    WATCHES.set(db, watch);
    return watch;
  }

  start(deadline: number): void {
    this.#deadline = deadline;
    this.#asked = false;
    this.#refused = undefined;
  }

  /** Id of the first URL that was not matched because the time was over. */
  get refused(): number | undefined {
    return this.#refused;
  }

  #mayMatch(id: number): boolean {
    if (this.#refused === undefined && this.#asked && performance.now() >= this.#deadline) this.#refused = id;
    this.#asked = true;
    return this.#refused === undefined;
  }
}

const WATCHES = new WeakMap<Handle, MatchWatch>();

/**
 * GLOB under the watch. What it costs at worst is the length of the URL times that of the pattern; where this is little, the
 * call of a function, which takes twice as long as matching an ordinary URL, is left out.
 */
export const globInTime = (like: string | undefined, unwatched: number): PatternDialect => ({
  ...GLOB,
  matches: (column) =>
    `CASE WHEN octet_length(${column}) < ${Math.floor(unwatched / ((like?.length ?? 0) + 1))} OR ${FUNCTION}(u.id) THEN ${GLOB.matches(column)} END`,
});
