/** What the import leaves to people is said truly: what to write, and nothing that they did not ask for is crawled. */
import { expect, it } from 'vitest';
import { accepts, file, SITE, verdicts } from '../test/support/imported.js';
import { convert } from './index.js';

const noteOf = (format: string, setting: string, ...files: Parameters<typeof convert>[1]): string | undefined =>
  convert(format, files).report.lines.find((line) => line.setting.includes(setting))?.note;

const SEEDS = file('seeds.txt', `${SITE}/\n`);
const domains = (...settings: string[]) => file('c.yml', ['domains:', `  - url: ${SITE}`, ...settings].join('\n'));
const storm = (setting: string) => file('c.yaml', `config:\n  ${setting}: x\n`);
const scrapy = (...lines: string[]) => file('s.py', lines.join('\n'));
const SPIDER = ['class A(CrawlSpider):', `    start_urls = ["${SITE}/"]`];

it.each([
  ['elastic', 'http_proxy_host', /a Proxy/, [domains('http_proxy_host: p.example')]],
  ['elastic', 'private_networks_allowed', /AllowAddress/, [domains('private_networks_allowed: true')]],
  ['elastic', 'ssl_verification_mode', /verifyCertificates/, [domains('ssl_verification_mode: none')]],
  ['stormcrawler', 'http.basicauth.user', /a Credential/, [storm('http.basicauth.user'), SEEDS]],
  ['stormcrawler', 'http.use.cookies', /cookies/, [storm('http.use.cookies'), SEEDS]],
  [
    'stormcrawler',
    'https.protocol.implementation',
    /rendering/,
    [file('c.yaml', 'config:\n  https.protocol.implementation: org.playwright.HttpProtocol\n'), SEEDS],
  ],
  [
    'stormcrawler',
    'queryElementsToRemove sid',
    /other pages/,
    [
      file(
        'urlfilters.json',
        '{"a.URLFilters":[{"class":"a.BasicURLNormalizer","params":{"queryElementsToRemove":["sid"]}}]}',
      ),
      SEEDS,
    ],
  ],
  ['stormcrawler', 'http.robots.headers.skip', /noindex/, [storm('http.robots.headers.skip'), SEEDS]],
  ['stormcrawler', 'selenium.addresses', /rendering/, [storm('selenium.addresses'), SEEDS]],
  ['scrapy', 'DEFAULT_REQUEST_HEADERS', /a Header/, [scrapy(...SPIDER, 'DEFAULT_REQUEST_HEADERS = {"X-A": "b"}')]],
  ['scrapy', 'USER_AGENT', /userAgent/, [scrapy(...SPIDER, 'USER_AGENT = name + "/1"')]],
  ['scrapy', 'http_user', /a Credential/, [scrapy(...SPIDER, '    http_user = "bob"')]],
  [
    'norconex',
    'fetchers WebDriverFetcher',
    /rendering/,
    [
      file(
        'c.yaml',
        `crawlers:\n  - startReferences: ['${SITE}/']\n    fetchers:\n      - class: WebDriverFetcher\n        browser: chrome\n`,
      ),
    ],
  ],
  ['scrapy', 'RETRY_TIMES', /ErrorPolicy/, [scrapy(...SPIDER, 'RETRY_TIMES = 3')]],
  ['omnifind', 'forbid suffix', /not a rule about/, [file('crawl.rules', `${SITE}/\nforbid suffix .zip\n`)]],
] as const)('%s: the report says what to write for %s', (format, setting, note, files) => {
  expect(noteOf(format, setting, ...files)).toMatch(note);
});

it('user names and passwords in addresses are shown neither in the report nor in the file', () => {
  const { report, xml } = convert('mnogosearch', [
    file('indexer.conf', `ServerTable mysql://user:p@ss@db.example/servers\nServer ${SITE}/\n`),
  ]);
  expect(JSON.stringify(report.lines) + xml).not.toMatch(/user|p@ss/);
  expect(report.lines[0]?.setting).toBe('ServerTable mysql://…@db.example/servers');
});

it.each([
  [
    'velocity',
    'c.xml',
    `<vse-config><crawler><crawl-url url="${SITE}/"/><crawl-options><curl-option name="password">s3cret</curl-option></crawl-options></crawler></vse-config>`,
  ],
  [
    'heritrix',
    'crawler-beans.cxml',
    `<beans><bean class="org.archive.spring.ConfigString"><property name="value"><value>${SITE}/</value></property></bean><bean class="PropertyOverrideConfigurer"><property name="properties"><value>
fetchHttp.httpProxyPassword=s3cret
fetchHttp.passwordKey=s3cret</value></property></bean></beans>`,
  ],
  [
    'velocity',
    'cookies.xml',
    `<vse-config><crawler><crawl-url url="${SITE}/"/><crawl-options><curl-option name="cookie">sid=s3cret</curl-option><curl-option name="proxy">bob:s3cret@proxy:3128</curl-option><curl-option name="x-api-key">s3cret</curl-option></crawl-options></crawler></vse-config>`,
  ],
  ['scrapy', 's.py', [...SPIDER, '    http_pass = "s3cret"'].join('\n')],
  [
    'nutch',
    'nutch-site.xml',
    '<configuration><property><name>solr.server.url</name><value>http://bob%40x:s3cret@solr.example/solr/pages</value></property></configuration>',
  ],
] as const)('%s: no password is copied', (format, name, text) => {
  const { report, xml } = convert(format, [file(name, text), ...(format === 'nutch' ? [SEEDS] : [])]);
  expect(report.lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(report.lines) + xml).not.toContain('s3cret');
  if (format === 'nutch')
    expect(xml).toContain('login="bob@x" type="solr" url="http://solr.example/solr" index="pages"');
});

it('the whole folder conf of Nutch can be given', () => {
  const { report } = convert('nutch', [
    file('index-writers.xml', '<writers><writer id="solr"/></writers>'),
    file('log4j2.xml', '<Configuration/>'),
    file('regex-normalize.xml', '<regex-normalize/>'),
    file('host-urlnormalizer.txt', 'www.example.com .example.com\n'),
    SEEDS,
  ]);
  const skipped = report.lines.filter(({ kind }) => kind === 'not taken').map(({ place, note }) => `${place} ${note}`);
  expect(skipped).toEqual([
    expect.stringContaining('index-writers.xml:1 write a Sink'),
    expect.stringContaining('log4j2.xml:1'),
    expect.stringContaining('regex-normalize.xml:1 URLs are always normalized'),
    expect.stringContaining('host-urlnormalizer.txt:1 URLs are always normalized'),
  ]);
});

it("a fetcher's own filters do not limit the crawl", () => {
  const fetcher =
    '<httpFetchers><fetcher class="WebDriverHttpFetcher"><referenceFilters><filter class="ReferenceFilter"><valueMatcher method="regex">.*dynamic.*</valueMatcher></filter></referenceFilters></fetcher></httpFetchers>';
  const crawler = `<crawlers><crawler id="a"><startURLs stayOnHost="true"><url>${SITE}/</url></startURLs>${fetcher}</crawler></crawlers>`;
  verdicts(accepts('norconex', file('c.xml', crawler)), { '/plain': true, '/dynamic': true });
});

it.each(['SitemapSpider', 'scrapy.Spider'])('a %s without domains stays on its sites: it follows no links', (base) => {
  const spider = scrapy(`class A(${base}):`, `    sitemap_urls = ["${SITE}/sitemap.xml"]`);
  verdicts(accepts('scrapy', spider), { '/a': true, 'https://other.example/': false });
});

it('a web crawl of Fess that is switched off is left out', () => {
  const entry = (name: string, available: boolean): string =>
    [{ index: { _index: 'fess_config.web_config' } }, { name, urls: `${SITE}/`, available }]
      .map((line) => JSON.stringify(line))
      .join('\n');
  const { xml, report } = convert('fess', [file('f.bulk', `${entry('on', true)}\n${entry('off', false)}`)]);
  expect(xml.match(/<Crawler name="\w+"/g)).toEqual(['<Crawler name="on"']);
  expect(report.lines).toContainEqual(expect.objectContaining({ setting: 'off', place: 'f.bulk:4' }));
});

it('the sink of StormCrawler has its index and its user, and no line says otherwise', () => {
  const settings = 'addresses: "https://os:9200"|index.name: pages|user: admin|password: s3cret'.split('|');
  const conf = file('c.yaml', `config:\n${settings.map((one) => `  opensearch.indexer.${one}\n`).join('')}`);
  const { xml, report } = convert('stormcrawler', [conf, SEEDS]);
  expect(xml).toMatch(/index="pages" login="admin" password="\$\{CRAWLWAY_SECRET_SINK\}"/);
  expect(report.lines.filter(({ kind }) => kind === 'not taken')).toEqual([]);
});

it('what Heritrix reads beside seeds and overrides is listed', () => {
  const beans = `<beans><bean id="o" class="PropertyOverrideConfigurer"><property name="properties"><value>
scope.rules[2].maxHops=9
no override</value></property></bean>
<bean id="longerOverrides" class="PropertyOverrideConfigurer"><props><prop key="seeds.textSource.value">${SITE}/
+http://(org,example,</prop></props></bean></beans>`;
  const { report } = convert('heritrix', [file('crawler-beans.cxml', beans)]);
  expect(report.lines.filter(({ kind }) => kind === 'not taken').map(({ setting }) => setting)).toEqual([
    'no override',
    'maxHops = 9',
    '+http://(org,example,',
  ]);
});
