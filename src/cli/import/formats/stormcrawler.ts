/** Apache StormCrawler: crawler-conf.yaml, a Flux topology, urlfilters.json, and seed lists. */

import { pluralize } from '../../output.js';
import {
  appendAll,
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isContact,
  isUrl,
  splitLines,
} from '../model.js';
import { parseYamlValue } from '../tree.js';
import { CUT_PAGES, parseSignedRules } from './nutch.js';

type Mapping = Readonly<Record<string, unknown>>;

export function readStormCrawler(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const crawler: StormCrawler = {
    ...createCrawler('stormcrawler'),
    staysOnSite: false,
    acceptsOthers: true,
    domains: false,
  };
  for (const file of files) {
    if (/\.json$/.test(file.name)) readFilters(file, files, crawler, report);
    else if (/\.(?:ya?ml|flux)$/.test(file.name))
      readConfiguration(parseYamlValue(file) as Mapping | null, crawler, report);
    else if (!isFilterFile(file))
      crawler.roots.push(
        ...splitLines(file.text)
          .map((line) => line.split('\t')[0]!)
          .filter(isUrl),
      );
  }
  if (crawler.roots.length > 0) report.reportTaken(pluralize(crawler.roots.length, 'seed'), 'roots');
  if (crawler.domains)
    appendAll(
      crawler.include,
      crawler.roots.map((url) => ({ kind: 'domain', value: getDomain(url) }) as const),
    );
  return [crawler];
}

/** Without www, because a site's other hosts end in the same domain. */
const getDomain = (url: string): string => new URL(url).hostname.replace(/^www\./, '');

/** Whether the file has lines as RegexURLFilter reads them: `+expression` and `-expression`. */
const isFilterFile = ({ text }: ImportFile): boolean => splitLines(text).some((line) => /^[+-]/.test(line));

/** Also notes whether the seeds' domains are to become patterns, which is possible only at the end of the import. */
interface StormCrawler extends ImportedCrawler {
  domains: boolean;
}

type Take = (value: string, crawler: ImportedCrawler) => string;

const copyTo =
  (part: 'attributes' | 'fetcher', name: string, factor = 1): Take =>
  (value, crawler) => {
    crawler[part][name] = factor === 1 ? value : String(Math.round(Number(value) * factor));
    return name;
  };

const SETTINGS: Readonly<Record<string, Take>> = {
  'http.agent.name': copyTo('fetcher', 'userAgent'),
  'fetcher.server.delay': copyTo('attributes', 'throttleTimeMS', 1000),
  'fetcher.threads.number': copyTo('attributes', 'nthreads'),
  'http.timeout': copyTo('fetcher', 'headerTimeoutMS'),
  'sitemap.discovery': copyTo('attributes', 'crawlSitemaps'),
  // StormCrawler uses minutes, Crawlway seconds.
  'fetchInterval.default': copyTo('attributes', 'smartRefreshMaxAgeS', 60),
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
      report.reportChanged(name, "Sink main; field names are Crawlway's");
    } else if (name === 'http.robots.file.skip' || name === 'http.skip.robots') {
      crawler.attributes['ignoreRobotsTxt'] = text;
      report.reportTaken(`${name} = ${text}`, 'ignoreRobotsTxt');
    } else if (SETTINGS[name] && Number(text) === -1) report.reportTaken(`${name} = -1`, "Crawlway's default");
    else if (text.includes('${'))
      report.reportSkipped(`${name} = ${text}`, "a placeholder that the project's build fills in");
    else if (name === 'http.content.limit') report.reportChanged(`${name} = ${text}`, CUT_PAGES);
    else if (/^http\.agent\.(?:url|email)$/.test(name) && isContact(text)) {
      crawler.fetcher['contact'] ??= text;
      report.reportTaken(`${name} = ${text}`, 'contact of Fetcher');
    } else if (SETTINGS[name]) report.reportTaken(`${name} = ${text}`, SETTINGS[name](text, crawler));
    else report.reportSkipped(name, 'has no counterpart');
  }
  for (const part of ['spouts', 'bolts', 'streams', 'components'])
    if (value[part] !== undefined)
      report.reportSkipped(part, 'in Crawlway, the parts of a topology are parts of the server');
}

function readFilters(
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
  for (const filter of Array.isArray(filters) ? (filters as Mapping[]) : []) readFilter(filter, files, crawler, report);
}

const FILTERS: Readonly<Record<string, string>> = {
  BasicURLNormalizer: 'Crawlway always normalizes URLs',
  SelfURLFilter: "a page's link to itself leads to a known URL",
};

function readFilter(filter: Mapping, files: readonly ImportFile[], crawler: StormCrawler, report: ImportReport): void {
  const kind = String(filter['class']).split('.').at(-1)!;
  const params = (filter['params'] ?? {}) as Mapping;
  const named = String(params['regexFilterFile'] ?? '');
  const list = Array.isArray(params['urlFilters'])
    ? params['urlFilters'].map(String)
    : files.filter(({ name }) => name === named).flatMap(({ text }) => splitLines(text));
  if (kind === 'RegexURLFilter' && list.length > 0) {
    appendAll(crawler.rules, parseSignedRules(list));
    crawler.acceptsOthers = false;
    report.reportChanged(
      kind,
      'the first match wins in StormCrawler, the last one in Crawlway: the rules are in reverse order',
    );
  } else if (kind === 'RegexURLFilter' && named !== '') {
    report.reportSkipped(`${kind} ${named}`, 'to import its rules, specify this file after the configuration');
  } else if (kind === 'MaxDepthFilter') {
    if (Number(params['maxDepth']) >= 0) crawler.maxHops = Number(params['maxDepth']);
    report.reportTaken(kind, 'option max-hops');
  } else if (kind === 'HostURLFilter') {
    crawler.staysOnSite = params['ignoreOutsideHost'] === true;
    crawler.domains = !crawler.staysOnSite && params['ignoreOutsideDomain'] === true;
    const kept = crawler.domains
      ? 'the crawl stays in the domains of its seeds'
      : 'roots stay on their sites, with and without www';
    if (crawler.staysOnSite || crawler.domains) report.reportChanged(kind, kept);
  } else if (FILTERS[kind]) report.reportTaken(kind, FILTERS[kind]);
  else report.reportSkipped(kind, 'a filter of this kind has no counterpart; write its rules as Rules');
}
