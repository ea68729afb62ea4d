import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSite, startSampleSite } from './server.js';

let site: RunningSite;
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(site.url + path, { headers, redirect: 'manual' });

beforeAll(async () => {
  site = await startSampleSite({ port: 0, host: '127.0.0.1' });
});
afterAll(() => site.close());

describe('the sample site', () => {
  it('serves every page of its sitemap; every link but the broken one leads to a page', async () => {
    const sitemap = await (await get('/sitemap.xml')).text();
    const paths = [...sitemap.matchAll(/<loc>http:\/\/[^/]+([^<]*)<\/loc>/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(25);
    const broken = new Set<string>();
    for (const path of paths) {
      const answer = await get(path);
      expect(answer.status, path).toBe(200);
      for (const [, href] of (await answer.text()).matchAll(/href="([^"]+)"/g)) {
        const target = new URL(href!, site.url + path).pathname;
        if ((await get(target)).status === 404) broken.add(target);
      }
    }
    expect([...broken]).toEqual(['/exhibitions/1999.html']);
  });

  it('redirects, closes a folder to robots and asks for one page not to be indexed', async () => {
    const moved = await get('/collection/foghorns.html');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/collection/fog-signals.html']);
    expect(await (await get('/robots.txt')).text()).toContain('Disallow: /staff/');
    expect(await (await get('/about/rota.html')).text()).toContain('content="noindex"');
  });

  it('answers 304 to a request with the current ETag', async () => {
    const tag = (await get('/')).headers.get('etag')!;
    expect((await get('/', { 'if-none-match': tag })).status).toBe(304);
  });
});
