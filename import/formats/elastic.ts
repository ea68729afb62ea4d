/** Elastic Open Crawler: YAML files with the domains, their crawl rules and the output. */

import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isUrl,
  pluralize,
} from '../model.js';
import { parseYamlValue } from '../tree.js';

type Mapping = Readonly<Record<string, unknown>>;

const asMapping = (value: unknown): Mapping =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Mapping) : {};
const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
const asStrings = (value: unknown): string[] => asList(value).map(String);

const KNOWN_KEYS = new Set([
  'domains',
  'output_sink',
  'output_index',
  'output_dir',
  'elasticsearch',
  'max_crawl_depth',
  'user_agent',
  'connect_timeout',
  'socket_timeout',
  'request_timeout',
  'max_response_size',
  'max_redirects',
  'log_level',
  'threads_per_crawl',
  'sitemap_discovery_disabled',
  'robots_txt_service_disabled',
]);

const TAKEN_NOTES: Readonly<Record<string, string>> = {
  max_crawl_depth: 'option max-hops, reduced by 1: start URLs have depth 1 in Open Crawler and 0 hops in Crawlway',
  user_agent: 'userAgent of Fetcher',
};

const REPLACEMENTS: Readonly<Record<string, string>> = {
  schedule:
    'crawls never end in Crawlway; smartRefreshMaxAgeS limits the age of documents, cw:Schedule sets when to crawl',
  max_unique_url_count: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  max_duration: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  purge_crawl_enabled: 'pages that are gone are always deleted',
  binary_content_extraction_enabled: 'PDF and office documents are always read; see docs/documents.md',
  binary_content_extraction_mime_types: 'MimeTypes selects document types; see docs/documents.md',
};

export function readElastic(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  // Open Crawler configures the crawl and the connection in two files; the later one overrides the earlier one.
  const config: Mapping = Object.assign({}, ...files.map((file) => asMapping(parseYamlValue(file))));
  const domains = asList(config['domains']).map(asMapping);
  if (domains.length === 0) throw new ImportError('there are no domains: specify the file that contains them');
  const sink = toSink(config, report);
  for (const key of Object.keys(config))
    if (!KNOWN_KEYS.has(key)) report.reportSkipped(key, REPLACEMENTS[key] ?? 'has no counterpart');
  for (const key of ['max_crawl_depth', 'user_agent'])
    if (config[key] !== undefined) report.reportTaken(`${key} ${String(config[key])}`, TAKEN_NOTES[key]!);
  return domains.map((domain) => ({ ...toCrawler(domain, config, report), sink }));
}

function toCrawler(domain: Mapping, config: Mapping, report: ImportReport): ImportedCrawler {
  const url = String(domain['url'] ?? '');
  const crawler = createCrawler('');
  const seeds = asStrings(domain['seed_urls']).filter(isUrl);
  crawler.roots = seeds.length > 0 ? seeds : isUrl(url) ? [new URL(url).href] : [];
  const sitemaps = asStrings(domain['sitemap_urls']).filter(isUrl);
  for (const sitemap of sitemaps) {
    crawler.roots.push(sitemap);
    report.reportChanged(`sitemap ${sitemap}`, 'a root: sitemaps are recognized by their content');
  }
  // In Open Crawler, rules take precedence over accepting the site, so they come after it.
  crawler.staysOnSite = false;
  const origin = isUrl(url) ? `${new URL(url).origin}/` : '';
  crawler.rules = [
    { accept: true, pattern: { kind: 'prefix', value: origin } },
    ...asList(domain['crawl_rules'])
      .map(asMapping)
      .flatMap((rule) => toRules(rule, report))
      .reverse(),
    // Open Crawler reads sitemaps regardless of the rules for pages.
    ...sitemaps.map((value): ImportedRule => ({ accept: true, pattern: { kind: 'exact', value } })),
  ];
  report.reportTaken(
    `domain ${url}`,
    formatRulesNote(crawler.roots.length, crawler.rules.length - 1 - sitemaps.length),
  );
  const depth = Number(config['max_crawl_depth']);
  // Seeds have depth 1 in Open Crawler, but 0 hops in Crawlway.
  if (depth >= 1) crawler.maxHops = depth - 1;
  if (config['sitemap_discovery_disabled'] === true) crawler.attributes['crawlSitemaps'] = 'false';
  if (config['robots_txt_service_disabled'] === true) crawler.attributes['ignoreRobotsTxt'] = 'true';
  if (typeof config['user_agent'] === 'string') crawler.fetcher['userAgent'] = config['user_agent'];
  const maxBytes = Number(config['max_response_size']);
  if (maxBytes > 0) crawler.fetcher['maxSizeBytes'] = String(maxBytes);
  const redirects = Number(config['max_redirects']);
  if (redirects > 0) crawler.fetcher['maxRedirects'] = String(Math.min(100, redirects));
  const timeout = Number(config['request_timeout']);
  if (timeout > 0) crawler.fetcher['totalTimeoutMS'] = String(Math.round(timeout * 1000));
  for (const key of ['exclude_tags', 'extraction_rulesets', 'auth'])
    if (domain[key] !== undefined) report.reportSkipped(`${key} of ${url}`, NOT_TAKEN[key]!);
  return crawler;
}

const NOT_TAKEN: Readonly<Record<string, string>> = {
  exclude_tags: 'write Exclude elements in cw:Content',
  extraction_rulesets: 'write Field elements in cw:Content',
  auth: 'write a Login or a Credential in the Fetcher; passwords are not copied',
};

function toRules(rule: Mapping, report: ImportReport): ImportedRule[] {
  const accept = rule['policy'] === 'allow';
  const value = String(rule['pattern'] ?? '');
  const kind = ({ begins: 'prefix', ends: 'suffix', contains: 'contains', regex: 'regex' } as const)[
    String(rule['type'])
  ];
  if (!kind || value === '') {
    report.reportSkipped(
      `crawl rule ${JSON.stringify(rule)}`,
      'its pattern is empty, or its type is not begins, ends, contains or regex',
    );
    return [];
  }
  return [{ accept, pattern: { kind, value, field: 'path' } }];
}

function toSink(config: Mapping, report: ImportReport): ImportedCrawler['sink'] {
  const output = String(config['output_sink'] ?? 'elasticsearch');
  if (output === 'file') return { type: 'file', url: 'documents.jsonl' };
  if (output !== 'elasticsearch') {
    report.reportChanged(`output_sink ${output}`, 'documents go to documents.jsonl');
    return undefined;
  }
  const elastic = asMapping(config['elasticsearch']);
  const host = String(elastic['host'] ?? '').replace(/\/{1,9}$/, '');
  if (!/^https?:\/\//.test(host)) {
    report.reportSkipped(
      'elasticsearch',
      'there is no host, so documents go to documents.jsonl until you change the Sink',
    );
    return undefined;
  }
  const port = elastic['port'];
  const login = typeof elastic['username'] === 'string' ? elastic['username'] : undefined;
  const secret = elastic['api_key'] ? 'apiKey' : login ? 'password' : undefined;
  report.reportChanged(
    'elasticsearch',
    `Sink main, with Crawlway's field names${secret ? '; its secret comes from CRAWLWAY_SECRET_SINK' : ''}`,
  );
  return {
    type: 'elasticsearch',
    url: port === undefined || URL.parse(host)?.port ? host : `${host}:${String(port)}`,
    index: String(config['output_index'] ?? 'crawlway'),
    ...(secret === 'password' ? { login } : {}),
    ...(secret ? { secret } : {}),
  };
}

const formatRulesNote = (rootCount: number, ruleCount: number): string =>
  ruleCount === 0
    ? pluralize(rootCount, 'root')
    : `${pluralize(rootCount, 'root')}, ${pluralize(ruleCount, 'rule')} in reverse order: the first match wins in Open Crawler, the last one in Crawlway`;
