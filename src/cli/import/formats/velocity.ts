/**
 * Vivisimo Velocity (IBM Data Explorer): the XML of a search collection, with seeds, crawl options and recursive
 * conditions.
 */

import { pluralize } from '../../output.js';
import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCondition,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  splitLines,
} from '../model.js';
import { findAll, findFirst, findSetting, type Node, parseXml } from '../tree.js';

export function readVelocity(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  return files.flatMap((file) => {
    const tree = parseXml(file);
    const crawlers = findAll(tree, 'crawler');
    if (crawlers.length === 0) throw new ImportError(`${file.name}: no crawler element`);
    return crawlers.map((crawler) => readCrawler(crawler, tree.attributes['name'] ?? 'velocity', report));
  });
}

function readCrawler(node: Node, name: string, report: ImportReport): ImportedCrawler {
  const crawler = { ...createCrawler(name), staysOnSite: false };
  for (const child of node.children) {
    if (child.name === 'call-function') readFunction(child, crawler, report);
    else if (child.name === 'crawl-options') readOptions(child, crawler, report);
    else if (child.name === 'crawl-urls') readUrls(child, crawler, report);
    else if (Object.hasOwn(CONDITIONS, child.name)) crawler.conditions.push(...toConditions(child, report));
    else report.reportSkipped(child.name, 'has no counterpart');
  }
  report.reportTaken(pluralize(crawler.roots.length, 'seed'), 'roots');
  if (crawler.conditions.every(({ element }) => element === 'option')) stayOnHosts(crawler, report);
  return crawler;
}

function readFunction(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const name = node.attributes['name'] ?? '';
  const argumentValue = (wanted: string): string =>
    node.children.find((one) => one.name === 'with' && one.attributes['name'] === wanted)?.text ?? '';
  if (name !== 'vse-crawler-seed-urls') {
    report.reportSkipped(name, 'a product component of which the file contains only the name; write its conditions');
    return;
  }
  const urls = splitLines(argumentValue('urls')).flatMap((line) => line.split(/\s+/));
  appendAll(crawler.roots, urls.filter(isUrl));
  const others = urls.filter((url) => !isUrl(url));
  if (others.length > 0) report.reportSkipped(others.join(' '), 'Crawlway crawls http and https');
  const hops = argumentValue('hops');
  if (/^\d+$/.test(hops)) {
    crawler.maxHops = Math.max(Number(hops), crawler.maxHops ?? 0);
    report.reportChanged(`hops ${hops} of a seed`, 'option max-hops, for all seeds');
  }
}

/** Used if the file has no conditions: the crawl stays on the hosts of its seeds. */
function stayOnHosts(crawler: ImportedCrawler, report: ImportReport): void {
  const origins = new Set(crawler.roots.map((url) => new URL(url).origin));
  appendAll(
    crawler.include,
    [...origins].map((origin) => ({ kind: 'prefix', value: `${origin}/` }) as const),
  );
  report.reportChanged('conditions', 'the file has none, so the crawl stays on the hosts of its seeds');
}

function readUrls(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const { attributes } of findAll(node, 'crawl-url'))
    if (isUrl(attributes['url'] ?? '')) crawler.roots.push(attributes['url']!);
  const options = toOptions(node, report);
  crawler.conditions.push(...options);
}

/** Velocity's crawl options that are attributes in Crawlway. */
const ATTRIBUTES: Readonly<Record<string, string>> = { 'n-fetch-threads': 'nthreads' };

function readOptions(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const option of node.children.filter((one) => one.name === 'crawl-option')) {
    const name = option.attributes['name'] ?? '';
    const attribute = ATTRIBUTES[name];
    if (attribute !== undefined && /^\d+$/.test(option.text)) {
      crawler.attributes[attribute] = option.text;
      report.reportTaken(`${name} = ${option.text}`, attribute);
    } else report.reportSkipped(name, 'has no counterpart');
  }
  crawler.conditions.push(...toOptions(node, report));
}

interface UrlOption {
  readonly name: string;
  readonly value: (text: string) => string | undefined;
}

const identity = (text: string): string => text;
const toWholeNumber = (text: string): string | undefined => (/^\d+$/.test(text) ? text : undefined);
const toBooleanText = (text: string): string | undefined => (/^(?:true|false)$/.test(text) ? text : undefined);

/** Options of a URL (`curl-option`) that a condition can set in Crawlway. */
const URL_OPTIONS: Readonly<Record<string, UrlOption>> = {
  'default-allow': {
    name: 'default-allow',
    value: (text) => (/^(?:allow|disallow|disallow-log|log-disallow)$/.test(text) ? text : undefined),
  },
  'max-hops': { name: 'max-hops', value: toWholeNumber },
  'max-data-size': { name: 'max-size-bytes', value: toWholeNumber },
  'user-agent': { name: 'user-agent', value: identity },
  'obey-robots': { name: 'obey-robots', value: toBooleanText },
};

function toOptions(node: Node, report: ImportReport): ImportedCondition[] {
  const written = node.children.flatMap((one) =>
    one.name === 'curl-option' ? [one] : one.name === 'curl-options' ? one.children : [],
  );
  return written.flatMap((option) => {
    const name = option.attributes['name'] ?? '';
    const known = URL_OPTIONS[name];
    const value = known?.value(option.text);
    if (!known || value === undefined) {
      report.reportSkipped(`${name} = ${option.text}`.slice(0, 100), 'a URL option that has no counterpart');
      return [];
    }
    report.reportTaken(`${name} = ${option.text}`, `option ${known.name}`);
    return [{ element: 'option', attributes: { name: known.name, value }, children: [] }];
  });
}

const CONDITIONS: Readonly<Record<string, string>> = {
  'crawl-condition-when': 'apply-for',
  'crawl-condition-except': 'apply-except-for',
  'crawl-may-not-have': 'may-not-have',
  'crawl-must-have': 'must-have',
};

const TESTS: Readonly<Record<string, string>> = {
  wc: 'wildcard',
  'wc-set': 'wildcard-set',
  regex: 'regex',
  'case-insensitive-regex': 'regex',
};

/** Velocity's fields, with those of Crawlway's conditions. */
const FIELDS: Readonly<Record<string, string>> = {
  url: 'url',
  protocol: 'scheme',
  host: 'host',
  path: 'path',
  query: 'query',
};

function toConditions(node: Node, report: ImportReport): ImportedCondition[] {
  const { how = 'wc-set', field = 'url', log } = node.attributes;
  const pattern = (findFirst(node, 'crawl-pattern')?.text ?? findSetting(node, 'pattern') ?? '').trim();
  const test = TESTS[how];
  const part = FIELDS[field];
  const shown = `${node.name} ${field} ${how} ${pattern}`.slice(0, 120);
  if (test === undefined || part === undefined || pattern === '') {
    report.reportSkipped(shown, 'a test or URL part that has no counterpart; nested conditions are left out too');
    return [];
  }
  report.reportTaken(shown, CONDITIONS[node.name]!);
  const options = toOptions(node, report);
  const inside = node.children.filter(({ name }) => Object.hasOwn(CONDITIONS, name));
  const attributes: Record<string, string> = { test, field: part, value: pattern.replace(/\s+/g, ' ') };
  if (log !== undefined && node.name.endsWith('have')) attributes['log'] = String(/^(?:log|true|yes)$/.test(log));
  return [
    {
      element: CONDITIONS[node.name]!,
      attributes,
      children: [...options, ...inside.flatMap((child) => toConditions(child, report))],
    },
  ];
}
