/** Apache StormCrawler: crawler-conf.yaml, a Flux topology, urlfilters.json, and seed lists. */

import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isContact,
  isUrl,
  pluralize,
  splitLines,
} from '../model.js';
import { parseYamlValue } from '../tree.js';
import { parseSignedRules, TRUNCATION_NOTE } from './nutch.js';

type Mapping = Readonly<Record<string, unknown>>;

export function readStormCrawler(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler: StormCrawler = {
    ...createCrawler('stormcrawler'),
    staysOnSite: false,
    acceptsOthers: true,
    staysInDomains: false,
  };
  for (const file of files) {
    if (/\.json$/.test(file.name)) importFilters(file, files, crawler, report);
    else if (/\.(?:ya?ml|flux)$/.test(file.name))
      importConfiguration(parseYamlValue(file) as Mapping | null, crawler, report);
    else if (!isFilterFile(file))
      appendAll(
        crawler.roots,
        splitLines(file.text)
          .map((line) => line.split('\t')[0]!)
          .filter(isUrl),
      );
  }
  if (crawler.roots.length > 0) report.reportTaken(pluralize(crawler.roots.length, 'seed'), 'roots');
  if (crawler.staysInDomains)
    appendAll(
      crawler.include,
      crawler.roots.map((url) => ({ kind: 'domain', value: getDomain(url) }) as const),
    );
  return [crawler];
}

/** Returns the host name without www., because the other hosts of a site end in the same domain. */
const getDomain = (url: string): string => new URL(url).hostname.replace(/^www\./, '');

/** Whether the file has lines in the format of RegexURLFilter: `+expression` or `-expression`. */
const isFilterFile = ({ text }: ImportFile): boolean => splitLines(text).some((line) => /^[+-]/.test(line));

/** Also records whether the crawl stays within the domains of its seeds; the list of seeds is complete only at the end. */
interface StormCrawler extends ImportedCrawler {
  staysInDomains: boolean;
}

type SettingConverter = (value: string, crawler: ImportedCrawler) => string;

const createCopier =
  (part: 'attributes' | 'fetcher', name: string, factor = 1): SettingConverter =>
  (value, crawler) => {
    crawler[part][name] = factor === 1 ? value : String(Math.round(Number(value) * factor));
    return name;
  };

const SETTINGS: Readonly<Record<string, SettingConverter>> = {
  'http.agent.name': createCopier('fetcher', 'userAgent'),
  'fetcher.server.delay': createCopier('attributes', 'throttleTimeMS', 1000),
  'fetcher.threads.number': createCopier('attributes', 'nthreads'),
  'http.timeout': createCopier('fetcher', 'headerTimeoutMS'),
  'sitemap.discovery': createCopier('attributes', 'crawlSitemaps'),
  // StormCrawler uses minutes, Crawlway uses seconds.
  'fetchInterval.default': createCopier('attributes', 'smartRefreshMaxAgeS', 60),
};

function importConfiguration(value: Mapping | null, crawler: ImportedCrawler, report: ImportReport): void {
  if (value === null || typeof value !== 'object') return;
  const settings = { ...((value['config'] as Mapping | undefined) ?? {}) };
  for (const [name, setting] of Object.entries(settings)) {
    const text = String(setting);
    const isAddress = /^(?:es|opensearch)\.(?:indexer\.)?addresses$/.exec(name);
    if (isAddress) {
      crawler.sink = {
        type: name.startsWith('es') ? 'elasticsearch' : 'opensearch',
        url: text.split(',')[0]!.trim(),
        index: String(
          settings[name.startsWith('es') ? 'es.indexer.index.name' : 'opensearch.indexer.index.name'] ?? 'content',
        ),
      };
      report.reportChanged(name, "Sink main, with Crawlway's field names");
    } else if (name === 'http.robots.file.skip' || name === 'http.skip.robots') {
      crawler.attributes['ignoreRobotsTxt'] = text;
      report.reportTaken(`${name} = ${text}`, 'ignoreRobotsTxt');
    } else if (SETTINGS[name] && Number(text) === -1) report.reportTaken(`${name} = -1`, "Crawlway's default");
    else if (text.includes('${'))
      report.reportSkipped(`${name} = ${text}`, "a placeholder that the project's build fills in");
    else if (name === 'http.content.limit') report.reportChanged(`${name} = ${text}`, TRUNCATION_NOTE);
    else if (/^http\.agent\.(?:url|email)$/.test(name) && isContact(text)) {
      crawler.fetcher['contact'] ??= text;
      report.reportTaken(`${name} = ${text}`, 'contact of Fetcher');
    } else if (SETTINGS[name]) report.reportTaken(`${name} = ${text}`, SETTINGS[name](text, crawler));
    else report.reportSkipped(name, 'has no counterpart');
  }
  for (const part of ['spouts', 'bolts', 'streams', 'components'])
    if (value[part] !== undefined)
      report.reportSkipped(part, 'Crawlway has no topology; its server includes the corresponding parts');
}

function importFilters(
  file: ImportFile,
  files: readonly ImportFile[],
  crawler: StormCrawler,
  report: ImportReport,
): void {
  let parsed: Mapping;
  try {
    parsed = JSON.parse(file.text) as Mapping;
  } catch (error) {
    throw new ImportError(`${file.name}: ${(error as Error).message}`);
  }
  const filters = Object.entries(parsed).find(([key]) => /urlfilters/i.test(key))?.[1];
  for (const filter of Array.isArray(filters) ? (filters as Mapping[]) : [])
    importFilter(filter, files, crawler, report);
}

const FILTERS: Readonly<Record<string, string>> = {
  BasicURLNormalizer: 'Crawlway always normalizes URLs',
  SelfURLFilter: "Crawlway does not store a page's link to itself, because its URL is already known",
};

function importFilter(
  filter: Mapping,
  files: readonly ImportFile[],
  crawler: StormCrawler,
  report: ImportReport,
): void {
  const kind = String(filter['class']).split('.').at(-1)!;
  const params = (filter['params'] ?? {}) as Mapping;
  const fileName = String(params['regexFilterFile'] ?? '');
  const ruleLines = Array.isArray(params['urlFilters'])
    ? params['urlFilters'].map(String)
    : files.filter(({ name }) => name === fileName).flatMap(({ text }) => splitLines(text));
  if (kind === 'RegexURLFilter' && ruleLines.length > 0) {
    appendAll(crawler.rules, parseSignedRules(ruleLines));
    crawler.acceptsOthers = false;
    report.reportChanged(
      kind,
      'the first match wins in StormCrawler but the last one in Crawlway, so the rules are in reverse order',
    );
  } else if (kind === 'RegexURLFilter' && fileName !== '') {
    report.reportSkipped(`${kind} ${fileName}`, 'to import its rules, specify this file after the configuration');
  } else if (kind === 'MaxDepthFilter') {
    if (Number(params['maxDepth']) >= 0) crawler.maxHops = Number(params['maxDepth']);
    report.reportTaken(kind, 'option max-hops');
  } else if (kind === 'HostURLFilter') {
    crawler.staysOnSite = params['ignoreOutsideHost'] === true;
    crawler.staysInDomains = !crawler.staysOnSite && params['ignoreOutsideDomain'] === true;
    const note = crawler.staysInDomains
      ? 'the crawl stays in the domains of its seeds'
      : 'roots stay on their sites, with and without www';
    if (crawler.staysOnSite || crawler.staysInDomains) report.reportChanged(kind, note);
  } else if (FILTERS[kind]) report.reportTaken(kind, FILTERS[kind]);
  else report.reportSkipped(kind, 'a filter of this kind has no counterpart; write its rules as Rules');
}
