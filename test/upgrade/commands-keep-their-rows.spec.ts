import { expect, it, onTestFinished } from 'vitest';
import { PostgresCommands } from '../../src/adapters/storage/cluster/postgres-commands.js';
import { openPostgresDataSource } from '../../src/adapters/storage/postgres/postgres-data-source.js';
import { PostgresPool } from '../../src/adapters/storage/postgres/postgres-pool.js';
import { Secret } from '../../src/domain/secret.js';
import { postgresDatabase } from '../support/postgres.js';

/** The database as the release before the table was renamed left it. */
async function databaseBefore(migration: string): Promise<string> {
  const url = await postgresDatabase();
  const dataSource = await openPostgresDataSource(new Secret(url));
  const isThere = async (): Promise<boolean> =>
    (await dataSource.query('SELECT 1 FROM migration WHERE name = $1', [migration])).length > 0;
  while (await isThere()) await dataSource.undoLastMigration();
  await dataSource.destroy();
  return url;
}

it('commands that wait when the table is renamed are carried out, and a node of the release before goes on', async () => {
  const url = await databaseBefore('OwnerCommand0000000000012');
  const pool = new PostgresPool(new Secret(url));
  onTestFinished(() => pool.close());
  const send = 'INSERT INTO errand (part, host, text, delivers) VALUES ($1, $2, $3, $4) RETURNING id';
  await pool.rows(send, [3, 'a.example', 'first', false]);
  await pool.rows(send, [3, 'a.example', 'second', true]);
  const [failed] = await pool.rows<{ id: number }>(send, [4, 'b.example', 'third', false]);
  await pool.rows('UPDATE errand SET tries = 9, set_aside_at = now(), failure = $1 WHERE id = $2', ['no', failed!.id]);

  await (await openPostgresDataSource(new Secret(url))).destroy();

  const table = new PostgresCommands(pool);
  const waiting = await table.findReady([3, 4], [], 10);
  expect(waiting).toMatchObject([
    { part: 3, hostKey: 'a.example', text: 'first', delivers: false, tries: 0 },
    { part: 3, hostKey: 'a.example', text: 'second', delivers: true, tries: 0 },
  ]);
  expect(await table.countSetAside()).toBe(1);

  const [sent] = await pool.rows<{ id: number }>(send, [3, 'a.example', 'by the release before', false]);
  expect(sent!.id).toBeGreaterThan(failed!.id);
  await table.remove(waiting[0]!);
  expect((await table.findReady([3], [], 10)).map(({ text }) => text)).toEqual(['by the release before', 'second']);
  expect(await pool.rows('SELECT text FROM errand WHERE part = 3 ORDER BY id')).toEqual([
    { text: 'second' },
    { text: 'by the release before' },
  ]);
});
