import { expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { createOriginal } from '../original/index.js';

const seeds = file('seeds.txt', `${SITE}/\n`);
const filters = (name: string, rules: string) =>
  file(
    name,
    JSON.stringify({
      'x.URLFilters': [{ class: 'x.RegexURLFilter', params: { regexFilterFile: rules } }],
    }),
  );

it('only the filters that the topology names are in force', () => {
  const files = [
    file('conf.yaml', 'config:\n  urlfilters.config.file: "ours.json"\n'),
    filters('urlfilters.json', 'others.txt'),
    filters('ours.json', 'ours.txt'),
    file('others.txt', '-/docs/\n+.\n'),
    file('ours.txt', '-/private/\n+.\n'),
    seeds,
  ];
  const urls = { '/docs/': true, '/private/': false };
  verdicts(accepts('stormcrawler', ...files), urls);
  const original = createOriginal('stormcrawler', files);
  verdicts((path) => original.judge(new URL(path, SITE)).accepted, urls);
  expect(linesOf(importAndLoad('stormcrawler', ...files).report, 'not taken')).toEqual([
    'urlfilters.json:1 urlfilters.json',
    'others.txt:1 others.txt',
  ]);
});

it('a parser that emits no links follows none', () => {
  const { definition } = importAndLoad(
    'stormcrawler',
    file('c.yaml', 'config:\n  parser.emitOutlinks: false\n'),
    seeds,
  );
  expect(definition.crawlers[0]).toMatchObject({ defaultFollow: false, defaultFollowRoots: false });
});

it.each(['http.robots.file.skip', 'http.skip.robots'])('robots.txt is ignored if %s says so', (name) => {
  const load = (value: string) =>
    importAndLoad('stormcrawler', file('c.yaml', `config:\n  ${name}: ${value}\n`), seeds);
  for (const value of [true, false])
    expect(load(String(value)).definition.crawlers[0]).toMatchObject({ ignoreRobotsTxt: value });
});

it('what is text, and which elements are not, becomes a Content', () => {
  const conf = `config:
  textextractor.include.pattern:
    - DIV[id="main"]
    - "div:eq(0)"
  textextractor.exclude.tags: [NAV]
`;
  const { xml, report } = importAndLoad('stormcrawler', file('c.yaml', conf), seeds);
  expect(xml.match(/<cw:(?:In|Ex)clude .*/g)).toEqual([
    '<cw:Include select="DIV[id=&#34;main&#34;]"/>',
    '<cw:Exclude select="NAV"/>',
  ]);
  expect(linesOf(report, 'not taken')).toEqual(['c.yaml:4 textextractor.include.pattern div:eq(0)']);
});

it('of a topology in Java, the seeds that it spells out and its parsers are read', () => {
  const topology = (parsers: string) =>
    file(
      'CrawlTopology.java',
      `import org.apache.stormcrawler.*; // http://comment.example/
String[] urls = new String[] { "${SITE}/", "${SITE}/feed.xml" };
builder.setSpout("spout", new MemorySpout(urls));
${parsers}`,
    );
  const pages = importAndLoad('stormcrawler', topology('new FeedParserBolt(); new JSoupParserBolt();'));
  expect(pages.definition.crawlers[0]!.roots.map(({ url }) => url)).toEqual([`${SITE}/`, `${SITE}/feed.xml`]);
  expect(pages.definition.crawlers[0]).toMatchObject({ defaultFollow: true });
  verdicts(accepts('stormcrawler', topology('')), { '/a': true, 'https://elsewhere.test/': false });
  const feeds = importAndLoad('stormcrawler', topology('new FeedParserBolt(); // new JSoupParserBolt()'));
  expect(feeds.definition.crawlers[0]).toMatchObject({ defaultFollow: false });
  expect(feeds.report.lines.filter(({ note }) => note.includes('EVERY site'))).toEqual([]);
});

it.each([
  ['http.timeout: 2000', 'headerTimeoutMS="2000"'],
  ['fetcher.threads.number: 7', 'nthreads="7"'],
  ['fetcher.server.delay: 1.5', 'throttleTimeMS="1500"'],
  ['fetchInterval.default: 30', 'smartRefreshMaxAgeS="1800"'],
  ['fetchInterval.fetch.error: 120', 'retryDelayS="7200"'],
  ['max.fetch.errors: 4', 'maxTemporaryErrors="4"'],
  ['indexer.md.mapping: ["parse.title = headline"]', '<cw:Map field="title" rename="headline"/>'],
])('the setting %s becomes %s', (setting, expected) => {
  const { xml, report } = importAndLoad('stormcrawler', file('c.yaml', `config:\n  ${setting}\n`), seeds);
  expect(xml).toContain(expected);
  expect(linesOf(report, 'not taken')).toEqual([]);
});

it('a number of -1 stands for the default', () => {
  const { xml } = importAndLoad('stormcrawler', file('c.yaml', 'config:\n  fetcher.server.delay: -1\n'), seeds);
  expect(xml).not.toContain('throttleTimeMS');
});

it.each([
  ['MaxDepthFilter', { maxDepth: 3 }, 'name="max-hops" value="3"'],
  ['HostURLFilter', { ignoreOutsideDomain: true }, '<Rule><ar:Not><ar:Domain value="example.com"'],
  [
    'HostURLFilter',
    { ignoreOutsideHost: true, ignoreOutsideDomain: true },
    'kind="exact" norm="none" value="www.example.com"',
  ],
  ['BasicURLFilter', { maxPathRepetition: 4, maxLength: 500 }, '<cw:Traps maxRepeatedSegments="3"/>'],
  ['BasicURLFilter', { maxPathRepetition: 1, maxLength: 500 }, '<cw:LinkRules maxUrlLength="500"/>'],
])('the filter %s %j becomes %s', (name, params, expected) => {
  const filter = file('urlfilters.json', JSON.stringify({ 'x.URLFilters': [{ class: `x.${name}`, params }] }));
  const { xml, report } = importAndLoad('stormcrawler', file('c.yaml', 'config:\n  http.timeout: 1\n'), seeds, filter);
  expect(xml).toContain(expected);
  expect(xml.includes('<cw:Traps')).toBe(expected.includes('<cw:Traps'));
  expect(linesOf(report, 'not taken')).toEqual([]);
});
