import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import type { OrderAnswer, OrderKind, PushDocument, PushOrder } from '../../../domain/push/order.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../../engine/ports/sink.js';
import { formatHeading, groupValuesByName, parseForms, toMetas } from '../metas.js';
import { acknowledgeAll, groupByKind, type KindGroup, type RequestAnswer, sendWithSplitting } from '../splitting.js';
import { Connections } from './connections.js';
import { COLUMNS, ensureTable, quoteTable } from './table.js';

const PAGE_SIZE = 1_000;

/** SQLSTATE classes of errors that a document causes, not the database: data, constraints, limits. */
const REFUSALS = /^(?:22|23|54)/;

/**
 * Writes documents to a table of a PostgreSQL database, one row per document. A batch is one transaction, which is on
 * disk before it is acknowledged, even if the database is configured to confirm transactions earlier.
 */
export class PostgresqlSink implements Sink {
  readonly name: string;
  private readonly connections: Connections;
  private readonly table: string;
  private readonly searchConfiguration: string | undefined;
  private readyPromise: Promise<void> | undefined;

  constructor(definition: SinkDefinitionOf<'postgresql'>) {
    this.name = definition.name;
    this.table = definition.options.table;
    this.searchConfiguration = definition.options.search;
    this.connections = new Connections(definition);
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    await this.ensureTableOnce();
    return sendWithSplitting(batch, (orders) => this.send(orders, signal));
  }

  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.ensureTableOnce();
    const sql = `SELECT id, uri, content_hash FROM ${quoteTable(this.table)} WHERE id > $1 ORDER BY id LIMIT ${PAGE_SIZE}`;
    for (let lastId = ''; ; ) {
      signal.throwIfAborted();
      const rows = await this.withUnavailableErrors(() => this.readPage(sql, lastId));
      yield* rows.map(({ uri, content_hash: stamp }) => ({ uri, stamp }));
      if (rows.length < PAGE_SIZE) return;
      lastId = rows.at(-1)!.id;
    }
  }

  async readDocuments(uris: readonly string[]): Promise<KeptDocument[]> {
    await this.ensureTableOnce();
    const sql = `SELECT uri, content_hash, crawler, text, metas, mime_type, encoding, file_name FROM ${quoteTable(this.table)} WHERE id = ANY ($1)`;
    const { rows } = await this.withUnavailableErrors(() =>
      this.connections.query<KeptRow>(sql, [uris.map(digestUri)]),
    );
    return rows.map(toKeptDocument);
  }

  async isEmpty(): Promise<boolean> {
    const sql = `SELECT NOT EXISTS (SELECT 1 FROM ${quoteTable(this.table)}) AS empty`;
    const { rows } = await this.withUnavailableErrors(() => this.connections.query<{ empty: boolean }>(sql, []));
    return rows[0]?.empty === true;
  }

  async identify(): Promise<readonly string[]> {
    const sql = 'SELECT to_regclass($1)::oid::text AS id';
    const { rows } = await this.withUnavailableErrors(() =>
      this.connections.query<{ id: string | null }>(sql, [quoteTable(this.table)]),
    );
    return rows.flatMap(({ id }) => id ?? []);
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private async readPage(sql: string, lastId: string) {
    return (await this.connections.query<{ id: string; uri: string; content_hash: string }>(sql, [lastId])).rows;
  }

  /** Creates a missing table. Runs only once, unless it fails. */
  private async ensureTableOnce(): Promise<void> {
    this.readyPromise ??= this.withUnavailableErrors(() =>
      ensureTable(this.connections, this.table, this.searchConfiguration),
    );
    try {
      await this.readyPromise;
    } catch (error) {
      this.readyPromise = undefined;
      throw error;
    }
  }

  private async send(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    if (signal.aborted) throw new SinkUnavailable(`${this.connections.displayName}: the delivery was stopped`);
    const runs = groupByKind(orders).map(toStatementRun);
    try {
      await this.connections.withTransaction((client) => this.write(client, runs));
      return acknowledgeAll(orders);
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (REFUSALS.test(code)) return { refused: message.slice(0, 1_000) };
      if (code === UNDEFINED_TABLE) this.readyPromise = undefined; // it was dropped: the next attempt creates it again
      throw this.toUnavailable(error);
    }
  }

  private async write(client: pg.PoolClient, runs: readonly StatementRun[]): Promise<void> {
    await client.query(ENSURE_DURABLE_COMMIT);
    const table = quoteTable(this.table);
    const statements = { delete: `DELETE FROM ${table} WHERE id = ANY ($1)`, add: buildUpsertStatement(table) };
    for (const { kind, values } of runs) await client.query(statements[kind], values);
  }

  private async withUnavailableErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof SinkUnavailable ? error : this.toUnavailable(error);
    }
  }

  private toUnavailable(error: unknown): SinkUnavailable {
    const { message, code } = error as { message?: string; code?: string };
    return new SinkUnavailable(`${this.connections.displayName}: ${message || code || String(error)}`);
  }
}

const UNDEFINED_TABLE = '42P01';

const ENSURE_DURABLE_COMMIT =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";

const digestUri = (uri: string): string => createHash('sha256').update(uri).digest('hex');

const digestOrderUri = ({ uri }: PushOrder): string => digestUri(uri);

interface KeptRow {
  readonly uri: string;
  readonly content_hash: string;
  readonly crawler: string;
  readonly text: string;
  readonly metas: Readonly<Record<string, readonly string[]>>;
  readonly mime_type: string;
  readonly encoding: string | null;
  readonly file_name: string;
}

const toKeptDocument = ({ uri, content_hash: stamp, crawler, text, metas, ...row }: KeptRow): KeptDocument => {
  const encoding = row.encoding ?? undefined;
  const master = { bytes: new Uint8Array(), mimeType: row.mime_type, encoding, fileName: row.file_name };
  const { headings, markdown, chunks, ...values } = metas;
  const forms = parseForms({ headings, markdown, chunks });
  return { crawler, document: { uri, stamp, metas: toMetas(values), master, text, ...forms } };
};

/** Each column gets an array of values, so that the statement is the same for batches of any size. */
function buildUpsertStatement(table: string): string {
  const names = COLUMNS.map(({ name }) => name);
  const arrays = COLUMNS.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
  const assignments = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET ${assignments.join(', ')}`;
}

/** Orders of one kind, as the values of one statement. */
interface StatementRun {
  readonly kind: OrderKind;
  readonly values: unknown[];
}

const toStatementRun = ({ kind, orders }: KindGroup): StatementRun => ({
  kind,
  values: kind === 'delete' ? [orders.map(digestOrderUri)] : toColumns(orders),
});

function toColumns(orders: readonly PushOrder[]): unknown[][] {
  const rows = orders.flatMap((order) => (order.kind === 'add' ? [toRow(order, order.document)] : []));
  return COLUMNS.map(({ name }) => rows.map((row) => row[name]));
}

type Row = Readonly<Record<(typeof COLUMNS)[number]['name'], string | undefined>>;

function toRow(order: PushOrder, document: PushDocument): Row {
  const { uri, stamp, metas, master, text } = document;
  return {
    id: digestOrderUri(order),
    uri: removeNul(uri),
    content_hash: stamp,
    crawler: order.crawler,
    title: removeNul(metas.find(({ name }) => name === 'title')?.value ?? ''),
    text: removeNul(text),
    metas: JSON.stringify({
      ...groupValuesByName(metas.map(removeNulFromMeta), (name) => name || '_'),
      ...toFormMetas(document),
    }),
    mime_type: removeNul(master.mimeType),
    encoding: master.encoding,
    file_name: removeNul(master.fileName),
    updated_at: new Date(order.decidedAt).toISOString(),
  };
}

/** Returns headings, Markdown and chunks, which are stored with the metas under the names that other sinks use. */
function toFormMetas({ headings, markdown, chunks }: PushDocument): Record<string, unknown> {
  return {
    ...(headings ? { headings: headings.map(formatHeading).map(removeNul) } : {}),
    ...(markdown === undefined ? {} : { markdown: removeNul(markdown) }),
    ...(chunks
      ? {
          chunks: chunks.map(({ text, path, ...position }) => ({
            text: removeNul(text),
            path: path.map(removeNul),
            ...position,
          })),
        }
      : {}),
  };
}

/** Removes NUL characters, which PostgreSQL does not accept, and replaces unpaired surrogates. */
const removeNul = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const removeNulFromMeta = ({ name, value }: PushDocument['metas'][number]) => ({
  name: removeNul(name),
  value: removeNul(value),
});
