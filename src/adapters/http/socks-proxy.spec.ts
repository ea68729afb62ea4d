import { describe, expect, it } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';
import { socksServer } from '../../../test/support/socks-server.js';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { HttpFetcherOptions } from './http-fetcher.js';

const noNames: HttpFetcherOptions['lookup'] = () =>
  Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }));
const loopback: HttpFetcherOptions['lookup'] = async () => [{ address: '127.0.0.1', family: 4 }];

const through = async (
  proxy: string,
  url: string,
  lookup: HttpFetcherOptions['lookup'],
  parts: Partial<FetcherDefinition> = {},
) => {
  const fetcher = testFetcher({ proxies: [{ url: proxy, noProxy: [] }], ...parts }, { lookup });
  return fetcher.fetch({ url, fetcher: 'default' });
};

describe('a SOCKS5 proxy', () => {
  it('that resolves names is sent the host name, for http and https pages', async () => {
    const trusted = authority('Test Authority');
    const plain = await testServer(always(answer('open')));
    const safe = await testServer(always(answer('safe')), { tls: trusted.issue(['site.example']) });
    const proxy = await socksServer({ login: 'user:p@ss' });
    const url = `socks5h://user:p%40ss@127.0.0.1:${proxy.port}`;
    const authorities = { certificateAuthorities: [trusted.cert] };
    expect(inShort(await through(url, `http://site.example:${plain.port}/`, noNames))).toBe('200 open');
    expect(inShort(await through(url, `https://site.example:${safe.port}/`, noNames, authorities))).toBe('200 safe');
    expect(proxy.seen).toEqual([`site.example:${plain.port}`, `site.example:${safe.port}`]);
  });

  it('that does not resolve names is sent an address that was checked', async () => {
    const site = await testServer(always(answer('here')));
    const proxy = await socksServer();
    const url = `socks5://127.0.0.1:${proxy.port}`;
    expect(inShort(await through(url, `http://site.example:${site.port}/`, loopback))).toBe('200 here');
    expect(proxy.seen).toEqual([`127.0.0.1:${site.port}`]);
    const strict = { allowedAddresses: [] };
    expect(inShort(await through(url, `http://site.example:${site.port}/`, loopback, strict))).toBe(
      'failure address-forbidden',
    );
    expect(proxy.seen).toHaveLength(1);
  });

  it('that resolves names is not sent those that are known to be private', async () => {
    const proxy = await socksServer();
    const url = `socks5h://127.0.0.1:${proxy.port}`;
    const outcome = await through(url, 'http://intranet.example/', async () => [{ address: '10.0.0.7', family: 4 }], {
      allowedAddresses: [],
    });
    expect(inShort(outcome)).toBe('failure address-forbidden');
    expect(inShort(await through(url, 'http://localhost/', noNames, { allowedAddresses: [] }))).toBe(
      'failure address-forbidden',
    );
    expect(proxy.seen).toEqual([]);
  });

  it.each([
    ['that refuses the login', { login: 'user:other' }],
    ['that connects to nothing', { login: 'user:secret', refuses: true }],
  ])('%s is a failure of the proxy, and its password is not shown', async (_, options) => {
    const proxy = await socksServer(options);
    const outcome = await through(`socks5h://user:secret@127.0.0.1:${proxy.port}`, 'http://site.example/', noNames);
    expect(inShort(outcome)).toBe('failure proxy-failed');
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  it('that is unreachable is a failure of the proxy', async () => {
    const gone = await testServer(always(answer('')));
    await gone.close();
    expect(inShort(await through(`socks5://127.0.0.1:${gone.port}`, 'http://127.0.0.1/', loopback))).toBe(
      'failure proxy-failed',
    );
  });
});
