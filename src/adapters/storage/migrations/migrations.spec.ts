import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onPostgres, postgresDatabase } from '../../../../test/support/postgres.js';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.js';
import { Secret } from '../../../domain/secret.js';
import { StoreDamaged } from '../../../engine/ports/frontier-store.js';
import { openPostgresDataSource } from '../postgres/postgres-store.js';
import { CHANGES, NEW_COLUMNS } from '../shared/url-row.js';
import { openSqliteDataSource } from '../sqlite/sqlite-store.js';
import { createMigrations, listColumnMigrations } from './migrations.js';

/** Returns what opens the same new database again and again. */
const DATABASES = [
  {
    kind: 'sqlite' as const,
    create: async () => {
      const file = join(temporaryDirectory(), 'crawlway.sqlite');
      return () => openSqliteDataSource(file);
    },
  },
  ...onPostgres({
    kind: 'postgres' as const,
    create: async () => {
      const url = new Secret(await postgresDatabase());
      return () => openPostgresDataSource(url);
    },
  }),
];

describe.each(DATABASES)('a $kind database', ({ kind, create }) => {
  async function createDatabase() {
    const open = await create();
    const dataSource = await open();
    onTestFinished(() => dataSource.destroy());
    return { open, dataSource };
  }

  const listColumns = async (dataSource: DataSource, table: string): Promise<string[]> =>
    (await dataSource.createQueryRunner().getTable(table))!.columns.map(({ name }) => name);

  it('has a column for every field of a URL', async () => {
    const { dataSource } = await createDatabase();
    const fields = [...Object.values(CHANGES).map(({ column }) => column), ...NEW_COLUMNS];
    expect(await listColumns(dataSource, 'url')).toEqual(expect.arrayContaining(fields));
  });

  it('has its administrative tables exactly as the entities say', async () => {
    const { dataSource } = await createDatabase();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('has its own connector name, which never changes', async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    const readName = async (dataSource: DataSource): Promise<string> =>
      (await dataSource.query("SELECT value FROM setting WHERE name = 'connector'"))[0].value;
    const name = await readName(first.dataSource);
    expect(name).toMatch(/^crawlway-[0-9a-f]{6}$/);
    expect(await readName(second.dataSource)).not.toBe(name);
    const reopened = await first.open();
    onTestFinished(() => reopened.destroy());
    expect(await readName(reopened)).toBe(name);
  });

  it('gets a column that a later version has added to the URL list', async () => {
    const { dataSource } = await createDatabase();
    const fields = [
      { column: 'url', type: 'text' },
      { column: 'of_later', type: 'text', since: 77 },
    ];
    const [Added] = createMigrations(kind, listColumnMigrations(fields));
    const migration = new Added!();
    expect(migration.name).toBe('Url_of_later_0000000000077');
    await migration.up(dataSource.createQueryRunner());
    expect(await listColumns(dataSource, 'url')).toContain('of_later');
  });

  it('is refused and left alone if a newer version has written it', async () => {
    const { open, dataSource } = await createDatabase();
    await dataSource.query("INSERT INTO migration (timestamp, name) VALUES (99, 'Future0000000000099')");
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreDamaged);
    expect((refusal as Error).message).toContain(
      'was written by a newer version of Crawlway (unknown migrations: Future0000000000099)',
    );
  });

  it('is refused and left alone if it is older than the first release', async () => {
    const { open, dataSource } = await createDatabase();
    const before = await dataSource.query('SELECT * FROM setting');
    await dataSource.query("UPDATE migration SET name = 'Frontier0000000000001'");
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreDamaged);
    expect((refusal as Error).message).toMatch(
      /was written before the first release .*`crawlway store export FILE` with the program that wrote it.*CrawlConfig\.xml stays as it is\.$/,
    );
    expect(await dataSource.query('SELECT * FROM setting')).toEqual(before);
  });
});

it('every migration has its own number, in the order of the list', () => {
  for (const { kind } of DATABASES) {
    const numbers = createMigrations(kind).map((Migration) => Number(/\d{13}$/.exec(new Migration().name!)![0]));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  }
});
