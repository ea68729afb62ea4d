/** Apache StormCrawler: crawler-conf.yaml, a Flux topology, urlfilters.json, and lists of seeds. */
import {
  emptyCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  linesOf,
} from '../model.js';
import { yamlValue } from '../tree.js';
import { signedRules } from './nutch.js';

type Mapping = Readonly<Record<string, unknown>>;

export function readStormCrawler(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler = { ...emptyCrawler('stormcrawler'), staysOnSite: false, acceptsOthers: true };
  for (const file of files) {
    if (/\.json$/.test(file.name)) readFilters(file, crawler, report);
    else if (/\.(?:ya?ml|flux)$/.test(file.name)) readConfiguration(yamlValue(file) as Mapping | null, crawler, report);
    else
      crawler.roots.push(
        ...linesOf(file.text)
          .map((line) => line.split('\t')[0]!)
          .filter(isUrl),
      );
  }
  report.taken(`${crawler.roots.length} seeds`, 'roots');
  return [crawler];
}

type Take = (value: string, crawler: ImportedCrawler) => string;

const into =
  (part: 'attributes' | 'fetcher', name: string, factor = 1): Take =>
  (value, crawler) => {
    crawler[part][name] = factor === 1 ? value : String(Math.round(Number(value) * factor));
    return name;
  };

const SETTINGS: Readonly<Record<string, Take>> = {
  'http.agent.name': into('fetcher', 'userAgent'),
  'fetcher.server.delay': into('attributes', 'throttleTimeMS', 1000),
  'fetcher.threads.number': into('attributes', 'nthreads'),
  'http.content.limit': into('fetcher', 'maxSizeBytes'),
  'http.timeout': into('fetcher', 'headerTimeoutMS'),
  'sitemap.discovery': into('attributes', 'crawlSitemaps'),
  // Minutes there, seconds here.
  'fetchInterval.default': into('attributes', 'smartRefreshMaxAgeS', 60),
};

function readConfiguration(value: Mapping | null, crawler: ImportedCrawler, report: ImportReport): void {
  if (value === null || typeof value !== 'object') return;
  const settings = { ...((value['config'] as Mapping | undefined) ?? {}) };
  for (const [name, one] of Object.entries(settings)) {
    const text = String(one);
    const address = /^(?:es|opensearch)\.(?:indexer\.)?addresses$/.exec(name);
    if (address) {
      crawler.sink = {
        type: name.startsWith('es') ? 'elasticsearch' : 'opensearch',
        url: text.split(',')[0]!.trim(),
        index: String(
          settings[name.startsWith('es') ? 'es.indexer.index.name' : 'opensearch.indexer.index.name'] ?? 'content',
        ),
      };
      report.differently(name, 'Sink main; field names are those of Crawlway');
    } else if (name === 'http.robots.file.skip' || name === 'http.skip.robots') {
      crawler.attributes['ignoreRobotsTxt'] = text;
      report.taken(`${name} = ${text}`, 'ignoreRobotsTxt');
    } else if (SETTINGS[name] && Number(text) === -1)
      report.taken(`${name} = -1`, 'the bound that Crawlway has by default');
    else if (SETTINGS[name]) report.taken(`${name} = ${text}`, SETTINGS[name](text, crawler));
    else report.notTaken(name, 'has no counterpart');
  }
  for (const part of ['spouts', 'bolts', 'streams', 'components'])
    if (value[part] !== undefined) report.notTaken(part, 'the parts of a topology are parts of the server here');
}

function readFilters(file: ImportFile, crawler: ImportedCrawler, report: ImportReport): void {
  let parsed: Mapping;
  try {
    parsed = JSON.parse(file.text) as Mapping;
  } catch (error) {
    throw new ImportError(`${file.name}: ${(error as Error).message}`);
  }
  const filters = Object.entries(parsed).find(([key]) => /urlfilters/i.test(key))?.[1];
  for (const filter of Array.isArray(filters) ? (filters as Mapping[]) : []) readFilter(filter, crawler, report);
}

function readFilter(filter: Mapping, crawler: ImportedCrawler, report: ImportReport): void {
  const kind = String(filter['class']).split('.').at(-1)!;
  const params = (filter['params'] ?? {}) as Mapping;
  if (kind === 'RegexURLFilter' && Array.isArray(params['urlFilters'])) {
    crawler.rules.push(...signedRules(params['urlFilters'].map(String)));
    crawler.acceptsOthers = false;
    report.differently(kind, 'the first match wins there, the last one here: the rules are in reverse order');
  } else if (kind === 'MaxDepthFilter') {
    if (Number(params['maxDepth']) >= 0) crawler.maxHops = Number(params['maxDepth']);
    report.taken(kind, 'option max-hops');
  } else if (kind === 'HostURLFilter') {
    crawler.staysOnSite = params['ignoreOutsideHost'] === true || params['ignoreOutsideDomain'] === true;
    report.differently(kind, 'roots stay on their sites, with and without www');
  } else if (kind === 'BasicURLNormalizer') report.taken(kind, 'URLs are normalized here in any case');
  else report.notTaken(kind, 'a filter of this kind has no counterpart; write its rules in Rules');
}
