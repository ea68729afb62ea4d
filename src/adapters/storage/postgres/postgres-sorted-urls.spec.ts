import { expect, it, onTestFinished } from 'vitest';
import { discovered, newUrl } from '../../../../test/support/frontier-samples.js';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import { type Connection, PostgresPool } from './postgres-pool.js';
import { PostgresSortedUrls } from './postgres-sorted-urls.js';
import { openPostgresStore } from './postgres-store.js';

/** A database whose crawler `docs` has these URLs. */
async function database(...urls: readonly string[]) {
  const address = new Secret(await postgresDatabase());
  const store = await openPostgresStore(address);
  const pool = new PostgresPool(address);
  onTestFinished(() => pool.close());
  onTestFinished(() => store.close());
  const add = (...added: readonly string[]) => discovered(store, ...added.map((url) => newUrl(url)));
  await add(...urls);
  return { pool, add };
}

const read = async (sorted: PostgresSortedUrls, after: string | undefined, limit: number) =>
  (await sorted.getPage('docs', after, limit)).map(({ url }) => url);

it('a walk that fails while URLs are sorted resumes at the same place, and is not taken for complete', async () => {
  const { pool } = await database('http://a/', 'http://b/');
  let failures = 1;
  const reserveConnection = async () => {
    const connection = await pool.reserveConnection();
    const rows: Connection['rows'] = (sql, ...more) =>
      sql.startsWith('INSERT') && failures-- > 0 ? Promise.reject(new Error('no room')) : connection.rows(sql, ...more);
    return { ...connection, rows };
  };
  const sorted = new PostgresSortedUrls({ reserveConnection } as unknown as PostgresPool);
  await expect(sorted.getPage('docs', 'http://a/', 10)).rejects.toThrow('no room');
  expect(await read(sorted, 'http://a/', 10)).toEqual(['http://b/']);
});

it('a walk that begins again lists URLs added since, even if an earlier walk did not reach its end', async () => {
  const { pool, add } = await database('http://a/', 'http://c/');
  const sorted = new PostgresSortedUrls(pool);
  onTestFinished(() => sorted.close());
  expect(await read(sorted, undefined, 1)).toEqual(['http://a/']);
  await add('http://b/');
  expect(await read(sorted, 'http://a/', 5)).toEqual(['http://c/']);
  expect(await read(sorted, undefined, 2)).toEqual(['http://a/', 'http://b/']);
  await add('http://d/');
  expect(await read(sorted, undefined, 5)).toEqual(['a', 'b', 'c', 'd'].map((host) => `http://${host}/`));
});

it('a store that is closed does not wait until the URLs are sorted', async () => {
  const { pool } = await database('http://a/');
  const blocker = await pool.reserveConnection();
  onTestFinished(() => blocker.release());
  await blocker.rows('BEGIN');
  await blocker.rows('LOCK TABLE url');
  const sorted = new PostgresSortedUrls(pool);
  const page = sorted.getPage('docs', undefined, 1).catch(String);
  const isSorting =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO by_url%'";
  await expect.poll(() => pool.rows(isSorting)).toHaveLength(1);
  await sorted.close();
  expect(await page).toContain('canceling statement due to user request');
  await blocker.rows('ROLLBACK');
});
