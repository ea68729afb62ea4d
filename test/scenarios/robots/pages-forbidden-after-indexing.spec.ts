import { expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

it('an indexed page that robots.txt forbids from now on is excluded and deleted from the index', async () => {
  const site = await startSite();
  site.page('/', ['/a', '/b']).page('/a').page('/b');
  const attributes = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
  const world = await crawl({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual(['/', '/a', '/b'].map((path) => site.url(path)));
  site.set('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /a\n' });
  await world.pass(days(2));
  expect(await world.indexed()).toEqual(['/', '/b'].map((path) => site.url(path)));
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'excluded', reason: 'robots-disallowed' });
});
