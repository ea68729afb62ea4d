/** The operations of the two threads of the SQLite store, also used by the store in the calling thread. */
import type { SqliteFrontier } from './sqlite-frontier.js';
import type { SqliteOwed } from './sqlite-owed.js';
import type { SqliteReads } from './sqlite-reads.js';
import type { SqliteSearch } from './sqlite-search.js';

export type WriterVerbs = ReturnType<typeof bindWriterVerbs>;
export type ReaderVerbs = ReturnType<typeof bindReaderVerbs>;

/** Must be called inside `frontier.transaction`. */
export const bindWriterVerbs = (frontier: SqliteFrontier) => ({
  ...bindVerbs(frontier, 'unknown', 'insert', 'seed', 'due', 'settle', 'backlogs', 'makeDueAmong', 'forgetMatching'),
  ...bindVerbs(frontier.records, 'loadHosts', 'saveHosts', 'saveOrders', 'deleteOrders', 'putSetting'),
  ...bindVerbs(frontier.owed, 'drop'),
});

/** Reads that may take seconds on a large store. */
export const bindReaderVerbs = (reads: SqliteReads, search: SqliteSearch, owed: SqliteOwed) => ({
  ...bindVerbs(owed, 'owedCounts'),
  ...bindVerbs(reads, 'list', 'get', 'count', 'matching', 'listByUrl', 'orders', 'countOrders', 'prunable', 'oldest'),
  ...bindVerbs(search, 'search', 'matches', 'folders', 'survey', 'failing', 'failingHosts'),
});

function bindVerbs<T extends object, Name extends keyof T>(target: T, ...names: Name[]): Pick<T, Name> {
  const verbs = names.map((name) => [name, (target[name] as CallableFunction).bind(target)]);
  return Object.fromEntries(verbs) as Pick<T, Name>;
}
