import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { discovered, newUrl, order } from '../../../../test/support/frontier-samples.js';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import { Secret } from '../../../domain/secret.js';
import { instant } from '../../../domain/time/units.js';
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';
import { DataDirectoryInUse } from '../shared/data-directory.js';
import { SqliteFrontier } from './sqlite-frontier.js';
import { type Handle, translateErrors } from './sqlite-handle.js';
import { SqliteReads } from './sqlite-reads.js';
import { getRawHandle, openSqliteDataSource, openSqliteStore, sqliteBackend } from './sqlite-store.js';

const support = (name: string): string => fileURLToPath(new URL(`../../../../test/support/${name}`, import.meta.url));
const databaseFile = (): string => join(temporaryDirectory(), 'data', 'crawlway.db');

function writeTables(file: string, sql: string): void {
  rmSync(file);
  new Database(file).exec(sql).close();
}

/** A process that writes to the store until it is killed, and reports every batch that was acknowledged. */
function writer(file: string, first: number) {
  const program = ['--import', support('register-typescript.mjs'), support('store-writer.ts')];
  const child = spawn(process.execPath, [...program, file, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface({ input: child.stdout }), exit: once(child, 'exit') };
}

/** What a writer reported before it was killed, which happens after `count` lines. */
async function reportedUntilKilled(file: string, first: number, count: number): Promise<string[]> {
  const { child, lines, exit } = writer(file, first);
  const reported: string[] = [];
  for await (const line of lines) {
    reported.push(line);
    if (reported.length === count) child.kill('SIGKILL');
  }
  await exit;
  expect(reported.length).toBeGreaterThanOrEqual(count);
  return reported;
}

describe('a SQLite store', () => {
  it('has everything that it acknowledged when its process is killed repeatedly', async () => {
    const file = databaseFile();
    const reported = new Set<string>();
    for (const [round, lines] of [7, 40].entries()) {
      for (const line of await reportedUntilKilled(file, round * 1_000, lines)) reported.add(line);
      const store = await openSqliteStore(file);
      const urls = await store.list({}, 0, 100_000);
      const settled = urls.filter(({ stamp }) => stamp !== undefined).length;
      for (const line of reported) {
        const [what, n] = line.split(' ') as [string, string];
        const batch = urls.filter(({ url }) => url.includes(`/${n}/`));
        expect(batch, line).toHaveLength(20);
        if (what === 'settled')
          expect(
            batch.every(({ stamp }) => stamp === `stamp-${n}`),
            line,
          ).toBe(true);
      }
      expect(await store.countOrders({})).toBe(settled);
      expect((await store.countByStatus('docs')).indexed).toBe(settled);
      expect((await store.listHosts('docs', undefined, 10)).reduce((sum, host) => sum + host.urls, 0)).toBe(
        urls.length,
      );
      await store.close();
    }
  });

  it('belongs to one server: a second one is refused until the first is closed', async () => {
    const file = databaseFile();
    const first = await openSqliteStore(file);
    const refusal = await openSqliteStore(file).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DataDirectoryInUse);
    expect((refusal as Error).message).toContain(
      `${dirname(file)} is in use by another server (process ${process.pid})`,
    );
    await discovered(first, newUrl('http://a.example/'));
    await first.close();
    const second = await openSqliteStore(file);
    expect(await second.count({})).toBe(1);
    await second.close();
  });

  it('is closed between two steps in which it sorts URLs, and waits for no more of them', async () => {
    const file = databaseFile();
    const store = await openSqliteStore(file);
    await discovered(store, newUrl('http://a.example/1'), newUrl('http://a.example/2'));
    const db = new Database(file);
    db.exec('UPDATE url SET id = 1000000 WHERE id = 2');
    db.close();
    expect((await store.listByUrl('docs', undefined, 9)).map(({ url }) => url)).toHaveLength(2);
    const page = store.listByUrl('docs', undefined, 9).catch((error: Error) => error.message);
    await store.close();
    expect(await page).toBe('The store is being closed.');
  });

  it('is refused to a second process until the first one is killed', async () => {
    const file = databaseFile();
    const { child, lines, exit } = writer(file, 0);
    await Promise.race([once(lines, 'line'), exit.then(() => expect.unreachable('the writer ended by itself'))]);
    await expect(openSqliteStore(file)).rejects.toThrow(`in use by another server (process ${child.pid})`);
    child.kill('SIGKILL');
    await exit;
    await (await openSqliteStore(file)).close();
  });

  it.each([
    [
      'no database at all',
      (file: string) => writeFileSync(file, 'this is not a database, but long enough to be looked at\n'.repeat(200)),
    ],
    [
      'a database with a torn page',
      (file: string) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0xa5, 100, 4096 * 3));
      },
    ],
    ['the database of another program', (file: string) => writeTables(file, 'CREATE TABLE customer (name)')],
    [
      'the database of another program, which also has a table with this name',
      (file: string) => writeTables(file, 'CREATE TABLE migration (version, applied)'),
    ],
  ])('names a file that is %s, and does not change it', async (_what, damage) => {
    const file = databaseFile();
    await (await openSqliteStore(file)).close();
    damage(file);
    const before = readFileSync(file);
    const refusal = await openSqliteStore(file).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreDamaged);
    expect((refusal as Error).message).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
    // The directory is free again.
    await expect(openSqliteStore(file)).rejects.toBeInstanceOf(StoreDamaged);
  });

  it('undoes a call that meets a full disk, and goes on when there is space again', async () => {
    const dataSource = await openSqliteDataSource(join(temporaryDirectory(), 'crawlway.db'));
    const db = getRawHandle(dataSource);
    const frontier = new SqliteFrontier(db);
    const reads = new SqliteReads(db);
    const many = (host: string) => Array.from({ length: 3_000 }, (_, i) => newUrl(`http://${host}/${i}`));
    const store = (host: string) =>
      translateErrors('crawlway.db', () => frontier.transaction(() => frontier.insert(many(host))));
    store('a.example');
    const before = {
      counts: reads.countByStatus('docs'),
      hosts: reads.listHosts('docs', undefined, 9),
      urls: reads.count({}),
    };
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 10}`);
    expect(() => store('b.example')).toThrow(StoreUnavailable);
    expect({
      counts: reads.countByStatus('docs'),
      hosts: reads.listHosts('docs', undefined, 9),
      urls: reads.count({}),
    }).toEqual(before);
    db.pragma('max_page_count = 4294967294');
    store('b.example');
    expect(reads.listHosts('docs', undefined, 9).map(({ urls }) => urls)).toEqual([3_000, 3_000]);
    await dataSource.destroy();
  });

  it('stores nothing in a file that was moved away or replaced, until it is back', async () => {
    const file = databaseFile();
    const store = await openSqliteStore(file);
    await store.saveOrders([order(1)]);
    renameSync(file, `${file}.old`);
    await expect(store.saveOrders([order(2)])).rejects.toThrow(StoreUnavailable);
    copyFileSync(`${file}.old`, file);
    await expect(store.saveOrders([order(2)])).rejects.toThrow(`${file} was deleted, moved or replaced`);
    renameSync(`${file}.old`, file);
    await store.saveOrders([order(3)]);
    expect((await store.listOrders({}, undefined, 9)).map(({ id }) => id)).toEqual([3, 1]);
    await store.close();
  });

  it('adds no administrative data to a file that was moved away', async () => {
    const file = databaseFile();
    mkdirSync(dirname(file));
    const url = `sqlite:${file}`;
    const admin = await sqliteBackend(new Secret(url, url)).openAdminStore(undefined);
    renameSync(file, `${file}.old`);
    const key = { name: 'ci', role: 'read', digest: 'd', createdAt: instant(1), createdBy: 'ops' };
    await expect(admin.addKey(key)).rejects.toThrow(`${file} was deleted, moved or replaced`);
    renameSync(`${file}.old`, file);
    expect(await admin.addKey(key)).toBe(true);
    await admin.close();
  });

  it('refuses to begin an empty database beside the journal of one that is missing', async () => {
    const file = databaseFile();
    const store = await openSqliteStore(file);
    await store.saveOrders([order(1)]);
    copyFileSync(`${file}-wal`, `${file}.journal`);
    await store.close();
    renameSync(file, `${file}.old`);
    renameSync(`${file}.journal`, `${file}-wal`);
    await expect(openSqliteStore(file)).rejects.toThrow(`${file} is missing, but its journal`);
    writeFileSync(file, '');
    await expect(openSqliteStore(file)).rejects.toThrow(StoreDamaged);
    renameSync(`${file}.old`, file);
    const restored = await openSqliteStore(file);
    expect(await restored.countOrders({})).toBe(1);
    await restored.close();
  });

  it('rejects only the call that fails, although calls are batched', async () => {
    const store = await openSqliteStore(databaseFile());
    const broken = { ...order(2), reason: undefined as unknown as Reason };
    const answers = await Promise.allSettled([
      store.saveOrders([order(1)]),
      store.saveOrders([broken]),
      store.discover([newUrl('http://a.example/')]),
      store.saveOrders([order(3)]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect((await store.listOrders({}, undefined, 9)).map(({ id }) => id)).toEqual([3, 1]);
    expect((await store.countByStatus('docs')).byStatus.waiting).toBe(1);
    await store.close();
  });

  it('lets its caller decide when replies of the writer are delivered, also after it is closed', async () => {
    const waiting: (() => void)[] = [];
    const store = await openSqliteStore(databaseFile(), { handOut: (deliver) => void waiting.push(deliver) });
    const settled: number[] = [];
    const calls = [1, 2].map(async (id) => {
      await store.saveOrders([order(id)]);
      settled.push(id);
    });
    await store.close();
    expect(settled).toEqual([]);
    for (const deliver of waiting) deliver();
    await Promise.all(calls);
    expect(settled).toEqual([1, 2]);
  });

  it('finishes calls made before it is closed, and refuses later ones', async () => {
    const file = databaseFile();
    const store = await openSqliteStore(file);
    const calls = Array.from({ length: 100 }, (_, i) => store.saveOrders([order(i + 1)]));
    await store.close();
    await Promise.all(calls);
    await expect(store.saveOrders([order(500)])).rejects.toThrow('closed');
    const again = await openSqliteStore(file);
    expect(await again.countOrders({})).toBe(100);
    await again.close();
  });
});

describe('a SQLite database', () => {
  it('uses an index for every prepared statement, never a scan of all URLs or orders', async () => {
    const dataSource = await openSqliteDataSource(':memory:');
    const db = getRawHandle(dataSource);
    const prepared: string[] = [];
    // Statements are prepared when they first run: a handle is bound to the text of each.
    const prepare = { bind: (_: Handle, sql: string) => void prepared.push(sql) };
    const spied = new Proxy(db, {
      get: (target, name) => (name === 'prepare' ? prepare : Reflect.get(target, name)),
    });
    new SqliteFrontier(spied);
    new SqliteReads(spied);
    const plans = prepared.map((sql) => ({ sql, plan: db.prepare(`EXPLAIN QUERY PLAN ${sql}`) }));
    for (const { sql, plan } of plans) {
      const parameters = (sql.match(/\?/g) ?? []).map(() => null);
      const named = Object.fromEntries((sql.match(/@\w+/g) ?? []).map((name) => [name.slice(1), null]));
      const steps = (plan.all(...(sql.includes('@') ? [named] : parameters)) as { detail: string }[]).map(
        ({ detail }) => detail,
      );
      expect(
        steps.filter((step) => /^SCAN (?:u|o|url|push_order|visit)\b(?! USING)/.test(step)),
        sql,
      ).toEqual([]);
    }
    expect(prepared.length).toBeGreaterThan(30);
    await dataSource.destroy();
  });
});

describe('the pages of a SQLite file', () => {
  const DAMAGED = /The database .* is damaged: .*put a backup in its place/s;

  /** Returns a file with a bad page that is read only when the whole file is. */
  async function createDamagedFile(): Promise<string> {
    const file = databaseFile();
    await (await openSqliteStore(file)).close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, bytes.length - 2 * 4096, bytes.length - 4096));
    await (await openSqliteDataSource(file)).destroy();
    return file;
  }

  /** SQLite ignores what follows the pages that the file says it has. */
  const enlarge = (file: string): void => truncateSync(file, 300 * 1024 * 1024);

  it('are checked before the store is used', async () => {
    const refusal = await openSqliteStore(await createDamagedFile(), { onDamage: () => {} }).catch((error) => error);
    expect(refusal).toBeInstanceOf(StoreDamaged);
    expect(refusal.message).toMatch(DAMAGED);
  });

  it('are checked while it is used if the file is large', async () => {
    const file = await createDamagedFile();
    enlarge(file);
    const { promise: damage, resolve } = Promise.withResolvers<StoreDamaged>();
    const store = await openSqliteStore(file, { onDamage: resolve });
    onTestFinished(() => store.close());
    expect(await damage).toBeInstanceOf(StoreDamaged);
    expect((await damage).message).toMatch(DAMAGED);
  });

  it('are checked first if nobody can be told of damage later', async () => {
    const file = await createDamagedFile();
    enlarge(file);
    await expect(openSqliteStore(file)).rejects.toThrow(DAMAGED);
  });
});
