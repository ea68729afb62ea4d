import { describe, expect, it } from 'vitest';
import { days } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const DAILY = 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"';
const NAMES = {
  'foo.com': '127.0.0.1',
  'www.foo.com': '127.0.0.1',
  'bar.com': '127.0.0.2',
  'www.bar.com': '127.0.0.2',
};

describe('sitemaps', () => {
  const urlset = (...urls: string[]): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
  const XML = { 'content-type': 'application/xml' };

  const docsOnly = '<Rules><Rule><ar:Path val="/docs/"/><Accept/></Rule></Rules>';

  it('named by robots.txt are read whatever the rules accept, also after a change of the rules', async () => {
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
    const { explanation } = await world.engine.explanations.explain('test', site.url('/maps.xml'));
    expect(explanation.verdict).toMatchObject({ accepted: true, effects: { index: false } });
  });

  it('are not requested from a host that the crawl space forbids', async () => {
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

  it('named by robots.txt are read, also a sitemap index; their URLs are judged like links', async () => {
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

  it('are requested at /sitemap.xml when robots.txt names none, and their absence is not an error', async () => {
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

  it('named by an index are read whatever their names and the policy, on the host of the index', async () => {
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

  it('named by an index that is a root are read, too, without counting as a hop', async () => {
    const site = await startSite();
    site.page('/docs/a', ['/docs/b']).page('/docs/b').page('/page');
    const index = `<sitemapindex><sitemap><loc>${site.url('/sitemap-1.xml')}</loc></sitemap></sitemapindex>`;
    site.set('/sitemap.xml', { headers: XML, body: index });
    site.set('/sitemap-1.xml', { headers: XML, body: urlset(site.url('/docs/a'), site.url('/page')) });
    const only = '<Rule><ar:Not><ar:Path val="/docs/"/></ar:Not><Ignore/></Rule>';
    const root = `<Rule><ar:Path val="/sitemap.xml"/><Accept/></Rule>`;
    const world = await crawl({
      crawler: `<Root url="${site.url('/sitemap.xml')}" site="false"/><Rules>${only}${root}</Rules>
        <cw:Conditions default-allow="allow"><cw:option name="max-hops" value="1"/></cw:Conditions>`,
      attributes: 'crawlSitemaps="true" defaultAccept="true"',
    });
    expect(await world.indexed()).toEqual([site.url('/docs/a')]);
  });

  it('are not documents when a page is returned instead', async () => {
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

  it('named by robots.txt with a relative URL are resolved against robots.txt, not against a page', async () => {
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

  it('are still read after a change of the policy, under which none is a document', async () => {
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

  it('are read for every crawler of the host, also for one that is added later', async () => {
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
