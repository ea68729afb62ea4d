/** Scrapy: plain assignments in settings.py and spiders. No Python code is run. */

import {
  appendAll,
  createCrawler,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  pluralize,
} from '../model.js';
import { parseList } from '../tree.js';

/** Matches `NAME = value`, or `'NAME': value` in a dictionary of settings. */
const ASSIGNMENT = /^['"]?([A-Z][A-Z0-9_]{3,60})['"]?\s{0,50}[=:](.*)$/;

export function readScrapy(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  for (const file of files) report.cover(parseList(file, report));
  const settings = new Map(
    files.flatMap(({ text }) =>
      text.split('\n').flatMap((line) => {
        const [, name, value] = ASSIGNMENT.exec(line.trim()) ?? [];
        const trimmedValue = (value ?? '').split('#')[0]!.trim().replace(/,$/, '');
        return name === undefined || trimmedValue === '' ? [] : [[name, trimmedValue] as const];
      }),
    ),
  );
  const spiders = files.filter(({ text }) => /start_urls|Spider\)/.test(text));
  if (spiders.length === 0) report.reportSkipped('spiders', 'no file with start_urls was given');
  const crawlers = spiders.map((file) => toCrawler(file, report));
  if (crawlers.length === 0) crawlers.push(createCrawler('scrapy'));
  for (const [name, value] of settings) importSetting(name, value, crawlers, report);
  return crawlers;
}

const parseStrings = (text: string): string[] =>
  [...text.matchAll(/r?(["'])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , value]) => value!);

/** Finds the strings in `name = […]`, `name=(…)` or `name='…'`, possibly over several lines. */
function findValues(text: string, name: string): string[] {
  const [, value] =
    new RegExp(`\\b${name}\\s*=\\s*(\\[[^\\]]*\\]|\\((?:[^()]|\\([^)]*\\))*\\)|r?"[^"\\n]*"|r?'[^'\\n]*')`).exec(
      text,
    ) ?? [];
  return value === undefined ? [] : parseStrings(value);
}

function toCrawler({ name, text }: ImportFile, report: ImportReport): ImportedCrawler {
  const crawler = createCrawler(findValues(text, 'name')[0] ?? name.replace(/\.py$/, ''));
  crawler.roots = [...findValues(text, 'start_urls'), ...findValues(text, 'sitemap_urls')].filter(isUrl);
  const domains = findValues(text, 'allowed_domains');
  crawler.staysOnSite = false;
  crawler.rules = domains.map((value) => ({ accept: true, pattern: { kind: 'domain', value } }));
  crawler.acceptsOthers = domains.length === 0;
  for (const [, extractor] of text.matchAll(/LinkExtractor\(((?:[^()]|\([^()]*\))*)\)/g)) {
    appendAll(
      crawler.include,
      findValues(extractor!, 'allow').map((value) => ({ kind: 'regex', value }) as const),
    );
    appendAll(
      crawler.exclude,
      findValues(extractor!, 'deny').map((value) => ({ kind: 'regex', value }) as const),
    );
  }
  if (crawler.include.length > 0) {
    // Extractors apply only to links, not to the start URLs.
    appendAll(
      crawler.include,
      crawler.roots.map((value) => ({ kind: 'exact', value }) as const),
    );
    report.reportChanged('LinkExtractor', 'in Crawlway, its patterns apply to all URLs of the crawler');
  }
  report.reportTaken(
    `${crawler.name}: ${pluralize(crawler.roots.length, 'start URL')}, ${pluralize(domains.length, 'allowed domain')}`,
    'roots and rules',
  );
  for (const method of text.matchAll(/def (parse\w*)\(/g))
    report.reportSkipped(
      `${crawler.name}.${method[1]}`,
      'code is not converted; use cw:Content to extract fields from pages',
    );
  return crawler;
}

function importSetting(name: string, value: string, crawlers: readonly ImportedCrawler[], report: ImportReport): void {
  const numericValue = Number(value.replace(/_/g, ''));
  const setAttribute = (part: 'attributes' | 'fetcher', key: string, text: string): void => {
    for (const crawler of crawlers) crawler[part][key] = text;
    report.reportTaken(`${name} = ${value}`, key);
  };
  if (name === 'USER_AGENT' && parseStrings(value)[0])
    return void setAttribute('fetcher', 'userAgent', parseStrings(value)[0]!);
  if (name === 'ROBOTSTXT_OBEY')
    return void setAttribute('attributes', 'ignoreRobotsTxt', String(value.trim() === 'False'));
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
    return void report.reportTaken(`${name} = ${value}`, 'option max-hops');
  }
  report.reportSkipped(name, 'has no counterpart');
}
