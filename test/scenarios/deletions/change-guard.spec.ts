/**
 * Good statuses with wrong contents, on sites of three sizes, with default settings: no document is ever replaced or
 * deleted because of them, and everything is current when the site has recovered. What is really new is delivered.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/adapters/storage/sqlite/sqlite-store.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeAnswer, FakePage } from '../../support/fake-site.js';
import {
  countOrders,
  createPage,
  DAILY,
  type GuardedSite,
  getPaths,
  guardedCrawl,
  guardedSite,
  HTML,
  readStamps,
  recover,
  visitAll,
  write,
} from '../../support/guarded-sites.js';
import { ManualClock } from '../../support/manual-clock.js';
import { crawl, start, startSite } from '../../support/scenario.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const MAINTENANCE = createPage('Wartung', 'We are working on our site and will be back for you as soon as we can.');
const LOGIN = createPage('Sign in', `Please sign in with the name and password of your account. ${write('login')}`);
const UNAVAILABLE = 'This service is temporarily unavailable. Please try again later.';
const NOINDEX = '<meta name="robots" content="noindex">';
const NOT_FOUND = { status: 404 };

type Fault = (guarded: GuardedSite) => void;

/** @param nonsense what the host sends for other URLs */
const setAll =
  (fault: FakePage, nonsense: FakePage = fault): Fault =>
  ({ site, paths }) => {
    for (const path of paths) site.set(path, fault);
    site.otherwise(nonsense);
  };

const changeAll =
  (change: (path: string, page: FakeAnswer, guarded: GuardedSite) => FakePage): Fault =>
  (guarded) => {
    for (const [path, page] of guarded.pages) guarded.site.set(path, change(path, page, guarded));
  };

const addToHead = (page: FakeAnswer, head: string): FakeAnswer => ({
  ...page,
  body: String(page.body).replace('</head>', `${head}</head>`),
});

const redirectAll =
  (target: FakePage, getLocation: (path: string) => string): Fault =>
  (guarded) => {
    changeAll((path) => ({ status: 302, headers: { location: getLocation(path) } }))(guarded);
    guarded.site.set('/out', target);
  };

/** The connection ends in the middle of the body. */
const cut =
  (body: string, headers: Record<string, string>): FakePage =>
  (_, response) => {
    response.writeHead(200, { ...HTML, ...headers });
    response.write(body.slice(0, body.length >> 1));
    setImmediate(() => response.destroy());
    return undefined;
  };

const challenge = (status: number, headers: Record<string, string>, body = ''): Fault =>
  setAll({ status, headers: { ...HTML, ...headers }, body });

let incidents = 0;
const INTERSTITIAL = '<title>Just a moment...</title><script>window._cf_chl_opt = {cvId: "3"};</script>';

/** Faults that are seen in the pages, so that what the pages would change is held. */
const HELD: Record<string, Fault> = {
  'a maintenance page': setAll(MAINTENANCE),
  'a maintenance page on a host that knows which pages exist': setAll(MAINTENANCE, NOT_FOUND),
  'a maintenance page that names the time and the page': setAll(({ url }) =>
    createPage('Maintenance', `It is ${Date.now()}, and ${url} is being worked on. ${write('maintenance')}`),
  ),
  'a maintenance page with a number of its own each time': setAll(
    () => createPage('Wartung', `Vorübergehend nicht erreichbar. Nummer x${++incidents}y`),
    NOT_FOUND,
  ),
  'a maintenance page that keeps the titles': changeAll((path) => createPage(`Page ${path}`, UNAVAILABLE)),
  'a short text of a proxy': setAll(
    { headers: { 'content-type': 'text/plain' }, body: 'no healthy upstream' },
    NOT_FOUND,
  ),
  'an error in JSON': setAll({ headers: { 'content-type': 'application/json' }, body: '{"error":500}' }, NOT_FOUND),
  'an error below the navigation of the site': changeAll((path, _, { frame }) => frame(`Page ${path}`, UNAVAILABLE)),
  'nothing below the navigation of the site': changeAll((path, _, { frame }) => frame(`Page ${path}`, '')),
  'the page of a web server without a site': setAll(
    createPage('Welcome to nginx!', `If you see this page, the web server is installed. ${write('nginx', 20)}`),
    NOT_FOUND,
  ),
  'a domain for sale': setAll(createPage('Domain', `${write('insurance loans cars', 30)}`)),
  'a login form': setAll(LOGIN),
  'an empty answer': setAll({ headers: HTML, body: '' }),
  'an empty answer with 204': setAll({ status: 204 }, NOT_FOUND),
  'an application that needs scripts': setAll(
    createPage('App', '<div id="root"></div><script src="/app.js"></script>'),
  ),
  'the home page instead of every page': (guarded) => setAll(guarded.pages.get('/')!)(guarded),
  'a maintenance page on half of the site': ({ site, paths }) => {
    for (const [i, path] of paths.entries()) if (i % 2 === 1) site.set(path, MAINTENANCE);
  },
  'noindex in the template': changeAll((_, page) => addToHead(page, NOINDEX)),
  'noindex on a maintenance page': setAll(addToHead(MAINTENANCE, NOINDEX), NOT_FOUND),
  'X-Robots-Tag on every answer': changeAll((_, page) => ({
    ...page,
    headers: { ...HTML, 'x-robots-tag': 'noindex' },
  })),
  'a date in the past until which pages are available': changeAll((_, page) =>
    addToHead(page, '<meta name="robots" content="unavailable_after: 2001-01-01">'),
  ),
  'a canonical URL that names the home page': changeAll((_, page) =>
    addToHead(page, '<link rel="canonical" href="/">'),
  ),
};

/** Faults that make visits fail, or make no difference. */
const FAILURES: Record<string, Fault> = {
  'a challenge with 403': challenge(403, { 'cf-mitigated': 'challenge' }),
  'a challenge with 405': challenge(405, { 'x-amzn-waf-action': 'captcha' }),
  'a challenge with 202': challenge(202, { 'x-amzn-waf-action': 'challenge' }),
  'a challenge with 200': challenge(200, {}, INTERSTITIAL),
  'bodies that end before their length': changeAll((_, { body }) =>
    cut(String(body), { 'content-length': String(String(body).length) }),
  ),
  'bodies that end before their last chunk': changeAll((_, { body }) => cut(String(body), {})),
  'plain bodies that are called gzip': changeAll((_, page) => ({
    ...page,
    headers: { ...HTML, 'content-encoding': 'gzip' },
  })),
  'gzip that ends early': changeAll((_, { body }) => ({
    headers: { ...HTML, 'content-encoding': 'gzip' },
    body: gzipSync(String(body)).subarray(0, 90),
  })),
  'a part of each page with 206': changeAll((_, { body }) => ({
    status: 206,
    headers: { ...HTML, 'content-range': `bytes 0-59/${String(body).length}` },
    body: String(body).slice(0, 60),
  })),
  'redirects to an error 500': redirectAll({ status: 500 }, (path) => `/out?from=${path}`),
  'redirects to an error 503': redirectAll({ status: 503, headers: { 'retry-after': '600' } }, () => '/out'),
  'redirects to a maintenance page': redirectAll(MAINTENANCE, (path) => `/out?from=${path}`),
  'redirects to pages that forbid their indexing': ({ site, paths, frame }) => {
    for (const path of paths) {
      site.set(path, { status: 302, headers: { location: `/out${path}` } });
      site.set(`/out${path}`, frame('Closed', UNAVAILABLE, NOINDEX));
    }
  },
  'a cookie that every page requires': ({ site, pages }) => {
    for (const [path, page] of pages)
      site.set(path, ({ headers }) =>
        headers.cookie?.includes('ok=1') ? page : { status: 302, headers: { location: `/gate?next=${path}` } },
      );
    site.set('/gate', ({ url }) => ({
      status: 302,
      headers: { 'set-cookie': 'ok=1; path=/', location: new URL(url!, site.origin).searchParams.get('next')! },
    }));
  },
};

it.each([...Object.keys(HELD), ...Object.keys(FAILURES)])(
  '%s changes no document, and everything is current afterwards',
  async (fault) => {
    const { sites, world, stamps } = await guardedCrawl();
    for (const guarded of sites) (HELD[fault] ?? FAILURES[fault]!)(guarded);
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
  },
);

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
  expect(await countOrders(world)).toEqual({ adds: stamps.size + sites.length, deletes: 0 });
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('New', write(`new ${paths.length}`)));
  await visitOnce(world);
  expect(await countOrders(world)).toEqual({ adds: stamps.size + 2 * sites.length, deletes: 0 });
  for (const { site, paths } of sites) site.set(paths[1]!, createPage('New', write(`new ${paths.length}`), NOINDEX));
  await visitOnce(world);
  expect((await countOrders(world)).deletes).toBe(sites.length);
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

/**
 * A site of 13 pages that says on all of them that it is being worked on.
 *
 * @param restarts whether its store is a file, with which a second crawl can begin
 */
async function heldSite({ crawler = '', restarts = false, fault = 'a maintenance page' } = {}) {
  const guarded = await guardedSite([13, { write, around: ['', ''] }], 0);
  const { site, paths } = guarded;
  const file = join(temporaryDirectory(), 'crawlway.db');
  const clock = new ManualClock();
  const begin = async (): Promise<CrawlWorld> =>
    start({
      attributes: DAILY,
      crawler: `<Root url="${site.url('/')}"/>${crawler}`,
      index: 'none',
      clock,
      store: restarts ? await openSqliteStore(file) : undefined,
    });
  const world = await begin();
  await world.untilIdle();
  HELD[fault]!(guarded);
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
  const { world: before, begin, hostKey, count } = await heldSite({ restarts: when === 'after a restart' });
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

it('a dropped change leaves the document as it was, and is not held again as long as the page says the same', async () => {
  const { world, hostKey, count, site, paths, pages } = await heldSite();
  await world.engine.setRunState('test', 'paused');
  expect(await world.engine.orders.dropHeldDeletions(hostKey)).toBe(count);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  await world.engine.setRunState('test', 'running');
  await visitAll(world, 1);
  await world.pass(hours(60));
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  const { headline } = await world.engine.explanations.explain('test', site.url('/topic-3'));
  expect(headline).toMatchObject({ fate: 'in-index', reason: 'one-page-everywhere' });
  expect(headline.text).toContain('the change was dropped and is not believed as long as the page says the same');
  expect(headline.nextStep).toContain('POST /orders/');
  // Another outage is another decision.
  for (const path of paths) site.set(path, createPage('Error', `Database error 4711: ${write('database', 30)}`));
  await visitAll(world, 1);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(count);
  expect(await world.engine.orders.dropHeldDeletions(hostKey)).toBe(count);
  for (const [path, page] of pages) site.set(path, page);
  await world.pass(hours(1));
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(count);
  // So is the same outage once the pages have recovered.
  for (const path of paths) site.set(path, MAINTENANCE);
  await visitAll(world, 1);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(count);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
});

it.each([
  ['noindex in the template', 'directive-wave'],
  ['a canonical URL that names the home page', 'directive-wave'],
  ['an empty answer', 'emptied'],
  ['a maintenance page with a number of its own each time', 'one-page-everywhere'],
])(
  '%s is not held again once it was dropped, also after a restart, and can still be released',
  async (fault, cause) => {
    const { world: before, begin, hostKey } = await heldSite({ restarts: true, fault });
    const [held] = await before.engine.orders.listHeldDeletions();
    expect(Object.keys(held!.reasons)).toEqual([cause]);
    expect(await before.engine.orders.dropHeldDeletions(hostKey, cause)).toBe(held!.count);
    await before.close();
    const world = await begin();
    await world.untilIdle();
    await visitAll(world, 2);
    expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
    const documents = await readStamps(world);
    const [dropped] = await world.engine.orders.list({ state: 'dropped' }, undefined, 1);
    await world.during(world.engine.orders.retry(dropped!.id));
    await world.pass(minutes(5));
    const now = await readStamps(world);
    expect([...documents].filter(([url, stamp]) => now.get(url) !== stamp).map(([url]) => url)).toEqual([dropped!.uri]);
  },
);

it('a change is dropped although its page is being visited, and its visit does not bring it back', async () => {
  const { world, hostKey, count, site } = await heldSite();
  let answer: (() => void) | undefined;
  site.set('/topic-3', (_, response) => {
    answer = () => response.writeHead(200, HTML).end(String(MAINTENANCE.body));
    return undefined;
  });
  await world.engine.maintenance.refresh('test', { like: '%/topic-3' });
  while (!answer) await new Promise((resolve) => setImmediate(resolve));
  expect(await world.engine.orders.dropHeldDeletions(hostKey)).toBe(count);
  expect((await world.engine.orders.list({ state: 'awaiting' }, undefined, 100)).map(({ uri }) => uri)).toEqual([
    site.url('/topic-3'),
  ]);
  site.set('/topic-3', MAINTENANCE);
  answer();
  await world.pass(minutes(1));
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  await visitAll(world, 1);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
});

it('a change is believed by itself only after the time that an operator has set', async () => {
  const { world, count } = await heldSite({ crawler: '<cw:ChangeGuard believeAfterHours="48"/>' });
  await world.pass(hours(46));
  expect((await countOrders(world)).adds).toBe(count);
  await world.pass(hours(30));
  expect((await countOrders(world)).adds).toBe(2 * count);
});

it('a wave that begins after a restart with held changes is held, too, and a site that recovers meanwhile is current', async () => {
  const { world: before, begin, site, pages, count } = await heldSite({ restarts: true });
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
