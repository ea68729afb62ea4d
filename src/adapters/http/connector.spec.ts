import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import { milliseconds } from '../../domain/time/units.js';
import type { Lookup } from './dns-cache.js';

const failing =
  (code: string): Lookup =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));
const naming =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const fetchWith = async (url: string, lookup: Lookup | undefined, parts: Partial<FetcherDefinition> = {}) =>
  inShort(await testFetcher(parts, { lookup }).fetch({ url, fetcher: 'default' }));

describe('addresses that are not public', () => {
  it.each([
    'http://127.0.0.2/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:7f00:2]/',
    'http://[fd00::1]/',
    'http://2130706434/',
    'http://0x7f.2/',
    'http://0/',
    'https://192.168.0.1/',
  ])('are refused when written in the URL: %s', async (url) =>
    expect(await fetchWith(url, undefined)).toBe('failure address-forbidden'),
  );

  it('are refused when a name resolves to them, also to one among public addresses', async () => {
    expect(await fetchWith('http://evil.example/', naming('10.1.2.3'))).toBe('failure address-forbidden');
    expect(await fetchWith('http://evil.example/', naming('93.184.216.34', '127.0.0.2'))).toBe(
      'failure address-forbidden',
    );
    expect(await fetchWith('http://evil.example/', naming('::ffff:10.0.0.1'))).toBe('failure address-forbidden');
    expect(await fetchWith('http://localhost/', undefined, { allowedAddresses: [] })).toBe('failure address-forbidden');
  });

  it('are reached when their block is allowed', async () => {
    const site = await testServer(always(answer('inside')));
    expect(await fetchWith(`http://intranet.example:${site.port}/`, naming('127.0.0.1'))).toBe('200 inside');
    expect(await fetchWith(site.url, undefined, { allowedAddresses: ['10.0.0.0/8'] })).toBe(
      'failure address-forbidden',
    );
    const ofPublicPage = { url: site.url, fetcher: 'default', publicOnly: true };
    expect(inShort(await testFetcher().fetch(ofPublicPage))).toBe('failure address-forbidden');
  });

  it('are refused on every new connection, although the name resolved to public ones before', async () => {
    const site = await testServer((socket) => socket.end(answer('first', 'Connection: close')));
    let asked = 0;
    const rebinding: Lookup = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    let now = 0;
    const fetcher = testFetcher({}, { lookup: rebinding, now: () => now });
    const url = `http://evil.example:${site.port}/`;
    expect(inShort(await fetcher.fetch({ url, fetcher: 'default' }))).toBe('200 first');
    now = 3_600_000;
    expect(inShort(await fetcher.fetch({ url, fetcher: 'default' }))).toBe('failure address-forbidden');
    expect(asked).toBe(2);
  });

  it('are not reached through a redirect, which is never followed', async () => {
    const site = await testServer(
      always('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2/\r\nContent-Length: 0\r\n\r\n'),
    );
    expect(await fetchWith(site.url, undefined)).toBe('302');
  });
});

describe('names', () => {
  it.each([
    ['ENOTFOUND', 'dns-not-found'],
    ['ENODATA', 'dns-not-found'],
    ['EAI_AGAIN', 'dns-no-answer'],
    ['SERVFAIL', 'dns-no-answer'],
    ['ETIMEOUT', 'dns-no-answer'],
  ])('ending in %s are %s', async (code, expected) =>
    expect(await fetchWith('http://a.example/', failing(code))).toBe(`failure ${expected}`),
  );

  it('without an address do not exist', async () => {
    expect(await fetchWith('http://a.example/', naming())).toBe('failure dns-not-found');
  });

  it('that are not resolved in time are a temporary failure', async () => {
    const never: Lookup = () => new Promise(() => {});
    expect(await fetchWith('http://a.example/', never, { connectTimeout: milliseconds(40) })).toBe(
      'failure dns-no-answer',
    );
  });

  it('with several addresses are reached at the first one that responds', async () => {
    const site = await testServer(always(answer('here')));
    expect(
      await fetchWith(`http://a.example:${site.port}/`, naming('127.0.0.9', '127.0.0.1'), {
        allowedAddresses: ['127.0.0.0/8'],
      }),
    ).toBe('200 here');
  });

  it('are refused when all their addresses refuse the connection', async () => {
    const site = await testServer(always(answer('here')));
    await site.close();
    expect(
      await fetchWith(`http://a.example:${site.port}/`, naming('127.0.0.1', '127.0.0.9'), {
        allowedAddresses: ['127.0.0.0/8'],
      }),
    ).toBe('failure connection-refused');
  });

  it('are resolved for address rules too', async () => {
    const fetcher = testFetcher({}, { lookup: naming('10.0.0.1', '10.0.0.2') });
    expect(await fetcher.resolve('a.example')).toBe('10.0.0.1');
    expect(await fetcher.resolve('[::1]')).toBe('::1');
    expect(await testFetcher({}, { lookup: failing('ENOTFOUND') }).resolve('a.example')).toBeUndefined();
  });
});

describe('TLS', () => {
  const trusted = authority('Test Authority');
  const stranger = authority('Stranger');
  const over = async (identity: { cert: string; key: string }, parts: Partial<FetcherDefinition> = {}) => {
    const site = await testServer(always(answer('safe')), { tls: identity });
    return fetchWith(`https://site.example:${site.port}/`, naming('127.0.0.1'), {
      certificateAuthorities: [trusted.cert],
      ...parts,
    });
  };

  it('connects to a server with a valid certificate', async () => {
    expect(await over(trusted.issue(['site.example']))).toBe('200 safe');
  });

  it('connects to an IP address that the certificate names', async () => {
    const site = await testServer(always(answer('safe')), { tls: trusted.issue(['127.0.0.1']) });
    expect(await fetchWith(site.url, undefined, { certificateAuthorities: [trusted.cert] })).toBe('200 safe');
  });

  // Under TLS 1.2, the server only reports that the handshake failed.
  it('has its own error code for a server that requires a client certificate under TLS 1.3', async () => {
    const site = await testServer(always(answer('safe')), {
      tls: { ...trusted.issue(['site.example']), requestCert: true, ca: trusted.cert, minVersion: 'TLSv1.3' },
    });
    const fetcher = testFetcher({ certificateAuthorities: [trusted.cert] }, { lookup: naming('127.0.0.1') });
    const outcome = await fetcher.fetch({ url: `https://site.example:${site.port}/`, fetcher: 'default' });
    expect(outcome).toMatchObject({ kind: 'failure', code: 'tls-client-certificate' });
    expect((outcome as { detail: string }).detail).toMatch(/requires a client certificate \(ERR_SSL_/);
  });

  it.each([
    ['expired', trusted.issue(['site.example'], { from: -30, to: -1 }), 'tls-expired'],
    ['not yet valid', trusted.issue(['site.example'], { from: 1, to: 30 }), 'tls-expired'],
    ['for another name', trusted.issue(['other.example']), 'tls-name'],
    ['of an unknown authority', stranger.issue(['site.example']), 'tls-untrusted'],
    ['signed by itself', stranger, 'tls-untrusted'],
  ])('has its own error code for a certificate that is %s', async (_, identity, code) => {
    expect(await over(identity)).toBe(`failure ${code}`);
  });

  it('connects to any server when verification is off', async () => {
    expect(await over(stranger.issue(['other.example'], { from: -30, to: -1 }), { verifyCertificates: false })).toBe(
      '200 safe',
    );
  });

  it('fails with a server that does not support it', async () => {
    const site = await testServer(() => {});
    const plain = createServer((_, response) => response.end('plain')).listen(0, '127.0.0.1');
    onTestFinished(() => void plain.close());
    await once(plain, 'listening');
    expect(await fetchWith(`https://127.0.0.1:${(plain.address() as AddressInfo).port}/`, undefined)).toBe(
      'failure tls-failed',
    );
    expect(await fetchWith(site.url.replace('http', 'https'), undefined, { connectTimeout: milliseconds(60) })).toBe(
      'failure connect-timeout',
    );
  });

  it('fails with a server that supports obsolete versions only', async () => {
    const identity = trusted.issue(['site.example']);
    const site = await testServer(always(answer('old')), {
      tls: { ...identity, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
    });
    expect(
      await fetchWith(`https://site.example:${site.port}/`, naming('127.0.0.1'), {
        certificateAuthorities: [trusted.cert],
      }),
    ).toBe('failure tls-failed');
  });

  it('reuses connections and reads leniently too', async () => {
    const site = await testServer((socket) => socket.end('HTTP/1.1 200 OK\n\nodd'), {
      tls: trusted.issue(['site.example']),
    });
    expect(
      await fetchWith(`https://site.example:${site.port}/`, naming('127.0.0.1'), {
        certificateAuthorities: [trusted.cert],
      }),
    ).toBe('200 odd');
  });
});
