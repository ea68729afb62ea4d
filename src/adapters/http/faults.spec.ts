import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { get, inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer, type Respond } from '../../../test/support/raw-server.js';
import { milliseconds } from '../../domain/time/units.js';

const SHORT = milliseconds(60);
const head = 'HTTP/1.1 200 OK\r\n';

/** Writes a piece again and again until the socket is gone. */
function pour(socket: Socket, piece: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece, 'latin1'));
  };
  socket.on('drain', more);
  more();
}

/** Writes one byte every few milliseconds until the socket is gone. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), 5);
  socket.on('close', () => clearInterval(timer));
}

it('a body in millions of tiny chunks takes little more memory than its bytes', async () => {
  const tiny = '1\r\nx\r\n'.repeat(20_000);
  const site = await testServer((socket) => {
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    let left = 100;
    const more = (): void => {
      while (!socket.destroyed && left-- > 0) if (!socket.write(tiny)) return;
      if (left < 0) socket.end('1000\r\n'.concat('y'.repeat(4096), '\r\n0\r\n\r\n'));
    };
    socket.on('drain', more);
    more();
  });
  const before = process.memoryUsage.rss();
  const outcome = await get(site.url, { maxSize: 4_000_000 });
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  if (outcome.kind !== 'response') throw new Error(outcome.detail);
  expect(Buffer.from(outcome.body).equals(Buffer.from('x'.repeat(2_000_000) + 'y'.repeat(4096)))).toBe(true);
});

it.each([
  ['interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)],
  ['interim responses that only the lenient parser reads', 'HTTP/1.1 100 Go on\n\n'.repeat(500)],
  ['blank lines before a response', '\r\n'.repeat(5_000)],
  ['extensions of chunks', `${head}transfer-encoding: chunked\r\n\r\n`, `1;${'a'.repeat(4_000)}\r\nx\r\n`],
])('endless %s end before the time for a response is over', async (_, start, piece = start) => {
  const site = await testServer((socket) => {
    socket.write(start);
    pour(socket, piece);
  });
  expect(await get(site.url)).toMatchObject({ code: 'protocol', detail: expect.stringContaining('flooding') });
});

describe('a hostile or broken server leads to a failure with its own error code', () => {
  const faults: [string, Respond, string][] = [
    ['an endless body', (socket) => pour(socket, 'x'.repeat(10_000)), 'body-too-large'],
    ['an endless chunked body', (socket) => pour(socket, `1000\r\n${'x'.repeat(4096)}\r\n`), 'body-too-large'],
    [
      'a body that is announced too large',
      (socket) => socket.write('content-length: 1000001\r\n\r\n'),
      'body-too-large',
    ],
    ['a header without end', (socket) => pour(socket, `X-Field: ${'x'.repeat(1000)}\r\n`), 'header-too-large'],
    ['one endless header field', (socket) => pour(socket, 'x'.repeat(10_000)), 'header-too-large'],
    ['countless small header fields', (socket) => pour(socket, 'a:b\r\n'.repeat(1000)), 'header-too-large'],
    [
      'endless trailers',
      (socket) => {
        socket.write('transfer-encoding: chunked\r\n\r\n0\r\n');
        pour(socket, `X-Trailer: ${'x'.repeat(1000)}\r\n`);
      },
      'header-too-large',
    ],
    ['a body shorter than announced', (socket) => socket.end('content-length: 10\r\n\r\nshort'), 'body-truncated'],
    [
      'a chunked body without its end',
      (socket) => socket.end('transfer-encoding: chunked\r\n\r\n5\r\nhel'),
      'body-truncated',
    ],
    [
      'a chunk size that is not a number',
      (socket) => socket.end('transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n'),
      'body-undecodable',
    ],
    [
      'a reset in the body',
      (socket) => {
        socket.write('content-length: 10\r\n\r\nshort');
        setImmediate(() => socket.resetAndDestroy());
      },
      'connection-reset',
    ],
    ['an end within the header', (socket) => socket.end('X-Field: 1\r\n'), 'connection-reset'],
  ];
  it.each(faults)('%s', async (_, respond, code) => {
    const endless = code === 'body-too-large' || code === 'header-too-large';
    const site = await testServer((socket, request, number) => {
      const header = /^an endless body$/.test(_)
        ? `${head}\r\n`
        : /^an endless chunked/.test(_)
          ? `${head}transfer-encoding: chunked\r\n\r\n`
          : /^one endless/.test(_)
            ? `${head}X-Field: `
            : head;
      socket.write(header);
      respond(socket, request, number);
    });
    const outcome = await get(site.url);
    expect(inShort(outcome)).toBe(`failure ${code}`);
    if (outcome.kind === 'failure') expect(outcome.detail.length).toBeLessThan(400);
    if (endless) expect(process.memoryUsage().rss).toBeLessThan(1_500_000_000);
  });

  it.each([
    ['closes without an answer', (socket: Socket) => socket.end(), 'connection-reset'],
    [
      'closes after an interim answer',
      (socket: Socket) => socket.end('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
      'connection-reset',
    ],
    ['resets', (socket: Socket) => socket.resetAndDestroy(), 'connection-reset'],
    ['speaks another protocol', (socket: Socket) => socket.end('220 mail.example ESMTP\r\n'), 'protocol'],
    [
      'answers with bytes at random',
      (socket: Socket) => socket.end(Buffer.from([0, 255, 1, 254, 22, 3, 1])),
      'protocol',
    ],
    [
      'switched protocols without being asked',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'protocol',
    ],
  ])('a server that %s', async (_, respond, code) => {
    const site = await testServer(respond);
    expect(inShort(await get(site.url))).toBe(`failure ${code}`);
  });

  it('nothing listens on the port', async () => {
    const site = await testServer(always(answer('x')));
    await site.close();
    expect(inShort(await get(site.url))).toBe('failure connection-refused');
  });
});

describe('timeouts', () => {
  it('end the wait for headers that never come', async () => {
    const site = await testServer(() => {});
    expect(await get(site.url, {}, { headerTimeout: SHORT })).toMatchObject({ code: 'read-timeout', detail: /header/ });
  });

  it('end the wait for a body that stops coming', async () => {
    const site = await testServer(always(`${head}content-length: 10\r\n\r\nhel`));
    expect(await get(site.url, { readTimeout: SHORT })).toMatchObject({ code: 'read-timeout', detail: /body/ });
  });

  it('end headers and a body that trickle for longer than the total timeout', async () => {
    for (const start of [head, `${head}content-length: 100000\r\n\r\n`]) {
      const site = await testServer((socket) => {
        socket.write(start);
        drip(socket, 'X-Drop: y\r\n');
      });
      expect(await get(site.url, { totalTimeout: SHORT })).toMatchObject({ code: 'read-timeout', detail: /total/ });
    }
  });

  it('do not end a slow body that keeps coming', async () => {
    const site = await testServer((socket) => {
      socket.write(`${head}content-length: 60\r\n\r\n`);
      drip(socket, 'x');
    });
    const outcome = await get(site.url, { readTimeout: milliseconds(200) });
    expect(inShort(outcome)).toBe(`200 ${'x'.repeat(60)}`);
  });

  it('do not turn an unfinished error page into another error', async () => {
    const site = await testServer(always('HTTP/1.1 404 Not Found\r\ncontent-length: 10\r\n\r\nhel'));
    expect(inShort(await get(site.url, { readTimeout: SHORT }))).toBe('404 hel');
  });
});

describe('responses that only a lenient parser can read', () => {
  it.each([
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 2\n\nok'],
    ['bare line feeds and an end by closing', 'HTTP/1.1 200 OK\nContent-Type: text/html\n\nok'],
    ['a carriage return missing in one line', 'HTTP/1.1 200 OK\r\nA: b\nContent-Length: 2\r\n\r\nok'],
    ['a status line without a reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok'],
    ['a status line of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok'],
    ['an unknown version', 'HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok'],
    ['a blank before a colon', 'HTTP/1.1 200 OK\r\nX-Field : a\r\nContent-Length: 2\r\n\r\nok'],
    ['control characters in a field', 'HTTP/1.1 200 OK\r\nX-Field: a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    [
      'both kinds of length',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['chunks without carriage returns', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\n0\n\n'],
    ['blanks behind a chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2  \r\nok\r\n0\r\n\r\n'],
  ])('%s', async (_, text) => {
    const site = await testServer((socket) => socket.end(text, 'latin1'));
    expect(inShort(await get(site.url))).toBe('200 ok');
  });

  it('make all later requests to their host lenient', async () => {
    const site = await testServer((socket) => socket.end('HTTP/1.1 200 OK\n\nok'));
    const fetcher = testFetcher();
    for (let n = 0; n < 3; n++)
      expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 ok');
    expect(site.requests).toHaveLength(4);
  });

  it('are bounded by the same limits', async () => {
    const start = 'HTTP/1.1 200 OK\n\n';
    const endless = await testServer((socket) => {
      socket.write(start);
      pour(socket, 'x'.repeat(10_000));
    });
    expect(inShort(await get(endless.url))).toBe('failure body-too-large');
    const flood = await testServer((socket) =>
      pour(
        socket.once('close', () => {}),
        'HTTP/1.1 200 OK\nX: y\n'.repeat(100),
      ),
    );
    expect(inShort(await get(flood.url))).toBe('failure header-too-large');
    const silent = await testServer(always('HTTP/1.1 200 OK\nContent-Length: 9\n\nshort'));
    expect(await get(silent.url, { readTimeout: SHORT })).toMatchObject({ code: 'read-timeout', detail: /body/ });
    const short = await testServer((socket) => socket.end('HTTP/1.1 200 OK\nContent-Length: 9\n\nshort'));
    expect(inShort(await get(short.url))).toBe('failure body-truncated');
  });

  it('are requested with the same headers', async () => {
    const site = await testServer((socket) => socket.end('HTTP/1.1 200 OK\n\nok'));
    await get(site.url, { ifNoneMatch: '"1"' });
    const fields = site.requests.map((request) =>
      request
        .toLowerCase()
        .split('\r\n')
        .sort()
        .filter((field) => !field.startsWith('connection')),
    );
    expect(fields[1]).toEqual(fields[0]);
  });
});

it('have an invalid status reported with what would be valid', async () => {
  const { url } = await testServer((socket) => void socket.end('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n'));
  expect(await get(url)).toMatchObject({ code: 'protocol', detail: expect.stringContaining('status code 099') });
});
