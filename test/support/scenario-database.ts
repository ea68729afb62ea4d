import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgresStore } from '../../src/adapters/storage/postgres-store.js';
import type { FrontierStore } from '../../src/engine/ports/frontier-store.js';
import { startedPostgres } from './postgres-server.js';

const TABLES = ['url', 'site', 'counter', 'host', 'visit', 'push_order', 'setting'];

let database: string | undefined;

/** One PostgreSQL database for all scenarios of a file, emptied for each: making one takes longer than most scenarios. */
export async function scenarioStore(): Promise<FrontierStore> {
  if (database === undefined) {
    const server = await startedPostgres(inject('postgresDirectory'));
    const name = `scenarios_${randomUUID().replaceAll('-', '')}`;
    await run(server, `CREATE DATABASE ${name}`);
    database = server.replace(/\/postgres$/, `/${name}`);
  } else await run(database, `TRUNCATE ${TABLES.join(', ')}`);
  return openPostgresStore(database);
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
