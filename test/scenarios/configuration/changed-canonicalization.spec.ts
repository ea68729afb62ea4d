import { expect, it } from 'vitest';
import { days, hours } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const attributes = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="31536000"';

it('after a change of canonicalization the old document stays until the one with the new URL is in the index', async () => {
  const site = await startSite();
  site.page('/', ['/Docs/A']).page('/Docs/A').page('/docs/a');
  const root = `<Root url="${site.url('/')}"/>`;
  const world = await crawl({ attributes, crawler: root });
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/Docs/A')]);
  const steps = '<cw:Canonicalization steps="lower-case-path"/>';
  await world.reconfigure({ attributes, crawler: root + steps });
  await world.untilIdle();
  expect(await world.indexed()).toContain(site.url('/Docs/A'));
  await world.pass(hours(3));
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/docs/a')]);
  site.forgetRequests();
  await world.pass(days(1));
  expect(site.fetched.filter((path) => path === '/Docs/A').length).toBeLessThanOrEqual(3);
});

it('after a change of canonicalization a site that only has the old URL keeps its document', async () => {
  const site = await startSite();
  site.page('/', ['/Docs/A']).page('/Docs/A');
  const root = `<Root url="${site.url('/')}"/>`;
  const world = await crawl({ attributes, crawler: root });
  await world.reconfigure({ attributes, crawler: `${root}<cw:Canonicalization steps="lower-case-path"/>` });
  await world.pass(days(1));
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/Docs/A')]);
});
