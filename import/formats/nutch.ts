/** Apache Nutch: nutch-site.xml, the files of the URL filters, and seed lists. */
import { getDomain, getPublicSuffix } from 'tldts';
import {
  appendAll,
  createCrawler,
  HOUR_S,
  ImportError,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isContact,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  ROUND_NOTE,
  setPart,
  splitLines,
  splitSolrUrl,
} from '../model.js';
import { createScope, EVERYTHING, restrictToHosts } from '../patterns.js';
import { findAll, findSetting, Node, parseList, parseXml } from '../tree.js';

export function readNutch(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('nutch'), staysOnSite: false, acceptsOthers: true };
  const settings = new Map<string, string>();
  const others = files.filter((file) => reportOther(file, report));
  const configurations = files.filter((one) => isXml(one) && !others.includes(one));
  const properties = new Map<string, Node>();
  // nutch-site.xml overrides nutch-default.xml, in whatever order they are given.
  for (const file of configurations.toSorted((a, b) => Number(isStandard(b)) - Number(isStandard(a)))) {
    const tree = parseXml(file, report);
    if (tree.name !== 'configuration') {
      if (files.length === 1) throw new ImportError(`${file.name} contains no element configuration`);
      report.reportSkipped(file.name, `an element ${tree.name} says nothing about a crawl of Nutch`, tree);
      continue;
    }
    for (const property of findAll(tree, 'property')) {
      const name = findSetting(property, 'name')?.trim() ?? '';
      report.cover(properties.get(name));
      properties.set(name, property);
    }
  }
  const readValue = (name: string): string => (findSetting(properties.get(name)!, 'value') ?? '').trim();
  for (const name of properties.keys()) {
    let value = readValue(name);
    // A value may refer to others, which may refer to more: Hadoop replaces as many.
    for (let count = 0; count < 20; count++)
      value = value.replace(/\$\{([\w.-]{1,200})\}/, (all, other) => (properties.has(other) ? readValue(other) : all));
    settings.set(name, value);
  }
  // Without the property, Nutch uses what its own nutch-default.xml names.
  if (configurations.length > 0 && !settings.get('plugin.includes')) settings.set('plugin.includes', 'urlfilter-regex');
  const isAdaptive = /Adaptive/.test(settings.get('db.fetch.schedule.class') ?? '');
  reportDefaults(properties, settings, report);
  for (const [name, property] of properties)
    if (property.isReported) continue;
    else if (name.startsWith('db.fetch.schedule.adaptive.') && !isAdaptive)
      report.reportSkipped(name, 'db.fetch.schedule.class does not name AdaptiveFetchSchedule', property);
    else if (name.startsWith('scoring.depth.') && isPluginOff('scoring-depth', settings))
      report.reportSkipped(name, 'plugin.includes does not name scoring-depth', property);
    else if (!RULES_SETTING.test(name)) importProperty(name, settings.get(name)!, property, crawler, report);
  const filters = new Set<string>();
  for (const [name, property] of properties) {
    const kind = RULES_SETTING.exec(name)?.[1] ?? '';
    const value = findSetting(property, 'value') ?? '';
    if (!Object.hasOwn(FILTERS, kind) || value.trim() === '') continue;
    if (isPluginOff(`urlfilter-${kind}`, settings))
      report.reportSkipped(name, `plugin.includes does not name urlfilter-${kind}`, property);
    else {
      filters.add(kind);
      const lines = splitLines(value).map((line) => new Node('line', line, [], property.place));
      FILTERS[kind]!(new Node('list', '', lines, property.place), crawler, report);
      report.cover(property);
    }
  }
  const inProperties = new Set(filters);
  for (const file of files.filter((one) => !isXml(one) && !others.includes(one))) {
    const kind = findFilterKind(file, settings);
    const list = parseList(file, report);
    if (isForOldCrawls(file.name) && files.some(({ name }) => /^regex-urlfilter/.test(name)))
      report.reportSkipped(
        file.name,
        'only the command crawl of Nutch 1.2 and older uses it: leave regex-urlfilter.txt out to import this file instead',
        list,
      );
    else if (kind === undefined) importSeeds(list, file, crawler, report);
    else if (inProperties.has(kind)) report.reportSkipped(file.name, `urlfilter.${kind}.rules takes its place`, list);
    else if (isPluginOff(`urlfilter-${kind}`, settings))
      report.reportSkipped(
        file.name,
        `plugin.includes does not name urlfilter-${kind}, so Nutch does not use it: if its nutch-default.xml was changed, specify that, too`,
        list,
      );
    else {
      filters.add(kind);
      FILTERS[kind]!(list, crawler, report);
    }
  }
  reportMissing(filters, properties.get('plugin.includes'), settings, report);
  limitToSeeds(crawler, settings, filters.size, report);
  return [crawler];
}

/** Empty properties of nutch-default.xml set nothing, and those that say nothing about a crawl are two hundred. */
function reportDefaults(
  properties: ReadonlyMap<string, Node>,
  settings: ReadonlyMap<string, string>,
  report: ImportReport,
): void {
  const others: [string, Node][] = [];
  for (const [name, property] of properties) {
    if (!isStandard({ name: property.place })) continue;
    if (settings.get(name) === '') report.cover(property);
    else if (
      !(name in PROPERTIES || name in REASONS || CONTACTS.has(name) || /^urlfilter\.|^db\.fetch|limit$/.test(name))
    )
      others.push([name, property]);
  }
  if (others.length === 0) return;
  const names = others.map(([name]) => name).join(', ');
  report.reportSkipped(
    `${others.length} defaults of Nutch: ${names}`,
    'Crawlway has none of them',
    ...others.map(([, node]) => node),
  );
}

/** Without the rules of a filter, the crawl takes in what they reject. */
function reportMissing(
  filters: ReadonlySet<string>,
  includes: Node | undefined,
  settings: ReadonlyMap<string, string>,
  report: ImportReport,
): void {
  for (const kind of includes ? Object.keys(FILTERS) : []) {
    const fileName = settings.get(`urlfilter.${kind}.file`)?.split('/').at(-1) || `${kind}-urlfilter.txt`;
    if (!filters.has(kind) && !isPluginOff(`urlfilter-${kind}`, settings))
      report.reportSkipped(
        `urlfilter-${kind}`,
        `plugin.includes names it, and its rules are MISSING here: import again with ${fileName}, too`,
        includes,
      );
  }
}

/** Files of the folder conf with another purpose, so that the whole folder can be given. */
const OTHER_FILES: readonly (readonly [name: RegExp, reason: string])[] = [
  [
    /^regex-normalize\.xml$|-urlnormalizer\.txt$/,
    'URLs are always normalized; see Canonicalization in docs/reference.md',
  ],
  [/^index-writers\.xml$|^exchanges\.xml$/, 'write a Sink (docs/sinks.md): documents go to documents.jsonl until then'],
  [/^httpclient-auth\.xml$|^cookies\.txt$/, 'write a Credential or a Login in the Fetcher; passwords are not copied'],
  [/mimetype|^contenttype-mapping/, 'write MimeTypes'],
  [/^db-ignore-external-exemptions/, 'write Rules that accept its URLs, which are on other sites'],
  [/^regex-parsefilter\.txt$/, 'write Field elements of cw:Content'],
  [/^agents\.txt$/, 'write the userAgent of the Fetcher: one crawl has one name'],
  [/^(?:protwords|synonyms|spellings|mapping-[\w-]+)\.txt$/, 'it is for Solr'],
  [/^naivebayes-|^stopwords\.txt$|^cosine|^goldstandard/, 'pages are not classified: write Rules'],
  [
    /\.(?:xsl|xsd|dtd|conf|html?|template|properties)$|^(?:log4j2?|parse-plugins|tika-[\w-]+|domain-suffixes|h(?:base|adoop)-[\w-]+|core-site|subcollections|schema[\w.-]*|host-protocol-mapping|protocols|gora[\w-]*|[\w-]*solr[\w-]*)\.(?:xml|txt)$/,
    'has nothing to do with what is crawled here',
  ],
];

const explainFile = (fileName: string): string | undefined => OTHER_FILES.find(([name]) => name.test(fileName))?.[1];

export const isOtherFile = (fileName: string): boolean => explainFile(fileName) !== undefined;

function reportOther(file: ImportFile, report: ImportReport): boolean {
  const reason = explainFile(file.name);
  if (reason !== undefined) report.reportSkipped(file.name, reason, parseList(file, report));
  return reason !== undefined;
}

const isStandard = ({ name }: { readonly name: string }): boolean => /^nutch-default\b/.test(name);

const isXml = ({ text }: ImportFile): boolean => /^\uFEFF?\s*</.test(text);

function importSeeds(list: Node, file: ImportFile, crawler: ImportedCrawler, report: ImportReport): void {
  // The URL may be followed by metadata, separated by tabs.
  const seeds = list.children.filter(({ text }) => isUrl(text.split('\t')[0]!.trim()));
  if (seeds.length < list.children.length / 2)
    throw new ImportError(`${file.name} is neither a known kind of URL filter nor a list of seeds`);
  appendAll(
    crawler.roots,
    seeds.map(({ text }) => text.split('\t')[0]!.trim()),
  );
  report.coverAll(seeds);
  report.reportTaken(pluralize(seeds.length, 'seed'), 'roots', seeds[0]);
  for (const seed of seeds.filter(({ text }) => text.includes('\t')))
    report.reportSkipped(seed.text.replace(/\t/g, ' '), 'the seed is taken, its metadata are not', seed);
}

/** Without filters, and without these settings, Nutch follows links to any site. */
function limitToSeeds(
  crawler: ImportedCrawler,
  settings: ReadonlyMap<string, string>,
  filterCount: number,
  report: ImportReport,
): void {
  if (settings.get('db.ignore.external.links') === 'true') {
    const by = /domain/i.test(settings.get('db.ignore.external.links.mode') ?? '') ? 'domain' : 'host';
    crawler.filters.push({ any: createScope(crawler.roots, by, (host) => getDomain(host) ?? host) });
  } else if (filterCount === 0) restrictToHosts(crawler, 'no URL filters were given', report);
}

type FilterKind = keyof typeof FILTERS;

/** Settings that name a file, and the kind of filter for which it is. */
const FILE_SETTING = /^urlfilter\.(\w+)\.file$/;
/** Settings with the rules themselves. */
const RULES_SETTING = /^urlfilter\.(\w+)\.rules$/;

const isForOldCrawls = (name: string): boolean => /^crawl-urlfilter/.test(name);

function findFilterKind({ name }: ImportFile, settings: ReadonlyMap<string, string>): FilterKind | undefined {
  const named = [...settings].find(([key, value]) => FILE_SETTING.test(key) && value.split('/').at(-1) === name);
  const kind = named ? FILE_SETTING.exec(named[0])![1]! : /(\w+)-urlfilter/.exec(name)?.[1];
  if (kind === undefined && !/urlfilter/i.test(name)) return undefined;
  const known = isForOldCrawls(name) ? 'regex' : kind === 'domainblacklist' ? 'domaindenylist' : (kind ?? '');
  if (Object.hasOwn(FILTERS, known)) return known;
  throw new ImportError(
    `${name} is an unknown kind of URL filter; the known ones are ${Object.keys(FILTERS).join(', ')}, as in regex-urlfilter.txt`,
  );
}

function isPluginOff(plugin: string, settings: ReadonlyMap<string, string>): boolean {
  const includes = settings.get('plugin.includes');
  if (!includes) return false;
  try {
    const pattern = new RegExp(`^(?:${includes})$`);
    return !pattern.test(plugin) && !pattern.test(plugin.replace('denylist', 'blacklist'));
  } catch {
    return false;
  }
}

const FILTERS: Readonly<Record<string, (list: Node, crawler: ImportedCrawler, report: ImportReport) => void>> = {
  regex: (list, crawler, report) => importSignedRules(list, 'find', crawler, report),
  automaton: (list, crawler, report) => importSignedRules(list, 'whole', crawler, report),
  prefix: (list, crawler, report) => {
    crawler.filters.push({ any: list.children.map(({ text }): Pattern => ({ kind: 'prefix', value: text })) });
    report.reportTaken(`${list.children.length} prefixes`, 'a Rule that ignores all other URLs', list);
  },
  suffix: importSuffixes,
  domain: (list, crawler, report) => {
    // Nutch itself lets everything pass then.
    if (list.children.length === 0) return void report.reportTaken(list.place, 'nothing: it names no domain', list);
    crawler.filters.push({ any: list.children.map((line) => toDomainPattern(line, report)) });
    report.reportTaken(pluralize(list.children.length, 'domain'), 'a Rule that ignores all other hosts', list);
  },
  domaindenylist: (list, crawler, report) => {
    crawler.filters.push({ not: { any: list.children.map((line) => toDomainPattern(line, report)) } });
    report.reportTaken(pluralize(list.children.length, 'domain'), 'a Rule that ignores them', list);
  },
  fast: importFastRules,
};

/** A registered domain or a public suffix stands for its subdomains, any other name for one host. */
function toDomainPattern(line: Node, report: ImportReport): Pattern {
  const value = line.text.toLowerCase();
  if (getPublicSuffix(value) === value)
    report.reportChanged(
      value,
      'a Domain: also hosts below longer public suffixes, such as those of co.uk for uk',
      line,
    );
  const isDomain = getDomain(value) === value || getPublicSuffix(value) === value;
  return isDomain ? { kind: 'domain', value } : { kind: 'exact', field: 'host', value };
}

/** What the files of Nutch and StormCrawler say against paths that repeat themselves; the second is that of Nutch 1.0. */
const LOOPS = new Set([String.raw`.*(/[^/]+)/[^/]+\1/[^/]+\1/`, String.raw`.*(/.+?)/.*?\1/.*?\1/`]);

/**
 * Lists of `+expression` and `-expression`. The first match wins, so that the order is reversed, and a URL that nothing
 * matches is rejected.
 */
export function importSignedRules(
  list: Node,
  mode: 'find' | 'whole',
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  const rules: ImportedRule[] = [];
  let section: Pattern | undefined;
  for (const line of list.children) {
    const value = line.text.slice(1);
    const sign = line.text[0]!;
    if (sign === '>') section = { kind: 'domain', value: value.trim() };
    else if (sign === '<') section = undefined;
    else if (sign !== '+' && sign !== '-')
      throw new ImportError(`${line.place}: a rule begins with + or -, not with ${JSON.stringify(sign)}`);
    else {
      if (mode === 'whole' && /[&~#@"<]/.test(value.replace(/\[[^\]]*\]|\\./g, ''))) {
        report.reportSkipped(line.text, 'its operators are those of automata: write it as literal matches', line);
        continue;
      }
      if (sign === '-' && LOOPS.has(value)) {
        report.reportChanged(line.text, 'maxRepeatedSegments of cw:Traps keeps out of loops', line);
        continue;
      }
      const pattern: Pattern = { kind: 'regex', value: mode === 'whole' ? `^(?:${value})$` : value, node: line };
      rules.push({ accept: sign === '+', pattern: section ? { all: [section, pattern] } : pattern });
    }
  }
  addOrderedRules(rules, crawler);
  report.reportChanged(
    pluralize(rules.length, 'rule'),
    'in reverse order: the first match wins there, but the last one in Crawlway',
    list,
  );
}

/** The first match wins, and what nothing matches is rejected. A second list applies in addition to the first. */
function addOrderedRules(rules: readonly ImportedRule[], crawler: ImportedCrawler): void {
  if (crawler.rules.length === 0) {
    // A list without rules rejects everything, too.
    crawler.rules = rules.length === 0 ? [{ accept: false, pattern: EVERYTHING }] : [...rules].reverse();
    crawler.acceptsOthers = false;
  } else crawler.filters.push(toFilter(rules));
}

/** What an ordered list accepts, as one match: its last rule is the innermost. */
function toFilter(rules: readonly ImportedRule[]): Match {
  const nothing: Match = { not: EVERYTHING };
  return [...rules]
    .reverse()
    .reduce<Match>(
      (rest, { accept, pattern }) => (accept ? { any: [pattern, rest] } : { all: [{ not: pattern }, rest] }),
      nothing,
    );
}

/** `+` accepts everything except the suffixes, `-` nothing else; P: of the path, I: ignoring case. */
function importSuffixes(list: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const modes = list.children.filter(({ text }) => /^[+-]/.test(text));
  const acceptsOthers = modes.at(-1)?.text.startsWith('+') ?? false;
  const flags = modes.map(({ text }) => text).join('');
  const suffixes = list.children.filter((line) => !modes.includes(line));
  const field = flags.includes('P') ? 'path' : 'url';
  const any = suffixes.map(
    ({ text }): Pattern => ({ kind: 'suffix', field, value: text, ignoreCase: flags.includes('I') }),
  );
  crawler.filters.push(acceptsOthers ? { not: { any } } : { any });
  report.reportTaken(
    `${suffixes.length} suffixes`,
    acceptsOthers ? 'a Rule that ignores them' : 'a Rule that ignores all others',
    list,
  );
}

/** Sections of `Host NAME` and `Domain NAME`, each with `DenyPath REGEX` and `DenyPathQuery REGEX`. */
function importFastRules(list: Node, crawler: ImportedCrawler, report: ImportReport): void {
  let scope: Match | undefined;
  for (const line of list.children) {
    const [word = '', value = ''] = line.text.replace(/#.*/, '').trim().split(/\s+/);
    if (word === 'Host') scope = { kind: 'exact', field: 'host', value };
    else if (word === 'Domain') scope = value === '.' ? { kind: 'prefix', value: 'http' } : { kind: 'domain', value };
    else if (scope && (word === 'DenyPath' || word === 'DenyPathQuery')) {
      const path = createPathMatch(value, word === 'DenyPathQuery');
      crawler.filters.push({ not: { all: [scope, path] } });
    } else {
      report.reportSkipped(line.text, 'Nutch ignores this line, too', line);
      continue;
    }
    report.cover(line);
  }
  report.reportTaken(pluralize(list.children.length, 'line'), 'Rules that ignore', list);
}

/** An expression that is searched for in the path, with or without the query. Neither begins in the host. */
export function createPathMatch(expression: string, withQuery: boolean): Match {
  const inPath: Match = { kind: 'regex', field: 'path', value: expression };
  if (!withQuery) return inPath;
  if (expression.startsWith('^/')) return { kind: 'regex', value: `^[a-z]+://[^/]*(?:${expression.slice(1)})` };
  if (expression.startsWith('/')) return { kind: 'regex', value: `^[a-z]+://[^/]*(?:/.*?)?(?:${expression})` };
  const inside: Match = { kind: 'regex', value: `^[a-z]+://[^/]*/.*?(?:${expression})` };
  return expression.endsWith('$') ? inside : { any: [inside, { ...inPath, value: `^(?:${expression})` }] };
}

type PropertyConverter = (value: string, crawler: ImportedCrawler) => string | undefined;

const secondsToMilliseconds = (value: string): string => String(Math.round(Number(value) * 1000));

/**
 * Nutch and StormCrawler truncate longer pages. With maxSizeBytes, Crawlway would refuse such pages and remove them
 * from the index.
 */
export const TRUNCATION_NOTE =
  'longer pages would be left out instead of truncated, so maxSizeBytes of Fetcher keeps its default, 32 MiB';

export const NO_LINKS_NOTE =
  'links are NOT followed (defaultFollow and defaultFollowRoots): set followLinks of a Root that is a sitemap or a feed';

/** What fetcher.queue.mode and partition.url.mode share their delay by. */
export const POLITENESS: Readonly<Record<string, string>> = { byhost: 'host', bydomain: 'domain', byip: 'address' };

/** What Nutch and StormCrawler say about themselves to servers. */
export const AGENT_SETTINGS: Readonly<Record<string, (value: string, crawler: ImportedCrawler) => string>> = {
  'http.agent.name': (value, { fetcher }) => {
    fetcher['userAgent'] = [value, fetcher['userAgent']].filter(Boolean).join('/');
    fetcher['robotsAgent'] ??= toRobotsAgent(value);
    return 'userAgent and robotsAgent of Fetcher';
  },
  'http.agent.version': (value, { fetcher }) => {
    fetcher['userAgent'] = [fetcher['userAgent'], value].filter(Boolean).join('/');
    return 'userAgent of Fetcher';
  },
  'http.robots.agents': (value, { fetcher }) => {
    fetcher['robotsAgent'] = toRobotsAgent(value.split(',')[0]!.trim());
    return 'robotsAgent of Fetcher, the first name';
  },
  'http.accept.language': (value, { fetcher }) => {
    fetcher['acceptLanguage'] = value;
    return 'acceptLanguage of Fetcher';
  },
};

/** Of several contacts, the first one. */
export function takeContact(
  setting: string,
  value: string,
  node: Node,
  { fetcher }: ImportedCrawler,
  report: ImportReport,
): void {
  fetcher['contact'] ??= value;
  if (fetcher['contact'] === value) report.reportTaken(setting, 'contact of Fetcher', node);
  else report.reportSkipped(setting, 'there is one contact: it is the other', node);
}

/** Functions that convert a property and return what it became; undefined if Crawlway always behaves this way. */
const PROPERTIES: Readonly<Record<string, PropertyConverter>> = {
  ...AGENT_SETTINGS,
  'fetcher.server.delay': (value, { attributes }) => {
    attributes['throttleTimeMS'] = secondsToMilliseconds(value);
    return 'throttleTimeMS';
  },
  'fetcher.threads.fetch': (value, { attributes }) => {
    attributes['nthreads'] = String(Math.min(1000, Math.max(1, Number(value))));
    return 'nthreads';
  },
  'fetcher.queue.mode': (value, { attributes }) => {
    const by = POLITENESS[value.toLowerCase()];
    if (by) attributes['politenessBy'] = by;
    return by ? 'politenessBy' : undefined;
  },
  'http.timeout': (value, { fetcher }) => {
    fetcher['headerTimeoutMS'] = value;
    return 'headerTimeoutMS of Fetcher';
  },
  'http.redirect.max': (value, { fetcher }) => {
    // With 0, Nutch fetches each target in a later round, however many there are.
    if (Number(value) === 0) return 'redirects are followed at once, as many as maxRedirects of Fetcher says';
    fetcher['maxRedirects'] = String(Math.min(100, Number(value)));
    return 'maxRedirects of Fetcher';
  },
  'db.fetch.interval.default': (value, { attributes }) => {
    attributes['smartRefreshMaxAgeS'] = value;
    attributes['smartRefreshMinAgeS'] ??= String(Math.min(3600, Number(value)));
    return 'smartRefreshMaxAgeS; pages that change are visited sooner';
  },
  'db.fetch.schedule.adaptive.min_interval': (value, { attributes }) => {
    attributes['smartRefreshMinAgeS'] = String(Math.round(Number(value)));
    return 'smartRefreshMinAgeS';
  },
  'db.fetch.schedule.adaptive.max_interval': (value, { attributes }) => {
    attributes['smartRefreshMaxAgeS'] = String(Math.round(Number(value)));
    return 'smartRefreshMaxAgeS';
  },
  'db.fetch.retry.max': (value, crawler) => {
    setPart(crawler, 'ErrorPolicy', { maxTemporaryErrors: value });
    return 'maxTemporaryErrors of cw:ErrorPolicy';
  },
  'scoring.depth.max': (value, crawler) => {
    // Seeds have depth 1 in Nutch, but 0 hops in Crawlway.
    if (Number(value) >= 1) crawler.maxHops = Math.min(65_535, Number(value) - 1);
    return 'option max-hops, reduced by 1: seeds have depth 1 in Nutch';
  },
  'solr.server.url': (value, crawler) => {
    const { url, core } = splitSolrUrl(value);
    crawler.sink = { type: 'solr', url, index: core ?? 'nutch' };
    return "Sink main of type solr, with Crawlway's field names";
  },
  'db.ignore.external.links': (value) =>
    value === 'true' ? 'a Rule that ignores other hosts than those of the seeds' : 'no Rule: the URL filters decide',
  'db.update.additions.allowed': (value, { attributes }) => {
    if (value === 'false') Object.assign(attributes, { defaultFollow: 'false', defaultFollowRoots: 'false' });
    return value === 'false' ? NO_LINKS_NOTE : undefined;
  },
  'db.ignore.external.links.mode': () => 'hosts or domains, if db.ignore.external.links is true',
  'plugin.includes': () => 'which URL filters are used; docs/documents.md describes how documents are read',
  'sitemap.strict.parsing': () => undefined,
};

const toRobotsAgent = (value: string): string => value.replace(/[^A-Za-z_-]/g, '') || 'crawlway';

/** Properties with a contact for site operators. */
const CONTACTS = new Set(['http.agent.url', 'http.agent.email']);

const NO_CONTACT = 'it is not an email address or a URL: set contact of the Fetcher';
const REASONS: Readonly<Record<string, string>> = {
  'http.agent.email': NO_CONTACT,
  'http.agent.url': NO_CONTACT,
  'http.agent.description': 'contact of Fetcher tells site operators where to read about the crawl',
  'db.max.outlinks.per.page': 'the limit is 50,000 distinct links per page: maxLinksPerPage of cw:Traps',
  'generate.max.count': 'there are no segments: a crawl continues indefinitely',
  'db.ignore.internal.links': 'links within a host are always followed',
};

/** Explains properties that have no counterpart. */
export const explainNutch = (node: Node): string | undefined => REASONS[findSetting(node, 'name')?.trim() ?? ''];

function importProperty(
  name: string,
  value: string,
  property: Node,
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  const setting = `${name} = ${value}`.slice(0, 120);
  if (value === '') return void report.reportSkipped(name, 'it is empty', property);
  if (name === 'http.content.limit') return void report.reportChanged(setting, TRUNCATION_NOTE, property);
  if (/^db\.fetch\.(?:interval\.default|schedule\.adaptive\.m\w+_interval)$/.test(name) && Number(value) < HOUR_S)
    return void report.reportChanged(setting, ROUND_NOTE, property);
  if (FILE_SETTING.test(name))
    return void report.reportTaken(setting, 'the kind of that file; specify it with the others', property);
  const convert = PROPERTIES[name];
  if (value.includes('${') && (convert || CONTACTS.has(name)))
    return void report.reportSkipped(setting, 'its variable has no value here', property);
  if (CONTACTS.has(name) && isContact(value)) return void takeContact(setting, value, property, crawler, report);
  if (!convert) return void report.reportSkipped(name, REASONS[name] ?? NO_COUNTERPART, property);
  const isNumeric = /delay|threads|limit|timeout|max|interval/.test(name);
  if (isNumeric && !/^\d+(?:\.\d+)?$/.test(value))
    return void report.reportSkipped(name, `${value} is not a number that Crawlway could use`, property);
  report.reportTaken(setting, convert(value, crawler) ?? 'Crawlway always does this', property);
}
