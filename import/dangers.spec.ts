/** Imported crawls keep to what the originals crawled, and never lose a filter without a word. */
import { describe, expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../test/support/imported.js';
import { convert } from './index.js';
import { createOriginal } from './original/index.js';

const NOTHING_ELSE = 'https://elsewhere.test/docs/reference/a';

describe('Elastic Open Crawler', () => {
  const crawl = (rules: string) =>
    accepts('elastic', file('c.yml', `domains:\n  - url: ${SITE}\n    crawl_rules:\n${rules}`));
  const rule = (policy: string, type: string, pattern: string) =>
    `      - { policy: ${policy}, type: ${type}, pattern: '${pattern}' }\n`;

  it.each([
    ['begins', '/docs/reference', '/docs/reference/a'],
    ['begins', '/docs/*/a', '/docs/reference/a'],
    ['contains', 'reference', '/docs/reference/a'],
    ['ends', 'e/a', '/docs/reference/a'],
    ['regex', '/docs/.+|/other', '/docs/reference/a'],
  ])('an allow rule of type %s (%s) stays under its domain', (type, pattern, path) => {
    const accepted = crawl(rule('allow', type, pattern) + rule('deny', 'regex', '.*'));
    expect([path, NOTHING_ELSE, '/news/'].map(accepted)).toEqual([true, false, false]);
  });

  it('a rule begins after the domain, and does not find its text in the host', () => {
    const accepted = crawl(rule('deny', 'contains', 'example') + rule('deny', 'regex', 'private'));
    // A regex without a leading slash cannot follow the domain.
    expect(['/', '/an-example', '/private', '/x?example'].map(accepted)).toEqual([true, false, true, false]);
  });

  it('what no rule matches is accepted on the domain alone', () => {
    const accepted = crawl(rule('deny', 'begins', '/private'));
    expect(['/news/', '/private/a', NOTHING_ELSE].map(accepted)).toEqual([true, false, false]);
  });
});

describe('Google Search Appliance', () => {
  it('a reserved character is escaped by two backslashes', () => {
    const start = file('start.txt', `${SITE}/\n`);
    const follow = file('follow.txt', `${SITE}/\n`);
    const denied = file('do-not-crawl.txt', String.raw`regexpIgnoreCase:/v\\.[0-9]+/`);
    const accepted = accepts('gsa', start, follow, denied);
    expect(['/V.12/a', '/vx12/a', '/a'].map(accepted)).toEqual([false, true, true]);
  });

  it('patterns of collections, which select a part of the index, do not say what is crawled', () => {
    const list = (name: string, text: string) => `<${name}><![CDATA[\n${text}\n]]></${name}>`;
    const collection = (name: string, good: string) =>
      `<collection Name="${name}">${list('good_urls', good)}${list('bad_urls', `${SITE}/old/`)}</collection>`;
    const params = list('start_urls', `${SITE}/`) + list('good_urls', `${SITE}/`) + list('bad_urls', '.zip$');
    const files = [
      file(
        'export.xml',
        `<eef><config><collections>${collection('hr', `${SITE}/hr/`)}${collection('news', `${SITE}/news/`)}</collections><globalparams>${params}</globalparams></config></eef>`,
      ),
    ];
    const urls = { '/hr/': true, '/news/': true, '/old/': true, '/a.zip': false, 'https://elsewhere.test/': false };
    verdicts(accepts('gsa', ...files), urls);
    const original = createOriginal('gsa', files);
    verdicts((url) => original.judge(new URL(url, SITE)).accepted, urls);
    const { report } = importAndLoad('gsa', ...files);
    expect(linesOf(report, 'not taken')).toEqual(['export.xml:1 collection hr', 'export.xml:5 collection news']);
  });
});

describe('Nutch', () => {
  const seeds = file('seed.txt', `${SITE}/\n`);
  const regexes = file('regex-urlfilter.txt', '-/private/\n+.\n');

  it('every filter file must accept a URL, by the rules of its own kind', () => {
    const suffixes = file('suffix-urlfilter.txt', '+I\n+P\n.gif\n.PDF\n');
    const domains = file('domain-urlfilter.txt', 'example.com\n# a host\nwww.other.test\n');
    const denied = file('domaindenylist-urlfilter.txt', 'bad.example.com\n');
    const accepted = accepts('nutch', seeds, regexes, suffixes, domains, denied);
    const urls = {
      '/a': true,
      '/private/a': false,
      '/a.pdf?x=1': false,
      '/a.GIF': false,
      '/Impressum': true,
      'https://docs.example.com/a': true,
      'https://bad.example.com/a': false,
      'https://www.other.test/a': true,
      'https://sub.www.other.test/a': false,
      'https://elsewhere.test/': false,
    };
    expect(Object.fromEntries(Object.keys(urls).map((url) => [url, accepted(url)]))).toEqual(urls);
  });

  it.each([
    ['prefix-urlfilter.txt', `${SITE}/docs/\n`, { '/docs/a': true, '/a': false }],
    ['suffix-urlfilter.txt', '-\n.html\n', { '/a.html': true, '/a.HTML': false, '/a': false }],
    ['automaton-urlfilter.txt', '-.*private.*\n+.*', { '/a': true, '/private': false }],
    ['automaton-urlfilter.txt', '+http', { '/a': false }],
    [
      'fast-urlfilter.txt',
      'Domain example.com\n  DenyPath ^/a\n  DenyPathQuery q=\n',
      { '/a': false, '/b': true, '/b?q=1': false },
    ],
    ['regex-urlfilter.txt', '>example.com\n-/a\n<\n+.', { '/a': false, '/b': true, 'https://other.test/a': true }],
  ])('%s %j', (name, text, urls) => {
    const accepted = accepts('nutch', seeds, file(name, text));
    expect(Object.fromEntries(Object.keys(urls).map((url) => [url, accepted(url)]))).toEqual(urls);
  });

  it('a list of 2,000 hosts loads, and nothing else is accepted', () => {
    const hosts = Array.from({ length: 2000 }, (_, i) => `gemeente${i}.example`).join('\n');
    const accepted = accepts('nutch', seeds, regexes, file('domain-urlfilter.txt', hosts));
    expect(['https://gemeente1999.example/a', 'https://www.gemeente7.example/', '/a'].map(accepted)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    [file('magic-urlfilter.txt', 'x'), 'unknown kind of URL filter'],
    [file('notes.txt', 'one\ntwo\n'), 'neither a known kind of URL filter nor a list of seeds'],
  ])('%j is refused by name', (unknown, message) => {
    expect(() => convert('nutch', [seeds, unknown])).toThrow(message);
  });

  it('a folder with files of Solr beside those of Nutch is read, and each is listed', () => {
    const others = [
      file('currency.xml', '<currencyConfig version="1.0"/>'),
      file('synonyms.txt', 'a, b\n'),
      file('mapping-FoldToASCII.txt', '"a" => "b"\n'),
    ];
    verdicts(accepts('nutch', seeds, regexes, ...others), { '/a': true, '/private/a': false });
    const { report } = importAndLoad('nutch', seeds, regexes, ...others);
    expect(linesOf(report, 'not taken')).toEqual([
      'synonyms.txt:1 synonyms.txt',
      'mapping-FoldToASCII.txt:1 mapping-FoldToASCII.txt',
      'currency.xml:1 currency.xml',
    ]);
    expect(() => importAndLoad('nutch', others[0]!)).toThrow('no element configuration');
  });

  it('the rule against loops that every Nutch has is one of cw:Traps', () => {
    const loops = file('regex-urlfilter.txt', '-.*(/[^/]+)/[^/]+\\1/[^/]+\\1/\n+.\n');
    const { report } = importAndLoad('nutch', seeds, loops);
    expect(linesOf(report, 'not taken')).toEqual([]);
    expect(linesOf(report, 'taken differently')).toContain('regex-urlfilter.txt:1 -.*(/[^/]+)/[^/]+\\1/[^/]+\\1/');
  });

  it('of nutch-default.xml, only what has a counterpart is listed by itself', () => {
    const property = (name: string, value: string): string =>
      `<property><name>${name}</name><value>${value}</value></property>\n`;
    const standard = file(
      'nutch-default.xml',
      `<configuration>${property('http.robots.agents', '')}${property('ftp.timeout', '1')}${property('ftp.username', 'a')}${property('http.proxy.host', '')}</configuration>`,
    );
    const site = file(
      'nutch-site.xml',
      `<configuration>${property('http.agent.email', 'jane at example dot com')}${property('ftp.password', 'b')}</configuration>`,
    );
    const { report } = importAndLoad('nutch', seeds, regexes, standard, site);
    expect(report.lines.filter(({ kind }) => kind === 'not taken')).toMatchObject([
      { setting: '2 defaults of Nutch: ftp.timeout, ftp.username', place: 'nutch-default.xml:2' },
      { setting: 'http.agent.email', note: expect.stringContaining('not an email address') },
      { setting: 'ftp.password', place: 'nutch-site.xml:2' },
    ]);
  });

  it('rules in a property take the place of those of the file', () => {
    const property = (name: string, value: string): string =>
      `<property><name>${name}</name><value>${value}</value></property>\n`;
    const plugins = property('plugin.includes', 'urlfilter-(regex|suffix)|protocol-http');
    const rules = property('urlfilter.regex.rules', '\n# first\n-[?&amp;]\n-/old/\n+^https?://www\\.example\\.com/\n');
    const others = property('urlfilter.suffix.rules', '+\n.zip') + property('urlfilter.prefix.rules', 'http://none/');
    const site = file('nutch-site.xml', `<configuration>${plugins}${rules}${others}</configuration>`);
    const files = [site, regexes, seeds];
    const urls = { '/a': true, '/private/a': true, '/old/a': false, '/a?b': false, '/a.zip': false };
    verdicts(accepts('nutch', ...files), urls);
    const original = createOriginal('nutch', files);
    verdicts((url) => original.judge(new URL(url, SITE)).accepted, urls);
    const { report } = importAndLoad('nutch', ...files);
    expect(linesOf(report, 'not taken')).toEqual([
      'nutch-site.xml:10 urlfilter.prefix.rules',
      'regex-urlfilter.txt:1 regex-urlfilter.txt',
    ]);
  });

  it('without plugin.includes, a configuration uses the regex filter alone, as the files of its other filters are samples', () => {
    const site = file(
      'nutch-site.xml',
      '<configuration><property><name>http.agent.name</name><value>a</value></property></configuration>',
    );
    const files = [site, file('automaton-urlfilter.txt', '-.*[?].*\n+.*'), regexes, seeds];
    verdicts(accepts('nutch', ...files), { '/a?b': true, '/private/a': false });
    expect(createOriginal('nutch', files).judge(new URL(`${SITE}/a?b`)).accepted).toBe(true);
    const plugins =
      '<configuration><property><name>plugin.includes</name><value>urlfilter-automaton</value></property></configuration>';
    verdicts(accepts('nutch', ...files, file('nutch-default.xml', plugins)), { '/a?b': false, '/private/a': true });
  });

  it('nutch-site.xml overrides nutch-default.xml, which has settings without effect', () => {
    const property = (name: string, value: string): string =>
      `<property><name>${name}</name><value>${value}</value></property>`;
    const site = `<configuration>${property('http.agent.version', '2')}${property('http.agent.name', 'acme')}</configuration>`;
    const standard = `<configuration>${property('http.agent.version', '1')}${property('http.redirect.max', '0')}${property('db.fetch.interval.default', '9000')}${property('db.fetch.schedule.adaptive.max_interval', '31536000')}</configuration>`;
    const { xml } = importAndLoad('nutch', file('nutch-site.xml', site), file('nutch-default.xml', standard), regexes);
    expect(xml).toContain('userAgent="acme/2"');
    expect(xml).toContain('smartRefreshMaxAgeS="9000"');
    expect(xml).not.toContain('maxRedirects');
  });

  it('files of the folder conf that have nothing to do with URLs refuse no import', () => {
    const others = [
      file('httpclient-auth.xml', '<!--\nServer names\n--><auth-configuration/>'),
      file('domain-suffixes.xml', '<domains/>'),
      file('stopwords.txt', 'the\nand\n'),
      file('crawl-urlfilter.txt', '+x'),
    ];
    const { report } = importAndLoad('nutch', ...others, regexes, seeds);
    expect(report.lines.filter(({ kind }) => kind === 'not taken').map(({ setting }) => setting)).toEqual(
      others.map(({ name }) => name),
    );
    // Alone, it is the URL filter of Nutch 1.2 and older.
    verdicts(accepts('nutch', seeds, file('crawl-urlfilter.txt', '-/private/\n+.')), {
      '/private/a': false,
      '/a': true,
    });
  });

  it.each([
    [true, 'MISSING'],
    [false, 'or write Root elements'],
  ])('without seeds, a scope of their hosts (%s) is missing', (isLimited, note) => {
    const site = `<configuration><property><name>db.ignore.external.links</name><value>${isLimited}</value></property></configuration>`;
    const { report } = convert('nutch', [file('nutch-site.xml', site), regexes]);
    expect(report.lines.find(({ setting }) => setting === 'start URLs')?.note).toContain(note);
  });

  it('a filter that plugin.includes does not name is reported, as in Nutch', () => {
    const site = `<configuration><property><name>plugin.includes</name><value>urlfilter-(prefix)</value></property></configuration>`;
    const files = [file('nutch-site.xml', site), seeds, regexes, file('prefix-urlfilter.txt', SITE)];
    expect(accepts('nutch', ...files)('/private/a')).toBe(true);
    expect(convert('nutch', files).report.lines).toContainEqual(
      expect.objectContaining({ kind: 'not taken', setting: 'regex-urlfilter.txt' }),
    );
  });

  it('without filters, the crawl stays on the hosts of its seeds', () => {
    const accepted = accepts('nutch', seeds);
    expect(['/a', NOTHING_ELSE].map(accepted)).toEqual([true, false]);
  });

  it('a filter that accepts everything is taken at its word, loudly', () => {
    const { report } = importAndLoad('nutch', seeds, file('regex-urlfilter.txt', '+.'));
    expect(report.lines).toContainEqual(expect.objectContaining({ note: expect.stringContaining('EVERY site') }));
  });
});

describe('Heritrix', () => {
  const bean = (kind: string, properties = '') =>
    `<bean class="org.archive.modules.deciderules.${kind}">${properties}</bean>`;
  const property = (name: string, value: string | number) => `<property name="${name}" value="${value}"/>`;
  const job = (rules: string, more = '') =>
    file(
      'crawler-beans.cxml',
      `<beans><bean id="longerOverrides" class="x.PropertyOverrideConfigurer"><property name="properties"><props><prop key="seeds.textSource.value">
${SITE}/docs/
</prop></props></property></bean>
<bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list>${rules}</list></property></bean>${more}</beans>`,
    );

  it('the last decision wins, and seeds are SURT prefixes', () => {
    const rules =
      bean('RejectDecideRule') +
      bean('surt.SurtPrefixedDecideRule') +
      bean(
        'MatchesListRegexDecideRule',
        `${property('decision', 'REJECT')}<property name="regexList"><list><value>.*/private/.*</value></list></property>`,
      ) +
      bean('MatchesRegexDecideRule', property('regex', '.*/private/but/.*'));
    const accepted = accepts('heritrix', job(rules));
    expect(['/docs/a', '/a', '/docs/private/a', '/docs/private/but/a', NOTHING_ELSE].map(accepted)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('a job with an archive and the rules of every job loads, with the limits of Heritrix', () => {
    const rules =
      bean('surt.SurtPrefixedDecideRule') +
      bean('TooManyHopsDecideRule') +
      bean('PathologicalPathDecideRule') +
      bean('TooManyPathSegmentsDecideRule');
    const { xml } = importAndLoad(
      'heritrix',
      job(rules, bean('x').replace(/class="[^"]*"/, 'class="org.archive.modules.writer.WARCWriterProcessor"')),
    );
    expect(xml).toContain('<cw:option name="max-hops" value="20"/>');
    expect(xml).toContain('field="path" kind="inside" norm="none" value="^(?:/[^/]*){21}"');
    expect(xml).toContain('maxRepeatedSegments="3"');
    expect(xml).toContain('type="warc" url="warcs/crawl.warc.gz"');
  });

  it('a rule may be named in the scope and written elsewhere', () => {
    const surts = `<bean id="acceptSurts" class="org.archive.modules.deciderules.surt.SurtPrefixedDecideRule">${property('seedsAsSurtPrefixes', 'false')}
      <property name="surtsSource"><bean class="org.archive.spring.ConfigString"><property name="value"><value>
http://(com,example,
      </value></property></bean></property></bean>`;
    const rules = `${bean('RejectDecideRule')}<ref bean="acceptSurts"/>${bean('MatchesListRegexDecideRule', property('decision', 'REJECT'))}`;
    const accepted = accepts('heritrix', job(rules, surts));
    expect(['https://docs.example.com/a', NOTHING_ELSE].map(accepted)).toEqual([true, false]);
    expect(() => convert('heritrix', [job('<ref bean="gone"/>')])).toThrow('there is no bean gone');
  });

  it('prefixes of sheets are no roots', () => {
    const sheet = `<bean class="org.archive.crawler.spring.SurtPrefixesSheetAssociation"><property name="surtPrefixes"><list>
      <value>http://(com,twitter,</value><value>http://twitter.com/</value></list></property></bean>`;
    const { definition, report } = importAndLoad('heritrix', job(bean('surt.SurtPrefixedDecideRule'), sheet));
    expect(definition.crawlers[0]!.roots.map(({ url }) => url)).toEqual([`${SITE}/docs/`]);
    expect(report.lines).toContainEqual(
      expect.objectContaining({
        kind: 'not taken',
        setting: 'bean SurtPrefixesSheetAssociation',
        place: 'crawler-beans.cxml:4',
      }),
    );
  });
});

describe('StormCrawler', () => {
  it('a topology that parses feeds only does not follow the links of pages', () => {
    const flux = file(
      'topology.flux',
      `bolts:\n  - { id: feed, className: "org.apache.stormcrawler.bolt.FeedParserBolt" }\n`,
    );
    const { definition, report } = importAndLoad('stormcrawler', flux, file('seeds.txt', `${SITE}/feed.xml`));
    expect(definition.crawlers[0]).toMatchObject({ defaultFollow: false, defaultFollowRoots: true });
    expect(definition.crawlers[0]!.conditions!.options.maxHops).toBe(1);
    expect(report.lines).toContainEqual(
      expect.objectContaining({ kind: 'taken differently', setting: 'bolt FeedParserBolt' }),
    );
  });

  it('without URL filters, the crawl stays on the hosts of its seeds', () => {
    const accepted = accepts('stormcrawler', file('conf.yaml', 'config:\n  x: 1\n'), file('seeds.txt', `${SITE}/`));
    expect(['/a', NOTHING_ELSE].map(accepted)).toEqual([true, false]);
  });
});

it.each(['nutch', 'stormcrawler'])('%s: an empty agent is left to the default', (format) => {
  const name = format === 'nutch' ? 'nutch-site.xml' : 'conf.yaml';
  const text =
    format === 'nutch'
      ? '<configuration><property><name>http.agent.name</name><value></value></property></configuration>'
      : 'config:\n  http.agent.name: ""\n';
  const { definition } = importAndLoad(format, file(name, text));
  expect(definition.fetchers[0]!.userAgent).toBe('Crawlway/0.1');
});

it.each([
  'norconex',
  'nutch',
  'elastic',
  'stormcrawler',
  'heritrix',
  'gsa',
  'scrapy',
  'fess',
  'omnifind',
  'velocity',
  'fdse',
])('an empty file for %s is refused', (format) => {
  expect(() => convert(format, [file('crawler', ' \n')])).toThrow(/crawler contains no/);
});

describe('Scrapy', () => {
  it('a SitemapSpider requests what its sitemaps list and its rules name, and follows no links', () => {
    const spider = file(
      'a.py',
      `class A(scrapy.spiders.SitemapSpider):
    name = "a"
    allowed_domains = ["example.com"]
    sitemap_urls = ["${SITE}/maps.xml", "https://shop.example.com/robots.txt"]
    sitemap_rules = [(r"/docs/\\d+$", "parse"), ("/news/", "parse_news")]
`,
    );
    const { xml } = importAndLoad('scrapy', spider);
    verdicts(accepts('scrapy', spider), {
      '/maps.xml': true,
      'https://shop.example.com/': true,
      '/docs/1': true,
      '/docs/x': false,
      'https://elsewhere.test/news/': false,
    });
    expect(xml).toContain('defaultFollow="false"');
    expect(xml).toContain('<Index/><NoFollow/><Accept/>');
    for (const path of ['/docs/1', '/docs/x'])
      expect(createOriginal('scrapy', [spider]).judge(new URL(SITE + path)).accepted).toBe(path === '/docs/1');
  });

  it('a spider has what the spider has from which it inherits, and the URLs that its code spells out', () => {
    const base = file(
      'base.py',
      `HOST = "www.example.com"
class Base(CrawlSpider):
    allowed_domains = [HOST]
    rules = (Rule(LinkExtractor(allow="/docs/", deny_extensions=[])),)
`,
    );
    const spider = file(
      'a.py',
      `class A(Base):
    name = "a"
    def start_requests(self):
        headers = {"Referer": "https://elsewhere.test/"}
        urls = [f"https://{HOST}/docs/one", "${SITE}/docs/two"]
        yield scrapy.Request("${SITE}/docs/three", headers=headers)
        yield scrapy.Request("${SITE}/docs/?q=" + self.q)
`,
    );
    const { xml, report } = importAndLoad('scrapy', base, spider);
    expect([...xml.matchAll(/<Root url="[^"]*\/(\w+)"/g)].map(([, name]) => name)).toEqual(['one', 'two', 'three']);
    expect(xml.match(/<Crawler /g)).toHaveLength(1);
    verdicts(accepts('scrapy', base, spider), { '/docs/a': true, '/a': false, 'https://elsewhere.test/docs/': false });
    expect(report.lines.find(({ setting }) => setting === 'a.start_requests')?.note).toContain('write Root elements');
  });

  it('start URLs are requested wherever they are, and an entry that is not a domain allows nothing', () => {
    const domains = '["https://www.example.com/", "shop.example.com:8080", "docs.example.com"]';
    const starts = '["https://start.test/list", "https://docs.example.com", "https://olddocs.example.com/"]';
    const spider = file(
      'a.py',
      `class A(CrawlSpider):\n    name = "a"\n    allowed_domains = ${domains}\n    start_urls = ${starts}\n`,
    );
    const { report, problems } = importAndLoad('scrapy', spider);
    const urls = {
      '/': false,
      'https://start.test/list': true,
      'https://docs.example.com/a': true,
      'https://olddocs.example.com/': true,
    };
    verdicts(accepts('scrapy', spider), { ...urls, 'https://start.test/other': false });
    const original = createOriginal('scrapy', [spider]);
    verdicts((url) => original.judge(new URL(url, SITE)).accepted, { ...urls, 'https://start.test/other': false });
    expect(linesOf(report, 'not taken')).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  it('the pause and the name of a spider go before those of the settings', () => {
    const spider = file(
      'a.py',
      `class A(CrawlSpider):\n    name = "a"\n    start_urls = ["${SITE}/"]\n    download_delay = 7\n    user_agent = "acme"\n    custom_settings = {"DOWNLOAD_DELAY": 1}\n`,
    );
    const { xml } = importAndLoad(
      'scrapy',
      file('settings.py', 'USER_AGENT = "other"\nROBOTSTXT_OBEY = True\n'),
      spider,
    );
    expect(xml).toContain('throttleTimeMS="7000"');
    expect(xml).toContain('userAgent="acme"');
    expect(xml).toContain('ignoreRobotsTxt="false"');
  });
});
