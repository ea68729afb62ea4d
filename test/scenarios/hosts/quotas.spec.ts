/** What crawlers may use, and what they have used. */
import { expect, it, onTestFinished } from 'vitest';
import { days, hours, instant, milliseconds, minutes } from '../../../src/domain/time/units.js';
import type { CrawlEvent } from '../../../src/engine/events.js';
import type { FetchEngine } from '../../../src/engine/ports/fetcher.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';
import { ManualClock } from '../../support/manual-clock.js';
import { refusals, start, startSite } from '../../support/scenario.js';

const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));
const ATTRIBUTES =
  'nthreads="1" aggressive="true" throttleTimeMS="0" defaultAccept="true" crawlSitemaps="false" smartRefreshMinAgeS="86400"';

const crawlerOf = (name: string, root: string): string =>
  `<Crawler name="${name}" ${ATTRIBUTES}><Root url="${root}"/><cw:PushTo sink="main"/></Crawler>`;

const quota = (limits: string, ...crawlers: string[]): string =>
  `<cw:Quota name="hr" ${limits}>${crawlers.map((name) => `<cw:Covers crawler="${name}"/>`).join('')}</cw:Quota>`;

/** A site whose pages have texts of their own. */
async function siteWithPages(count: number, size = 0): Promise<FakeSite> {
  const site = await startSite();
  const paths = Array.from({ length: count }, (_, n) => `/${n + 1}`);
  site.page('/', paths);
  for (const path of paths) site.page(path, [], `${`Words of ${path}. `.repeat(3)}${'x'.repeat(size)}`);
  return site;
}

function watch(world: CrawlWorld): CrawlEvent[] {
  const events: CrawlEvent[] = [];
  onTestFinished(world.engine.events.subscribe((event) => void (event.type === 'quota' && events.push(event))));
  return events;
}

const countPages = (site: FakeSite): number => site.requests.filter(({ path }) => path !== '/robots.txt').length;
const limitOf = async (world: CrawlWorld, name: string) => (await world.engine.getCrawler(name)).limitedBy;

it('stores no more URLs than a quota allows, and more once it is raised', async () => {
  const site = await siteWithPages(20);
  const settings = { crawler: crawlerOf('a', site.url('/')), clock: new ManualClock(NOON) };
  const world = await start({ ...settings, more: quota('maxUrls="8"', 'a') });
  await world.untilIdle();
  expect(await world.store.count({ crawler: 'a' })).toBe(8);
  expect((await refusals(world, 'a'))['quota-urls']!.length).toBeGreaterThan(0);
  expect(world.engine.reports.quotas.list()).toMatchObject([{ limit: 'urls', max: 8, used: 8, reached: true }]);
  await world.reconfigure({ ...settings, more: quota('maxUrls="15"', 'a') });
  await world.pass(days(6));
  expect(await world.store.count({ crawler: 'a' })).toBe(15);
});

it('indexes no more documents than a quota allows to two crawlers together, until it is raised', async () => {
  const [first, second] = [await siteWithPages(6), await siteWithPages(6)];
  const settings = { crawler: crawlerOf('a', first.url('/')) + crawlerOf('b', second.url('/')) };
  const world = await start({ ...settings, clock: new ManualClock(NOON), more: quota('maxDocuments="9"', 'a', 'b') });
  const events = watch(world);
  await world.untilIdle();
  expect(await world.indexed()).toHaveLength(9);
  const [refused] = await world.store.list({ crawler: 'b', reason: 'quota-documents' }, 0, 1);
  const { headline } = await world.engine.explanations.explain('b', refused!.url);
  expect(headline.text).toContain('A quota of the crawler allows no more documents in the index');
  expect(events).toMatchObject([{ quota: 'hr', limit: 'documents', max: 9, until: undefined }]);
  await world.reconfigure({ ...settings, more: quota('maxDocuments="12"', 'a', 'b') });
  await world.untilIdle();
  expect(await world.indexed()).toHaveLength(12);
});

it('keeps the documents in the index current when a quota has no room', async () => {
  const site = await siteWithPages(3);
  const world = await start({
    crawler: crawlerOf('a', site.url('/')),
    clock: new ManualClock(NOON),
    more: quota('maxDocuments="2"', 'a'),
  });
  await world.untilIdle();
  const [document] = await world.store.list({ crawler: 'a', indexed: true }, 0, 1);
  site.page(new URL(document!.url).pathname, [], 'Now it says something new.');
  await world.pass(days(3));
  expect(await world.indexed()).toHaveLength(2);
  expect((await world.state(document!.url, 'a'))!.changes).toBe(1);
});

it('fetches no more bytes a day than a quota allows, and goes on at midnight (UTC)', async () => {
  const site = await siteWithPages(10, 10_000);
  const clock = new ManualClock(NOON);
  const other = await siteWithPages(10);
  const crawler = crawlerOf('a', site.url('/')) + crawlerOf('b', other.url('/'));
  const world = await start({ crawler, clock, more: quota('maxBytesPerDay="35000"', 'a') });
  const events = watch(world);
  await world.pass(hours(11));
  const pages = countPages(site);
  expect(pages).toBeGreaterThanOrEqual(5); // the root, and the pages up to the one that passes the limit
  expect(pages).toBeLessThanOrEqual(7); // pages in flight are finished
  expect(countPages(other)).toBe(11);
  const midnight = instant(Date.parse('2026-06-02T00:00:00Z'));
  expect(await limitOf(world, 'a')).toEqual({ kind: 'quota', quota: 'hr', until: midnight });
  expect(events).toMatchObject([{ quota: 'hr', limit: 'bytes', max: 35_000, until: midnight }]);
  const [waiting] = await world.store.list({ crawler: 'a', status: 'waiting' }, 0, 1);
  const { headline } = await world.engine.explanations.explain('a', waiting!.url);
  expect(headline.text).toContain('quota hr are used up for today: nothing is fetched before 2026-06-02T00:00:00Z');
  await world.pass(hours(2));
  expect(countPages(site)).toBeGreaterThan(pages);
});

it('goes on at once when the bytes of a quota are raised', async () => {
  const site = await siteWithPages(10, 10_000);
  const settings = { crawler: crawlerOf('a', site.url('/')) };
  const world = await start({ ...settings, clock: new ManualClock(NOON), more: quota('maxBytesPerDay="35000"', 'a') });
  await world.pass(minutes(5));
  expect(countPages(site)).toBeLessThanOrEqual(7);
  await world.reconfigure({ ...settings, more: '' });
  await world.pass(minutes(5));
  expect(countPages(site)).toBe(11);
});

it('counts what each crawler uses by day', async () => {
  const site = await siteWithPages(4, 1_000);
  const clock = new ManualClock(NOON);
  const world = await start({ crawler: crawlerOf('a', site.url('/')), clock });
  await world.untilIdle();
  await world.pass(days(4));
  const entries = await world.engine.reports.usage.list({ from: '2026-06-01', to: '2026-06-09' });
  expect(entries[0]).toMatchObject({ day: '2026-06-01', crawler: 'a', visits: 5, urls: 5, documents: 5, rendering: 0 });
  expect(entries[0]!.bytes).toBeGreaterThan(4_000);
  expect(entries.length).toBeGreaterThan(1);
  expect(
    await world.engine.reports.usage.list({ from: '2026-06-01', to: '2026-06-01', crawlers: new Set(['b']) }),
  ).toEqual([]);
});

it('visits no page that has to be rendered once the minutes of a quota are used up, until the next day', async () => {
  const site = await siteWithPages(6);
  let rendered = 0;
  const world = await start({
    crawler: crawlerOf('a', site.url('/')).replace('nthreads="1"', 'nthreads="1" render="always"'),
    clock: new ManualClock(NOON),
    more: quota('maxRenderMinutesPerDay="2"', 'a'),
    engines: () => [slowBrowser(() => void rendered++)],
  });
  await world.pass(hours(11));
  expect(rendered).toBeGreaterThanOrEqual(3); // the one that passes two minutes, and pages in flight
  expect(rendered).toBeLessThanOrEqual(5);
  const waiting = await world.store.list({ crawler: 'a', reason: 'quota-rendering' }, 0, 10);
  expect(waiting).toHaveLength(7 - rendered);
  expect(new Set(waiting.map(({ dueAt }) => dueAt))).toEqual(new Set([Date.parse('2026-06-02T00:00:00Z')]));
  const before = rendered;
  await world.pass(hours(2));
  expect(rendered).toBeGreaterThan(before);
});

/** A browser that takes 50 seconds for each page, and returns it as it was sent. */
const slowBrowser = (onPage: () => void): FetchEngine => ({
  engine: 'browser',
  fetch: async ({ render }) => {
    onPage();
    const time = milliseconds(50_000);
    const rendering = { time, requests: 0, ownRequests: 0, refused: {}, bytes: 0, routes: [] };
    const timings = { header: milliseconds(0), total: time };
    return { kind: 'response', ...render!.page, transferred: 0, timings, rendering };
  },
  resolve: async () => undefined,
  close: async () => undefined,
});

it('lets two crawlers use one host in turn, however much one of them has to do', async () => {
  const site = await siteWithPages(40);
  const listed = (name: string, from: number, to: number): string =>
    `<Crawler name="${name}" ${ATTRIBUTES.replace('aggressive="true" throttleTimeMS="0"', 'throttleTimeMS="1000"')}>${Array.from({ length: to - from }, (_, n) => `<Root url="${site.url(`/${from + n}`)}"/>`).join('')}<cw:PushTo sink="main"/></Crawler>`;
  const world = await start({ crawler: listed('big', 1, 31) + listed('small', 31, 36), clock: new ManualClock(NOON) });
  await world.untilIdle();
  const order = site.requests.map(({ path }) => Number(path.slice(1))).filter((page) => page > 0);
  const lastOfSmall = Math.max(...order.flatMap((page, n) => (page > 30 ? [n] : [])));
  expect(order).toHaveLength(35);
  expect(lastOfSmall).toBeLessThan(14);
});
