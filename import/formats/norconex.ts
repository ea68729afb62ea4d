/** Norconex HTTP Collector 2 and 3 (XML), and Norconex Crawler 4 (XML and YAML). */

import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Pattern,
  pluralize,
  splitLines,
} from '../model.js';
import { escapeRegExp, isLinear, NOT_LINEAR } from '../patterns.js';
import { findAll, findFirst, findSetting, Node, parseList, parseXml, parseYaml } from '../tree.js';

export function readNorconex(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const [mainFile, ...otherFiles] = files;
  if (!mainFile) throw new ImportError('no file was given');
  const tree = /^\s*</.test(mainFile.text.replace(/^\uFEFF/, ''))
    ? parseXml(mainFile, report)
    : parseYaml(mainFile, report);
  report.cover(tree);
  for (const file of otherFiles) report.cover(parseList(file, report));
  const crawlers = findAll(tree, 'crawlers').flatMap((node) => node.children.filter(({ name }) => name === 'crawler'));
  const crawlerNodes =
    crawlers.length > 0 ? crawlers : findAll(tree, 'crawlers').filter(({ children }) => children.length > 0);
  const nodes = crawlerNodes.length > 0 ? crawlerNodes : [tree];
  const lists = new Map(otherFiles.map(({ name, text }) => [name.split(/[\\/]/).at(-1)!, text]));
  const defaults = findFirst(tree, 'crawlerDefaults');
  return nodes.map((node) =>
    toCrawler(
      defaults
        ? new Node(node.name, node.text, [...node.children, ...defaults.children], node.place, node.attributeNodes)
        : node,
      lists,
      report,
    ),
  );
}

function toCrawler(node: Node, lists: ReadonlyMap<string, string>, report: ImportReport): ImportedCrawler {
  const crawler = createCrawler(findSetting(node, 'id') ?? 'norconex');
  importStartUrls(node, crawler, lists, report);
  const getNumber = (name: string): number | undefined => {
    const text = findFirst(node, name)?.text;
    return text && /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const threads = getNumber('numThreads');
  if (threads) {
    crawler.attributes['nthreads'] = String(threads);
    report.reportTaken(`numThreads ${threads}`, 'nthreads');
  }
  const depth = getNumber('maxDepth');
  if (depth !== undefined) {
    crawler.maxHops = depth;
    report.reportTaken(`maxDepth ${depth}`, 'option max-hops');
  }
  importDelay(node, crawler, report);
  if (findFirst(node, 'robotsTxt', 'robotsTxtProvider')?.attributes['ignore'] === 'true') {
    crawler.attributes['ignoreRobotsTxt'] = 'true';
    report.reportTaken('robotsTxt ignore="true"', 'ignoreRobotsTxt');
  }
  const sitemap = findFirst(node, 'sitemapResolver', 'sitemapResolverFactory');
  if (sitemap?.attributes['ignore'] === 'true') {
    crawler.attributes['crawlSitemaps'] = 'false';
    report.reportTaken(`${sitemap.name} ignore="true"`, 'crawlSitemaps');
  }
  const agent = findFirst(node, 'userAgent')?.text;
  if (agent) {
    crawler.fetcher['userAgent'] = agent;
    report.reportTaken(`userAgent ${agent}`, 'userAgent of Fetcher');
  }
  for (const filter of findFilters(node)) importFilter(filter, crawler, report);
  importCommitter(node, crawler, report);
  for (const name of [
    'importer',
    'preParseHandlers',
    'postParseHandlers',
    'documentFilters',
    'metadataFilters',
    'linkExtractors',
    'urlNormalizer',
    'maxDocuments',
    'workDir',
    'orphansStrategy',
    'authentication',
    'proxySettings',
  ])
    if (findFirst(node, name))
      report.reportSkipped(
        name,
        SKIPPED[name] ?? 'has no counterpart; docs/documents.md describes how Crawlway reads documents',
      );
  return crawler;
}

const SKIPPED: Readonly<Record<string, string>> = {
  workDir: 'the data directory is chosen when the server starts: crawlway serve --data',
  orphansStrategy: 'pages that are no longer linked are refreshed like others, and deleted when they are gone',
  maxDocuments: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  authentication: 'write a Credential or a Login in the Fetcher (docs/logins.md); passwords are not copied',
  proxySettings: 'write a Proxy in the Fetcher; passwords are not copied',
  urlNormalizer: 'URLs are always normalized; see Canonicalization in docs/reference.md',
  linkExtractors: 'Crawlway follows the links in all documents that it reads',
};

function importStartUrls(
  node: Node,
  crawler: ImportedCrawler,
  lists: ReadonlyMap<string, string>,
  report: ImportReport,
): void {
  const start = findFirst(node, 'startURLs', 'startReferences', 'start') ?? node;
  const urls = [...findAll(start, 'url', 'ref'), ...findAll(node, 'startReferences', 'startURLs')].map(({ text }) =>
    text.trim(),
  );
  appendAll(crawler.roots, new Set(urls.filter(isUrl)));
  for (const { text } of findAll(start, 'urlsFile', 'refsFile')) {
    const list = lists.get(text.split(/[\\/]/).at(-1)!);
    if (list) appendAll(crawler.roots, splitLines(list).filter(isUrl));
    else
      report.reportSkipped(`urlsFile ${text}`, 'to import its URLs as roots, specify the file after the configuration');
  }
  for (const { text } of findAll(start, 'sitemap', 'sitemapsFile')) {
    if (!isUrl(text)) continue;
    crawler.roots.push(text);
    report.reportChanged(`sitemap ${text}`, 'becomes a root; sitemaps are recognized by their content');
  }
  const scope = findFirst(node, 'urlScopeResolver', 'referenceScopeResolver') ?? start;
  const staysOnSite = ['stayOnDomain', 'stayOnHost'].some((name) => findSetting(scope, name) === 'true');
  crawler.staysOnSite = staysOnSite;
  report.reportTaken(
    pluralize(crawler.roots.length, 'start URL'),
    staysOnSite ? 'roots that stay on their site' : 'roots',
  );
  if (findSetting(scope, 'includeSubdomains') === 'true')
    report.reportChanged(
      'includeSubdomains',
      'site mode means the host with and without www; add a Rule with Domain for subdomains',
    );
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millis: 1,
  milliseconds: 1,
  second: 1000,
  seconds: 1000,
  s: 1000,
  minute: 60_000,
  minutes: 60_000,
  m: 60_000,
};

function importDelay(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const delay = findFirst(node, 'delay', 'delayResolver');
  const text = delay && (findSetting(delay, 'default') ?? findSetting(delay, 'defaultDelay'));
  if (!text) return;
  const [, amount, unit = 'ms'] = /^(\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = UNITS[(unit || 'ms').toLowerCase()];
  if (amount === undefined || factor === undefined)
    return void report.reportSkipped(
      `delay ${text}`,
      'the duration must be a number with a unit of milliseconds, seconds or minutes',
    );
  crawler.attributes['throttleTimeMS'] = String(Number(amount) * factor);
  const scope = delay && findSetting(delay, 'scope');
  if (scope && !/site/i.test(scope))
    report.reportChanged(
      `delay scope ${scope}`,
      'in Crawlway, the pause applies between two requests to one web server',
    );
  else report.reportTaken(`delay ${text}`, 'throttleTimeMS');
}

const findFilters = (node: Node): Node[] =>
  findAll(node, 'referenceFilters', 'httpURLFilters').flatMap((filters) => {
    const nestedFilters = findAll(filters, 'filter').filter((filter) => filter !== filters);
    return nestedFilters.length > 0
      ? nestedFilters
      : filters.children.length > 0 || findSetting(filters, 'class')
        ? [filters]
        : [];
  });

function importFilter(filter: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const kind = findSetting(filter, 'class')?.split('.').at(-1) ?? '';
  const matcher = findFirst(filter, 'valueMatcher') ?? filter;
  const value =
    findSetting(matcher, 'pattern') ??
    findSetting(filter, 'regex') ??
    findSetting(filter, 'extensions') ??
    (matcher.text || filter.text);
  const patterns = toPatterns(kind, (findSetting(matcher, 'method') ?? '').toLowerCase(), value);
  if (patterns.length === 0)
    return void report.reportSkipped(
      `${kind || 'filter'} ${value}`,
      'a filter of this kind has no counterpart for URLs',
    );
  const excludes = (findSetting(filter, 'onMatch') ?? 'include').toLowerCase() === 'exclude';
  const setting = `${excludes ? 'exclude' : 'include'} ${value}`;
  if (!patterns.every(isLinear)) return void report.reportSkipped(setting, NOT_LINEAR);
  const ignoreCase =
    (findSetting(matcher, 'ignoreCase') ?? 'false') === 'true' || findSetting(filter, 'caseSensitive') === 'false';
  const list = excludes ? crawler.exclude : crawler.include;
  appendAll(
    list,
    patterns.map((pattern) => ({ ...pattern, ignoreCase })),
  );
  report.reportTaken(setting, excludes ? 'may-not-have' : 'must-have');
}

function toPatterns(kind: string, method: string, value: string): Pattern[] {
  if (/Extension/i.test(kind)) {
    const extensions = value
      .split(',')
      .map((extension) => extension.trim().replace(/^\./, ''))
      .filter(Boolean);
    return [{ kind: 'regex', field: 'path', value: `\\.(?:${extensions.map(escapeRegExp).join('|')})$` }];
  }
  if (/Regex(?:Reference)?Filter/i.test(kind) || method === 'regex')
    return [{ kind: 'regex', value: `^(?:${value})$` }];
  if (!/Reference|Generic/i.test(kind)) return [];
  if (method === 'wildcard')
    return [
      {
        kind: 'regex',
        value: `^${value
          .split('*')
          .map((segment) => segment.split('?').map(escapeRegExp).join('.'))
          .join('.*')}$`,
      },
    ];
  if (method === 'csv') return value.split(',').map((item) => ({ kind: 'exact', value: item.trim() }));
  return [{ kind: 'exact', value }];
}

function importCommitter(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const committers = findAll(node, 'committer', 'committers').filter((committer) => findSetting(committer, 'class'));
  for (const committer of committers) {
    const kind = findSetting(committer, 'class')!.split('.').at(-1)!;
    const url = findFirst(committer, 'node', 'nodes', 'solrURL')?.text.split(',')[0]?.trim();
    const index = findFirst(committer, 'indexName')?.text;
    const type = /Elastic/i.test(kind) ? 'elasticsearch' : /Solr/i.test(kind) ? 'solr' : undefined;
    if (!type || !url) {
      report.reportSkipped(`committer ${kind}`, 'documents go to documents.jsonl until you change the Sink');
      continue;
    }
    const login = findFirst(committer, 'username')?.text;
    const [, base = url, core] = type === 'solr' ? (/^(.*)\/([^/]+)\/?$/.exec(url) ?? []) : [];
    crawler.sink = {
      type,
      url: base,
      index: index ?? core ?? 'crawlway',
      ...(login ? { login, secret: 'password' } : {}),
    };
    report.reportChanged(
      `committer ${kind}`,
      `Sink main, with Crawlway's field names${login ? '; its password comes from CRAWLWAY_SECRET_SINK' : ''}`,
    );
  }
}
