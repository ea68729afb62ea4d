/** Links that end the session: recognized by their words, named by the configuration, or learned. */
import { expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { html } from '../../support/fake-site.js';
import { crawl } from '../../support/scenario.js';
import { PATHS, SessionSite, showPage } from '../../support/session-site.js';

const LINKS = [
  ...['/logout', '/index.php?action=logout', '/index.php?do=logout&sectok=abc', '/index.php?title=Special:UserLogout'],
  ...['/Special:UserLogout', '/user.php?mode=logout', '/index.php?option=com_users&task=user.logout'],
  ...['/dologout.action', '/doLogout', '/userlogout.jsp', '/account/abmelden', '/users/sign_out', '/log_off.aspx'],
  '/session?_method=delete&logout=1',
];

/** Ends the session and says goodbye, by a page or by a redirect to the form. */
const leaving = (links: readonly string[], redirects = false) => ({
  anybody: (path: string, site: SessionSite) => {
    if (!links.includes(path)) return undefined;
    site.endSessions();
    return redirects ? { status: 302, headers: { location: '/login' } } : { body: html('Good bye', []) };
  },
  member: (path: string) => (path === '/' ? { body: html(path, [...links, ...PATHS]) } : showPage(path)),
});

const configuration = (site: SessionSite, attributes = '') => ({
  attributes: 'nthreads="1"',
  crawler: `<Root url="${site.url('/')}"/>`,
  more: site.fetcher(attributes),
});

const indexed = PATHS;

it('links with the common words are not followed', async () => {
  const site = await SessionSite.start(leaving(LINKS));
  const world = await crawl(configuration(site));
  expect(await world.indexed()).toEqual(indexed.map((path) => site.url(path)));
  expect(site.logins).toBe(1);
  for (const path of LINKS)
    expect(await world.state(new URL(path, site.origin).href)).toMatchObject({ reason: 'login-page' });
});

it('neither are those that the configuration names', async () => {
  const site = await SessionSite.start(leaving(['/bye', '/leave?now=1']));
  const world = await crawl(configuration(site, `logoutUrls="${site.url('/bye')} *leave?*"`));
  expect(await world.indexed()).toEqual(indexed.map((path) => site.url(path)));
  expect(site.requests).not.toContain('GET /bye');
  expect(site.logins).toBe(1);
});

it.each([
  ['a page', false],
  ['a redirect to the form', true],
])('one that answers with %s is learned, and then not visited again', async (_name, redirects) => {
  const site = await SessionSite.start(leaving(['/bye'], redirects));
  const world = await crawl(configuration(site));
  for (let round = 0; round < 3; round++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle(minutes(5));
  }
  const logins = site.logins;
  const visits = site.requests.filter((line) => line === 'GET /bye').length;
  expect(await world.indexed()).toEqual(indexed.map((path) => site.url(path)));
  expect(await world.state(site.url('/bye'))).toMatchObject({ reason: 'login-page' });
  expect(world.engine.logins.list()).toMatchObject([{ lastSessionEndUrl: site.url('/bye') }]);
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
  expect(site.requests.filter((line) => line === 'GET /bye')).toHaveLength(visits);
  expect(site.logins).toBe(logins);
  expect(logins).toBeLessThanOrEqual(4);
});
