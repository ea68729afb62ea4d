import { describe, expect, it } from 'vitest';
import { days, seconds } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const ATTRIBUTES = 'nearDuplicateDetector="true" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
const HTML = { 'content-type': 'text/html' };
const TEXT = Array.from({ length: 300 }, (_, n) => `word${(n * 7919) % 997} heron lake ${n}`).join(' ');
const page = (last = '') => ({ headers: HTML, body: `<title>t</title><p>${TEXT} ${last}</p>` });

describe('near duplicates', () => {
  it.each([0, 400])(
    'that are found together at a throttle of %i ms: one of them gets in, and stays',
    async (throttle) => {
      const site = await startSite();
      site.page('/', ['/a', '/b', '/c']).set('/a', page()).set('/b', page()).set('/c', page('.'));
      const attributes = `${ATTRIBUTES} throttleTimeMS="${throttle}" aggressive="${throttle === 0}"`;
      const world = await crawl({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
      const first = await world.indexed();
      expect(first).toHaveLength(2);
      await world.pass(days(3));
      expect(await world.indexed()).toEqual(first);
    },
  );

  it('do not replace an original that fails temporarily', async () => {
    const site = await startSite();
    site.page('/', ['/a']).set('/a', page());
    const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}" site="false"/>` });
    site.set('/a', { status: 408 });
    await world.engine.maintenance.refresh('test', { url: site.url('/a') });
    await world.pass(seconds(1));
    expect(await world.state(site.url('/a'))).toMatchObject({ status: 'error', reason: 'http-408' });
    site.set('/b', page()).page('/', ['/a', '/b'], 'News.');
    await world.engine.maintenance.refresh('test', { url: site.url('/') });
    await world.pass(seconds(1));
    expect(await world.state(site.url('/b'))).toMatchObject({ reason: 'near-duplicate' });
    site.set('/a', page());
    await world.pass(days(3));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });

  it('replace an original that is gone', async () => {
    const site = await startSite();
    site.page('/', ['/a']).set('/a', page());
    const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}" site="false"/>` });
    site.set('/b', page()).page('/', ['/a', '/b']);
    await world.pass(days(2));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
    site.remove('/a');
    await world.pass(days(3));
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/b')]);
  });

  it('are left out as soon as the detector is switched on', async () => {
    const site = await startSite();
    site.page('/', ['/a']).set('/a', page());
    const crawler = `<Root url="${site.url('/')}" site="false"/>`;
    const off = ATTRIBUTES.replace('"true"', '"false"');
    const world = await crawl({ attributes: off, crawler });
    await world.reconfigure({ attributes: ATTRIBUTES, crawler });
    await world.pass(days(2));
    site.page('/', ['/a', '/copy']).set('/copy', page('.'));
    await world.pass(days(2));
    expect(await world.state(site.url('/copy'))).toMatchObject({ status: 'visited', reason: 'near-duplicate' });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });
});
