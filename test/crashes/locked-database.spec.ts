import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openSqliteDataSource, openSqliteStore } from '../../src/adapters/storage/sqlite/sqlite-store.js';
import { StoreUnavailable } from '../../src/engine/ports/frontier-store.js';
import { newUrl } from '../support/frontier-samples.js';
import { ServerProcess } from '../support/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const CONFIGURATION = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="test"><cw:PushTo sink="main"/></Crawler>
  <cw:Sink name="main" type="file" url="orders.jsonl"/>
</CrawlConfig>`;

/** A program that has the database open for writing, as a backup or a database browser may. */
function lock(file: string): { release(): void } {
  const db = new Database(file);
  db.exec('BEGIN IMMEDIATE');
  return {
    release: () => {
      db.exec('ROLLBACK');
      db.close();
    },
  };
}

// Each waits ten seconds for the lock, which the other one can use.
describe.concurrent('a database that another program has locked', () => {
  it('is reported at the start with what to do, and left unchanged; once it is unlocked the server starts', async ({
    onTestFinished,
  }) => {
    const folder = temporaryDirectory(onTestFinished);
    const file = join(folder, 'crawlway.sqlite');
    const config = join(folder, 'CrawlConfig.xml');
    writeFileSync(config, CONFIGURATION);
    await (await openSqliteDataSource(file)).destroy();
    const before = readFileSync(file);
    const other = lock(file);
    const refused = new ServerProcess({ config, data: folder });
    expect(await refused.ended()).toBe(1);
    expect(refused.output).toMatch(
      /The database .*crawlway\.sqlite is locked by another program: .*Close the program that has it/,
    );
    expect(refused.output).not.toContain('    at ');
    expect(readFileSync(file).equals(before)).toBe(true);
    other.release();
    const server = await new ServerProcess({ config, data: folder }).ready();
    await server.end();
  }, 90_000);

  it('makes calls fail at once while it is locked, and succeed when it is unlocked', async ({ onTestFinished }) => {
    const file = join(temporaryDirectory(onTestFinished), 'crawlway.sqlite');
    const store = await openSqliteStore(file);
    const other = lock(file);
    const calls = Array.from({ length: 20 }, (_, i) => () => store.discover([newUrl(`http://a.example/${i}`)]));
    const refused = await Promise.allSettled(calls.map((call) => call()));
    for (const answer of refused) {
      const { reason } = answer as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(StoreUnavailable);
      expect(String(reason)).toContain('is locked by another program');
    }
    expect(await store.count({})).toBe(0);
    const waiting = Promise.all(calls.map((call) => call()));
    setTimeout(other.release, 100);
    expect((await waiting).flat()).toHaveLength(20);
    await store.close();
  }, 60_000);
});
