/** Apache Nutch: nutch-site.xml, regex-urlfilter.txt and other URL filters, and seed lists. */

import {
  appendAll,
  createCrawler,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isContact,
  isUrl,
  pluralize,
  splitLines,
} from '../model.js';
import { findAll, findSetting, parseXml } from '../tree.js';

export function readNutch(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...createCrawler('nutch'), staysOnSite: false };
  for (const file of files) {
    if (/^\s*</.test(file.text))
      for (const property of findAll(parseXml(file), 'property')) importProperty(property, crawler, report);
    else if (/prefix-urlfilter/.test(file.name))
      for (const value of splitLines(file.text)) crawler.include.push({ kind: 'prefix', value });
    else if (/domain-urlfilter/.test(file.name))
      appendAll(
        crawler.include,
        splitLines(file.text).map((value) => ({ kind: 'domain', value }) as const),
      );
    else if (/urlfilter/.test(file.name)) crawler.rules = parseSignedRules(splitLines(file.text));
    else
      appendAll(
        crawler.roots,
        splitLines(file.text)
          .map((line) => line.split('\t')[0]!)
          .filter(isUrl),
      );
  }
  report.reportTaken(pluralize(crawler.roots.length, 'seed'), 'roots');
  if (crawler.rules.length > 0)
    report.reportChanged(
      'the URL filter',
      'the first match wins in Nutch but the last one in Crawlway, so the rules are in reverse order',
    );
  else crawler.acceptsOthers = true;
  return [crawler];
}

/**
 * Parses lines of the form `+expression` or `-expression`. The first match wins in such a list, but the last one in
 * Crawlway, so the order is reversed.
 */
export const parseSignedRules = (lines: readonly string[]): ImportedRule[] =>
  lines
    .filter((line) => /^[+-]/.test(line))
    .map((line) => ({ accept: line.startsWith('+'), pattern: { kind: 'regex', value: line.slice(1).trim() } }) as const)
    .reverse();

type PropertyConverter = (value: string, crawler: ImportedCrawler) => string | undefined;

const secondsToMilliseconds = (value: string): string => String(Math.round(Number(value) * 1000));
const isTrue = (value: string): boolean => value.trim() === 'true';

/**
 * Nutch and StormCrawler truncate longer pages. With maxSizeBytes, Crawlway would refuse such pages and remove them
 * from the index.
 */
export const TRUNCATION_NOTE =
  'longer pages would be left out instead of truncated, so maxSizeBytes of Fetcher keeps its default, 32 MiB';

/** Functions that convert a property and return what it became; undefined if Crawlway always behaves this way. */
const PROPERTIES: Readonly<Record<string, PropertyConverter>> = {
  'http.agent.name': (value, { fetcher }) => {
    fetcher['userAgent'] = [value, fetcher['userAgent']].filter(Boolean).join('/');
    fetcher['robotsAgent'] = value.replace(/[^A-Za-z_-]/g, '') || 'crawlway';
    return 'userAgent and robotsAgent of Fetcher';
  },
  'http.agent.version': (value, { fetcher }) => {
    fetcher['userAgent'] = [fetcher['userAgent'], value].filter(Boolean).join('/');
    return 'userAgent of Fetcher';
  },
  'fetcher.server.delay': (value, { attributes }) => {
    attributes['throttleTimeMS'] = secondsToMilliseconds(value);
    return 'throttleTimeMS';
  },
  'fetcher.threads.fetch': (value, { attributes }) => {
    attributes['nthreads'] = value;
    return 'nthreads';
  },
  'http.timeout': (value, { fetcher }) => {
    fetcher['headerTimeoutMS'] = value;
    return 'headerTimeoutMS of Fetcher';
  },
  'http.redirect.max': (value, { fetcher }) => {
    fetcher['maxRedirects'] = String(Math.min(100, Math.max(1, Number(value))));
    return 'maxRedirects of Fetcher';
  },
  'db.fetch.interval.default': (value, { attributes }) => {
    attributes['smartRefreshMaxAgeS'] = value;
    attributes['smartRefreshMinAgeS'] = String(Math.min(3600, Number(value)));
    return 'smartRefreshMaxAgeS; pages that change are visited sooner';
  },
  'db.ignore.external.links': (value, crawler) => {
    crawler.staysOnSite = isTrue(value);
    return isTrue(value) ? 'roots stay on their sites' : undefined;
  },
  'db.ignore.internal.links': () => undefined,
};

/** Properties with a contact for site operators. */
const CONTACTS = new Set(['http.agent.url', 'http.agent.email']);

const REASONS: Readonly<Record<string, string>> = {
  'plugin.includes': 'Nutch plug-ins have no counterpart; docs/documents.md describes how documents are read',
  'db.max.outlinks.per.page': 'the limit is 50,000 distinct links per page',
  'generate.max.count': 'there are no segments: a crawl continues indefinitely',
};

function importProperty(
  property: Parameters<typeof findSetting>[0],
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  const name = findSetting(property, 'name')?.trim() ?? '';
  const value = findSetting(property, 'value')?.trim() ?? '';
  if (value === '') return;
  if (name === 'http.content.limit') return void report.reportChanged(`${name} = ${value}`, TRUNCATION_NOTE);
  if (CONTACTS.has(name) && isContact(value)) {
    crawler.fetcher['contact'] ??= value;
    return void report.reportTaken(`${name} = ${value}`, 'contact of Fetcher');
  }
  const convert = PROPERTIES[name];
  if (!convert) return void report.reportSkipped(name, REASONS[name] ?? 'has no counterpart');
  const isNumeric = /delay|threads|limit|timeout|max|interval/.test(name);
  if (isNumeric && !/^-?\d+(?:\.\d+)?$/.test(value)) return void report.reportSkipped(name, `${value} is not a number`);
  report.reportTaken(`${name} = ${value}`, convert(value, crawler) ?? 'Crawlway always does this');
}
