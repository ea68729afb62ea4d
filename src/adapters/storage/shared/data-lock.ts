import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { toPortError, translateErrors } from '../sqlite/sqlite-handle.js';
import { createPrivateDirectory } from './private-files.js';

/** Another server is using this data directory: two servers would overwrite each other's decisions. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
}

/**
 * Locks the data directory for this process (creating it if absent) and returns a function that releases it. The lock
 * is a SQLite lock on an otherwise empty file: the operating system releases it when the process ends, however it ends,
 * so a killed server leaves nothing behind that an operator would have to remove.
 */
export function lockDataDirectory(directory: string): () => void {
  createPrivateDirectory(directory);
  const pidFile = join(directory, 'server.pid');
  const file = join(directory, 'server.lock');
  const db = translateErrors(file, () => new Database(file, { timeout: 0 }));
  try {
    // No journal file is needed, because there is nothing to roll back.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw toPortError(error, file);
    throw new DataDirectoryInUse(
      `The data directory ${directory} is in use by another server${describeOwner(pidFile)}. Stop that server, or give this one a directory of its own.`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return () => {
    rmSync(pidFile, { force: true });
    db.close();
  };
}

function describeOwner(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
