import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';
import type { FetcherDefinition } from '../../domain/crawl/definition.js';

/** A machine that resolves no names itself. */
const noNames = () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }));

const fetchThrough = async (proxy: string, url: string, parts: Partial<FetcherDefinition> = {}) =>
  inShort(await testFetcher({ proxy, ...parts }, { lookup: noNames }).fetch({ url, fetcher: 'default' }));

describe('a proxy', () => {
  /** A forwarding and tunnelling proxy; every request line and Proxy-Authorization it saw. */
  async function testProxy(status = 200): Promise<{ url: string; seen: string[] }> {
    const seen: string[] = [];
    const proxy: Server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      response.end('forwarded');
    });
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url}`);
      if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      const server = connect(Number(request.url!.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        server.pipe(socket).pipe(server);
      });
      for (const end of [socket, server]) end.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { url: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, seen };
  }

  it('is asked for the whole URL of an http page, with its own credentials, without a lookup', async () => {
    const proxy = await testProxy();
    const outcome = await fetchThrough(`http://user:p%40ss@${proxy.url}`, 'http://site.example/a?b');
    expect(outcome).toBe('200 forwarded');
    expect(proxy.seen).toEqual([`GET http://site.example/a?b Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  });

  it('is asked for a tunnel to an https page', async () => {
    const trusted = authority('Test Authority');
    const site = await testServer(always(answer('safe')), { tls: trusted.issue(['site.example']) });
    const proxy = await testProxy();
    const outcome = await fetchThrough(`http://${proxy.url}`, `https://site.example:${site.port}/`, {
      certificateAuthorities: [trusted.cert],
    });
    expect(outcome).toBe('200 safe');
    expect(proxy.seen).toEqual([`CONNECT site.example:${site.port}`]);
  });

  it('that refuses the tunnel is a failure', async () => {
    const proxy = await testProxy(407);
    expect(await fetchThrough(`http://${proxy.url}`, 'https://site.example/')).toBe('failure proxy-failed');
  });

  it('is never asked for addresses that are not public', async () => {
    const proxy = await testProxy();
    const refused = ['http://10.0.0.1/', 'http://localhost/', 'https://a.localhost./', 'http://169.254.169.254/latest'];
    for (const url of refused)
      expect(await fetchThrough(`http://${proxy.url}`, url, { allowedAddresses: [] })).toBe(
        'failure address-forbidden',
      );
    expect(proxy.seen).toEqual([]);
  });

  it('is not asked for names that this machine knows to be private, unless they are allowed', async () => {
    const proxy = await testProxy();
    const lookup = async () => [{ address: '10.0.0.7', family: 4 }];
    const ask = async (allowedAddresses: readonly string[]) => {
      const settings = { proxy: `http://${proxy.url}`, allowedAddresses };
      const url = 'http://intranet.example/';
      return inShort(await testFetcher(settings, { lookup }).fetch({ url, fetcher: 'default' }));
    };
    expect(await ask([])).toBe('failure address-forbidden');
    expect(proxy.seen).toEqual([]);
    await ask(['10.0.0.0/8']);
    expect(proxy.seen).toHaveLength(1);
  });

  it('that is no URL is a failure which does not repeat it', async () => {
    const outcome = await testFetcher({ proxy: 'socks5://user:secret@x' }).fetch({
      url: 'http://a.example/',
      fetcher: 'default',
    });
    expect(inShort(outcome)).toBe('failure proxy-failed');
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});
