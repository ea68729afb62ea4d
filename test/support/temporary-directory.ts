import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A new directory for the running test; it is taken away when the test has passed and kept when it failed.
 * @param finished of its context, in a test that runs beside others
 */
export function temporaryDirectory(finished = onTestFinished): string {
  const directory = mkdtempSync(join(tmpdir(), 'crawlway-'));
  finished(({ task }) => {
    if (task.result?.state !== 'fail') rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
