/** A value that is common elsewhere, such as 0 for no limit, keeps no configuration from loading. */
import { describe, expect, it } from 'vitest';
import { file, importAndLoad, SITE } from '../test/support/imported.js';
import type { ImportFile } from './model.js';

const seeds = file('seeds.txt', `${SITE}/\n`);

const nutch = (name: string, value: string) => {
  const others = {
    'plugin.includes': 'urlfilter-regex|scoring-depth',
    'db.fetch.schedule.class': 'AdaptiveFetchSchedule',
    [name]: value,
  };
  const properties = Object.entries(others).map(
    ([key, text]) => `<property><name>${key}</name><value>${text}</value></property>`,
  );
  return [file('nutch-site.xml', `<configuration>${properties.join('')}</configuration>`), seeds];
};
const norconex = (name: string, value: string) => {
  const setting = name === 'delay' ? `<delay default="${value}"/>` : `<${name}>${value}</${name}>`;
  const crawler = `<crawler id="a"><startURLs><url>${SITE}/</url></startURLs>${setting}</crawler>`;
  return [file('c.xml', `<crawlers>${crawler}</crawlers>`)];
};
const heritrix = (name: string, value: string) => [
  file('c.cxml', `<beans><bean class="org.archive.X"><property name="${name}" value="${value}"/></bean></beans>`),
  seeds,
];
const scrapy = (name: string, value: string) => [
  file('s.py', `class A(CrawlSpider):\n    start_urls = ["${SITE}/"]\n    custom_settings = {"${name}": ${value}}\n`),
];
const fess = (name: string, value: string) => [
  file(
    'f.bulk',
    `{"index":{"_index":"web_config"}}\n${JSON.stringify({ name: 'a', urls: SITE, [name]: Number(value) })}\n`,
  ),
];
const velocity = (name: string, value: string) => [
  file(
    'v.xml',
    `<vse-collection><crawler><crawl-options><crawl-option name="${name}">${value}</crawl-option><curl-option name="${name}">${value}</curl-option></crawl-options></crawler></vse-collection>`,
  ),
];

describe.each<[format: string, make: (name: string, value: string) => ImportFile[], names: string]>([
  [
    'nutch',
    nutch,
    'fetcher.server.delay fetcher.threads.fetch http.timeout http.redirect.max db.fetch.interval.default db.fetch.schedule.adaptive.min_interval db.fetch.schedule.adaptive.max_interval db.fetch.retry.max scoring.depth.max',
  ],
  [
    'stormcrawler',
    (name, value) => [file('c.yaml', `config:\n  ${name}: ${value}\n`), seeds],
    'fetcher.server.delay fetcher.threads.number http.timeout fetchInterval.default scheduler.adaptive.fetchInterval.min scheduler.adaptive.fetchInterval.max max.fetch.errors fetchInterval.fetch.error',
  ],
  [
    'elastic',
    (name, value) => [file('c.yml', `${name}: ${value}\ndomains:\n  - url: ${SITE}\n`)],
    'max_crawl_depth max_response_size max_redirects request_timeout connect_timeout threads_per_crawl max_url_length max_url_segments max_extracted_links_count',
  ],
  [
    'heritrix',
    heritrix,
    'maxToeThreads minDelayMs maxLengthBytes maxRetries retryDelaySeconds soTimeoutMs timeoutSeconds',
  ],
  ['scrapy', scrapy, 'DOWNLOAD_DELAY CONCURRENT_REQUESTS DOWNLOAD_TIMEOUT DOWNLOAD_MAXSIZE DEPTH_LIMIT'],
  ['norconex', norconex, 'delay numThreads maxDepth maxRedirects connectionTimeout'],
  ['fess', fess, 'depth numOfThread intervalTime'],
  [
    'mnogosearch',
    (name, value) => [file('indexer.conf', `${name} ${value}\nServer ${SITE}/\n`)],
    'Period MaxHops ReadTimeOut MaxNetErrors MaxDocSize CrawlDelay',
  ],
  ['velocity', velocity, 'max-hops max-data-size n-fetch-threads'],
])('%s', (format, make, names) => {
  it.each(names.split(' '))('%s', (name) => {
    for (const value of ['0', '0.5', '30', '100000', '99999999999']) importAndLoad(format, ...make(name, value));
  });
});

it('a long pause before another try, and an interval below the usual minimum, keep their values', () => {
  const conf = file('c.yaml', 'config:\n  fetchInterval.fetch.error: 2880\n  fetchInterval.default: 10\n');
  const { xml } = importAndLoad('stormcrawler', conf, seeds);
  expect(xml).toContain('<cw:ErrorPolicy retryDelayS="172800" maxRetryDelayS="172800"/>');
  expect(xml).toContain('smartRefreshMaxAgeS="600" smartRefreshMinAgeS="600"');
});

it('a time limit of 0, which elsewhere means that there is none, leaves the usual one', () => {
  expect(importAndLoad('nutch', ...nutch('http.timeout', '0')).xml).not.toContain('TimeoutMS="');
});

const committer = (inner: string) =>
  file(
    'c.xml',
    `<c><startURLs><url>${SITE}/</url></startURLs><committers><committer class="${inner}</committer></committers></c>`,
  );
const indexerConf = (line: string) => [file('indexer.conf', `${line}\nServer ${SITE}/\n`)];
const agent = (text: string) => JSON.stringify({ name: 'a', urls: `${SITE}/`, userAgent: text });

it.each<[string, RegExp, readonly ImportFile[]]>([
  ['norconex', /type="file"/, [committer('ElasticsearchCommitter"><nodes>es:9200</nodes>')]],
  ['norconex', /url="http:\/\/solr:8983"/, [committer('SolrCommitter"><solrURL>http://solr:8983</solrURL>')]],
  [
    'norconex',
    /url="http:\/\/solr\/solr" index="a"/,
    [committer('SolrCommitter"><solrURL>http://solr/solr/a</solrURL>')],
  ],
  ['nutch', /type="file"/, nutch('solr.server.url', 'solr:8983/solr/a')],
  ['elastic', /userAgent="Bot 2"/, [file('c.yml', `domains:\n  - url: ${SITE}\nuser_agent: "Bot\\n   2"\n`)]],
  ['fess', /<cw:Fetcher name="default"\/>/, [file('f.bulk', `{"index":{"_index":"web_config"}}\n${agent(' \n')}\n`)]],
  ['mnogosearch', /^(?![\s\S]*Content)/, indexerConf('Section a 5 64 "(?=x)(a)" "$1"')],
  ['mnogosearch', /^(?![\s\S]*b\.test)/, indexerConf('Alias https://a.test/ https://u:p@b.test/')],
  ['mnogosearch', /^(?![\s\S]*b\.test)/, [file('indexer.conf', `Server ${SITE}/ https://u:p@b.test/\n`)]],
])('%s: a text that is not valid here leaves what is usual: %s', (format, expected, files) => {
  const { xml } = importAndLoad(format, ...files);
  expect(xml.slice(xml.indexOf('-->'))).toMatch(expected);
});

it('users and passwords in start URLs are not copied', () => {
  const { xml, report } = importAndLoad('nutch', file('seeds.txt', 'https://bob:s3cret@www.example.com/a\n'));
  expect(xml).toContain('<Root url="https://www.example.com/a"');
  expect(xml + JSON.stringify(report.lines)).not.toMatch(/bob|s3cret/);
});
