import { describe, expect, it } from 'vitest';
import { days, hours, seconds } from '../../src/domain/time/units.js';
import type { CrawlWorld } from '../support/crawl-world.js';
import type { FakePage } from '../support/fake-site.js';
import { crawl, startSite } from '../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const meta = (world: CrawlWorld, uri: string, name: string): string | undefined =>
  world
    .pushed()
    .get(uri)
    ?.metas.find((one) => one.name === name)?.value;

describe('what a page says to robots about itself', () => {
  it('X-Robots-Tag counts like the meta element, for all agents or for ours', async () => {
    const site = await startSite();
    site.page('/', ['/noindex', '/nofollow', '/other-agent', '/ours']).page('/behind');
    const body = '<title>t</title><a href="/behind">b</a>';
    site.set('/noindex', { headers: { ...HTML, 'x-robots-tag': 'noindex' }, body: '<title>x</title>' });
    site.set('/nofollow', { headers: { ...HTML, 'x-robots-tag': 'nofollow' }, body });
    site.set('/other-agent', { headers: { ...HTML, 'x-robots-tag': 'otherbot: noindex' }, body: '<title>y</title>' });
    site.set('/ours', {
      headers: { ...HTML, 'x-robots-tag': ['otherbot: none', 'crawlway: noindex'] },
      body: '<title>z</title>',
    });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual(['/', '/nofollow', '/other-agent'].map((path) => site.url(path)));
    expect(site.fetched).not.toContain('/behind');
  });

  it('X-Robots-Tag counts with 304 too: servers put it before files that have not changed', async () => {
    const site = await startSite();
    let more: Record<string, string> = {};
    site.page('/', ['/a', '/b']);
    for (const path of ['/a', '/b'])
      site.set(path, ({ headers }) =>
        headers['if-none-match']
          ? { status: 304, headers: more }
          : { headers: { ...HTML, etag: '"1"', ...more }, body: path },
      );
    const attributes = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    const all = ['/', '/a', '/b'].map((path) => site.url(path));
    more = { 'x-robots-tag': 'otherbot: noindex' };
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(all);
    more = { 'x-robots-tag': 'noindex' };
    await world.pass(days(3));
    expect(await world.indexed()).toEqual([site.url('/')]);
    expect(await world.state(site.url('/a'))).toMatchObject({ reason: 'noindex' });
    more = {};
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(all);
  });

  it('the header Refresh leads on like the meta element', async () => {
    const site = await startSite();
    site.set('/', { headers: { ...HTML, refresh: '3; url=/next' }, body: '<title>wait</title>' }).page('/next');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/next')]);
  });

  it.each([
    ['0; url=/b', ['/', '/b'], 'redirected'],
    ['1;/b', ['/', '/b'], 'redirected'],
    ['2; url=/b', ['/', '/a', '/b'], 'indexed'],
    ['0; url=/a#top', ['/', '/a'], 'indexed'],
    ['0; url=/forbidden', ['/', '/a'], 'indexed'],
  ])('a refresh %j within a second is a redirect to where the crawl may go', async (content, paths, reason) => {
    const site = await startSite();
    site.page('/', ['/a']).page('/b').page('/forbidden');
    site.set('/a', { headers: HTML, body: `<meta http-equiv="refresh" content="${content}"><title>a</title>text` });
    const rules = '<Rules><Rule><ar:Path val="/forbidden"/><Ignore/></Rule></Rules>';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${rules}` });
    expect(await world.indexed()).toEqual(paths.map((path) => site.url(path)));
    expect(await world.state(site.url('/a'))).toMatchObject({ reason });
  });

  it.each([
    '<noscript><meta http-equiv="refresh" content="0; url=/b"></noscript>',
    '<meta name="robots" content="nofollow"><meta http-equiv="refresh" content="0; url=/b">',
  ])('a refresh that is not for this reader is not a redirect: %s', async (head) => {
    const site = await startSite();
    site
      .page('/', ['/a'])
      .page('/b')
      .set('/a', { headers: HTML, body: `<head>${head}<title>a</title></head>text` });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toContain(site.url('/a'));
  });

  it('two pages that refresh to each other end, and so does a page that always refreshes to a new one', async () => {
    const site = await startSite();
    const sent = (to: string): FakePage => ({
      headers: HTML,
      body: `<meta http-equiv="refresh" content="0; url=${to}">`,
    });
    site.page('/', ['/a', '/n0']).set('/a', sent('/b')).set('/b', sent('/a'));
    for (let n = 0; n < 30; n++) site.set(`/n${n}`, sent(`/n${n + 1}`));
    await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(site.fetched).toContain('/n5');
    expect(site.fetched).not.toContain('/n29');
  });

  it('the file name of Content-Disposition becomes file_name', async () => {
    const site = await startSite();
    site.page('/', ['/download?id=7', '/other/x.txt']);
    const plain = { 'content-type': 'text/plain' };
    const given = `attachment; filename="plain.txt"; filename*=UTF-8''J%C3%A4hrlich%2Fneu.txt`;
    site.set('/download?id=7', { headers: { ...plain, 'content-disposition': given }, body: 'text' });
    site.set('/other/x.txt', { headers: { ...plain, 'content-disposition': 'inline; filename=".."' }, body: 'text' });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    expect(meta(world, site.url('/download?id=7'), 'file_name')).toBe('neu.txt');
    expect(meta(world, site.url('/other/x.txt'), 'file_name')).toBe('x.txt');
  });

  it('noarchive is told to the index, which decides', async () => {
    const site = await startSite();
    site
      .page('/', ['/a'])
      .set('/a', { headers: HTML, body: '<meta name="robots" content="noarchive"><title>a</title>' });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    expect(meta(world, site.url('/a'), 'noarchive')).toBe('true');
    expect(meta(world, site.url('/'), 'noarchive')).toBeUndefined();
  });

  it.each(['link element', 'HTTP header'])(
    'rel=canonical (%s): the canonical URL is crawled and indexed instead',
    async (way) => {
      const site = await startSite();
      site.page('/', ['/a?session=1']).page('/a');
      const header: Record<string, string> = way === 'HTTP header' ? { link: '</a>; rel="canonical"' } : {};
      const body = way === 'HTTP header' ? '<title>a</title>' : '<link rel="canonical" href="/a"><title>a</title>';
      site.set('/a?session=1', { headers: { ...HTML, ...header }, body });
      const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
      expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
      expect(await world.state(site.url('/a?session=1'))).toMatchObject({
        status: 'visited',
        reason: 'canonical-elsewhere',
      });
    },
  );

  it.each([
    ['an empty one under a base', '<base href="/"><link rel="canonical" href="">'],
    ['one in a template that names two', '<link rel="canonical" href="/"><link rel="canonical" href="/a">'],
  ])('rel=canonical: %s costs no page', async (_, head) => {
    const site = await startSite();
    site.page('/', ['/a', '/b']);
    for (const path of ['/a', '/b']) site.set(path, { headers: HTML, body: `${head}<title>${path}</title>` });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    expect(await world.indexed()).toEqual(['/', '/a', '/b'].map((path) => site.url(path)));
  });

  it('a canonical URL that the policy rejects is not a reason to lose the page', async () => {
    const site = await startSite();
    site
      .page('/', ['/a'])
      .set('/a', { headers: HTML, body: '<link rel="canonical" href="http://elsewhere.example/a"><title>a</title>' });
    const rules = '<Rules><Rule><ar:Domain val="elsewhere.example"/><Ignore/></Rule></Rules>';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${rules}` });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });
});

describe('a page that names another URL as its canonical one', () => {
  const attributes = 'nearDuplicateDetector="true" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
  const naming = (canonical: string, text = 'Words.') => ({
    headers: { ...HTML, etag: '"1"' },
    body: `<link rel="canonical" href="${canonical}"><title>t</title><p>${text}</p>`,
  });
  const crawled = async (paths: readonly string[], page?: FakePage) => {
    const site = await startSite();
    site.page('/', paths);
    for (const path of paths) page ? site.set(path, page) : site.page(path);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    const urls = (...wanted: string[]) => wanted.map((path) => site.url(path)).sort();
    expect(await world.indexed()).toEqual(urls('/', ...paths));
    return { site, world, urls };
  };

  it.each([
    ['redirects back to it', { status: 301, headers: { location: '/a' } }],
    ['is gone', { status: 404 }],
    ['does not want to be indexed', { headers: HTML, body: '<meta name="robots" content="noindex"><title>x</title>' }],
    ['names a third one', naming('/', 'Other words.')],
  ])('keeps its place when that one %s', async (_what, answer) => {
    const { site, world, urls } = await crawled(['/a']);
    site.set('/a', naming('/other')).set('/other', answer);
    for (let day = 0; day < 5; day++) {
      await world.pass(days(1));
      expect(await world.indexed()).toEqual(urls('/', '/a'));
    }
    // It is asked for whole: when that one stands one day, an unchanged page has to give way too.
    expect((await world.state(site.url('/a')))?.etag).toBeUndefined();
  });

  it('gets into the index in the same crawl when that one turns out to be none', async () => {
    const site = await startSite();
    const slips = ['/p0', '/p1', '/p2'];
    site
      .page('/', [...slips, '/a', '/b'])
      .set('/a', naming('/gone', 'One.'))
      .set('/b', naming('/noindex', 'Two.'));
    site.set('/noindex', { headers: HTML, body: '<meta name="robots" content="noindex"><title>x</title>' });
    for (const path of slips) {
      site.set(path, naming(`${path}/`, `Words of ${path}.`));
      site.set(`${path}/`, { status: 301, headers: { location: path } });
    }
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes });
    expect(await world.indexed()).toEqual(['/', '/a', '/b', ...slips].map((path) => site.url(path)));
    expect((await world.state(site.url('/a')))?.canonical).toBeUndefined();
  });

  it('and is named by that one in turn: one of the two stays, also when both are visited at once', async () => {
    const { site, world, urls } = await crawled(['/a', '/b']);
    site.set('/a', naming('/b', 'One.')).set('/b', naming('/a', 'Two.'));
    await world.engine.refresh('test', { like: '%' });
    await world.pass(seconds(1));
    const [stays] = (await world.indexed()).filter((url) => url !== site.url('/'));
    for (let day = 0; day < 5; day++) {
      await world.pass(days(1));
      expect(await world.indexed()).toEqual([...urls('/'), stays]);
    }
  });

  it('leaves the index when that one is in it, with the same text too, and comes back when that one is gone', async () => {
    const text = Array.from({ length: 300 }, (_, n) => `heron ${n}`).join(' ');
    const plain = { headers: HTML, body: `<title>t</title><p>${text}</p>` };
    const { site, world, urls } = await crawled(['/a'], plain);
    site.set('/a', naming('/other', text)).set('/other', plain);
    for (let hour = 0; hour < 72; hour += 6) {
      await world.pass(hours(6));
      expect((await world.indexed()).length).toBeGreaterThan(1);
    }
    expect(await world.indexed()).toEqual(urls('/', '/other'));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'visited', reason: 'canonical-elsewhere' });
    site.remove('/other');
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(urls('/', '/a'));
  });
});

describe('what is pushed of a document', () => {
  it('its bytes with type, encoding and file name; only its text with storeTextOnly', async () => {
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

  it('publicUrl, title, language, author, last modified, type, size, time and status, the source of a redirect', async () => {
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
});
