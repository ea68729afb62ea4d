/** Fess: the web crawls in the exported configuration (fess_basic_config.bulk). */
import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Pattern,
  splitLines,
} from '../model.js';

type Mapping = Readonly<Record<string, unknown>>;

export function readFess(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawlers = files.flatMap((file) => readWebConfigs(file, report)).map((config) => toCrawler(config, report));
  if (crawlers.length === 0)
    throw new ImportError('it contains no web crawl: export the configuration under System > Backup');
  return crawlers;
}

/** Lines come in pairs: the index to which an entry belongs, then the entry. */
function readWebConfigs({ name, text }: ImportFile, report: ImportReport): Mapping[] {
  const parsed = splitLines(text).map((line, i) => {
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
    report.reportSkipped(
      one,
      /file_config|data_config/.test(one) ? 'only web crawls are imported' : 'is not part of a crawl in Crawlway',
    );
  return found;
}

function toCrawler(config: Mapping, report: ImportReport): ImportedCrawler {
  const textValue = (name: string): string => String(config[name] ?? '');
  const crawler = createCrawler(textValue('name'));
  crawler.roots = splitLines(textValue('urls')).filter(isUrl);
  crawler.include = parsePatterns(textValue('includedUrls'));
  crawler.exclude = parsePatterns(textValue('excludedUrls'));
  crawler.staysOnSite = crawler.include.length === 0;
  report.reportTaken(
    `${crawler.name}: ${crawler.roots.length} URLs, ${crawler.include.length} included, ${crawler.exclude.length} excluded`,
    'roots and Conditions',
  );
  const numberValue = (name: string): number => Number(config[name] ?? Number.NaN);
  if (numberValue('depth') >= 0) crawler.maxHops = numberValue('depth');
  if (numberValue('numOfThread') >= 1) crawler.attributes['nthreads'] = textValue('numOfThread');
  if (numberValue('intervalTime') >= 0) crawler.attributes['throttleTimeMS'] = textValue('intervalTime');
  if (textValue('userAgent')) crawler.fetcher['userAgent'] = textValue('userAgent');
  for (const name of [
    'includedDocUrls',
    'excludedDocUrls',
    'maxAccessCount',
    'configParameter',
    'permissions',
    'labelTypes',
  ])
    if (textValue(name) !== '')
      report.reportSkipped(`${name} of ${crawler.name}`, REASONS[name] ?? 'has no counterpart');
  return crawler;
}

const REASONS: Readonly<Record<string, string>> = {
  includedDocUrls: 'write Rules with NoIndex for pages of which you want only the links',
  excludedDocUrls: 'write Rules with NoIndex for pages of which you want only the links',
  maxAccessCount: 'crawls never end in Crawlway',
};

const parsePatterns = (text: string): Pattern[] =>
  splitLines(text).map((value) => ({ kind: 'regex', value: `^(?:${value})$` }));
