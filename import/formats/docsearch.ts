/** DocSearch: configurations of its scraper, and of its descendants for Meilisearch and Typesense, in JSON. */
import {
  createCrawler,
  ImportError,
  type ImportedContent,
  type ImportedCrawler,
  type ImportedRule,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  SITEMAP_NOTE,
  setPart,
} from '../model.js';
import { finds, isSelector } from '../patterns.js';
import { type Node, parseYaml } from '../tree.js';
import { isAlgoliaCrawler, readAlgoliaCrawler } from './algolia.js';
import { matchExtensions } from './scrapy.js';

export const readDocSearch = (files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] =>
  files.map((file) => (isAlgoliaCrawler(file) ? readAlgoliaCrawler(file, report) : readScraper(file, report)));

const list = (node: Node | undefined, name: string): Node[] =>
  (node?.children ?? []).filter((child) => child.name === name);

/** A URL of `start_urls`, with the values of its variables filled in. */
export interface StartUrl {
  readonly url: string;
  readonly node: Node;
  /** Of an object; the values of variables are metas of its pages, too. */
  readonly variables: Readonly<Record<string, string>>;
}

/** `(?P<version>.*?)` stands for each of the values in `variables`. */
const MAX_STARTS = 1000;
const VARIABLE = /\(\?P<(\w+)>\.\*\?\)/;

/** An object that names values stands for one start URL for each of them. */
export function listStartUrls(tree: Node): StartUrl[] {
  const expand = ({ url, node, variables }: StartUrl): StartUrl[] => {
    const [all = '', name = ''] = VARIABLE.exec(url) ?? [];
    const values = list(node.find('variables'), name);
    if (all === '' || values.some(({ children }) => children.length > 0)) return [{ url, node, variables }];
    return values.flatMap(({ text }) =>
      expand({ url: url.replace(all, () => text), node, variables: { ...variables, [name]: text } }),
    );
  };
  return list(tree, 'start_urls').flatMap((node) => {
    const url = node.find('url')?.text ?? node.text;
    const counts = [...url.matchAll(new RegExp(VARIABLE, 'g'))].map(
      ([, name]) => list(node.find('variables'), name!).length,
    );
    if (counts.reduce((product, count) => product * count, 1) > MAX_STARTS)
      throw new ImportError(`${node.place}: its variables stand for more than ${MAX_STARTS} start URLs`);
    return expand({ url, node, variables: {} });
  });
}

/** Expressions follow the scheme, whichever it is; `to_any_scheme` of the scraper. */
export function toExpression(url: string): string {
  // A dot that stands for any character by accident is written as one.
  const quoteDots = (text: string): string =>
    /[\\()|*+?^$[\]{}]/.test(text.replace(/\$$/, '')) ? text : text.replaceAll('.', '\\.');
  return /^https?:/.test(url) ? `^https?${quoteDots(url.replace(/^https?/, ''))}` : quoteDots(url);
}

const toPattern = (url: string, node: Node): Pattern => ({ kind: 'regex', value: toExpression(url), node });

/** The hosts of start and stop URLs, unless `allowed_domains` names others. */
export function listDomains(tree: Node): string[] {
  const named = list(tree, 'allowed_domains').map(({ text }) => text);
  if (named.length > 0) return named;
  const urls = [...listStartUrls(tree).map(({ url }) => url), ...list(tree, 'stop_urls').map(({ text }) => text)];
  const hosts = urls.map((url) => /^https?:\/\/([^/?#:]*)/.exec(url)?.[1] ?? '');
  return [...new Set(hosts)].filter((host) => host !== '');
}

function readScraper(file: ImportFile, report: ImportReport): ImportedCrawler {
  const tree = parseYaml(file, report);
  const starts = listStartUrls(tree);
  const sitemaps = list(tree, 'sitemap_urls').filter(({ text }) => isUrl(text));
  if (starts.length === 0 && sitemaps.length === 0)
    throw new ImportError(`${file.name} contains neither start_urls nor sitemap_urls`);
  const index = tree.find('index_name') ?? tree.find('index_uid');
  const crawler = { ...createCrawler(index?.text ?? ''), staysOnSite: false };
  importStarts(starts, crawler, report);
  importSitemaps(tree, sitemaps, starts, crawler, report);
  const stops = list(tree, 'stop_urls');
  for (const node of stops) {
    crawler.rules.push({ accept: false, pattern: toPattern(node.text, node) });
    report.reportTaken(`stop_urls ${node.text}`, 'a Rule that ignores', node);
  }
  addUnlistedStarts(crawler);
  crawler.filters.push(toExtensions(crawler), ...toDomains(tree, crawler, report));
  report.reportTaken('what the scraper never follows', 'a Rule against the extensions of Scrapy, also pdf');
  importMetas(starts, crawler, report);
  importSelectors(tree, starts, crawler, report);
  report.reportChanged('an index of Algolia', 'documents go to documents.jsonl: write a Sink (docs/sinks.md)', index);
  for (const node of tree.children) if (!node.isReported) importSetting(node, crawler, report);
  report.reportChanged(
    'robots.txt',
    'it is obeyed; the scraper does not read it: ignoreRobotsTxt is for your own sites',
  );
  return crawler;
}

/** Links have to match one of the start URLs as an expression. */
function importStarts(starts: readonly StartUrl[], crawler: ImportedCrawler, report: ImportReport): void {
  for (const { url, node } of starts) {
    report.cover(node.children.length === 0 ? node : node.find('url'));
    const address = url.replace(/\$$/, '');
    if (isUrl(address) && !/[\\()|*^$[\]]/.test(address)) crawler.roots.push(address);
    else
      report.reportSkipped(`start_urls ${url}`, 'it is an expression for links: write a Root where they begin', node);
    if (VARIABLE.test(url))
      report.reportSkipped(
        `variables of ${url}`,
        'a script on a page says their values: write them as lists, and import again',
        node.find('variables'),
      );
    else report.cover(node.find('variables'));
  }
  crawler.acceptsOthers = starts.length === 0;
  crawler.rules = starts.map(({ url, node }) => ({
    accept: true,
    pattern: toPattern(url.replace(VARIABLE, '.*?'), node),
  }));
  report.reportTaken(
    pluralize(starts.length, 'start URL'),
    'roots, and Rules for what links may lead to',
    starts[0]?.node,
  );
}

/** Start URLs and sitemaps are visited also if the expressions say that they are no pages to index. */
function addUnlistedStarts(crawler: ImportedCrawler): void {
  const rules = crawler.roots
    .map((url) => new URL(url).href.replace(/#.*/, ''))
    .filter((url) => !(crawler.rules.findLast((rule) => finds(rule.pattern, url))?.accept ?? crawler.acceptsOthers))
    .map((value): ImportedRule => ({ accept: true, pattern: { kind: 'exact', value }, index: false }));
  crawler.rules.push(...rules);
}

/** What sitemaps list has to match the start URLs, too; without any, all of it is taken and no links are followed. */
function importSitemaps(
  tree: Node,
  sitemaps: readonly Node[],
  starts: readonly StartUrl[],
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  for (const node of sitemaps) {
    crawler.roots.push(node.text);
    report.reportChanged(`sitemap ${node.text}`, SITEMAP_NOTE, node);
  }
  // The scraper reads the sitemaps that it is told to read.
  crawler.attributes['crawlSitemaps'] = 'false';
  const expressions = list(tree, 'sitemap_urls_regexs');
  if (starts.length === 0) {
    crawler.attributes['defaultFollow'] = 'false';
    report.reportChanged('no start_urls', 'links of pages are NOT followed (defaultFollow), as the scraper does');
    if (expressions.length > 0)
      crawler.filters.push({
        any: [
          ...expressions.map((node): Pattern => ({ kind: 'regex', value: node.text, node })),
          ...crawler.roots.map((url): Pattern => ({ kind: 'exact', value: new URL(url).href })),
        ],
      });
    report.coverAll(expressions);
  } else if (sitemaps.length > 0)
    report.reportChanged(
      'pages of a sitemap',
      'their links are followed, too; the scraper follows those of start URLs',
    );
  for (const node of expressions)
    if (!node.isReported)
      report.reportSkipped(`sitemap_urls_regexs ${node.text}`, 'links may lead to other pages: write Rules', node);
}

/** Names of hosts stand for their subdomains as well; start URLs and sitemaps may be elsewhere. */
function toDomains(tree: Node, crawler: ImportedCrawler, report: ImportReport): Match[] {
  const named = list(tree, 'allowed_domains');
  if (named.length > 0) report.reportTaken('allowed_domains', 'a Rule that ignores other domains', ...named);
  const domains = listDomains(tree).map((value): Pattern => ({ kind: 'domain', value: value.replace(/:\d+$/, '') }));
  const isInside = (url: string): boolean =>
    domains.some(({ value }) => `.${new URL(url).hostname}`.endsWith(`.${value.toLowerCase()}`));
  const others = crawler.roots.filter((url) => !isInside(url));
  const own = others.map((url): Pattern => ({ kind: 'exact', value: new URL(url).href }));
  // Without start URLs, pages of any domain may be in the sitemaps.
  return domains.length === 0 ? [] : [{ any: [...domains, ...own] }];
}

/** What the scraper never follows may be a start URL. */
function toExtensions({ roots }: ImportedCrawler): Match {
  const extensions = matchExtensions();
  const own = roots.map((url) => new URL(url)).filter(({ pathname }) => finds(extensions, pathname));
  const exact = own.map(({ href }): Pattern => ({ kind: 'exact', value: href }));
  return exact.length === 0 ? { not: extensions } : { any: [{ not: extensions }, ...exact] };
}

/** What an object of `start_urls` says of its pages; the first that matches a page counts. */
function importMetas(starts: readonly StartUrl[], crawler: ImportedCrawler, report: ImportReport): void {
  const earlier: Pattern[] = [];
  for (const { url, node, variables } of starts) {
    const pattern = toPattern(url, node);
    const [rank, extra] = [node.find('page_rank'), node.find('extra_attributes')];
    const metas = [
      ...list(node, 'tags').map(({ text }) => ['tags', text] as const),
      ...(rank ? [['page_rank', rank.text] as const] : []),
      ...(extra?.children ?? []).map(({ name, text }) => [name, text] as const),
      ...Object.entries(variables),
    ];
    report.cover(...list(node, 'tags'), rank, extra);
    if (metas.length > 0) {
      const match: Match = earlier.length === 0 ? pattern : { all: [pattern, { not: { any: [...earlier] } }] };
      crawler.rules.push({ accept: undefined, pattern: match, metas });
      report.reportTaken(`tags, page_rank and attributes of ${url}`, 'AddMeta of a Rule', node.find('url'));
    }
    earlier.push(pattern);
  }
}

type Elements = ImportedContent['elements'][number][];

/** `lvl0` and so on; anything else than these and the content is an attribute of each record. */
const LEVEL = /^lvl\d$/;

/** Sets of selectors by their keys; those of a set without a key are the default. */
const listSets = (selectors: Node | undefined): readonly Node[] =>
  selectors?.find('lvl0') ||
  selectors?.children.every(({ children, name }) => children.length === 0 || LEVEL.test(name))
    ? [selectors]
    : (selectors?.children ?? []);

function importSelectors(
  tree: Node,
  starts: readonly StartUrl[],
  crawler: ImportedCrawler,
  report: ImportReport,
): void {
  const excluded = list(tree, 'selectors_exclude').flatMap((node): Elements => {
    if (isSelector(node.text)) report.reportTaken(`selectors_exclude ${node.text}`, 'cw:Exclude', node);
    else report.reportSkipped(`selectors_exclude ${node.text}`, 'it is not a CSS selector', node);
    return isSelector(node.text) ? [{ element: 'Exclude', attributes: { select: node.text } }] : [];
  });
  const selectors = tree.find('selectors');
  const onlyText = tree.find('only_content_level')?.text === 'true';
  const sets = new Map(
    listSets(selectors).map((set) => [
      set === selectors ? 'default' : set.name,
      [...excluded, ...toElements(set, onlyText, report)],
    ]),
  );
  if (sets.size > 0)
    report.reportChanged(
      'selectors',
      'one document for a page, not one for each heading: cw:Split makes one of each part (docs/content.md)',
      tree.find('only_content_level'),
    );
  crawler.contents.push({ elements: sets.get('default') ?? excluded });
  // The first start URL that is found in a URL names its set; here, the last condition does.
  const keys = starts.map(({ node }) => node.find('selectors_key')?.text ?? 'default');
  const last = keys.findLastIndex((key) => key !== 'default' && sets.has(key));
  for (let index = last; index >= 0; index--) {
    const name = sets.has(keys[index]!) ? keys[index]! : 'default';
    if (!crawler.contents.some((content) => content.name === name))
      crawler.contents.push({ name, elements: sets.get(name) ?? excluded });
    const option = { element: 'option', attributes: { name: 'content', value: name }, children: [] };
    const { url } = starts[index]!;
    const attributes = { test: 'regex', field: 'url', 'case-sensitive': 'true', value: toExpression(url) };
    crawler.conditions.push({ element: 'apply-for', attributes, children: [option] });
  }
  for (const { node } of starts) report.cover(node.find('selectors_key'));
}

/** Headings and contents are what is extracted; what is said of the whole page is a field. */
function toElements(set: Node, onlyText: boolean, report: ImportReport): Elements {
  const included: string[] = [];
  const fields: Elements = [];
  let isComplete = true;
  for (const node of set.children) {
    const select = node.find('selector')?.text ?? node.text;
    const isContent = node.name === 'text' || node.name === 'content';
    const isWhole = node.find('global')?.text === 'true' || !(isContent || LEVEL.test(node.name));
    const isPath = node.find('type')?.text === 'xpath';
    const setting = `selectors ${node.name} ${isPath ? '(XPath)' : select}`.slice(0, 110);
    const standard = node.find('default_value')?.text;
    if (standard !== undefined && select === '')
      report.reportSkipped(`${setting}= ${standard}`, 'a fixed value: write a Rule with AddMeta', node);
    else if (isPath || node.find('attributes') || !isSelector(select)) {
      report.reportSkipped(setting, 'only selectors of CSS have a counterpart: write it as CSS in cw:Content', node);
      isComplete &&= isWhole;
    } else if (isWhole) {
      fields.push({ element: 'Field', attributes: { name: node.name, select } });
      report.reportChanged(
        setting,
        `a Field: the first match${standard === undefined ? '' : `, without the default ${standard}`}`,
        node,
      );
    } else if (isContent || !onlyText) {
      included.push(select);
      report.reportTaken(setting, 'cw:Include', node);
    } else report.reportTaken(setting, 'nothing: only_content_level', node);
  }
  // Without what cannot be written, the rest would be too little.
  if (!isComplete || included.length === 0) return fields;
  return [{ element: 'Include', attributes: { select: included.join(', ') } }, ...fields];
}

/** Each returns what became of a value; undefined if it sets nothing that Crawlway knows. */
const SETTINGS: Readonly<Record<string, (value: string, crawler: ImportedCrawler) => string | undefined>> = {
  js_render: (value, { attributes }) => {
    if (value === 'true') attributes['render'] = 'always';
    return 'render';
  },
  use_anchors: (value, crawler) => {
    if (value === 'true')
      setPart(crawler, 'Canonicalization', {
        steps: 'remove-trailing-dot remove-session-ids remove-empty-query keep-hash-routes',
      });
    return 'keep-hash-routes of cw:Canonicalization';
  },
  user_agent: (value, { fetcher }) => {
    fetcher['userAgent'] = value;
    return 'userAgent of Fetcher';
  },
  scrape_start_urls: noIndexOfStarts,
  scrap_start_urls: noIndexOfStarts,
  sitemap_alternate_links: () => 'they are always read',
  strict_redirect: (value) => (value === 'true' ? 'targets of redirects have to match the Rules, too' : undefined),
  force_sitemap_urls_crawling: (value) => (value === 'true' ? undefined : 'nothing'),
  nb_hits: () => 'nothing: it counts the records',
  conversation_id: () => 'nothing',
};

function noIndexOfStarts(value: string, crawler: ImportedCrawler): string {
  if (value === 'false')
    crawler.noIndex.push({ any: crawler.roots.map((url): Pattern => ({ kind: 'exact', value: new URL(url).href })) });
  return 'NoIndex for the start URLs';
}

const OF_THE_INDEX = 'the search index ranks documents, and says how it is searched';
const REASONS: Readonly<Record<string, string>> = {
  js_wait: 'a page is read when it has come to rest: steps of Render can wait longer (docs/rendering.md)',
  stop_content: 'pages that contain it WOULD BE INDEXED: write a cw:SoftError with it',
  strip_chars: 'texts are delivered as they are on the page',
  keep_tags: 'texts are delivered without tags; Output markdown="true" keeps more',
  min_indexed_level: 'a page is one document, whatever headings it has',
  remove_get_params: 'URLs keep their query: followQueryStrings of cw:LinkRules ignores those that have one',
  strict_redirect: 'targets of redirects have to match the Rules, too',
  force_sitemap_urls_crawling: 'what a sitemap lists has to match the Rules: write more of them',
  nb_hits_max: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  custom_settings: OF_THE_INDEX,
  query_rules: OF_THE_INDEX,
  extra_records: 'only pages are documents',
};

function importSetting(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const { name, text } = node;
  const note = text === '' ? undefined : SETTINGS[name]?.(text, crawler);
  if (note !== undefined) report.reportTaken(`${name} = ${text}`, note, node);
  else if (name === 'start_urls' || name === 'selectors') return;
  else
    report.reportSkipped(text === '' ? name : `${name} = ${text}`.slice(0, 110), REASONS[name] ?? NO_COUNTERPART, node);
}
