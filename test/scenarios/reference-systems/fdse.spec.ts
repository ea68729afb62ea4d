/** The text "Following Links with Crawler" of the Fluid Dynamics Search Engine, sentence by sentence. */
import { describe, expect, it } from 'vitest';
import { days, minutes } from '../../../src/domain/time/units.js';
import { iterateLines } from '../../../src/domain/url/url-list.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import { html } from '../../support/fake-site.js';
import { crawl, refusals, startSite } from '../../support/scenario.js';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const pendingFile = async (world: CrawlWorld): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of world.engine.pendingUrls.export('test')) lines.push(line.trimEnd());
  return lines;
};

describe('link detection', () => {
  it('treats A HREF, FRAME SRC, IFRAME SRC and IFRAME HREF as links, whatever the case', async () => {
    const site = await startSite();
    site.set('/', {
      headers: HTML,
      body: `<a href="/a">a</a><A HREF='/b'>b</A><IFRAME HREF="/iframe-href"></IFRAME><iframe src=/iframe-src></iframe>`,
    });
    site.set('/a', { headers: HTML, body: '<html><FRAMESET cols="*"><FRAME SRC="/frame"></FRAMESET></html>' });
    await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    expect(site.fetched).toEqual(['/', '/a', '/b', '/frame', '/iframe-href', '/iframe-src']);
  });

  it('captures HTML links only, not those written with a scripting language', async () => {
    const site = await startSite();
    site.set('/', {
      headers: HTML,
      body: `<script>document.write('<a href="/written">w</a>'); location = "/moved";</script>
        <a href="javascript:open('/opened')">o</a><a onclick="location='/clicked'">c</a><a href="/html">h</a>`,
    });
    await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    expect(site.fetched).toEqual(['/', '/html']);
  });

  it('protocol: links must begin with a protocol that the crawler speaks; ftp, gopher and others are ignored', async () => {
    const site = await startSite();
    const other = site.origin.replace('http:', 'https:');
    site.page('/', ['/a', 'ftp://127.0.0.1/x', 'gopher://127.0.0.1/x', 'mailto:ann@example.com', `${other}/tls`]);
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules protocols="http"/>`,
    });
    expect(site.fetched).toEqual(['/', '/a']);
    expect((await refusals(world))['protocol-not-allowed']).toEqual(
      expect.arrayContaining(['ftp://127.0.0.1/x', 'gopher://127.0.0.1/x', `${other}/tls`]),
    );
  });

  it('address length: an address of more than 128 characters is ignored by default', async () => {
    const site = await startSite();
    const path = (length: number): string => '/'.padEnd(length - site.origin.length, 'x');
    site.page('/', [path(128), path(129)]);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules dialect="fdse"/>` });
    expect(site.fetched).toEqual(['/', path(128)]);
    expect(await refusals(world)).toEqual({ 'url-too-long': [site.url(path(129))] });
  });

  it('address length: the maximum is a setting, "Max Characters: URL"', async () => {
    const site = await startSite();
    const path = (length: number): string => '/'.padEnd(length - site.origin.length, 'x');
    site.page('/', [path(129), path(200), path(201)]);
    await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules dialect="fdse" maxUrlLength="200"/>`,
    });
    expect(site.fetched).toEqual(['/', path(129), path(200)]);
  });

  it('query strings: by default links of the form file.pl?test are ignored', async () => {
    const site = await startSite();
    site.page('/', ['file.pl', 'file.pl?test', 'empty.pl?', 'anchor.pl#?']).page('/anchor.pl');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules dialect="fdse"/>` });
    expect(site.fetched).toEqual(['/', '/anchor.pl', '/file.pl']);
    const refused = (await refusals(world))['query-string'];
    // "Any web address which contains a question mark is said to have a query string", an empty one too.
    expect(refused).toEqual(expect.arrayContaining([site.url('/file.pl?test'), site.url('/empty.pl')]));
  });

  it('query strings: "Follow Query Strings" takes them', async () => {
    const site = await startSite();
    site.page('/', ['file.pl?test']);
    await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules dialect="fdse" followQueryStrings="true"/>`,
    });
    expect(site.fetched).toEqual(['/', '/file.pl?test']);
  });

  it('file extension: links to extensions of the list are skipped; lower case, separated by the pipe; .log and .old too', async () => {
    const site = await startSite();
    site.page('/', ['a.html', 'b.gif', 'c.LOG', 'd.old', 'e.logs', 'gif', 'f.gif/g.html']);
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules ignoreLinksTo="gif|log|old"/>`,
    });
    expect(site.fetched).toEqual(['/', '/a.html', '/e.logs', '/f.gif/g.html', '/gif']);
    expect(await refusals(world)).toEqual({
      'extension-ignored': [site.url('/b.gif'), site.url('/c.LOG'), site.url('/d.old')],
    });
  });

  it('robots exclusion: a file with meta robots nofollow will not have its links followed', async () => {
    const site = await startSite();
    site.page('/', ['/closed']).page('/behind');
    site.set('/closed', {
      headers: HTML,
      body: '<html><head><meta name="robots" content="nofollow" /></head><a href="/behind">b</a></html>',
    });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    expect(site.fetched).toEqual(['/', '/closed']);
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/closed')]);
    expect(await refusals(world)).toEqual({ nofollow: [site.url('/behind')] });
  });

  it('robots exclusion: "Crawler: Rogue" set to 1 ignores the exclusion standard', async () => {
    const site = await startSite();
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /closed\n' });
    site.page('/', ['/closed']).page('/behind');
    site.set('/closed', {
      headers: HTML,
      body: '<html><head><meta name="robots" content="nofollow" /></head><a href="/behind" rel="nofollow">b</a></html>',
    });
    await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules rogue="1"/>` });
    expect(site.fetched).toEqual(['/', '/behind', '/closed']);
  });

  it('hostname: "Follow Offsite Links" set to 0 restricts the crawler to the initial website', async () => {
    const site = await startSite();
    const other = await startSite('127.0.0.2');
    site.page('/', ['/a', other.url('/b')]);
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules followOffsite="0"/>`,
    });
    expect(site.fetched).toEqual(['/', '/a']);
    expect(other.requests).toEqual([]);
    expect(await refusals(world)).toEqual({ offsite: [other.url('/b')] });
  });

  it('hostname: a sitemap that robots.txt names on another host lists pages of the initial website', async () => {
    const [site, store] = await Promise.all([startSite('127.0.0.1'), startSite('127.0.0.2')]);
    site
      .page('/')
      .page('/a')
      .set('/robots.txt', { body: `Sitemap: ${store.url('/map.txt')}` });
    const list = [site.url('/a'), 'http://127.0.0.3/offsite'].join('\n');
    store.set('/map.txt', { headers: { 'content-type': 'text/plain' }, body: list });
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/><cw:LinkRules followOffsite="0"/>`,
      attributes: 'crawlSitemaps="true"',
    });
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/a')]);
    expect(await refusals(world)).toEqual({ offsite: ['http://127.0.0.3/offsite'] });
  });

  it('index entire site is more restrictive than the offsite rule: the same directory as the initial document, or below', async () => {
    const site = await startSite();
    const other = await startSite('127.0.0.2');
    const links = ['/docs/a.html', '/docs/sub/b.html', '/c.html', '/docs2/d.html', other.url('/docs/e.html')];
    site.page('/docs/start.html', links).page('/docs/a.html').page('/docs/sub/b.html').page('/c.html');
    const world = await crawl({ crawler: `<Root url="${site.url('/docs/start.html')}" entireSite="true"/>` });
    expect(site.fetched).toEqual(['/docs/a.html', '/docs/start.html', '/docs/sub/b.html']);
    expect(other.requests).toEqual([]);
    expect((await refusals(world))['outside-directory']).toHaveLength(3);
  });
});

describe('storage', () => {
  it('the pending file lists waiting, indexed and failed addresses in alphabetic order: address, realm, state', async () => {
    const site = await startSite();
    site.page('/', ['/b', '/a', '/gone']).page('/b').page('/a');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    await world.engine.setRunState('test', 'stopped');
    await world.engine.roots.submit('test', [{ url: site.url('/later') }]);
    const time = async (path: string): Promise<number> =>
      Math.floor((await world.state(site.url(path)))!.lastVisitAt! / 1000);
    expect(await pendingFile(world)).toEqual([
      `${site.url('/')} test ${await time('/')}`,
      `${site.url('/a')} test ${await time('/a')}`,
      `${site.url('/b')} test ${await time('/b')}`,
      `${site.url('/gone')} test 2`,
      `${site.url('/later')} test 0`,
    ]);
    expect(await time('/a')).toBe(Date.UTC(2026, 0, 1) / 1000);
  });

  it('an address that is found again keeps its state, whatever that is', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/gone']).page('/a', ['/a', '/', '/gone', '/new']).page('/new', ['/gone', '/a']);
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    for (const path of ['/', '/a', '/gone', '/new'])
      expect(site.requests.filter((request) => request.path === path)).toHaveLength(1);
    expect(await world.state(site.url('/gone'))).toMatchObject({ status: 'error', reason: 'http-404', visits: 1 });
  });

  it('an address not encountered before is inserted with state 0, ready to be crawled', async () => {
    const site = await startSite();
    site.page('/').page('/new');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    await world.engine.setRunState('test', 'paused');
    await world.engine.roots.submit('test', [{ url: site.url('/new') }]);
    expect(await world.state(site.url('/new'))).toMatchObject({ status: 'waiting', visits: 0 });
    expect(await pendingFile(world)).toContain(`${site.url('/new')} test 0`);
    await world.engine.setRunState('test', 'running');
    await world.untilIdle();
    expect(site.fetched).toEqual(['/', '/new']);
  });

  it('a pending file can be imported: waiting addresses are crawled, failed ones are not, indexed ones are due for refresh', async () => {
    const site = await startSite();
    site.page('/').page('/waiting').page('/failed').page('/indexed');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    const text = `${site.url('/')} test 0\n${site.url('/failed')} test 2\n${site.url('/indexed')} test 1700000000\n${site.url('/waiting')} test 0\nnonsense\n`;
    const outcome = await world.engine.pendingUrls.import('test', iterateLines(text));
    expect(outcome).toMatchObject({ imported: 3, known: 1 });
    expect(outcome.problems).toEqual([{ line: 5, problem: expect.stringMatching(/^expected "URL realm state"/) }]);
    await world.untilIdle();
    expect(site.fetched).toContain('/waiting');
    expect(site.fetched).not.toContain('/failed');
    expect(await world.state(site.url('/failed'))).toMatchObject({ status: 'error' });
    expect(await world.indexed()).toEqual(['/', '/indexed', '/waiting'].map((path) => site.url(path)).sort());
  });

  it('a time of the pending file is when a document that is in the index was visited: pages without one are left out', async () => {
    const site = await startSite();
    const headers = { 'content-type': 'text/html' };
    site.page('/', ['/noindex', '/old', '/image', '/excluded']);
    site.set('/noindex', { headers, body: '<meta name=robots content=noindex>Read, not indexed.' });
    site.set('/old', { status: 301, headers: { location: '/' } });
    site.set('/image', { headers: { 'content-type': 'image/png' }, body: 'x' }).page('/excluded');
    const root = `<Root url="${site.url('/')}" site="false"/>`;
    const world = await crawl({ crawler: root });
    await world.reconfigure({
      crawler: `${root}<cw:CrawlSpace rules="crawl.rules"/>`,
      files: { 'crawl.rules': `forbid prefix ${site.url('/excluded')}\n` },
    });
    await world.untilIdle();
    const states = (await pendingFile(world)).map((line) => [line.split(' ')[0], line.split(' ')[2]!.length]);
    expect(states).toEqual([[site.url('/'), 10]]);
  });

  it('an imported time decides when the page is refreshed; the first of several lines counts; no time is in the future', async () => {
    const site = await startSite();
    site.page('/fresh').page('/twice');
    const world = await crawl({ crawler: '' });
    const now = Math.floor(Date.UTC(2026, 0, 1) / 1000);
    const lines = [`/fresh test ${now - 60}`, '/twice test 2', '/twice test 0', '/late test 3981312000'];
    const { imported, known, problems } = await world.engine.pendingUrls.import(
      'test',
      iterateLines(lines.map((line) => site.url(line)).join('\n')),
    );
    expect({ imported, known }).toEqual({ imported: 2, known: 1 });
    expect(problems).toEqual([
      { line: 4, problem: expect.stringContaining('the state 3981312000 is a time in the future') },
    ]);
    await world.untilIdle();
    expect(site.fetched).toEqual([]);
    const fresh = await world.state(site.url('/fresh'));
    expect(fresh?.lastVisitAt).toBe((now - 60) * 1000);
    expect(fresh!.dueAt).toBeGreaterThan(now * 1000);
    expect(await world.state(site.url('/twice'))).toMatchObject({ status: 'error', source: undefined });
  });

  it('a line of the pending file that means nothing here is reported and not taken', async () => {
    const site = await startSite();
    const world = await crawl({ crawler: '' });
    const lines = ['/ other 0', '/7 test 7', '/2 test 02', '/long test 123456789012'].map((line) => site.url(line));
    const { imported, problems } = await world.engine.pendingUrls.import(
      'test',
      iterateLines([...lines, 'ftp://x.example/ test 0'].join('\n')),
    );
    expect(imported).toBe(0);
    expect(problems).toEqual([
      { line: 1, problem: 'the realm "other" does not belong to this crawler, whose realm is test' },
      ...['7', '02', '123456789012'].map((state, i) => ({
        line: i + 2,
        problem: expect.stringContaining(`the state "${state}" is neither`),
      })),
      { line: 5, problem: expect.stringMatching(/^"ftp:.* the protocol ftp/) },
    ]);
    expect(site.requests).toEqual([]);
  });

  it('the pending file leaves out what is only recorded, so that it can be imported again', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/b']).page('/a').page('/b');
    const conditions = `<cw:Conditions default-allow="allow"><cw:may-not-have field="path" value="/b" log="true"/></cw:Conditions>`;
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>${conditions}` });
    expect(await world.state(site.url('/b'))).toMatchObject({ status: 'filtered' });
    expect((await pendingFile(world)).map((line) => line.split(' ')[0])).toEqual([site.url('/'), site.url('/a')]);
  });

  it('export and import of the pending file lose nothing', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/gone']).page('/a');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    const lines = await pendingFile(world);
    const other = await crawl({ crawler: '' });
    await other.engine.setRunState('test', 'paused');
    await other.engine.pendingUrls.import('test', iterateLines(lines.join('\n')));
    expect(await pendingFile(other)).toEqual(lines);
  });
});

describe('crawling', () => {
  it('usually links are not followed automatically: the page is indexed, its links are listed with their states', async () => {
    const site = await startSite();
    site.page('/known', ['/missing']).page('/', ['/known', '/missing', '/fresh', '/x.gif']);
    const world = await crawl({ crawler: `<Root url="${site.url('/known')}" site="false"/>` });
    site.forgetRequests();
    const [submitted] = await world.engine.roots.submit('test', [{ url: site.url('/'), followLinks: false }]);
    expect(submitted).toMatchObject({ outcome: 'new' });
    await world.untilIdle();
    expect(site.fetched).toEqual(['/']);
    expect(await world.indexed()).toEqual([site.url('/'), site.url('/known')]);
    const page = await world.engine.explanations.viewPage('test', site.url('/'));
    const listed = page.links.map((link) => [link.url, link.state?.status ?? link.explanation.verdict.reason]).sort();
    expect(listed).toEqual([
      [site.url('/fresh'), 'accepted'],
      [site.url('/known'), 'indexed'],
      [site.url('/missing'), 'error'],
      [site.url('/x.gif'), 'extension-ignored'],
    ]);
    await world.untilIdle();
    expect(site.fetched).toEqual(['/']);
  });

  it('a page is looked at when its host may be asked: not while it is paused', async () => {
    const site = await startSite();
    site.page('/');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    await world.engine.hosts.setPaused((await world.state(site.url('/')))!.hostKey, true);
    site.forgetRequests();
    await expect(world.engine.explanations.viewPage('test', site.url('/'))).rejects.toThrow(/is paused/);
    expect(site.requests).toEqual([]);
    await world.engine.hosts.setPaused((await world.state(site.url('/')))!.hostKey, false);
    expect(await world.engine.explanations.viewPage('test', site.url('/'))).toMatchObject({ status: 200 });
  });

  it('from the list a person chooses the links to follow', async () => {
    const site = await startSite();
    site.page('/', ['/one', '/two']).page('/one', ['/deeper']).page('/two').page('/deeper');
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" followLinks="false" site="false"/>` });
    expect(site.fetched).toEqual(['/']);
    await world.engine.roots.submit('test', [{ url: site.url('/one'), followLinks: false }]);
    await world.untilIdle();
    expect(site.fetched).toEqual(['/', '/one']);
  });

  it('a sitemap of its site brings in none of what a person is to choose from', async () => {
    const site = await startSite();
    site.page('/list', ['/one']).page('/one').page('/two');
    const urls = [site.url('/one'), site.url('/two')].map((url) => `<url><loc>${url}</loc></url>`).join('');
    const body = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
    site.set('/sitemap.xml', { headers: { 'content-type': 'application/xml' }, body });
    const attributes = 'crawlSitemaps="true"';
    const world = await crawl({
      attributes,
      crawler: `<Root url="${site.url('/list')}" followLinks="false" site="false"/>`,
    });
    expect(site.fetched).toEqual(['/list']);
    await world.engine.roots.submit('test', [{ url: site.url('/one'), site: false }]);
    await world.untilIdle();
    expect(site.fetched).toEqual(['/list', '/one', '/two']);
  });

  it('with "Index Entire Site" all links on that site are followed automatically', async () => {
    const site = await startSite();
    const other = await startSite('127.0.0.2');
    site
      .page('/', ['/a', other.url('/')])
      .page('/a', ['/b/c'])
      .page('/b/c');
    const world = await crawl({ crawler: '' });
    await world.engine.roots.submit('test', [{ url: site.url('/'), entireSite: true }]);
    await world.untilIdle();
    expect(site.fetched).toEqual(['/', '/a', '/b/c']);
    expect(other.requests).toEqual([]);
  });

  it('with "Index Entire Site" chosen afterwards, too, although the page has not changed', async () => {
    const site = await startSite();
    for (const [path, links] of [
      ['/one', ['/two']],
      ['/two', ['/three']],
      ['/three', []],
    ] as const) {
      const etag = `"${path}"`;
      site.set(path, (request) =>
        request.headers['if-none-match'] === etag
          ? { status: 304 }
          : { headers: { ...HTML, etag }, body: html(path, links) },
      );
    }
    const world = await crawl({ crawler: '' });
    await world.pass(minutes(1));
    for (const settings of [{ followLinks: false }, { entireSite: true, priority: 1 }]) {
      await world.engine.roots.submit('test', [{ url: site.url('/one'), ...settings }]);
      await world.untilIdle();
    }
    expect(site.fetched).toEqual(['/one', '/three', '/two']);
  });

  it('after a page is crawled its state is 2 if there was an error, or the time', async () => {
    const site = await startSite();
    site.page('/', ['/bad']).set('/bad', { status: 500 });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    const lines = await pendingFile(world);
    expect(lines[0]).toBe(`${site.url('/')} test ${Date.UTC(2026, 0, 1) / 1000}`);
    expect(lines[1]).toBe(`${site.url('/bad')} test 2`);
  });

  it('the blacklisted files can be cleared: "Clear Error Cache" forgets them, and they are crawled when found again', async () => {
    const site = await startSite();
    site.page('/', ['/bad', '/worse', '/good']).set('/bad', { status: 500 }).page('/good');
    const world = await crawl({
      crawler: `<Root url="${site.url('/')}" site="false"/>`,
      attributes: 'smartRefreshMinAgeS="86400" smartRefreshMaxAgeS="86400"',
    });
    await world.pass(minutes(1));
    expect(await world.engine.maintenance.clearErrors('test')).toBe(2);
    expect((await pendingFile(world)).map((line) => line.split(' ')[0])).toEqual([site.url('/'), site.url('/good')]);
    site.set('/bad', { headers: HTML, body: html('better', []) });
    await world.pass(days(1));
    expect(await world.indexed()).toEqual(['/', '/bad', '/good'].map((path) => site.url(path)).sort());
  });

  it('a start URL is not forgotten with the error cache: nothing would lead back to it', async () => {
    const site = await startSite();
    site.set('/', { status: 500 });
    const world = await crawl({ crawler: `<Root url="${site.url('/')}" site="false"/>` });
    await world.engine.roots.submit('test', [{ url: site.url('/list'), site: false }]);
    await world.untilIdle();
    site.page('/', ['/a']).page('/a').page('/list');
    expect(await world.engine.maintenance.clearErrors('test')).toBe(2);
    await world.untilIdle();
    expect(await world.indexed()).toEqual(['/', '/a', '/list'].map((path) => site.url(path)));
  });
});
