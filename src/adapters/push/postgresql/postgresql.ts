import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushDocument, PushOrder } from '../../../domain/push/order.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../../engine/ports/sink.js';
import { formatHeading, groupValuesByName, parseForms, toMetas } from '../metas.js';
import { acknowledgeAll, groupRunsByKind, type RequestAnswer, sendWithSplitting } from '../splitting.js';
import { Connections } from './connections.js';
import { COLUMNS, ensureTable, quoteTable } from './table.js';

const DEFAULT_TABLE = 'documents';
const ENTRIES_AT_ONCE = 1_000;

/** SQLSTATE classes that blame one of the documents, not the database: data, constraints, limits. */
const REFUSALS = /^(?:22|23|54)/;

/**
 * A table in a PostgreSQL database, with one row per document. A batch is one transaction, which is on disk before it
 * is acknowledged, even if the database is configured to confirm it earlier.
 */
export class PostgresqlSink implements Sink {
  readonly name: string;
  private readonly connections: Connections;
  private readonly table: string;
  private readonly search: string | undefined;
  private ready: Promise<void> | undefined;

  constructor(definition: SinkDefinitionOf<'postgresql'>) {
    this.name = definition.name;
    this.table = definition.options.table ?? DEFAULT_TABLE;
    this.search = definition.options.search;
    this.connections = new Connections(definition);
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    await this.ensureTableOnce();
    return sendWithSplitting(batch, (orders) => this.send(orders, signal));
  }

  async *listEntries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.ensureTableOnce();
    const sql = `SELECT id, uri, content_hash FROM ${quoteTable(this.table)} WHERE id > $1 ORDER BY id LIMIT ${ENTRIES_AT_ONCE}`;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const rows = await this.withUnavailableErrors(() => this.readPage(sql, after));
      yield* rows.map(({ uri, content_hash: stamp }) => ({ uri, stamp }));
      if (rows.length < ENTRIES_AT_ONCE) return;
      after = rows.at(-1)!.id;
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

  close(): Promise<void> {
    return this.connections.close();
  }

  private async readPage(sql: string, after: string) {
    return (await this.connections.query<{ id: string; uri: string; content_hash: string }>(sql, [after])).rows;
  }

  /** Runs only once, unless it fails. */
  private async ensureTableOnce(): Promise<void> {
    this.ready ??= this.withUnavailableErrors(() => ensureTable(this.connections, this.table, this.search));
    try {
      await this.ready;
    } catch (error) {
      this.ready = undefined;
      throw error;
    }
  }

  private async send(orders: readonly PushOrder[], signal: AbortSignal): Promise<RequestAnswer> {
    if (signal.aborted) throw new SinkUnavailable(`${this.connections.where}: the delivery was stopped`);
    try {
      await this.connections.transaction((client) => this.write(client, orders));
      return acknowledgeAll(orders);
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (REFUSALS.test(code)) return { refused: message.slice(0, 1_000) };
      if (code === UNDEFINED_TABLE) this.ready = undefined; // the table was dropped: the next attempt creates it again
      throw this.toUnavailable(error);
    }
  }

  private async write(client: pg.PoolClient, orders: readonly PushOrder[]): Promise<void> {
    await client.query(DURABLE);
    const table = quoteTable(this.table);
    for (const { kind, orders: some } of groupRunsByKind(orders)) {
      if (kind === 'delete') await client.query(`DELETE FROM ${table} WHERE id = ANY ($1)`, [some.map(orderId)]);
      else await client.query(upsertStatement(table), toColumns(some));
    }
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
    return new SinkUnavailable(`${this.connections.where}: ${message || code || String(error)}`);
  }
}

const UNDEFINED_TABLE = '42P01';

const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";

const digestUri = (uri: string): string => createHash('sha256').update(uri).digest('hex');

const orderId = ({ uri }: PushOrder): string => digestUri(uri);

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
function upsertStatement(table: string): string {
  const names = COLUMNS.map(({ name }) => name);
  const arrays = COLUMNS.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
  const changes = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET ${changes.join(', ')}`;
}

function toColumns(orders: readonly PushOrder[]): unknown[][] {
  const rows = orders.flatMap((order) => (order.kind === 'add' ? [toRow(order, order.document)] : []));
  return COLUMNS.map(({ name }) => rows.map((row) => row[name]));
}

type Row = Readonly<Record<(typeof COLUMNS)[number]['name'], string | undefined>>;

function toRow(order: PushOrder, document: PushDocument): Row {
  const { uri, stamp, metas, master, text } = document;
  return {
    id: orderId(order),
    uri: withoutNul(uri),
    content_hash: stamp,
    crawler: order.crawler,
    title: withoutNul(metas.find(({ name }) => name === 'title')?.value ?? ''),
    text: withoutNul(text),
    metas: JSON.stringify({
      ...groupValuesByName(metas.map(metaWithoutNul), (name) => name || '_'),
      ...toFormColumns(document),
    }),
    mime_type: withoutNul(master.mimeType),
    encoding: master.encoding,
    file_name: withoutNul(master.fileName),
    updated_at: new Date(order.decidedAt).toISOString(),
  };
}

/** Stored with the metas, under the names that other sinks use. */
function toFormColumns({ headings, markdown, chunks }: PushDocument): Record<string, unknown> {
  return {
    ...(headings ? { headings: headings.map(formatHeading).map(withoutNul) } : {}),
    ...(markdown === undefined ? {} : { markdown: withoutNul(markdown) }),
    ...(chunks
      ? {
          chunks: chunks.map(({ text, path, ...place }) => ({
            text: withoutNul(text),
            path: path.map(withoutNul),
            ...place,
          })),
        }
      : {}),
  };
}

/** PostgreSQL accepts all Unicode text except the NUL character. */
const withoutNul = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const metaWithoutNul = ({ name, value }: PushDocument['metas'][number]) => ({
  name: withoutNul(name),
  value: withoutNul(value),
});
