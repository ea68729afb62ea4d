/** Heritrix 3: crawler-beans.cxml, seeds, and SURT prefix files. */
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
  type Pattern,
  pluralize,
  setPart,
  splitLines,
} from '../model.js';
import { escapeRegExp, restrictToHosts } from '../patterns.js';
import { findAll, Node, parseList, parseXml } from '../tree.js';
import { TRUNCATION_NOTE } from './nutch.js';

interface Job {
  readonly crawler: ImportedCrawler;
  readonly report: ImportReport;
  /** All beans of all files. */
  readonly tree: Node;
  /** Overrides that are in the rules that they are about. */
  readonly overrides: ReadonlySet<string>;
  /** Lists of SURT prefixes by file name. */
  readonly surtLists: ReadonlyMap<string, Node>;
  readonly usedLists: Set<Node>;
  /** Lines among the seeds that are SURT prefixes for rules that accept (`+`) or reject (`-`). */
  readonly directives: readonly Directive[];
  readonly usedDirectives: Set<Directive>;
}

interface Directive {
  readonly line: string;
  readonly node: Node;
}

export function readHeritrix(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('heritrix'), staysOnSite: false };
  const surtLists = new Map<string, Node>();
  const { tree, overrides } = parseJob(files, report);
  const named = findSeedFile(tree, files);
  const directives: Directive[] = [];
  for (const file of files.filter((one) => !isXml(one)))
    if (/surt|negative/i.test(file.name)) surtLists.set(file.name, parseList(file, report));
    else if (named !== undefined && file.name !== named)
      report.reportSkipped(file.name, `the seeds of the job are those of ${named}`, parseList(file, report));
    else {
      const list = parseList(file, report);
      const lines = list.children.map((node) => ({ line: node.text, node }));
      if (!importSeeds(lines, { crawler, report, directives })) throw new ImportError(`${file.name} contains no seeds`);
    }
  for (const node of findSeedValues(tree)) {
    const lines = splitLines(node.text).map((line) => ({ line, node }));
    importSeeds(lines, { crawler, report, directives });
  }
  crawler.roots = [...new Set(crawler.roots)];
  const used = { usedLists: new Set<Node>(), usedDirectives: new Set<Directive>() };
  const job = { crawler, report, tree, overrides, surtLists, directives, ...used };
  if (tree.children.length > 0) importBeans(tree, job);
  for (const directive of directives)
    if (!job.usedDirectives.has(directive))
      report.reportSkipped(directive.line, 'no rule about SURT prefixes has this decision', directive.node);
  // Lists that no rule names were given to be used all the same.
  for (const [name, list] of surtLists)
    if (!job.usedLists.has(list)) addSurtList(list, !/negative|exclude|reject/i.test(name), job);
  if (!crawler.rules.some(({ accept }) => accept)) {
    crawler.acceptsOthers = true;
    restrictToHosts(crawler, 'no decide rule accepts anything else', report);
  }
  return [crawler];
}

/** The list of seeds that the job names, if it was given: others in its folder are not used. */
export const findSeedFile = (tree: Node, files: readonly ImportFile[]): string | undefined =>
  findBeans(tree, /SeedModule$/)
    .flatMap((bean) => findAll(bean, 'property'))
    .filter(({ attributes }) => attributes['name'] === 'path')
    .map(({ attributes }) => attributes['value']?.split('/').at(-1))
    .find((name) => files.some((file) => file.name === name));

const isXml = ({ text }: ImportFile): boolean => /^\s*(?:\uFEFF)?</.test(text);

/** Values from the environment, with their defaults: `#{systemEnvironment['NAME'] ?: 20}` and `${NAME:20}`. */
const VARIABLE =
  /#\{ ?systemEnvironment\['(\w{1,99})'\] ?\?: ?(?:'([^'\n]{0,999})'|([\w.-]{1,99})) ?\}|\$\{([\w.]{1,99}):([^{}\n]{0,999})\}/g;

/** The beans of all files; variables have their defaults, and rules of the scope what overrides say. */
export function parseJob(files: readonly ImportFile[], report: ImportReport): { tree: Node; overrides: Set<string> } {
  const variables = new Set<string>();
  const trees = files.filter(isXml).map((file) => {
    const text = file.text.replace(VARIABLE, (all, name, quoted, plain, other, standard) => {
      variables.add(name ?? other);
      return quoted ?? plain ?? standard ?? all;
    });
    return parseXml({ ...file, text }, report);
  });
  if (variables.size > 0) report.reportChanged(`variables ${[...variables].join(', ')}`, 'their defaults');
  const tree = new Node('beans', '', trees, trees[0]?.place ?? '');
  if (trees.length > 0 && findAll(tree, 'bean').length === 0)
    throw new ImportError(`${tree.place.split(':')[0]} contains no bean`);
  const overrides = new Set<string>();
  for (const [key, value] of listOverrides(tree)) {
    const [, id, index, name] = /^([\w-]+)(?:\.rules\[(\d+)\])?\.(\w+)$/.exec(key) ?? [];
    const bean = id === undefined ? undefined : findById(tree, id);
    const list = index === undefined || !bean ? undefined : getProperty(bean, 'rules')?.find('list')?.children;
    const item = list?.filter((one) => one.name === 'bean' || one.name === 'ref')[Number(index)];
    const target = item?.name === 'ref' ? findById(tree, item.attributes['bean']) : index === undefined ? bean : item;
    if (!target || !isRule(target)) continue;
    target.override(name!, value);
    overrides.add(key);
  }
  return { tree, overrides };
}

export const findById = (node: Node, id: string | undefined): Node | undefined =>
  id === undefined
    ? undefined
    : node.attributes['id'] === id
      ? node
      : node.children.map((child) => findById(child, id)).find((found) => found !== undefined);

const isRule = ({ attributes }: Node): boolean => /DecideRule$/.test(attributes['class'] ?? '');

/** Returns whether there are any seeds. What begins with a sign is for the rules of the scope. */
function importSeeds(
  lines: readonly Directive[],
  { crawler, report, directives }: Pick<Job, 'crawler' | 'report'> & { directives: Directive[] },
): boolean {
  const isSeed = ({ line }: Directive): boolean => isUrl(line) || /^\w[\w-]*(?:\.[\w-]+)+(?:[/:]|$)/.test(line);
  const seeds = lines.filter(isSeed);
  if (seeds.length === 0) return false;
  appendAll(
    crawler.roots,
    seeds.map(({ line }) => (isUrl(line) ? line : `http://${line}`)),
  );
  report.coverAll(seeds.map(({ node }) => node));
  report.reportTaken(pluralize(seeds.length, 'seed'), 'roots', seeds[0]!.node);
  for (const one of lines.filter((other) => !isSeed(other)))
    if (/^[+-]/.test(one.line)) directives.push(one);
    else report.reportSkipped(one.line, 'is not a seed', one.node);
  return true;
}

function importBeans(tree: Node, job: Job): void {
  const { report } = job;
  for (const [key, value, node] of listSettings(tree, report))
    if (value === OVERRIDDEN || job.overrides.has(key)) report.cover(node);
    else importSetting(key.split('.').at(-1)!, value, node, job);
  nameContact(job.crawler.fetcher);
  importScope(tree, job);
  for (const bean of findAll(tree, 'bean')) importWriter(bean, job);
}

const findBeans = (tree: Node, kind: RegExp): Node[] =>
  findAll(tree, 'bean').filter(({ attributes }) => kind.test(attributes['class'] ?? ''));

/** Where a job has its seeds; other URLs in it are those of sheets and rules. */
const findSeedValues = (tree: Node): Node[] => [
  ...findAll(tree, 'prop').filter(({ attributes }) => /seeds\.textSource/.test(attributes['key'] ?? '')),
  ...findBeans(tree, /SeedModule$/).flatMap((bean) => findAll(bean, 'value')),
];

/** Properties of beans, and the overrides at the top of the file: `metadata.jobName=library`. */
function listSettings(tree: Node, report: ImportReport): [string, string, Node][] {
  const settings = findAll(tree, 'property').flatMap((property): [string, string, Node][] => {
    const value = property.find('value')?.text;
    return value === undefined ? [] : [[property.attributes['name'] ?? '', value, property]];
  });
  for (const [key, value, node] of listOverrides(tree)) {
    if (node.name === 'prop' && node.isReported) continue;
    if (key === '') report.reportSkipped(value, 'is not an override NAME=VALUE', node);
    else settings.push([key, value, node]);
    if (node.name === 'value') report.cover(node);
  }
  return settings;
}

/** Each override with its node; a line that is none has an empty key. */
const listOverrides = (tree: Node): [key: string, value: string, node: Node][] =>
  findAll(tree, 'bean')
    .filter(({ attributes: { id, class: kind } }) => /Override/.test(`${id} ${kind}`))
    .flatMap((bean) => findAll(bean, 'value', 'prop'))
    .flatMap((node): [string, string, Node][] =>
      node.name === 'prop'
        ? [[node.attributes['key'] ?? '', node.text, node]]
        : splitLines(node.text).map((line) => {
            const [, key = '', value = line] = /^([\w.[\]]{1,200})\s{0,50}=(.*)$/.exec(line) ?? [];
            return [key, value.trim(), node];
          }),
    );

/** The placeholder for a value that is set in another part of the file. */
const OVERRIDDEN = '[see override above]';

type SettingConverter = (value: string, crawler: ImportedCrawler) => string;

const SETTINGS: Readonly<Record<string, SettingConverter>> = {
  maxToeThreads: (value, { attributes }) => {
    attributes['nthreads'] = String(Math.min(1000, Math.max(1, Number(value))));
    return 'nthreads';
  },
  minDelayMs: (value, { attributes }) => {
    attributes['throttleTimeMS'] = value;
    return 'throttleTimeMS; a slow host gets fewer requests because of back-off';
  },
  maxLengthBytes: (value) =>
    value === '0' ? 'no limit; maxSizeBytes of Fetcher keeps its default, 32 MiB' : TRUNCATION_NOTE,
  maxRetries: (value, crawler) => {
    setPart(crawler, 'ErrorPolicy', { maxTemporaryErrors: value });
    return 'maxTemporaryErrors of cw:ErrorPolicy';
  },
  retryDelaySeconds: (value, crawler) => {
    setPart(crawler, 'ErrorPolicy', { retryDelayS: value });
    return 'retryDelayS of cw:ErrorPolicy';
  },
  soTimeoutMs: (value, { fetcher }) => {
    fetcher['bodyTimeoutMS'] = value;
    return 'bodyTimeoutMS of Fetcher';
  },
  timeoutSeconds: (value, { fetcher }) => {
    fetcher['totalTimeoutMS'] = String(Number(value) * 1000);
    return 'totalTimeoutMS of Fetcher';
  },
};

/** A user agent of one's own names the page of the contact itself; an address is sent in another header. */
function nameContact(fetcher: ImportedCrawler['fetcher']): void {
  const { userAgent, contact } = fetcher;
  if (userAgent === undefined) return;
  fetcher['userAgent'] = contact?.includes('://')
    ? userAgent.replaceAll('@OPERATOR_CONTACT_URL@', contact)
    : userAgent.replace(/ ?\(\+?@OPERATOR_CONTACT_URL@\)| ?\+?@OPERATOR_CONTACT_URL@/g, '');
}

function importSetting(key: string, value: string, node: Node, { crawler, report }: Job): void {
  const { attributes, fetcher } = crawler;
  const convert = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
  if (isOpen(value) && key !== 'properties' && !/(?:path|dir|file)s?$/i.test(key))
    report.reportSkipped(`${key} = ${value}`, OPEN_NOTE, node);
  else if (convert && /^\d{1,12}$/.test(value))
    report.reportChanged(`${key} = ${value}`, convert(value, crawler), node);
  else if (key === 'robotsPolicyName') {
    const setting = `robotsPolicyName = ${value}`;
    if (value === 'ignore') attributes['ignoreRobotsTxt'] = 'true';
    if (value === 'obey' || value === 'classic') report.reportTaken(setting, 'robots.txt is obeyed', node);
    else
      report.reportChanged(
        setting,
        `${value === 'ignore' ? 'ignoreRobotsTxt' : 'robots.txt is obeyed'}, and so are the directives of pages`,
        node,
      );
  } else if (key === 'userAgentTemplate') {
    fetcher['userAgent'] = value.replace(/@VERSION@/g, '1');
    report.reportChanged('userAgentTemplate', 'userAgent of Fetcher', node);
  } else if (key === 'operatorContactUrl' && isContact(value)) {
    fetcher['contact'] = value;
    report.reportTaken(`${key} = ${value}`, 'contact of Fetcher', node);
  } else if (key === 'jobName' && value !== '') {
    crawler.name = value;
    report.reportTaken(`${key} = ${value}`, 'name of the Crawler', node);
  } else if (node.name !== 'property')
    // Several settings share a value, which is covered as a whole.
    report.reportSkipped(`${key} = ${value}`, REASONS[key] ?? 'has no counterpart', node);
}

/** Whether the value has a variable without a default, or a placeholder of a template. */
const isOpen = (value: string): boolean => /[#$%]\{/.test(value);
const OPEN_NOTE = 'a placeholder whose value is elsewhere: write the value, and import the file again';

const REASONS: Readonly<Record<string, string>> = {
  operatorContactUrl: 'it is not an address: write the contact of Fetcher',
  delayFactor: 'a slow host gets fewer requests because of back-off',
  maxDelayMs: 'a slow host gets fewer requests because of back-off',
  maxDocumentsDownload: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  maxBytesDownload: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  maxTimeSeconds: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  surtsSourceFile: 'to import its prefixes, specify the file after the configuration',
};

/** Explains beans and properties that have no counterpart. */
export const explainHeritrix = (node: Node): string | undefined => {
  const key = node.attributes['name'] ?? '';
  if (Object.hasOwn(REASONS, key)) return REASONS[key];
  if (/Sheet(?:Association)?$|SheetOverlaysManager$/.test(node.attributes['class'] ?? ''))
    return 'settings for some hosts or URLs only: their filters are MISSING here, write them as Rules';
  if (node.name === 'bean') return 'a part of Heritrix that has no counterpart, or whose work Crawlway always does';
  return undefined;
};

/** The rules of the scope in their order: as in Crawlway, the last decision wins. */
function importScope(tree: Node, job: Job): void {
  const sequences = findAll(tree, 'bean').filter(({ attributes }) =>
    /DecideRuleSequence$/.test(attributes['class'] ?? ''),
  );
  const scope = sequences.find(({ attributes }) => attributes['id'] === 'scope') ?? sequences[0];
  // Other sequences decide what is fetched or written, not what is crawled.
  const rules = scope ? resolveBeans(scope, tree, job.report).filter(isRule) : findAll(tree, 'bean').filter(isRule);
  for (const bean of rules) importRule(bean, job);
  job.report.cover(scope?.attributeNodes[0]);
}

/** The beans in a bean, in their order; a `ref` stands for a bean elsewhere in the file. */
function resolveBeans(node: Node, tree: Node, report: ImportReport): Node[] {
  return findAll(node, 'bean', 'ref').flatMap((one) => {
    if (one.name === 'bean') return [one];
    const target = findAll(tree, 'bean').find(({ attributes }) => attributes['id'] === one.attributes['bean']);
    if (!target) throw new ImportError(`${one.place}: there is no bean ${one.attributes['bean'] ?? ''}`);
    report.cover(one);
    return [target];
  });
}

type Decision = 'ACCEPT' | 'REJECT';

const getProperty = (bean: Node, name: string): Node | undefined =>
  bean.children.find((child) => child.name === 'property' && child.attributes['name'] === name);
const getValue = (bean: Node, name: string): string | undefined => getProperty(bean, name)?.find('value')?.text;
const getKind = (bean: Node): string => bean.attributes['class']?.split('.').at(-1) ?? '';

/** The default decision of each rule; a rule that is not here decides to accept. */
const REJECTING = /^(?:TooMany|Pathological|SchemeNotInSet|Reject)/;

function importRule(bean: Node, job: Job): void {
  const { crawler, report } = job;
  const kind = getKind(bean);
  if (getValue(bean, 'enabled') === 'false') return void report.reportSkipped(kind, 'it is not enabled', bean);
  const open = findAll(bean, 'property', 'value', 'list')
    .filter((node) => !/DumpFile|^log/.test(node.attributes['name'] ?? ''))
    .flatMap(({ text, attributes }) => [text, attributes['value'] ?? ''])
    .find(isOpen);
  if (open !== undefined) return void report.reportSkipped(`${kind} ${open}`, OPEN_NOTE, bean);
  const decision = (getValue(bean, 'decision') ?? (REJECTING.test(kind) ? 'REJECT' : 'ACCEPT')) as Decision;
  const add = (pattern: Match): void => void crawler.rules.push({ accept: decision === 'ACCEPT', pattern });
  const negated = kind.startsWith('Not') ? kind.replace(/^Not/, '') : undefined;
  const pattern = toMatch(negated ?? kind, bean, job.tree);
  if (pattern) {
    add(negated ? { not: pattern } : pattern);
    return void report.reportTaken(kind, decision === 'ACCEPT' ? 'a Rule that accepts' : 'a Rule that ignores', bean);
  }
  if (/(?:SurtPrefixed|OnHosts|OnDomains)DecideRule$/.test(kind)) return void importSurtRule(bean, decision, job);
  const limit = LIMITS[kind];
  if (limit) return void report.reportChanged(kind, limit(bean, crawler), bean);
  if (kind === 'AcceptDecideRule' || kind === 'RejectDecideRule') {
    add({ kind: 'prefix', value: 'http' });
    return void report.reportTaken(kind, 'a Rule for all URLs', bean);
  }
  if (kind === 'MatchesListRegexDecideRule' || kind === 'MatchesRegexDecideRule')
    return void report.reportTaken(kind, 'nothing: it has no expression', bean);
  if (Object.hasOwn(ALWAYS, kind)) return void report.reportChanged(kind, ALWAYS[kind]!, bean);
  report.reportSkipped(kind, 'a rule of this kind has no counterpart', bean);
}

/** Rules with a limit, and the defaults that Heritrix gives it. */
const LIMITS: Readonly<Record<string, (bean: Node, crawler: ImportedCrawler) => string>> = {
  TooManyHopsDecideRule: (bean, crawler) => {
    crawler.maxHops = Math.min(65_535, readNumber(bean, 'maxHops', 20));
    return 'option max-hops';
  },
  PathologicalPathDecideRule: (bean, crawler) => {
    const repetitions = readNumber(bean, 'maxRepetitions', 2);
    setPart(crawler, 'Traps', { maxRepeatedSegments: String(Math.min(1000, repetitions + 1)) });
    return 'maxRepeatedSegments of cw:Traps, which counts segments wherever they are in the path';
  },
};

function readNumber(bean: Node, name: string, standard: number): number {
  const text = getValue(bean, name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : standard;
}

const ALWAYS: Readonly<Record<string, string>> = {
  TransclusionDecideRule: "a page's images, styles and scripts are not crawled: a search index has no use for them",
  PrerequisiteAcceptDecideRule: 'robots.txt is always read',
  SchemeNotInSetDecideRule: 'only http and https are crawled',
  SeedAcceptDecideRule: 'seeds are roots',
};

/** File extensions of the presets of MatchesFilePatternDecideRule. */
const IMAGES = 'bmp|gif|jpe?g|png|svg|tiff?';
const AUDIO = 'aac|aiff?|m3u|m4a|midi?|mp2|mp3|mp4|mpa|ogg|ra|ram|wav|wma';
const VIDEO = 'asf|asx|avi|flv|mov|mp4|mpeg|mpg|qt|ram|rm|smil|wmv';
const MISC = 'doc|pdf|ppt|swf';
const PRESETS: Readonly<Record<string, string>> = {
  ALL: [IMAGES, AUDIO, VIDEO, MISC].join('|'),
  IMAGES,
  AUDIO,
  VIDEO,
  MISC,
};

/** Expressions have to match the whole URL. */
const toWhole = (value: string, node: Node): Pattern => ({ kind: 'regex', value: `^(?:${value})$`, node });

function toMatch(kind: string, bean: Node, tree: Node): Match | undefined {
  const values = (name: string): string[] => {
    const property = getProperty(bean, name);
    const id = property?.attributes['ref'];
    const list = id === undefined ? property : findById(tree, id);
    if (property && !list) throw new ImportError(`${bean.place}: there is no ${id}: specify the file that has it, too`);
    return list ? findAll(list, 'value').map(({ text }) => text) : [];
  };
  const regex = getValue(bean, 'regex');
  switch (kind) {
    case 'MatchesRegexDecideRule':
      return regex === undefined ? undefined : toWhole(regex, bean);
    case 'MatchesListRegexDecideRule': {
      const patterns = values('regexList').map((value) => toWhole(value, bean));
      if (patterns.length === 0) return undefined;
      return getValue(bean, 'listLogicalOr') === 'false' ? { all: patterns } : { any: patterns };
    }
    case 'MatchesFilePatternDecideRule': {
      const preset = getValue(bean, 'usePreset') ?? 'ALL';
      if (preset === 'CUSTOM') return regex === undefined ? undefined : toWhole(regex, bean);
      return { kind: 'regex', value: `(?i)\\.(${PRESETS[preset] ?? PRESETS['ALL']})$` };
    }
    case 'TooManyPathSegmentsDecideRule':
      return {
        kind: 'regex',
        field: 'path',
        value: `^(?:/[^/]*){${Math.min(999, readNumber(bean, 'maxPathDepth', 20)) + 1}}`,
      };
    default:
      return undefined;
  }
}

/** `seedsAsSurtPrefixes` is on unless it is switched off. Prefixes come from the seeds, a file, or the bean itself. */
function importSurtRule(bean: Node, decision: Decision, job: Job): void {
  const { crawler, report, surtLists, usedLists } = job;
  const kind = getKind(bean);
  const isFromSeeds = getValue(bean, 'seedsAsSurtPrefixes') !== 'false';
  const surts = isFromSeeds ? crawler.roots.map((url) => toSeedSurt(new URL(url).href)) : [];
  const source = getProperty(bean, 'surtsSource') ?? getProperty(bean, 'surtsSourceFile');
  const texts = source
    ? [source, ...findAll(source, 'property', 'value')].map((node) => node.find('value')?.text ?? node.text)
    : [];
  const path = texts.map((text) => text.split('/').at(-1)!.trim()).find((name) => surtLists.has(name));
  const list = path === undefined ? undefined : surtLists.get(path);
  const isInline = findAll(bean, 'bean').some(({ attributes }) => /ConfigString$/.test(attributes['class'] ?? ''));
  const lines = list
    ? list.children.map(({ text }) => text)
    : [...new Set(texts.flatMap(splitLines))].filter((line) => isInline || /^[+-]?(?:https?:\/\/)?\(/.test(line));
  surts.push(...lines.map(toPrefix));
  for (const directive of job.directives.filter(({ line }) => line.startsWith(decision === 'ACCEPT' ? '+' : '-'))) {
    surts.push(toPrefix(directive.line));
    job.usedDirectives.add(directive);
    report.reportTaken(directive.line, `a prefix of the rules that ${decision.toLowerCase()}`, directive.node);
  }
  const patterns = [...new Set(surts.map((surt) => widenSurt(surt, kind)))].flatMap(toSurtPatterns);
  if (list) {
    usedLists.add(list);
    report.reportTaken(`${list.children.length} SURT prefixes`, `a Rule: ${decision.toLowerCase()}`, list);
  } else if (texts.some((text) => /\.\w{2,5}$/.test(text)) && lines.length === 0)
    report.reportSkipped(`surtsSource ${texts.find((text) => text !== '') ?? ''}`, REASONS['surtsSourceFile']!, source);
  const match: Match = { any: patterns };
  crawler.rules.push({ accept: decision === 'ACCEPT', pattern: kind.startsWith('Not') ? { not: match } : match });
  report.reportTaken(`${kind}, ${decision}`, pluralize(patterns.length, 'pattern'), bean);
}

function addSurtList(list: Node, accept: boolean, { crawler, report }: Job): void {
  for (const line of list.children) {
    const patterns = toSurtPatterns(toPrefix(line.text));
    if (patterns.length === 0) {
      report.reportSkipped(line.text, 'is not a SURT prefix', line);
      continue;
    }
    const isAccepted = accept && !line.text.startsWith('-');
    crawler.rules.push({ accept: isAccepted, pattern: { any: patterns } });
    report.reportTaken(line.text, isAccepted ? 'a Rule that accepts' : 'a Rule that ignores', line);
  }
}

/** A line of a list is a SURT prefix, or the beginning of a URL or host name. */
function toPrefix(line: string): string {
  const text = line.replace(/^[+-]/, '').replace(/#.*/, '').trim();
  return /^(?:[a-z]+:\/\/)?\(/i.test(text) ? text : toSeedSurt(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
}

/** The SURT prefix that a seed implies: its host, and its path up to the last slash. Without a path, also subdomains. */
function toSeedSurt(url: string): string {
  const [, authority = '', path = ''] = /^[a-z]+:\/\/(?:[^/@]*@)?([^/?#]*)([^?#]*)/i.exec(url) ?? [];
  const [host = '', port] = authority.toLowerCase().split(':');
  const labels = host.split('.').reverse().join(',');
  const portPart = port === undefined ? '' : `:${port}`;
  return path === ''
    ? `http://(${labels},`
    : `http://(${labels},${portPart})${path.slice(0, path.lastIndexOf('/') + 1)}`;
}

/** Rules about hosts and domains leave out the path of a prefix; those about domains open it to subdomains, without `www`. */
function widenSurt(surt: string, kind: string): string {
  const authority = surt.replace(/\).*$/, '');
  if (kind.includes('OnHosts')) return `${surt === authority ? authority.replace(/,?$/, ',') : authority})`;
  if (!kind.includes('OnDomains')) return surt;
  // A domain with a port has no subdomains: the port follows the host's last label.
  return /:\d+$/.test(authority) ? `${authority})` : authority.replace(/www,$/, '');
}

/**
 * Patterns for a SURT prefix such as `http://(com,example,www,)/path`, in which the labels of the host are in reverse
 * order. A prefix of http also covers https.
 */
function toSurtPatterns(surt: string): Pattern[] {
  const [, scheme = 'http', labels, port, isClosed, path = ''] =
    /^(?:(https?):\/\/)?\(([\w,.-]*?),?(?::(\d+))?(\))?(\/.*)?$/i.exec(surt) ?? [];
  if (labels === undefined || labels === '') return [];
  const host = labels.split(',').filter(Boolean).reverse().join('.');
  if (!isClosed && surt.endsWith(',')) return [{ kind: 'domain', value: host }];
  if (!isClosed) {
    // The last label may go on.
    const [first = '', ...others] = host.split('.').map(escapeRegExp);
    return [{ kind: 'regex', field: 'host', value: `(?:^|\\.)${[`${first}[^.]*`, ...others].join('\\.')}$` }];
  }
  const schemes = scheme.toLowerCase() === 'http' ? ['http', 'https'] : [scheme];
  const authority = port === undefined ? host : `${host}:${port}`;
  return schemes.map((name) => ({
    kind: 'prefix',
    value: `${name}://${authority}${path === '' ? '/' : path}`,
    // SURTs of URLs are written in lower case.
    ...(path.length > 1 ? { ignoreCase: true } : {}),
  }));
}

function importWriter(bean: Node, { crawler, report }: Job): void {
  const kind = getKind(bean);
  if (!/WARCWriter|ARCWriter/.test(kind)) return;
  crawler.sink = { type: 'warc', url: 'warcs/crawl.warc.gz' };
  report.reportChanged(kind, "a Sink of type warc, with Crawlway's file names and sizes", bean);
}
