/** Sites that send their visitors through a chain of redirects to find out whether they keep cookies. */
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { days, minutes } from '../../../src/domain/time/units.js';
import { type FakeAnswer, type FakeSite, html } from '../../support/fake-site.js';
import { crawl, start, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html' };
const hasCookie = ({ headers }: IncomingMessage): boolean => /\bok=1\b/.test(headers.cookie ?? '');
const to = (location: string, cookie?: string): FakeAnswer => ({
  status: 302,
  headers: { location, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
});
const PATHS = ['/', '/a', '/b'];

/** Pages that send visitors without the cookie to `check`. */
function gated(site: FakeSite, check: (path: string) => FakeAnswer): FakeSite {
  for (const path of PATHS)
    site.set(path, (request) =>
      hasCookie(request) ? { headers: HTML, body: html(path, path === '/' ? PATHS : []) } : check(path),
    );
  return site;
}

describe('a cookie check that leads back to the page', () => {
  it.each<[string, (site: FakeSite) => unknown]>([
    ['the page sets the cookie', (site) => gated(site, () => to('/check', 'ok=1')).set('/check', to('/'))],
    [
      'the check sets it, for each page',
      (site) =>
        gated(site, (path) => to(`/check?next=${path}`)).set('/check', (request) =>
          to(new URL(request.url!, 'http://x').searchParams.get('next')!, 'ok=1; Path=/'),
        ),
    ],
    [
      'over several pages',
      (site) =>
        gated(site, () => to('/one'))
          .set('/one', to('/two', 'ok=1; Path=/'))
          .set('/two', to('/three'))
          .set('/three', to('/')),
    ],
    [
      'by meta refresh',
      (site) =>
        gated(site, () => to('/check')).set('/check', {
          headers: { ...HTML, 'set-cookie': 'ok=1; Path=/' },
          body: '<meta http-equiv="refresh" content="0; url=/"><title>One moment</title>',
        }),
    ],
  ])('is passed: %s', async (_name, prepare) => {
    const site = await startSite();
    prepare(site);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    await world.pass(minutes(10));
    expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
    expect(site.requests.filter(({ path }) => path === '/').length).toBeLessThan(4);
  });

  it('is passed over another host that sets the cookie for the whole domain', async () => {
    const site = await startSite('127.0.0.1', 'www.foo.com');
    const check = await startSite('127.0.0.2', 'check.foo.com');
    gated(site, (path) => to(check.url(`/?next=${path}`)));
    check.set('/', (request) =>
      to(site.url(new URL(request.url!, 'http://x').searchParams.get('next')!), 'ok=1; Path=/; Domain=foo.com'),
    );
    const names = { 'www.foo.com': '127.0.0.1', 'check.foo.com': '127.0.0.2' };
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>`, names });
    await world.pass(minutes(10));
    expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  });

  it('costs nothing if it is added to a site that is indexed', async () => {
    const site = await startSite();
    site.page('/', PATHS).page('/a').page('/b');
    const attributes = 'smartRefreshMinAgeS="43200" smartRefreshMaxAgeS="86400"';
    const world = await start({ attributes, crawler: `<Root url="${site.url('/')}"/>` });
    await world.untilIdle();
    await world.pass(minutes(5));
    gated(site, (path) => to(`/age?next=${path}`)).set('/age', (request) =>
      to(new URL(request.url!, 'http://x').searchParams.get('next')!, 'ok=1; Path=/'),
    );
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(10));
    expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
    for (const path of PATHS) expect(await world.state(site.url(path))).toMatchObject({ status: 'indexed' });
  });
});

describe('a chain that leads back', () => {
  it.each<[string, (site: FakeSite) => unknown]>([
    ['without a cookie', (site) => site.set('/x', to('/y')).set('/y', to('/x'))],
    ['with the same cookie each time', (site) => site.set('/x', to('/y')).set('/y', to('/x', 'id=1; Path=/'))],
  ])('is a loop: %s', async (_name, prepare) => {
    const site = await startSite();
    prepare(site.page('/', ['/x']));
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    await world.pass(minutes(1));
    expect(await world.indexed()).toEqual([site.url('/')]);
    expect(site.requests.filter(({ path }) => path === '/x' || path === '/y').length).toBeLessThan(6);
  });

  it('ends after few requests if each of them sets another cookie', async () => {
    const site = await startSite();
    let count = 0;
    site.page('/', ['/x']).set('/x', () => to('/y', `x=${++count}; Path=/`));
    site.set('/y', () => to('/x', `y=${++count}; Path=/`));
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
    await world.pass(minutes(10));
    expect(await world.indexed()).toEqual([site.url('/')]);
    expect(count).toBeLessThan(12);
  });
});
