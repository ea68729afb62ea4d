/** Norconex HTTP Collector 2 and 3 (XML), Norconex Crawler 4 (XML and YAML). */
import {
  addAll,
  emptyCrawler,
  escapeRegExp,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  linesOf,
  type Pattern,
} from '../model.js';
import { all, first, type Node, setting, xmlTree, yamlTree } from '../tree.js';

export function readNorconex(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const [main, ...others] = files;
  if (!main) throw new ImportError('no file');
  const tree = /^\s*</.test(main.text.replace(/^\uFEFF/, '')) ? xmlTree(main) : yamlTree(main);
  const crawlers = all(tree, 'crawlers').flatMap((node) => node.children.filter(({ name }) => name === 'crawler'));
  const wanted = crawlers.length > 0 ? crawlers : all(tree, 'crawlers').filter(({ children }) => children.length > 0);
  const nodes = wanted.length > 0 ? wanted : [tree];
  const lists = new Map(others.map(({ name, text }) => [name.split(/[\\/]/).at(-1)!, text]));
  const defaults = first(tree, 'crawlerDefaults');
  return nodes.map((node) =>
    crawlerOf(defaults ? { ...node, children: [...node.children, ...defaults.children] } : node, lists, report),
  );
}

function crawlerOf(node: Node, lists: ReadonlyMap<string, string>, report: ImportReport): ImportedCrawler {
  const crawler = emptyCrawler(setting(node, 'id') ?? 'norconex');
  readStarts(node, crawler, lists, report);
  const number = (name: string): number | undefined => {
    const text = first(node, name)?.text;
    return text && /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const threads = number('numThreads');
  if (threads) crawler.attributes['nthreads'] = String(threads);
  const depth = number('maxDepth');
  if (depth !== undefined) {
    crawler.maxHops = depth;
    report.taken(`maxDepth ${depth}`, 'option max-hops');
  }
  readDelay(node, crawler, report);
  if (first(node, 'robotsTxt', 'robotsTxtProvider')?.attributes['ignore'] === 'true') {
    crawler.attributes['ignoreRobotsTxt'] = 'true';
    report.taken('robotsTxt ignore="true"', 'ignoreRobotsTxt');
  }
  const sitemap = first(node, 'sitemapResolver', 'sitemapResolverFactory');
  if (sitemap?.attributes['ignore'] === 'true') crawler.attributes['crawlSitemaps'] = 'false';
  const agent = first(node, 'userAgent')?.text;
  if (agent) {
    crawler.fetcher['userAgent'] = agent;
    report.taken(`userAgent ${agent}`, 'userAgent of Fetcher');
  }
  for (const filter of filtersOf(node)) readFilter(filter, crawler, report);
  readCommitter(node, crawler, report);
  for (const name of [
    'importer',
    'preParseHandlers',
    'postParseHandlers',
    'documentFilters',
    'metadataFilters',
    'linkExtractors',
    'urlNormalizer',
    'maxDocuments',
  ])
    if (first(node, name))
      report.notTaken(name, LEFT[name] ?? 'Crawlway reads documents in its own way; see docs/documents.md');
  return crawler;
}

const LEFT: Readonly<Record<string, string>> = {
  maxDocuments: 'a crawl here has no end; crawlway crawl --max-pages makes one that has',
  urlNormalizer: 'URLs are always normalized; see Canonicalization in docs/REFERENCE.md',
  linkExtractors: 'links of all documents that are read are followed',
};

function readStarts(
  node: Node,
  crawler: ImportedCrawler,
  lists: ReadonlyMap<string, string>,
  report: ImportReport,
): void {
  const start = first(node, 'startURLs', 'startReferences', 'start') ?? node;
  const urls = [...all(start, 'url', 'ref'), ...all(node, 'startReferences', 'startURLs')].map(({ text }) =>
    text.trim(),
  );
  addAll(crawler.roots, new Set(urls.filter(isUrl)));
  for (const { text } of all(start, 'urlsFile', 'refsFile')) {
    const list = lists.get(text.split(/[\\/]/).at(-1)!);
    if (list) addAll(crawler.roots, linesOf(list).filter(isUrl));
    else report.notTaken(`urlsFile ${text}`, 'name the file after the configuration to have its URLs as roots');
  }
  for (const { text } of all(start, 'sitemap', 'sitemapsFile')) {
    if (!isUrl(text)) continue;
    crawler.roots.push(text);
    report.differently(`sitemap ${text}`, 'a root: sitemaps are recognized by what they are');
  }
  const scope = first(node, 'urlScopeResolver', 'referenceScopeResolver') ?? start;
  const stays = ['stayOnDomain', 'stayOnHost'].some((name) => setting(scope, name) === 'true');
  crawler.staysOnSite = stays;
  report.taken(`${crawler.roots.length} start URLs`, stays ? 'roots that stay on their site' : 'roots');
  if (setting(scope, 'includeSubdomains') === 'true')
    report.differently(
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

function readDelay(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const delay = first(node, 'delay', 'delayResolver');
  const text = delay && (setting(delay, 'default') ?? setting(delay, 'defaultDelay'));
  if (!text) return;
  const [, amount, unit = 'ms'] = /^(\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = UNITS[(unit || 'ms').toLowerCase()];
  if (amount === undefined || factor === undefined)
    return void report.notTaken(`delay ${text}`, 'the duration is not understood');
  crawler.attributes['throttleTimeMS'] = String(Number(amount) * factor);
  const scope = delay && setting(delay, 'scope');
  if (scope && !/site/i.test(scope))
    report.differently(`delay scope ${scope}`, 'the pause is between two requests to one web server');
  else report.taken(`delay ${text}`, 'throttleTimeMS');
}

const filtersOf = (node: Node): Node[] =>
  all(node, 'referenceFilters', 'httpURLFilters').flatMap((filters) => {
    const inside = all(filters, 'filter').filter((one) => one !== filters);
    return inside.length > 0 ? inside : filters.children.length > 0 || setting(filters, 'class') ? [filters] : [];
  });

function readFilter(filter: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const kind = setting(filter, 'class')?.split('.').at(-1) ?? '';
  const matcher = first(filter, 'valueMatcher') ?? filter;
  const value =
    setting(matcher, 'pattern') ??
    setting(filter, 'regex') ??
    setting(filter, 'extensions') ??
    (matcher.text || filter.text);
  const patterns = patternsOf(kind, (setting(matcher, 'method') ?? '').toLowerCase(), value);
  if (patterns.length === 0)
    return void report.notTaken(`${kind || 'filter'} ${value}`, 'a filter of this kind has no counterpart for URLs');
  const ignoreCase =
    (setting(matcher, 'ignoreCase') ?? 'false') === 'true' || setting(filter, 'caseSensitive') === 'false';
  const excludes = (setting(filter, 'onMatch') ?? 'include').toLowerCase() === 'exclude';
  const list = excludes ? crawler.exclude : crawler.include;
  addAll(
    list,
    patterns.map((pattern) => ({ ...pattern, ignoreCase })),
  );
  report.taken(`${excludes ? 'exclude' : 'include'} ${value}`, excludes ? 'may-not-have' : 'must-have');
}

function patternsOf(kind: string, method: string, value: string): Pattern[] {
  if (/Extension/i.test(kind)) {
    const endings = value
      .split(',')
      .map((one) => one.trim().replace(/^\./, ''))
      .filter(Boolean);
    return [{ kind: 'regex', field: 'path', value: `\\.(?:${endings.map(escapeRegExp).join('|')})$` }];
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
          .map((one) => one.split('?').map(escapeRegExp).join('.'))
          .join('.*')}$`,
      },
    ];
  if (method === 'csv') return value.split(',').map((one) => ({ kind: 'exact', value: one.trim() }));
  return [{ kind: 'exact', value }];
}

function readCommitter(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const committers = all(node, 'committer', 'committers').filter((one) => setting(one, 'class'));
  for (const one of committers) {
    const kind = setting(one, 'class')!.split('.').at(-1)!;
    const url = first(one, 'node', 'nodes', 'solrURL')?.text.split(',')[0]?.trim();
    const index = first(one, 'indexName')?.text;
    const type = /Elastic/i.test(kind) ? 'elasticsearch' : /Solr/i.test(kind) ? 'solr' : undefined;
    if (!type || !url) {
      report.notTaken(`committer ${kind}`, 'documents go to documents.jsonl until a Sink says otherwise');
      continue;
    }
    const login = first(one, 'username')?.text;
    const [, base = url, core] = type === 'solr' ? (/^(.*)\/([^/]+)\/?$/.exec(url) ?? []) : [];
    crawler.sink = {
      type,
      url: base,
      index: index ?? core ?? 'crawlway',
      ...(login ? { login, secret: 'password' } : {}),
    };
    report.differently(
      `committer ${kind}`,
      'Sink main; field names are those of Crawlway. Its password comes from CRAWLWAY_SECRET_SINK',
    );
  }
}
