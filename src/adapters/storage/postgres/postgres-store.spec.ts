import { inspect } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { discovered, newUrl, order, visit } from '../../../../test/support/frontier-samples.js';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import { Secret } from '../../../domain/secret.js';
import { instant } from '../../../domain/time/units.js';
import { type FrontierStore, StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';
import { STEP_LIMITS } from '../shared/search.js';
import { type Parameter, PostgresPool } from './postgres-pool.js';
import { PostgresSearch } from './postgres-search.js';
import { openPostgresDataSource, openPostgresStore } from './postgres-store.js';

async function opened(url: string): Promise<FrontierStore> {
  const store = await openPostgresStore(new Secret(url));
  onTestFinished(() => store.close());
  return store;
}

/** Runs a statement outside of the store. */
async function administer<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows as Row[];
}

const BREAK_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** A new database with these options, dropped in the end. */
async function created(options: string): Promise<string> {
  const url = await postgresDatabase();
  const name = `${new URL(url).pathname.slice(1)}_other`;
  await administer(url, `CREATE DATABASE ${name} ${options}`);
  onTestFinished(async () => void (await administer(url, `DROP DATABASE ${name} WITH (FORCE)`)));
  return url.replace(/[^/]*$/, name);
}

const UNSUITABLE = {
  'does not exist': async () => `${await postgresDatabase()}_missing`,
  'requires TLS that the server lacks': async () => `${await postgresDatabase()}?sslmode=require`,
  'lets this role create nothing': async () => {
    const url = await postgresDatabase();
    const role = new URL(url).pathname.slice(1).replace('test', 'role');
    await administer(url, `CREATE ROLE ${role} LOGIN`);
    onTestFinished(async () => void (await administer(url.replace(/[^/]*$/, 'postgres'), `DROP ROLE ${role}`)));
    return url.replace(/\/\/[^@]*@/, `//${role}@`);
  },
  'has an encoding without most letters': () => created(`ENCODING 'LATIN1' TEMPLATE template0`),
};
const SAID = [/does not exist \(3D000\)/, /not support SSL/, /permission denied/, /its encoding is LATIN1/];

describe('a PostgreSQL store', () => {
  it.each(Object.entries(UNSUITABLE))('says that it cannot be opened if the database %s', async (_, getUrl) => {
    const url = await getUrl();
    const failure = await openPostgresStore(new Secret(url)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(SAID.some((pattern) => pattern.test((failure as Error).message))).toBe(true);
  });

  it('says so if the database lacks a table or a column', async () => {
    const url = await postgresDatabase();
    const store = await opened(url);
    await administer(url, 'DROP TABLE setting');
    await expect(store.getSetting('x')).rejects.toThrow(StoreDamaged);
    await administer(url, 'ALTER TABLE url DROP COLUMN parts');
    await expect(store.list({}, 0, 1)).rejects.toThrow('column u.parts does not exist (42703)');
  });

  it('says so if another program has tables of the same names in the database', async () => {
    const url = await postgresDatabase();
    await administer(url, 'CREATE TABLE visit (id integer)');
    await expect(openPostgresStore(new Secret(url))).rejects.toThrow(StoreDamaged);
  });

  it('says what it waits for while another server changes the tables', async () => {
    const url = await postgresDatabase();
    const other = new pg.Client(url);
    await other.connect();
    await other.query('SELECT pg_advisory_lock(5218017)');
    const waiting = Promise.withResolvers<string>();
    const opening = openPostgresStore(new Secret(url), { onWait: waiting.resolve });
    const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
    expect(await waiting.promise).toContain(`process of the database: ${rows[0].pid}`);
    await other.end();
    await (await opening).close();
  });

  it('keeps counts and queues exact while several servers change the same sites at the same time', async () => {
    const url = await postgresDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => opened(url)));
    const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
    const link = (n: number) => newUrl(`http://${hosts[n % 4]}/${n % 90}`, { dueAt: instant(n % 50) });
    const work = stores.flatMap((store, server) =>
      Array.from({ length: 8 }, async (_, round) => {
        const links = Array.from({ length: 20 }, (_, i) => link(server * 7 + round * 13 + i * (server + 1)));
        const added = await store.discover(links);
        await store.settle(
          added.map(({ id }, i) =>
            i % 5 === 0
              ? { id, remove: true }
              : {
                  id,
                  changes: { status: 'indexed', stamp: 'x', source: 5, dueAt: instant(1_000 + i) },
                  visit: visit(round),
                },
          ),
        );
      }),
    );
    await Promise.all(work);
    const store = stores[0]!;
    const rows = await store.list({}, 0, 1_000);
    const counts = await store.countByStatus('docs');
    expect(counts.indexed).toBe(rows.filter(({ stamp }) => stamp !== undefined).length);
    expect(counts.bySource[5]).toBe(rows.filter(({ source }) => source === 5).length);
    expect(counts.oldestDueAt).toBe(Math.min(...rows.map(({ dueAt }) => dueAt)));
    for (const { hostKey, urls, queued } of await store.listHosts('docs', undefined, 9)) {
      const own = rows.filter((row) => row.hostKey === hostKey);
      expect({ hostKey, urls, queued }).toEqual({ hostKey, urls: own.length, queued: own.length });
    }
    expect(new Set(rows.map((row) => row.url)).size).toBe(rows.length);
  });

  it('gives servers order ids that never collide', async () => {
    const url = await postgresDatabase();
    const [a, b] = await Promise.all([opened(url), opened(url)]);
    const first = await a.getLastOrderId();
    const second = await b.getLastOrderId();
    expect(second - first).toBeGreaterThanOrEqual(2 ** 32);
    await a.saveOrders([order(first + 1)]);
    expect(await a.getLastOrderId()).toBeGreaterThan(second);
  });

  it('reports that it is unavailable when connections break, and goes on with new ones', async () => {
    const url = await postgresDatabase();
    const store = await opened(url);
    const [known] = await discovered(store, newUrl('http://a.example/'));
    const calls = Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => store.settle([{ id: known!.id, visit: visit(i), orders: [order(i + 1)] }])),
    );
    await administer(url, BREAK_OTHERS);
    const failed = (await calls).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const error of failed) expect(error).toBeInstanceOf(StoreUnavailable);
    await store.saveOrders([order(1_000)]);
    expect(await store.countOrders({})).toBeGreaterThanOrEqual(201 - failed.length);
  });

  it('gives up calls of the crawl, and searches, to which a network that is cut silently returns no answer', async () => {
    const url = new URL(await postgresDatabase());
    const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const store = await opened(url.href);
    onTestFinished(() => proxy.close());
    const calls: (() => Promise<unknown>)[] = [
      () => store.discover([newUrl('http://new.example/')]),
      () => store.find('docs', 'http://a.example/'),
      () => store.getSetting('x'),
      () => store.putSetting('x', 'y'),
      () => store.putSetting('x', undefined),
      () => store.countIndexedOfHost('docs', 'a.example'),
    ];
    const search = () => store.search({ crawler: 'docs' }, 0, 1);
    // So that each has a connection.
    await Promise.all([...calls, search].map((call) => call()));
    proxy.cut('silent');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const failures: unknown[] = [];
    for (const call of [...calls, search]) void call().catch((error: unknown) => failures.push(error));
    for (let minute = 0; minute < 5; minute++) {
      await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(failures).toHaveLength(calls.length + 1);
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
  });

  it('names host and database, but no password, when there is no server', async () => {
    const refusal = await openPostgresStore(new Secret('postgres://ada:secret@127.0.0.1:1/crawl')).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(StoreUnavailable);
    expect((refusal as Error).message).toContain('127.0.0.1:1/crawl');
    expect((refusal as Error).message).not.toContain('secret');
  });

  it('keeps its password out of printed pools, data sources and login failures', async () => {
    const url = new URL(await postgresDatabase());
    url.password = 'PlAnTeD';
    const secret = new Secret(url.href);
    const pool = new PostgresPool(secret);
    onTestFinished(() => pool.close());
    await pool.rows('SELECT 1');
    const dataSource = await openPostgresDataSource(secret);
    onTestFinished(() => dataSource.destroy());
    url.username = 'nobody';
    const failures = [pool.rows('SELECT $1::text', [{} as never]), openPostgresStore(new Secret(url.href))];
    const failed = await Promise.allSettled(failures);
    expect(failed[1]).toMatchObject({ status: 'rejected' });
    for (const it of [pool, dataSource, dataSource.options, failed])
      expect(inspect(it, { depth: null })).not.toContain('PlAnTeD');
    expect(JSON.stringify(dataSource.options)).not.toContain('PlAnTeD');
  });

  it('meets every URL of a walk once, while others are stored and deleted', async () => {
    const url = await postgresDatabase();
    const store = await opened(url);
    const onHosts = (name: string) => Array.from({ length: 24 }, (_, i) => newUrl(`http://${name}${i}.example/`));
    const stored = await discovered(store, ...onHosts('a'));
    const going = stored.filter((_, i) => i % 3 === 0);
    const coming = onHosts('b');
    class ChangingPool extends PostgresPool {
      override async rows<Row>(...statement: [sql: string, values?: readonly Parameter[]]): Promise<Row[]> {
        await store.settle(going.splice(0, 1).map(({ id }) => ({ id, remove: true })));
        await store.discover(coming.splice(0, 1));
        return super.rows<Row>(...statement);
      }
    }
    const pool = new ChangingPool(new Secret(url));
    onTestFinished(() => pool.close());
    const limits = { ...STEP_LIMITS, maxCandidates: -1, stride: 4, ms: 60_000 };
    const walk = new PostgresSearch(pool, (ids) => store.get(ids), limits);
    const met = (await walk.search({ crawler: 'docs', like: '%.example/' }, 0, 100)).urls.map((state) => state.url);
    expect(new Set(met).size).toBe(met.length);
    expect(met).toEqual(expect.arrayContaining(stored.filter((_, i) => i % 3 !== 0).map((state) => state.url)));
  });

  it('stores text that PostgreSQL cannot represent as closely as possible', async () => {
    const store = await opened(await postgresDatabase());
    const [url] = await discovered(store, newUrl('http://a.example/'));
    await store.settle([{ id: url!.id, changes: { title: 'a\0b \ud800', etag: `"'\\{},"` } }]);
    expect((await store.get([url!.id]))[0]).toMatchObject({ title: 'a\ufffdb \ufffd', etag: `"'\\{},"` });
  });

  it('has the partition of the host first in the key of every table of hosts and URLs', async () => {
    const url = await postgresDatabase();
    const store = await opened(url);
    await discovered(store, ...['a', 'b', 'c'].map((host) => newUrl(`http://${host}.example/`)));
    const firsts = await administer<{ table: string; first: string }>(
      url,
      `SELECT c.relname AS table, a.attname AS first FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
       WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    const byHost = firsts.filter(({ first }) => first === 'part').map(({ table }) => table);
    const tables = [
      'counter',
      'host',
      'owed_count',
      'owed_order',
      'owner_command',
      'page_links',
      'partition_owner',
      'push_order',
      'site',
      'url',
      'visit',
    ];
    expect(byHost).toEqual(tables);
    const strays = await administer(
      url,
      'SELECT 1 FROM url u JOIN site s ON s.id = u.site_id WHERE u.part <> s.part OR u.id % 1024 <> u.part',
    );
    expect(strays).toEqual([]);
  });
});
