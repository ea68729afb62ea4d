import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { html } from '../support/fake-site.js';
import { TestPlugins } from '../support/plugins.js';
import { crawl, startSite } from '../support/scenario.js';

const PAGE = readFileSync(join(PROJECT_ROOT, 'docs/plugins.md'), 'utf8');

/** The examples as they stand in docs/plugins.md, by file name. */
const EXAMPLES = new Map(
  [...PAGE.matchAll(/```js (plugins\/\S+)\n(.*?)```/gs)].map(([, name, text]) => [name!, text!]),
);

it('the five examples of docs/plugins.md work as described, in one crawl', async () => {
  expect([...EXAMPLES.keys()].sort()).toEqual(
    ['envelope', 'folder', 'price', 'stock', 'vcard'].map((n) => `plugins/${n}.mjs`),
  );
  const plugins = new TestPlugins();
  for (const [name, text] of EXAMPLES) plugins.write(name, text);
  plugins.write('retired.txt', 'old-lamp\n');
  const documents = join(plugins.folder, 'documents');
  const site = await startSite();
  const links = [
    '/product/lamp',
    '/product/chair',
    '/product/old-lamp',
    '/partner/page',
    '/api/news',
    '/api/draft',
    '/ada.vcf',
  ];
  const json = (value: unknown) => ({ body: JSON.stringify(value), headers: { 'content-type': 'application/json' } });
  const offer = JSON.stringify({ '@type': 'Product', name: 'Lamp', offers: { '@type': 'Offer', price: '49.90' } });
  site
    .page('/', links)
    .set('/product/lamp', { body: html('Lamp', [], `<script type="application/ld+json">${offer}</script>`) })
    .page('/product/chair', [], 'Now only 12,50 EUR.')
    .page('/product/old-lamp')
    .page('/partner/page', [], 'word '.repeat(400))
    .set('/api/news', json({ html: html('News', ['/more'], 'Write to ada@example.com.') }))
    .set('/api/draft', json({ draft: true }))
    .page('/more')
    .set('/ada.vcf', {
      body: 'BEGIN:VCARD\r\nFN:Ada Lovelace\r\nTITLE:Analyst\r\nORG:Engines\r\nURL:/ada\r\nEND:VCARD\r\n',
      headers: { 'content-type': 'text/vcard' },
    })
    .page('/ada');
  const element = (name: string, settings = ''): string =>
    `<cw:Plugin file="${join(plugins.folder, 'plugins', `${name}.mjs`)}">${settings}</cw:Plugin>`;
  const setting = (name: string, value: string): string => `<cw:Setting name="${name}" value="${value}"/>`;
  mkdirSync(documents);
  const world = await crawl({
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
      <Root url="${site.url('/')}"/><cw:PushTo sink="main"/><cw:PushTo sink="own"/></Crawler>`,
    more: `${element('price', setting('currency', 'CHF'))}
      ${element('stock', setting('list', join(plugins.folder, 'retired.txt')))}
      ${element('envelope')}${element('vcard')}${element('folder', setting('folder', documents))}
      <cw:Sink name="own" type="plugin" url="plugin:folder"/>`,
    index: 'none',
    plugins: plugins.host,
  });
  const pushed = world.pushed();
  const metas = (path: string) =>
    Object.fromEntries((pushed.get(site.url(path))?.metas ?? []).map(({ name, value }) => [name, value]));
  expect(metas('/product/lamp')).toMatchObject({ price: '49.90', currency: 'CHF' });
  expect(metas('/product/chair')).toMatchObject({ price: '12.50', currency: 'CHF' });
  expect(await world.state(site.url('/product/old-lamp'))).toMatchObject({ reason: 'excluded-by-plugin' });
  const partner = site.requests.find(({ path }) => path === '/partner/page');
  expect(partner?.headers['x-partner']).toBe('crawl');
  expect(pushed.get(site.url('/api/news'))?.text).toContain('Write to [email address].');
  expect(await world.state(site.url('/api/draft'))).toMatchObject({ reason: 'excluded-by-plugin' });
  expect(pushed.get(site.url('/ada.vcf'))?.text).toBe('Ada Lovelace\nAnalyst');
  expect(metas('/ada.vcf')).toMatchObject({ title: 'Ada Lovelace', organisation: 'Engines' });
  expect(site.fetched).toEqual([
    '/',
    '/ada',
    '/ada.vcf',
    '/api/draft',
    '/api/news',
    '/more',
    '/partner/page',
    '/product/chair',
    '/product/lamp',
  ]);
  expect(pushed.get(site.url('/partner/page'))?.text).toHaveLength(1000);
  const files = readdirSync(documents).map(
    (name) => JSON.parse(readFileSync(join(documents, name), 'utf8')) as { uri: string },
  );
  expect(files.map(({ uri }) => uri).sort()).toEqual([...pushed.keys()].sort());
  expect(plugins.host.listViews().map(({ state, restarts }) => `${state} ${restarts}`)).toEqual(
    Array(5).fill('ready 0'),
  );
});
