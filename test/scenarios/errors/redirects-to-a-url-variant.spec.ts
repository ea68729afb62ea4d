import { expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/domain/time/units.js';
import { ManualClock } from '../../support/manual-clock.js';
import { crawl, start, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html' };
const redirect = (location: string) => ({ status: 302, headers: { location } });
const steps = (names: string): string => `<cw:Canonicalization steps="${names}"/>`;

it('a redirect to a session id, default document or trailing slash is followed, and the page keeps its URL', async () => {
  const site = await startSite();
  site.page('/', ['/shop', '/docs', '/home']).page('/docs/guide').page('/home/a');
  site.set('/shop', redirect('/shop;jsessionid=1F')).page('/shop;jsessionid=1F');
  site.set('/docs', redirect(site.url('/docs/')));
  site.set('/docs/', { headers: HTML, body: '<title>Docs</title><a href="guide">g</a>' });
  site.set('/home', redirect('/home/index.php')).page('/home/index.php', ['/home/a']);
  const names = 'remove-session-ids remove-default-document remove-trailing-slash';
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${steps(names)}` });
  const paths = ['/', '/docs', '/docs/guide', '/home', '/home/a', '/shop'];
  expect((await world.indexed()).sort()).toEqual(paths.map((path) => site.url(path)));
});

it('a redirect to a URL variant that robots.txt forbids is not followed', async () => {
  const site = await startSite();
  site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /*;jsessionid' });
  site.page('/', ['/shop']).set('/shop', redirect('/shop;jsessionid=1F'));
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.state(site.url('/shop'))).toMatchObject({ reason: 'robots-disallowed' });
  expect(site.fetched).toEqual(['/', '/shop']);
});

it('a redirect to a URL variant that redirects to a third one ends', async () => {
  const site = await startSite();
  let session = 0;
  const toNext = () => redirect(`/shop;jsessionid=${++session}`);
  site.page('/', ['/shop']).elsewhere((path) => (path.startsWith('/shop') ? toNext() : undefined));
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.state(site.url('/shop'))).toMatchObject({ status: 'error', reason: 'redirect-loop' });
  expect(session).toBe(2);
});

it('a redirect to a URL variant respects the crawl delay, and starts at the original URL at each visit', async () => {
  const site = await startSite();
  const clock = new ManualClock();
  const asked: number[] = [];
  const timed = (location: string) => () => {
    asked.push(clock.now());
    return redirect(location);
  };
  site.page('/', ['/shop']).set('/shop', timed('/shop;jsessionid=1F'));
  site.set('/shop;jsessionid=1F', () => {
    asked.push(clock.now());
    return { headers: HTML, body: '<title>Shop</title>' };
  });
  const attributes = 'aggressive="false" throttleTimeMS="2500"';
  const world = await start({ crawler: `<Root url="${site.url('/')}"/>`, attributes, clock });
  await world.pass(minutes(1));
  expect(asked).toHaveLength(2);
  expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(seconds(2.5));
  await world.engine.maintenance.refresh('test', { url: site.url('/shop') });
  await world.pass(minutes(1));
  expect(site.requests.map(({ path }) => path).slice(-2)).toEqual(['/shop', '/shop;jsessionid=1F']);
});
