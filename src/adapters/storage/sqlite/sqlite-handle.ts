/**
 * Opens a SQLite file with the settings that this store needs, and classifies errors by the reaction that they require.
 */
import Database from 'better-sqlite3';
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';

export type Handle = Database.Database;

/**
 * WAL with synchronous=NORMAL: a transaction has been passed to the operating system when the call returns, so a killed
 * process (kill -9) loses nothing. A power failure may lose the transactions since the last checkpoint, but never more,
 * and never part of one: the store is then as it was a few moments earlier, pages visited since then are visited again,
 * and orders sent since then are sent again, which does not harm sinks (URI and content hash). FULL would wait for the
 * disk at every commit, and would save only the work of those moments.
 */
const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = NORMAL',
  // There are two writers: the frontier and, occasionally, the administration; each holds the lock for milliseconds.
  'busy_timeout = 10000',
  // A thread runs the checkpoints (checkpoint.ts).
  'wal_autocheckpoint = 0',
  'temp_store = FILE',
  'journal_size_limit = 67108864',
];

export function prepareHandle(db: Handle): void {
  for (const pragma of PRAGMAS) db.pragma(pragma);
}

/**
 * Memory for pages, in KiB. Further pages come from the operating system's page cache, which is released under memory
 * pressure. Mapping the file into the process instead would save a sixth of the time on a large store, but would make
 * the process look as large as the file, also for container limits.
 */
const CACHE_KIB = { writer: 64_000, reader: 16_000 };

/** Throws StoreDamaged if the file belongs to another program, whose tables must neither be changed nor added to. */
export function requireOwnTables(db: Handle, file: string): void {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all() as string[];
  const hasMigrations =
    db.prepare(`SELECT 1 FROM pragma_table_info('migration') WHERE name = 'name'`).get() !== undefined;
  if (tables.length === 0 || hasMigrations) return;
  db.close();
  throw new StoreDamaged(
    `The database ${file} belongs to another program (its tables: ${tables.slice(0, 5).join(', ')}): specify another data directory or database.`,
  );
}

/** Opens an existing, migrated file. A reader may also run checkpoints and sort in temporary tables. */
export function openHandle(file: string, role: 'writer' | 'reader'): Handle {
  return translateErrors(file, () => {
    const db = new Database(file, { fileMustExist: true });
    prepareHandle(db);
    db.pragma(`cache_size = -${CACHE_KIB[role]}`);
    // A blocked checkpoint is retried later, because waiting would hold up the writer.
    if (role === 'reader') db.pragma('busy_timeout = 250');
    return db;
  });
}

const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/;
const TRANSIENT = /^SQLITE_(?:FULL|IOERR|NOMEM|READONLY|CANTOPEN|PROTOCOL)/;

/**
 * Prepares a statement that runs many times, when it first runs: preparing all would take half the time in which an
 * empty store opens. SQLite with STAT4, as included in better-sqlite3, replans a statement whenever a parameter that the
 * planner has examined changes, which takes 5 to 50 µs, many times the cost of running it. The planner does not look
 * behind a unary plus, which leaves the value unchanged.
 */
export function prepareOnce<P extends unknown[] = unknown[], R = unknown>(db: Handle, sql: string) {
  return onDemand(db.prepare.bind(db, sql.replace(/\?|@\w+/g, '+$&'))) as Database.Statement<P, R>;
}

function onDemand(prepare: () => Database.Statement): unknown {
  let prepared: Database.Statement | undefined;
  const statement = (): Database.Statement => (prepared ??= prepare());
  return {
    get: (...values: unknown[]) => statement().get(...values),
    all: (...values: unknown[]) => statement().all(...values),
    iterate: (...values: unknown[]) => statement().iterate(...values),
    run: (...values: unknown[]) => statement().run(...values),
    pluck: () => onDemand(() => prepare().pluck()),
    raw: () => onDemand(() => prepare().raw()),
  };
}

/** Whether the error means that another program has held the lock for longer than `busy_timeout`. */
export const isLocked = (error: unknown): boolean =>
  /^SQLITE_(?:BUSY|LOCKED)/.test(String((error as { code?: unknown } | undefined)?.code));

export const createStoreDamaged = (file: string, details: string, cause?: unknown): StoreDamaged =>
  new StoreDamaged(
    `The database ${file} is damaged: ${details}. Move it away together with ${file}-wal and ${file}-shm, which would otherwise be ` +
      'applied to its replacement; then put a backup in its place, or start with an empty store.',
    { cause },
  );

/**
 * Converts SQLite's errors to those of the port; any other error is a bug in this program and is returned unchanged.
 */
export function toPortError(error: unknown, file: string): unknown {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return error;
  const details = `${(error as Error).message} (${code})`;
  if (DAMAGE.test(code)) return createStoreDamaged(file, details, error);
  // The second one when the file that is shared by all connections cannot grow.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') {
    return new StoreUnavailable(
      `No space is left for the database ${file}: ${details}. Free some disk space; work then resumes automatically.`,
      { cause: error },
    );
  }
  if (isLocked(error)) {
    return new StoreUnavailable(
      `The database ${file} is locked by another program: ${details}. Close the program that has it open, such as a backup or a database browser; a running server continues automatically, and one that failed to start can be started again.`,
      { cause: error },
    );
  }
  if (TRANSIENT.test(code))
    return new StoreUnavailable(`The database ${file} is currently unavailable: ${details}`, { cause: error });
  return error;
}

export function translateErrors<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toPortError(error, file);
  }
}

/** Number of pages in the WAL above which a checkpoint is due even if the writer is busy: 16 MB. */
const MAX_WAL_PAGES = 4_000;

/** Maximum number of pages to leave for the last step, for which the writer then waits only a few milliseconds. */
const MAX_REMAINING_PAGES = 500;

/** Maximum number of passes: each one processes what was written during the previous one, which is less each time. */
const MAX_PASSES = 4;

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Creates a function that moves the contents of the WAL into the database, on a handle (and in a thread) that does not
 * write; it must be called from time to time. It waits until the writer is idle or many pages have accumulated, so that
 * pages that change often are moved only once. PASSIVE does most of the work without holding up the writer; but if the
 * writer were never idle, the WAL would grow indefinitely, so a short RESTART follows, during which the writer waits
 * for the few pages that were written in the meantime.
 */
export function createCheckpointer(db: Handle): () => void {
  let previousLog = 0;
  const checkpointIfDue = (): void => {
    const { log, checkpointed } = runCheckpoint(db, 'NOOP');
    const isIdle = log === previousLog;
    previousLog = log;
    const pendingPages = log - checkpointed;
    if (pendingPages > 0 && (isIdle || pendingPages >= MAX_WAL_PAGES)) checkpoint(db);
  };
  return () => {
    try {
      checkpointIfDue();
    } catch (error) {
      // The disk may be full, for example. Nothing is lost, because all changes are in the WAL: the next attempt may
      // succeed, and writes that encounter the same problem report it.
      if (!(error instanceof Database.SqliteError)) throw error;
    }
  };
}

function checkpoint(db: Handle): void {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const progress = runCheckpoint(db, 'PASSIVE');
    if (progress.log - progress.checkpointed <= MAX_REMAINING_PAGES) break;
  }
  runCheckpoint(db, 'RESTART');
}

const runCheckpoint = (db: Handle, mode: 'NOOP' | 'PASSIVE' | 'RESTART'): Progress =>
  (db.pragma(`wal_checkpoint(${mode})`) as [Progress])[0];
