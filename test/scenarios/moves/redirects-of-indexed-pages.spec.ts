/** A redirect is a change of address: the old document leaves when the new one is in the index, and not before. */
import { describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import type { FrontierStore } from '../../../src/engine/ports/frontier-store.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakePage, FakeSite } from '../../support/fake-site.js';
import { readStamps, write } from '../../support/guarded-sites.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"';
const PAGES = Array.from({ length: 10 }, (_, i) => `/p${i}`);

async function startCrawl(paths: readonly string[] = PAGES) {
  const site = await startSite();
  site.page('/', paths);
  for (const path of paths) site.page(path, [], `The text of ${path} is about ${path} and nothing else.`);
  const world = await start({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>` });
  await world.untilIdle();
  const everything = ['/', ...paths].map((path) => site.url(path)).sort();
  expect(await world.indexed()).toEqual(everything);
  await world.pass(minutes(5));
  return { site, world, everything };
}

const page = (body: string): FakePage => ({ headers: { 'content-type': 'text/html' }, body });

const redirect = (site: FakeSite, path: string, location: string, status = 302): FakeSite =>
  site.set(path, { status, headers: { location } });

async function refresh(world: CrawlWorld): Promise<void> {
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(minutes(10));
}

describe('a page that redirects to a new address', () => {
  it.each([301, 302, 303, 307, 308])(
    'leaves the index with %i after the new address has entered it',
    async (status) => {
      const { site, world, everything } = await startCrawl();
      redirect(site, '/p1', '/new', status).page('/new', [], 'The text of /p1 is about /p1 and nothing else.');
      const delivered = { before: 0 };
      site.set('/new', (_request, response) => {
        delivered.before = everything.length;
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<title>new</title>The text of /p1 is about /p1 and nothing else.');
        return undefined;
      });
      await refresh(world);
      const moved = everything.filter((url) => url !== site.url('/p1'));
      expect(await world.indexed()).toEqual([...moved, site.url('/new')].sort());
      const orders = await world.engine.orders.list({ crawler: 'test' }, undefined, 10);
      const at = (uri: string): number => orders.find((order) => order.uri === site.url(uri))!.id;
      expect(at('/p1')).toBeGreaterThan(at('/new'));
      expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'redirected', canonical: site.url('/new') });
    },
  );

  it('keeps its document if the address is made up for each request, which is not asked for again and again', async () => {
    const { site, world, everything } = await startCrawl(['/p1']);
    let requests = 0;
    site.set('/p1', () => ({ status: 302, headers: { location: `/session/${++requests}` } }));
    site.otherwise(({ url }) => ({
      headers: { 'content-type': 'text/html' },
      body: `Welcome, this is session ${url}.`,
    }));
    await refresh(world);
    expect(requests).toBeGreaterThan(1);
    expect(requests).toBeLessThan(10);
    expect(await world.indexed()).toEqual(expect.arrayContaining(everything));
    expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'error', reason: 'redirect-target-failed' });
  });

  it('is given up if the address is that of an error page, which is not asked for again and again', async () => {
    const { site, world, everything } = await startCrawl();
    let requests = 0;
    redirect(site, '/p1', '/page-not-found');
    site.set('/page-not-found', () => ({
      status: ++requests > 500 ? 404 : 200,
      headers: { 'content-type': 'text/html' },
      body: '<title>Not found</title>The page does not exist.',
    }));
    await refresh(world);
    expect(requests).toBeLessThan(10);
    expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'error', reason: 'redirect-target-failed' });
    expect(await world.indexed()).toEqual(everything);
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(everything.filter((url) => url !== site.url('/p1')));
  });

  it('keeps its documents alone if all are sent to an address with a session in it, whatever that says', async () => {
    const { site, world, everything } = await startCrawl();
    let sessions = 0;
    for (const path of PAGES)
      site.set(path, () => ({ status: 302, headers: { location: `/v${path}?visit=${(++sessions).toString(36)}` } }));
    site.otherwise(({ url }) => ({
      headers: { 'content-type': 'text/html' },
      body: `<p>All about ${url!.slice(0, 5)}</p>`,
    }));
    await refresh(world);
    expect(sessions).toBeGreaterThan(PAGES.length);
    expect(await world.indexed()).toEqual(everything);
  });

  it('is found under its old address as long as the new one is waiting for its visit', async () => {
    const { site, world, everything } = await startCrawl();
    redirect(site, '/p1', '/new', 301).set('/new', { status: 429, headers: { 'retry-after': '86400' } });
    await refresh(world);
    expect(await world.indexed()).toEqual(everything);
    site.page('/new');
    await world.pass(days(3));
    expect(await world.indexed()).toContain(site.url('/new'));
    expect(await world.indexed()).not.toContain(site.url('/p1'));
  });

  it('leaves after the end of a chain has entered', async () => {
    const { site, world } = await startCrawl();
    redirect(site, '/p1', '/a', 301);
    redirect(site, '/a', '/b', 302);
    redirect(site, '/b', '/new', 301).page('/new');
    await refresh(world);
    expect(await world.indexed()).toContain(site.url('/new'));
    expect(await world.indexed()).not.toContain(site.url('/p1'));
  });

  it('names its new address in the order', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/b']).page('/a').page('/b');
    const world = await start({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>`, index: 'none' });
    await world.untilIdle();
    redirect(site, '/a', '/new', 301).page('/new');
    await refresh(world);
    expect(world.orders().at(-1)).toMatchObject({ kind: 'delete', uri: site.url('/a'), movedTo: site.url('/new') });
  });
});

describe('a redirect to something that cannot be had', () => {
  const reset: FakePage = (request) => void request.socket.resetAndDestroy();
  it.each<[string, (site: FakeSite) => unknown]>([
    ['500', (site) => site.set('/out', { status: 500 })],
    ['a reset', (site) => site.set('/out', reset)],
    ['maintenance with 200', (site) => site.page('/out', [], 'We will be back soon.')],
  ])('deletes nothing below a healthy home page: %s', async (_name, breaks) => {
    const { site, world, everything } = await startCrawl();
    breaks(site);
    for (const path of PAGES) redirect(site, path, `/out?from=${path}`);
    await refresh(world);
    for (let day = 0; day < 2; day++) {
      expect((await world.indexed()).filter((url) => everything.includes(url))).toEqual(everything);
      expect(await world.indexed()).toHaveLength(everything.length);
      await world.pass(days(1));
    }
    for (const path of PAGES) site.page(path, [], `The text of ${path} is about ${path} and nothing else.`);
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(everything);
    expect(await world.engine.urls.count({ crawler: 'test', status: 'error' })).toBe(0);
  });

  it('is an error of the source that names the target and its error', async () => {
    const { site, world } = await startCrawl();
    redirect(site, '/p1', '/out').set('/out', { status: 500 });
    await refresh(world);
    expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'error', reason: 'redirect-target-failed' });
    const { visits } = await world.engine.explanations.getUrlHistory('test', site.url('/p1'));
    expect(visits[0]?.detail).toBe(`it redirects to ${site.url('/out')}, which failed: http-5xx`);
  });

  it('of one page alone is given up in the end, like any temporary error', async () => {
    const { site, world, everything } = await startCrawl();
    redirect(site, '/p1', '/out').set('/out', { status: 500 });
    await refresh(world);
    await world.pass(days(5));
    expect(await world.indexed()).toEqual(everything.filter((url) => url !== site.url('/p1')));
  });

  it.each([301, 302])('to a page with noindex is believed at once only if it is permanent: %i', async (status) => {
    const { site, world, everything } = await startCrawl();
    const headers = { 'content-type': 'text/html', 'x-robots-tag': 'noindex' };
    redirect(site, '/p1', '/out', status).set('/out', { headers, body: '<title>Out</title>Closed for today.' });
    await refresh(world);
    const others = everything.filter((url) => url !== site.url('/p1'));
    expect(await world.indexed()).toEqual(status === 301 ? others : everything);
    await world.pass(days(5));
    expect(await world.indexed()).toEqual(others);
  });

  it('deletes a page whose new address does not exist', async () => {
    const { site, world, everything } = await startCrawl();
    redirect(site, '/p1', '/nowhere', 301);
    await refresh(world);
    expect(await world.indexed()).toEqual(everything.filter((url) => url !== site.url('/p1')));
    expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'error', reason: 'redirect-target-gone' });
  });
});

describe('many pages that redirect to one', () => {
  it.each(['/maintenance', '/', '/entrance'])(
    'are held from the first one on, and none of them is lost: %s',
    async (target) => {
      const { site, world, everything } = await startCrawl();
      if (target !== '/') site.page(target, [], 'We will be back soon.');
      for (const path of ['/', ...PAGES]) if (path !== target) redirect(site, path, target);
      await refresh(world);
      expect(await world.indexed()).toEqual(everything);
      await world.pass(days(2));
      expect(await world.indexed()).toEqual(everything);
      // The page that all are sent to is asked once in an hour, because it might set a cookie.
      expect(site.requests.filter(({ path }) => path === target).length).toBeLessThan(60);
    },
  );

  it.each(['/', '/p0', '/p9'])(
    'are held although others have moved just before: %s is the first one',
    async (first) => {
      const { site, world } = await startCrawl();
      const moved = ['/p4', '/p5', '/p6'];
      for (const path of moved)
        redirect(site, path, `/new${path}`).page(
          `/new${path}`,
          [],
          `The text of ${path} is about ${path} and nothing else.`,
        );
      for (const path of moved) await world.engine.maintenance.refresh('test', { url: site.url(path) });
      await world.pass(minutes(2));
      const everything = await world.indexed();
      expect(everything).toEqual(expect.arrayContaining(moved.map((path) => site.url(`/new${path}`))));
      site.page('/out', [], 'Our garden is closed.');
      const current = ['/', ...PAGES.map((path) => (moved.includes(path) ? `/new${path}` : path))];
      for (const path of current) redirect(site, path, '/out', 301);
      await world.engine.maintenance.refresh('test', { url: site.url(first) });
      await world.pass(minutes(3));
      await refresh(world);
      expect(await world.indexed()).toEqual(everything);
      await world.pass(days(1));
      expect(await world.indexed()).toEqual(everything);
    },
  );

  it('are held at addresses of their own, too, as long as these say the same', async () => {
    const { site, world } = await startCrawl();
    const paths = ['/', ...PAGES];
    for (const path of paths) site.page(path, path === '/' ? PAGES : [], write(path));
    await refresh(world);
    const stamps = await readStamps(world);
    for (const path of paths) redirect(site, path, `/closed${path}`).page(`/closed${path}`, [], 'We are closed today.');
    await refresh(world);
    await world.pass(hours(2));
    expect(await readStamps(world)).toEqual(stamps);
    for (const path of paths) site.page(`/closed${path}`, [], write(`new ${path}`));
    await world.pass(days(1));
    expect(await world.indexed()).toEqual(paths.map((path) => site.url(`/closed${path}`)).sort());
    // What was found at one move says nothing about the next one.
    const moved = await readStamps(world);
    for (const path of paths)
      redirect(site, `/closed${path}`, `/parked${path}`).page(`/parked${path}`, [], 'This domain is for sale.');
    await refresh(world);
    await world.pass(hours(2));
    expect(await readStamps(world)).toEqual(moved);
  });

  it.each([
    ['without a text', () => '<body>'],
    ['with a form', (path: string) => `<title>Log in</title>Please log in to see ${path}.<input type=password>`],
  ])('do not leave addresses of their own %s in the index when they are back', async (_, describe) => {
    const { site, world, everything } = await startCrawl();
    const areWell = (): void => {
      for (const path of PAGES) site.page(path, [], write(path));
    };
    areWell();
    await refresh(world);
    for (const path of PAGES) redirect(site, path, `/own${path}`).set(`/own${path}`, page(describe(path)));
    await refresh(world);
    areWell();
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(everything);
  });

  it('is in the index all the time if it moves after all others, although nothing shows that they do not say the same', async () => {
    const { site, world } = await startCrawl();
    for (const path of PAGES) site.page(path, [], write(path));
    await refresh(world);
    const [last, ...others] = PAGES as [string, ...string[]];
    for (const path of others) redirect(site, path, `/moved${path}`).page(`/moved${path}`, [], write(`new ${path}`));
    await refresh(world);
    await world.pass(hours(2));
    redirect(site, last, `/moved${last}`).page(`/moved${last}`, [], write(`new ${last}`));
    for (let round = 0; round < 30; round++) {
      await world.engine.maintenance.refresh('test', { like: '%' });
      await world.pass(minutes(59));
      const indexed = await world.indexed();
      expect(indexed.filter((url) => url.endsWith(last))).toHaveLength(1);
    }
    expect(await world.indexed()).toEqual(
      ['/', ...PAGES.map((path) => `/moved${path}`)].map((path) => site.url(path)).sort(),
    );
  });

  it('are held there, too, if their site links to these addresses', async () => {
    const { site, world } = await startCrawl();
    for (const path of ['/', ...PAGES]) site.page(path, path === '/' ? PAGES : [], write(path));
    await refresh(world);
    const documents = await world.indexed();
    for (const path of PAGES)
      redirect(site, path, `/closed${path}`).page(`/closed${path}`, [], `We are closed today: ${path}.`);
    await refresh(world);
    site.page('/', [...PAGES, ...PAGES.map((path) => `/closed${path}`)], write('/'));
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.pass(minutes(30));
    expect(await world.indexed()).toEqual(documents);
  });

  it('are all in the index after the second round of requests if they have moved, however long a round takes', async () => {
    const site = await startSite();
    const paths = Array.from({ length: 120 }, (_, i) => `/p${i}`);
    site.page('/', paths);
    for (const path of paths) site.page(path, [], write(path));
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await start({ attributes: `${ATTRIBUTES} aggressive="false" throttleTimeMS="10000"`, crawler });
    await world.pass(hours(1));
    for (const path of paths) redirect(site, path, `/new${path}`, 301).page(`/new${path}`, [], write(path));
    site
      .page(
        '/',
        paths.map((path) => `/new${path}`),
      )
      .forgetRequests();
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(3));
    expect(await world.indexed()).toEqual(
      ['/', ...paths.map((path) => `/new${path}`)].map((path) => site.url(path)).sort(),
    );
    expect(site.requests.length).toBeLessThan(6 * paths.length);
  });

  it('is in the index soon if the only other moves of its site are to pages that it had, and its site links to it', async () => {
    const { site, world } = await startCrawl();
    for (const path of PAGES) site.page(path, [], write(path));
    await refresh(world);
    for (const path of ['/p1', '/p2', '/p3']) redirect(site, path, `/p${Number(path.slice(2)) + 4}`, 301);
    redirect(site, '/p4', '/new', 301).page('/new', [], write('new'));
    await refresh(world);
    expect(await world.indexed()).not.toContain(site.url('/new'));
    site.page('/', ['/new', ...PAGES]);
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.pass(minutes(10));
    const staying = ['/', '/new', '/p0', '/p5', '/p6', '/p7', '/p8', '/p9'];
    expect(await world.indexed()).toEqual(staying.map((path) => site.url(path)));
  });

  it('are held there, too, by a server that begins after one that has died', async () => {
    const openStore = await keptStore();
    const site = await startSite();
    const clock = new ManualClock();
    const begin = async (store: FrontierStore): Promise<CrawlWorld> => {
      const world = await start({
        attributes: ATTRIBUTES,
        crawler: `<Root url="${site.url('/')}"/>`,
        index: 'none',
        clock,
        store,
      });
      await world.pass(minutes(10));
      return world;
    };
    const paths = ['/', ...PAGES];
    for (const path of paths) site.page(path, path === '/' ? PAGES : [], write(path));
    const first = await begin(await openStore());
    const documents = [...(await readStamps(first)).keys()];
    for (const path of paths) redirect(site, path, `/closed${path}`).page(`/closed${path}`, [], 'We are closed today.');
    await refresh(first);
    await first.close();
    const store = await openStore();
    await store.putSetting('running', '1');
    const second = await begin(store);
    expect([...(await readStamps(second)).keys()]).toEqual(documents);
    // The addresses are visited again later than their pages.
    await second.pass(hours(5));
    expect([...(await readStamps(second)).keys()]).toEqual(documents);
  });

  it('one page that is permanently sent to the home page is gone', async () => {
    const { site, world, everything } = await startCrawl();
    redirect(site, '/p1', '/', 301);
    await refresh(world);
    expect(await world.indexed()).toEqual(everything.filter((url) => url !== site.url('/p1')));
    expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'error', reason: 'redirect-to-home' });
  });

  it('two pages that are merged into a third are not taken for an outage', async () => {
    const { site, world, everything } = await startCrawl();
    for (const path of ['/p1', '/p2']) redirect(site, path, '/p3', 301);
    await refresh(world);
    expect(await world.indexed()).toEqual(
      everything.filter((url) => ![site.url('/p1'), site.url('/p2')].includes(url)),
    );
  });
});

describe('a redirect that comes back', () => {
  it.each(['changed', 'unchanged'])('is noticed when a page that links to it is visited: %s', async (how) => {
    const { site, world } = await startCrawl();
    redirect(site, '/p1', '/new').page('/new');
    await refresh(world);
    // Requested again ever later: after a minute, 6, 36 minutes, 3.6 hours.
    await world.pass(hours(8));
    site.page('/p1');
    site.forgetRequests();
    await world.pass(minutes(15));
    expect(site.requests.filter(({ path }) => path === '/p1')).toHaveLength(0);
    if (how === 'changed') site.page('/', PAGES, 'There is news.');
    for (let visits = 0; visits < 2; visits++) {
      await world.engine.maintenance.refresh('test', { url: site.url('/') });
      await world.pass(minutes(1));
    }
    expect(await world.indexed()).toContain(site.url('/p1'));
  });

  it('is noticed soon if it was temporary', async () => {
    const { site, world, everything } = await startCrawl();
    redirect(site, '/p1', '/new').page('/new');
    await refresh(world);
    expect(await world.indexed()).not.toContain(site.url('/p1'));
    site.page('/p1').remove('/new');
    await world.pass(hours(1));
    expect(await world.indexed()).toContain(site.url('/p1'));
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(everything);
  });
});
