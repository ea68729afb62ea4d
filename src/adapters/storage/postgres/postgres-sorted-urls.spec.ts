import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import { type Connection, PostgresPool } from './postgres-pool.js';
import { PostgresSortedUrls } from './postgres-sorted-urls.js';

it('a walk that fails while the URLs are sorted goes on from the same place, and does not seem to be at its end', async () => {
  const pool = new PostgresPool(new Secret(await postgresDatabase()));
  onTestFinished(() => pool.close());
  await pool.rows('CREATE TABLE site (part int, id int, crawler text)');
  await pool.rows('CREATE TABLE url (part int, site_id int, url text, id bigint)');
  await pool.rows("INSERT INTO site VALUES (1, 1, 'docs')");
  await pool.rows("INSERT INTO url VALUES (1, 1, 'http://a/', 1), (1, 1, 'http://b/', 2)");
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
