/** A host that rests, and a person who wants a page now; and hosts that are slowed down because they answer 5xx. */
import { expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const ATTRIBUTES =
  'nearDuplicateDetector="false" smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400" aggressive="false" throttleTimeMS="300"';
const PATHS = Array.from({ length: 30 }, (_, i) => `/p${i}`);
const REST = { status: 503, headers: { 'retry-after': '7200' } };

async function restingSite() {
  const site = await startSite();
  site.page('/', ['/a', '/b']).page('/a').page('/b');
  const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>` });
  site.set('/a', REST);
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.pass(minutes(1));
  site.forgetRequests();
  const { hostKey } = (await world.state(site.url('/a')))!;
  const backOffUntil = async () => (await world.engine.hosts.get(hostKey)).backOffUntil ?? 0;
  return { site, world, backOffUntil };
}

it('a forced refresh during back-off is tried at once, and a good response ends the back-off', async () => {
  const { site, world, backOffUntil } = await restingSite();
  expect(await backOffUntil()).toBeGreaterThan(world.clock.now() + hours(1));
  site.page('/a', [], 'It is well again.');
  const until = await backOffUntil();
  const { hostKey } = (await world.state(site.url('/a')))!;
  const outcome = await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  expect(outcome).toEqual({ count: 1, resting: [{ hostKey, until }] });
  await world.pass(seconds(30));
  expect(site.fetched).toEqual(['/a']);
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'indexed' });
  expect(await backOffUntil()).toBeLessThanOrEqual(world.clock.now());
  const { visits } = (await world.engine.explanations.getUrlHistory('test', site.url('/a')))!;
  expect(visits[0]!.detail).toMatch(/^tried at a person's request, although the host was to rest for another \d+ s$/);
});

it('a forced refresh that fails again keeps the back-off, after one request', async () => {
  const { site, world, backOffUntil } = await restingSite();
  const before = await backOffUntil();
  site.set('/b', REST).set('/', REST);
  expect((await world.engine.maintenance.refresh('test', { like: '%' })).resting).toHaveLength(1);
  await world.pass(minutes(5));
  expect(site.requests).toHaveLength(1);
  expect(await backOffUntil()).toBeGreaterThanOrEqual(before);
});

it('a submitted URL is tried at once during back-off, too', async () => {
  const { site, world } = await restingSite();
  site.page('/new');
  await world.engine.roots.submit('test', [{ url: site.url('/new') }]);
  await world.pass(seconds(30));
  expect(site.fetched).toContain('/new');
});

it('a series of 5xx slows the host down, and it recovers', async () => {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of PATHS) site.page(path);
  const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>` });
  for (const path of ['/', ...PATHS]) site.set(path, { status: 502 });
  site.forgetRequests();
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(minutes(10));
  expect(site.requests.length).toBeLessThan(12);
  site.page('/', PATHS, 'Back.');
  for (const path of PATHS) site.page(path, [], 'Back.');
  await world.pass(hours(2));
  expect(await world.indexed()).toHaveLength(PATHS.length + 1);
  expect((await world.engine.orders.listHeldDeletions()).length).toBe(0);
});

it('one broken page among good ones does not slow the host down', async () => {
  const site = await startSite();
  site.page('/', PATHS);
  for (const path of PATHS) site.page(path);
  site.set('/p3', { status: 500 }).set('/p4', { status: 500 });
  const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toHaveLength(PATHS.length - 1);
});

it.each(['first', 'second'])(
  'a forced %s refresh looks again at a host whose robots.txt could not be had',
  async (which) => {
    const world = await crawl({
      names: {},
      attributes: ATTRIBUTES,
      crawler: '<Root url="http://lost.test/"/>',
    });
    const countVisits = async () =>
      (await world.engine.explanations.getUrlHistory('test', 'http://lost.test/'))!.visits.length;
    for (const number of ['first', 'second']) {
      const before = await countVisits();
      await world.engine.maintenance.refresh('test', { url: 'http://lost.test/' });
      await world.pass(seconds(20));
      expect((await countVisits()) - before).toBe(1);
      if (number === which) return;
    }
  },
);
