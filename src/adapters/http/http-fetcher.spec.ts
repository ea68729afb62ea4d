import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { get, inShort, testFetcher, testServer } from '../../../test/support/fetch-harness.js';
import { always, answer } from '../../../test/support/raw-server.js';
import { Secret } from '../../domain/secret.js';
import { seconds } from '../../domain/time/units.js';

describe('a response', () => {
  it('has status, headers, body, its size, the address of the server and the duration', async () => {
    const site = await testServer(always(answer('hello', 'Content-Type: text/html', 'ETag: "1"')));
    const outcome = await get(`${site.url}/page?q=1`);
    expect(outcome).toMatchObject({
      kind: 'response',
      status: 200,
      headers: { 'content-type': 'text/html', etag: '"1"', 'content-length': '5' },
      transferred: 5,
      address: '127.0.0.1',
    });
    expect(inShort(outcome)).toBe('200 hello');
    expect(outcome.timings.connect).toBeGreaterThan(0);
    expect(outcome.timings.total).toBeGreaterThanOrEqual(outcome.timings.header);
    expect(site.requests[0]).toMatch(/^GET \/page\?q=1 HTTP\/1\.1\r\n/);
  });

  it('joins repeated fields, with line feeds if their values contain commas', async () => {
    const fields = [
      'Vary: a',
      'X-Robots-Tag: bot: noindex',
      'vary: b',
      'X-Robots-Tag: nofollow',
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
      'Link: <x>',
      'Link: <y>',
    ];
    const site = await testServer(always(answer('', ...fields)));
    expect(await get(site.url)).toMatchObject({
      headers: { vary: 'a, b', 'x-robots-tag': 'bot: noindex\nnofollow', 'set-cookie': 'a=1\nb=2', link: '<x>\n<y>' },
    });
  });

  it.each([
    ['as it is', (text: string) => Buffer.from(text)],
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])(
    'has its body, sent %s, in its own buffer, so that it can be transferred to another thread without a copy',
    async (coding, encode) => {
      for (const size of [5, 20_000, 200_000]) {
        const header = coding === 'as it is' ? [] : [`Content-Encoding: ${coding}`];
        const site = await testServer(always(answer(encode('x'.repeat(size)).toString('latin1'), ...header)));
        const outcome = await get(site.url);
        const body = outcome.kind === 'response' ? outcome.body : new Uint8Array(1);
        expect([body.byteLength, body.buffer.byteLength]).toEqual([size, size]);
      }
    },
  );

  it('is a redirect with its target and is not followed', async () => {
    const site = await testServer(always('HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 4\r\n\r\nbody'));
    expect(await get(site.url)).toMatchObject({ status: 302, headers: { location: '/next' }, body: new Uint8Array(0) });
    expect(site.requests).toHaveLength(1);
  });

  it('has a Location decoded as UTF-8 if valid, and percent-encoded bytes otherwise', async () => {
    const utf8 = Buffer.from('/é€').toString('latin1');
    const site = await testServer(
      always(`HTTP/1.1 301 Moved\r\nLocation: ${utf8}\r\nX-Old: ${utf8}\r\nContent-Length: 0\r\n\r\n`),
    );
    expect(await get(site.url)).toMatchObject({ headers: { location: '/é€', 'x-old': utf8 } });
    const latin1 = await testServer(always('HTTP/1.1 301 Moved\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n'));
    expect(await get(latin1.url)).toMatchObject({ headers: { location: '/caf%E9' } });
  });

  it('may be 304 without a body, after a conditional request', async () => {
    const site = await testServer(always('HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'));
    const outcome = await get(site.url, { ifNoneMatch: '"1"', ifModifiedSince: 'Sat, 21 Nov 2026 10:00:00 GMT' });
    expect(inShort(outcome)).toBe('304');
    expect(site.requests[0]).toContain('\r\nif-none-match: "1"\r\nif-modified-since: Sat, 21 Nov 2026 10:00:00 GMT');
  });

  it('with an error status has at most 64 KiB of its body', async () => {
    const small = await testServer(always('HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone'));
    expect(inShort(await get(small.url))).toBe('404 gone');
    expect(inShort(await get(small.url, { maxSize: 2 }))).toBe('404 go');
    const large = await testServer(
      always(`HTTP/1.1 500 Oops\r\nContent-Length: 10000000\r\n\r\n${'x'.repeat(200_000)}`),
    );
    const outcome = await get(large.url);
    expect(outcome).toMatchObject({ kind: 'response', status: 500 });
    if (outcome.kind === 'response') expect(outcome.body).toHaveLength(65_536);
  });

  it('has an ETag that can be sent back, whatever it contains', async () => {
    const site = await testServer(always(answer('hello', 'ETag: "a\x01b\x7f"')));
    const first = await get(site.url);
    const ifNoneMatch = first.kind === 'response' ? first.headers['etag'] : undefined;
    // As after a restart, when nothing is known about the host any more.
    expect(inShort(await get(site.url, { ifNoneMatch }))).toBe('200 hello');
  });

  it('uses the first of repeated single-value fields', async () => {
    const fields = ['Location: /a', 'Retry-After: 5', 'ETag: "x"', 'Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT'];
    const head = ['HTTP/1.1 301 Moved', ...fields, ...fields, 'Content-Length: 0', '', ''].join('\r\n');
    const site = await testServer(always(head));
    const single = { 'retry-after': '5', etag: '"x"', 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' };
    expect(await get(site.url)).toMatchObject({ headers: { location: '/a', ...single } });
  });

  it('includes Retry-After', async () => {
    const site = await testServer(always('HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n'));
    expect(await get(site.url)).toMatchObject({ kind: 'response', status: 503, headers: { 'retry-after': '120' } });
  });

  it('may follow interim responses', async () => {
    const early = await testServer(always(`HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n${answer('late')}`));
    expect(inShort(await get(early.url))).toBe('200 late');
    const unasked = await testServer(always(`HTTP/1.1 100 Continue\r\n\r\n${answer('late')}`));
    expect(inShort(await get(unasked.url))).toBe('200 late');
  });

  it('may end with the connection instead of a Content-Length', async () => {
    const site = await testServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
    expect(inShort(await get(site.url))).toBe('200 all of it');
  });
});

describe('a request', () => {
  it('has User-Agent and Accept headers, and those that the definition and the caller add or replace', async () => {
    const site = await testServer(always(answer('')));
    const headers = { 'X-Team': 'search', Accept: 'text/plain' };
    await get(site.url, { headers: { 'x-page': '1', 'X-Team': 'docs' }, userAgent: 'other/2' }, { headers });
    const fields = site.requests[0]!.split('\r\n').slice(1);
    expect(fields).toEqual(
      expect.arrayContaining([
        'user-agent: other/2',
        'accept: text/plain',
        'accept-encoding: gzip, br, zstd, deflate',
        'x-team: docs',
        'x-page: 1',
      ]),
    );
    expect(new Set(fields.map((field) => field.split(':')[0]!.toLowerCase())).size).toBe(fields.length);
  });

  it('carries credentials for their own prefix only', async () => {
    const site = await testServer(always(answer('')));
    const authorization = `authorization: Basic ${Buffer.from('anna:söcret').toString('base64')}`;
    const credentials = [
      { url: `${site.url}/private/`, user: 'anna', password: new Secret('söcret') },
      { url: 'http://127.0.0.1/', user: 'wrong', password: new Secret('port') },
      { url: `http://127.0.0.1:${site.port}0/`, user: 'wrong', password: new Secret('port') },
    ];
    const fetcher = testFetcher({ credentials });
    for (const path of ['/private/a', '/private', '/public', '/public/../private/b', '/%2e%2e/x']) {
      await fetcher.fetch({ url: site.url + path, fetcher: 'default' });
    }
    expect(site.requests.map((request) => request.includes(authorization))).toEqual([true, false, false, true, false]);
    expect(site.requests.filter((request) => /authorization/i.test(request))).toHaveLength(2);
  });

  it('carries the most specific secrets of its server, others of no server, and none if it is anonymous', async () => {
    const [site, other] = await Promise.all([testServer(always(answer(''))), testServer(always(answer('')))]);
    const bound = (path: string, value: string) => ({
      url: site.url + path,
      name: 'X-Bound',
      value: new Secret(value),
    });
    const login = (path: string, user: string) => ({ url: site.url + path, user, password: new Secret('p') });
    const fetcher = testFetcher({
      headers: { 'X-Key': new Secret('key'), 'X-Public': 'public' },
      secretHeaders: ['X-Key'],
      secretServers: [site.url],
      boundHeaders: [bound('/a/', 'inner'), bound('/', 'outer')],
      credentials: [login('/', 'outer'), login('/a/', 'inner')],
    });
    const ask = async (url: string, anonymous = false) => {
      await fetcher.fetch({ url, fetcher: 'default', anonymous });
      const [request = ''] = (url.startsWith(site.url) ? site : other).requests.splice(0);
      const user = /authorization: Basic (.*)/.exec(request)?.[1];
      return [
        ...(request.match(/(?<=x-(?:key|public|bound): ).*/g) ?? []),
        user && Buffer.from(user, 'base64').toString(),
      ];
    };
    expect(await ask(`${site.url}/a/b`)).toEqual(['public', 'key', 'inner', 'inner:p']);
    expect(await ask(`${site.url}/`)).toEqual(['public', 'key', 'outer', 'outer:p']);
    expect(await ask(`${site.url}/a/b`, true)).toEqual(['public', undefined]);
    expect(await ask(`${other.url}/a/b`)).toEqual(['public', undefined]);
  });

  it('for public addresses only uses no connection that another one has opened to a private address', async () => {
    const site = await testServer(always(answer('inside')));
    const fetcher = testFetcher();
    const ask = async (publicOnly: boolean) =>
      inShort(await fetcher.fetch({ url: site.url, fetcher: 'default', publicOnly }));
    expect(await ask(false)).toBe('200 inside');
    expect(await ask(true)).toBe('failure address-forbidden');
  });

  it('through one proxy uses no connection through another', async () => {
    const [first, second] = await Promise.all(['first', 'second'].map((text) => testServer(always(answer(text)))));
    const fetcher = testFetcher();
    const ask = async (proxy: string) =>
      inShort(await fetcher.fetch({ url: 'http://127.0.0.1:1/', fetcher: 'default', proxy }));
    for (const _again of [1, 2])
      expect([await ask(first!.url), await ask(second!.url)]).toEqual(['200 first', '200 second']);
  });

  it('carries the credentials that the caller gives for this URL', async () => {
    const site = await testServer(always(answer('')));
    await get(site.url, { credentials: new Secret('bob:a:b') });
    expect(site.requests[0]).toContain(`authorization: Basic ${Buffer.from('bob:a:b').toString('base64')}`);
  });

  it('never sends or reports the user info of a URL', async () => {
    const site = await testServer(always('nonsense'));
    const outcome = await get(`http://user:secret@127.0.0.1:${site.port}/`);
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(site.requests.join()).not.toMatch(/authorization|secret/i);
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense'])('for %s is refused', async (url) => {
    expect(inShort(await get(url))).toBe('failure connection-failed');
  });

  it('with a header value that cannot be sent fails, and the next one succeeds', async () => {
    const site = await testServer(always(answer('ok')));
    const fetcher = testFetcher();
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default', ifNoneMatch: 'a\r\nb' }))).toMatch(
      'failure',
    );
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 ok');
  });

  it('with an undefined fetcher throws', async () => {
    await expect(get('http://127.0.0.1/', { fetcher: 'other' })).rejects.toThrow('no fetcher named "other"');
  });
});

describe('connections', () => {
  it('are reused, one request at a time', async () => {
    const site = await testServer(always(answer('x')));
    const fetcher = testFetcher();
    for (let n = 0; n < 5; n++) await fetcher.fetch({ url: site.url, fetcher: 'default' });
    expect(site.connections).toBe(1);
    const again = await fetcher.fetch({ url: site.url, fetcher: 'default' });
    expect(again.timings.connect).toBeUndefined();
    await Promise.all([1, 2, 3].map(() => fetcher.fetch({ url: site.url, fetcher: 'default' })));
    expect(site.connections).toBe(3);
  });

  it('that the server closes just as they are reused are replaced once', async () => {
    const site = await testServer((socket, _, number) => {
      if (number === 2) socket.destroy();
      else socket.write(answer(String(number)));
    });
    const fetcher = testFetcher();
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 1');
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 3');
    expect(site.connections).toBe(2);
  });

  it('that the server closed while they were idle are reopened', async () => {
    let closed = false;
    const site = await testServer((socket, _, number) => {
      socket.once('close', () => {
        closed = true;
      });
      socket.end(answer(String(number)));
    });
    const fetcher = testFetcher();
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 1');
    await expect.poll(() => closed).toBe(true);
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 2');
  });

  it('may be closed by the server after each response', async () => {
    const site = await testServer((socket) => socket.end(answer('x', 'Connection: close')));
    const fetcher = testFetcher();
    for (let n = 0; n < 5; n++)
      expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('200 x');
  });

  it('are kept idle up to a limit for all hosts together', async () => {
    let closed = 0;
    const sites = await Promise.all(
      [1, 2, 3, 4].map(() =>
        testServer((socket) => {
          socket.once('close', () => closed++);
          socket.write(answer('x'));
        }),
      ),
    );
    const fetcher = testFetcher({}, { maxIdleConnections: 2 });
    for (const site of sites) await fetcher.fetch({ url: site.url, fetcher: 'default' });
    await expect.poll(() => closed).toBe(2);
  });
});

describe('aborting', () => {
  it('with the signal rejects with its reason and closes the connection', async () => {
    const controller = new AbortController();
    let closed = false;
    const site = await testServer((socket) => {
      socket.once('close', () => {
        closed = true;
      });
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhal');
      controller.abort(new Error('enough'));
    });
    await expect(testFetcher().fetch({ url: site.url, fetcher: 'default' }, controller.signal)).rejects.toThrow(
      'enough',
    );
    await expect.poll(() => closed).toBe(true);
  });

  it('before the start makes no connection', async () => {
    const site = await testServer(always(answer('x')));
    const fetching = testFetcher().fetch({ url: site.url, fetcher: 'default' }, AbortSignal.abort(new Error('early')));
    await expect(fetching).rejects.toThrow('early');
    expect(site.connections).toBe(0);
  });

  it('by closing the fetcher ends the requests in flight', async () => {
    const fetcher = testFetcher({ totalTimeout: seconds(60) });
    const site = await testServer(() => void fetcher.close());
    expect(inShort(await fetcher.fetch({ url: site.url, fetcher: 'default' }))).toBe('failure connection-failed');
  });
});
