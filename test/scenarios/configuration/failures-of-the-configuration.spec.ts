import { describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const LOOPBACK = '<cw:AllowAddress cidr="127.0.0.0/8"/>';
const fetcher = (content: string): string => `<cw:Fetcher name="default">${content}</cw:Fetcher>`;
/** Regular visits are far away. */
const RARELY = 'smartRefreshMinAgeS="864000" smartRefreshMaxAgeS="864000"';

describe('a URL that failed because of the configuration', () => {
  it('is visited again when the configuration allows its address', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler, more: fetcher('') });
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'error', reason: 'address-forbidden' });
    await world.reconfigure({ crawler, more: fetcher(LOOPBACK) });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });

  it('is visited again when it gets a login, unlike a page that failed for another reason', async () => {
    const site = await startSite();
    const credentials = `Basic ${Buffer.from('ann:pw').toString('base64')}`;
    site.page('/', ['/secret', '/gone']);
    site.set('/secret', ({ headers }) =>
      headers.authorization === credentials
        ? { headers: { 'content-type': 'text/html' }, body: '<title>secret</title>' }
        : { status: 401 },
    );
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler, more: fetcher(LOOPBACK) });
    expect(await world.state(site.url('/secret'))).toMatchObject({ status: 'error', reason: 'http-401' });
    site.forgetRequests();
    const credential = `<cw:Credential url="${site.url('/')}" user="ann" password="pw"/>`;
    await world.reconfigure({ crawler, more: fetcher(LOOPBACK + credential) });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/secret')]);
    expect(site.fetched).toEqual(['/secret']);
  });

  it('is visited again when an option of a condition provides what it lacked', async () => {
    const site = await startSite();
    site.page('/', ['/mirror']);
    site.set('/mirror', ({ headers }) =>
      headers['user-agent'] === 'Partner'
        ? { headers: { 'content-type': 'text/html' }, body: '<title>mirror</title>' }
        : { status: 403 },
    );
    const root = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler: root });
    expect(await world.indexed()).toEqual([site.url('/')]);
    const option =
      '<cw:Conditions><cw:apply-for field="path" test="wildcard" value="/mirror*"><cw:option name="user-agent" value="Partner"/></cw:apply-for></cw:Conditions>';
    await world.reconfigure({ crawler: root + option });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/mirror')]);
  });

  it('is visited again when robots.txt no longer counts', async () => {
    const site = await startSite();
    site.page('/', ['/private']).page('/private');
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private\n' });
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler });
    expect(await world.state(site.url('/private'))).toMatchObject({ reason: 'robots-disallowed' });
    await world.reconfigure({ crawler, attributes: `${RARELY} ignoreRobotsTxt="true"` });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/private')]);
  });

  it('waits for its regular visit when something else changes', async () => {
    const site = await startSite();
    site.page('/', ['/private']).set('/private', { status: 401 });
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler });
    site.forgetRequests();
    await world.reconfigure({ crawler, attributes: `${RARELY} throttleTimeMS="17"` });
    await world.untilIdle();
    expect(site.fetched).toEqual([]);
  });
});

describe('a start URL that fails', () => {
  it.each([
    ['permanently', { status: 404 }, 'http-404'],
    ['temporarily', { status: 408 }, 'http-408'],
  ])('%s is retried within minutes, is never given up, and says how to retry it now', async (_, failure, reason) => {
    const site = await startSite();
    site.set('/', failure);
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler });
    await world.pass(minutes(10));
    expect(site.requests.filter(({ path }) => path === '/').length).toBeGreaterThan(1);
    await world.pass(days(15));
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'error', reason });
    const { headline } = await world.engine.explanations.explain('test', site.url('/'));
    expect(headline.text).toContain('As a start URL, it is never given up.');
    expect(headline.nextStep).toContain(`crawlway refresh ${site.url('/')}`);
    site.page('/');
    await world.pass(days(11));
    expect(await world.indexed()).toEqual([site.url('/')]);
  });

  it('is tried again when any part of the configuration changes', async () => {
    const site = await startSite();
    site.set('/', { status: 404 });
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: RARELY, crawler });
    await world.pass(hours(2));
    site.page('/');
    await world.reconfigure({ crawler, attributes: `${RARELY} throttleTimeMS="17"` });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/')]);
  });

  it('loses its document when it is gone, like any page', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const attributes = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400" deletionGuard="false"';
    const world = await crawl({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
    site.set('/', { status: 410 });
    await world.pass(days(3));
    expect(await world.indexed()).toEqual([site.url('/a')]);
    expect(await world.state(site.url('/'))).toMatchObject({ status: 'error' });
  });
});

it('a page that is no start URL is given up after its second permanent error', async () => {
  const site = await startSite();
  site.page('/', ['/a']).set('/a', { status: 404 });
  const attributes = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
  const world = await crawl({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
  // Otherwise, the link would bring the URL back.
  site.page('/');
  await world.pass(days(3));
  expect(await world.state(site.url('/a'))).toMatchObject({ status: 'removed' });
});
