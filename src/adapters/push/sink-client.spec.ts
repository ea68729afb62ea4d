import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sinkDefinition, stillWanted } from '../../../test/support/push-orders.js';
import { always, answer, type Respond, rawServer } from '../../../test/support/raw-server.js';
import { parseRetryAfter, SinkClient } from './sink-client.js';

/** A sink that answers like this. */
async function sinkWith(respond: Respond) {
  const server = await rawServer(respond);
  const client = new SinkClient(sinkDefinition({ type: 'papi', url: `http://127.0.0.1:${server.port}/` }));
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, client };
}

it.each([
  { reads: 'the whole body', size: 1_000, sent: true },
  { reads: 'nothing of a large body before it answers', size: 64 << 20, sent: false },
])('a body counts as sent when it has been written: the server reads $reads', async ({ size, sent }) => {
  const { client } = await sinkWith((socket) => {
    if (!sent) socket.pause();
    socket.write(answer('taken'));
  });
  let reported = false;
  const bodySent = (): void => {
    reported = true;
  };
  const request = { method: 'POST', path: '', body: Buffer.alloc(size, 'x'), onBodySent: bodySent } as const;
  expect((await client.request(request, stillWanted())).body).toBe('taken');
  expect(reported).toBe(sent);
});

describe('a response', () => {
  const GET = { method: 'GET', path: 'list', query: { from: 'a b&c', size: '10' } } as const;

  it('is decoded as its header says, whether it is read as a whole or as it arrives', async () => {
    const body = gzipSync('two lines\nof a listing').toString('latin1');
    const { server, client } = await sinkWith(always(answer(body, 'content-encoding: gzip')));
    expect((await client.request(GET, stillWanted())).body).toBe('two lines\nof a listing');
    let text = '';
    for await (const chunk of await client.stream(GET, stillWanted())) text += chunk;
    expect(text).toBe('two lines\nof a listing');
    expect(server.requests[0]).toContain('GET /list?from=a+b%26c&size=10 HTTP/1.1');
  });

  it('without a body may have a header that says how it is encoded', async () => {
    const { client } = await sinkWith(always(answer('', 'content-encoding: gzip')));
    expect(await client.request({ method: 'HEAD', path: '' }, stillWanted())).toMatchObject({ status: 200, body: '' });
  });

  it.each([
    ['that ends too early', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'before its response was complete'],
    ['that is encoded otherwise', answer('plain', 'content-encoding: gzip'), 'not encoded as'],
    ['that is not HTTP', 'HELLO\r\n\r\n', 'not valid HTTP'],
  ])('%s makes the sink unavailable', async (_, text, message) => {
    const { client } = await sinkWith((socket) => socket.end(text, 'latin1'));
    await expect(client.request(GET, stillWanted())).rejects.toThrow(message);
  });
});

const NOW = Date.parse('Fri, 20 Nov 2026 10:00:00 GMT');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['99999999999', 86_400_000],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});
