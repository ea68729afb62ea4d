import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { createCheckpointer, openHandle } from '../sqlite/sqlite-handle.js';
import { openSqliteDataSource } from './sqlite-store.js';

const MEGABYTE = 1_048_576;

async function writerAndReader() {
  const file = join(temporaryDirectory(), 'crawlway.db');
  await (await openSqliteDataSource(file)).destroy();
  const writer = openHandle(file, 'writer');
  const reader = openHandle(file, 'reader');
  onTestFinished(() => {
    writer.close();
    reader.close();
  });
  const insert = writer.prepare(`INSERT INTO setting (name, value) VALUES (?, hex(randomblob(50000)))`);
  let n = 0;
  return {
    reader,
    write: (rows: number) => {
      for (let i = 0; i < rows; i++) insert.run(String(n++));
    },
    walSize: () => statSync(`${file}-wal`).size,
  };
}

/** The number of pages in the WAL that are not in the database yet. */
function open(reader: ReturnType<typeof openHandle>): number {
  const [{ log, checkpointed }] = reader.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return log - checkpointed;
}

it('does not checkpoint a small WAL under load, and does when the writer is idle', async () => {
  const { reader, write } = await writerAndReader();
  const check = createCheckpointer(reader);
  write(3);
  check();
  expect(open(reader)).toBeGreaterThan(0);
  write(3);
  check();
  expect(open(reader)).toBeGreaterThan(0);
  check();
  expect(open(reader)).toBe(0);
});

it('limits the WAL under a writer that is never idle', async () => {
  const { reader, write, walSize } = await writerAndReader();
  const check = createCheckpointer(reader);
  for (let round = 0; round < 12; round++) {
    write(50);
    check();
  }
  // 60 MB have been written.
  expect(walSize()).toBeLessThan(30 * MEGABYTE);
});

it('waits for a reader of an older state', async () => {
  const { reader, write } = await writerAndReader();
  const check = createCheckpointer(reader);
  write(20);
  const other = openHandle(reader.name, 'reader');
  other.exec('BEGIN');
  other.prepare('SELECT count(*) FROM setting').get();
  write(20);
  check();
  check();
  expect(open(reader)).toBeGreaterThan(0);
  other.close();
  check();
  expect(open(reader)).toBe(0);
});
