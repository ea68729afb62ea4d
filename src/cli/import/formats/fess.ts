/** Fess: the web crawls of the exported configuration (fess_basic_config.bulk). */
import {
  emptyCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  linesOf,
  type Pattern,
} from '../model.js';

type Mapping = Readonly<Record<string, unknown>>;

export function readFess(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawlers = files.flatMap((file) => webConfigsOf(file, report)).map((config) => crawlerOf(config, report));
  if (crawlers.length === 0)
    throw new ImportError('no web crawl in it: export the configuration under System > Backup');
  return crawlers;
}

/** Lines in pairs: where an entry belongs, then the entry. */
function webConfigsOf({ name, text }: ImportFile, report: ImportReport): Mapping[] {
  const parsed = linesOf(text).map((line, i) => {
    try {
      return JSON.parse(line) as Mapping;
    } catch {
      throw new ImportError(`${name}:${i + 1}: not a line of JSON`);
    }
  });
  const others = new Set<string>();
  const found = parsed.flatMap((entry, i) => {
    const index = String((entry['index'] as Mapping | undefined)?.['_index'] ?? '');
    if (/web_config$/.test(index)) return [parsed[i + 1] ?? {}];
    if (index) others.add(index);
    return [];
  });
  for (const one of others)
    report.notTaken(
      one,
      /file_config|data_config/.test(one) ? 'only web crawls are imported' : 'is not part of a crawl here',
    );
  return found;
}

function crawlerOf(config: Mapping, report: ImportReport): ImportedCrawler {
  const text = (name: string): string => String(config[name] ?? '');
  const crawler = emptyCrawler(text('name'));
  crawler.roots = linesOf(text('urls')).filter(isUrl);
  crawler.include = patternsOf(text('includedUrls'));
  crawler.exclude = patternsOf(text('excludedUrls'));
  crawler.staysOnSite = crawler.include.length === 0;
  report.taken(
    `${crawler.name}: ${crawler.roots.length} URLs, ${crawler.include.length} included, ${crawler.exclude.length} excluded`,
    'roots and Conditions',
  );
  const number = (name: string): number => Number(config[name] ?? Number.NaN);
  if (number('depth') >= 0) crawler.maxHops = number('depth');
  if (number('numOfThread') >= 1) crawler.attributes['nthreads'] = text('numOfThread');
  if (number('intervalTime') >= 0) crawler.attributes['throttleTimeMS'] = text('intervalTime');
  if (text('userAgent')) crawler.fetcher['userAgent'] = text('userAgent');
  for (const name of [
    'includedDocUrls',
    'excludedDocUrls',
    'maxAccessCount',
    'configParameter',
    'permissions',
    'labelTypes',
  ])
    if (text(name) !== '') report.notTaken(`${name} of ${crawler.name}`, REASONS[name] ?? 'has no counterpart');
  return crawler;
}

const REASONS: Readonly<Record<string, string>> = {
  includedDocUrls: 'write Rules with NoIndex for pages whose links alone are wanted',
  excludedDocUrls: 'write Rules with NoIndex for pages whose links alone are wanted',
  maxAccessCount: 'a crawl here has no end',
};

const patternsOf = (text: string): Pattern[] =>
  linesOf(text).map((value) => ({ kind: 'regex', value: `^(?:${value})$` }));
