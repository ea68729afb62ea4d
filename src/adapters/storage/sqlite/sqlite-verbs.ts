/** The operations of the two threads of the SQLite store, also used by the store in the calling thread. */
import type { SqliteFrontier } from './sqlite-frontier.js';
import type { SqliteOwed } from './sqlite-owed.js';
import type { SqliteReads } from './sqlite-reads.js';
import type { SqliteSearch } from './sqlite-search.js';

export type WriterVerbs = ReturnType<typeof bindWriterVerbs>;
export type ReaderVerbs = ReturnType<typeof bindReaderVerbs>;

/** Must be called inside `frontier.transaction`. */
export const bindWriterVerbs = (frontier: SqliteFrontier) => ({
  ...bindVerbs(
    frontier,
    'findUnknown',
    'insert',
    'seed',
    'listDue',
    'settle',
    'listBacklogs',
    'makeDueAmong',
    'forgetMatching',
  ),
  ...bindVerbs(frontier.records, 'loadHosts', 'saveHosts', 'saveOrders', 'deleteOrders', 'putSetting'),
  ...bindVerbs(frontier.owed, 'drop'),
});

/** Reads that may take seconds on a large store. */
export const bindReaderVerbs = (reads: SqliteReads, search: SqliteSearch, owed: SqliteOwed) => ({
  ...bindVerbs(owed, 'countOwed'),
  ...bindVerbs(
    reads,
    'list',
    'get',
    'count',
    'findMatching',
    'listByUrl',
    'listOrders',
    'countOrders',
    'findPrunable',
    'findOldest',
  ),
  ...bindVerbs(search, 'search', 'findMatches', 'listFolders', 'survey', 'countFailing', 'listFailingHosts'),
});

function bindVerbs<T extends object, Name extends keyof T>(target: T, ...names: Name[]): Pick<T, Name> {
  const verbs = names.map((name) => [name, (target[name] as CallableFunction).bind(target)]);
  return Object.fromEntries(verbs) as Pick<T, Name>;
}
