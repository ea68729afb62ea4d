import { describe, expect, it } from 'vitest';
import { days } from '../../src/domain/time/units.js';
import type { NewUrl } from '../../src/engine/ports/frontier-store.js';
import type { FakeSite } from '../support/fake-site.js';
import { newUrl } from '../support/frontier-samples.js';
import { crawl, refusals, start, startSite } from '../support/scenario.js';

const DAILY = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
const HTML = { 'content-type': 'text/html' };
const NAMES = {
  'foo.com': '127.0.0.1',
  'www.foo.com': '127.0.0.1',
  'bar.com': '127.0.0.2',
  'www.bar.com': '127.0.0.2',
};

describe('a Root alone is a whole configuration', () => {
  const ALONE = 'defaultAccept="false"';

  it('its site is crawled, and nothing else', async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    site
      .page('/', ['/a', other.url('/')])
      .page('/a', ['/b'])
      .page('/b');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, attributes: ALONE, names: NAMES });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a'), site.url('/b')]);
    expect(other.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'outside-site': [other.url('/')] });
  });

  it('a root that is submitted too, and one that is submitted for its page alone is left to the rules', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const world = await start({ crawler: '', attributes: ALONE });
    const [alone] = await world.engine.submit('test', [{ url: site.url('/'), site: false }]);
    expect(alone).toMatchObject({ outcome: 'rejected' });
    await world.engine.submit('test', [{ url: site.url('/') }]);
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });

  it('of two roots on one site the other one keeps its own when one is taken out', async () => {
    const site = await startSite();
    site.page('/', ['/docs/', '/x']).page('/docs/', ['/docs/a']).page('/docs/a').page('/x');
    const docs = `<Root url="${site.url('/docs/')}"/>`;
    const attributes = `${ALONE} deletionGuard="false"`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${docs}`, attributes });
    expect(await world.indexed()).toHaveLength(4);
    await world.reconfigure({ crawler: docs, attributes });
    await world.untilIdle();
    expect(await world.indexed()).toEqual([site.url('/docs/'), site.url('/docs/a')]);
  });
});

describe('site mode of a root', () => {
  it('http://foo.com/bar: URLs that begin with it', async () => {
    const site = await startSite();
    site.page('/bar', ['/bar/a', '/barn', '/other', '/bar?q']).page('/bar/a', ['/']).page('/barn');
    await crawl({ crawler: `<Root url="${site.url('/bar')}" site="true"/>` });
    expect(site.fetched).toEqual(['/bar', '/bar/a', '/bar?q', '/barn']);
  });

  it('http://foo.com: foo.com and www.foo.com, and no other host', async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    const www = (path: string): string => site.url(path).replace('foo.com', 'www.foo.com');
    site.page('/', ['/a', www('/b'), other.url('/c')]);
    const world = await crawl({ crawler: `<Root url="${site.origin}" site="true"/>`, names: NAMES });
    expect(site.fetched).toEqual(['/', '/a', '/b']);
    expect(other.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'outside-site': [other.url('/c')] });
  });

  it.each(['HTTP', 'meta refresh'])(
    'if the home page redirects to another site by %s, that site becomes the one crawled',
    async (way) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      const target = other.url('/').replace('bar.com', 'www.bar.com');
      if (way === 'HTTP') site.set('/', { status: 302, headers: { location: target } });
      else
        site.set('/', {
          headers: HTML,
          body: `<meta http-equiv="refresh" content="0; url=${target}"><title>moved</title>`,
        });
      other
        .page('/', ['/a', site.url('/old'), 'http://elsewhere.example/'])
        .page('/a', ['/b'])
        .page('/b');
      const world = await crawl({ crawler: `<Root url="${site.origin}" site="true"/>`, names: NAMES });
      expect(other.fetched).toEqual(['/', '/a', '/b']);
      expect(site.fetched).toEqual(['/']);
      expect(await world.state(target)).toMatchObject({ status: 'indexed', discoveredVia: 'redirect' });
      // It is remembered: a change of the configuration, and the next refresh, stay on the new site.
      await world.reconfigure({ crawler: `<Root url="${site.origin}" site="true"/><cw:LinkRules/>` });
      await world.pass(days(8));
      expect(await world.indexed()).toHaveLength(3);
      expect((await world.engine.explain('test', site.url('/old'), target)).explanation.verdict.reason).toBe(
        'outside-site',
      );
    },
  );

  it.each(['HTTP', 'meta refresh'])(
    'a home page that leads to another site for a while, by %s, costs no document of its own site',
    async (way) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      site.page('/', ['/a', '/b']).page('/a').page('/b');
      other.page('/maintenance', ['/more']).page('/more');
      const crawler = `<Root url="${site.origin}" site="true"/>`;
      const world = await crawl({ crawler, attributes: DAILY, names: NAMES });
      const target = other.url('/maintenance');
      if (way === 'HTTP') site.set('/', { status: 302, headers: { location: target } });
      else site.set('/', { headers: HTML, body: `<meta http-equiv="refresh" content="0; url=${target}">` });
      await world.pass(days(2));
      site.page('/a', ['/found-meanwhile']).page('/found-meanwhile');
      await world.pass(days(2));
      const kept = [site.url('/a'), site.url('/b'), target, other.url('/more')].sort();
      expect(await world.indexed()).toEqual(kept);

      site.page('/', ['/a', '/b', '/c']).page('/c');
      await world.pass(days(5));
      const paths = ['/', '/a', '/b', '/c', '/found-meanwhile'];
      expect(await world.indexed()).toEqual(paths.map((path) => site.url(path)));
      await world.reconfigure({ crawler: `${crawler}<cw:LinkRules/>`, attributes: DAILY });
      await world.untilIdle();
      expect(await world.indexed()).toHaveLength(paths.length);
    },
  );

  it.each(['the configuration', 'the submitted roots'])(
    'holds on when its root is taken out of %s, and explain says so',
    async (place) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      const links = [other.url('/')];
      site.page('/', ['/a']).page('/a', links).page('/b');
      other.page('/');
      const configured = place === 'the configuration' ? `<Root url="${site.url('/')}" site="true"/>` : '';
      const crawler = `<Root url="${site.url('/b')}" site="false"/>`;
      const world = await crawl({ crawler: configured + crawler, names: NAMES });
      if (configured === '') await world.engine.submit('test', [{ url: site.url('/'), site: true }]);
      await world.untilIdle();
      expect(await refusals(world)).toEqual({ 'outside-site': links });

      if (configured === '') await world.engine.removeRoot('test', site.url('/'));
      else await world.reconfigure({ crawler });
      site.page('/a', links, 'Now with news.');
      await world.pass(days(8));
      expect(await world.state(other.url('/'))).toBeUndefined();
      const { explanation } = await world.engine.explain('test', other.url('/'), site.url('/a'));
      expect(explanation.verdict).toMatchObject({ accepted: false, reason: 'outside-site' });
    },
  );

  it.each(['at once', 'later'])(
    'what lies on the site of another root is that root’s when the site of the first one is narrowed: %s',
    async (when) => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const other = await startSite('127.0.0.2', 'bar.com');
      site.page('/', ['/a', other.url('/')]).page('/a');
      other.page('/', ['/b']).page('/b', ['/c']).page('/c');
      const world = await crawl({
        crawler: `<Root url="${site.url('/')}" site="false"/>`,
        attributes: DAILY,
        names: NAMES,
      });
      const documents = await world.indexed();
      expect(documents).toHaveLength(5);
      const narrowed = `<Root url="${site.url('/')}" site="true"/>`;
      const both = `${narrowed}<Root url="${other.url('/')}" site="true"/>`;
      for (const crawler of when === 'later' ? [narrowed, both] : [both]) {
        const changed = { crawler, attributes: DAILY };
        for await (const { done, crawlers } of world.engine.preview(world.definition(changed)))
          if (done) expect(crawlers[0]?.documentsDeleted.count).toBe(crawler === narrowed ? 3 : 0);
        await world.reconfigure(changed);
        await world.pass(days(2));
        expect(await world.indexed()).toHaveLength(crawler === narrowed ? 2 : 5);
      }
      expect(await world.state(other.url('/c'))).toMatchObject({ status: 'indexed', root: other.url('/') });
    },
  );

  it.each([
    ['two roots of one host', '/docs/', '/blog/', '/blog/a'],
    ['the www name of the second root', 'http://other.test/', '/', 'http://www.foo.com:$/a'],
    ['a root without site mode behind one with it', '/docs/', 'http://bar.com/', '/a', 'site="false"'],
  ])(
    'explains a URL that is not known yet by the root that will lead to it: %s',
    async (_of, one, two, what, mode = 'site="true"') => {
      const site = await startSite('127.0.0.1', 'foo.com');
      const at = (place: string): string => new URL(place.replace('$', String(site.port)), site.url('/')).href;
      const target = at(what);
      site
        .page(new URL(at(two)).pathname, [target])
        .page('/docs/')
        .page(new URL(target).pathname);
      const bar = mode === 'site="false"' ? await startSite('127.0.0.2', 'bar.com') : undefined;
      bar?.page('/', [target]);
      const second = bar ? bar.url('/') : at(two);
      const crawler = `<Root url="${at(one)}" site="true"/><Root url="${second}" ${mode}/>`;
      const world = await start({ crawler, names: NAMES });
      const before = (await world.engine.explain('test', target)).explanation.verdict.accepted;
      await world.untilIdle();
      expect(await world.indexed()).toContain(target);
      expect(before).toBe(true);
    },
  );

  it("other pages' redirects off the site are not followed; those within it are", async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    site.page('/', ['/out', '/in']).page('/new');
    site.set('/out', { status: 301, headers: { location: other.url('/') } });
    site.set('/in', { status: 301, headers: { location: '/new' } });
    const world = await crawl({ crawler: `<Root url="${site.origin}" site="true"/>`, names: NAMES });
    expect(other.requests).toEqual([]);
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/new')]);
    const [visit] = (await world.engine.getUrlHistory('test', site.url('/out'))).visits;
    expect(visit?.detail).toBe(`to ${other.url('/')} (outside-site)`);
  });
});

describe('a root that is written for a URL which a link had led to before', () => {
  it.each(['site="true"', 'site="false"'])(
    'is a root: the rules of links and the site of the other root are not for it (%s)',
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

describe('sitemaps', () => {
  const urlset = (...urls: string[]): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
  const XML = { 'content-type': 'application/xml' };

  const docsOnly = '<Rules><Rule><ar:Path val="/docs/"/><Accept/></Rule></Rules>';

  it('that robots.txt names are read wherever the rules stop, also after a change of the rules', async () => {
    const site = await startSite();
    site.page('/docs/').page('/docs/a').page('/docs/b').page('/c');
    site.set('/robots.txt', { body: `Sitemap: ${site.url('/maps.xml')}\n` });
    site.set('/maps.xml', { headers: XML, body: urlset(site.url('/docs/a'), site.url('/c')) });
    const attributes = `crawlSitemaps="true" defaultAccept="false" ${DAILY}`;
    const crawler = `<Root url="${site.url('/docs/')}" site="false"/>${docsOnly}`;
    const world = await crawl({ attributes, crawler });
    expect(await world.indexed()).toEqual([site.url('/docs/'), site.url('/docs/a')]);
    const changed = { attributes, crawler: `${crawler}<cw:LinkRules maxUrlLength="1000"/>` };
    for await (const { crawlers } of world.engine.preview(world.definition(changed)))
      expect(crawlers[0]?.excluded.count).toBe(0);
    await world.reconfigure(changed);
    await world.untilIdle();
    site.set('/maps.xml', { headers: XML, body: urlset(site.url('/docs/a'), site.url('/docs/b')) });
    await world.pass(days(3));
    expect(await world.indexed()).toContain(site.url('/docs/b'));
    const { explanation } = await world.engine.explain('test', site.url('/maps.xml'));
    expect(explanation.verdict).toMatchObject({ accepted: true, effects: { index: false } });
  });

  it('are not asked for at a host that the crawl space forbids', async () => {
    const site = await startSite('127.0.0.1', 'foo.com');
    const other = await startSite('127.0.0.2', 'bar.com');
    site.page('/').set('/robots.txt', { body: `Sitemap: ${other.url('/maps.xml')}\n` });
    other.set('/maps.xml', { headers: XML, body: urlset(site.url('/a')) });
    await crawl({
      attributes: 'crawlSitemaps="true"',
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:CrawlSpace rules="crawl.rules"/>`,
      files: { 'crawl.rules': 'forbid domain bar.com' },
      names: NAMES,
    });
    expect(other.requests).toEqual([]);
  });

  it('that robots.txt names are read, also an index of sitemaps; their URLs are judged like links', async () => {
    const site = await startSite();
    site.page('/').page('/a').page('/b').page('/c');
    site.set('/robots.txt', { body: `User-agent: *\nDisallow: /c\nSitemap: ${site.url('/maps.xml')}\n` });
    site.set('/maps.xml', {
      headers: XML,
      body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${site.url('/sitemap-1.xml')}</loc></sitemap></sitemapindex>`,
    });
    site.set('/sitemap-1.xml', {
      headers: XML,
      body: urlset(site.url('/a'), site.url('/b'), site.url('/c'), site.url('/no')),
    });
    const rules = '<Rules><Rule><ar:Path val="/no"/><Ignore/></Rule></Rules>';
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>${rules}`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a'), site.url('/b')]);
    expect(await world.state(site.url('/c'))).toMatchObject({ reason: 'robots-disallowed' });
    expect(site.fetched).toEqual(['/', '/a', '/b', '/maps.xml', '/sitemap-1.xml']);
  });

  it('are looked for at the usual place when robots.txt names none, and their absence is not an error', async () => {
    const site = await startSite();
    site
      .page('/')
      .page('/a')
      .set('/sitemap.xml', { headers: XML, body: urlset(site.url('/a')) });
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
    const bare = await startSite();
    bare.page('/');
    const other = await crawl({
      crawler: `<Root url="${bare.url('/')}" site="false"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await other.state(bare.url('/sitemap.xml'))).toBeUndefined();
    const outcomes = (await other.engine.getMetrics()).pages.map(({ outcome }) => outcome);
    expect(outcomes).toContain('no-sitemap');
    expect(outcomes).not.toContain('http-404');
  });

  it('that an index names are read whatever their names and the policy, on the host of the index', async () => {
    const [site, other] = [await startSite(), await startSite('127.0.0.2')];
    site.page('/docs/').page('/docs/a').page('/docs/b').page('/docs/c').page('/page');
    other.set('/maps/1', { headers: XML, body: urlset(site.url('/docs/never')) });
    const named = [site.url('/maps/1.xml'), site.url('/maps?of=2'), site.url('/docs/3.txt'), other.url('/maps/1')];
    site.set('/robots.txt', { body: `Sitemap: ${site.url('/index.php')}\n` });
    site.set('/index.php', {
      headers: XML,
      body: `<sitemapindex>${named.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`,
    });
    site.set('/maps/1.xml', { headers: XML, body: urlset(site.url('/docs/a'), site.url('/page')) });
    site.set('/maps?of=2', { headers: XML, body: urlset(site.url('/docs/b')) });
    site.set('/docs/3.txt', { headers: { 'content-type': 'text/plain' }, body: `${site.url('/docs/c')}\n` });
    const world = await crawl({
      crawler: `<Root url="${site.url('/docs/')}" site="true"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await world.indexed()).toEqual(['/docs/', '/docs/a', '/docs/b', '/docs/c'].map((path) => site.url(path)));
    expect(other.requests).toEqual([]);
  });

  it('are not documents when a page comes instead of one', async () => {
    const site = await startSite();
    site.page('/docs/').page('/found');
    site.set('/sitemap.xml', {
      headers: { 'content-type': 'text/html' },
      body: '<title>App</title><a href="/found">f',
    });
    const world = await crawl({
      crawler: `<Root url="${site.url('/docs/')}" site="false"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await world.indexed()).toEqual([site.url('/docs/'), site.url('/found')]);
    const strict = await crawl({
      crawler: `<Root url="${site.url('/docs/')}" site="true"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await strict.indexed()).toEqual([site.url('/docs/')]);
    expect(await strict.state(site.url('/sitemap.xml'))).toMatchObject({ status: 'visited', reason: 'no-index' });
  });

  it('that robots.txt names by a path begin at it, not at the page that asked for it', async () => {
    const site = await startSite();
    site.page('/docs/').page('/a').set('/robots.txt', { body: 'Sitemap: maps/all.xml\n' });
    site.set('/maps/all.xml', { headers: XML, body: urlset(site.url('/a')) });
    const world = await crawl({
      crawler: `<Root url="${site.url('/docs/')}" site="false"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await world.indexed()).toEqual([site.url('/a'), site.url('/docs/')]);
  });

  it('may be larger than any document', async () => {
    const site = await startSite();
    site.page('/').page('/a');
    const padded = urlset(site.url('/a')).replace('?>', `?><!--${'x'.repeat(2_000_000)}-->`);
    site.set('/sitemap.xml', { headers: XML, body: padded });
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>`,
      attributes: 'crawlSitemaps="true"',
      more: '<cw:Fetcher name="default" maxSizeBytes="1000000"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>',
    });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
  });

  it('are read on after a change of the policy, which lets none be a document', async () => {
    const site = await startSite();
    site.page('/docs/').page('/docs/a').page('/docs/b');
    site.set('/sitemap.xml', { headers: XML, body: urlset(site.url('/docs/a')) });
    const attributes = 'crawlSitemaps="true" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
    const crawler = `<Root url="${site.url('/docs/')}" site="true"/>`;
    const world = await crawl({ crawler, attributes });
    const rules = '<Rules><Rule><ar:Path val="/docs/no"/><Ignore/></Rule></Rules>';
    await world.reconfigure({ crawler: crawler + rules, attributes });
    site.set('/sitemap.xml', { headers: XML, body: urlset(site.url('/docs/a'), site.url('/docs/b')) });
    await world.pass(days(2));
    expect(await world.indexed()).toEqual(['/docs/', '/docs/a', '/docs/b'].map((path) => site.url(path)));
  });

  it('are read for every crawler of the host, also for one that comes later', async () => {
    const site = await startSite();
    site
      .page('/')
      .page('/a')
      .set('/sitemap.xml', { headers: XML, body: urlset(site.url('/a')) });
    const crawler = (name: string): string =>
      `<Crawler name="${name}" aggressive="true" throttleTimeMS="0" defaultAccept="true"><Root url="${site.url('/')}" site="false"/><cw:PushTo sink="main"/></Crawler>`;
    const world = await crawl({ crawler: crawler('one') + crawler('two') });
    for (const name of ['one', 'two'])
      expect(await world.state(site.url('/a'), name)).toMatchObject({ status: 'indexed' });
    await world.reconfigure({ crawler: crawler('one') + crawler('two') + crawler('late') });
    await world.untilIdle();
    expect(await world.state(site.url('/a'), 'late')).toMatchObject({ status: 'indexed' });
    expect(site.requests.filter(({ path }) => path === '/robots.txt')).toHaveLength(1);
  });

  it('are not read when crawlSitemaps is off', async () => {
    const site = await startSite();
    site
      .page('/')
      .page('/a')
      .set('/sitemap.xml', { headers: XML, body: urlset(site.url('/a')) });
    await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    expect(site.requests.map((request) => request.path).sort()).toEqual(['/', '/robots.txt']);
  });
});

describe('a root that is no longer a root', () => {
  /** Visits a URL that is stored as found from a root that nobody knows. */
  async function visited(site: FakeSite, path: string, particulars: Partial<NewUrl>) {
    const world = await crawl({ crawler: '' });
    const url = site.url(path);
    const found = { root: site.url('/'), source: 3, dueAt: world.clock.now(), ...particulars } as const;
    await world.store.discover([newUrl(url, { ...found, crawler: 'test' })]);
    await world.engine.refresh('test', { url });
    await world.untilIdle();
    return world;
  }

  it('holds what was found from it to its site, and takes nothing stored away', async () => {
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

  it('hands over no links of its own, and moves to no other site', async () => {
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
