import { expect, it } from 'vitest';
import { days, minutes, seconds } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { TestPlugins } from '../../support/plugins.js';
import { crawl, start, startSite } from '../../support/scenario.js';

const PATHS = ['/a', '/b', '/c', '/d', '/e', '/f'];

async function siteOf(paths: readonly string[] = PATHS): Promise<FakeSite> {
  const site = await startSite();
  site.page('/', paths);
  for (const path of paths) site.page(path);
  return site;
}

/** A plug-in that is asked for every document; `fails` is JavaScript. */
function plugin(plugins: TestPlugins, fails: string, attributes = ''): string {
  const text = `let calls = 0; const kept = [];
    export default { apiVersion: 1, onDocument({ url }) { calls++; ${fails}; return { metas: { calls: String(calls) } }; } };`;
  return `<cw:Plugin file="${plugins.write('p.mjs', text)}" ${attributes}/>`;
}

const indexed = (site: FakeSite, world: CrawlWorld): string[] =>
  [...world.pushed().keys()].map((url) => url.slice(site.origin.length)).sort();

async function visitOf(world: CrawlWorld, url: string) {
  const state = await world.state(url);
  const [visit] = await world.store.listVisits(state!.id, 1);
  return visit;
}

it('a page in which a plug-in throws has an error with its place, and all others are indexed', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf();
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: plugin(plugins, `if (url.endsWith('/c')) throw new Error('no C here')`),
    plugins: plugins.host,
  });
  expect(indexed(site, world)).toEqual(['/', '/a', '/b', '/d', '/e', '/f']);
  expect(await visitOf(world, site.url('/c'))).toMatchObject({
    outcome: 'plugin-failed',
    detail: expect.stringMatching(/p onDocument: Error: no C here\n.*p\.mjs:2/),
  });
});

it('with onFailure="skip" the page is indexed without the failed plug-in', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf(['/c']);
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: plugin(plugins, `if (url.endsWith('/c')) throw new Error('no C here')`, 'onFailure="skip"'),
    plugins: plugins.host,
  });
  expect(indexed(site, world)).toEqual(['/', '/c']);
  expect(plugins.host.listViews()).toMatchObject([{ calls: [{ hook: 'onDocument', answered: 1, failed: 1 }] }]);
});

it('a plug-in that refuses every order leaves the sink in service', async () => {
  const plugins = new TestPlugins();
  const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
  const site = await siteOf(paths);
  const file = plugins.write(
    'p.mjs',
    `export default { apiVersion: 1, onOrder: () => ({ refuse: 'not for this index' }) };`,
  );
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: `<cw:Plugin file="${file}"/>`,
    plugins: plugins.host,
  });
  expect(world.engine.listSinks()).toMatchObject([{ state: 'ready', pending: 0, refused: 13 }]);
});

it('a page in which a plug-in hangs fails, and all others are indexed', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf();
  const world = await start({
    // One page at a time: nothing else waits for the plug-in while its time runs out.
    attributes: 'nthreads="1"',
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: plugin(plugins, `if (url.endsWith('/c')) { console.log('it hangs'); for (;;); }`),
    plugins: plugins.host,
  });
  const crawled = world.untilIdle();
  await plugins.said('it hangs');
  plugins.clock.advance(seconds(5));
  plugins.clock.advance(seconds(2));
  await crawled;
  expect(indexed(site, world)).toEqual(['/', '/a', '/b', '/d', '/e', '/f']);
  expect(await visitOf(world, site.url('/c'))).toMatchObject({
    outcome: 'plugin-failed',
    detail: expect.stringContaining('p onDocument: it took longer than 5 s'),
  });
  expect(plugins.host.listViews()).toMatchObject([{ state: 'ready', restarts: 1 }]);
});

it('a plug-in that leaks memory is restarted as often as needed, and every page is indexed', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf();
  const world = await crawl({
    attributes: 'nthreads="1"',
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: plugin(plugins, 'kept.push(Buffer.alloc(48 * 1024 * 1024, 1))', 'memoryLimitBytes="201326592"'),
    plugins: plugins.host,
  });
  expect(indexed(site, world)).toEqual(['/', ...PATHS]);
  const [view] = plugins.host.listViews();
  expect(view?.restarts).toBeGreaterThan(0);
  expect(view?.lastError?.message).toBe('it used more than 192 MB of memory');
});

it('a document stays in the index while a plug-in fails, and is updated when it is repaired', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf(['/a']);
  const failing = plugin(plugins, `if (calls > 2) throw new Error('broken')`);
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    more: failing,
    plugins: plugins.host,
  });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  site.page('/a', [], 'Another text.');
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle();
  expect(await visitOf(world, site.url('/a'))).toMatchObject({ outcome: 'plugin-failed' });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  plugin(plugins, '');
  plugins.clock.advance(minutes(1));
  // The next visit has its file looked at, the one after that meets the new version.
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle();
  await plugins.said('p: loaded', 2);
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle();
  expect(await visitOf(world, site.url('/a'))).toMatchObject({ outcome: 'document', changed: true });
});

it('pages of a plug-in that cannot be loaded are not fetched', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf();
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: `<cw:Plugin file="${plugins.write('p.mjs', 'export default {')}"/>`,
    plugins: plugins.host,
  });
  expect(site.fetched).toEqual([]);
  expect(await visitOf(world, site.url('/'))).toMatchObject({
    outcome: 'plugin-failed',
    detail: expect.stringContaining('p onUrl: it cannot be loaded: SyntaxError'),
  });
});

it('an order for which a plug-in fails is refused, deletions go out, and a plug-in sink that throws gets its orders later', async () => {
  const plugins = new TestPlugins();
  const site = await siteOf(['/a', '/b']);
  const text = `let calls = 0;
    export default { apiVersion: 1,
      onOrder({ sink, kind, uri }) { if (sink === 'main' && uri.endsWith('/b')) throw new Error('not ' + kind); },
      sink: { deliver(orders) { if (calls++ === 0) throw new Error('the disk is full'); return orders.map(() => true); } } };`;
  const world = await crawl({
    crawler: `<Crawler name="test" nthreads="8" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false">
      <Root url="${site.url('/')}"/><cw:PushTo sink="main"/><cw:PushTo sink="own"/></Crawler>`,
    index: 'none',
    more: `<cw:Plugin file="${plugins.write('p.mjs', text)}"/><cw:Sink name="own" type="plugin" url="plugin:p"/>`,
    plugins: plugins.host,
  });
  expect(indexed(site, world)).toEqual(['/', '/a']);
  const orders = await world.store.listOrders({ uri: site.url('/b') }, undefined, 10);
  expect(orders).toMatchObject([
    { state: 'refused', answer: expect.stringMatching(/^main: plugin-failed: p onOrder: Error: not add/) },
  ]);
  const own = world.engine.listSinks().find(({ name }) => name === 'own');
  expect(own).toMatchObject({ state: 'ready', acknowledged: 3, refused: 0 });
  site.remove('/b');
  await world.pass(days(2));
  const later = await world.store.listOrders({ uri: site.url('/b'), kind: 'delete' }, undefined, 10);
  // The first one waits for a sign of life, and is replaced.
  expect(later.map(({ state }) => state)).toEqual(['acknowledged', 'cancelled']);
});
