import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { stopPostgres } from './postgres-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the PostgreSQL server of this test run, once a test has needed one. */
    readonly postgresDirectory: string;
  }
}

/** Vitest's global setup: one PostgreSQL server for the whole run, started by the first test that needs it. */
export default function setup(project: TestProject): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'crawlway-postgres-'));
  project.provide('postgresDirectory', directory);
  return () => stopPostgres(directory);
}
