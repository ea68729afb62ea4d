import { afterAll, expect, it, vi } from 'vitest';
import { XML_FORMAT } from '../src/server/engine.module.js';
import { accepts, file, SITE } from '../test/support/imported.js';
import { readHeritrix } from './formats/heritrix.js';
import { readNutch } from './formats/nutch.js';
import { readOmniFind } from './formats/omnifind.js';
import { readStormCrawler } from './formats/stormcrawler.js';
import { convert } from './index.js';
import { ImportReport } from './model.js';

vi.stubEnv('CRAWLWAY_SECRET_SINK', 'x');
afterAll(() => vi.unstubAllEnvs());

const NORCONEX_3 = `<httpcollector id="c"><crawlers><crawler id="docs">
  <startURLs stayOnDomain="true"><url>${SITE}/</url></startURLs><maxDepth>5</maxDepth><numThreads>2</numThreads>
  <delay default="5 seconds" scope="site"/><robotsTxt ignore="true"/>
  <referenceFilters><filter class="ReferenceFilter" onMatch="exclude"><valueMatcher method="regex">.*/private/.*</valueMatcher></filter>
    <filter class="ExtensionReferenceFilter" onMatch="exclude">zip,exe</filter></referenceFilters>
</crawler></crawlers></httpcollector>`;
const NORCONEX_4 = `id: docs
startReferences: [${SITE}/]
urlScopeResolver: { stayOnDomain: true }
referenceFilters:
  - class: GenericReferenceFilter
    onMatch: EXCLUDE
    valueMatcher: { method: REGEX, pattern: '.*/private/.*' }
  - { class: ExtensionReferenceFilter, onMatch: EXCLUDE, extensions: 'zip,exe' }`;
const NUTCH = `# the first match wins\n-\\.(zip|exe)$\n-/private/\n+^https?://www\\.example\\.com/\n-.`;
const ELASTIC = `domains:
  - url: ${SITE}
    seed_urls: [${SITE}/start]
    crawl_rules:
      - { policy: deny, type: contains, pattern: /private/ }
      - { policy: deny, type: ends, pattern: .zip }
elasticsearch: { host: "https://es.example.com", port: 9200, api_key: x }
output_sink: elasticsearch
output_index: web
max_crawl_depth: 3`;
const STORM = `{"com.digitalpebble.stormcrawler.filtering.URLFilters":[{"class":"x.RegexURLFilter","params":{"urlFilters":["-(?i)\\\\.(zip)$","-/private/","+^https://www\\\\.example\\\\.com/","-."]}},{"class":"x.MaxDepthFilter","params":{"maxDepth":4}}]}`;
const HERITRIX = `<beans><bean id="simpleOverrides"><property name="properties"><value>
disposition.minDelayMs=3000
crawlController.maxToeThreads=25</value></property></bean>
<bean id="longerOverrides"><property name="properties"><props><prop key="seeds.textSource.value">
${SITE}/</prop></props></property></bean>
<bean class="org.archive.modules.deciderules.MatchesListRegexDecideRule"><property name="decision" value="REJECT"/><property name="regexList"><list><value>.*/private/.*</value><value>.*\\.zip</value></list></property></bean></beans>`;
const GSA = `<eef><GlobalConfig><start_urls>${SITE}/</start_urls><good_urls>example.com/</good_urls><bad_urls>contains:/private/\n.zip$</bad_urls></GlobalConfig></eef>`;
const SCRAPY = `class Docs(CrawlSpider):
    name = "docs"
    allowed_domains = ["example.com"]
    start_urls = ["${SITE}/"]
    rules = (Rule(LinkExtractor(deny=(r"/private/", r"\\.zip$")), callback="parse_item"),)
    custom_settings = {"DOWNLOAD_DELAY": 1.5}`;
const FESS = `{"index":{"_index":"fess_config.web_config","_id":"1"}}
${JSON.stringify({ name: 'docs', urls: `${SITE}/`, includedUrls: `${SITE}/.*`, excludedUrls: '.*/private/.*\n.*\\.zip', depth: 3, numOfThread: 2, intervalTime: 10000 })}`;

it.each([
  ['norconex', [file('c.xml', NORCONEX_3)]],
  ['norconex', [file('c.yaml', NORCONEX_4)]],
  ['nutch', [file('regex-urlfilter.txt', NUTCH), file('seed.txt', `${SITE}/\n`)]],
  ['elastic', [file('crawler.yml', ELASTIC)]],
  ['stormcrawler', [file('urlfilters.json', STORM), file('seeds.txt', `${SITE}/`)]],
  ['heritrix', [file('crawler-beans.cxml', HERITRIX)]],
  ['gsa', [file('export.xml', GSA)]],
  ['scrapy', [file('docs.py', SCRAPY)]],
  ['fess', [file('fess_basic_config.bulk', FESS)]],
  [
    'omnifind',
    [
      file(
        'crawl.rules',
        `forbid prefix ${SITE}/private/\nforbid regexp .*\\.zip\nallow domain www.example.com\nforbid domain *`,
      ),
      file('starts', `${SITE}/`),
    ],
  ],
])('a crawl of %s accepts the same URLs after the import', (format, files) => {
  const accepted = accepts(format, ...files);
  expect(['/', '/docs/a.html', '/private/a.html', '/a.zip', 'https://elsewhere.test/'].map(accepted)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('a pending list of FDSE becomes roots whose sites are accepted', () => {
  const accepted = accepts(
    'fdse',
    file('search.pending.txt', `${SITE}/a.html Docs 1100000000\n${SITE}/b.html Docs 2\n`),
  );
  expect([accepted('/c.html'), accepted('https://elsewhere.test/')]).toEqual([true, false]);
});

const VELOCITY = `<vse-collection name="manuals"><vse-config><crawler>
  <crawl-options><crawl-option name="n-fetch-threads">7</crawl-option><curl-option name="default-allow">disallow-log</curl-option>
    <curl-option name="enable-acl">true</curl-option></crawl-options>
  <call-function name="vse-crawler-seed-urls" type="crawl-seed"><with name="urls">${SITE}/</with><with name="hops">4</with></call-function>
  <call-function name="vse-crawler-wiki"/>
  <crawl-condition-when field="host" how="wc"><crawl-pattern>www.example.com</crawl-pattern>
    <curl-options><curl-option name="default-allow">allow</curl-option></curl-options>
    <crawl-may-not-have field="path" log="log"><crawl-pattern>/private/*
      *.zip</crawl-pattern></crawl-may-not-have>
    <crawl-condition-except field="path" how="regex"><crawl-pattern>^/docs/</crawl-pattern>
      <curl-options><curl-option name="max-data-size">1000</curl-option></curl-options></crawl-condition-except>
  </crawl-condition-when>
  <crawl-must-have field="custom" custom-field="x"><crawl-pattern>y</crawl-pattern></crawl-must-have>
</crawler></vse-config></vse-collection>`;

it('recursive conditions of Velocity keep their order, and settings without a counterpart are reported', () => {
  const accepted = accepts('velocity', file('collection.xml', VELOCITY));
  expect(['/', '/docs/a.html', '/private/a.html', '/a.zip', 'https://elsewhere.test/'].map(accepted)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  const { xml, report } = convert('velocity', [file('collection.xml', VELOCITY)]);
  expect(xml).toContain('nthreads="7"');
  expect(xml).toMatch(/<cw:apply-except-for[^>]*>\s*<cw:option name="max-size-bytes" value="1000"\/>/);
  expect(xml).toContain('<cw:option name="max-hops" value="4"/>');
  const left = report.lines.filter(({ kind }) => kind === 'not taken').map(({ setting }) => setting);
  expect(left).toEqual(['enable-acl = true', 'vse-crawler-wiki', 'crawl-must-have custom wc-set y']);
});

it('regular expressions of Velocity are case-sensitive unless they say otherwise', () => {
  const write = (how: string): string =>
    VELOCITY.replace('field="path" log="log"', `field="path" how="${how}"`).replace(
      /\/private\/\*\s+\*.zip/,
      '^/Private/',
    );
  const isAccepted = (how: string) => accepts('velocity', file('collection.xml', write(how)))('/private/a.html');
  expect([isAccepted('regex'), isAccepted('case-insensitive-regex')]).toEqual([true, false]);
});

it('a condition of Velocity written by hand is read by its test, and an attribute that nobody knows is reported', () => {
  const text = VELOCITY.replace('field="path" log="log"', 'field="path" test="regex" log="log" shiny="x"').replace(
    /\/private\/\*\s+\*.zip/,
    '^/private/',
  );
  const { xml, report } = convert('velocity', [file('collection.xml', text)]);
  expect(xml).toMatch(/<cw:may-not-have test="regex" field="path" value="\^\/private\/"/);
  expect(report.lines).toContainEqual(
    expect.objectContaining({
      kind: 'not taken',
      setting: 'shiny = x',
      place: expect.stringContaining('collection.xml:'),
    }),
  );
});

it('the line of a faulty entry of Fess is the line of the file', () => {
  expect(() => convert('fess', [file('f.bulk', `\n${FESS}\n\n{`)])).toThrow('f.bulk:5: ');
});

it.each(['', '<call-function name="vse-crawler-binary-file-extensions"/>'])(
  'a collection of Velocity without conditions of its own stays on the hosts of its seeds %s',
  (component) => {
    const bare = VELOCITY.replace(/<crawl-(?:condition-when|must-have)[\s\S]*(?=<\/crawler>)/, component).replace(
      'disallow-log',
      'allow',
    );
    const accepted = accepts('velocity', file('collection.xml', bare));
    expect([accepted('/a.html'), accepted('https://elsewhere.test/')]).toEqual([true, false]);
  },
);

it('filters of StormCrawler in a separate file are read from it, and domains are wider than hosts', () => {
  const filters = JSON.stringify({
    'org.apache.stormcrawler.filtering.URLFilters': [
      { class: 'x.RegexURLFilter', params: { regexFilterFile: 'default-regex-filters.txt' } },
      { class: 'x.HostURLFilter', params: { ignoreOutsideHost: false, ignoreOutsideDomain: true } },
    ],
  });
  const seeds = file('seeds.txt', `${SITE}/`);
  const rules = file('default-regex-filters.txt', '-/private/\n+.');
  const accepted = accepts('stormcrawler', file('urlfilters.json', filters), rules, seeds);
  expect(['/a', '/private/a', 'https://docs.example.com/', 'https://elsewhere.test/'].map(accepted)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(() => convert('stormcrawler', [file('urlfilters.json', filters), seeds])).toThrow(
    'RegexURLFilter has its rules in default-regex-filters.txt: specify this file, too',
  );
});

it('identical reports of several crawlers of one file are merged', () => {
  const twice = NORCONEX_3.replace(/<crawler id="docs">[\s\S]*<\/crawler>/, (one) => one + one.replace('docs', 'more'));
  const { report } = convert('norconex', [file('a.xml', twice)]);
  expect(new Set(report.lines.map((line) => JSON.stringify(line))).size).toBe(report.lines.length);
});

it('settings are converted, and each one left out is reported with the reason', () => {
  const { xml, report } = convert('norconex', [
    file('c.xml', NORCONEX_3.replace('<maxDepth>', '<maxDocuments>9</maxDocuments><maxDepth>')),
  ]);
  expect(xml).toContain(
    '<Crawler name="docs" defaultAccept="true" throttleTimeMS="5000" nthreads="2" ignoreRobotsTxt="true">',
  );
  expect(xml).toContain('<cw:option name="max-hops" value="5"/>');
  expect(report.lines).toContainEqual(
    expect.objectContaining({
      kind: 'not taken',
      setting: 'maxDocuments',
      note: expect.stringContaining('never end'),
    }),
  );
  const elastic = convert('elastic', [file('crawler.yml', ELASTIC)]).xml;
  expect(elastic).toContain(
    `type="elasticsearch" url="https://es.example.com:9200" index="web" apiKey="\${CRAWLWAY_SECRET_SINK}"`,
  );
  expect(elastic).toContain('<cw:option name="max-hops" value="2"/>');
  const lookaround = convert('nutch', [file('regex-urlfilter.txt', '-(?!x)y\n+.')]);
  expect(lookaround.report.lines).toContainEqual(expect.objectContaining({ kind: 'not taken', setting: '(?!x)y' }));
});

it.each([
  ['norconex', '<a>'],
  ['norconex', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
  ['elastic', 'domains: ['],
  ['elastic', '- 1'],
  ['fess', 'no json'],
  ['stormcrawler', '{'],
])('invalid %s files are refused by name: %j', (format, text) => {
  const name = format === 'stormcrawler' ? 'f.json' : 'f';
  expect(() => convert(format, [file(name, text)])).toThrow(/./);
});

it.each([
  ['OmniFind', readOmniFind],
  ['Heritrix', readHeritrix],
  ['Nutch', readNutch],
  ['StormCrawler', readStormCrawler],
])('a list for %s has one start URL per line', (_, read) => {
  const urls = Array.from({ length: 130_000 }, (_, i) => `http://a.test/${i}`).join('\n');
  expect(read([file('seeds.txt', urls)], new ImportReport())[0]!.roots).toHaveLength(130_000);
});

it.each([
  ['nutch', '<configuration><property><name>http.content.limit</name><value>65536</value></property></configuration>'],
  ['stormcrawler', 'config:\n  http.content.limit: 65536\n'],
])('the size at which %s truncates pages does not become a size that refuses them', (format, text) => {
  const name = format === 'nutch' ? 'nutch-site.xml' : 'crawler-conf.yaml';
  const { xml, report } = convert(format, [file(name, text)]);
  expect(xml).not.toContain('maxSizeBytes=');
  expect(report.lines).toContainEqual(
    expect.objectContaining({
      kind: 'taken differently',
      setting: 'http.content.limit = 65536',
      note: expect.stringContaining('longer pages would be left out instead of truncated'),
    }),
  );
});

it.each([
  ['http.agent.url', 'https://www.example.com/bot'],
  ['http.agent.email', 'bot@example.com'],
])('%s is the contact of the fetcher, except the placeholder of a build', (setting, value) => {
  const nutch = `<configuration><property><name>${setting}</name><value>${value}</value></property></configuration>`;
  expect(convert('nutch', [file('nutch-site.xml', nutch)]).xml).toContain(`contact="${value}"`);
  const storm = (text: string) =>
    convert('stormcrawler', [file('crawler-conf.yaml', `config:\n  ${setting}: ${text}\n`)]);
  expect(storm(value).xml).toContain(`contact="${value}"`);
  expect(storm(`"\${http-agent}"`).xml).not.toContain('contact');
});

it('the report counts in the singular and leaves no setting of Norconex out', () => {
  const { report } = convert('norconex', [
    file('c.xml', NORCONEX_3.replace('<maxDepth>', '<orphansStrategy>DELETE</orphansStrategy><maxDepth>')),
  ]);
  const settings = report.lines.map(({ setting }) => setting);
  expect(settings).toEqual(expect.arrayContaining(['numThreads 2', 'orphansStrategy']));
  expect(settings.join('\n')).not.toMatch(/\b1 \w+(?: \w+)?s$/m);
});

const settingsOf = (kind: string, lines: ImportReport['lines']): string[] =>
  lines.filter((line) => line.kind === kind).map(({ setting }) => setting);

it('a pattern that cannot be converted is reported as left out only', () => {
  const include =
    '<filter class="ReferenceFilter" onMatch="include"><valueMatcher method="regex">.*/(?!private).*</valueMatcher></filter>';
  const { report } = convert('norconex', [
    file('c.xml', NORCONEX_3.replace('<referenceFilters>', `<referenceFilters>${include}`)),
  ]);
  expect(settingsOf('taken', report.lines).filter((setting) => setting.includes('(?!'))).toEqual([]);
  expect(settingsOf('not taken', report.lines)).toContain('include .*/(?!private).*');
});

it('a login of Norconex is named in the report, without its password', () => {
  const login =
    '<authentication><method>form</method><username>joe</username><password>sesame</password></authentication>';
  const { xml, report } = convert('norconex', [
    file(
      'c.xml',
      NORCONEX_3.replace('<maxDepth>', `<httpFetchers><fetcher class="F">${login}</fetcher></httpFetchers><maxDepth>`),
    ),
  ]);
  expect(settingsOf('not taken', report.lines)).toContain('authentication');
  expect(xml).not.toContain('sesame');
});

it('the contact, the name and the archive of a Heritrix job are kept', () => {
  const bean = `<bean id="metadata"><property name="operatorContactUrl" value="[see override above]"/>
    <property name="userAgentTemplate" value="Mozilla/5.0 (compatible; heritrix/@VERSION@ +@OPERATOR_CONTACT_URL@)"/></bean>
    <bean class="org.archive.modules.writer.WARCWriterProcessor"/>
    <bean class="org.archive.modules.deciderules.TransclusionDecideRule"/>`;
  const overrides = 'metadata.operatorContactUrl=https://library.example/crawl\nmetadata.jobName=library\ndisposition.';
  const { xml, report } = convert('heritrix', [
    file('crawler-beans.cxml', HERITRIX.replace('<bean ', `${bean}<bean `).replace('disposition.', overrides)),
  ]);
  expect(xml).toContain('<Crawler name="library"');
  expect(xml).toContain('contact="https://library.example/crawl"');
  expect(xml).toContain('userAgent="Mozilla/5.0 (compatible; heritrix/1 +https://library.example/crawl)"');
  expect(xml).toContain('type="warc"');
  expect(xml).not.toContain('www.example.com/contact');
  expect(xml).not.toContain('see override above');
  expect(XML_FORMAT.read(xml, { file: 'imported.xml', readFile: () => '' }).problems).toEqual([]);
  expect(settingsOf('taken differently', report.lines)).toContain('TransclusionDecideRule');
});

it('each setting of Elastic Open Crawler is in the report, with what to do instead', () => {
  const more =
    'user_agent: bot\nschedule: { pattern: "0 0 * * *" }\nbinary_content_extraction_enabled: true\nmax_crawl_depth';
  const { report } = convert('elastic', [file('c.yml', ELASTIC.replace('max_crawl_depth', more))]);
  expect(settingsOf('taken', report.lines)).toEqual(expect.arrayContaining(['max_crawl_depth 3', 'user_agent bot']));
  const noteOf = (name: string) => report.lines.find(({ setting }) => setting === name)?.note;
  expect(noteOf('schedule')).toMatch(/smartRefreshMaxAgeS/);
  expect(noteOf('binary_content_extraction_enabled')).toMatch(/documents\.md/);
});

it('a sitemap of Elastic Open Crawler is read although its last rule denies everything', () => {
  const rules =
    '      - { policy: allow, type: begins, pattern: /start }\n      - { policy: deny, type: regex, pattern: .* }\n';
  const text = ELASTIC.replace(
    '    crawl_rules:\n',
    `    sitemap_urls: [${SITE}/sitemap.xml]\n    crawl_rules:\n${rules}`,
  );
  const { xml } = convert('elastic', [file('c.yml', text)]);
  const { problems } = XML_FORMAT.read(xml, { file: 'imported.xml', readFile: () => '' });
  expect(problems.filter(({ code }) => code === 'root-rejected')).toEqual([]);
  expect(accepts('elastic', file('c.yml', text))('/other')).toBe(false);
});

it('does not unfold a short YAML file into millions of values', () => {
  const levels = Array.from(
    { length: 8 },
    (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level}, `.repeat(10)}]`,
  );
  const bomb = ['a0: &a0 [x]', ...levels].join('\n');
  expect(() => convert('elastic', [{ name: 'bomb.yml', text: bomb }])).toThrow(
    /with its aliases, .* more than 1000000 values/,
  );
  expect(bomb.length).toBeLessThan(600);
});

it('says where a file names a secret of this server', () => {
  const reference = `\${${'secret:es'}}`;
  const text = `domains:\n  - url: https://a.test\n    seed_urls: ["https://a.test/${reference}"]\n`;
  const { report } = convert('elastic', [{ name: 'e.yml', text }]);
  expect(report.lines).toContainEqual(expect.objectContaining({ setting: reference, kind: 'taken differently' }));
});
