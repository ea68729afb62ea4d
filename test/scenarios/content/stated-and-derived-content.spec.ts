import { expect, it } from 'vitest';
import { crawl, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const XML = { 'content-type': 'text/xml' };
const getMeta = (metas: readonly { name: string; value: string }[] | undefined, name: string) =>
  metas?.find((meta) => meta.name === name)?.value;

it('a page without a title gets the next best name that it gives itself, with the place that it is from', async () => {
  const site = await startSite();
  site.page('/', ['/og', '/heading', '/titled']);
  site.set('/og', { headers: HTML, body: '<meta property="og:title" content="Shared name"><p>text' });
  site.set('/heading', { headers: HTML, body: '<h1>Spoken <em>name</em></h1><p>text' });
  site.set('/titled', { headers: HTML, body: '<title>Own</title><meta property="og:title" content="Shared"><p>text' });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  const found = ['/og', '/heading', '/titled'].map((path) => {
    const metas = world.pushed().get(site.url(path))?.metas;
    return [getMeta(metas, 'title'), getMeta(metas, 'title_source')];
  });
  expect(found).toEqual([
    ['Shared name', 'og:title'],
    ['Spoken name', 'h1'],
    ['Own', undefined],
  ]);
});

it('the name of the site is no part of a title, unless the configuration says what the title is', async () => {
  const site = await startSite();
  const page = (head: string): object => ({ headers: HTML, body: `<title>Vacuum | Heron</title>${head}` });
  const linkedData = '<script type="application/ld+json">[{"@type":"WebSite","name":"Heron"}]</script>';
  const publisher = '<script type="application/ld+json">{"@type":"Article","publisher":{"name":"Heron"}}</script>';
  site.page('/', ['/named', '/linked', '/published', '/unnamed', '/given']);
  site.set('/named', page('<meta property="og:site_name" content="Heron"><p>It waits in the reeds.'));
  site.set('/linked', page(`${linkedData}<p>Frogs are what it eats.`)).set('/unnamed', page('<p>Its neck is long.'));
  site.set('/published', page(`${publisher}<p>Nests stand high in old trees.`));
  site.set('/given', page('<meta property="og:site_name" content="Heron"><p>In winter some of them fly south.'));
  const content = '<cw:Content name="whole"><cw:Field name="title" select="title"/></cw:Content>';
  const condition = `<cw:Conditions default-allow="allow"><cw:apply-for test="wildcard" field="path" value="/given">
    <cw:option name="content" value="whole"/></cw:apply-for></cw:Conditions>`;
  const crawler = `<Root url="${site.url('/')}"/>${content}${condition}`;
  const world = await crawl({ crawler, index: 'none' });
  const found = ['/named', '/linked', '/published', '/unnamed', '/given'].map((path) => {
    const metas = world.pushed().get(site.url(path))?.metas;
    return [getMeta(metas, 'title'), getMeta(metas, 'title_full')];
  });
  const shortened = ['Vacuum', 'Vacuum | Heron'];
  const whole = ['Vacuum | Heron', undefined];
  expect(found).toEqual([shortened, shortened, shortened, whole, whole]);
});

it('what a page embeds as a document is indexed', async () => {
  const site = await startSite();
  site.set('/', { headers: HTML, body: '<title>a</title><embed src=/manual.txt><object data=/report.txt></object>' });
  for (const path of ['/manual.txt', '/report.txt'])
    site.set(path, { headers: { 'content-type': 'text/plain' }, body: path });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual(['/', '/manual.txt', '/report.txt'].map((path) => site.url(path)));
});

it('a canonical link in a comment on the page does not take the page out of the index', async () => {
  const site = await startSite();
  site.page('/', ['/a']).page('/other');
  site.set('/a', { headers: HTML, body: '<title>a</title><body><p>text<link rel="canonical" href="/other">' });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
});

it.each([
  ['Tue, 01 May 2035 10:00:00 GMT', undefined],
  ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ['Tue, 01 Jan 1980 00:00:00 GMT', undefined],
  ['Mon, 06 Nov 1995 08:49:37 GMT', '1995-11-06T08:49:37.000Z'],
])('Last-Modified: %s is delivered as %s', async (modified, delivered) => {
  const site = await startSite();
  site.set('/', { headers: { ...HTML, 'last-modified': modified }, body: '<title>a</title>b' });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  expect(getMeta(world.pushed().get(site.url('/'))?.metas, 'lastmodifieddate')).toBe(delivered);
});

it('feeds, whatever their type, and sitemaps of any name are followed, but are not documents', async () => {
  const site = await startSite();
  const rss = (path: string): string =>
    `<rss><channel><title>f</title><item><title>i</title><link>${site.url(path)}</link></item></channel></rss>`;
  site.page('/', ['/feed', '/atom', '/feed.json', '/map.xml', '/config.xml']);
  for (const path of ['/1', '/2', '/3']) site.page(path);
  site.set('/feed', { headers: XML, body: rss('/1') });
  site.set('/atom', {
    headers: { 'content-type': 'application/atom+xml' },
    body: `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${site.url('/2')}"/></entry></feed>`,
  });
  site.set('/feed.json', { headers: { 'content-type': 'application/feed+json' }, body: '{"title": "f", "items": []}' });
  site.set('/map.xml', { headers: XML, body: `<urlset><url><loc>${site.url('/3')}</loc></url></urlset>` });
  site.set('/config.xml', { headers: XML, body: '<config><feed><item><link>x</link></item></feed></config>' });
  const world = await crawl({ attributes: 'crawlSitemaps="true"', crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual(['/', '/1', '/2', '/3', '/config.xml'].map((path) => site.url(path)));
  for (const path of ['/feed', '/atom', '/feed.json'])
    expect(await world.state(site.url(path))).toMatchObject({ status: 'visited', reason: 'machine-readable' });
});

it('what robots.txt calls a sitemap is never a document, and is read although warnings of its program precede it', async () => {
  const site = await startSite();
  site.page('/').page('/a');
  site.set('/robots.txt', { body: `Sitemap: ${site.url('/map.php')}\nSitemap: ${site.url('/broken.php')}\n` });
  site.set('/map.php', {
    headers: HTML,
    body: `<br />\n<b>Warning</b>: x in <b>map.php</b><br />\n<?xml version="1.0"?><urlset><url><loc>${site.url('/a')}</loc></url></urlset>`,
  });
  site.set('/broken.php', { headers: HTML, body: '<b>Fatal error</b>: Uncaught Error in <b>broken.php</b>' });
  const world = await crawl({ attributes: 'crawlSitemaps="true"', crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
});

it('300 with a Location is followed; without one, it is an error', async () => {
  const site = await startSite();
  site.page('/', ['/choices', '/none']).page('/chosen');
  site.set('/choices', { status: 300, headers: { ...HTML, location: '/chosen' } });
  site.set('/none', { status: 300, headers: HTML, body: 'a or b' });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/chosen')]);
  expect(await world.state(site.url('/none'))).toMatchObject({ reason: 'http-other' });
});

it('a server that answers 406 to requests without Accept-Language is crawled', async () => {
  const site = await startSite();
  site.set('/', ({ headers }) =>
    headers['accept-language'] === undefined ? { status: 406 } : { headers: HTML, body: '<title>a</title>b' },
  );
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual([site.url('/')]);
});

it('with storeTextOnly, documents whose text cannot be extracted are delivered as bytes', async () => {
  const site = await startSite();
  site.page('/', ['/old.doc', '/damaged.pdf', '/fine.txt']);
  const doc = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1_000)]);
  site.set('/old.doc', { headers: { 'content-type': 'application/msword' }, body: doc });
  site.set('/damaged.pdf', { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4 damaged' });
  site.set('/fine.txt', { headers: { 'content-type': 'text/plain' }, body: 'fine' });
  const crawler = `<Root url="${site.url('/')}"/>`;
  const world = await crawl({ crawler, index: 'none', attributes: 'storeTextOnly="true"' });
  const parts = ['/old.doc', '/damaged.pdf', '/fine.txt', '/'].map((path) => {
    const { bytes, mimeType } = world.pushed().get(site.url(path))!.master;
    return [mimeType, Buffer.from(bytes, 'base64').length > 0];
  });
  expect(parts).toEqual([
    ['application/msword', true],
    ['application/pdf', true],
    ['text/plain', true],
    ['text/plain', true],
  ]);
});
