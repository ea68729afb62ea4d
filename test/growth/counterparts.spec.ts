/** What counterparts answer, in small pieces, takes time in proportion to its length, up to the limit of each. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { expect, it, onTestFinished } from 'vitest';
import { HttpFetcher } from '../../src/adapters/http/http-fetcher.js';
import { parseChallenge } from '../../src/adapters/http/ntlm.js';
import { createTikaExtractor } from '../../src/adapters/parsers/documents/tika.js';
import { createPageReader } from '../../src/adapters/parsers/page-reader.js';
import { createSink } from '../../src/adapters/push/create-sink.js';
import { KafkaGuard } from '../../src/adapters/push/kafka-guard.js';
import { WebhookSender } from '../../src/adapters/push/webhook-sender.js';
import { classifyError } from '../../src/adapters/sessions/logins/negotiate-login.js';
import type { WebhookDefinition } from '../../src/domain/crawl/sink-definition.js';
import type { SinkType } from '../../src/domain/push/sink-types.js';
import { Secret } from '../../src/domain/secret.js';
import { milliseconds } from '../../src/domain/time/units.js';
import type { SyncExtractor } from '../../src/engine/ports/content-extractor.js';
import type { Sink } from '../../src/engine/ports/sink.js';
import { readOidcOptions } from '../../src/server/sign-in/oidc-options.js';
import { OpenIdProvider } from '../../src/server/sign-in/openid-provider.js';
import { fetcherDefinition } from '../support/fetcher-definition.js';
import { ManualClock } from '../support/manual-clock.js';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../support/push-orders.js';
import { findSuperlinear } from './cpu-growth.js';

const htmlExtractor = createPageReader().findExtractor('text/html') as SyncExtractor;
const SIZE = 100_000;
const PIECE = 400;

let answer = Buffer.alloc(0);

async function sendInPieces(target: { write(piece: Buffer): boolean } & NodeJS.EventEmitter): Promise<void> {
  for (let at = 0; at < answer.length; at += PIECE) target.write(answer.subarray(at, at + PIECE));
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server whose answer to everything is `answer`. */
async function serve(status: number): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    request.resume();
    await once(request, 'end');
    response.writeHead(status, { 'content-type': 'application/json' });
    if (request.method !== 'HEAD') await sendInPieces(response);
    response.end();
  });
  onTestFinished(() => server.closeAllConnections());
  return `http://${await listen(server)}`;
}

/** A broker or a database that answers what a client says first with `answer`. */
async function serveRaw(): Promise<string> {
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(
    createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.once('data', async () => {
        await sendInPieces(socket);
        socket.end();
      });
    }),
  );
}

const repeat = (text: string) => (size: number) => text.repeat(size / text.length);
const TEXTS = {
  blanks: repeat(' '),
  letters: repeat('a'),
  lines: repeat('http%3A%2F%2Fa%2F s1\n'),
  'half a text': (size: number) => `"${'\\"'.repeat(size / 2)}`,
  'a list': (size: number) => `[${'1,'.repeat(size / 2)}1]`,
  'many names': (size: number) => `{${Array.from({ length: size / 20 }, (_, i) => `"name${i}":["x"]`).join(',')}}`,
  elements: repeat('<p>a</p>'),
  'half elements': repeat('<p a="'),
};
/** Answers to two orders, with what else a sink may say. */
const ITEMS = {
  items: (size: number) =>
    `{"items":[${'{"index":{"status":400,"error":{"type":"x","reason":"y"}}},'.repeat(size / 60)}{"delete":{"status":200}}]}`,
  'a long reason': (size: number) =>
    `{"items":[{"index":{"status":400,"error":{"type":"x","reason":"${'y '.repeat(size / 2)}"}}},{"delete":{"status":200}}],"error":{"msg":"${'z'.repeat(size)}"}}`,
  answers: (size: number) => `{"answers":[${'{"refused":"why"},'.repeat(size / 18)}true]}`,
};

const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

async function list(sink: Sink): Promise<void> {
  for await (const _ of sink.listEntries?.(stillWanted()) ?? []);
}

async function useSink(type: SinkType, url: string): Promise<void> {
  const sink = createSink(
    sinkDefinition({
      type,
      url,
      options: { index: 'pages', topic: 'pages', connector: 'c' } as never,
      timeout: milliseconds(60_000),
    }),
  );
  await quietly(sink.deliver([addOrder('http://a/'), deleteOrder('http://b/')], stillWanted()));
  await quietly(list(sink));
  await sink.close();
}

const overHttp: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'an identity provider': (url) => {
    const env = { CRAWLWAY_OIDC_ISSUER: url, CRAWLWAY_OIDC_CLIENT_ID: 'c', CRAWLWAY_OIDC_ROLES: '*:read' };
    return new OpenIdProvider(readOidcOptions(env)!, new ManualClock()).beginSignIn(`${url}/callback`, '/');
  },
  'a Tika server': (url) =>
    createTikaExtractor(
      { type: 'tika', url, mediaTypes: ['application/pdf'], timeLimit: milliseconds(60_000) },
      htmlExtractor,
    ).extract(
      Buffer.from('x'),
      'application/pdf',
      { url: 'http://a.example/', maxTextLength: 4_000_000 } as never,
      stillWanted(),
    ),
  'a receiver of webhooks': (url) => {
    const { name, timeout, allowedAddresses, place } = sinkDefinition({ type: 'json', url, options: {} });
    const secret = new Secret('whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0');
    const definition = { name, url, timeout, allowedAddresses, place, secret } as WebhookDefinition;
    return new WebhookSender(definition).send({ id: '1', body: '{}' }, stillWanted());
  },
  'a collector of OTLP': (url) => new Promise((resolve) => new OTLPTraceExporter({ url }).export([], resolve)),
  'a hub or a token endpoint': async (url) => {
    const fetcher = new HttpFetcher([fetcherDefinition()]);
    await fetcher.fetch({
      url: `${url}/`,
      fetcher: 'default',
      maxSize: 10_000_000,
      method: 'POST',
      body: 'x',
    } as never);
    await fetcher.close();
  },
  ...Object.fromEntries(
    (['papi', 'json', 'elasticsearch', 'opensearch', 'solr'] as const).map((type) => [
      `a sink of type ${type}`,
      (url: string) => useSink(type, url),
    ]),
  ),
};

it.each(Object.entries(overHttp))('the answer of %s', async (_, use) => {
  const url = await serve(200);
  const work = (text: string): Promise<unknown> => {
    answer = Buffer.from(text);
    return quietly(use(url));
  };
  expect(await findSuperlinear({ ...TEXTS, ...ITEMS }, work, SIZE)).toEqual([]);
});

const length = (bytes: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(bytes);
  return buffer;
};

it('the message of a database', async () => {
  const url = `postgresql://u@${await serveRaw()}/db`;
  const work = (text: string): Promise<unknown> => {
    const body = Buffer.from(text);
    answer = Buffer.concat([Buffer.from('E'), length(body.length + 5), body, Buffer.alloc(1)]);
    return useSink('postgresql', url);
  };
  const errors = { ...TEXTS, fields: repeat('Mx\0') };
  expect(await findSuperlinear(errors, work, SIZE)).toEqual([]);
});

it('the messages of a broker', async () => {
  const messages = {
    'many messages': (size: number) =>
      Buffer.concat(Array.from({ length: size / 8 }, () => [length(4), length(0)]).flat()),
    'a long message': (size: number) => Buffer.concat([length(size), Buffer.alloc(size)]),
  };
  const guard = (bytes: Buffer): void => {
    const socket = new PassThrough();
    new KafkaGuard([]).guardSocket(socket as never);
    for (let at = 0; at < bytes.length; at += 7) socket.emit('data', bytes.subarray(at, at + 7));
  };
  expect(await findSuperlinear(messages, guard, SIZE)).toEqual([]);
});

it('the answers of KDCs and of servers that ask for NTLM', async () => {
  const messages = { ...TEXTS, clients: repeat("Client '"), servers: repeat('Server a ') };
  expect(await findSuperlinear(messages, (text) => void classifyError(text), SIZE)).toEqual([]);
  const challenges = {
    ...TEXTS,
    'an NTLM challenge': (size: number) => `NTLM ${Buffer.alloc(size / 2).toString('base64')}`,
    schemes: repeat('NTLM,'),
    'blanks after a scheme': (size: number) => `NTLM${' '.repeat(size)}`,
  };
  expect(await findSuperlinear(challenges, (text) => void parseChallenge(text), SIZE)).toEqual([]);
});
