/** Changes that the change guard holds: what is told of them, how a person decides, and that they survive a restart. */
import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import {
  countOrders,
  createPage,
  DAILY,
  guardedSite,
  HTML,
  readStamps,
  recover,
  visitAll,
  write,
} from '../../support/guarded-sites.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';
import { FAULTS, MAINTENANCE } from '../../support/site-faults.js';

/**
 * A site of 13 pages that has a fault, which is a maintenance page on all of them by default.
 *
 * @param restarts whether a second crawl can begin with its store
 */
async function illSite({ crawler = '', restarts = false, fault = 'a maintenance page' } = {}) {
  const guarded = await guardedSite([13, { write, around: ['', ''] }], 0);
  const { site, paths } = guarded;
  const openStore = restarts ? await keptStore() : undefined;
  const clock = new ManualClock();
  const begin = async (): Promise<CrawlWorld> =>
    start({
      attributes: DAILY,
      crawler: `<Root url="${site.url('/')}"/>${crawler}`,
      index: 'none',
      clock,
      store: await openStore?.(),
    });
  const world = await begin();
  await world.pass(minutes(10));
  FAULTS[fault]!(guarded);
  await visitAll(world, 1);
  const { hostKey } = (await world.state(site.url('/')))!;
  return { ...guarded, world, begin, hostKey, count: paths.length };
}

it('held changes are listed with their cause, the number of their pages, their effect and a text', async () => {
  const { world, site, hostKey, count } = await illSite();
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
  expect(headline.nextStep).toContain('`crawlway held release HOST`');
});

it.each(['in the same process', 'after a restart'])('a released change is believed %s', async (when) => {
  const { world: before, begin, hostKey, count } = await illSite({ restarts: when === 'after a restart' });
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
  const { world, hostKey, count, site, paths, pages } = await illSite();
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
    const { world: before, begin, hostKey } = await illSite({ restarts: true, fault });
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
  const { world, hostKey, count, site } = await illSite();
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
  const { world, count } = await illSite({ crawler: '<cw:ChangeGuard believeAfterHours="48"/>' });
  await world.pass(hours(46));
  expect((await countOrders(world)).adds).toBe(count);
  await world.pass(hours(30));
  expect((await countOrders(world)).adds).toBe(2 * count);
});

it('a wave that begins after a restart with held changes is held, too, and a site that recovers meanwhile is current', async () => {
  const { world: before, begin, site, pages, count } = await illSite({ restarts: true });
  await before.close();
  for (const [path, page] of pages) site.set(path, page);
  const world = await begin();
  await world.pass(hours(1));
  expect((await world.engine.getMetrics()).heldDeletions).toBe(0);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(count);
});

it('a host that refuses connections, or whose pages are gone, releases nothing', async () => {
  const { world, site, paths, count } = await illSite();
  await site.goDown();
  await world.pass(hours(2));
  await site.comeBack();
  for (const path of paths) site.set(path, { status: 404 });
  await visitAll(world, 1);
  const held = await world.engine.orders.list({ state: 'awaiting' }, undefined, 100);
  expect(held.filter(({ reason }) => reason === 'one-page-everywhere')).toEqual([]);
  expect((await countOrders(world)).adds).toBe(count);
});

it('pages that are gone stay for a day while the home page is that of another site', async () => {
  const { world, site, paths, count, ...guarded } = await illSite({ fault: 'the home page of another site' });
  await visitAll(world, 1);
  await world.pass(hours(3));
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
  recover({ ...guarded, site, paths });
  await world.pass(hours(2));
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(count);
  FAULTS['the home page of another site']!({ ...guarded, site, paths });
  await visitAll(world, 1);
  await world.pass(hours(48));
  expect(await countOrders(world)).toEqual({ adds: count + 1, deletes: count - 1 });
});

it('a canonical link between the only two pages of a site is obeyed after a day if their texts differ', async () => {
  const { site } = await guardedSite([2, { write, around: ['', ''] }], 0);
  const world = await start({ attributes: DAILY, crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
  await world.pass(minutes(10));
  site.set('/topic-0', createPage('Page', write('2 /topic-0'), '<link rel="canonical" href="/">'));
  await visitAll(world, 1);
  expect((await world.engine.getMetrics()).heldDeletions).toBe(1);
  await world.pass(hours(20));
  expect((await countOrders(world)).deletes).toBe(0);
  await world.pass(hours(30));
  expect((await countOrders(world)).deletes).toBe(1);
});

it.each([
  ['a maintenance page', 'held'],
  ['a login form', 'held'],
  ['noindex in the template', 'held'],
  ['a challenge with 403', 'failing'],
  ['a challenge with 200', 'failing'],
  ['redirects to a maintenance page', 'failing'],
  ['redirects to an error 503', 'failing'],
  ['redirects to pages that forbid their indexing', 'failing'],
  ['a cookie that every page requires', 'well'],
])('%s changes nothing in a server that begins in the middle of it', async (fault, effect) => {
  const { world: before, begin, count, ...guarded } = await illSite({ restarts: true, fault });
  const stamps = await readStamps(before);
  const openBefore = (await before.engine.getMetrics()).heldDeletions;
  await before.close();
  const world = await begin();
  await world.pass(hours(2));
  await visitAll(world, 1);
  expect(await readStamps(world)).toEqual(stamps);
  const open = (await world.engine.getMetrics()).heldDeletions;
  if (effect === 'held') expect([openBefore, open]).toEqual([count, count]);
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(effect === 'well' ? count : 0);
  recover(guarded);
  await world.pass(hours(26));
  expect(await world.store.count({ crawler: 'test', status: 'indexed' })).toBe(count);
  expect(await countOrders(world)).toEqual({ adds: count, deletes: 0 });
});

it.each([
  ['a maintenance page', MAINTENANCE, 'stays'],
  ['a page with its text', createPage('Home', write('home 1')), 'leaves'],
  ['a page with another text', createPage('Home', write('a new home')), 'leaves'],
  [
    'a page with its text, which names outages',
    createPage('Home', `Try again later is what servers say. ${write('outages')}`),
    'leaves',
  ],
])(
  'the only page of a site that is redirected to %s: its document is found under the right address',
  async (_, target, fate) => {
    const { site } = await guardedSite([1, { write, around: ['', ''] }], 0);
    if (_.endsWith('outages')) site.set('/', target);
    const world = await start({ attributes: DAILY, crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    await world.pass(minutes(10));
    site.set('/', { status: 302, headers: { location: '/start' } }).set('/start', target);
    await visitAll(world, 2);
    const documents = [...(await readStamps(world)).keys()];
    expect(documents).toEqual([site.url(fate === 'stays' ? '/' : '/start')]);
  },
);
