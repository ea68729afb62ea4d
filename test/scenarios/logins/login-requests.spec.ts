/** What logins cost a site: how often they try, and what is remembered of them. */
import { expect, it } from 'vitest';
import { Seal } from '../../../src/adapters/storage/shared/seal.js';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { html } from '../../support/fake-site.js';
import { crawl, start } from '../../support/scenario.js';
import { keptStore } from '../../support/scenario-database.js';
import { PATHS, SessionSite, showPage } from '../../support/session-site.js';

it.each([
  ['answers with 503', { status: 503 }],
  ['answers with 429', { status: 429, headers: { 'retry-after': '5' } }],
  ['leads to a server that is not there', { status: 302, headers: { location: 'http://127.0.0.1:1/authorize' } }],
  ['has no form any more', { body: '<title>Maintenance</title>We are back soon.' }],
])('a login page that %s for an hour is tried six times, and nothing is deleted', async (_, outage) => {
  let isDown = false;
  const site = await SessionSite.start({ anybody: (path) => (isDown && path === '/login' ? outage : undefined) });
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    more: site.fetcher('sendTo="http://127.0.0.1:1"'),
  });
  const urls = PATHS.map((path) => site.url(path));
  isDown = true;
  site.endSessions();
  site.requests.length = 0;
  for (let round = 0; round < 6; round++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(10));
  }
  const attempts = site.requests.filter((request) => request === 'GET /login').length;
  expect(attempts).toBeGreaterThan(1);
  expect(attempts).toBeLessThanOrEqual(6);
  expect(await world.indexed()).toEqual(urls);
  isDown = false;
  await world.pass(hours(2));
  expect(site.logins).toBe(2);
  for (const url of urls) expect(await world.state(url)).toMatchObject({ reason: 'indexed' });
});

it('a URL that ended the session is still avoided after a restart', async () => {
  const openStore = await keptStore();
  const site = await SessionSite.start({
    anybody: (path, own) => {
      if (path !== '/bye') return undefined;
      own.endSessions();
      return { body: html('Good bye', []) };
    },
    member: (path) => (path === '/' ? { body: html(path, ['/bye', ...PATHS]) } : showPage(path)),
  });
  const open = async () =>
    start({
      attributes: 'nthreads="1"',
      crawler: `<Root url="${site.url('/')}"/>`,
      more: site.fetcher(),
      seal: Seal.fromText('of-the-test-with-32-characters-!'),
      store: await openStore(),
    });
  const visitAll = async (world: Awaited<ReturnType<typeof open>>): Promise<void> => {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle(minutes(5));
  };
  const before = await open();
  await before.untilIdle(minutes(5));
  for (let round = 0; round < 3; round++) await visitAll(before);
  expect(await before.state(site.url('/bye'))).toMatchObject({ reason: 'login-page' });
  await before.close();
  const [visits, logins] = [site.requests.filter((line) => line === 'GET /bye').length, site.logins];

  const after = await open();
  await visitAll(after);
  expect(site.requests.filter((line) => line === 'GET /bye')).toHaveLength(visits);
  expect(site.logins).toBeLessThanOrEqual(logins + 1);
  expect(await after.state(site.url('/p1'))).toMatchObject({ reason: 'indexed' });
});
