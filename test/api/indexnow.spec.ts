import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakePage } from '../support/fake-site.js';
import { ApiWorld } from './api-world.js';

const KEY = '0123456789abcdef-Z';

describe('the IndexNow receiver', () => {
  let world: ApiWorld;
  const url = (path: string): string => world.site.url(path);
  const send = (body: unknown) => world.send('POST', '/indexnow', body);
  const submission = (...paths: string[]) => ({ host: new URL(url('/')).host, key: KEY, urlList: paths.map(url) });
  const auth = { authorization: 'Bearer 0123456789abcdef0123456789abcdef' };
  const history = (path: string) =>
    world.get(`crawlers/test/url?url=${encodeURIComponent(url(path))}`, auth).then(({ body }) => body);
  const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  beforeAll(async () => {
    world = await ApiWorld.start({
      keys: 'ops:admin:0123456789abcdef0123456789abcdef',
      callsPerMinute: 1_000,
      crawler: '<Root url="SITE/"/>',
    });
    world.site.set(`/${KEY}.txt`, { body: `${KEY}\n` }).set('/sub/here.txt', { body: KEY });
    await until(async () => (await world.get('crawlers/test', auth)).body.indexed === 4);
    world.site.forgetRequests();
  });
  afterAll(() => world.stop());

  it('accepts one URL by GET: a changed page is pushed, a page that is gone is deleted', async () => {
    const query = (path: string) => `/indexnow?url=${encodeURIComponent(url(path))}&key=${KEY}`;
    world.site.page('/a.html', [], 'Another text.').remove('/c.html');
    expect((await world.get(query('/a.html'))).status).toBe(200);
    expect((await world.get(query('/c.html'))).status).toBe(200);
    await until(() => world.pushed.includes('delete /c.html'));
    await until(() => world.pushed.filter((order) => order === 'add /a.html').length === 2);
    // The sink may have the document before the visit is in the history.
    const isRequested = ({ detail }: { detail?: string }) => detail === 'requested by the site (IndexNow)';
    await until(async () => (await history('/a.html')).visits.some(isRequested));
    expect(world.site.requests.filter(({ path }) => path === `/${KEY}.txt`)).toHaveLength(1);
  });

  it('accepts a list of 10,000 URLs, indexes a page without links to it, and records how it was discovered', async () => {
    world.site.page('/new.html');
    const { status } = await send(submission('/new.html', ...Array.from({ length: 9_999 }, (_, i) => `/b.html#${i}`)));
    expect(status).toBe(200);
    await until(() => world.pushed.includes('add /new.html'));
    expect((await history('/new.html')).state).toMatchObject({ discoveredVia: 'indexnow' });
    expect((await send({ ...submission(), urlList: Array.from({ length: 10_001 }, () => url('/')) })).status).toBe(400);
  });

  it.each([
    ['no body', undefined, 400],
    ['no URLs', { key: KEY, urlList: [] }, 400],
    ['no key', { urlList: ['http://a.example/'] }, 400],
    ['a key that the protocol does not know', { key: 'short', urlList: ['http://a.example/'] }, 422],
    ['a host that nobody crawls', { key: KEY, urlList: ['http://a.example/'] }, 422],
  ])('responds to %s as the protocol says', async (_, body, status) => {
    expect((await send(body)).status).toBe(status);
  });

  it('refuses URLs of another host, a key elsewhere, and URLs outside the folder of the key', async () => {
    const foreign = { ...submission('/a.html'), urlList: [url('/a.html'), 'http://a.example/'] };
    expect((await send(foreign)).status).toBe(422);
    expect((await send({ ...submission('/a.html'), keyLocation: 'http://a.example/k.txt' })).status).toBe(422);
    const otherPort = `http://127.0.0.1:1/${KEY}.txt`;
    const named = { ...submission('/a.html'), host: '127.0.0.1' };
    expect((await send({ ...named, keyLocation: otherPort })).status).toBe(422);
    expect((await send({ ...named, urlList: [url('/a.html'), 'http://127.0.0.1:1/'] })).status).toBe(422);
    const below = { key: KEY, keyLocation: url('/sub/here.txt') };
    expect((await send({ ...submission('/a.html'), ...below })).status).toBe(422);
    expect((await send({ ...submission('/sub/x.html'), ...below })).status).toBe(200);
  });

  it('requests text files only, so that it cannot be used to trigger actions', async () => {
    world.site.set('/delete', { body: KEY }).set('/echo.txt', { body: KEY });
    for (const keyLocation of ['/delete?page=1', '/delete', '/echo.txt?text=x', '/.txt/delete'])
      expect((await send({ ...submission('/a.html'), keyLocation: url(keyLocation) })).status).toBe(422);
    expect(world.site.fetched).not.toContain('/delete');
  });

  it('refuses a wrong key, and stops asking the site after ten of them', async () => {
    const guess = (i: number) => send({ ...submission('/a.html'), key: `wrong-key-${i}` });
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await guess(i)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
    expect(world.site.requests.filter(({ path }) => path.startsWith('/wrong-key'))).toHaveLength(10);
  });

  it('still asks the site for a key that somebody else sends', async () => {
    const body = JSON.stringify({ ...submission('/a.html'), key: 'key-of-another-caller' });
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const address = new URL('/indexnow', world.server.url);
      request(address, { method: 'POST', headers, localAddress: '127.0.0.9' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(403);
    expect(world.site.requests.filter(({ path }) => path.startsWith('/key-of-another'))).toHaveLength(1);
  });

  it('keeps a verified key, whatever others guess meanwhile', async () => {
    expect((await send({ ...submission('/a.html'), key: 'another-wrong-key' })).status).toBe(429);
    expect((await send(submission('/a.html'))).status).toBe(200);
  });

  it('writes one audit log entry per minute for all unverified requests', async () => {
    const { body } = await world.get('audit?limit=1000', auth);
    const entries = body.items.filter(({ what }: { what: string }) => what === 'tellUrls');
    expect(entries.length).toBeLessThan(10);
  });
});

describe('the IndexNow receiver responds with a status of the protocol', () => {
  let world: ApiWorld;
  const KEY_FILE = `/${KEY}.txt`;
  const tell = (key: string, ...urls: string[]) =>
    world.send('POST', '/indexnow', { host: new URL(world.site.origin).host, key, urlList: urls });

  beforeAll(async () => {
    world = await ApiWorld.start({ crawler: '<Root url="SITE/"/>', more: '<cw:IndexNow urlsPerHour="20"/>' });
    world.site.set('/elsewhere.txt', { body: KEY });
  });
  afterAll(() => world.stop());

  it.each<[string, number, FakePage | undefined]>([
    ['is missing', 403, undefined],
    ['holds another key', 403, { body: `${KEY}Z` }],
    ['begins with the key and goes on for a megabyte', 403, { body: `${KEY} `.repeat(50_000) }],
    [
      'redirects, even to a file that holds the key',
      403,
      { status: 301, headers: { location: '/elsewhere.txt' }, body: KEY },
    ],
    ['is missing, and the error page repeats the key', 403, { status: 404, body: KEY }],
    ['cannot be had for now', 202, { status: 503 }],
    ['cannot be had for now, as its server is asked too often', 202, { status: 429 }],
    ['holds the key behind a byte order mark, with a line end', 200, { body: `\uFEFF${KEY}\r\n` }],
  ])('when the key file %s: %i', async (_, status, file) => {
    if (file) world.site.set(KEY_FILE, file);
    else world.site.remove(KEY_FILE);
    expect((await tell(KEY, world.site.url('/a.html'))).status).toBe(status);
    expect(world.site.fetched).not.toContain('/elsewhere.txt');
  });

  it('when a host exceeds its hourly quota: 429', async () => {
    const many = Array.from({ length: 20 }, (_, i) => world.site.url(`/${i}`));
    expect((await tell(KEY, ...many)).status).toBe(429);
    expect((await tell(KEY, ...many.slice(1))).status).toBe(200);
  });
});
