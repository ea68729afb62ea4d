/** Algolia Crawler: `new Crawler({ … })`, or the JSON of its API. Objects are read; code is not run, but listed. */
import { parseObject } from '../javascript.js';
import {
  createCrawler,
  ImportError,
  type ImportedContent,
  type ImportedCrawler,
  type ImportFile,
  type ImportReport,
  isUrl,
  type Match,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  SITEMAP_NOTE,
} from '../model.js';
import { escapeRegExp, isSelector } from '../patterns.js';
import type { Node } from '../tree.js';

const START = /\bnew\s+Crawler\s*\(\s*(?=\{)|^\s*(?=\{)/;

export const isAlgoliaCrawler = ({ text }: ImportFile): boolean =>
  /\bnew\s+Crawler\s*\(|["']?(?:startUrls|pathsToMatch|rateLimit)["']?\s*:/.test(text);

const list = (node: Node | undefined, name: string): Node[] =>
  (node?.children ?? []).filter((child) => child.name === name);

const isText = ({ children }: Node): boolean => children.length === 0;

export function parseAlgoliaCrawler({ name, text }: ImportFile): Node {
  const tree = parseObject(text.replace(/^\uFEFF/, ''), START, 'root', `${name}:1`);
  if (!tree) throw new ImportError(`${name} contains no new Crawler({ … })`);
  return tree;
}

export function readAlgoliaCrawler(file: ImportFile, report: ImportReport): ImportedCrawler {
  const tree = report.addInput(file.name, parseAlgoliaCrawler(file));
  const config = tree.find('config') ?? tree;
  const actions = list(config, 'actions');
  if (actions.length === 0) throw new ImportError(`${file.name} contains no actions`);
  const crawler = { ...createCrawler(actions[0]!.find('indexName')?.text ?? ''), staysOnSite: false };
  const given = importStarts(config, crawler, report);
  const discovery = list(config, 'discoveryPatterns');
  const pages = actions.map((action) => toGlobMatch(list(action, 'pathsToMatch'), report));
  const others = discovery.length === 0 ? [] : [toGlobMatch(discovery, report)];
  crawler.rules = [{ accept: true, pattern: { any: [...given, ...others, ...pages] } }];
  crawler.noIndex.push({ not: { any: pages } });
  if (discovery.length > 0)
    report.reportTaken('discoveryPatterns', 'Rules: only links are taken, with NoIndex', ...discovery);
  const contents = actions.map((action, index) => importAction(action, pages[index]!, crawler, report));
  addContents(actions, contents, crawler);
  const excluded = list(config, 'exclusionPatterns');
  if (excluded.length > 0) {
    crawler.rules.push({ accept: false, pattern: toGlobMatch(excluded, report) });
    report.reportTaken('exclusionPatterns', 'a Rule that ignores', ...excluded);
  }
  importDepth(config.find('maxDepth'), given, crawler, report);
  importRendering(config, crawler, report);
  for (const node of config.children)
    if (!node.isReported && !/^(?:actions|renderJavaScript)$/.test(node.name)) importSetting(node, crawler, report);
  report.cover(tree.find('name'), tree.find('id'));
  report.reportChanged('an index of Algolia', 'documents go to documents.jsonl: write a Sink (docs/sinks.md)');
  return crawler;
}

/** Pages at which the crawl begins are visited whatever the patterns say, but only indexed if an action matches. */
function importStarts(config: Node, crawler: ImportedCrawler, report: ImportReport): Pattern[] {
  const starts = ['startUrls', 'extraUrls'].flatMap((name) => list(config, name)).filter(({ text }) => isUrl(text));
  const sitemaps = list(config, 'sitemaps').filter(({ text }) => isUrl(text));
  crawler.roots = [...starts, ...sitemaps].map(({ text }) => text);
  report.coverAll(starts);
  report.reportTaken(pluralize(starts.length, 'start URL'), 'roots', starts[0]);
  for (const node of sitemaps) report.reportChanged(`sitemap ${node.text}`, SITEMAP_NOTE, node);
  // It reads the sitemaps that it is told to read.
  crawler.attributes['crawlSitemaps'] = 'false';
  return crawler.roots.map((url): Pattern => ({ kind: 'exact', value: new URL(url).href }));
}

/** The depth is the number of slashes in the path; that of the pages at which the crawl begins does not count. */
function importDepth(node: Node | undefined, given: Pattern[], crawler: ImportedCrawler, report: ImportReport): void {
  if (!node || !/^\d{1,3}$/.test(node.text)) return;
  const deeper: Pattern = { kind: 'regex', field: 'path', value: `^(?:/[^/]*){${Number(node.text) + 1}}` };
  crawler.filters.push({ any: [{ not: deeper }, ...given] });
  report.reportTaken(`maxDepth = ${node.text}`, 'a Rule that ignores paths with more slashes', node);
}

const MAX_GLOB = 2000;

/** In patterns of micromatch, `**` between slashes stands for any folders, and `*` for a part of one. */
export function toGlobExpression(glob: string): string | undefined {
  if (glob.length > MAX_GLOB || /!\(|\[[!:]|\{[^},]*(?:\.\.[^},]*)?\}/.test(glob)) return undefined;
  const open: string[] = [];
  let expression = '';
  for (const { 0: token, index } of glob.matchAll(/\/\*\*(?=[/,}]|$)|^\*\*\/|[?*+@]\(|\*+|\[[^\]]*\]|\\.|[\s\S]/g)) {
    const [before, after] = [glob[index - 1] ?? '/', glob[index + token.length] ?? ''];
    // A slash at the end of a URL makes no difference after `*`.
    if (token === '/**') expression += before === '*' && after === '' ? '/.*' : '(?:/.*)?';
    else if (token === '**/') expression += '(?:.*/)?';
    else if (/\($|^\{$/.test(token)) {
      open.push(token.length === 2 ? token[0]!.replace('@', '') : '');
      expression += '(?:';
    } else if (/^[)}]$/.test(token) && open.length > 0) expression += `)${open.pop()}`;
    else if (/^[,|]$/.test(token) && open.length > 0) expression += '|';
    else if (token.startsWith('*'))
      expression += `[^/]${before === '/' && /^\/?$/.test(after) ? '+' : '*'}${after === '' ? '/?' : ''}`;
    else if (token === '?') expression += '[^/]';
    else expression += token.length > 1 ? token : escapeRegExp(token);
  }
  return `^${expression}$`;
}

/** Patterns of a list are alternatives, except those that begin with `!`. */
export function splitGlobs(nodes: readonly Node[]): { any: Node[]; none: Node[] } {
  const isNegated = ({ text }: Node): boolean => text.startsWith('!') && !text.startsWith('!(');
  return { any: nodes.filter((node) => !isNegated(node)), none: nodes.filter(isNegated) };
}

function toGlobMatch(nodes: readonly Node[], report: ImportReport): Match {
  const toPatterns = (globs: readonly Node[]): Pattern[] =>
    globs.flatMap((node): Pattern[] => {
      if (!isText(node)) return [];
      const value = toGlobExpression(node.text.replace(/^!/, ''));
      if (value !== undefined) return [{ kind: 'regex', value, node }];
      report.reportSkipped(
        node.text,
        'it negates a part, or has ranges or escapes: write Rules for what it matches',
        node,
      );
      return [];
    });
  const { any, none } = splitGlobs(nodes);
  const [positive, negative] = [toPatterns(any), toPatterns(none)];
  return negative.length === 0 ? { any: positive } : { all: [{ any: positive }, { not: { any: negative } }] };
}

const CODE = 'code is not run: write elements of cw:Content, Rules with AddMeta, or a plug-in';
const ACTION_REASONS: Readonly<Record<string, string>> = {
  selectorsToMatch: 'pages without such elements WOULD BE INDEXED: write Rules, or a cw:SoftError',
  fileTypesToMatch: 'documents of all kinds are indexed: write MimeTypes',
  hostnameAliases: 'documents have the URLs of their pages: write Servers with an alias',
  pathAliases: 'documents have the URLs of their pages',
  schedule: 'smartRefreshMaxAgeS limits the age of documents; cw:Schedule and cw:Refresh say when',
  discoveryPatterns: 'links of other pages are not followed: write a Rule with NoIndex',
};

/** Pages that match become documents. */
function importAction(
  action: Node,
  pages: Match,
  crawler: ImportedCrawler,
  report: ImportReport,
): ImportedContent['elements'] {
  const name = action.find('indexName')?.text ?? '';
  const paths = list(action, 'pathsToMatch');
  const extractor = action.find('recordExtractor');
  const metas: (readonly [string, string])[] = [];
  const elements = extractor ? importExtractor(extractor, metas, report) : [];
  if (metas.length > 0) crawler.rules.push({ accept: undefined, pattern: pages, metas });
  report.coverAll(paths.filter(isText));
  report.reportTaken(`pathsToMatch of ${name}`, 'a Rule that accepts', paths[0]);
  report.cover(action.find('indexName'), action.find('name'), action.find('autoGenerateObjectIDs'));
  for (const node of action.children)
    if (!node.isReported) report.reportSkipped(node.name, ACTION_REASONS[node.name] ?? NO_COUNTERPART, node);
  return elements;
}

/** The selectors that the helper for documentation is given, and elements that are removed, are plain enough to read. */
function importExtractor(
  extractor: Node,
  metas: (readonly [string, string])[],
  report: ImportReport,
): ImportedContent['elements'] {
  const code = extractor.find('code')?.text ?? extractor.find('source')?.text ?? extractor.text;
  const properties = parseObject(code, /\brecordProps\s*:\s*(?=\{)/, 'recordProps', extractor.place);
  const removed = [...code.matchAll(/\$\(\s*(["'`])([^"'`$]+)\1\s*\)\.remove\(\)/g)].map(([, , select]) => select!);
  report.reportSkipped(
    'recordExtractor',
    properties ? `the selectors of recordProps are taken, but nothing else; ${CODE}` : CODE,
    extractor,
  );
  const included: string[] = [];
  const elements = removed
    .filter(isSelector)
    .map((select) => ({ element: 'Exclude', attributes: { select } as Record<string, string> }));
  for (const property of new Set(properties?.children.map(({ name }) => name))) {
    const nodes = list(properties, property);
    const alternatives = nodes.flatMap((node) => (isText(node) ? node : list(node, 'selectors'))).filter(isText);
    const standards = nodes.flatMap((node) => list(node, 'defaultValue')).filter(isText);
    const select = alternatives[0]?.text ?? '';
    if (/^-?\d*$/.test(select)) for (const { text } of select ? alternatives : standards) metas.push([property, text]);
    else if (!isSelector(select))
      report.reportSkipped(`${property} ${select}`, 'it is not a CSS selector: write a Field of cw:Content', nodes[0]);
    else if (property === 'content' || /^lvl[1-6]$/.test(property)) included.push(select);
    else elements.push({ element: 'Field', attributes: { name: property, select } });
  }
  if (included.length > 0) elements.push({ element: 'Include', attributes: { select: included.join(', ') } });
  if (included.length > 0)
    report.reportChanged('recordProps', 'cw:Include and Field, the first of several selectors; a page is one document');
  return elements;
}

/** Actions that say the same of pages need no conditions. The first that matches a page counts. */
function addContents(
  actions: readonly Node[],
  contents: readonly ImportedContent['elements'][],
  crawler: ImportedCrawler,
): void {
  const distinct = [...new Map(contents.map((elements) => [JSON.stringify(elements), elements])).values()];
  if (distinct.length === 1) return void (distinct[0]!.length > 0 && crawler.contents.push({ elements: distinct[0]! }));
  const nameOf = (elements: ImportedContent['elements']): string =>
    `action ${distinct.findIndex((one) => JSON.stringify(one) === JSON.stringify(elements)) + 1}`;
  for (const elements of distinct) crawler.contents.push({ name: nameOf(elements), elements });
  for (let index = actions.length - 1; index >= 0; index--)
    for (const { text } of splitGlobs(list(actions[index], 'pathsToMatch')).any) {
      const value = toGlobExpression(text);
      const option = {
        element: 'option',
        attributes: { name: 'content', value: nameOf(contents[index]!) },
        children: [],
      };
      const attributes = { test: 'regex', field: 'url', 'case-sensitive': 'true', value: value ?? '' };
      if (value !== undefined) crawler.conditions.push({ element: 'apply-for', attributes, children: [option] });
    }
}

/** True, or patterns of the pages that are rendered. */
function importRendering(config: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const nodes = list(config, 'renderJavaScript');
  const patterns = nodes
    .flatMap((node) => (isText(node) ? node : list(node, 'patterns')))
    .filter(({ text }) => text !== 'true' && text !== 'false');
  const isOn = patterns.length > 0 || nodes.some((node) => (node.find('enabled')?.text ?? node.text) === 'true');
  report.coverAll(nodes.flatMap((node) => (isText(node) ? node : [node.find('enabled'), ...list(node, 'patterns')])));
  if (!isOn) return;
  if (patterns.length === 0) crawler.attributes['render'] = 'always';
  else crawler.rules.push({ accept: undefined, pattern: toGlobMatch(patterns, report), render: 'always' });
  report.reportTaken(
    'renderJavaScript',
    patterns.length === 0 ? 'render' : 'Render of a Rule',
    nodes[0]?.find('enabled'),
  );
}

const SETTINGS: Readonly<Record<string, (value: string, crawler: ImportedCrawler) => string | undefined>> = {
  rateLimit: (value, { attributes }) => {
    if (!(Number(value) > 0)) return undefined;
    attributes['throttleTimeMS'] = String(Math.ceil(1000 / Number(value)));
    return 'throttleTimeMS';
  },
  ignoreRobotsTxtRules: (value, { attributes }) => {
    if (value === 'true') attributes['ignoreRobotsTxt'] = 'true';
    return 'ignoreRobotsTxt';
  },
  ignoreNoIndex: (value) => (value === 'false' ? 'it is obeyed' : undefined),
  ignoreNoFollowTo: (value) => (value === 'false' ? 'it is obeyed' : undefined),
  ignoreCanonicalTo: (value) => (value === 'false' ? 'it is obeyed' : undefined),
  apiKey: () => 'nothing',
  appId: () => 'nothing',
  indexPrefix: () => 'nothing',
};

const OF_THE_INDEX = 'the search index ranks documents, and says how it is searched';
const IN_CONTENT = 'directives of pages are obeyed: rogue of cw:LinkRules ignores them';
const REASONS: Readonly<Record<string, string>> = {
  maxUrls: 'crawls never end in Crawlway: maxUrls of a cw:Quota limits what is stored',
  schedule: ACTION_REASONS['schedule']!,
  initialIndexSettings: OF_THE_INDEX,
  externalData: 'only pages are documents',
  ignoreNoIndex: IN_CONTENT,
  ignoreNoFollowTo: IN_CONTENT,
  ignoreCanonicalTo: 'a page that names another one as its canonical page is not indexed beside it',
  ignoreQueryParams: 'pages with these parameters are other pages: see Canonicalization in docs/reference.md',
  linkExtractor: 'code is not run: all links are taken; write Rules',
  requestOptions: 'write Header elements in the Fetcher, or set its acceptLanguage and totalTimeoutMS',
  login: 'write a Login in the Fetcher (docs/logins.md); passwords are not copied',
  safetyChecks: 'cw:DeletionGuard and cw:ChangeGuard keep documents if very much changes',
  cache: 'servers are always asked whether pages changed',
};

function importSetting(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const { name, text } = node;
  const note = isText(node) ? SETTINGS[name]?.(text, crawler) : undefined;
  if (note !== undefined) report.reportTaken(/^app|Key$/.test(name) ? name : `${name} = ${text}`, note, node);
  else if (node.find('code')) report.reportSkipped(name, REASONS[name] ?? CODE, node);
  else report.reportSkipped(name, REASONS[name] ?? NO_COUNTERPART, node);
}
