/** The operations of the two threads of the SQLite store, also used by the store in the calling thread. */
import type { SqliteFrontier } from './sqlite-frontier.js';
import type { SqliteOwed } from './sqlite-owed.js';
import type { SqliteReads } from './sqlite-reads.js';
import type { SqliteSearch } from './sqlite-search.js';

export type WriterVerbs = ReturnType<typeof writerVerbs>;
export type ReaderVerbs = ReturnType<typeof readerVerbs>;

/** Must be called inside `frontier.transaction`. */
export const writerVerbs = (frontier: SqliteFrontier) => ({
  ...offer(frontier, 'unknown', 'insert', 'seed', 'due', 'settle', 'backlogs', 'makeDueAmong', 'forgetMatching'),
  ...offer(frontier.records, 'loadHosts', 'saveHosts', 'saveOrders', 'deleteOrders', 'putSetting'),
  ...offer(frontier.owed, 'drop'),
});

/** Reads that may take seconds on a large store. */
export const readerVerbs = (reads: SqliteReads, search: SqliteSearch, owed: SqliteOwed) => ({
  ...offer(owed, 'owedCounts'),
  ...offer(reads, 'list', 'get', 'count', 'matching', 'listByUrl', 'orders', 'countOrders', 'prunable', 'oldest'),
  ...offer(search, 'search', 'matches', 'folders', 'survey', 'failing', 'failingHosts'),
});

function offer<T extends object, Name extends keyof T>(target: T, ...names: Name[]): Pick<T, Name> {
  const verbs = names.map((name) => [name, (target[name] as CallableFunction).bind(target)]);
  return Object.fromEntries(verbs) as Pick<T, Name>;
}
