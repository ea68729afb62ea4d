/** Sites where the login page differs from others only by its query, or is shown at the URL of the page asked for. */
import { expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { html } from '../../support/fake-site.js';
import { crawl, start } from '../../support/scenario.js';
import { PATHS, SessionSite, type SessionSiteOptions, showPage } from '../../support/session-site.js';

const redirect = (location: string) => ({ status: 302, headers: { location } });

/** A page of a wiki or portal, at `path?name=value`. */
const scripted =
  (script: string, name: string, pages: readonly string[]): SessionSiteOptions['member'] =>
  (path) => {
    if (path === '/') return redirect(`${script}?${name}=${pages[0]}`);
    const links = pages.map((page) => `${script}?${name}=${page}`);
    return links.includes(path) ? { body: html(path, links, `Members read ${path}.`) } : undefined;
  };

/** The form is sent to the URL to which it redirects, without the parameter that shows it. */
const DOKUWIKI: SessionSiteOptions = {
  loginPath: '/doku.php?id=start&do=login',
  form: '<form method="post" action="/doku.php?id=start"><input name="u"><input type="password" name="p"></form>',
  start: '/doku.php?id=start',
  stranger: (path) => redirect(path === '/' ? '/doku.php?id=start' : '/doku.php?id=start&do=login'),
  member: scripted('/doku.php', 'id', ['start', 'a', 'b', 'c']),
};

const MEDIAWIKI: SessionSiteOptions = {
  loginPath: '/index.php?title=Special:UserLogin',
  start: '/',
  stranger: () => ({ body: '<meta name="robots" content="noindex"><title>Login required</title>Log in to read.' }),
  member: scripted('/index.php', 'title', ['Main_Page', 'A', 'B', 'Special:Version']),
};

it.each([
  ['DokuWiki', DOKUWIKI, ['start', 'a', 'b', 'c'].map((id) => `/doku.php?id=${id}`)],
  ['MediaWiki', MEDIAWIKI, ['Main_Page', 'A', 'B', 'Special:Version'].map((title) => `/index.php?title=${title}`)],
])('a site of one script such as %s is crawled, and its session renewed', async (_name, options, paths) => {
  const site = await SessionSite.start(options);
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, more: site.fetcher() });
  const urls = paths.map((path) => site.url(path)).sort();
  expect(await world.indexed()).toEqual(urls);
  expect(site.logins).toBe(1);
  site.endSessions();
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
  expect(await world.indexed()).toEqual(urls);
  expect(site.logins).toBe(2);
  for (const url of urls) expect(await world.state(url)).toMatchObject({ status: 'indexed', reason: 'indexed' });
});

it('a page where the form is shown at its own URL is crawled', async () => {
  const site = await SessionSite.start({
    form: '<form method="post" action="/j_security_check"><input name="u"><input type="password" name="p"></form>',
    stranger: (_path, { form }) => ({ body: `<title>Log in</title>${form}` }),
    start: '/p1',
  });
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    more: site.fetcher(`page="${site.url('/p1')}"`),
  });
  const urls = PATHS.map((path) => site.url(path));
  expect(await world.indexed()).toEqual(urls);
  site.endSessions();
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
  expect(await world.indexed()).toEqual(urls);
  expect(site.logins).toBe(2);
});

it('a login that ends on a page of the sign-in server has failed', async () => {
  const provider = await SessionSite.start({ start: '/update-password', member: (path) => ({ body: html(path, []) }) });
  const site = await SessionSite.start({ stranger: () => redirect(provider.url('/login')), member: showPage });
  const login = site.login(`page="${site.url('/p1')}" sendTo="${provider.origin}"`);
  const world = await start({
    crawler: `<Root url="${site.url('/')}"/>`,
    more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${login}</cw:Fetcher>`,
  });
  await world.pass(minutes(60));
  const detail = `the login has not come in: ${site.url('/')} leads to ${provider.url('/login')}`;
  expect(world.engine.logins.list()).toMatchObject([{ state: 'stopped', failure: 'refused', detail }]);
  expect(provider.logins).toBe(3);
});

it('a page to check that is the same without a login draws a warning', async () => {
  const site = await SessionSite.start({ anybody: (path) => (path === '/p1' ? showPage(path) : undefined) });
  const world = await start({ crawler: '', more: site.fetcher(`check="${site.url('/p1')}"`) });
  const { state, steps } = await world.engine.logins.test('site');
  expect(state).toBe('logged-in');
  expect(steps.at(-1)?.what).toMatch(/^warning: the page to check is the same for visitors who are not logged in/);
});
