/** Fess: the web crawls in the exported configuration (fess_basic_config.bulk). */
import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  splitLines,
} from '../model.js';
import { Node } from '../tree.js';

export function readFess(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const configs = files.flatMap((file) => readWebConfigs(file, report));
  const crawlers = configs.filter((config) => isOn(config, report)).map((config) => toCrawler(config, report));
  if (configs.length === 0)
    throw new ImportError('it contains no web crawl: export the configuration under System > Backup');
  return crawlers;
}

function isOn(config: Node, report: ImportReport): boolean {
  const isOff = config.find('available')?.text === 'false';
  if (isOff) report.reportSkipped(config.find('name')?.text ?? 'a web crawl', 'it is switched off (available)', config);
  return !isOff;
}

/** The file consists of pairs of lines: the index to which an entry belongs, followed by the entry. */
function readWebConfigs({ name, text }: ImportFile, report: ImportReport): Node[] {
  const entries = text.split('\n').flatMap((line, i): Node[] => {
    if (line.trim() === '') return [];
    const place = `${name}:${i + 1}`;
    try {
      return [toNode('entry', JSON.parse(line), place)];
    } catch (error) {
      throw new ImportError(`${place}: the line is not valid JSON`, { cause: error });
    }
  });
  report.addInput(name, new Node('list', '', entries, `${name}:1`));
  return entries.flatMap((entry, i) => {
    const index = entry.find('index')?.find('_index')?.text ?? '';
    const next = entries[i + 1];
    if (index === '') return [];
    report.cover(entry);
    if (/web_config$/.test(index)) return next && !next.find('index') ? [next] : [];
    report.reportSkipped(
      index,
      /file_config|data_config/.test(index) ? 'only web crawls are imported' : NO_COUNTERPART,
      entry,
      next?.find('index') ? undefined : next,
    );
    return [];
  });
}

/** A value of JSON; empty values set nothing. */
function toNode(name: string, value: unknown, place: string): Node {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return new Node(name, Array.isArray(value) ? JSON.stringify(value) : String(value ?? ''), [], place);
  const children = Object.entries(value)
    .filter(([, content]) => content !== null && content !== '')
    .map(([key, content]) =>
      typeof content === 'object' && key !== 'index'
        ? new Node(key, JSON.stringify(content), [], place)
        : toNode(key, content, place),
    );
  return new Node(name, '', children, place);
}

function toCrawler(config: Node, report: ImportReport): ImportedCrawler {
  const getText = (name: string): string => config.find(name)?.text ?? '';
  const crawler = createCrawler(getText('name'));
  const urls = splitLines(getText('urls'));
  crawler.roots = urls.filter(isUrl);
  crawler.include = parsePatterns(getText('includedUrls'));
  crawler.exclude = parsePatterns(getText('excludedUrls'));
  crawler.staysOnSite = crawler.include.length === 0;
  const [indexed, notIndexed] = ['includedDocUrls', 'excludedDocUrls'].map((name) => parsePatterns(getText(name)));
  crawler.noIndex = [...notIndexed!, ...(indexed!.length > 0 ? [{ not: { any: indexed! } }] : [])];
  for (const name of ['includedDocUrls', 'excludedDocUrls'])
    if (getText(name)) report.reportTaken(`${name} of ${crawler.name}`, 'Rules with NoIndex', config.find(name));
  report.reportTaken(
    `${crawler.name}: ${pluralize(crawler.roots.length, 'URL')}, ${crawler.include.length} included, ${crawler.exclude.length} excluded`,
    'roots and Conditions',
    ...['urls', 'includedUrls', 'excludedUrls', ...LABELS].map((name) => config.find(name)),
  );
  if (crawler.staysOnSite)
    report.reportChanged(
      'the scope of the crawl',
      `it stays on the sites of its URLs: ${crawler.name} includes no URLs`,
    );
  for (const url of urls)
    if (!isUrl(url)) report.reportSkipped(url, 'only http and https URLs are crawled', config.find('urls'));
  const take = (name: string, minimum: number, became: string, set: (text: string) => void): void => {
    const text = getText(name);
    if (text === '' || !(Number(text) >= minimum)) return;
    set(text);
    report.reportTaken(`${name} of ${crawler.name} = ${text}`, became, config.find(name));
  };
  take('depth', 0, 'option max-hops', (text) => (crawler.maxHops = Number(text)));
  take('numOfThread', 1, 'nthreads', (text) => (crawler.attributes['nthreads'] = text));
  take('intervalTime', 0, 'throttleTimeMS', (text) => (crawler.attributes['throttleTimeMS'] = text));
  if (getText('userAgent')) {
    crawler.fetcher['userAgent'] = getText('userAgent');
    report.reportTaken(`userAgent of ${crawler.name}`, 'userAgent of Fetcher', config.find('userAgent'));
  }
  importParameters(config.find('configParameter'), crawler, report);
  if (!getText('configParameter').includes(PRUNED)) {
    crawler.contents.push({ elements: [{ element: 'Exclude', attributes: { select: PRUNED_BY_DEFAULT } }] });
    report.reportTaken(`${crawler.name} without ${PRUNED}`, `cw:Exclude ${PRUNED_BY_DEFAULT}, which Fess leaves out`);
  }
  if (getText('available') === 'true') report.cover(config.find('available'));
  for (const node of config.children)
    if (!node.isReported)
      report.reportSkipped(`${node.name} of ${crawler.name}`, REASONS[node.name] ?? NO_COUNTERPART, node);
  return crawler;
}

const PRUNED = 'config.html.pruned.tags';
/** Of crawler.document.html.pruned.tags, what has a text. */
const PRUNED_BY_DEFAULT = 'header, footer, nav, a[rel=nofollow]';

/** Settings of the client and of the reader, one to a line, such as `client.robotsTxtEnabled=false`. */
function importParameters(node: Node | undefined, crawler: ImportedCrawler, report: ImportReport): void {
  for (const line of splitLines(node?.text ?? '')) {
    const [, name = line, value = ''] = /^([^=]+?)\s*=\s*(.+)$/.exec(line) ?? [];
    const note = PARAMETERS[name]?.(value, crawler);
    if (note === undefined) report.reportSkipped(line.slice(0, 120), NO_COUNTERPART, node);
    else report.reportTaken(line.slice(0, 120), note, node);
  }
}

const copyTimeout =
  (name: string) =>
  (value: string, { fetcher }: ImportedCrawler): string | undefined => {
    if (!/^\d{1,9}$/.test(value)) return undefined;
    fetcher[name] = value;
    return `${name} of Fetcher`;
  };

const PARAMETERS: Readonly<Record<string, (value: string, crawler: ImportedCrawler) => string | undefined>> = {
  'client.robotsTxtEnabled': (value, { attributes }) => {
    if (value === 'false') attributes['ignoreRobotsTxt'] = 'true';
    return 'ignoreRobotsTxt';
  },
  'client.userAgent': (value, { fetcher }) => {
    fetcher['userAgent'] = value;
    return 'userAgent of Fetcher';
  },
  'client.connectionTimeout': copyTimeout('connectTimeoutMS'),
  'client.soTimeout': copyTimeout('bodyTimeoutMS'),
  [PRUNED]: (value, { contents }) => {
    const tags = value.split(',').map((tag) => tag.trim());
    if (!tags.every((tag) => /^[a-z]\w*(?:[#.][\w-]+|\[[\w-]+=[\w-]+\])?$/i.test(tag))) return undefined;
    contents.push({ elements: tags.map((select) => ({ element: 'Exclude', attributes: { select } })) });
    return 'cw:Exclude';
  },
};

/** What says nothing about the crawl. */
const LABELS = 'name id createdBy createdTime updatedBy updatedTime sortOrder'.split(' ');

const REASONS: Readonly<Record<string, string>> = {
  maxAccessCount: 'crawls never end in Crawlway',
  depth: 'a negative depth means no limit, which is the default',
  boost: 'the search index ranks documents',
};

const parsePatterns = (text: string): Pattern[] =>
  splitLines(text).map((value) => ({ kind: 'regex', value: `^(?:${value})$` }));
