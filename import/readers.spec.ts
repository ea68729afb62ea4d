/** What real deployments have: variables, includes, several files, commands of every kind. Nothing disappears. */
import { describe, expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../test/support/imported.js';
import { convert } from './index.js';
import { ImportError } from './model.js';

describe('Norconex', () => {
  const collector = `<httpcollector id="c">
#set($agent = "bot/1")
## a comment of the template
<crawlers><crawler id="\${id}">
<startURLs stayOnDomain="true"><url>\${site}/docs/</url></startURLs>
<maxDepth>$depth</maxDepth><userAgent>$agent</userAgent>
#parse("shared/filters.xml")
<canonicalLinkDetector ignore="true"/>
<robotsMeta ignore="true"/>
<recrawlableResolver class="x"><minFrequency applyTo="reference" value="weekly">.*/archive/.*</minFrequency></recrawlableResolver>
<importer><preParseHandlers>
<handler class="DOMDeleteTransformer"><dom selector="nav"/></handler>
<handler class="DOMTagger"><dom selector="h1" toField="headline"/><dom selector="a.by" toField="author" extract="attr(title)"/></handler>
<handler class="RenameTagger"><rename fromField="headline" toField="title2"/></handler>
<handler class="ConstantTagger"><constant name="source">docs</constant></handler>
<handler class="LanguageTagger"/>
</preParseHandlers></importer>
<spoiledReferenceStrategizer class="x"/>
</crawler></crawlers></httpcollector>`;
  const filters = `<referenceFilters>
<filter class="RegexReferenceFilter" onMatch="exclude">.*/Private/.*$</filter>
<filter class="ReferenceFilter" onMatch="exclude"><valueMatcher method="regex">.*/Draft/.*</valueMatcher></filter>
</referenceFilters>`;
  const variables = file('c.variables', `id = docs\nsite = ${SITE}\ndepth=3\n`);
  const files = [file('c.xml', collector), variables, file('filters.xml', filters)];

  it('variables and included files are read, and filters ignore case where the product does', () => {
    const { definition, xml } = importAndLoad('norconex', ...files);
    expect(definition.crawlers[0]).toMatchObject({ name: 'docs', roots: [{ url: `${SITE}/docs/` }] });
    expect(definition.crawlers[0]!.conditions!.options.maxHops).toBe(3);
    expect(definition.fetchers[0]!.userAgent).toBe('bot/1');
    expect(xml).toContain('<cw:Exclude select="nav"/>');
    expect(xml).toContain('<cw:Field name="author" select="a.by" attribute="title"/>');
    expect(xml).toContain('<cw:Map field="headline" rename="title2"/>');
    verdicts(accepts('norconex', ...files), {
      '/a': true,
      '/private/a': false,
      '/draft/a': true,
      '/Draft/a': false,
      'https://docs.example.com/': false,
    });
  });

  it('the variables beside the configuration are read by themselves', () => {
    const beside = (name: string) => [variables, ...files].find((one) => one.name === name.split('/').at(-1));
    const { xml } = convert('norconex', [file('c.xml', collector)], (name) => beside(name));
    expect(xml).toContain('<Crawler name="docs"');
  });

  it.each([
    [[files[0]!, files[2]!], `c.xml:4: $${'{id}'} has no value`],
    [[files[0]!, variables], 'c.xml:7: shared/filters.xml was not found'],
    [[file('c.xml', '<a>\n#if($x)\n</a>')], 'c.xml:2: #if is not followed'],
    [[file('c.xml', '<a>\n#parse("c.xml")\n</a>')], 'include each other'],
    [[file('c.xml', '<a>\n<b/></a>')], 'contains no crawler with start URLs'],
  ])('what cannot be resolved is refused with its line', (given, message) => {
    expect(() => convert('norconex', given)).toThrow(message);
  });

  it('every element without a counterpart is listed with the file and line where it is', () => {
    const { report } = importAndLoad('norconex', ...files);
    expect(linesOf(report, 'not taken')).toEqual([
      'c.xml:9 robotsMeta ignore="true"',
      'c.xml:16 LanguageTagger',
      'c.xml:8 canonicalLinkDetector',
      'c.xml:18 spoiledReferenceStrategizer x',
    ]);
  });
});

describe('OmniFind', () => {
  it('crawl spaces are copied, and other files of the folder are named', () => {
    const rules = `forbid prefix ${SITE}/private/\nallow domain www.example.com\nforbid domain *\n`;
    const files = [
      file('crawl.rules', rules),
      file('global.rules', 'allow domain *.example.com\nforbid domain *\n'),
      file('seeds.urls', `${SITE}/\n`),
      file('followindex.rules', `forbid index prefix ${SITE}/list/\n`),
      file('auth.rules', 'basic http://x user secret\n'),
    ];
    const { copies, xml } = convert('omnifind', files);
    expect(copies).toEqual([
      { name: 'crawl.rules', text: rules },
      { name: 'global.rules', text: 'allow domain *.example.com\nforbid domain *\n' },
    ]);
    expect(xml).toContain('<cw:CrawlSpace rules="crawl.rules"/>');
    const { report } = importAndLoad('omnifind', ...files);
    expect(linesOf(report, 'not taken')).toEqual(['auth.rules:1 auth.rules']);
    verdicts(accepts('omnifind', ...files), { '/a': true, '/private/a': false, 'https://a.test/': false });
    expect(xml).toContain('<NoIndex/></Rule>');
  });

  it('what is said about following and indexing is not undone by rules of a file that is given later', () => {
    const { xml } = importAndLoad(
      'omnifind',
      file('followindex.rules', `forbid follow prefix ${SITE}/list/\n`),
      file('seeds.urls', `${SITE}/\nallow regexp example\\.com\n`),
    );
    expect(xml).toMatch(/<Accept\/><\/Rule>\s*<Rule>.*<NoFollow\/><\/Rule>\s*<\/Rules>/);
  });
});

describe('FDSE', () => {
  it('each realm becomes a crawler, and its states are counted', () => {
    const list = file(
      'search.pending.txt',
      `${SITE}/a.html Docs 1100000000\n${SITE}/b.html Docs 2\nhttps://news.test/ News 0\nnot a line\n`,
    );
    const { definition, report } = importAndLoad('fdse', list);
    expect(definition.crawlers.map(({ name, roots }) => [name, roots.length])).toEqual([
      ['Docs', 2],
      ['News', 1],
    ]);
    expect(linesOf(report, 'taken differently')).toContain('search.pending.txt:1 1 URL in error');
    expect(linesOf(report, 'not taken')).toContain('search.pending.txt:4 not a line');
  });

  it('the name of a realm may have several words', () => {
    const list = file('search.pending.txt', `${SITE}/ My Realm 0\n${SITE}/b.html My Realm 2\n${SITE}/c.html|Other|0\n`);
    const { definition, report } = importAndLoad('fdse', list);
    expect(definition.crawlers.map(({ name, roots }) => [name, roots.length])).toEqual([
      ['My Realm', 2],
      ['Other', 1],
    ]);
    expect(linesOf(report, 'taken differently')).toContain('search.pending.txt:1 1 URL in error');
  });
});

it('extraction rules of Open Crawler become fields of the pages that their filters select', () => {
  const text = `domains:
  - url: ${SITE}
    exclude_tags: [nav, footer]
    extraction_rulesets:
      - url_filters: [{ type: begins, pattern: /cwe/ }]
        rules:
          - { action: extract, field_name: name, selector: h2, join_as: array, source: html }
          - { action: extract, field_name: id, selector: 'definitions/(\\d+)', join_as: string, source: url }
          - { action: extract, field_name: x, selector: //div, join_as: string, source: html }
`;
  const { xml, report } = importAndLoad('elastic', file('c.yml', text));
  expect(xml).toContain('<cw:Field name="name" select="h2" multiple="true"/>');
  expect(xml).toContain('<cw:Field name="id" url="url" match="definitions/(\\d+)"/>');
  expect(xml).toContain('<cw:Exclude select="footer"/>');
  expect(xml).toContain('value="^https://www\\.example\\.com/cwe/"');
  expect(linesOf(report, 'not taken')).toEqual(['elasticsearch', 'c.yml:9 extraction rule x']);
});

it.each([
  ['localhost', 'url="http://localhost:9200"', undefined],
  ['$ES_HOST', 'type="file"', expect.stringContaining('its host is not an address')],
  ['""', 'type="file"', expect.stringContaining('there is no host')],
])('the host %s of Open Crawler leads to %s', (host, sink, note) => {
  const text = `elasticsearch:\n  host: ${host}\n  port: 9200\ndomains:\n  - url: ${SITE}\n`;
  const { xml, report } = importAndLoad('elastic', file('c.yml', text));
  expect(xml).toContain(sink);
  expect(report.lines.find(({ kind }) => kind === 'not taken')?.note).toEqual(note);
});

it('files that filters of StormCrawler name are no strangers, and filters that were not given are missing', () => {
  const filters = `{ "x.URLFilters": [
    { "class": "x.RegexURLNormalizer", "params": { "regexNormalizerFile": "normalizers.xml" } },
    { "class": "x.MyFilter", "params": { "file": "conf/mine.txt" } } ] }`;
  const conf = file('conf.yaml', 'http.agent.name: a\nurlfilters.config.file: urlfilters.json\n');
  const named = [file('normalizers.xml', '<regex-normalize/>'), file('mine.txt', 'a b\n')];
  const seeds = file('seeds.txt', `${SITE}/`);
  const { report } = importAndLoad('stormcrawler', conf, file('urlfilters.json', filters), ...named, seeds);
  expect(linesOf(report, 'not taken')).toEqual([
    'urlfilters.json:2 RegexURLNormalizer',
    'normalizers.xml:1 normalizers.xml',
    'urlfilters.json:3 MyFilter',
    'mine.txt:1 mine.txt',
  ]);
  expect(linesOf(importAndLoad('stormcrawler', conf, seeds).report, 'not taken')).toEqual([
    'conf.yaml:2 urlfilters.config.file = urlfilters.json',
  ]);
});

it('settings of StormCrawler have their counterparts, also without config:', () => {
  const conf = `fetcher.queue.mode: byDomain
scheduler.adaptive.fetchInterval.min: 60
fetchInterval.fetch.error: 2
max.fetch.errors: 4
indexer.md.mapping:
- parse.title=headline
odd.setting: 1
`;
  const filters = `{ "x.URLFilters": [
    { "class": "x.BasicURLFilter", "params": { "maxPathRepetition": 4, "maxLength": 300 } },
    { "class": "x.FastURLFilter", "params": { "file": "fast.json" } } ] }`;
  const fast = `[ { "scope": "domain:example.com", "patterns": ["AllowPath ^/a/b", "DenyPath ^/a/", "DenyPathQuery [?&]q="] },
    { "scope": "GLOBAL", "patterns": ["DenyPath \\\\.bak$"] } ]`;
  const files = [
    file('conf.yaml', conf),
    file('urlfilters.json', filters),
    file('fast.json', fast),
    file('seeds.txt', `${SITE}/`),
  ];
  const { xml, report } = importAndLoad('stormcrawler', ...files);
  expect(xml).toContain('politenessBy="domain"');
  expect(xml).toContain('smartRefreshMinAgeS="3600"');
  expect(xml).toContain('<cw:ErrorPolicy retryDelayS="120" maxTemporaryErrors="4"/>');
  expect(xml).toContain('<cw:Map field="title" rename="headline"/>');
  expect(xml).toContain('maxRepeatedSegments="3"');
  expect(linesOf(report, 'not taken')).toEqual(['conf.yaml:7 odd.setting']);
  verdicts(accepts('stormcrawler', ...files), {
    '/b': true,
    '/a/x': false,
    '/a/b/x': true,
    '/b?q=1': false,
    '/x.bak': false,
  });
});

describe('Scrapy', () => {
  const spider = `import scrapy
"""Documentation = "of the module"."""

class Docs(CrawlSpider):
    name = "docs"  # not "news"
    start_urls = ["${SITE}/", f"${SITE}/{x}"]
    allowed_domains = ('www.example.com', EXTRA)
    custom_settings = {
        'DOWNLOAD_DELAY': 2,
        "ITEM_PIPELINES": {"a.b.C": 300},
    }
    rules = (
        Rule(LinkExtractor(allow=(r'/docs/',
                                  '\\\\.html$'), deny='/old/')),
        Rule(
            LinkExtractor(r'/shop/', deny_domains=['ads.example.com'],
                          restrict_css='nav'),
            callback='parse_item', follow=False),
    )

    def parse_item(self, response):
        start_urls = ["http://other.example/"]
        yield {}

class News(scrapy.Spider):
    name = "news"
    start_urls = ["http://news.example/"]
    allowed_domains = ["news.example"]
    async def parse(self, response): pass

class Item(scrapy.Item):
    title = scrapy.Field()

if DEBUG:
    LOG_LEVEL = 'DEBUG'
`;
  const files = [file('docs.py', spider), file('settings.py', 'BOT_NAME = "x"\nDEPTH_LIMIT = 3\nextra = 1\n')];

  it('each statement is taken, or listed with its line', () => {
    const { report } = convert('scrapy', files);
    expect(linesOf(report, 'not taken').sort()).toEqual(
      [
        'docs.py:10 ITEM_PIPELINES',
        "docs.py:17 restrict_css = 'nav'",
        'docs.py:18 callback of docs',
        'docs.py:18 follow of docs',
        'docs.py:21 docs.parse_item',
        `docs.py:6 item = f"${SITE}/{x}"`,
        'docs.py:7 item = EXTRA',
        'docs.py:29 news.parse',
        'docs.py:31 class Item = scrapy.Item',
        'docs.py:34 if DEBUG:',
        'settings.py:1 BOT_NAME',
        'settings.py:3 extra = 1',
      ].sort(),
    );
  });

  it('a link is followed if one of the rules extracts it', () => {
    verdicts(accepts('scrapy', ...files), {
      [`${SITE}/`]: true,
      [`${SITE}/docs/a`]: true,
      [`${SITE}/a.html`]: true,
      [`${SITE}/axhtml`]: false,
      [`${SITE}/docs/old/a`]: false,
      [`${SITE}/docs/a.PDF`]: false,
      [`${SITE}/shop/old/a`]: true,
      'http://ads.example.com/shop/': false,
      [`${SITE}/other`]: false,
    });
  });

  it('names stand for what the class and its module assign', () => {
    const text = `HOSTS = ["www.example.com"]
class Docs(CrawlSpider):
    SEED = "${SITE}/"
    start_urls = [SEED]
    allowed_domains = HOSTS
    pattern = re.compile(r"/docs/")
    again = again
    rules = [Rule(link_extractor=SgmlLinkExtractor(allow=pattern, deny=again, deny_extensions=["doc"]))]
`;
    verdicts(accepts('scrapy', file('docs.py', text)), {
      [`${SITE}/`]: true,
      [`${SITE}/docs/a`]: true,
      [`${SITE}/docs/a.pdf`]: true,
      [`${SITE}/docs/a.doc`]: false,
      [`${SITE}/other`]: false,
      'http://elsewhere.test/docs/a': false,
    });
  });

  it('settings of a spider are those of its crawler alone', () => {
    const { xml } = convert('scrapy', files);
    expect(xml.match(/throttleTimeMS="2000"/g)).toHaveLength(1);
    expect(xml).toMatch(/<Crawler name="docs"[^>]*throttleTimeMS="2000"/);
  });
});

it('Fess: each value is taken, or listed with its line', () => {
  const config = {
    name: 'docs',
    urls: `${SITE}/\nsmb://files/`,
    depth: -1,
    numOfThread: 0,
    intervalTime: 500,
    configParameter:
      'client.robotsTxtEnabled=false\nclient.soTimeout=x\nconfig.html.pruned.tags=nav,div#menu\nclient.proxyPassword=s3cret',
    permissions: ['{role}guest'],
    virtualHosts: null,
    available: true,
  };
  const text = [
    { index: { _index: '.fess_config.web_config', _id: '1' } },
    config,
    { index: { _index: '.fess_config.label_type' } },
    { name: 'l', value: 'm' },
    { stray: 1 },
  ];
  const { report, xml } = convert('fess', [file('f.bulk', text.map((line) => JSON.stringify(line)).join('\n'))]);
  expect(xml).toMatch(/ignoreRobotsTxt="true"[\s\S]*<cw:Exclude select="nav"\/>\s*<cw:Exclude select="div#menu"\/>/);
  expect(xml).not.toMatch(/bodyTimeoutMS|s3cret/);
  expect(linesOf(report, 'not taken')).toEqual([
    'f.bulk:3 .fess_config.label_type',
    'f.bulk:2 smb://files/',
    'f.bulk:2 client.soTimeout=x',
    'f.bulk:2 client.proxyPassword',
    'f.bulk:2 depth of docs',
    'f.bulk:2 numOfThread of docs',
    'f.bulk:2 permissions of docs',
    'f.bulk:5 entry',
  ]);
});

it('Google Search Appliance: each line of a list is taken, or listed with its place', () => {
  const xml = `<eef><good_urls>\n<url>${SITE}/docs/</url>\n<url weight="2">${SITE}/a/</url></good_urls>\n<proxy>p</proxy></eef>`;
  const { report } = convert('gsa', [
    file('start.txt', `# seeds\n${SITE}/\nftp://files.example/\n`),
    file('export.xml', xml),
  ]);
  expect(linesOf(report, 'taken')).toEqual([
    'start.txt:2 1 start URL',
    `export.xml:2 ${SITE}/docs/`,
    `export.xml:3 ${SITE}/a/`,
  ]);
  expect(linesOf(report, 'not taken')).toEqual([
    'start.txt:3 ftp://files.example/',
    'export.xml:3 weight of url',
    'export.xml:4 proxy = p',
  ]);
});

it('elements that are nested without end are refused in a sentence', () => {
  const nested = `<httpcollector id="x">${'<a>'.repeat(2_000)}${'</a>'.repeat(2_000)}</httpcollector>`;
  expect(() => convert('norconex', [file('x.xml', nested)])).toThrow(ImportError);
});

it('Google Search Appliance: the name that it gave itself stays', () => {
  const xml = `<eef><globalparams><start_urls>${SITE}/</start_urls><good_urls>example.com/</good_urls><user_agent>acme-gsa</user_agent></globalparams></eef>`;
  const { xml: written, report } = importAndLoad('gsa', file('export.xml', xml));
  expect(written).toContain('userAgent="acme-gsa"');
  expect(linesOf(report, 'not taken')).toEqual([]);
});
