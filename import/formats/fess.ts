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
import { parseList } from '../tree.js';

type Mapping = Readonly<Record<string, unknown>>;

export function readFess(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawlers = files.flatMap((file) => readWebConfigs(file, report)).map((config) => toCrawler(config, report));
  if (crawlers.length === 0)
    throw new ImportError('it contains no web crawl: export the configuration under System > Backup');
  return crawlers;
}

/** The file consists of pairs of lines: the index to which an entry belongs, followed by the entry. */
function readWebConfigs({ name, text }: ImportFile, report: ImportReport): Mapping[] {
  report.cover(parseList({ name, text }, report));
  const entries = text.split('\n').flatMap((line, i): Mapping[] => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as Mapping];
    } catch {
      throw new ImportError(`${name}:${i + 1}: the line is not valid JSON`);
    }
  });
  const otherIndexes = new Set<string>();
  const webConfigs = entries.flatMap((entry, i) => {
    const index = String((entry['index'] as Mapping | undefined)?.['_index'] ?? '');
    if (/web_config$/.test(index)) return [entries[i + 1] ?? {}];
    if (index) otherIndexes.add(index);
    return [];
  });
  for (const index of otherIndexes)
    report.reportSkipped(
      index,
      /file_config|data_config/.test(index) ? 'only web crawls are imported' : 'is not part of a crawl in Crawlway',
    );
  return webConfigs;
}

function toCrawler(config: Mapping, report: ImportReport): ImportedCrawler {
  const getText = (name: string): string => String(config[name] ?? '');
  const crawler = createCrawler(getText('name'));
  crawler.roots = splitLines(getText('urls')).filter(isUrl);
  crawler.include = parsePatterns(getText('includedUrls'));
  crawler.exclude = parsePatterns(getText('excludedUrls'));
  crawler.staysOnSite = crawler.include.length === 0;
  report.reportTaken(
    `${crawler.name}: ${crawler.roots.length} URLs, ${crawler.include.length} included, ${crawler.exclude.length} excluded`,
    'roots and Conditions',
  );
  const getNumber = (name: string): number => Number(config[name] ?? Number.NaN);
  if (getNumber('depth') >= 0) crawler.maxHops = getNumber('depth');
  if (getNumber('numOfThread') >= 1) crawler.attributes['nthreads'] = getText('numOfThread');
  if (getNumber('intervalTime') >= 0) crawler.attributes['throttleTimeMS'] = getText('intervalTime');
  if (getText('userAgent')) crawler.fetcher['userAgent'] = getText('userAgent');
  for (const name of Object.keys(config))
    if (getText(name) !== '' && !TAKEN.has(name) && !(name === 'available' && getText(name) === 'true'))
      report.reportSkipped(`${name} of ${crawler.name}`, REASONS[name] ?? 'has no counterpart');
  return crawler;
}

/** What is taken, or says nothing about the crawl. */
const TAKEN = new Set(
  'name urls includedUrls excludedUrls depth numOfThread intervalTime userAgent id createdBy createdTime updatedBy updatedTime sortOrder'.split(
    ' ',
  ),
);

const REASONS: Readonly<Record<string, string>> = {
  includedDocUrls: 'write Rules with NoIndex for pages from which you want only the links',
  excludedDocUrls: 'write Rules with NoIndex for pages from which you want only the links',
  maxAccessCount: 'crawls never end in Crawlway',
  available: 'a crawler of the file always runs: remove it if it was switched off',
  boost: 'the search index ranks documents',
};

const parsePatterns = (text: string): Pattern[] =>
  splitLines(text).map((value) => ({ kind: 'regex', value: `^(?:${value})$` }));
