/**
 * Restricts the server's files to its own user, even if an earlier version or another program made them readable by
 * everyone.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { toPortError, translateErrors } from '../sqlite/sqlite-handle.js';

const OTHERS_MASK = 0o077;

/** Names of the files that Crawlway keeps in a data directory. */
const OWN_FILES =
  /^(?:server\.(?:lock|pid)|secret\.key|history\.json(?:\.new)?|(?:crawlway|index)\.sqlite(?:-wal|-shm)?)$/;

/**
 * Creates the directory if it does not exist. A directory that contains only our files is closed to other users; in a
 * directory with other contents (`--data .`), only our files are.
 */
function createPrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const names = readdirSync(directory);
  if (names.every((name) => OWN_FILES.test(name))) restrictToOwner(directory);
  for (const name of names) if (OWN_FILES.test(name)) restrictToOwner(`${directory}/${name}`);
}

/** Makes a SQLite file and its journal files private, if they exist. */
export function restrictDatabaseFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) restrictToOwner(file + suffix);
}

/**
 * Throws StoreDamaged if there is a journal without its database: SQLite would delete the journal, which may hold all that
 * was stored, and begin an empty database.
 */
export function requireDatabaseOfJournal(file: string): void {
  const [database, journal] = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  if (database !== 0 || journal === 0) return;
  throw new StoreDamaged(
    `The database ${file} is missing, but its journal ${file}-wal is there. Put the database back; or move the journal away to start with an empty store.`,
  );
}

/** Files that belong to other users are left unchanged. */
function restrictToOwner(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || (stat.mode & OTHERS_MASK) === 0) return;
  try {
    chmodSync(path, stat.mode & 0o7777 & ~OTHERS_MASK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

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
  const unlock = (): void => {
    rmSync(pidFile, { force: true });
    db.close();
  };
  try {
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    unlock();
    throw Object.assign(error as Error, { path: pidFile });
  }
  return unlock;
}

function describeOwner(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
