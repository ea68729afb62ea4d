import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import { milliseconds } from '../../domain/time/units.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';

const ca = authority('Test Authority');
const identity = ca.issue(['127.0.0.1']);

type Respond = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

const version: Respond = (request, response) => void response.end(`HTTP/${request.httpVersion}`);

/** With `allowHTTP1`, serves both versions; without it, a handshake that offers only HTTP/1.1 fails. */
async function http2Server(respond: Respond, options: SecureServerOptions = {}) {
  const server: Http2SecureServer = createSecureServer({ ...identity, ...options }, respond);
  const seen = { connections: 0, sessions: 0 };
  const sockets = new Set<TLSSocket>();
  server.on('connection', () => seen.connections++);
  server.on('secureConnection', (socket: TLSSocket) => sockets.add(socket.on('error', () => undefined)));
  server.on('session', () => seen.sessions++);
  server.on('sessionError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { seen, sockets, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const asker = (parts: Partial<FetcherDefinition> = {}) => {
  const fetcher = testFetcher({ certificateAuthorities: [ca.cert], ...parts });
  return (url: string, request: Partial<FetchRequest> = {}) => fetcher.fetch({ url, fetcher: 'default', ...request });
};
const preferring = (parts: Partial<FetcherDefinition> = {}) => asker({ prefersHttp2: true, ...parts });

describe('the version of HTTP', () => {
  it('is 1.1 with a server that supports both, and 2 if the fetcher prefers it', async () => {
    const { url } = await http2Server(version, { allowHTTP1: true });
    expect(inShort(await asker()(url))).toBe('200 HTTP/1.1');
    expect(inShort(await preferring()(url))).toBe('200 HTTP/2.0');
  });

  it('is 2 with a server that refuses 1.1, which is not offered to it again', async () => {
    const { url, seen } = await http2Server(version);
    const ask = asker();
    for (let n = 0; n < 3; n++) expect(inShort(await ask(url))).toBe('200 HTTP/2.0');
    expect(seen).toEqual({ connections: 2, sessions: 1 });
  });

  it('is 1.1 with a server that does not support 2, which is not offered to it again', async () => {
    const offers: string[][] = [];
    const ALPNCallback = ({ protocols }: { protocols: string[] }): string => {
      offers.push(protocols);
      return 'http/1.1';
    };
    const site = await testServer(always(answer('plain')), { tls: { ...identity, ALPNCallback } });
    const ask = preferring();
    for (let n = 0; n < 3; n++) expect(inShort(await ask(site.url))).toBe('200 plain');
    expect(offers).toEqual([['h2', 'http/1.1'], ['http/1.1']]);
  });

  it('is 1.1 for resources that an HTTP/2 server serves over 1.1 only', async () => {
    const { url } = await http2Server(
      (request, response) => {
        if (request.httpVersionMajor === 2) response.stream.close(13);
        else version(request, response);
      },
      { allowHTTP1: true },
    );
    const ask = preferring();
    for (let n = 0; n < 2; n++) expect(inShort(await ask(url))).toBe('200 HTTP/1.1');
  });

  it('is 1.1 without TLS', async () => {
    const site = await testServer(always(answer('plain')));
    expect(inShort(await preferring()(site.url))).toBe('200 plain');
    expect(site.connections).toBe(1);
  });
});

describe('requests and responses over HTTP/2', () => {
  const dump: Respond = (request, response) => {
    const own = Object.entries({ ...request.headers }).filter(([name]) => !/^:|^(?:host|connection)$/.test(name));
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () =>
      response.end(JSON.stringify([request.method, request.url, request.authority, Object.fromEntries(own), body])),
    );
  };
  const parts = { headers: { Connection: 'close', 'X-Own': 'ä' } };

  it.each<[string, Partial<FetchRequest>]>([
    ['a page', { ifNoneMatch: '"1"', session: { cookies: 'a=b; c=d' } }],
    ['a form', { method: 'POST', body: Buffer.from('a=b'), headers: { 'content-type': 'text/plain' } }],
  ])('send %s like HTTP/1.1', async (_, request) => {
    const { url } = await http2Server(dump, { allowHTTP1: true });
    const [one, two] = [await asker(parts)(`${url}a?b=c`, request), await preferring(parts)(`${url}a?b=c`, request)];
    const read = (outcome: typeof one) => {
      const [method, path, , headers, body] = JSON.parse(inShort(outcome).slice(4));
      delete headers['content-length'];
      return [method, path, headers, body];
    };
    expect(read(two)).toEqual(read(one));
    expect(read(two)[1]).toBe('/a?b=c');
  });

  it('have headers and body like HTTP/1.1', async () => {
    const { url } = await http2Server(
      (request, response) => {
        if (request.httpVersionMajor === 2) response.stream.additionalHeaders({ ':status': 103, link: '<early>' });
        response.writeHead(203, {
          'content-encoding': 'gzip',
          etag: '"\xfc"',
          date: 'Mon, 23 Nov 2026 20:30:16 GMT',
          link: ['<a>; rel="next"', '<b>'],
          location: Buffer.from('/grün').toString('latin1'),
          'set-cookie': ['a=b', 'c=d', 'e=f'],
        });
        response.end(gzipSync('text '.repeat(20_000)));
      },
      { allowHTTP1: true },
    );
    const [one, two] = [await asker()(url), await preferring()(url)];
    if (one.kind !== 'response' || two.kind !== 'response') throw new Error('no answer');
    expect(two).toMatchObject({ status: 203, address: '127.0.0.1', transferred: one.transferred });
    expect(two.headers).toMatchObject({ etag: '"\xfc"', link: '<a>; rel="next"\n<b>', 'set-cookie': 'a=b\nc=d\ne=f' });
    for (const name of Object.keys(two.headers)) expect([name, two.headers[name]]).toEqual([name, one.headers[name]]);
    expect(Buffer.from(two.body).equals(Buffer.from(one.body))).toBe(true);
    expect(two.body.length).toBe(100_000);
    expect(two.timings.connect).toBeGreaterThan(0);
  });

  it('share one connection, and get another one after the server has closed it', async () => {
    const { url, seen, sockets } = await http2Server(version);
    const ask = preferring();
    for (let n = 0; n < 5; n++) await ask(url);
    expect(seen.sessions).toBe(1);
    for (const socket of sockets) socket.destroy();
    expect(inShort(await ask(url))).toBe('200 HTTP/2.0');
    expect(seen.sessions).toBe(2);
  });

  it('use one connection each when concurrent', async () => {
    const waiting: Http2ServerResponse[] = [];
    const { url, seen } = await http2Server((_, response) => {
      waiting.push(response);
      if (waiting.length === 3) for (const one of waiting) one.end('x');
    });
    const ask = preferring();
    await Promise.all([ask(url), ask(url), ask(url)]);
    expect(seen.sessions).toBe(3);
  });

  it('check addresses, and present the certificate of a login', async () => {
    const { url } = await http2Server(
      (request, response) => void response.end(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN)),
      { ca: ca.cert, requestCert: true, rejectUnauthorized: false },
    );
    expect(inShort(await preferring({ allowedAddresses: [] })(url))).toBe('failure address-forbidden');
    const { cert: certificate, key } = ca.issue(['robot']);
    const ask = preferring();
    expect(inShort(await ask(url))).toBe('200 undefined');
    expect(inShort(await ask(url, { session: { login: 'a', certificate: { certificate, key } } }))).toBe('200 robot');
    expect(inShort(await ask(url))).toBe('200 undefined');
  });

  it('are bounded in size', async () => {
    const { url } = await http2Server((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const ask = preferring();
    expect(inShort(await ask(url))).toBe('failure body-too-large');
    const head = await ask(url, { truncate: true, maxSize: 1_000 });
    expect(head.kind === 'response' && head.body.length).toBe(1_000);
  });

  it('are bounded in time', async () => {
    const SHORT = milliseconds(60);
    const { url } = await http2Server((request, response) => {
      if (request.url === '/body') response.write('hel');
    });
    expect(await preferring({ headerTimeout: SHORT })(url)).toMatchObject({ code: 'read-timeout', detail: /header/ });
    expect(await preferring({ bodyTimeout: SHORT })(`${url}body`)).toMatchObject({
      code: 'read-timeout',
      detail: /body/,
    });
  });
});

// ── frames by hand ───────────────────────────────────────────────────────────────────────────────────────────────────

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PUSH_PROMISE = 5;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;
const END_STREAM = 1;
const END_HEADERS = 4;
/** `:status: 200` of the static table (RFC 7541, A). */
const OK = Buffer.of(0x88);

function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function length(value: number): Buffer {
  if (value < 127) return Buffer.of(value);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.of(...bytes, rest);
}

/** A literal field (RFC 7541, 6.2), which is added to the table if it is `indexed`. */
const field = (name: string, value: string, indexed = false): Buffer =>
  Buffer.concat([
    Buffer.of(indexed ? 0x40 : 0),
    length(name.length),
    Buffer.from(name),
    length(value.length),
    Buffer.from(value, 'latin1'),
  ]);

/** A header section in as many frames as it takes. */
function headers(block: Buffer): Buffer {
  const pieces = Array.from({ length: Math.ceil(block.length / 16_000) }, (_, i) =>
    block.subarray(i * 16_000, (i + 1) * 16_000),
  );
  return Buffer.concat(
    pieces.map((piece, i) => frame(i ? CONTINUATION : HEADERS, i === pieces.length - 1 ? END_HEADERS : 0, 1, piece)),
  );
}

const error = (code: number): Buffer => Buffer.of(0, 0, 0, code);
const goaway = (last: number, code: number): Buffer => frame(GOAWAY, 0, 0, Buffer.concat([error(last), error(code)]));
const answerHead = frame(HEADERS, END_HEADERS, 1, OK);

/**
 * Sends `bytes` after the first request on each connection, and then `again` repeatedly until no one is reading any
 * more.
 */
async function framesServer(bytes: Buffer, again?: Buffer) {
  const poured = again && Buffer.concat(Array.from({ length: 1_000 }, () => again));
  const closed = Promise.withResolvers<void>();
  const server = createTlsServer({ ...identity, ALPNProtocols: ['h2'] }, (socket) => {
    let isAsked = false;
    socket.on('error', () => undefined).on('close', closed.resolve);
    onTestFinished(() => void socket.destroy());
    socket.write(Buffer.concat([frame(SETTINGS, 0, 0), frame(SETTINGS, 1, 0)]));
    const more = (): void => {
      while (poured && !socket.destroyed && socket.write(poured));
    };
    socket.on('drain', more);
    socket.on('data', (chunk: Buffer) => {
      // The preface and the settings are shorter than a request.
      if (isAsked || chunk.length < 60) return;
      isAsked = true;
      socket.write(bytes, more);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed: closed.promise };
}

const fields = (count: number): Buffer =>
  Buffer.concat([OK, ...Array.from({ length: count }, (_, i) => field(`x-${i}`, 'y'))]);
/** One table entry of 4,000 bytes, and one byte for each of its repetitions. */
const bomb = Buffer.concat([OK, field('x', 'y'.repeat(4_000), true), Buffer.alloc(20_000, 0xbe)]);

describe('a hostile HTTP/2 server leads to a failure with its own error code', () => {
  it.each<[string, string, Buffer, Buffer?]>([
    ['too many header fields', 'connection-reset', headers(fields(3_000))],
    ['a header field that is too long', 'protocol', headers(Buffer.concat([OK, field('x', 'y'.repeat(100_000))]))],
    ['a header that grows when it is unpacked', 'connection-reset', headers(bomb)],
    ['a header without end', 'protocol', frame(HEADERS, 0, 1, OK), frame(CONTINUATION, 0, 1, field('a', 'b'))],
    [
      'interim answers without end',
      'protocol',
      Buffer.alloc(0),
      frame(HEADERS, END_HEADERS, 1, field(':status', '103')),
    ],
    ['settings without end', 'protocol', answerHead, frame(SETTINGS, 0, 0)],
    ['pings without end', 'protocol', answerHead, frame(PING, 0, 0, Buffer.alloc(8))],
    ['windows without end', 'protocol', answerHead, frame(WINDOW_UPDATE, 0, 1, error(1))],
    ['empty pieces of a body without end', 'protocol', answerHead, frame(DATA, 0, 1)],
    ['a body beyond its window', 'protocol', answerHead, frame(DATA, 0, 1, Buffer.alloc(10_000, 'x'))],
    ['a page that nobody asked for', 'protocol', frame(PUSH_PROMISE, END_HEADERS, 1, Buffer.of(0, 0, 0, 2, 0x88))],
    ['a reset of each request', 'connection-reset', frame(RST_STREAM, 0, 1, error(8))],
    ['a request to be calm', 'connection-reset', frame(RST_STREAM, 0, 1, error(11))],
    ['a refusal', 'connection-reset', frame(RST_STREAM, 0, 1, error(7))],
    ['a farewell', 'connection-reset', goaway(0, 0)],
    ['a farewell for want of calm', 'connection-reset', goaway(0, 11)],
    ['a reset in the body', 'body-truncated', Buffer.concat([answerHead, frame(RST_STREAM, 0, 1, error(2))])],
    [
      'a body shorter than announced',
      'body-truncated',
      Buffer.concat([
        headers(Buffer.concat([OK, field('content-length', '10')])),
        frame(DATA, END_STREAM, 1, Buffer.of(1)),
      ]),
    ],
    ['another protocol', 'protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('%s: %s', async (_, code, bytes, again) => {
    const outcome = await preferring()((await framesServer(bytes, again)).url);
    expect(outcome).toMatchObject({ kind: 'failure', code });
    expect(process.memoryUsage.rss()).toBeLessThan(1_500_000_000);
  });

  it('endless frames on an idle connection close it, and the next page gets another one', async () => {
    const page = Buffer.concat([answerHead, frame(DATA, END_STREAM, 1, Buffer.from('x'))]);
    const { url, closed } = await framesServer(page, frame(WINDOW_UPDATE, 0, 1, error(1)));
    const ask = preferring();
    expect(inShort(await ask(url))).toBe('200 x');
    await closed;
    expect(inShort(await ask(url))).toBe('200 x');
  });
});
