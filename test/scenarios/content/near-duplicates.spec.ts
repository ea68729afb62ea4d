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
    expect(await world.state(site.url('/b'))).toMatchObject({ reason: 'exact-duplicate' });
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

  it('that others may see are documents of their own', async () => {
    const site = await startSite();
    const acl = `<cw:Acl default="everyone"><cw:AclRule url="${site.url('/hr/')}" allow="hr"/><cw:AclRule url="${site.url('/')}" allow="everyone"/></cw:Acl>`;
    site.page('/', ['/hr/a', '/b']).set('/hr/a', page()).set('/b', page('.'));
    const world = await crawl({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>${acl}` });
    expect(await world.indexed()).toEqual(['/', '/b', '/hr/a'].map((path) => site.url(path)));
    site.set('/b', page('..'));
    await world.pass(days(3));
    expect(await world.indexed()).toEqual(['/', '/b', '/hr/a'].map((path) => site.url(path)));
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

describe('a copy on another site', () => {
  const NAMES = { 'evil.example': '127.0.0.2', 'victim.example': '127.0.0.3' };
  /** A copy that is found first, and an original that becomes equal to it. */
  const crawlCopies = async (scope: string) => {
    const evil = await startSite('127.0.0.2', 'evil.example');
    const victim = await startSite('127.0.0.3', 'victim.example');
    evil.set('/', { headers: HTML, body: '<title>e</title><p>Nothing yet.</p>' });
    victim.page('/', ['/a']).set('/a', page());
    const crawler = `<Root url="${evil.url('/')}"/><Root url="${victim.url('/')}"/>`;
    const world = await crawl({ attributes: `${ATTRIBUTES} nearDuplicateScope="${scope}"`, crawler, names: NAMES });
    expect(await world.indexed()).toContain(victim.url('/a'));
    evil.set('/', page('.'));
    return { world, evil, victim };
  };

  it.each(['domain', 'crawler'])('never removes a document from the index (%s)', async (scope) => {
    const { world, victim } = await crawlCopies(scope);
    await world.pass(days(3));
    victim.set('/a', page(''));
    await world.engine.maintenance.refresh('test', { url: victim.url('/a') });
    await world.pass(days(3));
    expect(await world.indexed()).toContain(victim.url('/a'));
  });

  it.each([
    ['domain', 'indexed'],
    ['crawler', 'near-duplicate'],
  ])('that is faster than a new page: by %s, that is %s', async (scope, reason) => {
    const { world, evil, victim } = await crawlCopies(scope);
    const text = page(' Lakes and herons').body.replaceAll('word', 'new');
    evil.set('/', { headers: HTML, body: text });
    await world.engine.maintenance.refresh('test', { url: evil.url('/') });
    await world.untilIdle();
    victim.set('/b', { headers: HTML, body: text }).page('/', ['/a', '/b'], 'News.');
    await world.engine.maintenance.refresh('test', { url: victim.url('/') });
    await world.untilIdle();
    expect(await world.state(victim.url('/b'))).toMatchObject({ reason });
  });
});
