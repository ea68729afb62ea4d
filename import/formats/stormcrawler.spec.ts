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
    - "div:has(p)"
  textextractor.exclude.tags: [NAV]
`;
  const { xml, report } = importAndLoad('stormcrawler', file('c.yaml', conf), seeds);
  expect(xml.match(/<cw:(?:In|Ex)clude .*/g)).toEqual([
    '<cw:Include select="DIV[id=&#34;main&#34;]"/>',
    '<cw:Exclude select="NAV"/>',
  ]);
  expect(linesOf(report, 'not taken')).toEqual(['c.yaml:4 textextractor.include.pattern div:has(p)']);
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
