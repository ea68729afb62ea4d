/** Whatever a site answers when a session has ended, nothing is deleted or overwritten, and one login makes it current. */
import { expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { type FakeAnswer, html } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';
import { type Answer, PATHS, SessionSite, type SessionSiteOptions, showPage } from '../../support/session-site.js';

const configuration = (site: SessionSite, attributes = '', crawler = '') => ({
  crawler: `<Root url="${site.url('/')}"/>${crawler}`,
  more: site.fetcher(attributes),
});

const visitAgain = async (world: CrawlWorld): Promise<void> => {
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
};

const deletions = async (world: CrawlWorld) =>
  (await world.store.listOrders({ crawler: 'test' }, undefined, 100)).filter(({ kind }) => kind === 'delete');

const teaser = (path: string) => ({ body: html(path, [], 'Only for members of our club, who know all about this.') });

const IDIOMS: Readonly<Record<string, SessionSiteOptions>> = {
  'a page with noindex': {
    stranger: () => ({ body: '<meta name="robots" content="noindex"><title>Login required</title>You must log in.' }),
  },
  '403 and a form': {
    stranger: (_path, site) => ({ status: 403, body: `<title>Denied</title>${site.form}` }),
    form: '<form method=post action=/login><input name=u><input type=password name=p><button>go</button></form>',
  },
  '403 without a form': { stranger: () => ({ status: 403, body: 'Access denied <a href="/login">Log in</a>' }) },
  '403 that sends the browser on': {
    stranger: () => ({ status: 403, body: '<meta http-equiv="refresh" content="1;url=/login">' }),
  },
  '404': { stranger: () => ({ status: 404, body: 'no such page' }) },
  'a teaser': { stranger: teaser },
  'a form with unquoted attributes': {
    stranger: (_path, site) => ({ body: `<title>Please sign in</title>${site.form}` }),
    form: '<form method=post action=/login><input name=u><input type=password name=p><button>go</button></form>',
  },
  'a page that sends the browser on': {
    stranger: () => ({ body: '<meta http-equiv="refresh" content="0; url=/login"><title>Expired</title>' }),
  },
  'a redirect to the same page': { stranger: (path) => ({ status: 302, headers: { location: path } }) },
  'a redirect to nowhere': { stranger: () => ({ status: 302 }) },
  'a redirect to the page before the form': {
    stranger: () => ({ status: 303, headers: { location: '/mellon/start?ReturnTo=x' } }),
    anybody: (path) =>
      path.startsWith('/mellon/start') ? { status: 303, headers: { location: '/login' } } : undefined,
  },
};

it.each(Object.entries(IDIOMS))(
  'a session that ends with %s costs one login and no document',
  async (_name, options) => {
    const site = await SessionSite.start(options);
    const page = `page="${site.url(options.anybody ? '/p1' : '/login')}"`;
    const world = await crawl(configuration(site, page));
    const urls = PATHS.map((path) => site.url(path));
    expect(await world.indexed()).toEqual(urls);
    expect(site.logins).toBe(1);
    const stamp = (await world.state(site.url('/p3')))?.stamp;
    site.endSessions();
    await visitAgain(world);
    expect(await world.indexed()).toEqual(urls);
    expect(await deletions(world)).toEqual([]);
    expect(site.logins).toBe(2);
    for (const url of urls) expect(await world.state(url)).toMatchObject({ status: 'indexed', reason: 'indexed' });
    expect((await world.state(site.url('/p3')))?.stamp).toBe(stamp);
    expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', logins: 2 }]);
  },
);

it.each([204, 300, 407, 429, 500, 503, 511])(
  'a session that ends with status %i costs one login and no document, although the home page is open to everybody',
  async (status) => {
    const site = await SessionSite.start({
      stranger: () => ({ status, body: 'no user' }),
      anybody: (path) => (path === '/' ? { body: html(path, PATHS, 'Everybody may read this page.') } : undefined),
    });
    const world = await crawl(configuration(site, `check="${site.url('/p1')}"`));
    const urls = PATHS.map((path) => site.url(path));
    expect(await world.indexed()).toEqual(urls);
    site.endSessions();
    await visitAgain(world);
    expect(site.logins).toBe(2);
    await world.pass(hours(48));
    expect(await world.indexed()).toEqual(urls);
    expect(await deletions(world)).toEqual([]);
    expect(site.logins).toBe(2);
  },
);

it('a host that fails is left alone, although the page to check fails as well', async () => {
  let isDown = false;
  const paths = ['/', ...Array.from({ length: 100 }, (_, index) => `/p${index}`)];
  const site = await SessionSite.start({
    anybody: () => (isDown ? { status: 500 } : undefined),
    member: (path) => ({ body: html(path, paths, `Members read ${path}. `.repeat(10)) }),
  });
  const world = await crawl(configuration(site));
  isDown = true;
  const before = site.requests.length;
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.pass(hours(4));
  expect(site.requests.length - before).toBeLessThan(200);
  isDown = false;
  await world.pass(hours(4));
  expect(await world.indexed()).toHaveLength(paths.length);
  expect([await deletions(world), site.logins]).toEqual([[], 1]);
  for (const path of paths) expect(await world.state(site.url(path))).toMatchObject({ reason: 'indexed' });
});

it('bad news is believed while the session is alive', async () => {
  const gone = new Set<string>();
  const site = await SessionSite.start({
    stranger: () => ({ status: 403 }),
    member: (path) => (gone.has(path) ? { status: 403 } : showPage(path)),
  });
  const world = await crawl(configuration(site));
  gone.add('/p2');
  await visitAgain(world);
  expect(await world.indexed()).toEqual(PATHS.filter((path) => path !== '/p2').map((path) => site.url(path)));
  expect(site.logins).toBe(1);
});

it.each<[string, Answer]>([
  ['401', { status: 401, body: 'Unauthorized' }],
  [
    'a page that sends the browser on',
    { body: '<meta http-equiv="refresh" content="0; url=/login"><title>Step up</title>' },
  ],
  [
    'a page that sends the browser to the sign-in server',
    { body: '<meta http-equiv="refresh" content="0; url=https://id.example.com/authorize?a=1"><title>Step up</title>' },
  ],
])(
  'pages that the account may no longer see, which answer with %s, are kept, and their neighbours are read',
  async (_, answer) => {
    const closed = new Set<string>();
    let edition = 'first';
    const site = await SessionSite.start({
      member: (path) =>
        closed.has(path)
          ? answer
          : { body: html(`${path}, ${edition} edition`, [...PATHS, '/p6'], `Members read ${path}.`) },
    });
    const world = await crawl(configuration(site, 'sendTo="https://id.example.com"'));
    const urls = await world.indexed();
    for (const path of ['/p1', '/p2', '/p3', '/p4']) closed.add(path);
    for (let round = 0; round < 3; round++) await visitAgain(world);
    edition = 'second';
    await visitAgain(world);
    expect(await world.indexed()).toEqual(urls);
    expect(await deletions(world)).toEqual([]);
    expect(await world.state(site.url('/p1'))).toMatchObject({ reason: 'login-failed', title: '/p1, first edition' });
    expect(await world.state(site.url('/p5'))).toMatchObject({ reason: 'indexed', title: '/p5, second edition' });
    expect(site.logins).toBe(1);
  },
);

it('while the page to check does not answer, bad news is not believed', async () => {
  let isDown = false;
  const site = await SessionSite.start({
    stranger: () => ({ status: 403 }),
    anybody: (path) => (isDown && path === '/me' ? { status: 503 } : undefined),
    member: (path) => (path === '/me' ? { body: 'Hello robot' } : showPage(path)),
  });
  const world = await crawl(configuration(site, `check="${site.url('/me')}"`));
  site.endSessions();
  isDown = true;
  for (const time of [minutes(5), hours(1)]) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(time);
  }
  expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  expect(await deletions(world)).toEqual([]);
  expect(await world.state(site.url('/p1'))).toMatchObject({ reason: 'login-failed' });
  expect(site.logins).toBe(1);
  isDown = false;
  await visitAgain(world);
  expect(site.logins).toBe(2);
  for (const path of PATHS) expect(await world.state(site.url(path))).toMatchObject({ reason: 'indexed' });
});

it('pages that the account may not see cost no login, and are retried like any error', async () => {
  const boards = Array.from({ length: 30 }, (_, index) => `/board/${index}`);
  const site = await SessionSite.start({
    member: (path) => {
      if (boards.includes(path)) return { status: 302, headers: { location: `/login?next=${path}` } };
      return path === '/' ? { body: html(path, [...PATHS, ...boards]) } : showPage(path);
    },
  });
  const world = await crawl(configuration(site));
  expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  expect(await world.state(site.url('/board/7'))).toMatchObject({ reason: 'login-failed' });
  await world.pass(hours(24));
  expect(site.logins).toBe(1);
  expect(site.requests.filter((line) => line === 'GET /board/7').length).toBeLessThan(40);
});

it('a page that only shows a login form is indexed', async () => {
  const site = await SessionSite.start({
    member: (path) =>
      path === '/p3'
        ? { body: html(path, [], `Change your password: <form><input name="u"><input name="p"></form>`) }
        : showPage(path),
  });
  const world = await crawl(configuration(site));
  expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  expect(site.logins).toBe(1);
});

it('a site that keeps no session gets six logins an hour, and the login is stopped', async () => {
  const site = await SessionSite.start();
  const world = await crawl(configuration(site));
  const told: string[] = [];
  world.engine.events.observe((event) => {
    if (event.type === 'login') told.push(`${event.state}: ${event.message}`);
  });
  for (let round = 0; round < 8; round++) {
    site.endSessions();
    await visitAgain(world);
  }
  expect(site.logins).toBe(6);
  expect(world.engine.logins.list()).toMatchObject([{ state: 'stopped', failure: 'repeated' }]);
  expect(told).toContain('stopped: the login worked 6 times within an hour, but the site ended each session');
  expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  await world.engine.logins.test('site');
  await world.untilIdle(minutes(5));
  expect(await world.state(site.url('/p1'))).toMatchObject({ status: 'indexed', reason: 'indexed' });
});

it('a part of the site with other users sees the password three times, not more', async () => {
  const tried: string[] = [];
  const site = await startSite();
  const protect = (path: string, realm: string, user: string, links: readonly string[] = []): void => {
    site.set(path, ({ headers }): FakeAnswer => {
      const isKnown = headers.authorization === `Basic ${Buffer.from(`${user}:right`).toString('base64')}`;
      if (isKnown) return { headers: { 'content-type': 'text/html' }, body: html(path, links) };
      if (headers.authorization !== undefined) tried.push(path);
      return { status: 401, headers: { 'www-authenticate': `Basic realm="${realm}"` } };
    });
  };
  const boards = Array.from({ length: 30 }, (_, index) => `/board/${index}`);
  protect('/', 'all', 'robot', ['/a', ...boards]);
  protect('/a', 'all', 'robot');
  for (const path of boards) protect(path, 'board', 'director');
  const login = `<cw:Login name="site" type="basic" insecure="true" url="${site.url('/')}" user="robot" password="right"/>`;
  const world = await crawl({
    attributes: 'nthreads="1"',
    crawler: `<Root url="${site.url('/')}"/>`,
    more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${login}</cw:Fetcher>`,
  });
  await world.pass(hours(24));
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  expect(tried).toHaveLength(3);
  expect(await world.state(site.url('/board/9'))).toMatchObject({ reason: 'login-failed' });
});
