/**
 * What a person reads about a fault, over real sockets: a sentence with a next step, and the library's error code in
 * brackets.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer, type Respond } from '../../../test/support/raw-server.js';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import { milliseconds } from '../../domain/time/units.js';
import type { Lookup } from './dns-cache.js';

const trusted = authority('Test Authority');
const here: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];
const nowhere =
  (code: string): Lookup =>
  async () => {
    throw Object.assign(new Error(`getaddrinfo ${code} site.example`), { code });
  };

async function detail(url: string, lookup: Lookup, parts: Partial<FetcherDefinition> = {}): Promise<string> {
  const fetcher = testFetcher({ certificateAuthorities: [trusted.cert], ...parts }, { lookup });
  const outcome = await fetcher.fetch({ url, fetcher: 'default' });
  return outcome.kind === 'failure' ? outcome.detail : `status ${outcome.status}`;
}

const plain = async (respond: Respond, parts: Partial<FetcherDefinition> = {}): Promise<string> =>
  detail(`http://site.example:${(await testServer(respond)).port}/`, here, parts);

const secure = async (tls: { cert: string; key: string }): Promise<string> =>
  detail(`https://site.example:${(await testServer(always(answer('x')), { tls })).port}/`, here);

async function withoutTls(): Promise<string> {
  const server = createServer((_, response) => response.end('plain')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return detail(`https://site.example:${(server.address() as AddressInfo).port}/`, here);
}

async function refused(): Promise<string> {
  const site = await testServer(always(answer('x')));
  await site.close();
  return detail(`http://site.example:${site.port}/`, here);
}

const head = 'HTTP/1.1 200 OK\r\n';

const FAULTS: [string, () => Promise<string>, RegExp][] = [
  [
    'an expired certificate',
    () => secure(trusted.issue(['site.example'], { from: -30, to: -1 })),
    /^The server's certificate has expired \(CERT_HAS_EXPIRED\)\. Have the certificate renewed/,
  ],
  [
    'an unknown authority',
    () => secure(authority('Stranger').issue(['site.example'])),
    /^The server's certificate is signed by an unknown authority.* \(UNABLE_TO_\w+\)\. If you trust the authority, add it/,
  ],
  [
    'another name',
    () => secure(trusted.issue(['other.example'])),
    /^The server's certificate is for a different host name \(ERR_TLS_CERT_ALTNAME_INVALID\)\. Use a name/,
  ],
  ['no TLS', withoutTls, /^The server does not use TLS on this port \(\w+\)\. Use http instead/],
  [
    'a host that does not exist',
    () => detail('http://site.example/', nowhere('ENOTFOUND')),
    /^The host name site\.example does not exist \(ENOTFOUND\)\. Check its spelling\.$/,
  ],
  [
    'a silent resolver',
    () => detail('http://site.example/', nowhere('EAI_AGAIN')),
    /^No name server responded for site\.example \(EAI_AGAIN\)\. Check this machine's DNS resolver/,
  ],
  ['nobody listening', refused, /^Nothing is listening at this address and port \(ECONNREFUSED\)\. Check the port/],
  [
    'a reset',
    () => plain((socket: Socket) => socket.resetAndDestroy()),
    /^The server closed the connection before its response was complete \(\w+\)\. Check the log/,
  ],
  [
    'a time limit',
    () => plain(() => {}, { headerTimeout: milliseconds(60) }),
    /^The response header did not arrive within the time allowed\./,
  ],
  [
    'a bad chunk',
    () => plain((socket: Socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`)),
    /^(?:The size of a chunk in the response is not a number|The response contains an invalid chunk size)/,
  ],
  [
    'bad gzip',
    () => plain(always(answer('\x1f\x8bno gzip', 'content-encoding: gzip'))),
    /^The body is not encoded as the Content-Encoding header says \(Z_DATA_ERROR\)\. Ask the operator of the server/,
  ],
];

it.each(FAULTS)('%s', async (_, fails, sentence) => {
  const text = await fails();
  expect(text).toMatch(sentence);
  expect(text).not.toMatch(/error:[0-9A-F]{8}|routines|getaddrinfo|\.c:\d+|connect E/);
});
