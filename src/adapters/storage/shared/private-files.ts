/** The files of the server are for its own user only, even if an earlier version or another program made them readable for all. */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';

const OTHERS = 0o077;

/** Names of the files that Crawlway keeps in a data directory. */
const OURS = /^(?:server\.(?:lock|pid)|secret\.key|history\.json(?:\.new)?|(?:crawlway|index)\.sqlite(?:-wal|-shm)?)$/;

/**
 * Creates the directory if it does not exist. A directory with only our files is closed to others; in one that is used for more
 * (`--data .`), only our files are.
 */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const names = readdirSync(directory);
  if (names.every((name) => OURS.test(name))) makePrivate(directory);
  for (const name of names) if (OURS.test(name)) makePrivate(`${directory}/${name}`);
}

/** A SQLite file with its journal, if they exist. */
export function makePrivateDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) makePrivate(file + suffix);
}

/** Other programs' files stay as they are. */
function makePrivate(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || (stat.mode & OTHERS) === 0) return;
  try {
    chmodSync(path, stat.mode & 0o7777 & ~OTHERS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
