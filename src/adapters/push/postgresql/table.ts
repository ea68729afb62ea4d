/** The table of a `postgresql` sink. If it is missing, the first node that connects creates it. */
import pg from 'pg';
import { SinkUnavailable } from '../../../engine/ports/sink.js';
import type { Connections } from './connections.js';

/**
 * The columns of the table, shared by the INSERT statement and the check of an existing table. The key is a digest,
 * because a URL may be longer than what PostgreSQL accepts in an index.
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

/** Maximum number of searchable characters of a text, because a tsvector can hold at most 1 MB. */
const MAX_SEARCHED_LENGTH = 200_000;

/** Quotes `schema.table` or `table` for SQL. */
export const quoteTable = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.');

/** Creates the schema, table, search column and index if they are missing. Existing ones are never changed. */
export async function ensureTable(connections: Connections, name: string, search?: string): Promise<void> {
  const table = quoteTable(name);
  const existingColumns = await listColumns(connections, table);
  const missingColumns = COLUMNS.filter((column) => !existingColumns.has(column.name));
  if (existingColumns.size > 0 && missingColumns.length > 0) {
    const names = missingColumns.map((column) => `${column.name} ${column.type}`).join(', ');
    throw new SinkUnavailable(
      `${connections.displayName}: the table ${name} lacks the columns ${names}; add them, or specify a different table`,
    );
  }
  if (missingColumns.length === 0 && (search === undefined || existingColumns.has('search'))) return;
  await connections.withTransaction(async (client) => {
    // If two nodes do this at the same time, IF NOT EXISTS alone can fail because of duplicate keys in the catalog.
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`crawlway sink ${table}`]);
    const [schema] = name.includes('.') ? name.split('.') : [];
    if (schema !== undefined && !(await hasSchema(client, schema)))
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)}`);
    const columns = COLUMNS.map((column) => `${column.name} ${column.type} ${column.constraint}`).join(', ');
    await client.query(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`);
    if (search !== undefined) await addSearchColumn(client, name, search);
  });
}

async function addSearchColumn(client: pg.PoolClient, name: string, search: string): Promise<void> {
  const table = quoteTable(name);
  const configuration = `${pg.escapeLiteral(search)}::regconfig`;
  await client.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS search tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector(${configuration}, left(title, 1000)), 'A') ||
    setweight(to_tsvector(${configuration}, left(text, ${MAX_SEARCHED_LENGTH})), 'B')) STORED`);
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
