import Database from 'better-sqlite3';
import type { Handle } from '../sqlite/sqlite-handle.js';

/** Number of pages in the WAL above which a checkpoint is due even if the writer is busy: 16 MB. */
const MANY_PAGES = 4_000;

/** Number of pages that may remain for the step in which the writer waits, which then takes a few milliseconds. */
const FEW_PAGES = 500;

/** Maximum number of passes: each one processes what was written during the previous one, which is less each time. */
const PASSES = 4;

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Moves what was written from the WAL into the database, on a handle (and in a thread) that does not write; must be
 * called from time to time. Waits until the writer is idle or much has accumulated, so that pages that change often are
 * moved only once. PASSIVE does most of the work without holding up the writer; but with a writer that is never idle,
 * the WAL would grow indefinitely, so a short RESTART follows, in which the writer waits for the few pages that were
 * written in the meantime.
 */
export function createCheckpointer(db: Handle): () => void {
  let seen = 0;
  const check = (): void => {
    const { log, checkpointed } = runCheckpoint(db, 'NOOP');
    const resting = log === seen;
    seen = log;
    const open = log - checkpointed;
    if (open > 0 && (resting || open >= MANY_PAGES)) checkpoint(db);
  };
  return () => {
    try {
      check();
    } catch (error) {
      // The disk may be full, for example. Nothing is lost, because it is in the WAL: the next attempt may succeed, and
      // calls that encounter the same problem report it.
      if (!(error instanceof Database.SqliteError)) throw error;
    }
  };
}

function checkpoint(db: Handle): void {
  for (let pass = 0; pass < PASSES; pass++) {
    const after = runCheckpoint(db, 'PASSIVE');
    if (after.log - after.checkpointed <= FEW_PAGES) break;
  }
  runCheckpoint(db, 'RESTART');
}

const runCheckpoint = (db: Handle, mode: 'NOOP' | 'PASSIVE' | 'RESTART'): Progress =>
  (db.pragma(`wal_checkpoint(${mode})`) as [Progress])[0];
