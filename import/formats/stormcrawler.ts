/** Apache StormCrawler: crawler-conf.yaml, a Flux topology, urlfilters.json and the files that it names, and seed lists. */
import { getDomain } from 'tldts';
import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isContact,
  isUrl,
  type Match,
  NO_COUNTERPART,
  pluralize,
  setPart,
} from '../model.js';
import { createScope, isSelector, restrictToHosts } from '../patterns.js';
import { findAll, Node, parseList, parseYaml } from '../tree.js';
import {
  AGENT_SETTINGS,
  createPathMatch,
  importSignedRules,
  NO_LINKS_NOTE,
  POLITENESS,
  TRUNCATION_NOTE,
  takeContact,
} from './nutch.js';

interface Reading {
  readonly crawler: ImportedCrawler;
  readonly report: ImportReport;
  readonly files: readonly ImportFile[];
  readonly settings: Map<string, string>;
  filterCount: number;
  /** The scope of HostURLFilter; the list of seeds is complete only at the end. */
  scope?: 'host' | 'domain';
}

export function readStormCrawler(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('stormcrawler'), staysOnSite: false, acceptsOthers: true };
  const reading: Reading = { crawler, report, files, settings: new Map(), filterCount: 0 };
  const topologies: Node[] = [];
  for (const file of files.filter(({ name }) => /\.(?:ya?ml|flux)$/.test(name)))
    topologies.push(importConfiguration(parseYaml(file, report), reading));
  for (const file of files.filter(({ name }) => /\.java$/.test(name))) topologies.push(importJava(file, reading));
  // The file of the URL filters names others.
  const jsonFiles = files.filter(({ name }) => /\.json$/.test(name));
  const mains = jsonFiles.filter(({ text }) => /urlfilters"/i.test(text));
  const named = reading.settings.get('urlfilters.config.file')?.split('/').at(-1) ?? 'urlfilters.json';
  const others = mains.some(({ name }) => name === named) ? mains.filter(({ name }) => name !== named) : [];
  for (const file of [...mains, ...jsonFiles])
    if (!report.isRead(file.name) && !others.includes(file)) importJson(file, reading);
  for (const file of others) skipFilters(file, named, reading);
  for (const file of files)
    if (!report.isRead(file.name) && !jsonFiles.includes(file) && !isFilterFile(file))
      importSeeds(parseList(file, report), reading);
  if (reading.scope)
    crawler.filters.push({ any: createScope(crawler.roots, reading.scope, (host) => getDomain(host) ?? host) });
  limitToFeeds(topologies, reading);
  // Entries of feeds may be on any site.
  if (reading.filterCount === 0 && crawler.attributes['defaultFollow'] !== 'false')
    restrictToHosts(crawler, 'no URL filters were given', report);
  return [crawler];
}

/** Filters that the topology does not name, and files with their rules. */
function skipFilters(file: ImportFile, named: string, { files, report }: Reading): void {
  const tree = parseYaml(file, report);
  const listTexts = ({ text, children }: Node): string[] => [text, ...children.flatMap(listTexts)];
  const names = new Set(listTexts(tree).map((text) => text.split('/').at(-1)));
  report.reportSkipped(file.name, `the filters of the topology are those of ${named}`, tree);
  for (const other of files.filter(({ name }) => names.has(name) && !report.isRead(name)))
    report.reportSkipped(other.name, `it belongs to ${file.name}`, parseList(other, report));
}

/** Whether the file has lines in the format of RegexURLFilter: `+expression` or `-expression`. */
const isFilterFile = ({ text }: ImportFile): boolean => /^[+-]/m.test(text);

function importSeeds(list: Node, { crawler, report }: Reading): void {
  const seeds = list.children.filter(({ text }) => isUrl(text.split('\t')[0]!.trim()));
  if (seeds.length === 0) throw new ImportError(`${list.place.split(':')[0]} contains no seeds`);
  appendAll(
    crawler.roots,
    seeds.map(({ text }) => text.split('\t')[0]!.trim()),
  );
  report.coverAll(seeds);
  report.reportTaken(pluralize(seeds.length, 'seed'), 'roots', seeds[0]);
  for (const seed of seeds.filter(({ text }) => text.includes('\t')))
    report.reportSkipped(seed.text.replace(/\t/g, ' '), 'the seed is taken, its metadata are not', seed);
}

/** Parsers of pages, with whose links a crawl goes on. */
const PAGE_PARSER = /JSoupParserBolt|tika\.\w*ParserBolt|ParserBolt$/;
const FEED_PARSER = /FeedParserBolt|SiteMapParserBolt/;

/** A topology that parses only feeds and sitemaps fetches their entries and goes no further. */
function limitToFeeds(topologies: readonly Node[], { crawler, report }: Reading): void {
  const bolts = topologies.flatMap((tree) =>
    tree.children
      .filter(({ name }) => name === 'bolts')
      .map((bolt) => ({ bolt, name: bolt.find('className')?.text ?? '' })),
  );
  const feedParser = bolts.find(({ name }) => FEED_PARSER.test(name));
  if (!feedParser || bolts.some(({ name }) => PAGE_PARSER.test(name) && !FEED_PARSER.test(name))) return;
  crawler.attributes['defaultFollow'] = 'false';
  crawler.maxHops = Math.min(crawler.maxHops ?? 1, 1);
  report.reportChanged(
    `bolt ${feedParser.name.split('.').at(-1)!}`,
    'the topology reads feeds and sitemaps only: their entries are crawled, the links of pages are NOT followed (defaultFollow, max-hops)',
    feedParser.bolt,
  );
}

const readCode = ({ text }: ImportFile): string => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '');

export function listJavaSeeds(file: ImportFile): string[] {
  const code = readCode(file);
  if (!/\.java$/.test(file.name) || !/new MemorySpout\(/.test(code)) return [];
  return [...code.matchAll(/"(https?:\/\/[^"\s]+)"/g)].map(([, url]) => url!).filter(isUrl);
}

/** Of a topology in Java, only which parts it has and the seeds that it spells out for a spout that keeps them in memory. */
function importJava(file: ImportFile, { crawler, report }: Reading): Node {
  const code = readCode(file);
  const seeds = listJavaSeeds(file);
  appendAll(crawler.roots, seeds);
  const place = `${file.name}:1`;
  const bolts = [...code.matchAll(/new (\w+Bolt)\(/g)].map(
    ([, name]) => new Node('bolts', '', [new Node('className', name!, [], place)], place),
  );
  const tree = report.addInput(file.name, new Node('topology', '', bolts, place));
  if (seeds.length > 0) report.reportTaken(pluralize(seeds.length, 'seed'), 'roots', tree);
  report.reportSkipped(
    file.name,
    'code is not converted, but the seeds that it spells out: list others in a file',
    tree,
  );
  return tree;
}

type SettingConverter = (value: string, crawler: ImportedCrawler) => string;

const createCopier =
  (part: 'attributes' | 'fetcher', name: string, factor = 1): SettingConverter =>
  (value, crawler) => {
    crawler[part][name] = factor === 1 ? value : String(Math.round(Number(value) * factor));
    return name;
  };

/** Settings whose value is a number. StormCrawler uses minutes for intervals, Crawlway seconds. */
const NUMBERS: Readonly<Record<string, SettingConverter>> = {
  'fetcher.server.delay': createCopier('attributes', 'throttleTimeMS', 1000),
  'fetcher.threads.number': createCopier('attributes', 'nthreads'),
  'http.timeout': createCopier('fetcher', 'headerTimeoutMS'),
  'fetchInterval.default': createCopier('attributes', 'smartRefreshMaxAgeS', 60),
  'scheduler.adaptive.fetchInterval.min': createCopier('attributes', 'smartRefreshMinAgeS', 60),
  'scheduler.adaptive.fetchInterval.max': createCopier('attributes', 'smartRefreshMaxAgeS', 60),
  'max.fetch.errors': (value, crawler) => {
    setPart(crawler, 'ErrorPolicy', { maxTemporaryErrors: value });
    return 'maxTemporaryErrors of cw:ErrorPolicy';
  },
  'fetchInterval.fetch.error': (value, crawler) => {
    setPart(crawler, 'ErrorPolicy', { retryDelayS: String(Math.max(1, Number(value) * 60)) });
    return 'retryDelayS of cw:ErrorPolicy';
  },
};

const TEXTS: Readonly<Record<string, SettingConverter>> = {
  ...AGENT_SETTINGS,
  'http.agent': (value, { fetcher }) => {
    fetcher['userAgent'] = value;
    return 'userAgent of Fetcher';
  },
};

const BOOLEANS: Readonly<Record<string, string>> = {
  'sitemap.discovery': 'crawlSitemaps',
  'http.robots.file.skip': 'ignoreRobotsTxt',
  'http.skip.robots': 'ignoreRobotsTxt',
};

const DIRECTIVES_NOTE = 'pages that say noindex are left out: rogue of LinkRules would ignore robots.txt, too';

const REASONS: Readonly<Record<string, string>> = {
  'fetchInterval.error': 'a page with a permanent error is deleted, and visited again only if a link to it is found',
  'indexer.url.fieldname': 'the field is named url: write a Map in the Sink to rename it',
  'indexer.text.fieldname': 'the field is named text: write a Map in the Sink to rename it',
  'http.robots.headers.skip': DIRECTIVES_NOTE,
  'http.robots.meta.skip': DIRECTIVES_NOTE,
  'parser.mimetype.whitelist': 'documents of other kinds are indexed, too: write MimeTypes',
  'http.trust.everything': 'set verifyCertificates of the Fetcher',
  'http.agent.description': 'contact of Fetcher tells site operators where to read about the crawl',
};

/** Returns the tree. Settings may also be at the top of the file, without `config:`. */
function importConfiguration(tree: Node, reading: Reading): Node {
  const { report } = reading;
  const config = tree.children.filter(({ name }) => name === 'config');
  const parts = new Set([
    'spouts',
    'bolts',
    'streams',
    'components',
    'includes',
    'name',
    'config',
    'className',
    'topologySource',
    'id',
  ]);
  const settings = [
    ...config.flatMap(({ children }) => children),
    ...tree.children.filter(({ name }) => !parts.has(name)),
  ];
  for (const { name, text } of settings) reading.settings.set(name, text);
  // A sink takes several settings at once.
  for (const node of settings) if (!node.isReported) importSetting(node, settings, reading);
  for (const node of tree.children)
    if (['spouts', 'bolts', 'streams', 'components', 'includes'].includes(node.name)) importTopologyPart(node, reading);
    else if (['name', 'className', 'id'].includes(node.name)) report.cover(node);
  return tree;
}

/** Seeds may be arguments of a spout that keeps them in memory. */
function importTopologyPart(node: Node, { crawler, report }: Reading): void {
  if (node.name === 'spouts') {
    const urls = findAll(node, 'constructorArgs').filter(({ text }) => isUrl(text));
    appendAll(
      crawler.roots,
      urls.map(({ text }) => text),
    );
    if (urls.length > 0) report.reportTaken(pluralize(urls.length, 'seed'), 'roots', ...urls);
  }
  const id = node.find('id')?.text ?? node.find('resource')?.text ?? node.find('name')?.text ?? '';
  report.reportSkipped(
    `${node.name.replace(/s$/, '')} ${id}`.trim(),
    'Crawlway has no topology; its server includes the corresponding parts',
    node,
  );
}

function importSetting(node: Node, all: readonly Node[], { crawler, report, files }: Reading): void {
  const { name } = node;
  const text = node.text.trim();
  const setting = `${name} = ${text}`.slice(0, 120);
  const address = /^(es|opensearch)\.(?:indexer\.)?addresses$/.exec(name);
  if (text.includes('${'))
    return void report.reportSkipped(setting, "a placeholder that the project's build fills in", node);
  if (/^http\.agent\.(?:url|email)$/.test(name) && isContact(text))
    return void takeContact(setting, text, node, crawler, report);
  if (address) return void importAddress(node, address[1]!, all, { crawler, report });
  if (name === 'parser.emitOutlinks' && text === 'false') {
    Object.assign(crawler.attributes, { defaultFollow: 'false', defaultFollowRoots: 'false' });
    return void report.reportChanged(setting, NO_LINKS_NOTE, node);
  }
  if (/^textextractor\.(?:include\.pattern|exclude\.tags)$/.test(name))
    return void importExtraction(name, all, { crawler, report });
  if (name === 'http.content.limit') return void report.reportChanged(setting, TRUNCATION_NOTE, node);
  if (name === 'indexer.md.mapping') return void importMapping(node, all, { crawler, report });
  if (name === 'urlfilters.config.file' && !files.some((file) => file.name === text.split('/').at(-1)))
    return void report.reportSkipped(setting, 'its filters are MISSING here: specify that file with the others', node);
  if (name === 'urlfilters.config.file') return void report.reportTaken(setting, 'its filters', node);
  if ((name === 'fetcher.queue.mode' || name === 'partition.url.mode') && POLITENESS[text.toLowerCase()]) {
    if (name === 'fetcher.queue.mode') crawler.attributes['politenessBy'] = POLITENESS[text.toLowerCase()]!;
    return void report.reportTaken(setting, 'politenessBy', node);
  }
  if (Object.hasOwn(BOOLEANS, name) && /^(?:true|false)$/.test(text)) {
    crawler.attributes[BOOLEANS[name]!] = text;
    return void report.reportTaken(setting, BOOLEANS[name]!, node);
  }
  const isNumber = Object.hasOwn(NUMBERS, name);
  if (isNumber && Number(text) === -1) return void report.reportTaken(setting, "Crawlway's default", node);
  if (isNumber && /^\d+(?:\.\d+)?$/.test(text))
    return void report.reportTaken(setting, NUMBERS[name]!(text, crawler), node);
  if (Object.hasOwn(TEXTS, name) && text !== '')
    return void report.reportTaken(setting, TEXTS[name]!(text, crawler), node);
  report.reportSkipped(
    // The name of a class says what it is for.
    /\.(?:implementation|class)$/.test(name) ? setting : name,
    REASONS[name] ?? (text === '' && node.children.length === 0 ? 'it is empty' : NO_COUNTERPART),
    node,
  );
}

type Part = Pick<Reading, 'crawler' | 'report'>;

function importAddress(node: Node, product: string, all: readonly Node[], { crawler, report }: Part): void {
  const find = (part: string): Node | undefined => all.find(({ name }) => name === `${product}.indexer.${part}`);
  const [indexName, user, password] = [find('index.name'), find('user'), find('password')];
  const login = user?.text;
  const url = (node.text || node.children[0]?.text || '').split(',')[0]!.trim();
  crawler.sink = {
    type: product === 'es' ? 'elasticsearch' : 'opensearch',
    url: isUrl(url) ? url : `http://${url}`,
    index: indexName?.text ?? 'content',
    ...(login ? { login, secret: 'password' } : {}),
  };
  const secret = login ? '; its password comes from CRAWLWAY_SECRET_SINK' : '';
  report.reportChanged(node.name, `Sink main, with Crawlway's field names${secret}`, node, indexName, user, password);
}

/** Selectors of what is text, and elements that are not. */
function importExtraction(name: string, all: readonly Node[], { crawler, report }: Part): void {
  const element = name === 'textextractor.exclude.tags' ? 'Exclude' : 'Include';
  for (const node of all.filter((one) => one.name === name && !one.isReported)) {
    const select = node.text.trim();
    if (!isSelector(select)) {
      report.reportSkipped(`${name} ${select}`.trim(), `write it as CSS in a cw:${element}`, node);
      continue;
    }
    const elements = [...(crawler.contents[0]?.elements ?? []), { element, attributes: { select } }];
    crawler.contents[0] = { elements };
    const note = 'cw:Include: with everything that any of them selects, where StormCrawler takes the first that does';
    if (element === 'Exclude') report.reportTaken(`${name} ${select}`, 'cw:Exclude', node);
    else report.reportChanged(`${name} ${select}`, note, node);
  }
}

/** `parse.title=title` in a list, or as a mapping: metadata and the field for each. */
function importMapping(node: Node, all: readonly Node[], { crawler, report }: Part): void {
  const nodes = all.filter(({ name, isReported }) => name === 'indexer.md.mapping' && !isReported);
  const pairs = nodes.flatMap(({ text, children }) =>
    text === '' ? children.map((child) => [child.name, child.text]) : [text.split('=')],
  );
  for (const [key = '', field = ''] of pairs) {
    const meta = key
      .replace(/^parse\./, '')
      .replace(/\[\d+\]$/, '')
      .trim();
    if (meta !== field.trim() && meta !== '' && field.trim() !== '')
      crawler.maps.push({ field: meta, rename: field.trim() });
  }
  report.reportChanged('indexer.md.mapping', 'cw:Map of the Sink, by the names of the metas of a page', node, ...nodes);
}

function importJson(file: ImportFile, reading: Reading): void {
  const tree = parseYaml(file, reading.report);
  const filters = tree.children.filter(({ name }) => /urlfilters/i.test(name));
  if (filters.length > 0) for (const filter of filters) importFilter(filter, reading);
  else if (findAll(tree, 'scope').length > 0)
    reading.report.reportSkipped(file.name, 'no FastURLFilter names this file', tree);
  else if (tree.children.some(({ name }) => /parsefilters|jsoupfilters/i.test(name))) importParseFilters(tree, reading);
}

/** XPathFilter and ContentFilter have counterparts only for CSS; their expressions are XPath. */
function importParseFilters(tree: Node, { report }: Reading): void {
  for (const filter of tree.children) {
    const kind = filter.find('class')?.text.split('.').at(-1) ?? filter.name;
    report.reportSkipped(
      kind,
      /XPath|Content/.test(kind)
        ? 'XPath: write its expressions as CSS selectors in Field and Include elements of cw:Content'
        : NO_COUNTERPART,
      filter,
    );
  }
}

const FILTERS: Readonly<Record<string, (filter: Node, reading: Reading) => void>> = {
  RegexURLFilter: importRegexFilter,
  FastURLFilter: importFastFilter,
  BasicURLNormalizer: (filter, { report }) => {
    const removed = (filter.find('params')?.children ?? []).filter(({ name }) => name === 'queryElementsToRemove');
    for (const parameter of removed)
      report.reportSkipped(
        `queryElementsToRemove ${parameter.text}`,
        'pages with this parameter are other pages, unless it is one of a session: see Canonicalization in docs/reference.md',
        parameter,
      );
    report.reportChanged(
      'BasicURLNormalizer',
      'URLs are always normalized; see Canonicalization in docs/reference.md',
      filter,
    );
  },
  SelfURLFilter: (filter, { report }) =>
    report.reportTaken(
      'SelfURLFilter',
      "Crawlway does not store a page's link to itself, because its URL is already known",
      filter,
    ),
  RegexURLNormalizer: (filter, { report }) =>
    report.reportSkipped(
      'RegexURLNormalizer',
      'URLs are normalized by the steps of Canonicalization in docs/reference.md only',
      filter,
    ),
  RobotsFilter: (filter, { report }) =>
    report.reportTaken('RobotsFilter', 'robots.txt is obeyed before each visit', filter),
  SitemapFilter: (filter, { report }) =>
    report.reportSkipped('SitemapFilter', 'links of pages are followed beside the sitemap', filter),
  MaxDepthFilter: (filter, { crawler, report }) => {
    const depth = Number(filter.find('params')?.find('maxDepth')?.text ?? -1);
    if (depth >= 0) crawler.maxHops = depth;
    report.reportTaken('MaxDepthFilter', 'option max-hops', filter);
  },
  HostURLFilter: (filter, reading) => {
    const params = filter.find('params');
    const isHost = params?.find('ignoreOutsideHost')?.text === 'true';
    const isDomain = !isHost && params?.find('ignoreOutsideDomain')?.text === 'true';
    if (isHost || isDomain) {
      reading.scope = isHost ? 'host' : 'domain';
      reading.filterCount++;
    }
    const note = isHost
      ? 'the crawl stays on the hosts of its seeds'
      : isDomain
        ? 'the crawl stays in the domains of its seeds'
        : 'it is off';
    reading.report.reportChanged('HostURLFilter', note, filter);
  },
  BasicURLFilter: (filter, { crawler, report }) => {
    const params = filter.find('params');
    const repetition = Number(params?.find('maxPathRepetition')?.text ?? 3);
    if (repetition > 1) setPart(crawler, 'Traps', { maxRepeatedSegments: String(repetition - 1) });
    const length = Number(params?.find('maxLength')?.text ?? -1);
    if (length > 0) setPart(crawler, 'LinkRules', { maxUrlLength: String(Math.min(65_536, length)) });
    report.reportChanged(
      'BasicURLFilter',
      'maxRepeatedSegments of cw:Traps, which looks at the path only, and maxUrlLength of cw:LinkRules',
      filter,
    );
  },
};

function importFilter(filter: Node, reading: Reading): void {
  const kind = filter.find('class')?.text.split('.').at(-1) ?? '';
  const { report, files } = reading;
  const convert = FILTERS[kind];
  if (convert) convert(filter, reading);
  else report.reportSkipped(kind, 'a filter of this kind has no counterpart; write its rules as Rules', filter);
  const params = filter.find('params')?.children.map(({ text }) => text.split('/').at(-1)) ?? [];
  for (const file of files.filter(({ name }) => params.includes(name) && !report.isRead(name)))
    report.reportSkipped(file.name, `it belongs to ${kind}`, parseList(file, report));
}

function importRegexFilter(filter: Node, reading: Reading): void {
  const { crawler, report, files } = reading;
  const params = filter.find('params');
  const inline = (params?.children ?? []).filter(({ name }) => name === 'urlFilters');
  const fileName = params?.find('regexFilterFile')?.text ?? 'default-regex-filters.txt';
  const file = files.find(({ name }) => name === fileName);
  report.cover(filter);
  if (inline.length === 0 && !file)
    throw new ImportError(`RegexURLFilter has its rules in ${fileName}: specify this file, too`);
  const lines = inline.length > 0 ? { ...filter, children: inline } : parseList(file!, report);
  reading.filterCount++;
  importSignedRules(lines as Node, 'find', crawler, report);
}

/** The first pattern of a scope that matches decides for the scope; a URL is rejected if any scope rejects it. */
function importFastFilter(filter: Node, reading: Reading): void {
  const { crawler, report, files, settings } = reading;
  const fileName =
    filter.find('params')?.find('file')?.text ?? settings.get('fast.urlfilter.file') ?? 'fast.urlfilter.json';
  const file = files.find(({ name }) => name === fileName.split('/').at(-1));
  if (!file) throw new ImportError(`FastURLFilter has its rules in ${fileName}: specify this file, too`);
  const tree = parseYaml(file, report);
  const scopes = tree.children.flatMap((node) => (node.find('scope') ? [node] : node.children));
  const names = scopes.map((scope) => scope.find('scope')?.text.trim() ?? '');
  scopes.forEach((scope, index) => {
    const isReplaced = names.includes(names[index]!, index + 1) && names[index] !== '';
    if (isReplaced) report.reportSkipped(names[index]!, 'a later list for the same scope replaces it', scope);
    else importScope(scope, crawler, report);
  });
  report.reportTaken('FastURLFilter', `Rules for ${pluralize(scopes.length, 'scope')}`, filter);
}

function importScope(scope: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const [, kind = '', value = ''] =
    /^(GLOBAL|domain:|host:|metadata:)(.*)$/.exec(scope.find('scope')?.text.trim() ?? '') ?? [];
  if (kind === '' || kind === 'metadata:')
    return void report.reportSkipped(scope.find('scope')?.text ?? 'scope', 'URLs have no metadata in Crawlway', scope);
  const where: Match | undefined =
    kind === 'GLOBAL'
      ? undefined
      : kind === 'host:'
        ? { kind: 'exact', field: 'host', value }
        : { kind: 'domain', value };
  let denied: Match | undefined;
  const patterns = scope.children.filter(({ name }) => name === 'patterns');
  // The last pattern is the innermost: what it denies is what no earlier one allows.
  for (const { text } of [...patterns].reverse()) {
    const [, verb = '', query, expression = ''] = /^(allow|deny)path(query)? (.*)$/i.exec(text) ?? [];
    if (verb === '') continue;
    const match = createPathMatch(expression.trim(), query !== undefined);
    if (/deny/i.test(verb)) denied = denied ? { any: [match, denied] } : match;
    else if (denied) denied = { all: [{ not: match }, denied] };
  }
  if (denied) crawler.filters.push({ not: where ? { all: [where, denied] } : denied });
  report.reportTaken(scope.find('scope')!.text, pluralize(patterns.length, 'pattern'), scope);
}
