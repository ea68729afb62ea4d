/** Norconex HTTP Collector 2 and 3 (XML), and Norconex Crawler 4 (XML and YAML). */

import {
  appendAll,
  createCrawler,
  HOUR_S,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  type ReadBeside,
  ROUND_NOTE,
  SITEMAP_NOTE,
  setPart,
  splitLines,
  splitSolrUrl,
} from '../model.js';
import { escapeRegExp, isSupported, NOT_LINEAR, NOTHING } from '../patterns.js';
import { findAll, findFirst, findSetting, Node, parseList, parseXml, parseYaml } from '../tree.js';
import { expandTemplate, parseProperties } from '../velocity-template.js';
import { importHandlers } from './norconex-handlers.js';

export function readNorconex(
  files: readonly ImportFile[],
  report: ImportReport,
  readBeside: ReadBeside,
): ImportedCrawler[] {
  const { tree, lists } = parseFiles(files, report, readBeside);
  const crawlers = findAll(tree, 'crawlers').flatMap((node) => node.children.filter(({ name }) => name === 'crawler'));
  const crawlerNodes =
    crawlers.length > 0 ? crawlers : findAll(tree, 'crawlers').filter(({ children }) => children.length > 0);
  const nodes = crawlerNodes.length > 0 ? crawlerNodes : [tree];
  const defaults = findFirst(tree, 'crawlerDefaults');
  const results = nodes.map((node) => toCrawler(defaults ? addDefaults(node, defaults) : node, lists, report));
  for (const setting of defaults?.children ?? [])
    if (!hasReportedPart(setting) && nodes.every((node) => node.find(setting.name)))
      report.reportSkipped(setting.name, 'a default that each crawler replaces', setting);
  if (!results.some(({ roots }) => roots.length > 0) && !findFirst(tree, 'startURLs', 'startReferences', 'start'))
    throw new ImportError(`${tree.place.split(':')[0]} contains no crawler with start URLs`);
  return results;
}

type Lists = ReadonlyMap<string, Node>;

/** The configuration with its variables and included files. */
export const parseConfiguration = (files: readonly ImportFile[], report: ImportReport, readBeside: ReadBeside): Node =>
  parseFiles(files, report, readBeside).tree;

/** The configuration is the first file that is neither a list nor a set of variables. */
function parseFiles(
  files: readonly ImportFile[],
  report: ImportReport,
  readBeside: ReadBeside,
): { tree: Node; lists: Lists } {
  const isVariables = ({ name }: ImportFile): boolean => /\.(?:variables|properties)$/.test(name);
  const main = files.find((file) => !isVariables(file));
  if (!main) throw new ImportError('no file was given');
  const baseName = main.name.replace(/\.[^.]*$/, '');
  const beside = ['variables', 'properties']
    .map((ending) => `${baseName}.${ending}`)
    .filter((name) => !files.some((file) => file.name === name))
    .flatMap((name) => readBeside(name) ?? []);
  const variables = new Map<string, string>();
  for (const file of [...beside, ...files.filter(isVariables)]) {
    for (const [name, value] of parseProperties(file.text)) variables.set(name, value);
    const list = parseList(file, report);
    report.reportTaken(pluralize(variables.size, 'variable'), 'their values', list);
  }
  const findFile = (path: string): ImportFile | undefined =>
    files.find(({ name }) => name === path.split(/[\\/]/).at(-1)) ?? readBeside(path);
  const expanded = expandTemplate(main, variables, findFile);
  const tree = /^\s*</.test(expanded.text.replace(/^\uFEFF/, ''))
    ? parseXml(expanded, report)
    : parseYaml(expanded, report);
  const lists = new Map<string, Node>();
  for (const file of files)
    if (expanded.used.has(file.name)) report.addInput(file.name, tree);
    else if (file !== main && !isVariables(file)) lists.set(file.name, parseList(file, report));
  return { tree, lists };
}

/** A crawler has the defaults that it does not set itself; of its start URLs, attribute by attribute. */
function addDefaults(node: Node, defaults: Node): Node {
  const names = new Set(node.children.map(({ name }) => name));
  return new Node(
    node.name,
    node.text,
    [
      ...node.children.map((child) => {
        const standard = child.name === 'startURLs' ? defaults.find('startURLs') : undefined;
        return standard ? addDefaults(child, standard) : child;
      }),
      ...defaults.children.filter(({ name }) => !names.has(name)),
    ],
    node.place,
    [...node.attributeNodes, ...defaults.attributeNodes.filter(({ name }) => !Object.hasOwn(node.attributes, name))],
  );
}

function toCrawler(node: Node, lists: Lists, report: ImportReport): ImportedCrawler {
  const crawler: ImportedCrawler = { ...createCrawler(findSetting(node, 'id') ?? 'norconex'), staysOnSite: false };
  importStartUrls(node, crawler, lists, report);
  importDelay(node, crawler, report);
  for (const [name, importNode] of Object.entries(SETTINGS)) {
    const setting = findFirst(node, name);
    if (setting) importNode(setting, crawler, report);
  }
  // A fetcher's own filters choose the fetcher of a page.
  const ofFetchers = findAll(node, 'fetcher').flatMap((fetcher) => findAll(fetcher, 'referenceFilters'));
  for (const filters of findAll(node, 'referenceFilters', 'httpURLFilters').filter(
    (one) => !ofFetchers.includes(one),
  )) {
    for (const filter of findFilters(filters)) importFilter(filter, crawler, report);
  }
  importDocumentFilters(node, crawler, report);
  importHandlers(node, crawler, report);
  // Logins and proxies are among its parts.
  for (const part of findAll(node, 'httpClientFactory').flatMap(({ children }) => children))
    if (!hasReportedPart(part)) report.reportSkipped(part.name, NO_COUNTERPART, part);
  importCommitter(node, crawler, report);
  for (const [name, reason] of Object.entries(SKIPPED))
    for (const part of findAll(node, name))
      if (part !== node && !part.isReported && !hasReportedPart(part)) report.reportSkipped(name, reason, part);
  return crawler;
}

const hasReportedPart = (node: Node): boolean =>
  node.isReported || [...node.children, ...node.attributeNodes].some(hasReportedPart);

const SKIPPED: Readonly<Record<string, string>> = {
  workDir: 'the data directory is chosen when the server starts: crawlway serve --data',
  orphansStrategy: 'pages that are no longer linked are refreshed like others, and deleted when they are gone',
  maxDocuments: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  authentication: 'write a Credential or a Login in the Fetcher (docs/logins.md); passwords are not copied',
  proxySettings: 'write a Proxy in the Fetcher; passwords are not copied',
  urlNormalizer: 'URLs are always normalized; see Canonicalization in docs/reference.md',
  linkExtractors: 'Crawlway follows the links in all documents that it reads',
  canonicalLinkDetector:
    'a page that names another one as canonical is left to that one, which CHANGES what is indexed if this was ignored',
  metadataFilters: 'write MimeTypes, or Rules for URLs',
  documentFilters: 'write MimeTypes, or Rules for URLs',
  documentChecksummer: 'changeDetection of cw:Content says what makes a page count as changed',
  keepDownloads: 'a Sink of type warc keeps what was fetched',
};

type SettingReader = (node: Node, crawler: ImportedCrawler, report: ImportReport) => void;

/** Reads a whole number, or reports that the text is none. */
const createNumberReader =
  (note: string, use: (value: number, crawler: ImportedCrawler) => void): SettingReader =>
  (node, crawler, report) => {
    const value = /^\d{1,9}$/.test(node.text) ? Number(node.text) : undefined;
    if (value === undefined)
      return void report.reportSkipped(`${node.name} ${node.text}`, 'it is no number, or no limit', node);
    use(value, crawler);
    report.reportTaken(`${node.name} ${value}`, note, node);
  };

const isIgnored = (node: Node): boolean => findSetting(node, 'ignore') === 'true';

/** In the YAML of version 4, a part may be switched off by `null`. */
function reportNull(node: Node, attribute: string, report: ImportReport): boolean {
  const isNull = /\.ya?ml:\d+$/.test(node.place) && node.text === '' && node.children.length === 0;
  if (isNull) report.reportSkipped(`${node.name}: null`, `${attribute} is left as it is`, node);
  return isNull;
}

const importSitemap: SettingReader = (node, { attributes }, report) => {
  if (reportNull(node, 'crawlSitemaps', report)) return;
  if (isIgnored(node)) attributes['crawlSitemaps'] = 'false';
  report.reportTaken(`${node.name}${isIgnored(node) ? ' ignore="true"' : ''}`, 'crawlSitemaps', node);
};

const importTimeout =
  (attribute: string): SettingReader =>
  (node, { fetcher }, report) => {
    const time = parseDuration(node.text);
    if (time === undefined || time === 0)
      return void report.reportSkipped(`${node.name} ${node.text}`, 'it is no duration', node);
    fetcher[attribute] = String(time);
    report.reportTaken(`${node.name} ${node.text}`, `${attribute} of Fetcher`, node);
  };

const SETTINGS: Readonly<Record<string, SettingReader>> = {
  numThreads: createNumberReader('nthreads', (value, { attributes }) => {
    attributes['nthreads'] = String(Math.min(1000, Math.max(1, value)));
  }),
  maxDepth: createNumberReader('option max-hops', (value, crawler) => {
    crawler.maxHops = Math.min(65_535, value);
  }),
  maxRedirects: createNumberReader('maxRedirects of Fetcher', (value, { fetcher }) => {
    fetcher['maxRedirects'] = String(Math.min(100, value));
  }),
  robotsTxt: importRobots,
  robotsTxtProvider: importRobots,
  sitemapResolver: importSitemap,
  sitemapResolverFactory: importSitemap,
  userAgent: (node, { fetcher }, report) => {
    if (node.text === '') return void report.reportSkipped('userAgent', 'it is empty', node);
    fetcher['userAgent'] = node.text;
    report.reportTaken(`userAgent ${node.text}`, 'userAgent of Fetcher', node);
  },
  robotsMeta: (node, { attributes, parts }, report) => {
    if (!isIgnored(node)) return void report.reportTaken('robotsMeta', 'robots meta tags are obeyed', node);
    if (attributes['ignoreRobotsTxt'] !== 'true')
      return void report.reportSkipped(
        'robotsMeta ignore="true"',
        'pages that say noindex are left out: rogue of LinkRules would ignore robots.txt, too',
        node,
      );
    parts['LinkRules'] = { ...parts['LinkRules'], rogue: 'true' };
    report.reportTaken('robotsMeta ignore="true"', 'rogue of LinkRules', node);
  },
  connectionTimeout: importTimeout('connectTimeoutMS'),
  socketTimeout: importTimeout('bodyTimeoutMS'),
  trustAllSSLCertificates: (node, { fetcher }, report) => {
    if (node.text === 'true') fetcher['verifyCertificates'] = 'false';
    report.reportTaken(`trustAllSSLCertificates ${node.text}`, 'verifyCertificates of Fetcher', node);
  },
  cookiesDisabled: (node, { fetcher }, report) => {
    if (node.text === 'true') fetcher['cookies'] = 'false';
    report.reportTaken(`cookiesDisabled ${node.text}`, 'cookies of Fetcher', node);
  },
  recrawlableResolver: importFrequencies,
  urlNormalizer: importNormalizations,
};

/** Steps of cw:Canonicalization by the names of normalizations in lower case, and those that always happen. */
const STEPS: Readonly<Record<string, string>> = {
  removesessionids: 'remove-session-ids',
  removetrailingquestionmark: 'remove-empty-query',
  lowercasepath: 'lower-case-path',
  sortqueryparameters: 'sort-parameters',
  removedirectoryindex: 'remove-default-document',
  removetrailingslash: 'remove-trailing-slash',
  removeduplicateslashes: 'collapse-slashes',
};
const ALWAYS =
  /^(?:removefragment|removetrailinghash|removetrailingfragment|removedefaultport|removedotsegments|lowercaseschemehost|uppercaseescapesequence|decodeunreservedcharacters|encodenonuricharacters|encodespaces)$/;
/** What happens without a setting, and stays beside what one names. */
const STANDARD_STEPS = ['remove-trailing-dot', 'remove-session-ids', 'remove-empty-query'];

function importNormalizations(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const names = findAll(node, 'normalizations').flatMap(({ text }) => text.split(',').map((name) => name.trim()));
  const steps = new Set(STANDARD_STEPS);
  for (const name of names.filter((one) => one !== '')) {
    const key = name.replace(/_/g, '').toLowerCase();
    const step = STEPS[key];
    if (step !== undefined) steps.add(step);
    if (step !== undefined || ALWAYS.test(key))
      report.reportTaken(`urlNormalizer ${name}`, step ?? 'URLs are always normalized so', node);
    else report.reportSkipped(`urlNormalizer ${name}`, 'no step of Canonicalization does this', node);
  }
  for (const replacement of findAll(node, 'replace', 'replacements'))
    if (replacement.find('match'))
      report.reportSkipped(
        `urlNormalizer replacement ${replacement.find('match')!.text}`,
        'no step of Canonicalization does this',
        replacement,
      );
  if (steps.size > STANDARD_STEPS.length) setPart(crawler, 'Canonicalization', { steps: [...steps].join(' ') });
}

function importRobots(node: Node, { attributes }: ImportedCrawler, report: ImportReport): void {
  if (reportNull(node, 'ignoreRobotsTxt', report)) return;
  if (isIgnored(node)) attributes['ignoreRobotsTxt'] = 'true';
  report.reportTaken(`${node.name}${isIgnored(node) ? ' ignore="true"' : ''}`, 'ignoreRobotsTxt', node);
}

const FREQUENCIES_S: Readonly<Record<string, number>> = {
  always: 0,
  hourly: 3600,
  daily: 86_400,
  weekly: 604_800,
  monthly: 2_592_000,
  yearly: 31_536_000,
  never: 3_153_600_000,
};

/** The expression of a matcher by its method; without a matcher, it is an expression already. */
function toExpression(matcher: Node | undefined, value: string): string {
  const method = matcher ? (findSetting(matcher, 'method') ?? 'basic').toLowerCase() : 'regex';
  const isPartial = matcher !== undefined && findSetting(matcher, 'partial') === 'true';
  return toPatterns('ReferenceFilter', method, value, isPartial)
    .map(({ kind, value: text }) =>
      kind === 'regex' ? text : kind === 'exact' ? `^${escapeRegExp(text)}$` : escapeRegExp(text),
    )
    .join('|');
}

/** `minFrequency`: how long a document is left alone, for URLs that an expression matches. */
function importFrequencies(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const frequency of findAll(node, 'minFrequency', 'minFrequencies').filter(
    ({ children }) => children.length === 0 || findFirst(node, 'matcher'),
  )) {
    const value = findSetting(frequency, 'value') ?? '';
    const seconds = FREQUENCIES_S[value] ?? Math.round((parseDuration(value) ?? Number.NaN) / 1000);
    const matcher = findFirst(frequency, 'matcher');
    const expression = frequency.text || (matcher && (findSetting(matcher, 'pattern') ?? matcher.text)) || '';
    const setting = `minFrequency ${value} ${expression}`;
    if (findSetting(frequency, 'applyTo') === 'contentType' || !Number.isFinite(seconds) || expression === '')
      report.reportSkipped(setting, 'only frequencies for URLs have a counterpart', frequency);
    else if (seconds < HOUR_S) report.reportChanged(setting, ROUND_NOTE, frequency);
    else {
      const option = (name: string) => ({
        element: 'option',
        attributes: { name, value: String(seconds) },
        children: [],
      });
      crawler.conditions.push({
        element: 'apply-for',
        attributes: { test: 'regex', field: 'url', value: toExpression(matcher, expression) },
        children: [option('refresh-minimum-age-s'), option('refresh-maximum-age-s')],
      });
      report.reportTaken(setting, 'options refresh-minimum-age-s and refresh-maximum-age-s', frequency);
    }
  }
  if (findSetting(node, 'sitemapSupport') !== undefined)
    report.reportSkipped(
      'sitemapSupport',
      'dates in sitemaps are claims, which are checked',
      node.find('sitemapSupport'),
    );
}

function importStartUrls(node: Node, crawler: ImportedCrawler, lists: Lists, report: ImportReport): void {
  const start = findFirst(node, 'startURLs', 'startReferences', 'start') ?? node;
  const urls = [...findAll(start, 'url', 'ref'), ...findAll(node, 'startReferences', 'startURLs')].filter(({ text }) =>
    isUrl(text.trim()),
  );
  appendAll(crawler.roots, new Set(urls.map(({ text }) => text.trim())));
  report.coverAll(urls.filter(({ children, attributeNodes }) => children.length + attributeNodes.length === 0));
  for (const file of [...findAll(start, 'urlsFile', 'refsFile'), ...findAll(node, 'startReferencesFiles')]) {
    const list = lists.get(file.text.split(/[\\/]/).at(-1)!);
    if (list) appendAll(crawler.roots, list.children.map(({ text }) => text).filter(isUrl));
    if (list) report.reportTaken(`${file.name} ${file.text}`, 'roots', file, list);
    else
      report.reportSkipped(
        `${file.name} ${file.text}`,
        'to import its URLs as roots, specify the file after the configuration',
        file,
      );
  }
  for (const sitemap of [...findAll(start, 'sitemap', 'sitemapsFile'), ...findAll(node, 'startReferencesSitemaps')]) {
    if (!isUrl(sitemap.text)) continue;
    crawler.roots.push(sitemap.text);
    crawler.sitemaps.push(sitemap.text);
    report.reportChanged(`sitemap ${sitemap.text}`, SITEMAP_NOTE, sitemap);
  }
  importScope(node, start, crawler, report);
}

const SCOPES = ['stayOnDomain', 'stayOnHost', 'stayOnPort', 'stayOnProtocol', 'includeSubdomains'] as const;

function importScope(node: Node, start: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const scope = findFirst(node, 'urlScopeResolver', 'referenceScopeResolver') ?? start;
  const is = (name: (typeof SCOPES)[number]): boolean => findSetting(scope, name) === 'true';
  const settings = SCOPES.filter(is);
  const matches = [...new Set(crawler.roots.map((url) => new URL(url).origin))].map((origin): Match => {
    const { hostname, protocol, port } = new URL(origin);
    const all: Match[] = [];
    if (is('stayOnDomain') || is('stayOnHost'))
      all.push(
        is('includeSubdomains')
          ? { kind: 'domain', value: hostname }
          : { kind: 'exact', field: 'host', value: hostname },
      );
    if (is('stayOnProtocol')) all.push({ kind: 'prefix', value: `${protocol}//` });
    if (is('stayOnPort')) {
      const withPort = (digits: string): Match => ({ kind: 'regex', value: `^[a-z]+://[^/]*:${digits}/` });
      all.push(
        ...(port === ''
          ? [{ kind: 'prefix', value: `${protocol}//` } as const, { not: withPort('\\d+') }]
          : [withPort(port)]),
      );
    }
    return all.length === 1 ? all[0]! : { all };
  });
  if (settings.some((name) => name !== 'includeSubdomains')) {
    if (matches.length > 0) crawler.filters.push({ any: matches });
    else crawler.staysOnSite = true;
  }
  report.cover(...SCOPES.map((name) => scope.find(name)));
  report.reportTaken(
    pluralize(crawler.roots.length, 'start URL'),
    settings.length === 0 ? 'roots' : `roots; a Rule for ${settings.join(', ')}`,
    start === node ? undefined : start.attributeNodes[0],
  );
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millis: 1,
  millisecond: 1,
  milliseconds: 1,
  second: 1000,
  seconds: 1000,
  sec: 1000,
  s: 1000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  m: 60_000,
  hour: 3_600_000,
  hours: 3_600_000,
  h: 3_600_000,
  day: 86_400_000,
  days: 86_400_000,
  d: 86_400_000,
};

/** In milliseconds: `5000`, `5 seconds`, `1 minute 30 seconds`, `PT5S`. */
function parseDuration(text: string): number | undefined {
  const source = text.trim().replace(/^PT(?=\d)/i, '');
  const parts = [...source.matchAll(/(\d+)\s*([a-z]*)[\s,]*/gi)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== source) return undefined;
  const times = parts.map(
    ([, amount, unit = '']) => Number(amount) * (UNITS[(unit || 'ms').toLowerCase()] ?? Number.NaN),
  );
  const total = times.reduce((sum, time) => sum + time, 0);
  return Number.isFinite(total) ? total : undefined;
}

/** Pauses for some hours or URLs: the longest is never too short. */
function importDelaySchedules(delay: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const schedule of findAll(delay, 'schedule', 'pattern', 'schedules')) {
    const time = parseDuration(schedule.find('delay')?.text ?? schedule.text);
    if (time === undefined) continue;
    crawler.attributes['throttleTimeMS'] = String(Math.max(time, Number(crawler.attributes['throttleTimeMS'] ?? 3000)));
    report.reportChanged(
      `delay ${schedule.name} ${time} ms`,
      'throttleTimeMS: the longest of the pauses, always',
      schedule,
    );
  }
}

function importDelay(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const delay = findFirst(node, 'delay', 'delayResolver');
  if (!delay) return;
  importDelaySchedules(delay, crawler, report);
  const setting = delay.find('default') ?? delay.find('defaultDelay');
  if (!setting) return;
  const time = parseDuration(setting.text);
  if (time === undefined)
    return void report.reportSkipped(
      `delay ${setting.text}`,
      'the duration must be a number with a unit of milliseconds, seconds or minutes',
      setting,
    );
  crawler.attributes['throttleTimeMS'] = String(Math.max(time, Number(crawler.attributes['throttleTimeMS'] ?? 0)));
  const scope = findSetting(delay, 'scope');
  const covered = [setting, delay.find('scope'), delay.find('ignoreRobotsCrawlDelay')];
  if (scope && !/site/i.test(scope))
    report.reportChanged(
      `delay scope ${scope}`,
      'in Crawlway, the pause applies between two requests to one web server',
      ...covered,
    );
  else report.reportTaken(`delay ${setting.text}`, 'throttleTimeMS', ...covered);
}

function findFilters(filters: Node): Node[] {
  const nestedFilters = findAll(filters, 'filter').filter((filter) => filter !== filters);
  if (nestedFilters.length > 0) return nestedFilters;
  return filters.children.length > 0 || findSetting(filters, 'class') ? [filters] : [];
}

/** A list, or a text with commas. */
function readExtensions(filter: Node): string | undefined {
  const listed = [...filter.attributeNodes, ...filter.children].filter(({ name }) => name === 'extensions');
  return listed.length === 0 ? undefined : listed.map(({ text }) => text).join(',');
}

const getKind = (filter: Node): string => findSetting(filter, 'class')?.split('.').at(-1) ?? '';

const isExcluding = (filter: Node): boolean => /^exclude$/i.test(findSetting(filter, 'onMatch') ?? 'include');

/** What later filters, and those of the importer, say about a URL: the links of such a page have been taken by then. */
function importDocumentFilters(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const isAboutUrls = (filter: Node): boolean =>
    /Reference\w*Filter$|URLFilter$/.test(getKind(filter)) && findFirst(filter, 'restrictTo') === undefined;
  const filters = [
    ...findAll(node, 'documentFilters').flatMap(findFilters),
    ...findAll(node, 'importer').flatMap((importer) => findAll(importer, 'handler', 'filter')),
  ].filter((filter) => /Filter$/.test(getKind(filter)));
  // One of those that include is enough, whatever it looks at.
  const isOnlyAboutUrls = filters.every((filter) => isExcluding(filter) || isAboutUrls(filter));
  const lists = { include: [] as Pattern[], exclude: [] as Pattern[] };
  for (const filter of filters)
    if (isAboutUrls(filter) && (isExcluding(filter) || isOnlyAboutUrls)) importFilter(filter, lists, report, 'NoIndex');
  for (const branch of findAll(node, 'importer').flatMap((one) => findAll(one, 'if', 'ifNot'))) {
    const [condition, then, ...others] = branch.children;
    const isAboutUrl = /ReferenceCondition$/.test(condition ? getKind(condition) : '');
    if (!isAboutUrl || others.length > 0 || then?.children.map(({ name }) => name).join() !== 'reject') continue;
    // What is rejected is what a filter excludes; ifNot rejects everything else, each by itself.
    const own = { include: [] as Pattern[], exclude: [] as Pattern[] };
    importFilter(condition!, own, report, 'NoIndex', branch.name === 'if');
    if (own.include.length > 0) crawler.noIndex.push({ not: { any: own.include } });
    lists.exclude.push(...own.exclude);
    report.cover(branch);
  }
  crawler.noIndex.push(...lists.exclude);
  if (lists.include.length > 0) crawler.noIndex.push({ not: { any: lists.include } });
}

type FilterLists = Pick<ImportedCrawler, 'include' | 'exclude'>;

function importFilter(
  filter: Node,
  lists: FilterLists,
  report: ImportReport,
  action?: string,
  excludes = isExcluding(filter),
): void {
  const kind = getKind(filter);
  const matcher = findFirst(filter, 'valueMatcher') ?? filter;
  const value =
    findSetting(matcher, 'pattern') ??
    findSetting(filter, 'regex') ??
    readExtensions(filter) ??
    (matcher.text || filter.text);
  const isPartial = findSetting(matcher, 'partial') === 'true';
  const patterns = toPatterns(kind, (findSetting(matcher, 'method') ?? '').toLowerCase(), value, isPartial);
  if (patterns.length === 0)
    return void report.reportSkipped(
      `${kind || 'filter'} ${value}`,
      'a filter of this kind has no counterpart for URLs',
      filter,
    );
  const setting = `${excludes ? 'exclude' : 'include'} ${value}`;
  if (!patterns.every(isSupported)) {
    // A URL still has to match one of the filters that include.
    if (!excludes) lists.include.push(NOTHING);
    return void report.reportSkipped(setting, NOT_LINEAR, filter);
  }
  // The older filters ignore case unless they say otherwise.
  const isOlder = /Regex|Extension/i.test(kind);
  const ignoreCase = isOlder
    ? (findSetting(filter, 'caseSensitive') ?? 'false') !== 'true'
    : findSetting(matcher, 'ignoreCase') === 'true';
  appendAll(
    excludes ? lists.exclude : lists.include,
    patterns.map((pattern) => ({ ...pattern, ignoreCase })),
  );
  const became = action === undefined ? 'that ignores' : `with ${action} for`;
  report.reportTaken(setting, `a Rule ${became}${excludes ? '' : ' all others'}`.replace(/ for$/, ''), filter);
}

function toPatterns(kind: string, method: string, value: string, isPartial: boolean): Pattern[] {
  const toRegex = (expression: string): Pattern => ({
    kind: 'regex',
    value: isPartial ? expression : `^(?:${expression})$`,
  });
  if (/Extension/i.test(kind)) {
    const extensions = value
      .split(',')
      .map((extension) => extension.trim().replace(/^\./, ''))
      // The extension of a URL is what follows its last dot, so that `tar.gz` is none.
      .filter((extension) => extension !== '' && !extension.includes('.'));
    if (extensions.length === 0) return [NOTHING];
    return [{ kind: 'regex', field: 'path', value: `\\.(?:${extensions.map(escapeRegExp).join('|')})$` }];
  }
  if (/Regex(?:Reference|URL)?Filter/i.test(kind) || method === 'regex') return [toRegex(value)];
  if (!/Reference|Generic/i.test(kind)) return [];
  if (method === 'wildcard')
    return [
      toRegex(
        value
          .split('*')
          .map((segment) => segment.split('?').map(escapeRegExp).join('.'))
          .join('.*'),
      ),
    ];
  const plain = isPartial ? 'contains' : 'exact';
  if (method === 'csv') return splitLines(value.replace(/,/g, '\n')).map((item) => ({ kind: plain, value: item }));
  return [{ kind: plain, value }];
}

function importCommitter(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const committers = findAll(node, 'committer', 'committers').filter((committer) => findSetting(committer, 'class'));
  for (const committer of committers) {
    const kind = findSetting(committer, 'class')!.split('.').at(-1)!;
    const address = findFirst(committer, 'node', 'nodes', 'solrURL');
    const url = address?.text.split(',')[0]?.trim();
    const index = findFirst(committer, 'indexName');
    const type = /Elastic/i.test(kind) ? 'elasticsearch' : /Solr/i.test(kind) ? 'solr' : undefined;
    if (!type || !url) {
      report.reportSkipped(`committer ${kind}`, 'documents go to documents.jsonl until you change the Sink', committer);
      continue;
    }
    const user = findFirst(committer, 'username');
    const login = user?.text;
    const solr = type === 'solr' ? splitSolrUrl(url) : undefined;
    crawler.sink = {
      type,
      url: solr?.url ?? url,
      index: index?.text ?? solr?.core ?? 'crawlway',
      ...(login ? { login, secret: 'password' } : {}),
    };
    report.reportChanged(
      `committer ${kind}`,
      `Sink main, with Crawlway's field names${login ? '; its password comes from CRAWLWAY_SECRET_SINK' : ''}`,
      ...[address, index, user, findFirst(committer, 'password'), findFirst(committer, 'credentials')],
    );
  }
}
