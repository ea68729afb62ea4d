import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import { type Connection, PostgresPool } from './postgres-pool.js';
import { PostgresSortedUrls } from './postgres-sorted-urls.js';

/** A database whose crawler `docs` has these URLs. */
async function database(...urls: readonly string[]) {
  const pool = new PostgresPool(new Secret(await postgresDatabase()));
  onTestFinished(() => pool.close());
  await pool.rows('CREATE TABLE site (part int, id int, crawler text)');
  await pool.rows('CREATE TABLE url (part int, site_id int, url text, id bigint)');
  await pool.rows("INSERT INTO site VALUES (1, 1, 'docs')");
  for (const [index, url] of urls.entries()) await pool.rows('INSERT INTO url VALUES (1, 1, $1, $2)', [url, index + 1]);
  return pool;
}

it('a walk that fails while URLs are sorted resumes at the same place, and is not taken for complete', async () => {
  const pool = await database('http://a/', 'http://b/');
  let failures = 1;
  const reserveConnection = async () => {
    const connection = await pool.reserveConnection();
    const rows: Connection['rows'] = (sql, ...more) =>
      sql.startsWith('INSERT') && failures-- > 0 ? Promise.reject(new Error('no room')) : connection.rows(sql, ...more);
    return { ...connection, rows };
  };
  const sorted = new PostgresSortedUrls({ reserveConnection } as unknown as PostgresPool);
  await expect(sorted.getPage('docs', 'http://a/', 10)).rejects.toThrow('no room');
  expect(await sorted.getPage('docs', 'http://a/', 10)).toEqual([2]);
});

it('a walk that begins again lists URLs added since, even if an earlier walk did not reach its end', async () => {
  const pool = await database('http://a/', 'http://c/');
  const sorted = new PostgresSortedUrls(pool);
  onTestFinished(() => sorted.close());
  expect(await sorted.getPage('docs', undefined, 1)).toEqual([1]);
  await pool.rows("INSERT INTO url VALUES (1, 1, 'http://b/', 3)");
  expect(await sorted.getPage('docs', 'http://a/', 5)).toEqual([2]);
  expect(await sorted.getPage('docs', undefined, 2)).toEqual([1, 3]);
  await pool.rows("INSERT INTO url VALUES (1, 1, 'http://d/', 4)");
  expect(await sorted.getPage('docs', undefined, 5)).toEqual([1, 3, 2, 4]);
});

it('a store that is closed does not wait until the URLs are sorted', async () => {
  const pool = await database('http://a/');
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
