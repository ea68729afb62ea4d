/**
 * Good statuses with wrong contents, on sites of three sizes, with default settings: no document is ever replaced or
 * deleted because of them, and everything is current when the site has recovered. What is really new is delivered.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/adapters/storage/sqlite/sqlite-store.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { type FakeAnswer, type FakePage, type FakeSite, html } from '../../support/fake-site.js';
import { ManualClock } from '../../support/manual-clock.js';
import { crawl, start, startSite } from '../../support/scenario.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const SIZES = [3, 13, 121];
const ATTRIBUTES = 'smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400" throttleTimeMS="100"';

const VOCABULARY =
  'river stone cloud garden window silver market engine paper bridge forest candle harbour mirror violin';
const WORDS = VOCABULARY.split(' ');

/** A text of about 500 characters that shares no sequence of words with that of another seed. */
function write(seed: string): string {
  let state = [...seed].reduce((hash, letter) => (Math.imul(hash, 31) + letter.codePointAt(0)!) >>> 0, 7);
  return Array.from({ length: 70 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length]!;
  }).join(' ');
}

const createPage = (title: string, text: string, head = '', links: readonly string[] = []): FakeAnswer => ({
  headers: HTML,
  body: html(title, links, text).replace('</head>', `${head}</head>`),
});

const getPaths = (size: number): string[] => Array.from({ length: size - 1 }, (_, i) => `/topic-${i}`);

interface GuardedSite {
  readonly site: FakeSite;
  readonly paths: readonly string[];
  readonly pages: ReadonlyMap<string, FakeAnswer>;
}

async function guardedSite(size: number, i: number): Promise<GuardedSite> {
  const site = await startSite(`127.0.0.${i + 2}`);
  const paths = getPaths(size);
  const pages = new Map([
    ['/', createPage('Home', write(`home ${size}`), '', paths)],
    ...paths.map((path) => [path, createPage(`Page ${path}`, write(`${size} ${path}`))] as const),
  ]);
  for (const [path, page] of pages) site.set(path, page);
  return { site, paths: ['/', ...paths], pages };
}

async function guardedCrawl(crawler = '', attributes = ATTRIBUTES) {
  const sites = await Promise.all(SIZES.map(guardedSite));
  const roots = sites.map(({ site }) => `<Root url="${site.url('/')}"/>`).join('');
  const world = await crawl({ attributes, crawler: roots + crawler });
  const stamps = await readStamps(world);
  expect(stamps.size).toBe(SIZES.reduce((sum, size) => sum + size, 0));
  await world.pass(hours(1));
  return { sites, world, stamps };
}

/** What the index holds: the stamp of the newest acknowledged order of each document. */
async function readStamps(world: CrawlWorld): Promise<Map<string, string | undefined>> {
  const states = await world.store.list({ crawler: 'test', indexed: true }, 0, 1_000);
  return new Map(states.map(({ url, stamp }) => [url, stamp]));
}

async function visitAll(world: CrawlWorld, rounds = 2): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(30));
  }
}

/** The number of orders of each kind that the sinks have acknowledged since the first crawl. */
async function countOrders(world: CrawlWorld) {
  const list = async (kind: 'add' | 'delete') =>
    (await world.engine.orders.list({ kind, state: 'acknowledged' }, undefined, 5_000)).length;
  return { adds: await list('add'), deletes: await list('delete') };
}

const MAINTENANCE = createPage('Wartung', 'We are working on our site and will be back for you as soon as we can.');
const LOGIN = createPage('Sign in', `Please sign in with the name and password of your account. ${write('login')}`);
const NOINDEX = '<meta name="robots" content="noindex">';

type Fault = (guarded: GuardedSite) => void;

const setAll =
  (fault: FakePage): Fault =>
  ({ site, paths }) => {
    for (const path of paths) site.set(path, fault);
    site.otherwise(fault);
  };

const changeAll =
  (change: (path: string, page: FakeAnswer, guarded: GuardedSite) => FakeAnswer): Fault =>
  (guarded) => {
    for (const [path, page] of guarded.pages) guarded.site.set(path, change(path, page, guarded));
  };

const addToHead = (page: FakeAnswer, head: string): FakeAnswer => ({
  ...page,
  body: String(page.body).replace('</head>', `${head}</head>`),
});

const FAULTS: Record<string, Fault> = {
  'a maintenance page': setAll(MAINTENANCE),
  'a maintenance page that names the time and the page': setAll(({ url }) =>
    createPage('Maintenance', `It is ${Date.now()}, and ${url} is being worked on. ${write('maintenance')}`),
  ),
  'a login form': setAll(LOGIN),
  'an empty answer': setAll({ headers: HTML, body: '' }),
  'the home page instead of every page': (guarded) => setAll(guarded.pages.get('/')!)(guarded),
  'a maintenance page on half of the site': ({ site, paths }) => {
    for (const [i, path] of paths.entries()) if (i % 2 === 1 || i === 2) site.set(path, MAINTENANCE);
  },
  'noindex in the template': changeAll((_, page) => addToHead(page, NOINDEX)),
  'X-Robots-Tag on every answer': changeAll((_, page) => ({
    ...page,
    headers: { ...HTML, 'x-robots-tag': 'noindex' },
  })),
  'a canonical URL that names the home page': changeAll((_, page) =>
    addToHead(page, '<link rel="canonical" href="/">'),
  ),
};

it.each(Object.keys(FAULTS))('%s changes no document, and everything is current afterwards', async (fault) => {
  const { sites, world, stamps } = await guardedCrawl();
  for (const guarded of sites) FAULTS[fault]!(guarded);
  await visitAll(world);
  expect(await readStamps(world)).toEqual(stamps);
  expect((await world.engine.getMetrics()).heldDeletions).toBeGreaterThan(SIZES.length);
  for (const { site, pages } of sites) {
    for (const [path, page] of pages) site.set(path, page);
    site.otherwise({ status: 404 });
  }
  await world.pass(hours(1));
  expect(await countOrders(world)).toEqual({ adds: stamps.size, deletes: 0 });
  expect(await readStamps(world)).toEqual(stamps);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(stamps.size);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
});

/** Waits until the host has been asked and its answers have been used. */
async function visitOnce(world: CrawlWorld): Promise<void> {
  await visitAll(world, 1);
}

it('a rewrite in which every page gets a new text of its own is delivered at once', async () => {
  const { sites, world, stamps } = await guardedCrawl();
  for (const guarded of sites)
    changeAll((path, _, { paths }) => createPage(`New ${path}`, write(`new ${path} ${paths.length}`), '', paths))(
      guarded,
    );
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: 2 * stamps.size, deletes: 0 });
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
});

it('single pages that are emptied, rewritten or say noindex are believed', async () => {
  const { sites, world, stamps } = await guardedCrawl();
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('Nothing', ''));
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: stamps.size + SIZES.length, deletes: 0 });
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('New', write(`new ${paths.length}`)));
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: stamps.size + 2 * SIZES.length, deletes: 0 });
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('New', write(`new ${paths.length}`), NOINDEX));
  await visitOnce(world);
  expect((await countOrders(world)).deletes).toBe(SIZES.length);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
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
  const world = await crawl({ attributes: ATTRIBUTES, crawler });
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
  expect(held.map(({ reasons }) => reasons['directive-wave']).sort()).toEqual([...SIZES].sort());
  for (const { site } of sites) site.set('/robots.txt', { status: 404 });
  await world.pass(hours(1));
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect((await countOrders(world)).deletes).toBe(0);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(stamps.size);
});

it('a robots.txt that forbids a few pages is obeyed', async () => {
  const { sites, world } = await guardedCrawl();
  for (const { site } of sites) site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /topic-1$\n' });
  await world.pass(hours(24));
  await visitOnce(world);
  expect((await countOrders(world)).deletes).toBe(SIZES.length);
});

it('without the guard, whatever a page says is believed', async () => {
  const { sites, world, stamps } = await guardedCrawl('', `${ATTRIBUTES} changeGuard="false"`);
  for (const guarded of sites) FAULTS['a maintenance page']!(guarded);
  await visitOnce(world);
  expect((await countOrders(world)).adds).toBe(2 * stamps.size);
});

/** A site of 13 pages that says on all of them that it is being worked on. */
async function heldSite(crawler = '') {
  const guarded = await guardedSite(13, 0);
  const { site, paths } = guarded;
  const file = join(temporaryDirectory(), 'crawlway.db');
  const clock = new ManualClock();
  const begin = async (): Promise<CrawlWorld> =>
    start({
      attributes: ATTRIBUTES,
      crawler: `<Root url="${site.url('/')}"/>${crawler}`,
      index: 'none',
      clock,
      store: await openSqliteStore(file),
    });
  const world = await begin();
  await world.untilIdle();
  FAULTS['a maintenance page']!(guarded);
  await visitAll(world, 1);
  const { hostKey } = (await world.state(site.url('/')))!;
  return { ...guarded, world, begin, hostKey, count: paths.length };
}

it('what is held is told with its cause, its number, its effect and its text', async () => {
  const { world, site, hostKey, count } = await heldSite();
  const [held] = await world.engine.orders.listHeldDeletions();
  expect(held).toMatchObject({
    hostKey,
    count,
    awaiting: count,
    reasons: { 'one-page-everywhere': count },
    changes: [{ cause: 'one-page-everywhere', count, replaces: count, deletes: 0 }],
  });
  expect((await world.engine.getMetrics()).heldChanges).toContainEqual({ cause: 'one-page-everywhere', count });
  const samples = await world.engine.orders.compareHeldChanges(hostKey);
  expect(samples).toHaveLength(5);
  for (const { title, finding } of samples) {
    expect(title).not.toBe('Wartung');
    expect(finding).toContain('the page says: "We are working on our site');
  }
  const { headline } = await world.engine.explanations.explain('test', site.url('/topic-3'));
  expect(headline).toMatchObject({ fate: 'in-index', reason: 'one-page-everywhere' });
  expect(headline.text).toContain('which would replace its document, but the change is held');
  expect(headline.nextStep).toContain('release the held changes of the host');
});

it.each(['in the same process', 'after a restart'])('a released change is believed %s', async (when) => {
  const { world: before, begin, hostKey, count } = await heldSite();
  let world = before;
  expect(await world.engine.orders.releaseHeldDeletions(hostKey, 'emptied')).toBe(0);
  if (when === 'after a restart') {
    await before.close();
    world = await begin();
    await world.untilIdle();
  }
  const { adds } = await countOrders(world);
  expect(await world.engine.orders.releaseHeldDeletions(hostKey, 'one-page-everywhere')).toBe(count);
  await world.pass(minutes(30));
  expect((await countOrders(world)).adds).toBe(adds + count);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
});

it('a dropped change leaves the document as it was', async () => {
  const { world, hostKey, count } = await heldSite();
  await world.engine.setRunState('test', 'paused');
  expect(await world.engine.orders.dropHeldDeletions(hostKey)).toBe(count);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  await world.engine.setRunState('test', 'running');
  await visitAll(world, 1);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  expect((await world.engine.getMetrics()).heldDeletions).toBe(count);
});

it('a change is believed by itself only after the time that an operator has set', async () => {
  const { world, count } = await heldSite('<cw:ChangeGuard believeAfterHours="48"/>');
  await world.pass(hours(46));
  expect((await countOrders(world)).adds).toBe(count);
  await world.pass(hours(30));
  expect((await countOrders(world)).adds).toBe(2 * count);
});

it('a wave that begins after a restart with held changes is held, too, and a site that recovers meanwhile is current', async () => {
  const { world: before, begin, site, pages, count } = await heldSite();
  await before.close();
  for (const [path, page] of pages) site.set(path, page);
  const world = await begin();
  await world.pass(hours(1));
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(count);
});

it('a host that refuses connections, or whose pages are gone, releases nothing', async () => {
  const { world, site, paths, count } = await heldSite();
  await site.goDown();
  await world.pass(hours(2));
  await site.comeBack();
  for (const path of paths) site.set(path, { status: 404 });
  await visitAll(world, 1);
  const held = await world.engine.orders.list({ state: 'awaiting' }, undefined, 100);
  expect(held.filter(({ reason }) => reason === 'one-page-everywhere')).toEqual([]);
  expect((await countOrders(world)).adds).toBe(count);
});
