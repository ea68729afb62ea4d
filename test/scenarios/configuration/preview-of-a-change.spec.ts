import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PreviewReport } from '../../../src/engine/views/crawler-views.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const ATTRIBUTES = 'smartRefreshMinAgeS="604800" smartRefreshMaxAgeS="604800" nearDuplicateDetector="false"';

async function previewOf(world: CrawlWorld, crawler: string): Promise<PreviewReport> {
  let last: PreviewReport | undefined;
  for await (const report of world.engine.preview(world.definition({ attributes: ATTRIBUTES, crawler }))) last = report;
  if (!last?.done) throw new Error('the preview did not end');
  return last;
}

async function siteOf(paths: readonly string[]): Promise<FakeSite> {
  const site = await startSite();
  site.page('/', paths);
  for (const path of paths) site.page(path);
  return site;
}

describe('a preview predicts the effect of applying the configuration', () => {
  it('a removed site root no longer limits its site', async () => {
    const other = await startSite('127.0.0.2');
    other.page('/');
    const site = await startSite();
    site.page('/', [other.url('/')]).page('/start');
    const root = (attribute = 'site="false"') => `<Root url="${site.url('/')}" ${attribute}/>`;
    const world = await crawl({ crawler: root(), attributes: ATTRIBUTES });
    await world.reconfigure({ crawler: root('site="true"'), attributes: ATTRIBUTES });
    await world.untilIdle();
    expect(await world.state(other.url('/'))).toMatchObject({ status: 'excluded', reason: 'outside-site' });
    const report = await previewOf(world, `<Root url="${site.url('/start')}" site="false"/>`);
    expect(report.crawlers[0]).toMatchObject({ newlyAccepted: { count: 1 } });
  });

  it('a moved home page keeps its site in the preview, too', async () => {
    const names = { 'www.foo.com': '127.0.0.1', 'foo.com': '127.0.0.2' };
    const old = await startSite('127.0.0.1', 'www.foo.com');
    const now = await startSite('127.0.0.2', 'foo.com');
    old.set('/', { status: 301, headers: { location: now.url('/') } });
    now.page('/', ['/a']).page('/a');
    const crawler = `<Root url="${old.url('/')}" site="true"/>`;
    const world = await crawl({ crawler, attributes: ATTRIBUTES, names });
    const documents = await world.indexed();
    expect(documents).toEqual([now.url('/'), now.url('/a')]);
    const changed = `${crawler}<cw:LinkRules maxUrlLength="1000"/>`;
    expect((await previewOf(world, changed)).crawlers[0]).toMatchObject({
      excluded: { count: 0 },
      documentsDeleted: { count: 0 },
    });
    await world.reconfigure({ crawler: changed, attributes: ATTRIBUTES });
    await world.untilIdle();
    expect(await world.indexed()).toEqual(documents);
  });

  it('URLs that were left to another crawler are removed when they are no longer left to it and have no server record', async () => {
    const names = { 'a.test': '127.0.0.1', 'b.test': '127.0.0.2' };
    const [a, b] = await Promise.all([startSite('127.0.0.1', 'a.test'), startSite('127.0.0.2', 'b.test')]);
    a.page('/', [b.url('/')]);
    b.page('/');
    const root = `<Root url="${a.url('/')}" site="false"/>`;
    const world = await crawl({ crawler: root, attributes: ATTRIBUTES, names });
    await world.reconfigure({
      crawler: `${root}<cw:CrawlSpace rules="crawl.rules"/>`,
      attributes: ATTRIBUTES,
      more: '<cw:GlobalCrawlSpace rules="global.rules"/>',
      files: { 'crawl.rules': 'forbid domain b.test', 'global.rules': 'allow domain *.test' },
    });
    await world.untilIdle();
    expect(await world.state(b.url('/'))).toMatchObject({ status: 'elsewhere' });
    const notIndexed = `${root}<Rules><Rule><ar:Domain val="b.test"/><NoIndex/></Rule></Rules>`;
    expect((await previewOf(world, notIndexed)).crawlers[0]).toMatchObject({
      newlyAccepted: { count: 1 },
      documentsDeleted: { count: 1, samples: [{ url: b.url('/'), reason: 'links-only' }] },
    });
    const changed = `${root}<cw:Servers><cw:Server url="${a.url('/')}"/></cw:Servers>`;
    expect((await previewOf(world, changed)).crawlers[0]).toMatchObject({ documentsDeleted: { count: 1 } });
    await world.reconfigure({ crawler: changed, attributes: ATTRIBUTES });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([a.url('/')]);
  });

  it('exactly the 312 previewed URLs are removed', async () => {
    const old = Array.from({ length: 312 }, (_, i) => `/old/${i}`);
    const kept = Array.from({ length: 88 }, (_, i) => `/new/${i}`);
    const site = await siteOf([...old, ...kept]);
    const root = `<Root url="${site.url('/')}" site="false"/>`;
    const world = await crawl({ crawler: root, attributes: ATTRIBUTES });
    const all = await world.indexed();
    expect(all).toHaveLength(401);
    const changed = `${root}<Rules><Rule><ar:Path val="/old/"/><Ignore/></Rule></Rules>`;
    const report = await previewOf(world, changed);
    expect(report.crawlers[0]).toMatchObject({
      indexed: 401,
      excluded: { count: 312 },
      documentsDeleted: { count: 312, byHost: { [`127.0.0.1:${site.port}`]: 312 } },
      newlyAccepted: { count: 0 },
    });
    expect(report.crawlers[0]!.documentsDeleted.samples).toHaveLength(20);
    expect(report.needsConfirmation).toEqual(['test']);
    expect(await world.indexed()).toEqual(all);
    await world.reconfigure({ attributes: ATTRIBUTES, crawler: changed });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), ...kept.map((path) => site.url(path))].sort());
    expect(await world.engine.urls.count({ crawler: 'test', status: 'excluded' })).toBe(312);
    expect((await previewOf(world, changed)).crawlers[0]).toMatchObject({ documentsDeleted: { count: 0 } });
    expect((await previewOf(world, root)).crawlers[0]).toMatchObject({ newlyAccepted: { count: 312 } });
  });

  it('documents that are only excluded from the index count as deleted, are deleted, and return when allowed', async () => {
    const site = await siteOf(['/a/1', '/a/2', '/b']);
    const root = `<Root url="${site.url('/')}" site="false"/>`;
    const world = await crawl({ crawler: root, attributes: ATTRIBUTES });
    const changed = `${root}<Rules><Rule><ar:Path val="/a/"/><NoIndex/></Rule></Rules>`;
    const { crawlers } = await previewOf(world, changed);
    expect(crawlers[0]).toMatchObject({ excluded: { count: 0 }, documentsDeleted: { count: 2 } });
    await world.reconfigure({ attributes: ATTRIBUTES, crawler: changed });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/b')]);
    expect(await world.state(site.url('/a/1'))).toMatchObject({ status: 'visited', reason: 'links-only' });
    await world.reconfigure({ attributes: ATTRIBUTES, crawler: root });
    await world.untilIdle();
    expect(await world.indexed()).toHaveLength(4);
  });

  it('a root that becomes a site root excludes URLs outside of its site', async () => {
    const site = await siteOf(['/docs/', '/docs/a', '/other']);
    site.page('/docs/', ['/docs/a', '/other']);
    const root = (more: string): string => `<Root url="${site.url('/docs/')}" ${more}/>`;
    const world = await crawl({ crawler: root('site="false"'), attributes: ATTRIBUTES });
    expect(await world.indexed()).toHaveLength(3);
    const { crawlers } = await previewOf(world, root('site="true"'));
    expect(crawlers[0]).toMatchObject({ documentsDeleted: { count: 1, samples: [{ reason: 'outside-site' }] } });
    await world.reconfigure({ attributes: ATTRIBUTES, crawler: root('site="true"') });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/docs/'), site.url('/docs/a')]);
  });

  it('crawl, explain and preview give the same verdict for any rules', async () => {
    const folders = ['/a/', '/a/b/', '/c/', '/c/d/'];
    const paths = folders.flatMap((folder) => [`${folder}1`, `${folder}2.txt`, `${folder}3?q=1`]);
    const site = await siteOf(paths);
    const match = fc.constantFrom(
      ...folders.map((folder) => `<ar:Path val="${folder}"/>`),
      '<ar:Ext val="txt"/>',
      '<ar:InQuery val="q"/>',
      '<ar:Not><ar:Path val="/a"/></ar:Not>',
    );
    const action = fc.constantFrom('<Ignore/>', '<Accept/>', '<NoIndex/>', '<Index/>', '<Priority shift="-1"/>');
    const rules = fc
      .array(fc.tuple(match, action), { maxLength: 5 })
      .map((list) => list.map(([test, does]) => `<Rule>${test}${does}</Rule>`).join(''))
      .map((text) => (text === '' ? '' : `<Rules>${text}</Rules>`));
    // The last word on the root is always yes: a fresh crawl could not begin otherwise.
    const root = `<Root url="${site.url('/')}" site="false"/>`;
    const always = `<Rules><Rule><ar:Path val="/$"/><Accept/><Index/><Follow/></Rule></Rules>`;
    const world = await crawl({ crawler: root, attributes: ATTRIBUTES });
    await fc.assert(
      fc.asyncProperty(rules, async (text) => {
        await world.reconfigure({ attributes: ATTRIBUTES, crawler: root });
        await world.untilIdle();
        const before = await world.indexed();
        const changed = root + text + always;
        const fresh = await crawl({ crawler: changed, attributes: ATTRIBUTES });
        const { documentsDeleted } = (await previewOf(world, changed)).crawlers[0]!;
        await world.reconfigure({ attributes: ATTRIBUTES, crawler: changed });
        await world.untilIdle();
        const after = await world.indexed();
        expect(before.length - after.length).toBe(documentsDeleted.count);
        expect(after).toEqual(await fresh.indexed());
        for (const url of before) {
          const { verdict } = (await world.engine.explanations.explain('test', url)).explanation;
          expect(verdict.accepted && verdict.effects.index).toBe(after.includes(url));
        }
      }),
      { numRuns: 12 },
    );
  });
});
