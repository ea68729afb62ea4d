import Database from 'better-sqlite3';
import type { Handle } from '../sqlite/sqlite-handle.js';

/** Pages in the WAL above which a checkpoint is due although the writer is busy: 16 MB. */
const MANY_PAGES = 4_000;

/** Pages that may remain for the step in which the writer waits: some milliseconds. */
const FEW_PAGES = 500;

/** Each pass processes what was written during the previous one, which is less each time. */
const PASSES = 4;

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Moves what was written from the WAL into the database, on a handle (and in a thread) that does not write; must be called now and
 * then. Waits until the writer rests or much has accumulated: pages that change often are then moved once. PASSIVE does the bulk
 * without holding up the writer; but under a writer that never rests the WAL would grow forever, so a short RESTART follows, in
 * which the writer waits for the few pages written meanwhile.
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
      // A full disk, for example. Nothing is lost, the WAL contains it: the next attempt may succeed, and calls that meet the same
      // problem report it.
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
