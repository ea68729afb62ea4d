import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';

/** A data directory for the running test alone: removed when the test passes, kept (and named) when it fails. */
export function testDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'crawlway-test-'));
  let failed = false;
  onTestFailed(() => {
    failed = true;
    console.error(`kept: ${directory}`);
  });
  onTestFinished(() => {
    if (!failed) rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
