import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hours, type Instant, minutes } from '../../../src/domain/time/units.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const PATHS = Array.from({ length: 30 }, (_, i) => `/page-${i}`);
/** Pages are visited once a week by themselves, the sitemap, by a rule of its own, every hour. */
const ATTRIBUTES = 'crawlSitemaps="true" smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800"';
const everyHour = (path: string): string =>
  `<cw:apply-for value="*${path}"><cw:option name="refresh-minimum-age-s" value="3600"/><cw:option name="refresh-maximum-age-s" value="3600"/></cw:apply-for>`;
const CONDITIONS = `<cw:Conditions>${['/sitemap.xml', '/feed', '/hub'].map(everyHour).join('')}</cw:Conditions>`;

describe('claimed changes of a site', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const iso = (time: Instant): string => new Date(time).toISOString();
  const sitemap = (times: ReadonlyMap<string, Instant>): void => {
    const entry = ([path, time]: [string, Instant]) =>
      `<url><loc>${site.url(path)}</loc><lastmod>${iso(time)}</lastmod></url>`;
    const body = `<urlset>${[...times].map(entry).join('')}</urlset>`;
    site.set('/sitemap.xml', { headers: { 'content-type': 'application/xml' }, body });
  };
  const visits = (path: string): number => site.requests.filter((request) => request.path === path).length;
  const start = async (more = '', attributes = ''): Promise<void> => {
    world = await CrawlWorld.start({
      attributes: `${ATTRIBUTES} ${attributes}`,
      crawler: `<Root url="${site.url('/')}"/>${more}${CONDITIONS}`,
      index: 'none',
    });
    await world.untilIdle();
    site.forgetRequests();
  };

  beforeEach(async () => {
    site = await FakeSite.start();
    site.page('/', PATHS);
    for (const path of PATHS) site.page(path);
  });
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  it('in its sitemap: changed pages are visited within a minute of the next reading, and no others', async () => {
    const times = new Map(PATHS.map((path) => [path, 0 as Instant]));
    sitemap(times);
    await start();
    await world.pass(minutes(30));
    for (const path of PATHS.slice(0, 20)) {
      site.page(path, [], `Another text of ${path}.`);
      times.set(path, world.clock.now());
    }
    sitemap(times);
    await world.pass(minutes(31));
    expect(visits('/sitemap.xml')).toBe(1);
    expect(PATHS.map(visits)).toEqual(PATHS.map((_, i) => (i < 20 ? 1 : 0)));
    await world.pass(hours(5));
    expect(PATHS.map(visits)).toEqual(PATHS.map((_, i) => (i < 20 ? 1 : 0)));
    const stored = await world.store.getSetting(`credibility/test/${site.url('/sitemap.xml')}`);
    expect(JSON.parse(stored!)).toEqual({ confirmed: 20, refuted: 0 });
  });

  it('that are false are ignored after ten visits, also after a restart', async () => {
    sitemap(new Map());
    await start();
    const lie = (): void => sitemap(new Map(PATHS.map((path) => [path, world.clock.now()])));
    for (let hour = 0; hour < 6; hour++) {
      lie();
      await world.pass(hours(1));
    }
    const made = PATHS.reduce((sum, path) => sum + visits(path), 0);
    expect(made).toBe(10);
    const stored = await world.store.getSetting(`credibility/test/${site.url('/sitemap.xml')}`);
    expect(JSON.parse(stored!)).toMatchObject({ confirmed: 0 });
  });

  it('that turn false are ignored after ten visits, and other pages are visited at their own time', async () => {
    const [truths, lies] = [PATHS.slice(0, 15), PATHS.slice(15)];
    sitemap(new Map(PATHS.map((path) => [path, 0 as Instant])));
    await start('', 'aggressive="false" throttleTimeMS="1000"');
    const due = async (): Promise<Instant[]> =>
      Promise.all(lies.map(async (path) => (await world.state(site.url(path)))!.dueAt));
    const planned = await due();
    await world.pass(minutes(30));
    for (const path of truths) site.page(path, [], `Another text of ${path}.`);
    sitemap(new Map(truths.map((path) => [path, world.clock.now()])));
    await world.pass(hours(1));
    expect(PATHS.map(visits)).toEqual(PATHS.map((_, i) => (i < 15 ? 1 : 0)));
    for (let hour = 0; hour < 6; hour++) {
      sitemap(new Map(lies.map((path) => [path, world.clock.now()])));
      await world.pass(hours(1));
    }
    expect(lies.reduce((sum, path) => sum + visits(path), 0)).toBe(10);
    expect((await due()).filter((at) => planned.includes(at))).toHaveLength(5);
    const stored = await world.store.getSetting(`credibility/test/${site.url('/sitemap.xml')}`);
    expect(JSON.parse(stored!)).toEqual({ confirmed: 0, refuted: 10, refutedInARow: 10 });
  });

  it('in a feed', async () => {
    const feed = (time: Instant): void => {
      const item = `<item><link>${site.url('/page-3')}</link><pubDate>${new Date(time).toUTCString()}</pubDate></item>`;
      const body = `<rss version="2.0"><channel><title>News of ${time}</title>${item}</channel></rss>`;
      site.set('/feed', { headers: { 'content-type': 'application/rss+xml' }, body });
    };
    feed(0 as Instant);
    site.page('/', [...PATHS, '/feed']);
    await start();
    await world.pass(minutes(90));
    expect(visits('/page-3')).toBe(0);
    site.page('/page-3', [], 'Another text.');
    feed(world.clock.now());
    await world.pass(minutes(31));
    expect(visits('/page-3')).toBe(1);
  });

  it.each([
    ['linked from a page', '', '<link rel="alternate" type="application/rss+xml" href="/feed/">', true],
    ['a root for its own path alone', '<Root url="ROOT/feed/"/>', '', false],
    [
      'a root without a site, beside a rule for its host',
      '<Root url="ROOT/feed/" site="false"/><Rules><Rule><ar:Domain value="127.0.0.1"/><Index/><Follow/><Accept/></Rule></Rules>',
      '',
      true,
    ],
  ])('in a feed that is %s, and what it lists is crawled or not', async (_how, more, head, isCrawled) => {
    const item = `<item><link>${site.url('/news')}</link><pubDate>${new Date(0).toUTCString()}</pubDate></item>`;
    const body = `<rss version="2.0"><channel><title>News</title>${item}</channel></rss>`;
    site.set('/feed/', { headers: { 'content-type': 'application/rss+xml' }, body }).page('/news');
    site.set('/', { headers: { 'content-type': 'text/html' }, body: `<head>${head}<title>Home</title></head>` });
    world = await CrawlWorld.start({
      attributes: 'defaultAccept="false"',
      crawler: `<Root url="${site.url('/')}"/>${more.replace('ROOT', site.origin)}`,
      index: 'none',
    });
    await world.untilIdle();
    expect(site.fetched).toContain('/feed/');
    expect(site.fetched.includes('/news')).toBe(isCrawled);
    if (isCrawled) return;
    const { headline } = await world.engine.explanations.explain('test', site.url('/news'));
    expect(headline.text).toContain('/feed/ was refused (outside-site)');
  });

  it('by a changed hub page, when configured', async () => {
    site.page('/', ['/hub', ...PATHS]).page('/hub', ['/page-1', '/page-2'], 'News of today.');
    await start('<CrawlSchedulerConfig><cw:Refresh hubs="true"/></CrawlSchedulerConfig>');
    site.page('/hub', ['/page-1', '/page-2'], 'News of tomorrow.');
    await world.pass(minutes(61));
    expect(visits('/page-1')).toBe(0);
    site.page('/hub', ['/page-1', '/page-2'], 'News of the day after.').page('/page-1', [], 'Another text.');
    await world.pass(minutes(61));
    expect([visits('/page-1'), visits('/page-2'), visits('/page-3')]).toEqual([1, 1, 0]);
  });
});
