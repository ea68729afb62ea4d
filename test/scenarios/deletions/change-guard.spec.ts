/**
 * Good statuses with wrong contents, on sites of three sizes, with default settings: no document is ever replaced or
 * deleted because of them, and everything is current when the site has recovered. What is really new is delivered.
 */
import { expect, it } from 'vitest';
import { hours } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import {
  countOrders,
  createPage,
  DAILY,
  getPaths,
  guardedCrawl,
  readStamps,
  recover,
  sitesFor,
  visitAll,
  write,
} from '../../support/guarded-sites.js';
import { crawl, startSite } from '../../support/scenario.js';
import { changeAll, FAULTS, HELD, NOINDEX } from '../../support/site-faults.js';

it.each(Object.entries(FAULTS))('%s changes no document, and everything is current afterwards', async (fault, make) => {
  const { sites, world, stamps } = await guardedCrawl(DAILY, sitesFor(Object.keys(FAULTS).indexOf(fault)));
  for (const guarded of sites) make(guarded);
  await visitAll(world);
  expect(await readStamps(world)).toEqual(stamps);
  if (HELD[fault]) expect((await world.engine.getMetrics()).heldDeletions).toBeGreaterThan(sites.length);
  for (const guarded of sites) recover(guarded);
  await world.pass(HELD[fault] ? hours(1) : hours(26));
  // At no moment has anything else been in the index.
  expect(await countOrders(world)).toEqual({ adds: stamps.size, deletes: 0 });
  expect(await readStamps(world)).toEqual(stamps);
  const indexed = await world.store.list({ crawler: 'test', status: 'indexed' }, 0, 1_000);
  expect(indexed.map(({ url }) => url).sort()).toEqual([...stamps.keys()].sort());
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
});

/** Waits until the host has been asked and its answers have been used: a page that is visited before all others waits an hour. */
async function visitOnce(world: CrawlWorld): Promise<void> {
  await visitAll(world, 1);
  await world.pass(hours(1));
}

it('a rewrite in which every page gets a new text of its own is delivered at once', async () => {
  const { sites, world, stamps } = await guardedCrawl();
  for (const guarded of sites)
    changeAll((path, _, { paths }) => createPage(`New ${path}`, write(`new ${path} ${paths.length}`), '', paths))(
      guarded,
    );
  await visitAll(world, 1);
  expect(await countOrders(world)).toEqual({ adds: 2 * stamps.size, deletes: 0 });
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
});

it('single pages that are emptied, rewritten or say noindex are believed', async () => {
  const { sites, world, stamps } = await guardedCrawl();
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('Nothing', ''));
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: stamps.size + sites.length, deletes: 0 });
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('New', write(`new ${paths.length}`)));
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: stamps.size + 2 * sites.length, deletes: 0 });
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('New', write(`new ${paths.length}`), NOINDEX));
  await visitOnce(world);
  expect((await countOrders(world)).deletes).toBe(sites.length);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
});

const parts = (page: number, count: number) =>
  Array.from({ length: count }, (_, i) => `BC${page * 97 + i * 13}X`).join(' ');

it.each([
  ['part numbers', (page: number) => parts(page, 60)],
  ['prices', (page: number) => `${write(`prices ${page}`, 12)} ${parts(page, 25)}`],
])(
  'pages of %s are not replaced by a maintenance page, or a list that the host shows to everybody',
  async (_, list) => {
    const site = await startSite();
    const paths = getPaths(30);
    site.set('/', createPage('Home', write('home'), '', paths));
    for (const [i, path] of paths.entries()) site.set(path, createPage(path, list(i)));
    const world = await crawl({ attributes: DAILY, crawler: `<Root url="${site.url('/')}"/>` });
    const stamps = await readStamps(world);
    for (const show of [
      () => write('maintenance'),
      (i: number) => `Back soon, we are working on the site. ${parts(100 + i, 20)}`,
      (i: number) => `${parts(99, 60)} at 12:${i}`,
    ]) {
      for (const [i, path] of paths.entries()) site.set(path, createPage('List', show(i)));
      await visitAll(world);
      expect(await readStamps(world)).toEqual(stamps);
      for (const [i, path] of paths.entries()) site.set(path, createPage(path, list(i)));
      await world.pass(hours(26));
      expect(await countOrders(world)).toEqual({ adds: stamps.size, deletes: 0 });
      expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
    }
  },
);

it('a page whose figures all change from visit to visit is delivered each time', async () => {
  const site = await startSite();
  const paths = getPaths(30);
  const setFigures = (visit: number) => {
    const figures = Array.from({ length: 80 - visit * 10 }, (_, i) => String((visit * 7_919 + i * 104_729) % 99_991));
    site.set('/figures', createPage('Figures', figures.join(' ')));
  };
  site.set('/', createPage('Home', write('home'), '', [...paths, '/figures']));
  for (const path of paths) site.set(path, createPage(path, write(path)));
  setFigures(0);
  const world = await crawl({ attributes: DAILY, crawler: `<Root url="${site.url('/')}"/>` });
  const { adds } = await countOrders(world);
  for (let visit = 1; visit <= 4; visit++) {
    setFigures(visit);
    await visitAll(world, 1);
    expect(await countOrders(world)).toEqual({ adds: adds + visit, deletes: 0 });
  }
});

it('pages of figures may all get the same few words, and lose them again', async () => {
  const site = await startSite();
  const paths = getPaths(12);
  const setAll = (words: number) => {
    const labels = Array.from({ length: words }, (_, i) => `column${'abcdefghijklmnopqrstuvwxyz'[i]}`);
    for (const [page, path] of paths.entries()) {
      const figures = Array.from({ length: 60 }, (_, i) => String((page * 7_919 + i * 104_729) % 99_991));
      site.set(path, createPage(path, [...labels, ...figures].join(' ')));
    }
  };
  site.set('/', createPage('Home', write('home'), '', paths));
  setAll(17);
  const world = await crawl({ attributes: DAILY, crawler: `<Root url="${site.url('/')}"/>` });
  const { adds } = await countOrders(world);
  for (const [visit, words] of [24, 17, 24].entries()) {
    setAll(words);
    await visitAll(world, 1);
    expect(await countOrders(world)).toEqual({ adds: adds + (visit + 1) * (adds - 1), deletes: 0 });
  }
});

it('print versions that always were the same may change together', async () => {
  const site = await startSite();
  const prints = Array.from({ length: 30 }, (_, i) => `/print-${i}`);
  const paths = [...getPaths(40), ...prints];
  const setPrints = (text: string) => {
    for (const path of prints) site.set(path, createPage('Print', text));
  };
  site.set('/', createPage('Home', write('home'), '', paths));
  for (const path of getPaths(40)) site.set(path, createPage(path, write(path)));
  setPrints(write('print'));
  const crawler = `<Root url="${site.url('/')}"/><cw:LeaveOut exactDuplicates="false"/>`;
  const world = await crawl({ attributes: DAILY, crawler });
  const { adds } = await countOrders(world);
  setPrints(write('a new print'));
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: adds + prints.length, deletes: 0 });
});

it('a robots.txt that forbids most of what is indexed deletes nothing until it is right again', async () => {
  const { sites, world, stamps } = await guardedCrawl();
  for (const { site } of sites) site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /\n' });
  await world.pass(hours(24));
  await visitAll(world);
  expect(await readStamps(world)).toEqual(stamps);
  const held = await world.engine.orders.listHeldDeletions();
  expect(held.map(({ reasons }) => reasons['directive-wave']).sort()).toEqual(
    sites.map(({ paths }) => paths.length).sort(),
  );
  for (const { site } of sites) site.set('/robots.txt', { status: 404 });
  await world.pass(hours(1));
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect((await countOrders(world)).deletes).toBe(0);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(stamps.size);
});

it('a robots.txt that forbids most of what is indexed to the agent of an option is held, too', async () => {
  const site = await startSite();
  const paths = getPaths(13);
  for (const path of paths) site.set(path, createPage(path, write(path)));
  site.set('/', createPage('Home', write('home'), '', paths));
  const option = '<cw:apply-for field="path" value="*"><cw:option name="fetcher" value="other"/></cw:apply-for>';
  const fetcher = (facts: string): string => `<cw:Fetcher ${facts}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>`;
  const world = await crawl({
    attributes: DAILY,
    crawler: `<Root url="${site.url('/')}"/><cw:Conditions>${option}</cw:Conditions>`,
    more: fetcher('name="default"') + fetcher('name="other" robotsAgent="otherbot"'),
  });
  await world.pass(hours(1));
  site.set('/robots.txt', { body: 'User-agent: otherbot\nDisallow: /\n' });
  await world.pass(hours(24));
  await visitAll(world);
  expect(await countOrders(world)).toEqual({ adds: 13, deletes: 0 });
});

it('a robots.txt that forbids a few pages is obeyed', async () => {
  const { sites, world } = await guardedCrawl();
  for (const { site } of sites) site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /topic-1$\n' });
  await world.pass(hours(24));
  await visitOnce(world);
  expect((await countOrders(world)).deletes).toBe(sites.length);
});

it('without the guard, whatever a page says is believed', async () => {
  const { sites, world, stamps } = await guardedCrawl(`${DAILY} changeGuard="false"`);
  for (const guarded of sites) HELD['a maintenance page']!(guarded);
  await visitOnce(world);
  expect((await countOrders(world)).adds).toBe(2 * stamps.size);
});
