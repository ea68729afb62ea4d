import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addOrder, deleteOrder, sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { answer, rawServer } from '../../../test/support/raw-server.js';
import { startElasticsearchReceiver } from '../../../test/support/receivers/elasticsearch-receiver.js';
import { startReceiver } from '../../../test/support/receivers/http-receiver.js';
import type { WebhookDefinition } from '../../domain/crawl/sink-definition.js';
import { Secret } from '../../domain/secret.js';
import { SinkUnavailable } from '../../engine/ports/sink.js';
import { createSink } from './create-sink.js';
import { parseRetryAfter, SinkClient } from './sink-client.js';
import { WebhookSender } from './webhook-sender.js';

it.each([
  { reads: 'the whole body', size: 1_000, sent: true },
  { reads: 'nothing of a large body before it answers', size: 64 << 20, sent: false },
])('a body counts as sent when it has been written: the server reads $reads', async ({ size, sent }) => {
  const server = await rawServer((socket) => {
    if (!sent) socket.pause();
    socket.write(answer('taken'));
  });
  const client = new SinkClient(sinkDefinition({ type: 'papi', url: `http://127.0.0.1:${server.port}/` }));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  let reported = false;
  const bodySent = (): void => {
    reported = true;
  };
  const request = { method: 'POST', path: '', body: Buffer.alloc(size, 'x'), onBodySent: bodySent } as const;
  expect((await client.request(request, stillWanted())).body).toBe('taken');
  expect(reported).toBe(sent);
});

it.each(['closes', 'resets'])(
  'every request gets through to a server that %s each connection after one answer',
  async (how) => {
    const answered = new WeakSet<Socket>();
    const server = await rawServer((socket) => {
      if (answered.has(socket)) return void socket.resetAndDestroy();
      answered.add(socket);
      socket.write(answer('{"responseHeader": {"status": 0}}'));
      if (how === 'closes') socket.end();
    });
    const url = `http://127.0.0.1:${server.port}`;
    const sink = createSink(sinkDefinition({ type: 'solr', url, options: { index: 'a' } }));
    onTestFinished(async () => {
      await sink.close();
      await server.close();
    });
    const batch = [addOrder('http://a/'), deleteOrder('http://b/')];
    for (let i = 0; i < 3; i++) expect(await sink.deliver(batch, stillWanted())).toHaveLength(2);
  },
);

it('a new connection that is reset is not tried again at once', async () => {
  const server = await rawServer((socket) => void socket.resetAndDestroy());
  const client = new SinkClient(sinkDefinition({ type: 'json', url: `http://127.0.0.1:${server.port}/` }));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  await expect(client.request({ method: 'GET', path: '' }, stillWanted())).rejects.toThrow(SinkUnavailable);
  expect(server.connections).toBe(1);
});

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

it.each([
  ['of the URL', {}, basic('u:p@ss')],
  ['of the options, before those of the URL', { login: 'me', password: new Secret('mine') }, basic('me:mine')],
  ['of the options and the password of the URL', { login: 'me' }, basic('me:p@ss')],
  ['that are a key, before those of the URL', { apiKey: new Secret('key') }, 'Bearer key'],
])('credentials %s are sent, and never quoted', async (_, options, expected) => {
  const receiver = await startReceiver(() => ({ status: 503, body: 'busy '.repeat(1_000) }));
  const url = receiver.url.replace('//', '//u:p%40ss@');
  const client = new SinkClient(sinkDefinition({ type: 'json', url, options }));
  onTestFinished(() => client.close());
  const { message } = client.toUnavailable(await client.request({ method: 'GET', path: '' }, stillWanted()));
  expect(receiver.exchanges.map(({ headers }) => headers.authorization)).toEqual([expected]);
  expect(message).toMatch(/^sink main at http:\/\/127\.0\.0\.1:\d+: status 503: busy .{480,500}$/);
});

it('an answer longer than any sink sends is not read to its end', async () => {
  const server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
    for (let i = 0; i < 66; i++) socket.write(Buffer.alloc(1 << 20, 'x'));
    socket.end();
  });
  const client = new SinkClient(sinkDefinition({ type: 'json', url: `http://127.0.0.1:${server.port}/` }));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  await expect(client.request({ method: 'GET', path: '' }, stillWanted())).rejects.toThrow('larger than allowed');
});

describe('a web page with a good status, in place of the answer', () => {
  const LOGIN = '<?xml version="1.0"?>\n<!-- portal -->\n<!DOCTYPE html>\n<title>Sign in</title>';

  it.each([
    ['papi', {}],
    ['json', {}],
    ['solr', { index: 'pages' }],
    ['elasticsearch', { index: 'pages' }],
  ] as const)('acknowledges nothing, and leaves nothing behind: %s', async (type, options) => {
    let isPortal = true;
    const engine = type === 'elasticsearch' ? await startElasticsearchReceiver(type, 'pages') : undefined;
    const receiver = await startReceiver(async ({ method, path, query, headers, body }) => {
      if (path.endsWith('/get_current_session_id')) return { status: 200, body: '7' };
      if (isPortal) return { status: 200, body: LOGIN };
      if (!engine) return { status: 200, body: type === 'papi' ? '' : { responseHeader: { status: 0 } } };
      const content = body.length > 0 ? { body } : {};
      const url = `${engine.url}${path}?${query}`;
      const contentType = headers['content-type'];
      const fields = contentType ? { headers: { 'content-type': contentType } } : {};
      const response = await fetch(url, { method, ...content, ...fields });
      return { status: response.status, body: await response.text() };
    });
    const sink = createSink(sinkDefinition({ type, url: receiver.url, options }));
    onTestFinished(() => sink.close());
    const batch = [addOrder('http://a/'), deleteOrder('http://b/')];
    await expect(sink.deliver(batch, stillWanted())).rejects.toThrow(SinkUnavailable);
    // A page is no proof that the index is an alias, without which it would never be created.
    expect(receiver.exchanges.some(({ query }) => query.has('require_alias'))).toBe(false);
    isPortal = false;
    expect((await sink.deliver(batch, stillWanted())).map(({ state }) => state)).toEqual([
      'acknowledged',
      'acknowledged',
    ]);
  });
});

const NOW = Date.parse('Fri, 20 Nov 2026 10:00:00 GMT');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', undefined],
    ['0.5', undefined],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', undefined],
    ['99999999999', 86_400_000],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});

it.each([
  [204, true],
  [302, false],
  [500, false],
])('a webhook message that is answered with %s is delivered: %s', async (status, isDelivered) => {
  const receiver = await startReceiver(() => ({ status }));
  const settings = { ...sinkDefinition({ type: 'json', url: receiver.url }), secret: new Secret('whsec_c2VjcmV0') };
  const sender = new WebhookSender(settings as unknown as WebhookDefinition);
  onTestFinished(() => sender.close());
  const sending = sender.send({ id: 'm1', body: '{}' }, stillWanted());
  if (isDelivered) await sending;
  else await expect(sending).rejects.toThrow(`status ${status}`);
});
