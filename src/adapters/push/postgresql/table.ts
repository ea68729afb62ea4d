/** The table of a `postgresql` sink: if it is missing, the first node to connect creates it. */
import pg from 'pg';
import { SinkUnavailable } from '../../../engine/ports/sink.js';
import type { Connections } from './connections.js';

/**
 * The key is a digest, because a URL may be longer than what PostgreSQL accepts in an index. The columns are a list so
 * that the INSERT and the check of an existing table share it.
 */
export const COLUMNS = [
  { name: 'id', type: 'text', constraint: 'PRIMARY KEY' },
  { name: 'uri', type: 'text', constraint: 'NOT NULL' },
  { name: 'content_hash', type: 'text', constraint: 'NOT NULL' },
  { name: 'crawler', type: 'text', constraint: 'NOT NULL' },
  { name: 'title', type: 'text', constraint: 'NOT NULL' },
  { name: 'text', type: 'text', constraint: 'NOT NULL' },
  { name: 'metas', type: 'jsonb', constraint: 'NOT NULL' },
  { name: 'mime_type', type: 'text', constraint: 'NOT NULL' },
  { name: 'encoding', type: 'text', constraint: '' },
  { name: 'file_name', type: 'text', constraint: 'NOT NULL' },
  { name: 'updated_at', type: 'timestamptz', constraint: 'NOT NULL' },
] as const;

/** Characters of the text that are searchable: a tsvector holds at most 1 MB, so words beyond this are not found. */
const SEARCHED_TEXT = 200_000;

/** `schema.table` or `table`, quoted for SQL. */
export const quoteTable = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.');

/** Creates the schema, table, search column and index if they are missing. Never changes or removes what exists. */
export async function ensureTable(connections: Connections, name: string, search?: string): Promise<void> {
  const table = quoteTable(name);
  const present = await listColumns(connections, table);
  const missing = COLUMNS.filter((column) => !present.has(column.name));
  if (present.size > 0 && missing.length > 0) {
    const names = missing.map((column) => `${column.name} ${column.type}`).join(', ');
    throw new SinkUnavailable(
      `${connections.where}: the table ${name} has no columns ${names}; specify a different table`,
    );
  }
  if (missing.length === 0 && (search === undefined || present.has('search'))) return;
  await connections.transaction(async (client) => {
    // If two nodes do this at once, IF NOT EXISTS alone can fail on the catalog's own keys.
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`crawlway sink ${table}`]);
    const [schema] = name.includes('.') ? name.split('.') : [];
    if (schema !== undefined && !(await hasSchema(client, schema)))
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)}`);
    const columns = COLUMNS.map((column) => `${column.name} ${column.type} ${column.constraint}`).join(', ');
    await client.query(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`);
    if (search !== undefined) await addSearch(client, name, search);
  });
}

async function addSearch(client: pg.PoolClient, name: string, search: string): Promise<void> {
  const table = quoteTable(name);
  const configuration = `${pg.escapeLiteral(search)}::regconfig`;
  await client.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS search tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector(${configuration}, left(title, 1000)), 'A') ||
    setweight(to_tsvector(${configuration}, left(text, ${SEARCHED_TEXT})), 'B')) STORED`);
  const index = pg.escapeIdentifier(`${name.split('.').at(-1)}_search_idx`);
  await client.query(`CREATE INDEX IF NOT EXISTS ${index} ON ${table} USING gin (search)`);
}

async function listColumns(connections: Connections, table: string): Promise<Set<string>> {
  const { rows } = await connections.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return new Set(rows.map(({ name }) => name));
}

const hasSchema = async (client: pg.PoolClient, name: string): Promise<boolean> =>
  (await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name])).rowCount === 1;
