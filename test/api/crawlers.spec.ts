import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LinkDto } from '../../client/index.js';
import { ApiWorld } from './api-world.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

const encoded = (path: string): string => encodeURIComponent(world.site.url(path));

describe('the calls for crawlers and URLs', () => {
  it('show a crawler with its counts, sources and rates', async () => {
    const { status, body } = await world.get('crawlers');
    expect(status).toBe(200);
    expect(body.next).toBeNull();
    expect(body.items[0]).toMatchObject({
      name: 'test',
      state: 'running',
      indexed: 4,
      counts: { indexed: 4, error: 1 },
    });
    expect(body.items[0].sources.map((source: { name: string }) => source.name)).toEqual([
      'user',
      'redir',
      'index',
      'index_follow',
      'follow',
      'refresh',
    ]);
    expect((await world.get('crawlers/nobody')).status).toBe(404);
  });

  it('page through stored URLs without losing or repeating one', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await world.get(`crawlers/test/urls?limit=2${cursor}`);
      seen.push(...body.items.map((item: { url: string }) => new URL(item.url).pathname));
      cursor = body.next === null ? '' : `&cursor=${body.next}`;
    } while (cursor !== '');
    expect(seen.sort()).toEqual(['/', '/a.html', '/b.html', '/c.html', '/missing.html']);
  });

  it('filter stored URLs by status, reason, host, prefix, source and age', async () => {
    const found = async (query: string): Promise<string[]> =>
      (await world.get(`crawlers/test/urls?${query}`)).body.items.map(
        (item: { url: string }) => new URL(item.url).pathname,
      );
    expect(await found('status=error')).toEqual(['/missing.html']);
    expect(await found('reason=http-404')).toEqual(['/missing.html']);
    expect(await world.get('crawlers/test/urls?reason=http-44')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '?reason', detail: 'reason must be a code that GET /api/v1/reasons lists' }] },
    });
    expect(await found(`prefix=${encoded('/b')}`)).toEqual(['/b.html']);
    expect(await found(`host=127.0.0.1%3A${world.site.port}&indexed=true`)).toHaveLength(4);
    expect(await found('host=elsewhere')).toEqual([]);
    expect(await found('source=refresh')).toHaveLength(5);
    expect(await found('visitedSince=2026-01-01T00:00:00Z')).toHaveLength(5);
    expect(await found('visitedBefore=2026-01-01T00:00:00Z')).toEqual([]);
    expect(await found('visitedSince=2126-01-01T00:00:00Z')).toEqual([]);
    expect((await world.get('crawlers/test/urls?visitedSince=yesterday')).status).toBe(400);
    expect((await world.get('crawlers/test/urls?status=nonsense')).status).toBe(400);
  });

  it('count the URLs that match a filter', async () => {
    const counted = async (query: string) => (await world.get(`crawlers/test/urls/count?${query}`)).body.count;
    expect(await counted('')).toBe(5);
    expect(await counted('status=error')).toBe(1);
    expect(await counted(`like=${encoded('/*.html')}&indexed=true`)).toBe(3);
    expect((await world.get('crawlers/nobody/urls/count')).status).toBe(404);
  });

  it('sort a short list, page by page', async () => {
    const sorted = async (query: string): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body } = await world.get(`crawlers/test/urls?limit=2&${query}${cursor}`);
        seen.push(...body.items.map((item: { url: string }) => new URL(item.url).pathname));
        cursor = body.next === null ? '' : `&cursor=${body.next}`;
      } while (cursor !== '');
      return seen;
    };
    const all = ['/', '/a.html', '/b.html', '/c.html', '/missing.html'];
    expect(await sorted('sort=url')).toEqual(all);
    expect(await sorted('sort=url&direction=descending')).toEqual(all.toReversed());
    expect((await sorted('sort=hops'))[0]).toBe('/');
    expect((await world.get('crawlers/test/urls?sort=etag')).status).toBe(400);
  });

  it('show what is crawled and indexed, and how old it is', async () => {
    const { body } = await world.get('crawlers/test/coverage');
    const urls = body.reasons.reduce((sum: number, one: { urls: number }) => sum + one.urls, 0);
    expect(urls).toBe(5);
    expect(body.reasons).toContainEqual({ status: 'error', reason: 'http-404', urls: 1, indexed: 0 });
    expect(body.ages[0]).toEqual({ upToSeconds: 3600, documents: 4 });
    expect(body.ages.map((one: { upToSeconds?: number }) => one.upToSeconds)).toContain(body.maximumAgeSeconds);
    expect((await world.get('crawlers/nobody/coverage')).status).toBe(404);
  });

  it('count errors by code and by host', async () => {
    const host = `127.0.0.1:${world.site.port}`;
    const counts = { urls: 1, lastHour: 1, lastDay: 1 };
    expect((await world.get('crawlers/test/errors')).body).toEqual({
      items: [{ reason: 'http-404', hosts: 1, ...counts }],
      next: null,
    });
    expect((await world.get('crawlers/test/errors?host=elsewhere')).body.items).toEqual([]);
    expect((await world.get('crawlers/test/errors/http-404/hosts')).body).toEqual({
      items: [{ host, ...counts }],
      next: null,
    });
    const behind = Buffer.from(`1 ${host}`).toString('base64url');
    expect((await world.get(`crawlers/test/errors/http-404/hosts?cursor=${behind}`)).body.items).toEqual([]);
    const strange = Buffer.from('many').toString('base64url');
    expect((await world.get(`crawlers/test/errors/http-404/hosts?cursor=${strange}`)).status).toBe(422);
    expect((await world.get('crawlers/nobody/errors')).status).toBe(404);
  });

  it('show the URLs in the folders of a web server', async () => {
    const path = `hosts/${encodeURIComponent(`127.0.0.1:${world.site.port}`)}/folders`;
    const above = await world.get(`${path}?crawler=test`);
    expect(above.body).toMatchObject({ folders: [{ name: world.site.url('/'), urls: 5 }], next: null, searched: 1 });
    const { body } = await world.get(`${path}?crawler=test&folder=${encoded('/')}`);
    expect(body).toMatchObject({ folders: [], others: 0, urls: 5, next: null });
    expect(body.sample).toHaveLength(5);
    expect((await world.get(`${path}?crawler=test&folder=news`)).status).toBe(422);
    expect((await world.get(`${path}?crawler=nobody`)).status).toBe(404);
  });

  it('show the full history of a URL', async () => {
    const { body } = await world.get(`crawlers/test/url?url=${encoded('/c.html')}`);
    expect(body.path.map((url: string) => new URL(url).pathname)).toEqual(['/', '/a.html', '/c.html']);
    expect(body.state).toMatchObject({ status: 'indexed', hops: 2, indexed: true, foundOn: world.site.url('/a.html') });
    expect(body.visits[0]).toMatchObject({ outcome: 'document', status: 200 });
    expect(body.orders[0]).toMatchObject({ kind: 'add', state: 'acknowledged' });
    expect(body.explanation.verdict.accepted).toBe(true);
    expect((await world.get(`crawlers/test/url?url=${encoded('/never')}`)).status).toBe(404);
  });

  it('explain any URL, stored or not, without fetching it', async () => {
    world.site.forgetRequests();
    const inside = await world.get(`crawlers/test/explain?url=${encoded('/unknown.html')}&from=${encoded('/a.html')}`);
    expect(inside.body).toMatchObject({
      discoveredVia: 'link',
      from: world.site.url('/a.html'),
      verdict: { accepted: true },
    });
    const elsewhere = 'crawlers/test/explain?url=https%3A%2F%2Felsewhere.example%2F';
    const outside = await world.get(`${elsewhere}&from=${encoded('/a.html')}`);
    expect(outside.body.verdict).toMatchObject({ accepted: false, layer: 'site-mode' });
    expect(outside.body.verdict.remedy).not.toBe('');
    // Without a page that links to it, the URL is judged as a root; the headline says what links to it would be.
    const submitted = await world.get(elsewhere);
    expect(submitted.body).toMatchObject({
      discoveredVia: 'root',
      verdict: { accepted: true },
      headline: { fate: 'not-in-index', reason: 'outside-site' },
    });
    expect(submitted.body.headline.text).toMatch(/^Not crawled: it would be accepted as a root, but links/);
    expect(world.site.requests).toEqual([]);
    expect((await world.get('crawlers/test/explain?url=no%20url')).status).toBe(422);
  });

  it('show the links of a page with their verdicts and queue none', async () => {
    world.site.page('/sample.html', ['/a.html', '/new.html']);
    const { body } = await world.get(`crawlers/test/page?url=${encoded('/sample.html')}`);
    const verdicts = body.links.map((link: LinkDto) => [
      new URL(link.url).pathname,
      link.explanation.verdict.accepted,
      link.state?.status,
    ]);
    expect(body.reading).toMatchObject({ text: expect.any(String), cut: [], metas: expect.any(Array) });
    expect(verdicts.sort()).toEqual([
      ['/a.html', true, 'indexed'],
      ['/new.html', true, undefined],
    ]);
    expect((await world.get(`crawlers/test/url?url=${encoded('/new.html')}`)).status).toBe(404);
  });

  it('pause, stop and start a crawler', async () => {
    for (const [call, state] of [
      ['pause', 'paused'],
      ['stop', 'stopped'],
      ['start', 'running'],
    ] as const) {
      const { status, body } = await world.send('POST', `crawlers/test/${call}`);
      expect([status, body.state]).toEqual([200, state]);
    }
    expect((await world.send('POST', 'crawlers/nobody/pause')).status).toBe(404);
  });

  it('show web servers and pause one', async () => {
    const { body } = await world.get('hosts?crawler=test');
    const host = `127.0.0.1:${world.site.port}`;
    expect(body.items.map((item: { host: string }) => item.host)).toEqual([host]);
    const path = `hosts/${encodeURIComponent(host)}`;
    expect((await world.send('POST', `${path}/pause`)).body).toMatchObject({ host, paused: true });
    expect((await world.send('POST', `${path}/resume`)).body.paused).toBe(false);
    const [{ urls, indexed, queued, errors }] = body.items;
    expect((await world.get(path)).body).toMatchObject({ urls, indexed, queued, errors });
    expect(queued).toBeGreaterThanOrEqual(4);
    expect((await world.get('hosts')).status).toBe(400);
  });

  it('report that an operator limits a crawler when all due URLs are on paused hosts', async () => {
    const path = `hosts/${encodeURIComponent(`127.0.0.1:${world.site.port}`)}`;
    await world.send('POST', `${path}/pause`);
    world.site.page('/while-paused.html');
    await world.send('POST', 'crawlers/test/roots', { url: world.site.url('/while-paused.html') });
    const limit = async (): Promise<unknown> => (await world.get('crawlers/test')).body.limitedBy;
    const hosts = [`127.0.0.1:${world.site.port}`];
    await expect.poll(limit).toEqual({ kind: 'hosts-paused', hosts, share: 1 });
    await world.send('POST', `${path}/resume`);
    await world.caughtUp();
  });

  it('list every reason and error code with meaning and remedy', async () => {
    const { body } = await world.get('reasons');
    const codes = body.items.map((item: { code: string }) => item.code);
    expect(codes).toContain('http-404');
    expect(codes).toContain('accepted');
    expect(body.items.filter((item: { meaning: string; remedy: string }) => !item.meaning || !item.remedy)).toEqual([]);
  });

  it('return the identity of the caller', async () => {
    const { body } = await world.get('session');
    expect(body).toMatchObject({ name: 'local', role: 'admin', keyWanted: false });
  });
});
