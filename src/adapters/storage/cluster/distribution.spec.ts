/**
 * Tables can be distributed by a column only if every unique key contains it; rows are found without asking all
 * machines if keys begin with it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../../test/support/postgres.js';
import { Secret } from '../../../domain/secret.js';
import * as statements from '../postgres/postgres-sql.js';
import { openPostgresDataSource } from '../postgres/postgres-store.js';

/** Tables that all nodes read and few write: they stay in one place. */
const LOCAL = [
  'api_key',
  'audit',
  'configuration_version',
  'console_session',
  'migration',
  'node',
  'partition_owner',
  'secret',
  'setting',
];
/** Indexes for lists over the whole crawl that people request; fetching a page never uses them. */
const FOR_PEOPLE = [
  'push_order_id',
  'push_order_state',
  'push_order_uri',
  'site_by_host',
  'site_next_due',
  'url_error',
  'url_status',
];
/**
 * Indexes for queries whose hosts are not known in advance: which removed URLs an unchanged page links to (only in a
 * crawler that has removed URLs), and which pages gave way to a canonical URL that yielded no document.
 */
const WHEREVER_LINKS_LEAD = ['url_canonical', 'url_removed'];
/** Index for what a sink that was slow or down gets next. */
const CATCHING_UP = ['owed_order_next'];

describe('the tables on PostgreSQL, by the system catalog', () => {
  let database: pg.Client;

  beforeEach(async () => {
    const url = await postgresDatabase();
    await (await openPostgresDataSource(new Secret(url))).destroy();
    database = new pg.Client(url);
    await database.connect();
    onTestFinished(() => database.end());
  });

  const rows = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
    (await database.query<Row>(sql)).rows;

  const distributed = async (): Promise<string[]> =>
    (
      await rows<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
      )
    )
      .map(({ name }) => name)
      .filter((name) => !LOCAL.includes(name));

  const indexes = () =>
    rows<{ table: string; name: string; unique: boolean; first: string }>(
      `SELECT t.relname AS table, i.relname AS name, x.indisunique AS unique, a.attname AS first
       FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
       JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
       WHERE t.relnamespace = 'public'::regnamespace ORDER BY 1, 2`,
    );

  it('have the partition first in every unique key and every index that a page uses', async () => {
    const tables = await distributed();
    const found = (await indexes()).filter(({ table }) => tables.includes(table));
    expect(found.filter(({ unique }) => unique).length).toBeGreaterThanOrEqual(tables.length);
    const elsewhere = found.filter(({ first }) => first !== 'part');
    expect(elsewhere.filter(({ unique }) => unique)).toEqual([]);
    for (const { name } of elsewhere) expect([...FOR_PEOPLE, ...WHEREVER_LINKS_LEAD, ...CATCHING_UP]).toContain(name);
  });

  it('are accessed by partition in every statement of a page', () => {
    const { numberParameters: _, toColumns: __, ...rest } = statements;
    const hot = Object.entries(rest).flatMap(([name, sql]) =>
      typeof sql === 'string' &&
      /\b(?:FROM|INTO|UPDATE|JOIN)\b/.test(sql) &&
      !/^SELECT_|BACKLOGS$|FORGETTABLE/.test(name)
        ? [{ name, sql }]
        : [],
    );
    expect(hot.length).toBeGreaterThan(15);
    for (const { name, sql } of hot) expect(sql, name).toMatch(/part\b/);
  });

  it('are those that deploy/citus/distribute.sql distributes', async () => {
    const script = readFileSync(join(import.meta.dirname, '../../../../deploy/citus/distribute.sql'), 'utf8');
    const spread = [...script.matchAll(/create_distributed_table\('(\w+)', 'part'/g)].map(([, name]) => name);
    expect(spread.sort()).toEqual(await distributed());
    for (const name of LOCAL)
      expect(
        script
          .split('\n')
          .filter((line) => line.startsWith('--'))
          .join(' '),
      ).toContain(name);
  });
});
