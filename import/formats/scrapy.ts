/** Scrapy: plain assignments in settings.py and spiders. No Python code is run. */

import {
  appendAll,
  createCrawler,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  SITEMAP_NOTE,
} from '../model.js';
import { Node } from '../node.js';
import { EVERYTHING, escapeRegExp, NOTHING, restrictToHosts } from '../patterns.js';
import { parsePython, readString } from '../python.js';

const CODE_NOTE = 'code is not converted; use cw:Content to extract fields from pages';

const START_NOTE = 'code is not converted, but URLs that it spells out: write Root elements for others';

export function readScrapy(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const modules = files.map((file) => parsePython(file, report));
  const spiders = listSpiders(modules);
  if (spiders.length === 0) report.reportSkipped('spiders', 'no class with start_urls was given');
  const crawlers = spiders.map(({ node, scope }) => toCrawler(node, scope, report));
  if (crawlers.length === 0) crawlers.push(createCrawler('scrapy'));
  for (const node of modules.flatMap(({ children }) => children))
    if (!node.isReported && /^[A-Z][A-Z0-9_]{2,60}$/.test(node.name)) importSetting(node, crawlers, report);
  spiders.forEach(({ node: spider }, index) => {
    for (const node of [
      ...(spider.find('custom_settings')?.children ?? []),
      ...spider.children.filter(({ name }) => Object.hasOwn(SPIDER_SETTINGS, name)),
    ])
      importSetting(node, [crawlers[index]!], report);
  });
  if (crawlers.some(({ attributes }) => attributes['ignoreRobotsTxt'] === undefined))
    report.reportChanged('robots.txt', 'it is obeyed; Scrapy reads it only with ROBOTSTXT_OBEY = True');
  return crawlers;
}

/** Attributes of a spider that override settings. */
const SPIDER_SETTINGS: Readonly<Record<string, string>> = {
  download_delay: 'DOWNLOAD_DELAY',
  download_timeout: 'DOWNLOAD_TIMEOUT',
  download_maxsize: 'DOWNLOAD_MAXSIZE',
  user_agent: 'USER_AGENT',
};

/** The spiders with what they inherit from classes of the same files; classes only to inherit from are left out. */
export function listSpiders(modules: readonly Node[]): { node: Node; scope: Scope }[] {
  const classes = modules.flatMap(({ children }) => children.filter(({ name }) => name.startsWith('class ')));
  const listBases = (node: Node): Node[] =>
    classes.filter((one) => one !== node && node.text.split(/[\s,]+/).includes(one.name.slice(6)));
  const isSpider = (node: Node, depth = 0): boolean =>
    /Spider/.test(node.text) ||
    node.find('start_urls') !== undefined ||
    (depth <= MAX_DEPTH && listBases(node).some((base) => isSpider(base, depth + 1)));
  const inherit = (node: Node, depth = 0): Node => {
    const bases = depth > MAX_DEPTH ? [] : listBases(node).map((base) => inherit(base, depth + 1));
    const names = new Set(node.children.map(({ name }) => name));
    const inherited = bases.flatMap(({ children }) =>
      children.filter(({ name }) => name !== 'line' && !names.has(name)),
    );
    const text = [node, ...bases].map((one) => one.text).join(', ');
    return new Node(node.name, text, [...node.children, ...inherited], node.place);
  };
  const isBase = (node: Node): boolean => classes.some((one) => listBases(one).includes(node));
  return modules.flatMap(({ children }) =>
    children
      .filter(
        (node) =>
          classes.includes(node) &&
          isSpider(node) &&
          !(isBase(node) && !node.find('start_urls') && !node.find('sitemap_urls')),
      )
      .map((one) => {
        const node = inherit(one);
        return { node, scope: [...node.children, ...modules.flatMap((module) => module.children)] };
      }),
  );
}

/** Where names that stand for values are looked up: what the class and its module assign. */
type Scope = readonly Node[];

/**
 * The strings of a list, or a single string; names are looked up. Anything that is not a string is listed at the end of
 * the report.
 */
function readStrings(node: Node | undefined, scope: Scope, report: ImportReport, depth = 0): string[] {
  if (!node || depth > MAX_DEPTH) return [];
  if (node.children.length > 0) return node.children.flatMap((part) => readStrings(part, scope, report, depth + 1));
  const value = readString(node);
  const named = scope.find(({ name }) => name === node.text.replace(/^(?:self|cls)\./, ''));
  const formatted = value === undefined ? readFormatted(node.text, scope, report, depth) : value;
  if (node.text === '' || formatted !== undefined || named) report.cover(node);
  if (formatted !== undefined) return [formatted];
  return readStrings(named, scope, report, depth + 1);
}

/** The text of `f"https://{HOST}/"`, if its names stand for one string each. */
function readFormatted(text: string, scope: Scope, report: ImportReport, depth: number): string | undefined {
  const [, , content] = /^[fF](["'])([^"'\\\n]*)\1$/.exec(text) ?? [];
  const parts = content?.split(/\{(\w+)\}/).map((part, index) => {
    const strings = index % 2 === 0 ? [part] : readStrings(new Node('', part, [], ''), scope, report, depth + 1);
    return strings.length === 1 && !/[{}]/.test(strings[0]!) ? strings[0] : undefined;
  });
  return parts?.includes(undefined) ? undefined : parts?.join('');
}

/** Why a value is left that is not written as a string. */
export const explainScrapy = ({ name, text }: Node): string | undefined =>
  /_urls$/.test(name) || /\bhttps?:/.test(text) ? 'it is computed: write Root elements' : undefined;

/** Names may stand for themselves. */
const MAX_DEPTH = 20;

function readUrls(node: Node | undefined, scope: Scope, report: ImportReport): string[] {
  if (!node) return [];
  return readStrings(node, scope, report).filter((value) => {
    if (!isUrl(value)) report.reportSkipped(value, 'only http and https URLs are crawled', node);
    return isUrl(value);
  });
}

function toCrawler(spider: Node, scope: Scope, report: ImportReport): ImportedCrawler {
  const name = readStrings(spider.find('name'), scope, report)[0] ?? spider.name.replace('class ', '');
  const crawler = createCrawler(name);
  const methods = spider.children.filter(({ text }) => METHOD.test(text));
  const requests = methods.flatMap((node) => node.children);
  crawler.roots = [spider.find('start_urls'), ...requests].flatMap((node) => readUrls(node, scope, report));
  const domains = readStrings(spider.find('allowed_domains'), scope, report);
  crawler.staysOnSite = false;
  importDomains(domains, spider.find('allowed_domains'), crawler, report);
  importRules(spider.find('rules'), scope, crawler, report);
  if (spider.find('sitemap_urls')) importSitemaps(spider, scope, crawler, report);
  // Only a CrawlSpider follows links by itself; which links the code of other spiders follows is unknown.
  if (domains.length === 0 && !/\bCrawlSpider\b/.test(spider.text))
    restrictToHosts(crawler, 'the spider follows links by its code, which is not converted', report);
  report.reportTaken(
    `${crawler.name}: ${pluralize(crawler.roots.length, 'start URL')}, ${pluralize(domains.length, 'allowed domain')}`,
    'roots and rules',
  );
  for (const node of methods) {
    const method = METHOD.exec(node.text)![1]!;
    const note = /^start(?:_requests)?$/.test(method) ? START_NOTE : CODE_NOTE;
    report.reportSkipped(`${crawler.name}.${method}`, note, node);
  }
  return crawler;
}

/** Links have to be on one of the domains; start URLs are requested wherever they are. */
function importDomains(
  domains: readonly string[],
  node: Node | undefined,
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  crawler.acceptsOthers = domains.length === 0;
  if (crawler.acceptsOthers) return;
  const isName = (domain: string): boolean => !/^https?:\/\/|:\d+$/.test(domain);
  for (const domain of domains)
    if (!isName(domain))
      report.reportSkipped(`allowed_domains ${domain}`, 'Scrapy, too, ignores an entry with a scheme or a port', node);
  const names = domains.filter(isName).map((value): Pattern => ({ kind: 'domain', value }));
  const starts = crawler.roots.map((url): Pattern => ({ kind: 'exact', value: new URL(url).href }));
  const isInside = ({ value }: Pattern): boolean =>
    names.some((name) => `.${new URL(value).hostname}`.endsWith(`.${name.value.toLowerCase()}`));
  crawler.rules = [...names, ...starts.filter((start) => !isInside(start))].map((pattern) => ({
    accept: true,
    pattern,
  }));
  if (crawler.rules.length === 0) crawler.rules.push({ accept: false, pattern: EVERYTHING });
}

const METHOD = /^(?:async\s+)?def\s+(\w+)/;

/** Such a spider requests what its sitemaps list, if one of its rules is found in the URL, and follows no links by itself. */
function importSitemaps(spider: Node, scope: Scope, crawler: ImportedCrawler, report: ImportReport): void {
  const hosts: Pattern[] = [];
  for (const url of readUrls(spider.find('sitemap_urls'), scope, report))
    if (/\/robots\.txt$/.test(url)) {
      // The sitemaps that robots.txt names are read with any root of the host.
      hosts.push({ kind: 'exact', value: new URL('/', url).href });
      report.reportChanged(url, 'a root for the host, the sitemaps of whose robots.txt are read');
    } else {
      crawler.sitemaps.push(url);
      report.reportChanged(`sitemap ${url}`, SITEMAP_NOTE);
    }
  appendAll(crawler.roots, [...crawler.sitemaps, ...hosts.map(({ value }) => value)]);
  const patterns: Pattern[] = [];
  for (const rule of spider.find('sitemap_rules')?.children ?? []) {
    const [value] = readStrings(rule.children[0], scope, report);
    if (value === undefined) report.reportSkipped('sitemap rule', 'its expression is computed', rule);
    else report.reportTaken(`sitemap rule ${value}`, 'a Rule that ignores all other URLs', rule);
    patterns.push(value === undefined ? NOTHING : { kind: 'regex', value });
  }
  if (patterns.length > 0) crawler.filters.push({ any: [...patterns, ...hosts] });
  crawler.attributes['defaultFollow'] = 'false';
  crawler.rules = [
    ...crawler.rules.map((rule) => ({ ...rule, follow: false })),
    ...hosts.map((pattern) => ({ accept: true, pattern, index: false, follow: false })),
  ];
  report.reportChanged(`${crawler.name}: SitemapSpider`, 'links of pages are NOT followed (defaultFollow)');
}

/** A link is followed if one of the rules extracts it; the first one says what becomes of its page. */
function importRules(rules: Node | undefined, scope: Scope, crawler: ImportedCrawler, report: ImportReport): void {
  const extractions = (rules?.children.length ? rules.children : rules ? [rules] : [])
    .filter(({ text }) => /(?:^|\.)Rule$/.test(text))
    .map((rule) => readRule(rule, scope, crawler, report));
  if (extractions.length === 0) return;
  // Extractors apply only to links, not to the start URLs.
  const roots = crawler.roots.map((url): Pattern => ({ kind: 'exact', value: new URL(url).href }));
  crawler.filters.push({ any: [...extractions.map(({ match }) => match), ...roots] });
  report.reportChanged('LinkExtractor', 'in Crawlway, its patterns apply to all URLs of the crawler');
  const earlier: Match[] = [];
  for (const { match, follows, yields, isPart, follow } of extractions) {
    // From then on, a URL does not say which rule has found it.
    if (isPart) break;
    const own: Match = { all: [match, ...[...earlier, ...roots].map((not) => ({ not }))] };
    if (!follows) crawler.rules.push({ accept: undefined, pattern: own, follow: false });
    if (!follows) report.reportTaken(`links of pages of ${crawler.name}`, 'NoFollow, as its Rule says', follow);
    if (!yields && extractions.some((other) => other.yields)) {
      crawler.rules.push({ accept: undefined, pattern: own, index: false });
      report.reportChanged('a Rule without callback', 'NoIndex: its pages yield no items, but links');
    }
    earlier.push(match);
  }
  for (const { follow, follows } of extractions)
    if (follow && !follow.isReported && !follows) report.reportSkipped(`follow of ${crawler.name}`, PART_NOTE, follow);
}

const PART_NOTE = 'a Rule for a part of the page goes before: links of the pages are FOLLOWED';

/** What LinkExtractor leaves out unless `deny_extensions` says otherwise: also PDF and office documents. */
const DENIED_EXTENSIONS =
  '7z|7zip|bz2|rar|tar|tar.gz|xz|zip|mng|pct|bmp|gif|jpg|jpeg|png|pst|psp|tif|tiff|ai|drw|dxf|eps|ps|svg|cdr|ico|webp|mp3|wma|ogg|wav|ra|aac|mid|au|aiff|3gp|asf|asx|avi|mov|mp4|mpg|qt|rm|swf|wmv|m4a|m4v|flv|webm|xls|xlsm|xlsx|xltm|xltx|potm|potx|ppt|pptm|pptx|pps|doc|docb|docm|docx|dotm|dotx|odt|ods|odg|odp|css|pdf|exe|bin|rss|dmg|iso|apk|jar|sh|rb|js|hta|bat|cpl|msi|msp|py';

/** Paths that end in one of the extensions. */
export const matchExtensions = (extensions: readonly string[] = DENIED_EXTENSIONS.split('|')): Pattern => ({
  kind: 'regex',
  field: 'path',
  value: `(?i)\\.(?:${extensions.map(escapeRegExp).join('|')})$`,
});

interface Extraction {
  /** The URLs of the links that the rule extracts. */
  readonly match: Match;
  readonly follows: boolean;
  readonly yields: boolean;
  /** Whether it takes only the links in a part of a page. */
  readonly isPart: boolean;
  readonly follow: Node | undefined;
}

function readRule(rule: Node, scope: Scope, crawler: ImportedCrawler, report: ImportReport): Extraction {
  const extractor = rule.children.find(({ text }) => text.endsWith('LinkExtractor'));
  const find = (position: number, name: string): Node | undefined => {
    const unnamed = extractor?.children.slice(0, position + 1).every((part) => part.name === 'item');
    return extractor?.find(name) ?? (unnamed ? extractor?.children[position] : undefined);
  };
  const read = (kind: Pattern['kind'], position: number, name: string): Pattern[] =>
    readStrings(find(position, name), scope, report).map((value) => ({ kind, value }));
  if (extractor?.children.length === 0) report.cover(extractor);
  const parts = rule.children.filter((part) => part !== extractor);
  const callback = rule.find('callback') ?? parts.find(({ name }) => name === 'item');
  if (callback) report.reportSkipped(`callback of ${crawler.name}`, CODE_NOTE, callback);
  const follow = rule.find('follow');
  const yields = callback !== undefined && callback.text !== 'None';
  // Without the argument, links of pages with a callback are not followed.
  const follows = follow && follow.text !== 'None' ? follow.text !== 'False' : !yields;
  if (follows) report.cover(follow);
  const regions = (extractor?.children ?? []).filter(({ name }) => /^restrict_(?:css|xpaths)$/.test(name));
  for (const node of regions)
    report.reportSkipped(
      `${node.name} = ${node.text || node.children[0]?.text}`,
      'links anywhere on a page are FOLLOWED if they match',
      node,
    );
  const extensions = find(9, 'deny_extensions');
  if (!extensions) report.reportTaken('LinkExtractor without deny_extensions', 'a Rule against its default list');
  const denied = extensions ? readStrings(extensions, scope, report) : undefined;
  const deny = [
    ...read('regex', 1, 'deny'),
    ...read('domain', 3, 'deny_domains'),
    ...(denied?.length === 0 ? [] : [matchExtensions(denied)]),
  ];
  const lists = [read('regex', 0, 'allow'), read('domain', 2, 'allow_domains')].filter(({ length }) => length > 0);
  const all = [...lists.map((any): Match => ({ any })), ...(deny.length > 0 ? [{ not: { any: deny } }] : [])];
  const match: Match = all.length === 0 ? EVERYTHING : { all };
  return { match, follows, yields, isPart: regions.length > 0, follow };
}

function importSetting(node: Node, crawlers: readonly ImportedCrawler[], report: ImportReport): void {
  const { text: value } = node;
  const name = SPIDER_SETTINGS[node.name] ?? node.name;
  const numericValue = Number(value.replace(/_/g, ''));
  const setAttribute = (part: 'attributes' | 'fetcher', key: string, text: string): void => {
    for (const crawler of crawlers) crawler[part][key] = text;
    report.reportTaken(`${name} = ${value}`, key, node);
  };
  if (name === 'USER_AGENT' && readString(node)) return void setAttribute('fetcher', 'userAgent', readString(node)!);
  if (name === 'ROBOTSTXT_OBEY' && /^(?:True|False)$/.test(value))
    return void setAttribute('attributes', 'ignoreRobotsTxt', String(value === 'False'));
  if (name === 'DOWNLOAD_DELAY' && numericValue >= 0)
    return void setAttribute('attributes', 'throttleTimeMS', String(Math.round(numericValue * 1000)));
  if (name === 'CONCURRENT_REQUESTS' && numericValue >= 1)
    return void setAttribute('attributes', 'nthreads', String(numericValue));
  if (name === 'DOWNLOAD_TIMEOUT' && numericValue >= 1)
    return void setAttribute('fetcher', 'totalTimeoutMS', String(Math.round(numericValue * 1000)));
  if (name === 'DOWNLOAD_MAXSIZE' && numericValue >= 1)
    return void setAttribute('fetcher', 'maxSizeBytes', String(numericValue));
  if (name === 'DEPTH_LIMIT' && numericValue >= 1) {
    for (const crawler of crawlers) crawler.maxHops = numericValue;
    return void report.reportTaken(`${name} = ${value}`, 'option max-hops', node);
  }
  report.reportSkipped(name, NO_COUNTERPART, node);
}
