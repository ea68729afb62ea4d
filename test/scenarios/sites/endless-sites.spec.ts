import { afterEach, describe, expect, it } from 'vitest';
import { CrawlWorld } from '../../support/crawl-world.js';
import { archive, ENDLESS, measurements, siteOf, startEndlessSite } from '../../support/endless-sites.js';
import { FakeSite } from '../../support/fake-site.js';

const LIMIT = 40;
/** Texts that repeat would end most of them earlier. */
const TRAPS = `<cw:LeaveOut exactDuplicates="false"/><cw:Traps maxPatternUrls="${LIMIT}"/>`;
const ATTRIBUTES = 'nearDuplicateDetector="false" nthreads="16"';
/** `ARTICLES=10000` for the large archive. */
const ARTICLES = Number(process.env['ARTICLES'] ?? 300);

describe('an endless site', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  afterEach(async () => {
    expect(world.errors).toEqual([]);
    await world.close();
    await site.close();
  });

  const start = async (path: string): Promise<void> => {
    const crawler = `<Root url="${site.url(path).replaceAll('&', '&amp;')}" site="false"/>${TRAPS}`;
    world = await CrawlWorld.start({ attributes: ATTRIBUTES, crawler });
    await world.untilIdle();
  };

  it.each(['/junk', '/list?junk='])('leaves room again for other pages once %s… is cleared', async (junk) => {
    const numbered = (path: string, count: number) => Array.from({ length: count }, (_, i) => `${path}${i}`);
    site = await FakeSite.start();
    site.page('/', numbered(junk, 150));
    for (const path of numbered(junk, 150)) site.page(path);
    const traps = '<cw:Traps maxUrlsPerHost="100" maxQueryVariants="100"/>';
    const crawler = `<Root url="${site.url('/')}" site="false"/>${traps}<cw:LeaveOut exactDuplicates="false"/>`;
    world = await CrawlWorld.start({ attributes: `${ATTRIBUTES} changeGuard="false"`, crawler });
    await world.untilIdle();
    const indexed = await world.indexed();
    expect(indexed.length).toBeLessThan(150);
    expect(await world.engine.maintenance.clear('test', { like: `%${junk}%` })).toBe(indexed.length - 1);
    await world.untilIdle();
    const good = numbered(junk.replace('junk', 'good'), 5);
    site.page('/', good);
    for (const path of good) site.page(path);
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle();
    expect(await world.indexed()).toEqual(['/', ...good].map((path) => site.url(path)).sort());
  });

  it.each(Object.entries(ENDLESS))(
    '%s: stops soon after its limit, with the reason',
    async (_, { start: path, like }) => {
      site = await startEndlessSite();
      await start(path);
      const fetched = site.fetched.filter((each) => each.startsWith(like));
      expect(fetched.length).toBeGreaterThan(LIMIT);
      expect(fetched.length).toBeLessThan(2_000);

      const refused = await world.engine.urls.listRefusedLinks('test');
      const trapped = refused.find(({ reason }) => reason === 'trap-endless-pattern');
      const { url, from } = trapped!.samples[0]!;
      expect(await world.state(url)).toBeUndefined();
      const { explanation } = await world.engine.explanations.explain('test', url, from);
      expect(explanation.verdict).toMatchObject({ accepted: false, reason: 'trap-endless-pattern' });
      expect((await world.engine.explanations.getUrlHistory('test', from)).explanation.trace.at(-1)).toMatchObject({
        reason: 'trap-endless-pattern',
      });
    },
  );

  it('leaves URLs unvisited that were found before it was detected, with the reason, whatever rules change', async () => {
    site = await startEndlessSite();
    await start(ENDLESS.facets.start);
    const filter = { crawler: 'test', status: 'excluded', reason: 'trap-endless-pattern' } as const;
    const excluded = await world.engine.urls.count(filter);
    expect(excluded).toBeGreaterThan(100);
    const root = site.url(ENDLESS.facets.start);
    const rule = '<Rules><Rule><ar:Ext val="pdf"/><Ignore/></Rule></Rules>';
    const changed = { attributes: ATTRIBUTES, crawler: `<Root url="${root}" site="false"/>${rule}${TRAPS}` };
    for await (const { crawlers } of world.engine.preview(world.definition(changed)))
      expect(crawlers[0]).toMatchObject({ newlyAccepted: { count: 0 }, documentsDeleted: { count: 0 } });
    await world.reconfigure(changed);
    await world.untilIdle();
    expect(await world.engine.urls.count(filter)).toBe(excluded);
  });

  it('that is only a long archive is crawled to its last article', async () => {
    site = await siteOf(archive(ARTICLES));
    await start('/list');
    expect((await world.indexed()).filter((url) => url.includes('/article/'))).toHaveLength(ARTICLES);
    expect(await world.engine.urls.listRefusedLinks('test')).toEqual([]);
  });

  it('that is only a chain of articles, each linked only from the one before, is crawled to its last article', async () => {
    site = await siteOf(archive(ARTICLES));
    await start('/article/0');
    expect(await world.indexed()).toHaveLength(ARTICLES);
  });

  it('that is only large, with pages that differ in numbers only, is crawled completely', async () => {
    site = await siteOf(measurements(ARTICLES));
    await start('/measurement/0');
    expect(await world.indexed()).toHaveLength(ARTICLES);
  });

  it('beside an archive does not affect the archive', async () => {
    site = await siteOf(archive(150), (url) => (url.pathname === '/' ? home : undefined));
    const endless = await startEndlessSite();
    const home = {
      headers: { 'content-type': 'text/html' },
      body: `<a href="/list">all</a>${Object.values(ENDLESS).map(({ start: path }) => `<a href="${endless.url(path)}">x</a>`)}`,
    };
    await start('/');
    await endless.close();
    expect((await world.indexed()).filter((url) => url.includes('/article/'))).toHaveLength(150);
  });

  it('with more links on a page than allowed: those of its menu do not count, and the rest is reported', async () => {
    site = await FakeSite.start();
    const menu = Array.from({ length: 1_200 }, (_, n) => `/menu-${n % 3}#${n % 2}`);
    site.page('/', [...menu, '/first', '/second', '/third', '/second']);
    site.otherwise({ headers: { 'content-type': 'text/html' }, body: 'A page.' });
    const crawler = `<Root url="${site.url('/')}"/><cw:Traps maxLinksPerPage="4"/>`;
    world = await CrawlWorld.start({ attributes: ATTRIBUTES, crawler });
    await world.untilIdle();
    expect(site.fetched).toEqual(['/', '/first', '/menu-0', '/menu-1', '/menu-2']);
    const { visits } = await world.engine.explanations.getUrlHistory('test', site.url('/'));
    expect(visits[0]?.detail).toBe('links-cut: 3 links beyond the first 4 URLs of the page left out');
    expect(await world.engine.urls.listRefusedLinks('test')).toMatchObject([{ reason: 'links-cut', count: 2 }]);
    const { refused } = await world.engine.explanations.explain('test', site.url('/second'));
    expect(refused).toMatchObject([{ reason: 'links-cut', from: site.url('/') }]);
  });
});
