/** Scrapy: plain assignments in settings.py and spiders. Python is not run. */
import { addAll, emptyCrawler, type ImportedCrawler, type ImportFile, type ImportReport, isUrl } from '../model.js';

/** `NAME = value`, or `'NAME': value` in a dictionary of settings. */
const ASSIGNMENT = /^['"]?([A-Z][A-Z0-9_]{3,60})['"]?\s{0,50}[=:](.*)$/;

export function readScrapy(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const settings = new Map(
    files.flatMap(({ text }) =>
      text.split('\n').flatMap((line) => {
        const [, name, value] = ASSIGNMENT.exec(line.trim()) ?? [];
        const known = (value ?? '').split('#')[0]!.trim().replace(/,$/, '');
        return name === undefined || known === '' ? [] : [[name, known] as const];
      }),
    ),
  );
  const spiders = files.filter(({ text }) => /start_urls|Spider\)/.test(text));
  if (spiders.length === 0) report.notTaken('spiders', 'no file with start_urls was given');
  const crawlers = spiders.map((file) => spiderOf(file, report));
  if (crawlers.length === 0) crawlers.push(emptyCrawler('scrapy'));
  for (const [name, value] of settings) readSetting(name, value, crawlers, report);
  return crawlers;
}

const strings = (text: string): string[] =>
  [...text.matchAll(/r?(["'])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , value]) => value!);

/** `name = […]` or `name=(…)` or `name='…'`, over several lines. */
function valuesOf(text: string, name: string): string[] {
  const [, value] =
    new RegExp(`\\b${name}\\s*=\\s*(\\[[^\\]]*\\]|\\((?:[^()]|\\([^)]*\\))*\\)|r?"[^"\\n]*"|r?'[^'\\n]*')`).exec(
      text,
    ) ?? [];
  return value === undefined ? [] : strings(value);
}

function spiderOf({ name, text }: ImportFile, report: ImportReport): ImportedCrawler {
  const crawler = emptyCrawler(valuesOf(text, 'name')[0] ?? name.replace(/\.py$/, ''));
  crawler.roots = [...valuesOf(text, 'start_urls'), ...valuesOf(text, 'sitemap_urls')].filter(isUrl);
  const domains = valuesOf(text, 'allowed_domains');
  crawler.staysOnSite = false;
  crawler.rules = domains.map((value) => ({ accept: true, pattern: { kind: 'domain', value } }));
  crawler.acceptsOthers = domains.length === 0;
  for (const [, extractor] of text.matchAll(/LinkExtractor\(((?:[^()]|\([^()]*\))*)\)/g)) {
    addAll(
      crawler.include,
      valuesOf(extractor!, 'allow').map((value) => ({ kind: 'regex', value }) as const),
    );
    addAll(
      crawler.exclude,
      valuesOf(extractor!, 'deny').map((value) => ({ kind: 'regex', value }) as const),
    );
  }
  if (crawler.include.length > 0) {
    // Extractors judge links alone, never the start URLs.
    addAll(
      crawler.include,
      crawler.roots.map((value) => ({ kind: 'exact', value }) as const),
    );
    report.differently('LinkExtractor', 'its patterns apply to all URLs of the crawler');
  }
  report.taken(
    `${crawler.name}: ${crawler.roots.length} start URLs, ${domains.length} allowed domains`,
    'roots and rules',
  );
  for (const method of text.matchAll(/def (parse\w*)\(/g))
    report.notTaken(`${crawler.name}.${method[1]}`, 'code is not read; use cw:Content to extract fields from pages');
  return crawler;
}

function readSetting(name: string, value: string, crawlers: readonly ImportedCrawler[], report: ImportReport): void {
  const number = Number(value.replace(/_/g, ''));
  const set = (part: 'attributes' | 'fetcher', key: string, text: string): void => {
    for (const crawler of crawlers) crawler[part][key] = text;
    report.taken(`${name} = ${value}`, key);
  };
  if (name === 'USER_AGENT' && strings(value)[0]) return void set('fetcher', 'userAgent', strings(value)[0]!);
  if (name === 'ROBOTSTXT_OBEY') return void set('attributes', 'ignoreRobotsTxt', String(value.trim() === 'False'));
  if (name === 'DOWNLOAD_DELAY' && number >= 0)
    return void set('attributes', 'throttleTimeMS', String(Math.round(number * 1000)));
  if (name === 'CONCURRENT_REQUESTS' && number >= 1) return void set('attributes', 'nthreads', String(number));
  if (name === 'DOWNLOAD_TIMEOUT' && number >= 1)
    return void set('fetcher', 'totalTimeoutMS', String(Math.round(number * 1000)));
  if (name === 'DOWNLOAD_MAXSIZE' && number >= 1) return void set('fetcher', 'maxSizeBytes', String(number));
  if (name === 'DEPTH_LIMIT' && number >= 1) {
    for (const crawler of crawlers) crawler.maxHops = number;
    return void report.taken(`${name} = ${value}`, 'option max-hops');
  }
  report.notTaken(name, 'has no counterpart');
}
