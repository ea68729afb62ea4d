import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { startedPostgres } from './postgres-server.js';

/** What is tested on PostgreSQL, in the suite `postgresql`; nothing in the other suites, which leave it to that one. */
export const onPostgres = <Test>(...tests: readonly Test[]): readonly Test[] =>
  process.env['CRAWLWAY_TEST_DATABASE'] === 'postgres' ? tests : [];

/** The URL of a new, empty PostgreSQL database for the running test; dropped when the test passes, kept when it fails. */
export async function postgresDatabase(): Promise<string> {
  const server = await startedPostgres(inject('postgresDirectory'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `CREATE DATABASE ${name}`);
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
  });
  return server.replace(/\/postgres$/, `/${name}`);
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
