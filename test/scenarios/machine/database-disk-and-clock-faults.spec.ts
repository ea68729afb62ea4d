import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { days, hours, instant, minutes } from '../../../src/domain/time/units.js';
import { type FrontierStore, type LedgerEntry, StoreUnavailable } from '../../../src/engine/ports/frontier-store.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite, filling } from '../../support/fake-site.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';

/** As in the crawler: pages that are fetched and not settled. */
const MOST_IN_HAND_MB = 48;
const PAGES = Array.from({ length: 30 }, (_, i) => `/p${i}`);

describe('faults of the machine', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const everything = (): string[] => ['/', ...PAGES].map((path) => site.url(path)).sort();

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', PAGES);
    for (const path of PAGES) site.page(path);
    const attributes = 'nearDuplicateDetector="false" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
    world = await CrawlWorld.start({ attributes, crawler: `<Root url="${site.url('/')}" site="false"/>` });
  });
  afterEach(async () => {
    await world.close();
    await site.close();
  });

  it.each(['settle', 'discover'] as const)(
    'a disk that is full for an hour (%s) stops the crawl and loses nothing',
    async (call) => {
      await world.untilIdle();
      const later = PAGES.slice(0, 8).map((path) => `/later${path}`);
      site.page('/later', later);
      for (const path of later) site.page(path);
      site.forgetRequests();
      // From the request on, whatever the database has been quick enough to do until now.
      const full = failing(world.store, call, () => site.fetched.includes('/later'));
      await world.engine.roots.submit('test', [{ url: site.url('/later') }]);
      await world.pass(hours(1));
      expect(world.errors.filter((error) => error.includes('No space is left'))).toHaveLength(1);
      expect(site.requests.length).toBeLessThan((later.length + 1) * 70);
      full.repair();
      await world.pass(minutes(10));
      await world.untilIdle();
      const documents = [...everything(), ...['/later', ...later].map((path) => site.url(path))].sort();
      expect(await world.indexed()).toEqual(documents);
      expect(await world.engine.urls.count({ crawler: 'test', indexed: true })).toBe(documents.length);
    },
  );

  it('a full disk does not cost a site requests for pages that cannot be stored', async () => {
    await world.untilIdle();
    const more = Array.from({ length: 300 }, (_, i) => `/more${i}`);
    for (const path of more) site.page(path);
    site.forgetRequests();
    const full = failing(world.store, 'settle');
    await world.engine.roots.submit(
      'test',
      more.map((path) => ({ url: site.url(path) })),
    );
    await world.pass(minutes(20));
    expect(site.requests.length).toBeLessThan(300);
    const limit = async () => (await world.engine.getCrawler('test')).limitedBy;
    expect(await limit()).toEqual({
      kind: 'database-unavailable',
      message: expect.stringContaining('No space is left'),
    });
    full.repair();
    await world.pass(minutes(70));
    await world.untilIdle();
    expect(await limit()).toMatchObject({ kind: 'nothing-due' });
    expect(await world.indexed()).toEqual([...everything(), ...more.map((path) => site.url(path))].sort());
  });

  it('a stalled disk pauses the crawl before memory is full of pages', async () => {
    await world.untilIdle();
    site.forgetRequests();
    const big = Array.from({ length: 60 }, (_, i) => `/big${i}`);
    site.page('/big', big);
    for (const path of big) site.page(path, [`${path}/next`], filling(1024 * 1024)).page(`${path}/next`);
    const still = standing(world.store, () => site.requests.length > 10);
    await world.engine.roots.submit('test', [{ url: site.url('/big') }]);
    const heldUp = async () => {
      const { active, limitedBy } = await world.engine.getCrawler('test');
      return active === 0 && limitedBy.kind === 'database-slow';
    };
    while (!(await heldUp())) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(site.requests.length).toBeGreaterThan(20);
    expect(site.requests.length).toBeLessThan(10 + MOST_IN_HAND_MB + 8);
    still.repair();
    await world.untilIdle();
    expect(await world.engine.urls.count({ crawler: 'test', indexed: true })).toBe(PAGES.length + 2 + big.length * 2);
  });

  it('a deletion that was acknowledged and not stored: the page is pushed again when it recovers', async () => {
    await world.untilIdle();
    site.set('/p1', { status: 500 });
    const failed = failingOnce(
      world.store,
      ({ kind }) => kind === 'delete',
      () => site.page('/p1'),
    );
    await world.pass(days(2));
    expect(failed.times).toBe(1);
    expect(await world.indexed()).toEqual(everything());
  });

  it('a change that was acknowledged and not stored: the page is pushed again when it is as before', async () => {
    await world.untilIdle();
    site.page('/p1', [], 'Closed for today.');
    const failed = failingOnce(
      world.store,
      ({ reason }) => reason === 'changed',
      () => site.page('/p1'),
    );
    await world.pass(days(2));
    expect(failed.times).toBe(1);
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({
      stale: { count: 0 },
      missing: { count: 0 },
    });
  });

  it('a change that was acknowledged and not stored is not forgotten while a deletion of its document is held', async () => {
    await world.untilIdle();
    await world.pass(hours(2));
    for (const path of ['/', ...PAGES]) site.set(path, { status: path === '/p29' ? 408 : 500 });
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(1));
    site.page('/p29', [], 'Closed for today.');
    const failed = failingOnce(
      world.store,
      ({ reason }) => reason === 'changed',
      () => site.set('/p29', { status: 500 }),
    );
    await world.pass(minutes(20));
    expect(failed.times).toBe(1);
    expect(await world.engine.orders.list({ state: 'awaiting', uri: site.url('/p29') }, undefined, 1)).toHaveLength(1);
    site.page('/', PAGES);
    for (const path of PAGES) site.page(path);
    await world.pass(days(2));
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({
      stale: { count: 0 },
      missing: { count: 0 },
    });
  });

  it('a document that was acknowledged and not stored is deleted when the rules exclude it meanwhile', async () => {
    const failed = failingOnce(world.store, ({ uri }) => uri.endsWith('/p1'));
    for (let slots = 0; slots < 1_000 && failed.times === 0; slots++) await world.during(Promise.resolve());
    const attributes = 'nearDuplicateDetector="false"';
    const crawler = `<Root url="${site.url('/')}" site="false"/><cw:CrawlSpace rules="a.rules"/>`;
    await world.reconfigure({ attributes, crawler, files: { 'a.rules': `forbid prefix ${site.url('/p1')}\n` } });
    await world.untilIdle();
    expect(failed.times).toBe(1);
    expect(await world.indexed()).not.toContain(site.url('/p1'));
  });

  it('a change of the rules that the database blocks is carried out when the database is available', async () => {
    await world.untilIdle();
    const locked = failing(world.store, 'list');
    const crawler = `<Root url="${site.url('/')}" site="false"/><cw:CrawlSpace rules="a.rules"/>`;
    await world.reconfigure({ crawler, files: { 'a.rules': `forbid prefix ${site.url('/p')}\n` } });
    await world.pass(minutes(1));
    expect(await world.indexed()).toEqual(everything());
    locked.repair();
    await world.pass(minutes(1));
    expect(await world.indexed()).toEqual([site.url('/')]);
  });

  it('a clear that the database blocks is carried out when the database is available', async () => {
    await world.untilIdle();
    expect(await world.engine.maintenance.clear('test', { like: '%/p%' })).toBe(PAGES.length);
    const locked = failing(world.store, 'settle');
    await world.pass(minutes(1));
    expect(await world.engine.urls.count({ crawler: 'test' })).toBe(PAGES.length + 1);
    locked.repair();
    await world.pass(minutes(1));
    expect(await world.engine.urls.count({ crawler: 'test' })).toBe(1);
    expect(await world.indexed()).toEqual([site.url('/')]);
  });

  it('a new configuration that the database interrupts applies to every crawler, and so does the restored old one', async () => {
    const crawlers = (rule = '') =>
      ['test', 'second'].map((name) => {
        const root = `<Root url="${site.url('/')}" site="false"/>`;
        return `<Crawler name="${name}" defaultAccept="true">${root}${rule}<cw:PushTo sink="main"/></Crawler>`;
      });
    const accepted = async () => {
      const explained = ['test', 'second'].map((name) => world.engine.explanations.explain(name, site.url('/new')));
      return (await Promise.all(explained)).map(({ explanation }) => explanation.verdict.accepted);
    };
    const locked = failing(world.store, 'discover');
    const rule = '<Rules><Rule><ar:Path val="/new"/><Ignore/></Rule></Rules>';
    await expect(world.reconfigure({ crawler: crawlers(rule).join('') })).rejects.toThrow(StoreUnavailable);
    expect(await accepted()).toEqual([false, false]);
    await expect(world.reconfigure({ crawler: crawlers().join('') })).rejects.toThrow(StoreUnavailable);
    expect(await accepted()).toEqual([true, true]);
    locked.repair();
    await world.reconfigure({ crawler: crawlers().join('') });
    expect((await world.engine.listCrawlers()).map(({ state }) => state)).toEqual(['running', 'running']);
  });

  it('a clock that jumps forward by a year makes everything due, and deletes nothing', async () => {
    await world.untilIdle();
    site.forgetRequests();
    world.clock.advance(days(365));
    await world.pass(minutes(30));
    expect(site.fetched).toEqual(['/', ...PAGES].sort());
    expect(await world.indexed()).toEqual(everything());
    expect(await world.engine.orders.list({ kind: 'delete' }, undefined, 10)).toEqual([]);
  });
});

it('a clock that was ahead by years stops the crawl for an hour at most once it is right, after a restart', async () => {
  const site = await startSite();
  site.page('/', ['/a', '/b', '/down']);
  for (const path of ['/a', '/b']) site.page(path);
  site.set('/down', { status: 503, headers: { 'retry-after': '3600' } });
  const through = await FlakyReceiver.start();
  onTestFinished(() => through.close());
  const options = { crawler: `<Root url="${site.url('/')}"/>`, attributes: 'smartRefreshMaxAgeS="86400"', through };
  const openStore = await keptStore();
  const wrong = await start({
    ...options,
    clock: new ManualClock(instant(Date.UTC(2036, 0, 1))),
    store: await openStore(),
  });
  await wrong.pass(minutes(2));
  await wrong.close();
  site.forgetRequests();
  const world = await start({
    ...options,
    clock: new ManualClock(instant(Date.UTC(2026, 0, 1))),
    store: await openStore(),
  });
  await world.pass(minutes(90));
  expect(site.fetched).toEqual(expect.arrayContaining(['/', '/a', '/b']));
  site.forgetRequests();
  await world.pass(minutes(90));
  expect(site.fetched).not.toContain('/a');
});

it('a clock that is behind for the first minutes, until the machine has asked for the time, has nothing visited again', async () => {
  const site = await startSite();
  site.page('/', ['/a']);
  site.page('/a');
  const through = await FlakyReceiver.start();
  onTestFinished(() => through.close());
  const options = { crawler: `<Root url="${site.url('/')}"/>`, through };
  const openStore = await keptStore();
  const times = [instant(Date.UTC(2026, 0, 1)), instant(0), instant(Date.UTC(2026, 0, 1) + minutes(20))];
  for (const [index, time] of times.entries()) {
    const world = await start({ ...options, clock: new ManualClock(time), store: await openStore() });
    await world.pass(minutes(index === 2 ? 90 : 10));
    await world.close();
    expect(site.fetched.filter((path) => path === '/a')).toHaveLength(1);
  }
});

/** Makes the settlement of one order fail, which the sink has acknowledged by then. */
function failingOnce(
  store: FrontierStore,
  isOf: (order: LedgerEntry) => boolean,
  then?: () => void,
): { times: number } {
  const failed = { times: 0 };
  const settle = store.settle.bind(store);
  store.settle = (settlements) => {
    if (failed.times > 0 || !settlements.some(({ orders }) => orders?.some(isOf))) return settle(settlements);
    failed.times++;
    then?.();
    return Promise.reject(new StoreUnavailable('No space is left for the database'));
  };
  return failed;
}

/** Makes one call of the store fail as it does on a full disk or under a lock, from a moment on, until it is repaired. */
function failing(
  store: FrontierStore,
  call: 'settle' | 'discover' | 'list',
  from: () => boolean = () => true,
): { repair(): void } {
  const original = store[call] as (...args: unknown[]) => Promise<unknown>;
  const failed = (...args: unknown[]) =>
    from() ? Promise.reject(new StoreUnavailable('No space is left for the database')) : original(...args);
  Object.assign(store, { [call]: failed });
  return {
    repair: () => {
      Object.assign(store, { [call]: original });
    },
  };
}

/** Makes the store answer no call that takes links, from a moment on, until it is repaired; then all of them. */
function standing(store: FrontierStore, from: () => boolean): { repair(): void } {
  const discover = store.discover.bind(store);
  let repair = (): void => undefined;
  const repaired = new Promise<void>((resolve) => {
    repair = resolve;
  });
  Object.assign(store, {
    discover: async (...args: Parameters<FrontierStore['discover']>) => {
      if (from()) await repaired;
      return discover(...args);
    },
  });
  return { repair };
}
