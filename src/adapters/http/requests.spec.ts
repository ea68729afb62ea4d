import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { get, inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';

const POST = { method: 'POST', body: Buffer.from('user=ann&password=ü') } as const;

/** A server that echoes requests; if `strange`, in a form that only the lenient parser can read. */
async function echo(strange = false): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = `${request.method} ${request.headers['cookie'] ?? '-'} ${await text(request)}`;
    if (strange) request.socket.end(`HTTP/1.1 200 OK\r\nX Y: z\r\n\r\n${body}`);
    else response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it.each([false, true])(
  'a request carries its method, its body and the cookies of its session (lenient: %s)',
  async (strange) => {
    const url = await echo(strange);
    const fetcher = testFetcher();
    const session = { cookies: 'id=1; theme=dark' };
    const outcome = await fetcher.fetch({ url, fetcher: 'default', session });
    expect(inShort(outcome)).toBe('200 GET id=1; theme=dark');
    const posted = await fetcher.fetch({ url, fetcher: 'default', ...POST, session });
    expect(inShort(posted)).toBe(`200 POST id=1; theme=dark ${POST.body.toString('latin1')}`);
  },
);

it('cookies that the fetcher always sends are sent beside those of a session', async () => {
  const url = await echo();
  const outcome = await get(url, { session: { cookies: 'id=1' } }, { headers: { Cookie: 'lang=en' } });
  expect(inShort(outcome)).toBe('200 GET lang=en; id=1');
});

it('a POST is sent once, even when its answer cannot be read strictly or the connection breaks', async () => {
  const strange = await testServer(always('HTTP/1.1 200 OK\r\nX Y: z\r\n\r\n'));
  expect(inShort(await get(strange.url, POST))).toBe('failure protocol');
  const broken = await testServer((socket, _, number) => (number === 1 ? socket.write(answer('1')) : socket.destroy()));
  const fetcher = testFetcher();
  await fetcher.fetch({ url: broken.url, fetcher: 'default' });
  expect(inShort(await fetcher.fetch({ url: broken.url, fetcher: 'default', ...POST }))).toBe(
    'failure connection-reset',
  );
  expect([strange.requests.length, broken.requests.length]).toEqual([1, 2]);
});
