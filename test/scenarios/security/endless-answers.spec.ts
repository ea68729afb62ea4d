/** Counterparts that send without end: what is read of them, and how long, has a limit. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { expect, it, onTestFinished } from 'vitest';
import { HttpFetcher } from '../../../src/adapters/http/http-fetcher.js';
import { createTikaExtractor } from '../../../src/adapters/parsers/documents/tika.js';
import { createSink } from '../../../src/adapters/push/create-sink.js';
import { WebhookSender } from '../../../src/adapters/push/webhook-sender.js';
import type { WebhookDefinition } from '../../../src/domain/crawl/sink-definition.js';
import { SINK_TYPES, type SinkType } from '../../../src/domain/push/sink-types.js';
import { Secret } from '../../../src/domain/secret.js';
import { milliseconds } from '../../../src/domain/time/units.js';
import { readOidcOptions } from '../../../src/server/sign-in/oidc-options.js';
import { OpenIdProvider } from '../../../src/server/sign-in/openid-provider.js';
import { fetcherDefinition } from '../../support/fetcher-definition.js';
import { ManualClock } from '../../support/manual-clock.js';
import { addOrder, sinkDefinition, stillWanted } from '../../support/push-orders.js';

const MEBIBYTE = 1 << 20;
/** Sent if nobody hangs up. */
const ENDLESS = 256 * MEBIBYTE;

/** A server whose answer to everything does not end until the client hangs up; resolves then with how much it sent. */
async function serveEndlessly(): Promise<{ readonly url: string; readonly sent: Promise<number> }> {
  const done = Promise.withResolvers<number>();
  const chunk = Buffer.alloc(1 << 16, ' ');
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    let bytes = 0;
    const end = (): void => done.resolve(bytes);
    const sendOn = (error?: Error | null): void => {
      if (error || bytes >= ENDLESS) end();
      else {
        bytes += chunk.length;
        response.write(chunk, sendOn);
      }
    };
    response.on('close', end).on('error', end);
    response.writeHead(200, { 'content-type': 'application/json' });
    sendOn();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent: done.promise };
}

const SIGNAL = new AbortController().signal;

const fetchUpTo =
  (maxSize: number) =>
  (url: string): Promise<unknown> =>
    new HttpFetcher([fetcherDefinition()]).fetch({ url: `${url}/`, fetcher: 'default', maxSize });

/** Each with the most that it may read, in MiB, beside what the buffers of two sockets hold. */
const COUNTERPARTS: Readonly<Record<string, readonly [number, (url: string) => Promise<unknown>]>> = {
  'an identity provider': [
    1,
    (url) => {
      const env = { CRAWLWAY_OIDC_ISSUER: url, CRAWLWAY_OIDC_CLIENT_ID: 'c', CRAWLWAY_OIDC_ROLES: '*:read' };
      return new OpenIdProvider(readOidcOptions(env)!, new ManualClock()).beginSignIn(`${url}/callback`, '/');
    },
  ],
  'a Tika server': [
    64,
    (url) =>
      createTikaExtractor({ type: 'tika', url, mediaTypes: ['application/pdf'], timeLimit: milliseconds(60_000) }, {
        extract: ({ length }: Buffer) => ({ refused: 'extract-corrupt', detail: `${length}` }),
      } as never).extract(Buffer.from('x'), 'application/pdf', {} as never, SIGNAL),
  ],
  'a receiver of webhooks': [
    64,
    (url) => {
      const { name, timeout, allowedAddresses, place } = sinkDefinition({ type: 'json', url, options: {} });
      const secret = new Secret('whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0');
      const definition = { name, url, timeout, allowedAddresses, place, secret } as WebhookDefinition;
      return new WebhookSender(definition).send({ id: '1', body: '{}' }, SIGNAL);
    },
  ],
  'a collector of OTLP': [4, (url) => new Promise((resolve) => new OTLPTraceExporter({ url }).export([], resolve))],
  'a hub, or the file of a key': [1, fetchUpTo(16_384)],
  'a token endpoint': [1, fetchUpTo(256 * 1024)],
};

it.each(Object.entries(COUNTERPARTS))('of %s are cut off', async (_, [limit, request]) => {
  const { url, sent } = await serveEndlessly();
  await request(url).catch(() => undefined);
  expect((await sent) / MEBIBYTE).toBeLessThan(limit + 16);
});

const HTTP_SINKS = (Object.keys(SINK_TYPES) as SinkType[]).filter((type) => SINK_TYPES[type].address === 'http');

it.each(HTTP_SINKS)('of a sink of the type %s are cut off', async (type) => {
  const { url, sent } = await serveEndlessly();
  const sink = createSink(sinkDefinition({ type, url, options: { index: 'pages' } as never }));
  onTestFinished(() => sink.close());
  await sink.deliver([addOrder('http://a.example/')], stillWanted()).catch(() => undefined);
  expect((await sent) / MEBIBYTE).toBeLessThan(64 + 16);
});
