/** Vivisimo Velocity (IBM Data Explorer): the XML of a search collection; seeds, crawl options and its recursive conditions. */
import {
  addAll,
  emptyCrawler,
  ImportError,
  type ImportedCondition,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  linesOf,
} from '../model.js';
import { all, first, type Node, setting, xmlTree } from '../tree.js';

export function readVelocity(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  return files.flatMap((file) => {
    const tree = xmlTree(file);
    const crawlers = all(tree, 'crawler');
    if (crawlers.length === 0) throw new ImportError(`${file.name}: no crawler element`);
    return crawlers.map((crawler) => readCrawler(crawler, tree.attributes['name'] ?? 'velocity', report));
  });
}

function readCrawler(node: Node, name: string, report: ImportReport): ImportedCrawler {
  const crawler = { ...emptyCrawler(name), staysOnSite: false };
  for (const child of node.children) {
    if (child.name === 'call-function') readFunction(child, crawler, report);
    else if (child.name === 'crawl-options') readOptions(child, crawler, report);
    else if (child.name === 'crawl-urls') readUrls(child, crawler, report);
    else if (Object.hasOwn(CONDITIONS, child.name)) crawler.conditions.push(...conditionOf(child, report));
    else report.notTaken(child.name, 'has no counterpart');
  }
  report.taken(`${crawler.roots.length} seeds`, 'roots');
  if (crawler.conditions.every(({ element }) => element === 'option')) stayOnHosts(crawler, report);
  return crawler;
}

function readFunction(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const name = node.attributes['name'] ?? '';
  const argument = (wanted: string): string =>
    node.children.find((one) => one.name === 'with' && one.attributes['name'] === wanted)?.text ?? '';
  if (name !== 'vse-crawler-seed-urls') {
    report.notTaken(name, 'a component of the product, of which the file contains only the name; write its conditions');
    return;
  }
  const urls = linesOf(argument('urls')).flatMap((line) => line.split(/\s+/));
  addAll(crawler.roots, urls.filter(isUrl));
  const others = urls.filter((url) => !isUrl(url));
  if (others.length > 0) report.notTaken(others.join(' '), 'Crawlway crawls http and https');
  const hops = argument('hops');
  if (/^\d+$/.test(hops)) {
    crawler.maxHops = Math.max(Number(hops), crawler.maxHops ?? 0);
    report.differently(`hops ${hops} of a seed`, 'option max-hops, for all seeds');
  }
}

/** If no condition of the file names hosts: those of the seeds. */
function stayOnHosts(crawler: ImportedCrawler, report: ImportReport): void {
  const origins = new Set(crawler.roots.map((url) => new URL(url).origin));
  addAll(
    crawler.include,
    [...origins].map((origin) => ({ kind: 'prefix', value: `${origin}/` }) as const),
  );
  report.differently('conditions', 'the file has none of its own: the crawl stays on the hosts of its seeds');
}

function readUrls(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const { attributes } of all(node, 'crawl-url'))
    if (isUrl(attributes['url'] ?? '')) crawler.roots.push(attributes['url']!);
  const options = optionsOf(node, report);
  crawler.conditions.push(...options);
}

/** Crawl options of Velocity that are attributes here. */
const ATTRIBUTES: Readonly<Record<string, string>> = { 'n-fetch-threads': 'nthreads' };

function readOptions(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const option of node.children.filter((one) => one.name === 'crawl-option')) {
    const name = option.attributes['name'] ?? '';
    const attribute = ATTRIBUTES[name];
    if (attribute !== undefined && /^\d+$/.test(option.text)) {
      crawler.attributes[attribute] = option.text;
      report.taken(`${name} = ${option.text}`, attribute);
    } else report.notTaken(name, 'has no counterpart');
  }
  crawler.conditions.push(...optionsOf(node, report));
}

interface UrlOption {
  readonly name: string;
  readonly value: (text: string) => string | undefined;
}

const asIs = (text: string): string => text;
const wholeNumber = (text: string): string | undefined => (/^\d+$/.test(text) ? text : undefined);
const isTrue = (text: string): string | undefined => (/^(?:true|false)$/.test(text) ? text : undefined);

/** Options of a URL (`curl-option`) that a condition can set here. */
const URL_OPTIONS: Readonly<Record<string, UrlOption>> = {
  'default-allow': {
    name: 'default-allow',
    value: (text) => (/^(?:allow|disallow|disallow-log|log-disallow)$/.test(text) ? text : undefined),
  },
  'max-hops': { name: 'max-hops', value: wholeNumber },
  'max-data-size': { name: 'max-size-bytes', value: wholeNumber },
  'user-agent': { name: 'user-agent', value: asIs },
  'obey-robots': { name: 'obey-robots', value: isTrue },
};

function optionsOf(node: Node, report: ImportReport): ImportedCondition[] {
  const written = node.children.flatMap((one) =>
    one.name === 'curl-option' ? [one] : one.name === 'curl-options' ? one.children : [],
  );
  return written.flatMap((option) => {
    const name = option.attributes['name'] ?? '';
    const known = URL_OPTIONS[name];
    const value = known?.value(option.text);
    if (!known || value === undefined) {
      report.notTaken(`${name} = ${option.text}`.slice(0, 100), 'an option of URLs that has no counterpart');
      return [];
    }
    report.taken(`${name} = ${option.text}`, `option ${known.name}`);
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

/** Fields of Velocity and of conditions here. */
const FIELDS: Readonly<Record<string, string>> = {
  url: 'url',
  protocol: 'scheme',
  host: 'host',
  path: 'path',
  query: 'query',
};

function conditionOf(node: Node, report: ImportReport): ImportedCondition[] {
  const { how = 'wc-set', field = 'url', log } = node.attributes;
  const pattern = (first(node, 'crawl-pattern')?.text ?? setting(node, 'pattern') ?? '').trim();
  const test = TESTS[how];
  const part = FIELDS[field];
  const shown = `${node.name} ${field} ${how} ${pattern}`.slice(0, 120);
  if (test === undefined || part === undefined || pattern === '') {
    report.notTaken(shown, 'a test or part of the URL that has no counterpart; its contents are left out too');
    return [];
  }
  report.taken(shown, CONDITIONS[node.name]!);
  const options = optionsOf(node, report);
  const inside = node.children.filter(({ name }) => Object.hasOwn(CONDITIONS, name));
  const attributes: Record<string, string> = { test, field: part, value: pattern.replace(/\s+/g, ' ') };
  if (log !== undefined && node.name.endsWith('have')) attributes['log'] = String(/^(?:log|true|yes)$/.test(log));
  return [
    {
      element: CONDITIONS[node.name]!,
      attributes,
      children: [...options, ...inside.flatMap((child) => conditionOf(child, report))],
    },
  ];
}
