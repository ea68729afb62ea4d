/**
 * Restricts the server's files to its own user, even if an earlier version or another program made them readable by
 * everyone.
 */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';

const OTHERS_MASK = 0o077;

/** Names of the files that Crawlway keeps in a data directory. */
const OWN_FILES =
  /^(?:server\.(?:lock|pid)|secret\.key|history\.json(?:\.new)?|(?:crawlway|index)\.sqlite(?:-wal|-shm)?)$/;

/**
 * Creates the directory if it does not exist. A directory that contains only our files is closed to other users; in a
 * directory with other contents (`--data .`), only our files are.
 */
export function createPrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const names = readdirSync(directory);
  if (names.every((name) => OWN_FILES.test(name))) restrictToOwner(directory);
  for (const name of names) if (OWN_FILES.test(name)) restrictToOwner(`${directory}/${name}`);
}

/** Makes a SQLite file and its journal files private, if they exist. */
export function restrictDatabaseFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) restrictToOwner(file + suffix);
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
