import Database from 'better-sqlite3';
import type { Handle } from '../sqlite/sqlite-handle.js';

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
