import { expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import { PostgresPool } from './postgres-pool.js';
import { PostgresSites } from './postgres-sites.js';
import { openPostgresStore } from './postgres-store.js';

it('finds every site although another call clears the cache meanwhile', async () => {
  const url = new Secret(await postgresDatabase());
  await (await openPostgresStore(url)).close();
  const pool = new PostgresPool(url);
  onTestFinished(() => pool.close());
  const at = (...hosts: string[]) => hosts.map((host) => ({ crawler: 'docs', hostKey: `${host}.example` }));
  await new PostgresSites(pool).findOrAdd(at('d'));
  const sites = new PostgresSites(pool, 2);
  const known = await sites.findOrAdd(at('a', 'b'));
  const found = sites.findOrAdd(at('a', 'b', 'c'));
  // The cache is over its limit now, so that the next call clears it.
  await sites.findOrAdd(at('d'));
  await sites.findOrAdd(at('e'));
  expect((await found).slice(0, 2)).toEqual(known);
});
