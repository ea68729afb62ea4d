import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { FakeAnswer, FakeSite } from '../../support/fake-site.js';
import { html } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const again = (path: string, cookie: string): FakeAnswer => ({
  status: 302,
  headers: { location: path, 'set-cookie': cookie },
});

/** A page for those alone who bring the cookie back that it sets. */
const guarded = (path: string, cookie: string) => (request: IncomingMessage) =>
  request.headers.cookie === cookie
    ? { headers: { 'content-type': 'text/html' }, body: html(path, []) }
    : again(path, `${cookie}; Path=${path}`);

const cookiesSeen = (site: FakeSite, path: string) =>
  site.requests.filter((request) => request.path === path).map(({ headers }) => headers.cookie);

it('a page that sets a cookie and redirects to itself is read, and the cookie is sent nowhere else', async () => {
  const site = await startSite();
  site.page('/', ['/a', '/b', '/plain']).page('/plain');
  site.set('/a', guarded('/a', 'a=1')).set('/b', guarded('/b', 'b=2'));
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(await world.indexed()).toEqual(['/', '/a', '/b', '/plain'].map((path) => site.url(path)));
  expect(cookiesSeen(site, '/a')).toEqual([undefined, 'a=1']);
  expect(cookiesSeen(site, '/b')).toEqual([undefined, 'b=2']);
  expect(cookiesSeen(site, '/plain')).toEqual([undefined]);
  // The cookie is kept for its host: the next visit begins with it, and says so without its value.
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle(minutes(5));
  expect(cookiesSeen(site, '/a')).toEqual([undefined, 'a=1', 'a=1']);
  const { visits } = await world.engine.explanations.getUrlHistory('test', site.url('/a'));
  expect(visits[0]?.detail).toBe('sent with cookie a');
});

it('a cookie for the folder of its page is kept for each folder that sets it', async () => {
  const site = await startSite();
  const page = (...links: readonly string[]): FakeAnswer => ({
    headers: { 'content-type': 'text/html', 'set-cookie': 'c=1' },
    body: html(links.join(), links),
  });
  site.page('/', ['/x/1']).set('/x/1', page('/y/1')).set('/y/1', page('/y/2')).set('/y/2', page());
  await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect(cookiesSeen(site, '/y/1')).toEqual([undefined]);
  expect(cookiesSeen(site, '/y/2')).toEqual(['c=1']);
});

it('cookies of many folders do not displace the one that every page needs', async () => {
  const site = await startSite();
  const paths = Array.from({ length: 220 }, (_, i) => `/folder-${i}/page`);
  const headers = { 'content-type': 'text/html' };
  site.set('/', {
    headers: { ...headers, 'set-cookie': ['gate=open; Path=/', 'lang=en'] },
    body: html('home', paths),
  });
  for (const path of paths)
    site.set(path, ({ headers: { cookie = '' } }: IncomingMessage) =>
      cookie.includes('gate=open')
        ? { headers: { ...headers, 'set-cookie': 'lang=en' }, body: html(path, []) }
        : { status: 403, headers, body: html('closed', []) },
    );
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  expect((await world.indexed()).length).toBe(paths.length + 1);
});

it('a cookie that has ended is kept again when the host sets it again', async () => {
  const site = await startSite();
  site.page('/', ['/a', '/b']).page('/b');
  site.set('/a', {
    headers: { 'content-type': 'text/html', 'set-cookie': 'c=1; Path=/; Max-Age=600' },
    body: html('a', []),
  });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (const path of ['/a', '/b']) {
    await world.engine.maintenance.refresh('test', { url: site.url(path) });
    await world.untilIdle(minutes(5));
  }
  expect(cookiesSeen(site, '/a')[1]).toBeUndefined();
  expect(cookiesSeen(site, '/b')[1]).toBe('c=1');
});

it('a fetcher without cookies returns one within its visit only', async () => {
  const site = await startSite();
  site.page('/', ['/a']);
  site.set('/a', guarded('/a', 'a=1'));
  const more = '<cw:Fetcher name="default" cookies="false"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, more });
  await world.engine.maintenance.refresh('test', { url: site.url('/a') });
  await world.untilIdle(minutes(5));
  expect(cookiesSeen(site, '/a')).toEqual([undefined, 'a=1', undefined, 'a=1']);
});

it('whether cookies are kept and sent follows the fetcher of the URL, not that of the crawler', async () => {
  const site = await startSite();
  const paths = ['/', '/special/1', '/special/2', '/plain'];
  for (const [i, path] of paths.entries())
    site.set(path, {
      headers: { 'content-type': 'text/html', 'set-cookie': 'c=1; Path=/' },
      body: html(path, paths.slice(i + 1, i + 2)),
    });
  const fetcher = (attributes: string) =>
    `<cw:Fetcher ${attributes}><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>`;
  const option = '<cw:option name="fetcher" value="special"/>';
  const conditions = `<cw:Conditions><cw:apply-for field="path" value="/special/*">${option}</cw:apply-for></cw:Conditions>`;
  await crawl({
    crawler: `<Root url="${site.url('/')}"/>${conditions}`,
    more: fetcher('name="default" cookies="false"') + fetcher('name="special"'),
  });
  expect(paths.map((path) => cookiesSeen(site, path))).toEqual([[undefined], [undefined], ['c=1'], [undefined]]);
});

it('a page that sets another cookie each time, or the same one always, is a redirect loop after few requests', async () => {
  const site = await startSite();
  let count = 0;
  site.page('/', ['/rotating', '/deaf', '/strange']);
  site.set('/rotating', () => again('/rotating', `id=${++count}; Path=/rotating`));
  site.set('/deaf', again('/deaf', 'id=1; Path=/deaf'));
  site.set('/strange', again('/strange', 'id=1; Domain=elsewhere.example'));
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>` });
  for (const path of ['/rotating', '/deaf', '/strange'])
    expect(await world.state(site.url(path))).toMatchObject({ status: 'error', reason: 'redirect-loop' });
  expect(cookiesSeen(site, '/rotating')).toEqual([undefined, 'id=1', 'id=2', 'id=3']);
  expect(cookiesSeen(site, '/deaf')).toEqual([undefined, 'id=1']);
  expect(cookiesSeen(site, '/strange')).toEqual([undefined]);
});
