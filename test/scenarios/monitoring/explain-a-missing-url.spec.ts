/** Twenty URLs that are not in the index for twenty different reasons; what an operator reads about each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REASONS } from '../../../src/domain/policy/reasons.js';
import { CrawlWorld } from '../../support/crawl-world.js';
import { FakeSite } from '../../support/fake-site.js';

const HTML = { 'content-type': 'text/html' };
const FILES = { 'crawl.rules': '', 'global.rules': 'allow domain moved.example\n' };
const NAMES: Record<string, string> = { www: '127.0.0.1', listed: '127.0.0.1', 'moved.example': '127.0.0.1' };

describe('explain states in one sentence why a URL is not crawled and where this is configured', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  const report: string[] = [];

  beforeAll(async () => {
    site = await FakeSite.start('127.0.0.1', 'www');
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /secret\n' });
    site.page('/', ['/secret', '/noindex', '/links-only', '/pdf', '/old', '/gone', '/refers', '/twin']);
    site.set('/noindex', { headers: HTML, body: '<meta name="robots" content="noindex"><title>n</title>' });
    site.set('/pdf', { headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' });
    site
      .set('/old', { status: 301, headers: { location: '/new' } })
      .page('/new')
      .page('/links-only');
    site.set('/refers', { headers: HTML, body: '<link rel="canonical" href="/canon"><title>r</title>' }).page('/canon');
    const port = site.port;
    const rules = `forbid domain news.example\nforbid domain moved.example\nforbid prefix http://www:${port}/intern/\nforbid address 10.0.0.0/8\n`;
    const crawler = `<Root url="${site.url('/')}" site="false"/><Root url="${site.url('/docs/start.html')}" entireSite="true"/><Root url="http://listed:${port}/only/" site="true"/>
      <cw:LinkRules maxUrlLength="100" followQueryStrings="false" ignoreLinksTo="gif"/>
      <cw:CrawlSpace rules="crawl.rules"/>
      <cw:Servers><cw:Server url="http://www:${port}/" maxHops="3"/><cw:Server url="http://listed:${port}/"/><cw:Server url="http://10.1.2.3/"/></cw:Servers>
      <cw:Conditions><cw:may-not-have field="path" value="/draft/*"/>
        <cw:apply-for field="path" value="/closed/*"><cw:option name="default-allow" value="disallow"/></cw:apply-for>
        <cw:apply-for field="path" value="/near/*"><cw:option name="max-hops" value="1"/></cw:apply-for></cw:Conditions>
      <cw:Traps maxPathDepth="6" maxRepeatedSegments="2"/>
      <Rules group="site"><Rule><ar:Path val="/"/><Accept/></Rule><Rule><ar:Path val="/ignored"/><Ignore/></Rule><Rule><ar:Path val="/links-only"/><NoIndex/></Rule></Rules>`;
    world = await CrawlWorld.start({
      attributes: 'defaultAccept="false" name="test"',
      crawler,
      files: { ...FILES, 'crawl.rules': rules },
      more: '<cw:GlobalCrawlSpace rules="global.rules"/>',
      names: NAMES,
      index: 'none',
    });
    await world.untilIdle();
  });
  afterAll(async () => {
    if (process.env['SHOW_EXPLANATIONS']) console.log(report.join('\n'));
    await world.close();
    await site.close();
  });

  const root = (): string => site.url('/');
  it.each([
    [
      'protocol-not-allowed',
      'ftp://www/file',
      undefined,
      'the protocol ftp is not among those that this crawler uses: http, https',
    ],
    ['url-too-long', '/'.padEnd(200, 'x'), '/', 'characters, but only 100 are allowed'],
    ['query-string', '/search?q=1', '/', 'links with a query string are not followed'],
    ['extension-ignored', '/logo.gif', '/', 'links to .gif are ignored'],
    ['trap-path-depth', '/a/b/c/d/e/f/g', '/', 'the path has 7 segments, but only 6 are allowed'],
    ['trap-repeated-segments', '/a/x/a/y/a', '/', 'the path segment "a" appears 3 times, but at most 2 are allowed'],
    ['outside-directory', '/elsewhere', '/docs/start.html', '/docs/, the directory of root'],
    ['crawl-space-domain', 'http://news.example/', undefined, 'forbid domain news.example'],
    ['left-to-another-crawler', 'http://moved.example/', undefined, 'forbid domain moved.example'],
    ['crawl-space-prefix', '/intern/x', undefined, 'forbid prefix'],
    ['crawl-space-address', 'http://10.1.2.3/', undefined, 'forbid address 10.0.0.0/8'],
    ['no-server-record', 'http://unlisted/', undefined, 'no server record is a prefix of the URL'],
    ['condition-filtered', '/draft/1', undefined, 'URLs may not have: path matches wildcard "/draft/*"'],
    [
      'condition-disallowed',
      '/closed/1',
      undefined,
      'default-allow is disallow, set by conditions apply for: path matches wildcard "/closed/*"',
    ],
    ['rule-ignored', '/ignored', undefined, 'rule 2 (group "site") ignores URLs with path prefix "/ignored"'],
  ])('%s', async (reason, url, from, sentence) => {
    const full = url.startsWith('/') ? site.url(url) : url;
    const { explanation } = await world.engine.explanations.explain('test', full, from && site.url(from));
    const { verdict } = explanation;
    report.push(
      `${full}\n  ${verdict.reason}: ${verdict.detail} (${verdict.place?.file}:${verdict.place?.line})\n  → ${REASONS[verdict.reason].remedy}`,
    );
    expect(verdict).toMatchObject({ accepted: false, reason });
    expect(verdict.detail).toContain(sentence);
    expect(verdict.place?.line).toBeGreaterThan(0);
    expect(
      explanation.trace.some(
        (step) => (step.outcome === 'reject' && step.reason === reason) || reason === 'left-to-another-crawler',
      ),
    ).toBe(true);
  });

  it.each([
    ['robots-disallowed', '/secret'],
    ['noindex', '/noindex'],
    ['links-only', '/links-only'],
    ['mime-type-excluded', '/pdf'],
    ['redirected', '/old'],
    ['canonical-elsewhere', '/refers'],
    ['http-404', '/gone'],
  ])('%s', async (reason, path) => {
    const { state, visits, path: way } = await world.engine.explanations.getUrlHistory('test', site.url(path));
    report.push(
      `${state.url}\n  ${state.status}, ${state.reason}; last visit: ${visits[0]?.outcome} ${visits[0]?.detail ?? ''}`,
    );
    expect(state.reason).toBe(reason);
    expect(way).toEqual([root(), site.url(path)]);
    expect(visits).toHaveLength(1);
  });
});
