/**
 * Vivisimo Velocity (IBM Data Explorer): the XML of a search collection, with seeds, crawl options and recursive
 * conditions.
 */

import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCondition,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  pluralize,
  splitLines,
} from '../model.js';
import { findAll, findFirst, findSetting, type Node, parseXml } from '../tree.js';

export function readVelocity(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  return files.flatMap((file) => {
    const tree = parseXml(file, report);
    const crawlers = findAll(tree, 'crawler');
    if (crawlers.length === 0) throw new ImportError(`${file.name}: no crawler element`);
    return crawlers.map((crawler) => convertCrawler(crawler, tree.attributes['name'] ?? 'velocity', report));
  });
}

function convertCrawler(node: Node, name: string, report: ImportReport): ImportedCrawler {
  const crawler = { ...createCrawler(name), staysOnSite: false };
  const own: ImportedCondition[] = [];
  for (const child of node.children) {
    if (child.name === 'call-function') importFunction(child, crawler, report);
    else if (child.name === 'crawl-options') importOptions(child, crawler, report);
    else if (child.name === 'crawl-urls') importUrls(child, crawler, report);
    else if (Object.hasOwn(CONDITIONS, child.name)) {
      const conditions = toConditions(child, report);
      own.push(...conditions);
      crawler.conditions.push(...conditions);
    }
  }
  // Those of components say nothing about hosts.
  if (own.length === 0) restrictToHosts(crawler, report);
  return crawler;
}

/** Components of the product that collections name, and what they mean. */
const COMPONENTS: Readonly<Record<string, (crawler: ImportedCrawler) => string>> = {
  'vse-crawler-binary-file-extensions': (crawler) => {
    crawler.conditions.push({
      element: 'may-not-have',
      attributes: { test: 'wildcard-set', field: 'path', value: BINARY_FILES.map((name) => `*.${name}`).join(' ') },
      children: [],
    });
    return 'may-not-have';
  },
  'vse-crawler-session-ids': () => 'session ids are removed from URLs by Canonicalization',
  'vse-crawler-obey-robots': () => 'robots.txt is obeyed',
};

const BINARY_FILES =
  'aif aiff au avi bin bmp bz2 class css dll dmg eps exe gif gz ico iso jar jpeg jpg js mid midi mov mp3 mp4 mpeg mpg msi o png ps qt ra ram rar rpm so swf tar tgz tif tiff wav wma wmv z zip'.split(
    ' ',
  );

function importFunction(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const name = node.attributes['name'] ?? '';
  const getArgument = (argument: string): string =>
    node.children.find((child) => child.name === 'with' && child.attributes['name'] === argument)?.text ?? '';
  const component = COMPONENTS[name];
  if (component) return void report.reportChanged(name, component(crawler), node);
  if (name !== 'vse-crawler-seed-urls')
    return void report.reportSkipped(
      name,
      'the file contains only the name of this product component; write its conditions yourself',
      node,
    );
  const urls = splitLines(getArgument('urls')).flatMap((line) => line.split(/\s+/));
  appendAll(crawler.roots, urls.filter(isUrl));
  report.reportTaken(pluralize(urls.filter(isUrl).length, 'seed'), 'roots', node);
  const otherUrls = urls.filter((url) => !isUrl(url));
  if (otherUrls.length > 0) report.reportSkipped(otherUrls.join(' '), 'Crawlway crawls only http and https URLs', node);
  const hops = getArgument('hops');
  if (/^\d{1,5}$/.test(hops)) {
    crawler.maxHops = Math.max(Number(hops), crawler.maxHops ?? 0);
    report.reportChanged(`hops ${hops} of a seed`, 'option max-hops, for all seeds', node);
  }
}

/** Makes the crawl stay on the hosts of its seeds; used if the file has no conditions. */
function restrictToHosts(crawler: ImportedCrawler, report: ImportReport): void {
  const origins = new Set(crawler.roots.map((url) => new URL(url).origin));
  appendAll(
    crawler.include,
    [...origins].map((origin) => ({ kind: 'prefix', value: `${origin}/` }) as const),
  );
  report.reportChanged('conditions', 'the file has none, so the crawl stays on the hosts of its seeds');
}

function importUrls(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const crawlUrl of findAll(node, 'crawl-url'))
    if (isUrl(crawlUrl.attributes['url'] ?? '')) {
      crawler.roots.push(crawlUrl.attributes['url']!);
      report.cover(crawlUrl);
    }
  const options = toOptions(node, report);
  crawler.conditions.push(...options);
}

/** Velocity's crawl options that are attributes in Crawlway. */
const ATTRIBUTES: Readonly<Record<string, string>> = { 'n-fetch-threads': 'nthreads' };

function importOptions(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const option of node.children.filter((child) => child.name === 'crawl-option')) {
    const name = option.attributes['name'] ?? '';
    const attribute = ATTRIBUTES[name];
    if (attribute !== undefined && /^\d+$/.test(option.text)) {
      crawler.attributes[attribute] = option.text;
      report.reportTaken(`${name} = ${option.text}`, attribute, option);
    } else report.reportSkipped(name, 'has no counterpart', option);
  }
  crawler.conditions.push(...toOptions(node, report));
}

interface UrlOption {
  readonly name: string;
  readonly convert: (text: string) => string | undefined;
}

const toWholeNumber = (text: string): string | undefined => (/^[1-9]\d{0,14}$/.test(text) ? text : undefined);
const toHops = (text: string): string | undefined =>
  /^\d+$/.test(text) ? String(Math.min(65_535, Number(text))) : undefined;
const toBooleanText = (text: string): string | undefined => (/^(?:true|false)$/.test(text) ? text : undefined);

/** Options of a URL (`curl-option`) that a condition can set in Crawlway. */
const URL_OPTIONS: Readonly<Record<string, UrlOption>> = {
  'default-allow': {
    name: 'default-allow',
    convert: (text) => (/^(?:allow|disallow|disallow-log|log-disallow)$/.test(text) ? text : undefined),
  },
  'max-hops': { name: 'max-hops', convert: toHops },
  'max-data-size': { name: 'max-size-bytes', convert: toWholeNumber },
  'user-agent': { name: 'user-agent', convert: (text) => text.trim() || undefined },
  'obey-robots': { name: 'obey-robots', convert: toBooleanText },
};

function toOptions(node: Node, report: ImportReport): ImportedCondition[] {
  const optionNodes = node.children.flatMap((child) =>
    child.name === 'curl-option' ? [child] : child.name === 'curl-options' ? child.children : [],
  );
  return optionNodes.flatMap((option) => {
    const name = option.attributes['name'] ?? '';
    const urlOption = URL_OPTIONS[name];
    const value = urlOption?.convert(option.text);
    if (!urlOption || value === undefined) {
      report.reportSkipped(
        `${name} = ${option.text}`.slice(0, 100),
        'the URL option or its value has no counterpart',
        option,
      );
      return [];
    }
    report.reportTaken(`${name} = ${option.text}`, `option ${urlOption.name}`, option);
    return [{ element: 'option', attributes: { name: urlOption.name, value }, children: [] }];
  });
}

const CONDITIONS: Readonly<Record<string, string>> = {
  'crawl-condition-when': 'apply-for',
  'crawl-condition-except': 'apply-except-for',
  'crawl-may-not-have': 'may-not-have',
  'crawl-must-have': 'must-have',
};

/** In Velocity, only `regex` is case-sensitive. */
const TESTS: Readonly<Record<string, string>> = {
  wc: 'wildcard',
  'wc-set': 'wildcard-set',
  regex: 'regex',
  'case-insensitive-regex': 'regex',
  wildcard: 'wildcard',
  'wildcard-set': 'wildcard-set',
};

/** The corresponding field of Crawlway's conditions for each of Velocity's fields. */
const FIELDS: Readonly<Record<string, string>> = {
  url: 'url',
  protocol: 'scheme',
  host: 'host',
  path: 'path',
  query: 'query',
};

/** Attributes of a condition. Velocity writes `how`; `test` is what people who know Crawlway write by hand. */
const CONDITION_ATTRIBUTES: ReadonlySet<string> = new Set([
  'how',
  'test',
  'field',
  'log',
  'pattern',
  'custom-field',
  'name',
  'id',
]);

function toConditions(node: Node, report: ImportReport): ImportedCondition[] {
  const { test: ownTest = 'wc-set', how = ownTest, field = 'url', log } = node.attributes;
  const known = node.attributeNodes.filter(({ name }) => CONDITION_ATTRIBUTES.has(name));
  for (const unknown of node.attributeNodes.filter(({ name }) => !CONDITION_ATTRIBUTES.has(name)))
    report.reportSkipped(
      `${unknown.name} = ${unknown.text}`.slice(0, 100),
      `${node.name} has no such attribute`,
      unknown,
    );
  const pattern = (findFirst(node, 'crawl-pattern')?.text ?? findSetting(node, 'pattern') ?? '').trim();
  const test = TESTS[how];
  const conditionField = FIELDS[field];
  const setting = `${node.name} ${field} ${how} ${pattern}`.slice(0, 120);
  if (test === undefined || conditionField === undefined || pattern === '') {
    report.reportSkipped(
      setting,
      'it has no pattern, or its test or URL part has no counterpart; nested conditions are left out too',
      node,
    );
    return [];
  }
  // What is nested has lines of its own.
  const parts = node.children.filter(({ name }) => name === 'crawl-pattern' || name === 'pattern');
  report.reportTaken(setting, CONDITIONS[node.name]!, ...parts, ...known);
  const options = toOptions(node, report);
  const nested = node.children.filter(({ name }) => Object.hasOwn(CONDITIONS, name));
  const attributes: Record<string, string> = { test, field: conditionField, value: pattern.replace(/\s+/g, ' ') };
  if (how === 'regex') attributes['case-sensitive'] = 'true';
  if (log !== undefined && node.name.endsWith('have')) attributes['log'] = String(/^(?:log|true|yes)$/.test(log));
  return [
    {
      element: CONDITIONS[node.name]!,
      attributes,
      children: [...options, ...nested.flatMap((child) => toConditions(child, report))],
    },
  ];
}
