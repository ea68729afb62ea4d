/** The text "How does indexer walk through the hypertext links" of mnoGoSearch, sentence by sentence. */
import { describe, expect, it } from 'vitest';
import { days, seconds } from '../../../src/domain/time/units.js';
import { iterateUrlListEntries } from '../../../src/domain/url/url-list.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

const NAMES = { www: '127.0.0.1', web: '127.0.0.2', far: '127.0.0.3' };
const ATTRIBUTES = 'smartRefreshMinAgeS="864000" smartRefreshMaxAgeS="864000"';
const servers = (inside: string, switches = ''): string => `<cw:Servers ${switches}>${inside}</cw:Servers>`;
const urlsOf = (list: string): string[] => [...iterateUrlListEntries(list)].map(({ text }) => text);
const record = (url: string, more = ''): string => `<cw:Server url="${url}" ${more}/>`;

/** www links to web, web links on to far. */
async function threeServers(): Promise<{ www: FakeSite; web: FakeSite; far: FakeSite }> {
  const [www, web, far] = await Promise.all([
    startSite(NAMES.www, 'www'),
    startSite(NAMES.web, 'web'),
    startSite(NAMES.far, 'far'),
  ]);
  www
    .page('/', ['/page1.html'])
    .page('/page1.html', ['/page2.html', web.url('/page2.html')])
    .page('/page2.html');
  web.page('/', []).page('/page2.html', [far.url('/page3.html')]);
  far.page('/', []).page('/page3.html');
  return { www, web, far };
}

describe('where a crawler begins', () => {
  it('without a Root at its Server records, as the indexer does', async () => {
    const { www, web } = await threeServers();
    const world = await crawl({ crawler: servers(record(www.url('/')) + record(web.url('/'))), names: NAMES });
    expect(www.fetched).toEqual(['/', '/page1.html', '/page2.html']);
    expect(web.fetched).toEqual(['/', '/page2.html']);
    expect(await world.state(web.url('/'))).toMatchObject({ discoveredVia: 'root', status: 'indexed' });
  });

  it('with a Root there alone', async () => {
    const { www, web } = await threeServers();
    const crawler = `<Root url="${web.url('/')}" site="false"/>${servers(record(www.url('/')) + record(web.url('/')))}`;
    await crawl({ crawler, names: NAMES });
    expect(www.requests).toEqual([]);
  });
});

describe('which Server record a URL has', () => {
  it('a URL without a correspondent Server record is not crawled', async () => {
    const { www, web } = await threeServers();
    const crawler = `<Root url="${www.url('/')}" site="false"/>${servers(record(www.url('/')))}`;
    const world = await crawl({ crawler, names: NAMES });
    expect(www.fetched).toEqual(['/', '/page1.html', '/page2.html']);
    expect(web.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'no-server-record': [web.url('/page2.html')] });
  });

  it('compares the first bytes of the URL: a record is a prefix, not a server', async () => {
    const { www } = await threeServers();
    www.page('/', ['/news', '/newsletter', '/old/news']).page('/news').page('/newsletter');
    await crawl({
      crawler: `<Root url="${www.url('/news')}" site="false"/>${servers(record(www.url('/news')))}`,
      names: NAMES,
    });
    expect(www.fetched).toEqual(['/news']);
    www.page('/news', ['/newsletter', '/old/news']);
    await crawl({
      crawler: `<Root url="${www.url('/news')}" site="false"/>${servers(record(www.url('/news')))}`,
      names: NAMES,
    });
    expect(www.fetched).toEqual(['/news', '/newsletter']);
  });

  it('the longest one is found first, so /news/ is reindexed faster than the rest of the server', async () => {
    const { www } = await threeServers();
    www.page('/', ['/news/page1.html', '/page1.html']).page('/news/page1.html').page('/page1.html');
    for (const order of [0, 1]) {
      www.forgetRequests();
      const records = [record(www.url('/'), 'period="600000"'), record(www.url('/news/'), 'period="200000"')];
      const crawler = `<Root url="${www.url('/')}" site="false"/>${servers((order ? records.reverse() : records).join(''))}`;
      const world = await crawl({ crawler, attributes: ATTRIBUTES, names: NAMES });
      www.forgetRequests();
      await world.pass(seconds(199_000));
      expect(www.fetched).toEqual([]);
      await world.pass(seconds(2_000));
      expect(www.fetched).toEqual(['/news/page1.html']);
      await world.pass(seconds(400_000));
      expect(www.fetched).toEqual(['/', '/news/page1.html', '/page1.html']);
      expect(www.requests.filter((request) => request.path === '/news/page1.html')).toHaveLength(3);
    }
  });

  it('a value set before several records holds for those that follow, with periods like 1d12h', async () => {
    const { www } = await threeServers();
    www.page('/', ['/news/', '/fast/']).page('/news/').page('/fast/');
    const inside = `<cw:Parameters period="1d12h" tag="site"/>${record(www.url('/'))}${record(www.url('/fast/'), 'period="10M"')}`;
    const world = await crawl({
      crawler: `<Root url="${www.url('/')}" site="false"/>${servers(inside)}`,
      attributes: ATTRIBUTES,
      names: NAMES,
    });
    www.forgetRequests();
    await world.pass(seconds(700));
    expect(www.fetched).toEqual(['/fast/']);
    await world.pass(seconds(129_600));
    expect(www.fetched).toEqual(['/', '/fast/', '/news/']);
  });
});

describe('1) default rules', () => {
  it('follows through those links which have a Server record, and jumps between servers if both are represented', async () => {
    const { www, web, far } = await threeServers();
    const crawler = `<Root url="${www.url('/')}" site="false"/>${servers(record(www.url('/')) + record(web.url('/')))}`;
    const world = await crawl({ crawler, names: NAMES });
    expect(web.fetched).toEqual(['/page2.html']);
    expect(far.requests).toEqual([]);
    expect(await world.indexed()).toEqual(
      [www.url('/'), www.url('/page1.html'), www.url('/page2.html'), web.url('/page2.html')].sort(),
    );
  });

  it('if one of the Server commands is deleted, all expired URLs of this server are removed during the next reindexing', async () => {
    const { www, web } = await threeServers();
    const crawler = (records: string): string => `<Root url="${www.url('/')}" site="false"/>${servers(records)}`;
    const www1 = record(www.url('/'), 'period="1000"');
    const web1 = record(web.url('/'), 'period="1000"');
    const world = await crawl({ crawler: crawler(www1 + web1), attributes: ATTRIBUTES, names: NAMES });
    web.forgetRequests();
    await world.reconfigure({ crawler: crawler(www1) });
    await world.untilIdle();
    expect(await world.indexed()).toContain(web.url('/page2.html'));
    await world.pass(seconds(1_100));
    expect(await world.indexed()).not.toContain(web.url('/page2.html'));
    expect(await world.state(web.url('/page2.html'))).toBeUndefined();
    expect(web.fetched).toEqual([]);
    const [order] = await world.engine.orders.list({ uri: web.url('/page2.html') }, undefined, 1);
    expect(order).toMatchObject({ kind: 'delete', reason: 'no-server-record', state: 'acknowledged' });
  });
});

describe('2) followOutside="yes"', () => {
  it('walks through any found URLs and jumps between different servers', async () => {
    const { www, far } = await threeServers();
    const crawler = `<Root url="${www.url('/')}" site="false"/>${servers(record(www.url('/')), 'followOutside="yes"')}`;
    await crawl({ crawler, names: NAMES });
    expect(far.fetched).toEqual(['/page3.html']);
  });

  it('adds a record with the empty URL, found only when no longer one is, with the parameters at the end of the list', async () => {
    const { www, web } = await threeServers();
    const inside = `${record(www.url('/'), 'tag="listed"')}<cw:Parameters tag="outside" period="500"/>`;
    const crawler = `<Root url="${www.url('/')}" site="false"/>${servers(inside, 'followOutside="yes"')}`;
    const world = await crawl({ crawler, attributes: ATTRIBUTES, names: NAMES });
    const tag = async (url: string) => {
      const { explanation } = await world.engine.explanations.explain('test', url);
      return explanation.verdict.effects.metas.map((meta) => meta.value);
    };
    expect(await tag(www.url('/page2.html'))).toEqual(['listed']);
    expect(await tag(web.url('/page2.html'))).toEqual(['outside']);
    www.forgetRequests();
    web.forgetRequests();
    await world.pass(seconds(600));
    expect(www.fetched).toEqual([]);
    expect(web.fetched).toEqual(['/page2.html']);
  });
});

describe('3) deleteNoServer="no"', () => {
  it('URLs already in the database are not deleted although they have no Server record', async () => {
    const { www, web } = await threeServers();
    const crawler = (records: string, switches: string): string =>
      `<Root url="${www.url('/')}" site="false"/>${servers(records, switches)}`;
    const both = record(www.url('/')) + record(web.url('/'));
    const world = await crawl({ crawler: crawler(both, ''), attributes: ATTRIBUTES, names: NAMES });
    expect(await world.indexed()).toContain(web.url('/page2.html'));
    await world.reconfigure({ crawler: crawler(record(www.url('/')), 'deleteNoServer="no"') });
    await world.pass(days(21));
    expect(await world.indexed()).toContain(web.url('/page2.html'));
  });

  it('follows only links inside the server, even when both servers are listed', async () => {
    const { www, web } = await threeServers();
    const both = record(www.url('/')) + record(web.url('/'));
    const crawler = `<Root url="${www.url('/')}" site="false"/>${servers(both, 'deleteNoServer="no"')}`;
    const world = await crawl({ crawler, names: NAMES });
    expect(www.fetched).toEqual(['/', '/page1.html', '/page2.html']);
    expect(web.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ 'outside-server': [web.url('/page2.html')] });
  });

  it('with followOutside as well: followOutside governs links, deleteNoServer governs deletion', async () => {
    const { www, far } = await threeServers();
    const switches = 'deleteNoServer="no" followOutside="yes"';
    const world = await crawl({
      crawler: `<Root url="${www.url('/')}" site="false"/>${servers('', switches)}`,
      names: NAMES,
    });
    expect(far.fetched).toEqual(['/page3.html']);
    expect(await world.indexed()).toContain(far.url('/page3.html'));
  });
});

describe('4) a list of URLs, as with indexer -i -f url.txt', () => {
  const listed = async (): Promise<{ www: FakeSite; web: FakeSite; world: CrawlWorld }> => {
    const { www, web } = await threeServers();
    web.page('/', ['/page2.html']);
    const world = await crawl({ crawler: servers('', 'deleteNoServer="no"'), attributes: ATTRIBUTES, names: NAMES });
    return { www, web, world };
  };

  it('a new URL in the list makes the server of this URL be indexed', async () => {
    const { www, web, world } = await listed();
    await world.engine.roots.submitList('test', urlsOf(`# our servers\n${www.url('/')}\n`));
    await world.untilIdle();
    expect(www.fetched).toEqual(['/', '/page1.html', '/page2.html']);
    expect(web.requests).toEqual([]);
    await world.engine.roots.submitList('test', urlsOf(`${www.url('/')}\n${web.origin}\\\n/\n`));
    await world.untilIdle();
    expect(web.fetched).toEqual(['/', '/page2.html']);
  });

  it('it does not matter whether it is the root URL or one of the internal pages', async () => {
    const { www, world } = await listed();
    www.page('/path/to/some/page.html', []);
    await world.engine.roots.submitList('test', urlsOf(www.url('/path/to/some/page.html')));
    await world.untilIdle();
    expect(www.fetched).toEqual(['/', '/page1.html', '/page2.html', '/path/to/some/page.html']);
  });

  it('deleting a URL from the list deletes nothing; clear with http://www/% removes all URLs of the server', async () => {
    const { www, web, world } = await listed();
    await world.engine.roots.submitList('test', urlsOf(`${www.url('/')}\n${web.url('/')}`));
    await world.untilIdle();
    await world.engine.roots.submitList('test', urlsOf(web.url('/')));
    await world.pass(days(11));
    const all = [
      ...['/', '/page1.html', '/page2.html'].map((path) => www.url(path)),
      web.url('/'),
      web.url('/page2.html'),
    ];
    expect(await world.indexed()).toEqual(all.sort());
    expect(await world.engine.maintenance.clear('test', { like: `${www.origin}/%` })).toBe(3);
    await world.untilIdle();
    expect(await world.indexed()).toEqual([web.url('/'), web.url('/page2.html')]);
    for (const path of ['/', '/page1.html', '/page2.html']) expect(await world.state(www.url(path))).toBeUndefined();
    const orders = await world.engine.orders.list({ kind: 'delete' }, undefined, 10);
    expect(orders.map((order) => order.reason)).toEqual(Array(3).fill('cleared-by-person'));
    www.forgetRequests();
    await world.pass(days(21));
    expect(www.fetched).toEqual([]);
  });
});

describe('what a record carries', () => {
  it('alias: the document is fetched, robots.txt included, from the mirror, and indexed under its own URL', async () => {
    const mirror = await startSite(NAMES.web, 'web');
    mirror.page('/copy/', ['a', 'http://nowhere/b', '/secret']).page('/copy/a').page('/copy/b').page('/copy/secret');
    mirror.set('/robots.txt', { body: 'User-agent: *\nDisallow: /copy/secret\n' });
    const inside = record('http://nowhere/', `alias="${mirror.url('/copy/')}"`);
    const world = await crawl({
      crawler: `<Root url="http://nowhere/" site="false"/>${servers(inside)}`,
      names: NAMES,
    });
    expect(mirror.fetched).toEqual(['/copy/', '/copy/a', '/copy/b']);
    expect(await world.indexed()).toEqual(['http://nowhere/', 'http://nowhere/a', 'http://nowhere/b']);
    expect(await world.state('http://nowhere/secret')).toMatchObject({ reason: 'robots-disallowed' });
  });

  it('alias: what the mirror links and redirects to under its own name has the name of the record', async () => {
    const { www, web } = await threeServers();
    web.page('/', ['/dir', web.url('/page1.html'), web.url('/own/'), 'http://web/page3.html']);
    web.set('/dir', { status: 301, headers: { location: web.url('/dir/') } });
    for (const path of ['/dir/', '/page1.html', '/own/', '/listed']) web.page(path);
    web.set('/robots.txt', { body: `Sitemap: ${web.url('/map.txt')}` });
    web.set('/map.txt', { headers: { 'content-type': 'text/plain' }, body: web.url('/listed') });
    const crawler = servers(record(www.url('/'), `alias="${web.origin}"`) + record(web.url('/own/')));
    const world = await crawl({
      crawler: `<Root url="${www.url('/')}" site="false"/>${crawler}`,
      names: NAMES,
      attributes: 'crawlSitemaps="true"',
    });
    const names = [www.url('/'), www.url('/dir/'), www.url('/page1.html'), www.url('/listed'), web.url('/own/')];
    expect(await world.indexed()).toEqual(names.sort());
    expect(await refusals(world)).toEqual({ 'no-server-record': ['http://web/page3.html'] });
  });

  it('maxHops, index, follow, tag and category', async () => {
    const { www } = await threeServers();
    www.page('/', ['/a', '/noindex/', '/nofollow/']).page('/a', ['/b']).page('/b', ['/c']).page('/c');
    www.page('/noindex/', ['/d']).page('/d').page('/nofollow/', ['/e']).page('/e');
    const inside =
      record(www.url('/'), 'maxHops="2" tag="T" category="C"') +
      record(www.url('/noindex/'), 'index="no"') +
      record(www.url('/nofollow/'), 'follow="no"');
    const world = await crawl({
      crawler: `<Root url="${www.url('/')}" site="false"/>${servers(inside)}`,
      names: NAMES,
    });
    expect(www.fetched).toEqual(['/', '/a', '/b', '/d', '/nofollow/', '/noindex/']);
    expect(await world.state(www.url('/noindex/'))).toMatchObject({ status: 'visited', reason: 'links-only' });
    expect(await refusals(world)).toEqual({ 'server-max-hops': [www.url('/c')] });
  });

  it('robots="no", authentication and timeouts', async () => {
    const { www } = await threeServers();
    www.set('/robots.txt', { body: 'User-agent: *\nDisallow: /\n' }).set('/page1.html', () => undefined);
    const inside = record(www.url('/'), 'robots="no" authentication="ann:secret" documentTimeout="1"');
    const crawler = `<Root url="${www.url('/')}" site="false"/>${servers(inside)}<cw:ErrorPolicy retryDelayS="3600"/>`;
    const world = await crawl({ crawler, names: NAMES });
    expect(await world.indexed()).toEqual([www.url('/')]);
    expect(www.requests[0]?.headers.authorization).toBe(`Basic ${btoa('ann:secret')}`);
    expect(await world.state(www.url('/page1.html'))).toMatchObject({ reason: 'read-timeout' });
  });

  it('maxNetworkErrors and networkErrorDelay', async () => {
    const { www } = await threeServers();
    www.set('/page1.html', (request) => void request.socket.resetAndDestroy());
    const inside = record(www.url('/'), 'maxNetworkErrors="1" networkErrorDelay="5000"');
    const world = await crawl({
      crawler: `<Root url="${www.url('/')}" site="false"/>${servers(inside)}`,
      names: NAMES,
    });
    expect(await world.state(www.url('/page1.html'))).toMatchObject({ status: 'error', temporaryErrors: 1 });
    await world.pass(seconds(4_800));
    expect(await world.state(www.url('/page1.html'))).toMatchObject({ temporaryErrors: 1 });
    await world.pass(seconds(400));
    expect(await world.state(www.url('/page1.html'))).toMatchObject({
      status: 'removed',
      reason: 'removed-after-errors',
    });
  });

  it('networkErrorDelay, if not even robots.txt can be requested', async () => {
    const { www } = await threeServers();
    await www.goDown();
    const inside = record(www.url('/'), 'networkErrorDelay="5000"');
    const world = await crawl({ crawler: servers(inside), names: NAMES });
    const { lastVisitAt, dueAt, reason } = (await world.state(www.url('/')))!;
    expect([reason, dueAt - lastVisitAt!]).toEqual(['connection-refused', seconds(5_000)]);
    await www.comeBack();
  });

  it('period, of a page that robots.txt forbids as well', async () => {
    const { www } = await threeServers();
    www.set('/robots.txt', { body: 'User-agent: *\nDisallow: /page1' });
    const inside = record(www.url('/'), 'period="200000"');
    const world = await crawl({ crawler: servers(inside), attributes: 'smartRefresh="false"', names: NAMES });
    expect(await world.state(www.url('/page1.html'))).toMatchObject({ reason: 'robots-disallowed' });
    www.remove('/robots.txt');
    await world.pass(seconds(199_000));
    expect(www.fetched).toEqual(['/']);
    await world.pass(seconds(2_000));
    expect(www.fetched).toEqual(['/', '/page1.html', '/page2.html']);
  });

  it('records can be read from an indexer.conf', async () => {
    const { www, web } = await threeServers();
    const conf = `# the seed's own lines\nPeriod 600000\nServer ${www.url('/')}\nPeriod 200000\nServer ${web.url('/')}\n`;
    const world = await crawl({
      crawler: `<Root url="${www.url('/')}" site="false"/><cw:Servers file="indexer.conf"/>`,
      files: { 'indexer.conf': conf },
      attributes: ATTRIBUTES,
      names: NAMES,
    });
    www.forgetRequests();
    web.forgetRequests();
    await world.pass(seconds(200_500));
    expect([www.fetched, web.fetched]).toEqual([[], ['/page2.html']]);
  });
});
