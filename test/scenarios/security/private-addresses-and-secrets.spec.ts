import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

/** The public site of these tests; what stands at the second address is private. */
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';
const ONLY_PUBLIC = `<cw:AllowAddress cidr="${PUBLIC}/32"/>`;

describe('private addresses and secrets', () => {
  let site: FakeSite;
  let secret: FakeSite;
  let world: CrawlWorld;
  const start = async (options: { crawler?: string; attributes?: string; fetcher?: string } = {}): Promise<void> => {
    world = await CrawlWorld.start({
      attributes: `nearDuplicateDetector="false" ${options.attributes ?? ''}`,
      crawler: options.crawler ?? `<Root url="${site.url('/')}" site="false"/>`,
      more: `<cw:Fetcher name="default">${options.fetcher ?? ONLY_PUBLIC}</cw:Fetcher>`,
      names: { 'rebound.example': PRIVATE, 'public.example': PUBLIC },
    });
    await world.untilIdle(minutes(0.5));
  };

  beforeEach(async () => {
    site = await FakeSite.start(PUBLIC);
    secret = await FakeSite.start(PRIVATE);
    secret.page('/', [], 'The keys are under the mat.').set('/robots.txt', { status: 200, body: 'User-agent: *\n' });
    secret.set('/sitemap.xml', { headers: { 'content-type': 'application/xml' }, body: '<urlset/>' });
  });
  afterEach(async () => {
    await world.close();
    await site.close();
    await secret.close();
  });

  it.each([
    ['a link', () => site.page('/', [secret.url('/')])],
    ['a link by a name that leads there', () => site.page('/', [`http://rebound.example:${secret.port}/`])],
    [
      'an address in another notation',
      () => site.page('/', [`http://2130706434:${secret.port}/`, `http://[::ffff:7f00:2]:${secret.port}/`]),
    ],
    [
      'a redirect',
      () => site.page('/', ['/away']).set('/away', { status: 302, headers: { location: secret.url('/') } }),
    ],
    [
      'a redirect to a name that leads there',
      () =>
        site
          .page('/', ['/away'])
          .set('/away', { status: 302, headers: { location: `http://rebound.example:${secret.port}/` } }),
    ],
    [
      'a redirect of robots.txt',
      () => site.page('/').set('/robots.txt', { status: 302, headers: { location: secret.url('/robots.txt') } }),
    ],
    [
      'a sitemap that robots.txt names',
      () =>
        site.page('/').set('/robots.txt', {
          headers: { 'content-type': 'text/plain' },
          body: `Sitemap: ${secret.url('/sitemap.xml')}\n`,
        }),
    ],
    [
      'a meta refresh',
      () =>
        site.set('/', {
          headers: { 'content-type': 'text/html' },
          body: `<meta http-equiv="refresh" content="0;url=${secret.url('/')}">`,
        }),
    ],
  ])('%s never leads to an address that is not public', async (_what, build) => {
    build();
    await start({ attributes: 'crawlSitemaps="true"' });
    await world.pass(minutes(5));
    expect(secret.requests).toEqual([]);
    expect((await world.indexed()).filter((url) => !url.startsWith(site.origin))).toEqual([]);
  });

  it('only http and https URLs are requested, whatever a page contains', async () => {
    site.page('/', [
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'gopher://127.0.0.1:70/',
      'javascript:alert(1)',
      'data:text/html,x',
    ]);
    site.page('/', ['/r']).set('/r', { status: 302, headers: { location: 'file:///etc/passwd' } });
    await start();
    expect(await world.state(site.url('/r'))).toMatchObject({ status: 'error', reason: 'redirect-malformed' });
    expect(await world.engine.urls.count({ crawler: 'test' })).toBe(2);
  });

  it('user info in URLs appears nowhere: not in the index, the store, the events, the log, the refused links', async () => {
    const reported: string[] = [];
    const withUser = (path: string): string => site.url(path).replace('http://', 'http://anna:hunter2@');
    site
      .page('/', [withUser('/a'), withUser('/private'), '/away'])
      .page('/a')
      .page('/b')
      .page('/c');
    site.set('/away', { status: 302, headers: { location: withUser('/b') } });
    site.set('/broken', { status: 302, headers: { location: 'http://anna:hunter2@[' } });
    await start({
      crawler: `<Root url="${site.url('/')}" site="false"/><Root url="${site.url('/broken')}" site="false"/><Rules><Rule><Path val="/private.*"/><Ignore/></Rule></Rules>`,
    });
    world.engine.events.subscribe((event) => reported.push(JSON.stringify(event)));
    reported.push(text(await world.engine.roots.submit('test', [{ url: withUser('/c') }])));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle();
    reported.push(...world.errors, ...(await world.indexed()));
    for (const state of (await world.engine.urls.search({ crawler: 'test' }, 0, 100)).urls) {
      const urlHistory = await world.engine.explanations.getUrlHistory('test', state.url);
      reported.push(text(state), text(urlHistory), text(await world.engine.explanations.explain('test', state.url)));
    }
    reported.push(
      text(await world.engine.orders.list({}, undefined, 100)),
      text(await world.engine.urls.listRefusedLinks('test')),
    );
    reported.push(text(await world.engine.getMetrics()), text(await world.engine.roots.list('test')));
    expect(reported.length).toBeGreaterThan(10);
    expect(reported.filter((one) => one.includes('hunter2') || one.includes('anna'))).toEqual([]);
  });

  it('of what robots.txt names on another host, nothing is requested with credentials, or that rules ignore', async () => {
    const named = (path: string): string => `Sitemap: ${secret.url(path)}\n`;
    site.page('/').set('/robots.txt', {
      headers: { 'content-type': 'text/plain' },
      body: named('/admin/delete?id=1') + named('/list.xml'),
    });
    secret.set('/list.xml', {
      headers: { 'content-type': 'application/xml' },
      body: `<urlset><url><loc>${site.url('/listed')}</loc></url></urlset>`,
    });
    site.page('/listed');
    await start({
      attributes: 'crawlSitemaps="true"',
      crawler: `<Root url="${site.url('/')}"/><Rules><Rule><Path val="/admin/.*"/><Ignore/></Rule></Rules>`,
      fetcher: `<cw:AllowAddress cidr="127.0.0.0/8"/><cw:Header url="${secret.url('/')}" name="X-Key" value="hunter2"/>
        <cw:Credential url="${secret.url('/')}" user="anna" password="hunter2"/>`,
    });
    const requests = secret.requests.filter(({ path }) => path !== '/robots.txt');
    expect(requests.map(({ path, headers }) => [path, headers.authorization, headers['x-key']])).toEqual([
      ['/list.xml', undefined, undefined],
    ]);
    expect(await world.state(site.url('/listed'))).toMatchObject({ status: 'indexed' });
  });

  it.each([
    ['/admin/delete?id=1', false],
    ['/robots.txt', true],
  ])('a robots.txt that is redirected to %s of another host gets credentials there: %s', async (path, isAuthorized) => {
    site.page('/').set('/robots.txt', { status: 302, headers: { location: secret.url(path) } });
    await start({
      fetcher: `<cw:AllowAddress cidr="127.0.0.0/8"/><cw:Credential url="${secret.url('/')}" user="anna" password="hunter2"/>`,
    });
    expect(secret.requests.map((request) => [request.path, request.headers.authorization !== undefined])).toEqual([
      [path, isAuthorized],
    ]);
  });

  it('credentials are sent to their own prefix, and neither across a redirect nor to another host', async () => {
    const other = await FakeSite.start(PUBLIC);
    other.page('/').page('/protected/x');
    site
      .page('/', ['/protected/a', '/open', '/protected/away', other.url('/protected/x')])
      .page('/open')
      .page('/protected/a');
    site.set('/protected/away', { status: 302, headers: { location: other.url('/') } });
    await start({
      fetcher: `${ONLY_PUBLIC}<cw:Credential url="${site.url('/protected/')}" user="anna" password="hunter2"/>`,
    });
    const authorized = (from: FakeSite): string[] =>
      from.requests
        .filter((request) => request.headers.authorization !== undefined)
        .map(({ path }) => path)
        .sort();
    expect(authorized(site)).toEqual(['/protected/a', '/protected/away']);
    expect(other.fetched).toEqual(['/', '/protected/x']);
    expect(authorized(other)).toEqual([]);
    expect(other.requests.filter((request) => request.headers.cookie !== undefined)).toEqual([]);
    await other.close();
  });
});

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
