import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeSite } from '../../../test/support/fake-site.js';
import { TestPlugins } from '../../../test/support/plugins.js';
import { onPostgres, postgresDatabase } from '../../../test/support/postgres.js';
import { runningIndex } from '../../../test/support/push-index.js';
import { addOrder, heldBy, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { startElasticsearchReceiver } from '../../../test/support/receivers/elasticsearch-receiver.js';
import { startReceiver } from '../../../test/support/receivers/http-receiver.js';
import { startSolrReceiver } from '../../../test/support/receivers/solr-receiver.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { expectOneRefused } from '../../../test/support/unsendable-orders.js';
import type { PushDocument } from '../../domain/push/order.js';
import { SINK_TYPES, type SinkType } from '../../domain/push/sink-types.js';
import { deliverApart } from '../../engine/delivery/deliver-apart.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';
import { createSink } from './create-sink.js';

/** A document that becomes longer than a string can be, as soon as a sink reads any part of it. */
const unsendable = new Proxy({} as PushDocument, {
  get: () => {
    throw new RangeError('Invalid string length');
  },
});

async function findAddress(type: SinkType): Promise<string> {
  switch (SINK_TYPES[type].address) {
    case 'file':
      return join(temporaryDirectory(), type === 'warc' ? 'pages.warc' : 'orders.jsonl');
    case 'postgresql':
      return postgresDatabase();
    case 'kafka':
      return 'kafka://127.0.0.1:9';
    case 'plugin':
      return 'plugin:archive';
    case 'http':
      return startServer();
  }
}

/** Answers whatever a sink asks before its first order; `1` is a session of the Push API. */
async function startServer(): Promise<string> {
  const server = await FakeSite.start();
  onTestFinished(() => server.close());
  server.otherwise({ status: 200, body: '1' }).set('/_alias/pages', { status: 404, body: '' });
  return server.origin;
}

const TESTED_TYPES: readonly SinkType[] = [
  ...(Object.keys(SINK_TYPES) as SinkType[]).filter((type) => type !== 'postgresql'),
  ...onPostgres<SinkType>('postgresql'),
];

describe('an order that cannot be encoded', () => {
  it.each(TESTED_TYPES)('is no sign that the %s sink is unavailable', async (type) => {
    const url = await findAddress(type);
    const sink = createSink(sinkDefinition({ type, url, options: { index: 'pages', topic: 'pages' } as never }));
    onTestFinished(() => sink.close());
    const order = { ...addOrder('http://a.example/'), document: unsendable };
    const error = await sink.deliver([order], stillWanted()).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(SinkUnavailable);
    expect(error).toMatchObject({ message: 'Invalid string length' });
  });
});

interface Opened {
  readonly sink: Sink;
  /** The URIs of the documents that the sink has. */
  readonly holds: () => Promise<ReadonlySet<string>>;
}

const listed = (sink: Sink): Opened => ({
  sink,
  holds: async () => new Set((await heldBy(sink)).map((line) => line.split(' ', 1)[0]!)),
});

/** What is left after these orders. */
function replay(orders: readonly { readonly kind: string; readonly uri: string }[]): ReadonlySet<string> {
  const held = new Set<string>();
  for (const { kind, uri } of orders) {
    if (kind === 'add') held.add(uri);
    else held.delete(uri);
  }
  return held;
}

const readLines = (path: string): { kind: string; uri: string }[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { kind: string; uri: string });

type Through = (url: string) => Promise<string>;
const directly: Through = async (url) => url;

async function openSearchEngine(type: 'elasticsearch' | 'opensearch', through: Through): Promise<Opened> {
  const { url } = await startElasticsearchReceiver(type, 'pages');
  return listed(createSink(sinkDefinition({ type, url: await through(url), options: { index: 'pages' } })));
}

/** A sink of each type, with what it sends to; Kafka's is in test/engines/kafka.spec.ts. */
const OPENERS: Readonly<Record<Exclude<SinkType, 'kafka'>, (through: Through) => Promise<Opened>>> = {
  papi: async (through) => {
    const url = await through((await runningIndex()).url);
    return listed(createSink(sinkDefinition({ type: 'papi', url, options: { connector: 'docs' } })));
  },
  json: async (through) => {
    const taken: { kind: string; uri: string }[] = [];
    const { url } = await startReceiver(({ body }) => {
      taken.push(...(JSON.parse(body.toString()) as { orders: typeof taken }).orders);
      return { status: 200 };
    });
    return {
      sink: createSink(sinkDefinition({ type: 'json', url: await through(url) })),
      holds: async () => replay(taken),
    };
  },
  elasticsearch: (through) => openSearchEngine('elasticsearch', through),
  opensearch: (through) => openSearchEngine('opensearch', through),
  solr: async (through) => {
    const { url, committed } = await startSolrReceiver('pages');
    const address = `${await through(url)}/solr/`;
    const sink = createSink(sinkDefinition({ type: 'solr', url: address, options: { index: 'pages' } }));
    return { sink, holds: async () => new Set(committed().keys()) };
  },
  file: async () => {
    const path = join(temporaryDirectory(), 'orders.jsonl');
    return {
      sink: createSink(sinkDefinition({ type: 'file', url: path })),
      holds: async () => replay(readLines(path)),
    };
  },
  warc: async () => {
    const sink = createSink(sinkDefinition({ type: 'warc', url: join(temporaryDirectory(), 'pages.warc') }));
    const taken: { kind: string; uri: string }[] = [];
    // An archive keeps what was deleted: only its answers are compared.
    const deliver: Sink['deliver'] = async (batch, signal) => {
      const answers = await sink.deliver(batch, signal);
      taken.push(...batch.map(({ kind, uri }) => ({ kind, uri })));
      return answers;
    };
    return { sink: { name: 'main', deliver, close: () => sink.close() }, holds: async () => replay(taken) };
  },
  postgresql: async () =>
    listed(createSink(sinkDefinition({ type: 'postgresql', url: await postgresDatabase(), options: {} }))),
  plugin: async () => {
    const plugins = new TestPlugins();
    const path = join(temporaryDirectory(), 'orders.jsonl');
    const deliver = `async deliver(orders) {
      const { appendFileSync } = await import('node:fs');
      for (const { kind, uri } of orders) appendFileSync(${JSON.stringify(path)}, JSON.stringify({ kind, uri }) + '\\n');
      return orders.map(() => true);
    }`;
    await plugins.host.configure([plugins.define('archive', `sink: { ${deliver} }`)]);
    const sink = createSink(sinkDefinition({ type: 'plugin', url: 'plugin:archive' }), plugins.host);
    return { sink, holds: async () => replay(readLines(path)) };
  },
};

const OPENED_TYPES = TESTED_TYPES.filter((type): type is keyof typeof OPENERS => type !== 'kafka');

/** A proxy in front of a server that refuses whatever contains the word. */
const refusing =
  (word: string, status: number): Through =>
  async (server) => {
    const { url } = await startReceiver(async ({ method, path, query, headers, body }) => {
      if (body.includes(word)) return { status, body: 'it is too large' };
      const {
        host: _host,
        'content-length': _length,
        connection: _connection,
        ...passed
      } = headers as Record<string, string>;
      const hasBody = method !== 'GET' && method !== 'HEAD';
      const answer = await fetch(new URL(`${path}?${query}`, server), {
        method,
        headers: passed,
        ...(hasBody ? { body } : {}),
      });
      const type = answer.headers.get('content-type') ?? 'text/plain';
      const product = answer.headers.get('x-elastic-product') ?? '';
      return {
        status: answer.status,
        headers: { 'content-type': type, 'x-elastic-product': product },
        body: await answer.text(),
      };
    });
    return url;
  };

describe('orders of which one is refused as a whole request', () => {
  const types = OPENED_TYPES.filter((type) => SINK_TYPES[type].address === 'http');
  it.each(
    types.flatMap(
      (type) =>
        [
          [type, 413],
          [type, 400],
        ] as const,
    ),
  )('are all delivered to the %s sink but for that one (%d)', async (type, status) => {
    const { sink, holds } = await OPENERS[type](refusing('forbidden', status));
    onTestFinished(() => sink.close());
    const uris = ['a', 'b', 'forbidden', 'c', 'd'].map((name) => `http://site.example/${name}`);
    const answers = await deliverApart(
      sink,
      uris.map((uri) => addOrder(uri)),
      stillWanted(),
    );
    expect(answers.map(({ state }) => state)).toEqual(
      uris.map((uri) => (uri.endsWith('/forbidden') ? 'refused' : 'acknowledged')),
    );
    const held = [...(await holds())].sort();
    expect(held).toEqual(uris.filter((uri) => !uri.endsWith('/forbidden')));
  });
});

describe('random orders with one that cannot be encoded', () => {
  it.each(OPENED_TYPES)('are all delivered to the %s sink but for that one, which is refused', async (type) => {
    const { sink, holds } = await OPENERS[type](directly);
    onTestFinished(() => sink.close());
    await expectOneRefused(sink, holds);
  });
});
