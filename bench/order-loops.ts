/**
 * Connections to running engines, each with the loop that a developer would write with its client to send documents.
 */
import { createHash } from 'node:crypto';
import { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import { Client as OpenSearchClient } from '@opensearch-project/opensearch';
import { Admin, Producer, stringSerializers } from '@platformatic/kafka';
import pg from 'pg';
import { getDialect, toSourceDocument } from '../src/adapters/push/elasticsearch-schema.js';
import { toOrderRecord } from '../src/adapters/push/order-record.js';
import type { SinkDefinition } from '../src/domain/crawl/sink-definition.js';
import type { PushOrder } from '../src/domain/push/order.js';
import { sinkDefinition } from '../test/support/push-orders.js';

export type AddOrder = Extract<PushOrder, { kind: 'add' }>;

export interface BatchSettings {
  readonly batchDocuments: number;
  readonly batchBytes: number;
  readonly concurrency: number;
}

export interface MeasuredEngine {
  /** Name and version. */
  readonly nameAndVersion: string;
  /** Client package that the loop uses. */
  readonly client: string;
  readonly definition: SinkDefinition;
  /** Number of batches that the loop sends at the same time. Absent: the same as the sink. */
  readonly concurrentBatches?: number;
  /** Resolves when the engine has stored the batch durably. */
  send(batch: readonly AddOrder[]): Promise<void>;
  /** Deletes what was written, and closes the client. */
  close(): Promise<void>;
}

type OpenEngine = (url: string, settings: BatchSettings) => Promise<MeasuredEngine>;

const NAME = 'crawlway_bench';
const computeId = ({ uri }: AddOrder): string => createHash('sha256').update(uri).digest('hex');
const getTitle = ({ document }: AddOrder): string => document.metas.find(({ name }) => name === 'title')?.value ?? '';

const createBulkBody = (batch: readonly AddOrder[]) =>
  batch.flatMap((order) => [
    { index: { _index: NAME, _id: computeId(order) } },
    toSourceDocument(order.crawler, order.document),
  ]);

const openOpenSearch: OpenEngine = async (url, settings) => {
  const client = new OpenSearchClient({ node: url });
  const { body: info } = await client.info();
  const drop = () => client.indices.delete({ index: NAME, ignore_unavailable: true });
  await drop();
  return {
    nameAndVersion: `${getDialect('opensearch').product} ${info.version.number}`,
    client: '@opensearch-project/opensearch',
    definition: sinkDefinition({ type: 'opensearch', url, options: { index: NAME }, ...settings }),
    send: async (batch) => {
      const { body: response } = await client.bulk({ body: createBulkBody(batch) });
      if (response.errors) throw new Error('the engine refuses a document');
    },
    close: async () => {
      await drop();
      await client.close();
    },
  };
};

const openElasticsearch: OpenEngine = async (url, settings) => {
  const client = new ElasticsearchClient({ node: url });
  const { nodes } = await client.nodes.info({ node_id: '_local' });
  const drop = () => client.indices.delete({ index: NAME, ignore_unavailable: true });
  await drop();
  return {
    nameAndVersion: `${getDialect('elasticsearch').product} ${Object.values(nodes)[0]!.version}`,
    client: '@elastic/elasticsearch',
    definition: sinkDefinition({ type: 'elasticsearch', url, options: { index: NAME }, ...settings }),
    send: async (batch) => {
      const { errors } = await client.bulk({ operations: createBulkBody(batch) });
      if (errors) throw new Error('the engine refuses a document');
    },
    close: async () => {
      await drop();
      await client.close();
    },
  };
};

/** `url` is the address of a Solr core. Solr has no official client for Node, so its users post JSON. */
const openSolr: OpenEngine = async (url, settings) => {
  const post = async (query: string, body: unknown): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/update?wt=json&${query}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  };
  const { lucene } = (await (await fetch(new URL('/solr/admin/info/system?wt=json', url))).json()) as {
    lucene: { 'solr-spec-version': string };
  };
  const drop = () => post('commit=true', { delete: { query: '*:*' } });
  await drop();
  return {
    nameAndVersion: `Solr ${lucene['solr-spec-version']}`,
    client: 'fetch',
    definition: sinkDefinition({ type: 'solr', url, ...settings }),
    send: (batch) =>
      post(
        'commit=true&openSearcher=false',
        batch.map((order) => ({
          id: order.uri,
          stamp_s: order.document.stamp,
          crawler_s: order.crawler,
          title_t: getTitle(order),
          text_t: order.document.text,
          meta_title_txt: getTitle(order),
          meta_names_ss: ['title'],
          mime_type_s: order.document.master.mimeType,
          file_name_t: order.document.master.fileName,
        })),
      ),
    close: drop,
  };
};

/** `url` has the form of a sink's: kafka://HOST:PORT */
const openKafka: OpenEngine = async (url, settings) => {
  const bootstrapBrokers = [new URL(url).host];
  const admin = new Admin({ clientId: NAME, bootstrapBrokers });
  // A message may be as large as a batch; with the default limit of a topic, a loop would have to split batches.
  const configs = [{ name: 'max.message.bytes', value: String(settings.batchBytes) }];
  await admin.createTopics({ topics: [NAME], partitions: 3, replicas: 1, configs });
  const producer = new Producer({
    clientId: NAME,
    bootstrapBrokers,
    serializers: stringSerializers,
    idempotent: true,
  });
  return {
    nameAndVersion: 'Kafka',
    client: '@platformatic/kafka',
    definition: sinkDefinition({ type: 'kafka', url, options: { topic: NAME }, ...settings }),
    // An idempotent producer numbers its records.
    concurrentBatches: 1,
    send: async (batch) => {
      const messages = batch.map((order) => ({
        topic: NAME,
        key: order.uri,
        value: JSON.stringify(toOrderRecord(order)),
        headers: { order: String(order.id) },
      }));
      await producer.send({ messages, acks: -1 });
    },
    close: async () => {
      await producer.close();
      await admin.deleteTopics({ topics: [NAME] });
      await admin.close();
    },
  };
};

const openPostgresql: OpenEngine = async (url, settings) => {
  const pool = new pg.Pool({ connectionString: url, max: settings.concurrency });
  const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
  const drop = () => pool.query(`DROP TABLE IF EXISTS ${NAME}`);
  await drop();
  const columns = [
    'id',
    'uri',
    'content_hash',
    'crawler',
    'title',
    'text',
    'metas',
    'mime_type',
    'file_name',
    'updated_at',
  ];
  const columnTypes: Readonly<Record<string, string>> = { metas: 'jsonb', updated_at: 'timestamptz' };
  const arrays = columns.map((name, i) => `$${i + 1}::${columnTypes[name] ?? 'text'}[]`);
  const changes = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  const upsert = `INSERT INTO ${NAME} (${columns}) SELECT * FROM unnest(${arrays})
    ON CONFLICT (id) DO UPDATE SET ${changes}`;
  return {
    nameAndVersion: `PostgreSQL ${rows[0]!.server_version}`,
    client: 'pg',
    definition: sinkDefinition({ type: 'postgresql', url, options: { table: NAME }, ...settings }),
    send: async (batch) => {
      const values = batch.map((order) => {
        const { uri, document, crawler } = order;
        const { stamp, text, master } = document;
        const metas = JSON.stringify({ title: [getTitle(order)] });
        const at = new Date(order.decidedAt);
        return [
          computeId(order),
          uri,
          stamp,
          crawler,
          getTitle(order),
          text,
          metas,
          master.mimeType,
          master.fileName,
          at,
        ];
      });
      await pool.query(
        upsert,
        columns.map((_, i) => values.map((row) => row[i])),
      );
    },
    close: async () => {
      await drop();
      await pool.end();
    },
  };
};

export const ENGINES: Readonly<Record<string, OpenEngine>> = {
  elasticsearch: openElasticsearch,
  opensearch: openOpenSearch,
  solr: openSolr,
  kafka: openKafka,
  postgresql: openPostgresql,
};
