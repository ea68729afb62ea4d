/** The text "Advanced Configuration" of the Exalead CloudView Crawler connector, sentence by sentence: rules and actions. */
import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakePage, FakeSite } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const ignore = (match: string): string => `<Rules group="test"><Rule>${match}<Ignore/></Rule></Rules>`;

/** Which of the paths are crawled when a rule ignores the URLs that match. */
async function ignored(match: string, paths: readonly string[]): Promise<string[]> {
  const site = await startSite();
  site.page('/', paths);
  await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${ignore(match)}`, index: 'none' });
  return paths.filter((path) => !site.fetched.includes(path));
}

describe('crawl rules perform Boolean matching on a URL string', () => {
  it('on any part of a URL: scheme, host, path, query', async () => {
    const paths = ['/a', '/b?q=1', '/a?x=2'];
    expect(await ignored('<ar:Atom field="path" kind="exact" value="/a"/>', paths)).toEqual(['/a', '/a?x=2']);
    expect(await ignored('<ar:Atom field="query" kind="exact" value="q=1"/>', paths)).toEqual(['/b?q=1']);
    expect(await ignored('<ar:Atom field="url" kind="suffix" value="x=2"/>', paths)).toEqual(['/a?x=2']);
  });

  it('strings or regular expressions, whose special characters are escaped with a backslash', async () => {
    const paths = ['/a.b', '/axb', '/abb', '/a+b'];
    expect(await ignored('<ar:Atom field="path" kind="exact" value="/a.b"/>', paths)).toEqual(paths);
    expect(await ignored('<ar:Atom field="path" kind="exact" value="/a\\.b"/>', paths)).toEqual(['/a.b']);
    expect(await ignored('<ar:Path val="/a[bx]"/>', paths)).toEqual(['/axb', '/abb']);
    expect(await ignored('<ar:Path val="/a\\+"/>', paths)).toEqual(['/a+b']);
  });

  it('And, Or and Not nest', async () => {
    const paths = ['/a/1', '/a/2', '/b/1', '/b/2'];
    const match =
      '<ar:And><ar:Or><ar:Path val="/a"/><ar:Path val="/b"/></ar:Or><ar:Not><ar:Ext val="1"/></ar:Not></ar:And>';
    expect(await ignored(match, paths)).toEqual(['/a/2', '/b/2']);
  });

  it('the default is a case-insensitive match; norm="none" compares as written', async () => {
    const paths = ['/watch', '/Watch', '/caf%C3%A9', '/cafe'];
    expect(await ignored('<ar:Path val="/WATCH"/>', paths)).toEqual(['/watch', '/Watch']);
    expect(await ignored('<ar:Path val="/watch" norm="none"/>', paths)).toEqual(['/watch']);
    expect(await ignored('<ar:Path val="/CAFE" norm="norm"/>', paths)).toEqual(['/caf%C3%A9', '/cafe']);
    expect(await ignored('<ar:Path val="/CAFE" norm="lower"/>', paths)).toEqual(['/cafe']);
  });

  it('kinds: exact, prefix (left anchored), suffix (right anchored), inside, length', async () => {
    const paths = ['/watch', '/watch/on', '/on/watch', '/on/watch/on'];
    const kind = (name: string, value = '/watch') =>
      `<ar:Atom field="path" kind="${name}" norm="none" value="${value}"/>`;
    expect(await ignored(kind('exact'), paths)).toEqual(['/watch']);
    expect(await ignored(kind('prefix'), paths)).toEqual(['/watch', '/watch/on']);
    expect(await ignored(kind('suffix'), paths)).toEqual(['/watch', '/on/watch']);
    expect(await ignored(kind('inside'), paths)).toEqual(paths);
    expect(await ignored(kind('length', '[2:6]'), paths)).toEqual(['/watch']);
    expect(await ignored(kind('length', '[9:10]'), paths)).toEqual(['/watch/on', '/on/watch']);
    expect(await ignored(kind('length', '[12:]'), paths)).toEqual(['/on/watch/on']);
  });

  it('shortcuts: Path is path-prefix, Ext path-suffix, Query query-exact, InQuery query-inside, Length field-length', async () => {
    const paths = ['/cgi-bin/x', '/a.asp', '/b?q=foo', '/c?x=1&q=foo', '/a/path/of/thirty/characters/x'];
    expect(await ignored('<ar:Path val="/cgi-bin"/>', paths)).toEqual(['/cgi-bin/x']);
    expect(await ignored('<ar:Ext val="\\.asp"/>', [...paths, '/x.asp/y', '/b.ASP'])).toEqual(['/a.asp', '/b.ASP']);
    expect(await ignored('<ar:Query val="q=foo"/>', paths)).toEqual(['/b?q=foo']);
    expect(await ignored('<ar:InQuery val="q=foo"/>', paths)).toEqual(['/b?q=foo', '/c?x=1&q=foo']);
    expect(await ignored('<ar:Length val="[30:]"/>', paths)).toEqual(['/a/path/of/thirty/characters/x']);
  });

  it('Domain foo.com matches http://foo.com/ and http://bar.foo.com but not http://barfoo.com; Host and Url match exactly', async () => {
    const names = { 'foo.com': '127.0.0.1', 'bar.foo.com': '127.0.0.2', 'barfoo.com': '127.0.0.3' };
    const start = await startSite('127.0.0.4');
    const sites = await Promise.all(Object.entries(names).map(([name, address]) => startSite(address, name)));
    start.page(
      '/',
      sites.flatMap((site) => [site.url('/'), site.url('/x')]),
    );
    const crawled = async (match: string): Promise<string[]> => {
      for (const site of sites) site.page('/').page('/x').forgetRequests();
      const world = await crawl({
        crawler: `<Root url="${start.url('/')}" site="false"/>${ignore(match)}`,
        index: 'none',
        names,
      });
      expect(world.errors).toEqual([]);
      return sites.flatMap((site) => site.fetched.map((path) => new URL(site.origin).hostname + path));
    };
    expect(await crawled('<ar:Domain val="foo.com"/>')).toEqual(['barfoo.com/', 'barfoo.com/x']);
    expect(await crawled('<ar:Host val="foo\\.com"/>')).toEqual([
      'bar.foo.com/',
      'bar.foo.com/x',
      'barfoo.com/',
      'barfoo.com/x',
    ]);
    expect(await crawled(`<ar:Url val="${sites[0]!.url('/x').replaceAll('.', '\\.')}"/>`)).toHaveLength(5);
    expect(await crawled('<ar:Scheme val="https"/>')).toHaveLength(6);
  });

  it('litteral="true": the special characters are plain', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/b.c', '/bxc']);
    const rule = `<Rules group="example" key="auto"><Rule>
      <ar:Atom litteral="true" value="${site.url('/b.c')}" norm="none" kind="prefix" field="url"/><Ignore/></Rule></Rules>`;
    await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${rule}`, index: 'none' });
    expect(site.fetched).toEqual(['/', '/a', '/bxc']);
  });
});

describe('crawl rule actions', () => {
  /** / links to /page, which links to /deeper; the rule is about /page. */
  async function page(actions: string, attributes = ''): Promise<{ site: FakeSite; world: CrawlWorld }> {
    const site = await startSite();
    site.page('/', ['/page']).page('/page', ['/deeper']).page('/deeper');
    const rules = `<Rules><Rule><ar:Path val="/page"/>${actions}</Rule></Rules>`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules}`, attributes });
    return { site, world };
  }
  const NOTHING = 'defaultAccept="true" defaultIndex="false" defaultFollow="false" defaultFollowRoots="true"';

  it.each([
    ['Index and follow', '<Index/><Follow/><Accept/>', true, true],
    ["Index and don't follow", '<Index/><NoFollow/><Accept/>', true, false],
    ["Follow but don't index", '<NoIndex/><Follow/><Accept/>', false, true],
    ['Index', '<Index/><Accept/>', true, false],
    ['Follow', '<Follow/><Accept/>', false, true],
  ])('%s: adds %s', async (_name, actions, indexes, follows) => {
    const { site, world } = await page(actions, NOTHING);
    expect((await world.indexed()).includes(site.url('/page'))).toBe(indexes);
    expect(site.fetched.includes('/deeper')).toBe(follows);
  });

  it.each([
    ["Don't index", '<NoIndex/>', false, true],
    ["Don't follow", '<NoFollow/>', true, false],
  ])('%s: adds %s, and says nothing of the rest', async (_name, actions, indexes, follows) => {
    const { site, world } = await page(actions);
    expect(site.fetched).toContain('/page');
    expect((await world.indexed()).includes(site.url('/page'))).toBe(indexes);
    expect(site.fetched.includes('/deeper')).toBe(follows);
  });

  it('Ignore: not crawled at all', async () => {
    const { site, world } = await page('<NoIndex/><NoFollow/><Ignore/>');
    expect(site.fetched).toEqual(['/']);
    expect(await world.state(site.url('/page'))).toBeUndefined();
  });

  it('a URL that no rule accepts is not crawled, unless by default', async () => {
    const { site } = await page('<Index/><Follow/>', 'defaultAccept="false"');
    expect(site.fetched).toEqual([]);
  });

  it('a later rule overrides an earlier one, aspect by aspect', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/a/b', '/a/b/c']).page('/a').page('/a/b').page('/a/b/c');
    const rules = `<Rules group="one"><Rule><ar:Path val="/a"/><NoIndex/></Rule></Rules>
      <Rules group="two"><Rule><ar:Path val="/a/b"/><Index/></Rule><Rule><ar:Path val="/a/b/c"/><Ignore/></Rule></Rules>`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules}` });
    expect(site.fetched).toEqual(['/', '/a', '/a/b']);
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a/b')]);
  });

  it('Source: the name of the source that the document is pushed under', async () => {
    const site = await startSite();
    site.page('/', ['/news/a']).page('/news/a');
    const rules = '<Rules><Rule><ar:Path val="/news"/><Source name="News"/></Rule></Rules>';
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules}`, index: 'none' });
    const source = (path: string) => metas(world, site.url(path))['source'];
    expect([source('/'), source('/news/a')]).toEqual([['test'], ['News']]);
  });

  it('AddMeta: the document carries the meta; with scope="links" those found from it too; root metas all below it', async () => {
    const site = await startSite();
    site.page('/', ['/dept']).page('/dept', ['/dept/a']).page('/dept/a', ['/far']).page('/far');
    const rules = `<Rules><Rule><ar:Path val="/dept$"/><AddMeta name="own" value="1"/><AddMeta name="down" value="2" scope="links"/></Rule></Rules>`;
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" kvs="root=R" site="false"/>${rules}`,
      index: 'none',
    });
    const added = (path: string) => {
      const { own, down, root } = metas(world, site.url(path));
      return { own, down, root };
    };
    expect(added('/')).toEqual({ own: undefined, down: undefined, root: ['R'] });
    expect(added('/dept')).toEqual({ own: ['1'], down: ['2'], root: ['R'] });
    expect(added('/dept/a')).toEqual({ own: undefined, down: ['2'], root: ['R'] });
    expect(added('/far')).toEqual({ own: undefined, down: ['2'], root: ['R'] });
  });

  it('AddMeta: a rule on the fragment of a link gives the document its metas, and hands down those with scope="links" alone', async () => {
    const site = await startSite();
    site.page('/', ['/faq#prices', '/faq#other']).page('/faq', ['/below']).page('/below');
    const rule = `<Rule><ar:Atom field="fragment" kind="exact" value="prices"/><AddMeta name="part" value="1"/><AddMeta name="down" value="2" scope="links"/></Rule>`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/><Rules>${rule}</Rules>`, index: 'none' });
    const added = (path: string) => {
      const { part, down } = metas(world, site.url(path));
      return { part, down };
    };
    expect(added('/faq')).toEqual({ part: ['1'], down: ['2'] });
    expect(added('/below')).toEqual({ part: undefined, down: ['2'] });
    expect(added('/')).toEqual({ part: undefined, down: undefined });
  });

  it('AddMeta: title and publicUrl take the place of what the page says', async () => {
    const site = await startSite();
    site.page('/');
    const rule = `<Rule><ar:Path val="/"/><AddMeta name="title" value="Home"/><AddMeta name="publicUrl" value="https://docs.example/"/></Rule>`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/><Rules>${rule}</Rules>`, index: 'none' });
    expect(metas(world, site.url('/'))).toMatchObject({ title: ['Home'], publicUrl: ['https://docs.example/'] });
  });

  it('AddMeta: a meta of the page itself stands instead of an inherited one of the same name', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a', ['/b']).page('/b');
    const rule = (path: string, value: string) =>
      `<Rule><ar:Path val="${path}"/><AddMeta name="team" value="${value}" scope="links"/></Rule>`;
    const rules = `<Rules>${rule('/', 'all')}${rule('/a', 'a')}</Rules>`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules}`, index: 'none' });
    const team = (path: string) => metas(world, site.url(path))['team'];
    expect([team('/'), team('/a'), team('/b')]).toEqual([['all'], ['all', 'a'], ['all']]);
  });

  it('a changed AddMeta reaches documents that have not changed themselves', async () => {
    const site = await startSite();
    const cached: FakePage = (request) =>
      request.headers['if-none-match'] === '"v1"'
        ? { status: 304 }
        : { headers: { 'content-type': 'text/html', etag: '"v1"' }, body: '<title>a</title>text' };
    site.page('/', ['/a']).set('/a', cached);
    const rules = (value: string) =>
      `<Rules><Rule><ar:Path val="/a"/><NoFollow/><AddMeta name="team" value="${value}"/></Rule></Rules>`;
    const attributes = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="3600"';
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>${rules('one')}`,
      index: 'none',
      attributes,
    });
    expect(metas(world, site.url('/a'))['team']).toEqual(['one']);
    await world.pass(minutes(10));
    await world.reconfigure({ crawler: `<Root url="${site.url('/')}" site="false"/>${rules('two')}` });
    await world.pass(hours(1));
    expect(metas(world, site.url('/a'))['team']).toEqual(['two']);
  });
});

function metas(world: CrawlWorld, uri: string): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const { name, value } of world.pushed().get(uri)?.metas ?? []) byName[name] = [...(byName[name] ?? []), value];
  return byName;
}
