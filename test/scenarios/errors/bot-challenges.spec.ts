import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { type FakePage, FakeSite, html } from '../../support/fake-site.js';

const FETCHER = '<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';
const HTML = { 'content-type': 'text/html' };
const INTERSTITIAL = `<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>
  <script>(function(){window._cf_chl_opt = {cvId: '3'};}());</script>`;

const CHALLENGES: readonly (readonly [string, FakePage])[] = [
  ['403 with a header', { status: 403, headers: { ...HTML, 'cf-mitigated': 'challenge' }, body: 'Forbidden' }],
  ['405 with a header', { status: 405, headers: { ...HTML, 'x-amzn-waf-action': 'captcha' } }],
  ['202 with a header and no body', { status: 202, headers: { ...HTML, 'x-amzn-waf-action': 'challenge' } }],
  ['200 with an interstitial', { headers: HTML, body: INTERSTITIAL }],
  ['503 with an interstitial', { status: 503, headers: HTML, body: INTERSTITIAL }],
];

const PATHS = Array.from({ length: 8 }, (_, index) => `/${index}`);

it.each(CHALLENGES)('a challenge deletes and replaces nothing: %s', async (_, challenge) => {
  const site = await FakeSite.start();
  for (const path of PATHS) site.set(path, { headers: HTML, body: html(`Page ${path}`, []) });
  site.set('/about', {
    headers: HTML,
    body: html(
      'About challenges',
      [],
      '<pre>window._cf_chl_opt = {}; &lt;script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></pre>',
    ),
  });
  site.set('/', { headers: HTML, body: html('Home', [...PATHS, '/about']) });
  const world = await CrawlWorld.start({
    attributes: 'smartRefreshMinAgeS="72000" smartRefreshMaxAgeS="86400" ignoreRobotsTxt="true"',
    crawler: `<Root url="${site.url('/')}"/>`,
    more: FETCHER,
  });
  await world.untilIdle();
  const all = await world.indexed();
  expect(all).toHaveLength(PATHS.length + 2);
  for (const path of PATHS) site.set(path, challenge);
  site.set('/new', challenge);
  site.set('/', { headers: HTML, body: html('Home', [...PATHS, '/about', '/new']) });
  await world.engine.maintenance.refresh('test', {});
  await world.untilIdle(minutes(1));
  expect(await world.state(site.url('/0'))).toMatchObject({ status: 'error', reason: 'bot-challenge' });
  expect(await world.indexed()).toEqual(all);
  for (const path of PATHS) site.set(path, { headers: HTML, body: html(`Page ${path}`, []) });
  site.set('/new', { headers: HTML, body: html('New', []) });
  await world.pass(hours(12));
  expect(await world.state(site.url('/0'))).toMatchObject({ status: 'indexed' });
  expect(await world.indexed()).toHaveLength(PATHS.length + 3);
  await world.close();
  await site.close();
});

const CHALLENGE: FakePage = { headers: HTML, body: INTERSTITIAL };

it.each([
  ['200', CHALLENGE],
  ['403', { ...CHALLENGE, status: 403 }],
  ['403 with a header', { status: 403, headers: { ...HTML, 'cf-mitigated': 'challenge' } }],
])('a challenge in place of robots.txt neither allows nor forbids anything for good: %s', async (_, challenge) => {
  const site = await FakeSite.start();
  site.set('/', { headers: HTML, body: html('Home', ['/private']) });
  site.set('/private', { headers: HTML, body: html('Private', []) });
  site.set('/robots.txt', challenge);
  const world = await CrawlWorld.start({ crawler: `<Root url="${site.url('/')}"/>`, more: FETCHER });
  await world.pass(minutes(2));
  expect(site.fetched).toEqual([]);
  const { headline } = await world.engine.explanations.explain('test', site.url('/'));
  expect(headline.text).toContain('bot-challenge');
  site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private\n' });
  await world.pass(hours(1));
  expect(await world.indexed()).toEqual([site.url('/')]);
  // The rules that were read stay in force.
  site.set('/robots.txt', challenge);
  await world.pass(hours(30));
  await world.engine.maintenance.refresh('test', {});
  await world.pass(hours(1));
  expect(site.fetched).toEqual(['/']);
  expect(await world.indexed()).toEqual([site.url('/')]);
  await world.close();
  await site.close();
});

it('a challenge in place of a sitemap, or of a document of an accepted type, is one', async () => {
  const site = await FakeSite.start();
  site.set('/', { headers: { 'content-type': 'text/plain' }, body: 'Home' });
  site.set('/robots.txt', { body: `Sitemap: ${site.url('/map.xml')}\n` });
  site.set('/map.xml', CHALLENGE);
  site.set('/a.txt', CHALLENGE);
  const world = await CrawlWorld.start({
    attributes: 'crawlSitemaps="true" mimeTypesMode="include"',
    crawler: `<Root url="${site.url('/')}"/><Root url="${site.url('/a.txt')}"/><cw:MimeTypes types="text/plain"/>`,
    more: FETCHER,
  });
  await world.pass(minutes(5));
  for (const path of ['/map.xml', '/a.txt'])
    expect(await world.state(site.url(path))).toMatchObject({ status: 'error', reason: 'bot-challenge' });
  await world.close();
  await site.close();
});
