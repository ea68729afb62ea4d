import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer as createHttp2Server } from 'node:http2';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authority } from '../../../test/support/certificates.js';
import { inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import { milliseconds } from '../../domain/time/units.js';

/** Simulates a machine that cannot resolve names itself. */
const noNames = () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }));

const fetchThrough = async (proxy: string, url: string, parts: Partial<FetcherDefinition> = {}) =>
  inShort(
    await testFetcher({ proxies: [{ url: proxy, noProxy: [] }], ...parts }, { lookup: noNames }).fetch({
      url,
      fetcher: 'default',
    }),
  );

describe('a proxy', () => {
  /** A forwarding and tunnelling proxy; `seen` has every request line and Proxy-Authorization that it received. */
  async function testProxy(status = 200, tls?: ServerOptions): Promise<{ url: string; seen: string[] }> {
    const seen: string[] = [];
    const answering: RequestListener = (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      response.end('forwarded');
    };
    const proxy: Server = tls ? createSecureServer(tls, answering) : createServer(answering);
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
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

  it('is sent the absolute URL of an http page, with its own credentials, without a DNS lookup', async () => {
    const proxy = await testProxy();
    const outcome = await fetchThrough(`http://user:p%40ss@${proxy.url}`, 'http://site.example/a?b');
    expect(outcome).toBe('200 forwarded');
    expect(proxy.seen).toEqual([`GET http://site.example/a?b Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  });

  it('is asked for a tunnel for an https page, which does not see its credentials', async () => {
    const trusted = authority('Test Authority');
    const site = await testServer(always(answer('safe')), { tls: trusted.issue(['site.example']) });
    const proxy = await testProxy();
    const outcome = await fetchThrough(`http://user:p%40ss@${proxy.url}`, `https://site.example:${site.port}/`, {
      certificateAuthorities: [trusted.cert],
    });
    expect(outcome).toBe('200 safe');
    const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.seen).toEqual([`CONNECT site.example:${site.port} ${credentials}`]);
    expect(site.requests.join()).not.toMatch(/authorization/i);
  });

  it('is asked for a tunnel for an HTTP/2 site', async () => {
    const trusted = authority('Test Authority');
    const site = createHttp2Server(trusted.issue(['site.example']), (request, response) =>
      response.end(`HTTP/${request.httpVersion}`),
    );
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const proxy = await testProxy();
    const parts = { certificateAuthorities: [trusted.cert], prefersHttp2: true };
    expect(await fetchThrough(`http://${proxy.url}`, `https://site.example:${port}/`, parts)).toBe('200 HTTP/2.0');
    expect(proxy.seen).toEqual([`CONNECT site.example:${port}`]);
  });

  it('is connected by TLS when its URL says so, and its certificate is checked', async () => {
    const trusted = authority('Test Authority');
    const site = await testServer(always(answer('safe')), { tls: trusted.issue(['site.example']) });
    const proxy = await testProxy(200, trusted.issue(['127.0.0.1']));
    const trusting = { certificateAuthorities: [trusted.cert] };
    expect(await fetchThrough(`https://${proxy.url}`, 'http://site.example/', trusting)).toBe('200 forwarded');
    const secure = `https://site.example:${site.port}/`;
    expect(await fetchThrough(`https://${proxy.url}`, secure, trusting)).toBe('200 safe');
    expect(await fetchThrough(`https://${proxy.url}`, secure)).toBe('failure proxy-failed');
    expect(proxy.seen).toEqual(['GET http://site.example/', `CONNECT site.example:${site.port}`]);
  });

  it('is used for its prefix, and not for hosts that are excepted', async () => {
    const site = await testServer(always(answer('direct')));
    const [all, partner] = [await testProxy(), await testProxy()];
    const proxies = [
      { url: `http://${all.url}`, noProxy: ['127.0.0.0/8'] },
      { url: `http://${partner.url}`, for: 'http://partner.example/', noProxy: [] },
    ];
    const fetcher = testFetcher({ proxies }, { lookup: noNames });
    const ask = async (url: string) => inShort(await fetcher.fetch({ url, fetcher: 'default' }));
    expect(await ask(`${site.url}/`)).toBe('200 direct');
    expect(await ask('http://partner.example/a')).toBe('200 forwarded');
    expect(await ask('http://other.example/')).toBe('200 forwarded');
    expect([all.seen, partner.seen]).toEqual([['GET http://other.example/'], ['GET http://partner.example/a']]);
  });

  it('that refuses the tunnel is a failure', async () => {
    const proxy = await testProxy(407);
    expect(await fetchThrough(`http://${proxy.url}`, 'https://site.example/')).toBe('failure proxy-failed');
  });

  it.each([
    ['refuses by itself', '403 Forbidden', 'X-Squid-Error: ERR_ACCESS_DENIED 0', 'failure proxy-failed'],
    ['says so', '404 Not Found', 'Proxy-Status: p; error=http_request_denied', 'failure proxy-failed'],
    ['passes a refusal on', '403 Forbidden', 'Proxy-Status: p; received-status=403', '403 no'],
    [
      'comes after one of the site',
      '404 No',
      'Proxy-Status: c; error=destination_not_found; details="a, b", p',
      '404 no',
    ],
    ['cannot reach the site', '503 No', 'X-Squid-Error: ERR_CONNECT_FAIL 111', '503 no'],
  ])('that %s is told apart from the site', async (_, status, header, expected) => {
    const server = await testServer(always(answer('no', header).replace('200 OK', status)));
    expect(await fetchThrough(server.url, 'http://site.example/')).toBe(expected);
    expect(await fetchThrough('http://127.0.0.1:1', `${server.url}/`, { proxies: [] })).toBe(
      `${status.slice(0, 3)} no`,
    );
  });

  it.each(['http', 'socks5h'])(
    'that takes a connection over %s and then says nothing is a failure of its own',
    async (kind) => {
      const mute = await testServer(() => {});
      const proxy = mute.url.replace('http', kind);
      const parts = { connectTimeout: milliseconds(60) };
      expect(await fetchThrough(proxy, 'https://site.example/', parts)).toBe('failure proxy-failed');
    },
  );

  it('has refused nothing that has come through its tunnel, where a proxy of the site may say so', async () => {
    const trusted = authority('Test Authority');
    const refusal = answer('no', 'Proxy-Status: c; error=destination_not_found').replace('200 OK', '404 Not Found');
    const { port } = await testServer(always(refusal), { tls: trusted.issue(['site.example']) });
    const parts = { certificateAuthorities: [trusted.cert] };
    const proxy = await testProxy();
    expect(await fetchThrough(`http://${proxy.url}`, `https://site.example:${port}/`, parts)).toBe('404 no');
  });

  it('that answers something else than HTTP is a failure of its own', async () => {
    const proxy = await testServer(always('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await fetchThrough(proxy.url, 'http://site.example/')).toBe('failure proxy-failed');
    expect(await fetchThrough(proxy.url, 'https://site.example/')).toBe('failure proxy-failed');
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
      const settings = { proxies: [{ url: `http://${proxy.url}`, noProxy: [] }], allowedAddresses };
      const url = 'http://intranet.example/';
      return inShort(await testFetcher(settings, { lookup }).fetch({ url, fetcher: 'default' }));
    };
    expect(await ask([])).toBe('failure address-forbidden');
    expect(proxy.seen).toEqual([]);
    await ask(['10.0.0.0/8']);
    expect(proxy.seen).toHaveLength(1);
  });

  it('that is not a URL is a failure whose message does not repeat it', async () => {
    const outcome = await testFetcher({ proxies: [{ url: 'socks4://user:secret@x', noProxy: [] }] }).fetch({
      url: 'http://a.example/',
      fetcher: 'default',
    });
    expect(inShort(outcome)).toBe('failure proxy-failed');
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});
