import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { SinkDefinitionOf } from '../../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushDocument, PushOrder } from '../../../domain/push/order.js';
import { type KeptDocument, type Sink, SinkUnavailable } from '../../../engine/ports/sink.js';
import { formsFrom, headingText, metasOf, valuesByName } from '../metas.js';
import { allAcknowledged, type RequestAnswer, runsOfOneKind, sendSplitting } from '../splitting.js';
import { Connections } from './connections.js';
import { COLUMNS, ensureTable, quotedTable } from './table.js';

const DEFAULT_TABLE = 'documents';
const ENTRIES_AT_ONCE = 1_000;

/** Classes of SQLSTATE that blame one of the documents, not the database: data, constraints, limits. */
const REFUSALS = /^(?:22|23|54)/;

/**
 * A table of a PostgreSQL database, one row for each document. A batch is one transaction, which is on the disk before it is
 * acknowledged even if the database is configured to answer earlier.
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
    await this.ensured();
    return sendSplitting(batch, (orders) => this.send(orders, signal));
  }

  async *entries(signal: AbortSignal): AsyncGenerator<{ uri: string; stamp: string }> {
    await this.ensured();
    const sql = `SELECT id, uri, content_hash FROM ${quotedTable(this.table)} WHERE id > $1 ORDER BY id LIMIT ${ENTRIES_AT_ONCE}`;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const rows = await this.run(() => this.page(sql, after));
      yield* rows.map(({ uri, content_hash: stamp }) => ({ uri, stamp }));
      if (rows.length < ENTRIES_AT_ONCE) return;
      after = rows.at(-1)!.id;
    }
  }

  async documents(uris: readonly string[]): Promise<KeptDocument[]> {
    await this.ensured();
    const sql = `SELECT uri, content_hash, crawler, text, metas, mime_type, encoding, file_name FROM ${quotedTable(this.table)} WHERE id = ANY ($1)`;
    const { rows } = await this.run(() => this.connections.query<KeptRow>(sql, [uris.map(digestOf)]));
    return rows.map(keptDocument);
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private async page(sql: string, after: string) {
    return (await this.connections.query<{ id: string; uri: string; content_hash: string }>(sql, [after])).rows;
  }

  /** Once; again after a failure. */
  private async ensured(): Promise<void> {
    this.ready ??= this.run(() => ensureTable(this.connections, this.table, this.search));
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
      return allAcknowledged(orders);
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (REFUSALS.test(code)) return { refused: message.slice(0, 1_000) };
      if (code === UNDEFINED_TABLE) this.ready = undefined; // it was dropped: the next attempt makes it again
      throw this.unavailable(error);
    }
  }

  private async write(client: pg.PoolClient, orders: readonly PushOrder[]): Promise<void> {
    await client.query(DURABLE);
    const table = quotedTable(this.table);
    for (const { kind, orders: some } of runsOfOneKind(orders)) {
      if (kind === 'delete') await client.query(`DELETE FROM ${table} WHERE id = ANY ($1)`, [some.map(idOf)]);
      else await client.query(upsert(table), columnsOf(some));
    }
  }

  private async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof SinkUnavailable ? error : this.unavailable(error);
    }
  }

  private unavailable(error: unknown): SinkUnavailable {
    const { message, code } = error as { message?: string; code?: string };
    return new SinkUnavailable(`${this.connections.where}: ${message || code || String(error)}`);
  }
}

const UNDEFINED_TABLE = '42P01';

const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'";

const digestOf = (uri: string): string => createHash('sha256').update(uri).digest('hex');

const idOf = ({ uri }: PushOrder): string => digestOf(uri);

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

const keptDocument = ({ uri, content_hash: stamp, crawler, text, metas, ...row }: KeptRow): KeptDocument => {
  const encoding = row.encoding ?? undefined;
  const master = { bytes: new Uint8Array(), mimeType: row.mime_type, encoding, fileName: row.file_name };
  const { headings, markdown, chunks, ...values } = metas;
  const forms = formsFrom({ headings, markdown, chunks });
  return { crawler, document: { uri, stamp, metas: metasOf(values), master, text, ...forms } };
};

/** An array of values for each column: the statement is the same for batches of any size. */
function upsert(table: string): string {
  const names = COLUMNS.map(({ name }) => name);
  const arrays = COLUMNS.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
  const changes = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET ${changes.join(', ')}`;
}

function columnsOf(orders: readonly PushOrder[]): unknown[][] {
  const rows = orders.flatMap((order) => (order.kind === 'add' ? [rowOf(order, order.document)] : []));
  return COLUMNS.map(({ name }) => rows.map((row) => row[name]));
}

type Row = Readonly<Record<(typeof COLUMNS)[number]['name'], string | undefined>>;

function rowOf(order: PushOrder, document: PushDocument): Row {
  const { uri, stamp, metas, master, text } = document;
  return {
    id: idOf(order),
    uri: stored(uri),
    content_hash: stamp,
    crawler: order.crawler,
    title: stored(metas.find(({ name }) => name === 'title')?.value ?? ''),
    text: stored(text),
    metas: JSON.stringify({ ...valuesByName(metas.map(storedMeta), (name) => name || '_'), ...forms(document) }),
    mime_type: stored(master.mimeType),
    encoding: master.encoding,
    file_name: stored(master.fileName),
    updated_at: new Date(order.decidedAt).toISOString(),
  };
}

/** Beside the metas, under the names that they have in other sinks. */
function forms({ headings, markdown, chunks }: PushDocument): Record<string, unknown> {
  return {
    ...(headings ? { headings: headings.map(headingText).map(stored) } : {}),
    ...(markdown === undefined ? {} : { markdown: stored(markdown) }),
    ...(chunks
      ? { chunks: chunks.map(({ text, path, ...place }) => ({ text: stored(text), path: path.map(stored), ...place })) }
      : {}),
  };
}

/** PostgreSQL takes every Unicode text but the character NUL. */
const stored = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const storedMeta = ({ name, value }: PushDocument['metas'][number]) => ({ name: stored(name), value: stored(value) });
