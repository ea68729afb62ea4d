/** `cw:Content`: what of a page reaches a sink, and which change of it is one. */
import { expect, it } from 'vitest';
import { hours } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const HEAD = `<title>Anvils</title>
  <meta name=description content="All about anvils"><meta property="og:type" content=product><meta name=generator content=Hugo>
  <meta property="article:published_time" content="2024-05-01T12:00:00+02:00">
  <script type="application/ld+json">{"@type":"Product","name":"Anvil","offers":[{"@type":"Offer","price":"1,299.50"}],"brand":{"name":"Acme"}}</script>`;
const PAGE = `<!doctype html><html lang=en><head>${HEAD}</head><body>
  <nav class=top>Home Shop <a href=/linked>Linked</a></nav>
  <main><h1>Anvils</h1><p>The anvil weighs much.</p><!--googleoff: index--><p>Secretstuff.</p><!--googleon: index-->
  <h2>Care</h2><p>Keep it <b>dry</b>.</p><span class=sku data-sku="SKU 42">Item</span><p class=ad>Buybuybuy.</p>
  <div data-elastic-exclude>Hidden <i data-elastic-include>but shown</i></div></main>
  <footer>Imprint</footer></body></html>`;

const html = (body: string) => ({ body, headers: { 'content-type': 'text/html; charset=utf-8' } });

const MARKED = `<title>Marked</title><body>A <!--googleoff: all-->b<!--googleon: all--> <p data-nosnippet>c</p>
  <div data-elastic-exclude>d</div> <noindex>e <a href=/linked>f</a></noindex> <p data-swiftype-index="false">g</p> h`;

it.each([
  ['', 'A h'],
  ['<cw:Content><cw:Exclude select=".ad"/></cw:Content>', 'A h'],
  ['<cw:Content markers="none"/>', 'A b\nc\nd\ne f\ng\nh'],
])('obeys the markers of pages unless told otherwise: %j', async (content, text) => {
  const site = (await startSite()).set('/', html(MARKED)).page('/linked');
  const world = await crawl({ index: 'none', crawler: `<Root url="${site.url('/')}"/>${content}` });
  expect(world.pushed().get(site.url('/'))!.text).toBe(text);
  expect(await world.state(site.url('/linked'))).toMatchObject({ status: 'indexed' });
});

type Metas = readonly { readonly name: string; readonly value: string }[];
const valuesOf = (metas: Metas, name: string): string[] =>
  metas.flatMap((meta) => (meta.name === name ? [meta.value] : []));

it('delivers what selectors, markers and fields select, and follows all links of the page', async () => {
  const site = (await startSite()).set('/shop/anvil', html(PAGE)).page('/linked');
  const world = await crawl({
    index: 'none',
    crawler: `<Root url="${site.url('/shop/anvil')}" site="false"/>
      <cw:Content><cw:Include select="main"/><cw:Exclude select=".ad"/>
        <cw:Field name="sku" select=".sku" attribute="data-sku" match="SKU ([0-9]+)" type="number"/>
        <cw:Field name="price" jsonld="Product:offers.price" type="number"/>
        <cw:Field name="parts" select="h1, h2" multiple="true"/>
        <cw:Field name="area" url="path" match="^/([^/]+)/"/>
        <cw:Field name="tool" meta="Generator"/>
        <cw:Output headings="true" markdown="true" chunks="20"/></cw:Content>`,
  });
  const pushed = world.pushed().get(site.url('/shop/anvil'))!;
  expect(pushed.text).toBe('Anvils\nThe anvil weighs much.\nCare\nKeep it dry.\nItem\nbut shown');
  const names = [
    'sku',
    'price',
    'parts',
    'area',
    'tool',
    'description',
    'og:type',
    'date_published',
    'jsonld.brand.name',
  ];
  expect(Object.fromEntries(names.map((name) => [name, valuesOf(pushed.metas, name)]))).toEqual({
    sku: ['42'],
    price: ['1299.5'],
    parts: ['Anvils', 'Care'],
    area: ['shop'],
    tool: ['Hugo'],
    description: ['All about anvils'],
    'og:type': ['product'],
    date_published: ['2024-05-01T10:00:00.000Z'],
    'jsonld.brand.name': ['Acme'],
  });
  expect(pushed.headings).toEqual([
    { level: 1, text: 'Anvils', start: 0 },
    { level: 2, text: 'Care', start: 30 },
  ]);
  expect(pushed.markdown).toBe(
    '# Anvils\n\nThe anvil weighs much.\n\n## Care\n\nKeep it **dry**.\n\nItem\n\n*but shown*',
  );
  const id = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(pushed.chunks).toEqual([
    { id, text: 'Anvils\nThe anvil weighs much.', path: ['Anvils'], start: 0, end: 29 },
    { id, text: 'Care\nKeep it dry.\nItem\nbut shown', path: ['Anvils', 'Care'], start: 30, end: 62 },
  ]);
  expect(world.pushed().has(site.url('/linked'))).toBe(true);
});

it('lets a field replace every meta of its name', async () => {
  const site = (await startSite()).set('/a', html('<title>A</title><i>book</i>'));
  const fields = ['title', 'source', 'crawl_time', 'http_status', 'file_size'];
  const world = await crawl({
    index: 'none',
    crawler: `<Root url="${site.url('/a')}" site="false"/>
      <cw:Content>${fields.map((name) => `<cw:Field name="${name}" select="i"/>`).join('')}</cw:Content>`,
  });
  const { metas } = world.pushed().get(site.url('/a'))!;
  expect(fields.map((name) => valuesOf(metas, name))).toEqual(fields.map(() => ['book']));
});

it('sends a Push API server the selected content instead of the bytes', async () => {
  const site = (await startSite()).set('/', html(PAGE)).page('/linked');
  const crawler = `<Root url="${site.url('/')}"/><cw:Content main="true"/>`;
  const world = await crawl({ crawler });
  const found = async (word: string) =>
    (await (await fetch(`${world.index!.url}/?q=${word}`)).text()).includes(site.url('/'));
  expect(await Promise.all(['weighs', 'Imprint', 'Secretstuff'].map(found))).toEqual([true, false, false]);
});

it('uses another content definition for the URLs of a condition', async () => {
  const site = (await startSite()).set('/', html(PAGE)).set('/raw/', html(PAGE)).page('/linked', ['/raw/']);
  const world = await crawl({
    index: 'none',
    crawler: `<Root url="${site.url('/')}"/><cw:Content><cw:Include select="h1"/></cw:Content>
      <cw:Content name="footers"><cw:Include select="footer"/></cw:Content>
      <cw:Conditions default-allow="allow"><cw:apply-for test="wildcard" field="path" value="/raw/*">
        <cw:option name="content" value="footers"/></cw:apply-for></cw:Conditions>`,
  });
  expect(world.pushed().get(site.url('/'))!.text).toBe('Anvils');
  expect(world.pushed().get(site.url('/raw/'))!.text).toBe('Imprint');
});

const visits = async (content: string, change: (visit: number) => string, attributes = ''): Promise<number> => {
  const site = await startSite();
  site.set('/', html(change(0)));
  const world = await crawl({
    index: 'none',
    attributes: `smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="3600" ${attributes}`,
    crawler: `<Root url="${site.url('/')}"/>${content}`,
  });
  for (let visit = 1; visit <= 10; visit++) {
    site.set('/', html(change(visit)));
    await world.pass(hours(1.1));
    await world.untilIdle();
  }
  expect(site.requests.filter(({ path }) => path === '/').length).toBeGreaterThan(10);
  return world.orders().filter(({ kind }) => kind === 'add').length;
};

it('ignores a changing token in the markup over ten visits', async () => {
  const page = (visit: number): string =>
    `<title>t</title><form><input type=hidden value=${visit * 7919}></form><p>Same</p>`;
  expect(await visits('', page)).toBe(1);
  expect(await visits('<cw:Content changeDetection="bytes"/>', page)).toBe(11);
});

it('ignores a changing footer that is excluded', async () => {
  const page = (visit: number): string => `<title>t</title><p>Same</p><footer>Visitor ${visit}</footer>`;
  expect(await visits('<cw:Content><cw:Exclude select="footer"/></cw:Content>', page)).toBe(1);
  expect(await visits('', page)).toBe(11);
});

it('delivers microdata beside JSON-LD, with its dates, when the crawler has a Content', async () => {
  const page = `<title>t</title><article itemscope itemtype="https://schema.org/Article"><b itemprop=headline>News</b>
    <time itemprop=datePublished datetime=2024-05-01>May</time></article>`;
  const site = (await startSite()).set('/', html(page));
  const names = ['microdata.headline', 'microdata.type', 'date_published'];
  const metas = async (content: string) => {
    const world = await crawl({ index: 'none', crawler: `<Root url="${site.url('/')}"/>${content}` });
    const found = world.pushed().get(site.url('/'))!.metas;
    return names.map((name) => valuesOf(found, name));
  };
  expect(await metas('<cw:Content/>')).toEqual([['News'], ['Article'], ['2024-05-01T00:00:00.000Z']]);
  expect(await metas('<cw:Content metas="false"/>')).toEqual([[], [], []]);
});
