import { describe, expect, it } from 'vitest';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { crawl, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const meta = (world: CrawlWorld, uri: string, name: string): string | undefined =>
  world
    .pushed()
    .get(uri)
    ?.metas.find((one) => one.name === name)?.value;

describe('a delivered document', () => {
  it('has its bytes with type, encoding and file name; only its text with storeTextOnly', async () => {
    const site = await startSite();
    site.page('/', ['/a.html']).page('/a.html', [], 'Words of the page.');
    const crawler = `<Root url="${site.url('/')}"/>`;
    const whole = (await crawl({ crawler, index: 'none' })).pushed().get(site.url('/a.html'))!.master;
    expect(whole).toMatchObject({ mimeType: 'text/html', encoding: 'utf-8', fileName: 'a.html' });
    expect(Buffer.from(whole.bytes, 'base64').toString()).toContain('<p>Words of the page.</p>');
    const world = await crawl({ crawler, index: 'none', attributes: 'storeTextOnly="true"' });
    const text = world.pushed().get(site.url('/a.html'))!.master;
    expect(text).toMatchObject({ mimeType: 'text/plain', encoding: 'utf-8' });
    expect(Buffer.from(text.bytes, 'base64').toString()).toMatch(/^[^<]*Words of the page\.[^<]*$/);
  });

  const types = { '/': 'text/html', '/t': 'text/plain', '/p': 'application/pdf', '/z': 'application/zip' };
  it.each([
    ['mimeTypesMode exclude with its default list: archives are left out', '', '', ['/', '/p', '/t']],
    ['mimeTypesMode exclude: the types listed', '', '<cw:MimeTypes types="text/plain"/>', ['/', '/p', '/z']],
    [
      'mimeTypesMode include: only the types listed',
      'mimeTypesMode="include"',
      '<cw:MimeTypes types="text/*"/>',
      ['/', '/t'],
    ],
  ])('%s', async (_name, attributes, inside, taken) => {
    const site = await startSite();
    site.page('/', ['/t', '/p', '/z']);
    for (const [path, type] of Object.entries(types)) {
      const body = path === '/p' ? '%PDF-1.4\n%%EOF' : path === '/z' ? 'PK\u0003\u0004zip' : 'plain text';
      if (path !== '/') site.set(path, { headers: { 'content-type': type }, body });
    }
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${inside}`, attributes });
    expect(await world.indexed()).toEqual(taken.map((path) => site.url(path)));
  });

  it('has publicUrl, title, language, author, last modified, type, size, time and status, and the source of a redirect', async () => {
    const site = await startSite();
    site.page('/', ['/moved']).set('/moved', { status: 302, headers: { location: '/docs/page.html' } });
    const body =
      '<html lang="fr"><head><title>Titre</title><meta name="author" content="Ann"></head><body>Bonjour</body></html>';
    site.set('/docs/page.html', { headers: { ...HTML, 'last-modified': 'Mon, 01 Dec 2025 10:00:00 GMT' }, body });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    const uri = site.url('/docs/page.html');
    const metas = Object.fromEntries(
      world
        .pushed()
        .get(uri)!
        .metas.map(({ name, value }) => [name, value]),
    );
    expect(metas).toMatchObject({
      publicUrl: uri,
      title: 'Titre',
      language: 'fr',
      author: 'Ann',
      lastmodifieddate: '2025-12-01T10:00:00.000Z',
      file_name: 'page.html',
      file_size: String(body.length),
      content_type: 'text/html',
      source: 'test',
      redirect_source: site.url('/moved'),
      crawl_time: '2026-01-01T00:00:00.000Z',
      http_status: '200',
    });
  });

  it('has the file name of Content-Disposition as file_name', async () => {
    const site = await startSite();
    site.page('/', ['/download?id=7', '/other/x.txt']);
    const plain = { 'content-type': 'text/plain' };
    const given = `attachment; filename="plain.txt"; filename*=UTF-8''J%C3%A4hrlich%2Fneu.txt`;
    site.set('/download?id=7', { headers: { ...plain, 'content-disposition': given }, body: 'text' });
    site.set('/other/x.txt', {
      headers: { ...plain, 'content-disposition': 'inline; filename=".."' },
      body: 'another',
    });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    expect(meta(world, site.url('/download?id=7'), 'file_name')).toBe('neu.txt');
    expect(meta(world, site.url('/other/x.txt'), 'file_name')).toBe('x.txt');
  });
});
