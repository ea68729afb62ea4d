import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { type FakePage, FakeSite, html } from '../../support/fake-site.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400" nearDuplicateDetector="false"';
const WOODS =
  'alder ash aspen beech birch box cedar cherry elder elm fir hazel holly larch lime maple oak pear pine plum rowan spruce yew'.split(
    ' ',
  );
const PAGES = Array.from({ length: 12 }, (_, i) => `/p${i}`);

describe('an error page with a success status is an error, never new content', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const everything = (): string[] => ['/', ...PAGES].map((path) => site.url(path)).sort();
  const start = async (crawler = ''): Promise<void> => {
    world = await CrawlWorld.start({ attributes: ATTRIBUTES, crawler: `<Root url="${site.url('/')}"/>${crawler}` });
    await world.untilIdle();
  };
  const redirectAll = (target: string): void => {
    for (const path of ['/', ...PAGES])
      site.set(path, { status: 302, headers: { location: `${target}?next=${path}` } });
  };
  const recover = (): void => {
    site.page('/', PAGES);
    for (const path of PAGES) site.page(path, [], words(path));
  };

  beforeEach(async () => {
    site = await FakeSite.start();
    recover();
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('a host that redirects every page to its login page keeps its documents, and is in back-off', async () => {
    await start('<cw:ErrorPolicy maxTemporaryErrors="100"/>');
    expect(await world.indexed()).toEqual(everything());
    site.page('/login', [], 'Please log in.');
    redirectAll('/login');
    site.forgetRequests();
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(everything());
    expect(site.fetched).not.toContain('/login');
    const errors = (await world.engine.urls.search({ crawler: 'test', status: 'error' }, 0, 100)).urls;
    expect(new Set(errors.map((state) => state.reason))).toEqual(new Set(['login-wall']));
    expect((await world.engine.hosts.get(errors[0]!.hostKey)).backOffUntil).toBeGreaterThan(
      world.clock.now() - days(1),
    );
    expect(site.requests.length).toBeLessThan(600);

    recover();
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(everything());
    expect(await world.engine.urls.count({ crawler: 'test', status: 'error' })).toBe(0);
  });

  it('a host that redirects every page to one page of any name loses a handful of documents before it is detected', async () => {
    await start();
    redirectAll('/maintenance');
    site.page('/maintenance');
    await world.pass(hours(3));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(10));
    const indexed = await world.indexed();
    expect(everything().filter((url) => !indexed.includes(url)).length).toBeLessThan(5);
    expect(indexed.filter((url) => url.includes('maintenance')).length).toBeLessThan(5);
  });

  it('pages for members are not an outage: they are not indexed, and do not slow down the host', async () => {
    for (const path of PAGES) site.set(path, { status: 302, headers: { location: `/login?next=${path}` } });
    site.page('/login');
    await start();
    const logins = (await world.indexed()).filter((url) => url.includes('/login'));
    expect(logins.length).toBeLessThan(3);
    expect(await world.state(site.url('/p7'))).toMatchObject({ status: 'error', reason: 'login-wall' });
    expect((await world.engine.hosts.get(new URL(site.origin).host)).backOffUntil ?? 0).toBeLessThanOrEqual(
      world.clock.now(),
    );
  });

  it('a single page that moves is an ordinary redirect', async () => {
    await start();
    site.set('/p1', { status: 301, headers: { location: '/new' } }).page('/new');
    await world.pass(days(1));
    expect(await world.indexed()).toContain(site.url('/new'));
    expect(await world.indexed()).not.toContain(site.url('/p1'));
  });

  it('a chain of redirects that returns to its start is a loop', async () => {
    for (const [from, to] of [
      ['/a', '/b'],
      ['/b', '/c'],
      ['/c', '/a'],
    ] as const)
      site.set(from, { status: 302, headers: { location: to } });
    site.page('/', ['/a']);
    await start();
    expect(await world.state(site.url('/c'))).toMatchObject({ status: 'error', reason: 'redirect-loop' });
    expect(site.requests.filter((request) => request.path === '/a')).toHaveLength(1);
    await world.pass(days(3));
    expect(site.requests.length).toBeLessThan(60);
  });

  describe('a host whose error page has status 200', () => {
    const errorPage: FakePage = (request) => ({
      headers: { 'content-type': 'text/html' },
      body: html('Oops', ['/'], `${words('error')} We could not find ${request.url}.`),
    });
    const probes = (): string[] => site.fetched.filter((path) => /^\/[a-z0-9]{8,}\.html$/.test(path));
    beforeEach(() => {
      site.otherwise(errorPage);
      site.page('/', [...PAGES, '/gone1', '/gone2', '/docs/gone3']);
    });

    it('is probed once a day with a URL that cannot exist, and pages like that response are not indexed', async () => {
      await start('<cw:SoftErrors probe="true"/>');
      expect(await world.indexed()).toEqual(everything());
      expect(await world.state(site.url('/gone1'))).toMatchObject({ status: 'error', reason: 'soft-error' });
      expect(probes()).toHaveLength(1);
      await world.pass(hours(20));
      expect(probes()).toHaveLength(1);
      world.clock.advance(hours(10));
      await world.engine.maintenance.refresh('test', { like: `${site.origin}/p%` });
      await world.untilIdle();
      expect(probes(), 'the other visits of the same moment wait for it').toHaveLength(2);
    });

    it('is probed without configuration once a page looks like an error page, at most once a day', async () => {
      await start();
      expect(await world.indexed()).toEqual(everything());
      for (const path of ['/gone1', '/gone2', '/docs/gone3'])
        expect(await world.state(site.url(path))).toMatchObject({ status: 'error', reason: 'soft-error' });
      expect(probes()).toHaveLength(1);
      await world.pass(hours(20));
      expect(probes()).toHaveLength(1);
    });

    it.each(['Seite nicht gefunden', 'Page introuvable', '404', 'ページが見つかりません'])(
      'is recognized if it says no more than %s',
      async (message) => {
        site.otherwise({ headers: { 'content-type': 'text/html' }, body: html('Site', [], message) });
        await start();
        expect(await world.indexed()).toEqual(everything());
        expect(probes()).toHaveLength(1);
      },
    );

    it.each([
      ['short', ''],
      [
        'long',
        'Perhaps it has sunk, or it never swam here. Ask the harbour master, the lamp lighter or the crew of any ship.',
      ],
    ])('is recognized once a second new page says much the same, whatever the words: %s', async (_, more) => {
      const body = (path: string): string => html('Ahoy', ['/'], `Here be dragons. ${more} You came from ${path}.`);
      site.otherwise(({ url }) => ({ headers: { 'content-type': 'text/html' }, body: body(url!) }));
      await start();
      const gone = ['/gone1', '/gone2', '/docs/gone3'].map((path) => site.url(path));
      expect((await world.indexed()).filter((url) => gone.includes(url))).toEqual([site.url('/gone1')]);
      expect(await world.state(site.url('/docs/gone3'))).toMatchObject({ status: 'error', reason: 'soft-error' });
      expect(probes()).toHaveLength(1);
    });

    it('keeps its documents when all pages but the home page show maintenance, and so does one that cannot exist', async () => {
      for (const [index, path] of PAGES.entries()) site.page(path, [], `${prose(index)} ${prose(index + 20)}`);
      await start();
      const maintenance = {
        headers: { 'content-type': 'text/html' },
        body: html(
          'Shop',
          [],
          'Back soon: we are sorry, our engineers are repairing the engines that drive this site today.',
        ),
      };
      await world.pass(days(1));
      site.otherwise(maintenance);
      for (const path of PAGES) site.set(path, maintenance);
      await world.pass(days(2));
      expect(await world.indexed()).toEqual(everything());
    });

    it('knows its error page by the change of an indexed page, too', async () => {
      for (const [index, path] of PAGES.entries()) site.page(path, [], `${prose(index)} ${prose(index + 20)}`);
      site.otherwise({ status: 404, body: 'gone' }).page('/', PAGES);
      await start();
      expect(probes()).toHaveLength(0);
      const body = (path: string): string => html('Ahoy', ['/'], `Here be dragons. You came from ${path}.`);
      site.otherwise(({ url }) => ({ headers: { 'content-type': 'text/html' }, body: body(url!) }));
      site.remove('/p3');
      await world.pass(days(9));
      expect(await world.indexed()).toEqual(everything().filter((url) => !url.endsWith('/p3')));
    });

    it('is not probed for new pages that have one title and texts of their own, or one text', async () => {
      site.otherwise({ status: 404, body: 'gone' });
      const texts = ['amber and ash are', 'birch or beech was', 'cedar with cork has'].map((text) =>
        `${text} what `.repeat(8),
      );
      for (const [index, path] of PAGES.entries())
        site.set(path, { headers: { 'content-type': 'text/html' }, body: html('Trees', [], texts[index % 3]) });
      site.page('/', PAGES);
      await start();
      expect(await world.indexed()).toHaveLength(4);
      expect(probes()).toHaveLength(0);
    });

    it('is not probed if no page looks like an error page, or one is about them', async () => {
      site.otherwise({ status: 404, body: 'gone' });
      site.page('/', PAGES);
      await start();
      expect(probes()).toHaveLength(0);
      site.page('/', [...PAGES, '/about-404']).page('/about-404', [], 'What to do when a page was not found.');
      await world.engine.maintenance.refresh('test', { url: site.url('/') });
      await world.untilIdle();
      expect(await world.indexed()).toEqual([...everything(), site.url('/about-404')].sort());
      expect(probes()).toHaveLength(1);
    });

    it('is not probed with probe="false"', async () => {
      await start('<cw:SoftErrors probe="false"/>');
      expect(probes()).toHaveLength(0);
      expect(await world.indexed()).toContain(site.url('/gone1'));
    });

    it('is not probed where robots.txt forbids it', async () => {
      site.set('/robots.txt', {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /*.html$\n',
      });
      await start('<cw:SoftErrors probe="true"/>');
      expect(probes()).toHaveLength(0);
    });

    it('that returns one page for everything has no error page', async () => {
      site.otherwise({ headers: { 'content-type': 'text/html' }, body: html('App', PAGES, words('app')) });
      for (const path of ['/', ...PAGES]) site.remove(path);
      await start('<cw:SoftErrors probe="true"/><cw:LeaveOut exactDuplicates="false"/>');
      expect(await world.indexed()).toEqual(everything());
      await world.untilIdle(minutes(1));
    });
  });
});

/** Twenty words without digits, in an order of their own. */
const prose = (seed: number): string =>
  Array.from({ length: 20 }, (_, place) => WOODS[(seed * 7 + place * (seed + 3)) % WOODS.length]).join(' ');

/** Thirty words that no other seed has in this order. */
function words(seed: string): string {
  let state = 7;
  for (const letter of seed) state = (state * 31 + letter.charCodeAt(0)) % 65_521;
  return Array.from({ length: 30 }, () => {
    state = (state * 171 + 11) % 65_521;
    return `word${state % 997}`;
  }).join(' ');
}
