/** Scrapy: plain assignments in settings.py and spiders. No Python code is run. */

import {
  createCrawler,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
} from '../model.js';
import type { Node } from '../node.js';
import { escapeRegExp, restrictToHosts } from '../patterns.js';
import { parsePython, readString } from '../python.js';

const CODE_NOTE = 'code is not converted; use cw:Content to extract fields from pages';

const CALLBACK_NOTE = `${CODE_NOTE}; links of pages with a callback are followed here even without follow=True`;

export function readScrapy(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const modules = files.map((file) => parsePython(file, report));
  const spiders = modules.flatMap(({ children }) =>
    children
      .filter((node) => node.name.startsWith('class ') && (/Spider/.test(node.text) || node.find('start_urls')))
      .map((node) => ({ node, scope: [...node.children, ...children] })),
  );
  if (spiders.length === 0) report.reportSkipped('spiders', 'no class with start_urls was given');
  const crawlers = spiders.map(({ node, scope }) => toCrawler(node, scope, report));
  if (crawlers.length === 0) crawlers.push(createCrawler('scrapy'));
  for (const node of modules.flatMap(({ children }) => children))
    if (/^[A-Z][A-Z0-9_]{2,60}$/.test(node.name)) importSetting(node, crawlers, report);
  spiders.forEach(({ node: spider }, index) => {
    for (const node of spider.find('custom_settings')?.children ?? []) importSetting(node, [crawlers[index]!], report);
  });
  return crawlers;
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
  if (node.text === '' || value !== undefined || named) report.cover(node);
  if (value !== undefined) return [value];
  return readStrings(named, scope, report, depth + 1);
}

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
  crawler.roots = ['start_urls', 'sitemap_urls'].flatMap((key) => readUrls(spider.find(key), scope, report));
  const domains = readStrings(spider.find('allowed_domains'), scope, report);
  crawler.staysOnSite = false;
  crawler.rules = domains.map((value) => ({ accept: true, pattern: { kind: 'domain', value } }));
  crawler.acceptsOthers = domains.length === 0;
  importRules(spider.find('rules'), scope, crawler, report);
  // Only a CrawlSpider follows links by itself; which links the code of other spiders follows is unknown.
  if (domains.length === 0 && !/\bCrawlSpider\b/.test(spider.text))
    restrictToHosts(crawler, 'the spider follows links by its code, which is not converted', report);
  report.reportTaken(
    `${crawler.name}: ${pluralize(crawler.roots.length, 'start URL')}, ${pluralize(domains.length, 'allowed domain')}`,
    'roots and rules',
  );
  for (const node of spider.children) {
    const [, method] = /^(?:async\s+)?def\s+(\w+)/.exec(node.text) ?? [];
    if (method !== undefined) report.reportSkipped(`${crawler.name}.${method}`, CODE_NOTE, node);
  }
  return crawler;
}

/** A link is followed if one of the rules extracts it. */
function importRules(rules: Node | undefined, scope: Scope, crawler: ImportedCrawler, report: ImportReport): void {
  const extractions = (rules?.children.length ? rules.children : rules ? [rules] : [])
    .filter(({ text }) => /(?:^|\.)Rule$/.test(text))
    .map((rule) => readRule(rule, scope, crawler, report));
  if (extractions.length === 0) return;
  // Extractors apply only to links, not to the start URLs.
  const roots = crawler.roots.map((value): Pattern => ({ kind: 'exact', value }));
  crawler.filters.push({ any: [...extractions, ...roots] });
  report.reportChanged('LinkExtractor', 'in Crawlway, its patterns apply to all URLs of the crawler');
}

/** What LinkExtractor leaves out unless `deny_extensions` says otherwise: also PDF and office documents. */
const DENIED_EXTENSIONS =
  '7z|7zip|bz2|rar|tar|tar.gz|xz|zip|mng|pct|bmp|gif|jpg|jpeg|png|pst|psp|tif|tiff|ai|drw|dxf|eps|ps|svg|cdr|ico|webp|mp3|wma|ogg|wav|ra|aac|mid|au|aiff|3gp|asf|asx|avi|mov|mp4|mpg|qt|rm|swf|wmv|m4a|m4v|flv|webm|xls|xlsm|xlsx|xltm|xltx|potm|potx|ppt|pptm|pptx|pps|doc|docb|docm|docx|dotm|dotx|odt|ods|odg|odp|css|pdf|exe|bin|rss|dmg|iso|apk|jar|sh|rb|js|hta|bat|cpl|msi|msp|py';

/** The URLs of the links that a rule extracts. */
function readRule(rule: Node, scope: Scope, crawler: ImportedCrawler, report: ImportReport): Match {
  const extractor = rule.children.find(({ text }) => text.endsWith('LinkExtractor'));
  const find = (position: number, name: string): Node | undefined => {
    const unnamed = extractor?.children.slice(0, position + 1).every((part) => part.name === 'item');
    return extractor?.find(name) ?? (unnamed ? extractor?.children[position] : undefined);
  };
  const read = (kind: Pattern['kind'], position: number, name: string): Pattern[] =>
    readStrings(find(position, name), scope, report).map((value) => ({ kind, value }));
  if (extractor?.children.length === 0) report.cover(extractor);
  for (const part of rule.children) {
    if (part.name === 'callback') report.reportSkipped(`callback of ${crawler.name}`, CALLBACK_NOTE, part);
    // Links of crawled pages are always followed.
    if (part.name === 'follow' && part.text === 'True') report.cover(part);
  }
  const extensions = find(9, 'deny_extensions');
  if (!extensions) report.reportTaken('LinkExtractor without deny_extensions', 'a Rule against its default list');
  const denied = extensions ? readStrings(extensions, scope, report) : DENIED_EXTENSIONS.split('|');
  const names = denied.map(escapeRegExp).join('|');
  const deny = [
    ...read('regex', 1, 'deny'),
    ...read('domain', 3, 'deny_domains'),
    ...(names === '' ? [] : [{ kind: 'regex', field: 'path', value: `(?i)\\.(?:${names})$` } as const]),
  ];
  const lists = [read('regex', 0, 'allow'), read('domain', 2, 'allow_domains')].filter(({ length }) => length > 0);
  const parts = [...lists.map((any): Match => ({ any })), ...(deny.length > 0 ? [{ not: { any: deny } }] : [])];
  return parts.length === 0 ? { kind: 'prefix', value: 'http' } : parts.length === 1 ? parts[0]! : { all: parts };
}

function importSetting(node: Node, crawlers: readonly ImportedCrawler[], report: ImportReport): void {
  const { name, text: value } = node;
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
