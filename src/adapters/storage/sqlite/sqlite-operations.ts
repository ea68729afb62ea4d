/** The operations of the SQLite store, and how a thread carries out batches of calls to them. */
import { statSync } from 'node:fs';
import { StoreUnavailable } from '../../../engine/ports/frontier-store.js';
import { bindMethods } from '../shared/store-calls.js';
import { type Call, performCall, type Reply, serializeError } from '../shared/thread-protocol.js';
import { SqliteFrontier } from './sqlite-frontier.js';
import { type Handle, isLocked, toPortError } from './sqlite-handle.js';
import { SqliteReads } from './sqlite-reads.js';
import { SqliteOwed } from './sqlite-records.js';
import { SqliteSearch } from './sqlite-search.js';

/** Returns a reply for each call, in the order of the calls. */
export type RunBatch = (calls: readonly Call[]) => Reply[];

const bindWrites = (frontier: SqliteFrontier) => bindMethods(frontier, frontier.records, frontier.owed);
export const bindReads = (db: Handle) => bindMethods(new SqliteReads(db), new SqliteSearch(db), new SqliteOwed(db));

export type WriterVerbs = ReturnType<typeof bindWrites>;
export type ReaderVerbs = ReturnType<typeof bindReads>;

/**
 * Creates a check that throws StoreUnavailable while the path leads to another file than now, or to none. SQLite goes on
 * writing to a file that was deleted or moved away, and all of it would be gone after the next start.
 */
export function createPresenceCheck(file: string): () => void {
  const find = (): string | undefined => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat && `${stat.dev} ${stat.ino}`;
  };
  const opened = find();
  return () => {
    if (find() === opened) return;
    throw new StoreUnavailable(
      `The database ${file} was deleted, moved or replaced while the server was using it. Put it back, and work resumes automatically; or stop the server, and start it with a backup or an empty data directory.`,
    );
  };
}

/**
 * Uses one transaction for the whole batch; if it fails, one for each call, so that a call is affected only by its own
 * errors.
 */
export function createWriter(db: Handle, file: string): RunBatch {
  const frontier = new SqliteFrontier(db);
  const requireFile = createPresenceCheck(file);
  const verbs = bindWrites(frontier);
  const runBatch: RunBatch = (calls) => {
    try {
      requireFile();
      return frontier.transaction(() => calls.map((call) => ({ value: performCall(verbs, call) })));
    } catch (error) {
      // A lock affects every call of the batch, and waiting for it in each of them would take minutes.
      if (calls.length > 1 && !isLocked(error)) return calls.flatMap((call) => runBatch([call]));
      return calls.map(() => ({ error: serializeError(toPortError(error, file)) }));
    }
  };
  return runBatch;
}

export function createReader(db: Handle, file: string): RunBatch {
  const verbs = bindReads(db);
  return (calls) =>
    calls.map((call) => {
      try {
        return { value: performCall(verbs, call) };
      } catch (error) {
        return { error: serializeError(toPortError(error, file)) };
      }
    });
}
