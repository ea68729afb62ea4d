import { describe, expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import type { NewUrl } from '../../../src/engine/ports/frontier-store.js';
import type { FakeSite } from '../../support/fake-site.js';
import { newUrl } from '../../support/frontier-samples.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

const NAMES = {
  'foo.com': '127.0.0.1',
  'www.foo.com': '127.0.0.1',
  'bar.com': '127.0.0.2',
  'www.bar.com': '127.0.0.2',
};

describe('a root for a URL that was found by a link before', () => {
  it.each(['site="true"', 'site="false"'])(
    'is a root, to which link rules and the site of the other root do not apply (%s)',
    async (site) => {
      const foo = await startSite('127.0.0.1', 'foo.com');
      const bar = await startSite('127.0.0.2', 'bar.com');
      foo.page('/', ['/a?q', bar.url('/')]).page('/a?q');
      bar.page('/', ['/b']).page('/b');
      const roots = (...urls: string[]): string => urls.map((url) => `<Root url="${url}" ${site}/>`).join('');
      const world = await crawl({ crawler: `<Root url="${foo.url('/')}" site="false"/>`, names: NAMES });
      expect(await world.indexed()).toHaveLength(4);
      const rules =
        '<cw:LinkRules followQueryStrings="0"/><cw:Servers><cw:Server url="http://" maxHops="1"/></cw:Servers>';
      const crawler = roots(foo.url('/'), foo.url('/a?q'), bar.url('/')) + rules;
      for await (const { done, crawlers } of world.engine.preview(world.definition({ crawler }))) {
        if (done)
          expect(crawlers[0]?.documentsDeleted.samples).not.toContainEqual(
            expect.objectContaining({ url: bar.url('/') }),
          );
      }
      await world.reconfigure({ crawler });
      await world.untilIdle();
      for (const url of [foo.url('/a?q'), bar.url('/')]) {
        expect(await world.state(url)).toMatchObject({ status: 'indexed', discoveredVia: 'root', root: url, hops: 0 });
      }
      bar.page('/', ['/b', '/c'], 'With news.').page('/c');
      await world.pass(days(8));
      expect(await world.indexed()).toContain(bar.url('/c'));
    },
  );
});

it('a submitted list adds pages on the site of a root, although only its site mode accepts them, and no others', async () => {
  const [site, other] = [await startSite(), await startSite('127.0.0.2')];
  site
    .page('/')
    .page('/docs/listed', ['/news', other.url('/')])
    .page('/news')
    .page('/drafts/a');
  const crawler = `<Root url="${site.url('/')}"/><Rules><Rule><ar:Path val="/drafts/"/><Ignore/></Rule></Rules>`;
  const world = await crawl({ crawler, attributes: 'defaultAccept="false"' });
  const urls = [site.url('/docs/listed'), site.url('/drafts/a'), other.url('/')];
  const outcomes = await world.engine.roots.submitList('test', urls);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['new', 'rejected', 'rejected']);
  await world.untilIdle();
  expect(await world.indexed()).toEqual([site.url('/'), site.url('/docs/listed'), site.url('/news')]);
  expect(await world.state(urls[0]!)).toMatchObject({ discoveredVia: 'link', root: site.url('/'), source: 5 });
  expect([await world.engine.roots.list('test'), other.requests]).toMatchObject([[{ url: site.url('/') }], []]);
});

describe('a removed root', () => {
  /** Visits a URL that is stored as found from a root that nobody knows. */
  async function visited(site: FakeSite, path: string, particulars: Partial<NewUrl>) {
    const world = await crawl({ crawler: '' });
    const url = site.url(path);
    const found = { root: site.url('/'), source: 3, dueAt: world.clock.now(), ...particulars } as const;
    await world.store.discover([newUrl(url, { ...found, crawler: 'test' })]);
    await world.engine.maintenance.refresh('test', { url });
    await world.untilIdle();
    return world;
  }

  it('still limits what was found from it to its site, and removes nothing stored', async () => {
    const [site, other] = [await startSite(), await startSite('127.0.0.2')];
    site.page('/a', ['/b', other.url('/c')]).page('/b');
    const world = await visited(site, '/a', { hops: 1 });
    expect(site.fetched).toEqual(['/a', '/b']);
    expect(other.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'outside-site': [other.url('/c')] });
    const elsewhere = await visited(other.page('/c', [other.url('/d')]), '/c', { hops: 1, root: site.url('/') });
    expect(await elsewhere.state(other.url('/c'))).toMatchObject({ status: 'indexed' });
    expect(other.fetched).toEqual(['/c']);
  });

  it('reports no links of its own, and moves to no other site', async () => {
    const [site, other] = [await startSite(), await startSite('127.0.0.2')];
    site.page('/', ['/a']);
    await visited(site, '/', { hops: 0, discoveredVia: 'root' });
    expect(site.fetched).toEqual(['/']);
    other.page('/');
    site.set('/', { status: 302, headers: { location: other.url('/') } });
    await visited(site, '/', { hops: 0, discoveredVia: 'root' });
    expect(other.requests).toEqual([]);
  });
});
