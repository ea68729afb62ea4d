/** Elastic Open Crawler: YAML files with the domains, their crawl rules and the output. */

import {
  createCrawler,
  ImportError,
  type ImportedCondition,
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
import { escapeRegExp, isLinear, isSelector, NOT_LINEAR } from '../patterns.js';
import { Node, parseYaml } from '../tree.js';

export function readElastic(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const trees = files.map((file) => nestDottedNames(parseYaml(file, report)));
  const crawls = trees.filter((tree) => tree.find('domains') !== undefined);
  if (crawls.length === 0) throw new ImportError('there are no domains: specify the file that contains them');
  // Files without domains are connections, whose settings those of a crawl override.
  const shared = trees.filter((tree) => !crawls.includes(tree)).flatMap(({ children }) => children);
  return crawls.map(({ children }) => toCrawler([...shared, ...children], report));
}

/** `elasticsearch.host` is `host` in `elasticsearch`. */
function nestDottedNames(tree: Node): Node {
  const children = tree.children as Node[];
  for (const node of children.filter(({ name }) => name.includes('.'))) {
    const [name = '', ...rest] = node.name.split('.');
    const nested = new Node(rest.join('.'), node.text, node.children, node.place);
    children[children.indexOf(node)] = new Node(name, '', [nested], node.place);
  }
  return tree;
}

function toCrawler(settings: readonly Node[], report: ImportReport): ImportedCrawler {
  const crawler: ImportedCrawler = { ...createCrawler(''), staysOnSite: false };
  crawler.sink = toSink(settings, report);
  for (const node of settings) importSetting(node, crawler, report);
  const domains = settings.filter(({ name }) => name === 'domains');
  // One crawl follows the links from each of its domains to the others.
  for (const domain of domains) importDomain(domain, domains.length > 1, crawler, report);
  return crawler;
}

type Setting = readonly [convert: (value: string, crawler: ImportedCrawler) => void, note: string];

const copyTo =
  (part: 'attributes' | 'fetcher', key: string, factor = 1, maximum = Number.MAX_SAFE_INTEGER) =>
  (value: string, crawler: ImportedCrawler): void => {
    crawler[part][key] = String(Math.min(maximum, Math.round(Number(value) * factor)));
  };

const copyToPart =
  (element: string, key: string, maximum: number) =>
  (value: string, crawler: ImportedCrawler): void =>
    setPart(crawler, element, { [key]: String(Math.min(maximum, Number(value))) });

/** Settings with a counterpart whose value is a number, or true or false. */
const SETTINGS: Readonly<Record<string, Setting>> = {
  max_crawl_depth: [
    (value, crawler) => {
      // Seeds have depth 1 in Open Crawler, but 0 hops in Crawlway.
      crawler.maxHops = Math.min(65_535, Math.max(0, Number(value) - 1));
    },
    'option max-hops, reduced by 1: start URLs have depth 1 in Open Crawler and 0 hops in Crawlway',
  ],
  max_response_size: [copyTo('fetcher', 'maxSizeBytes'), 'maxSizeBytes of Fetcher'],
  max_redirects: [copyTo('fetcher', 'maxRedirects', 1, 100), 'maxRedirects of Fetcher'],
  request_timeout: [copyTo('fetcher', 'totalTimeoutMS', 1000), 'totalTimeoutMS of Fetcher'],
  connect_timeout: [copyTo('fetcher', 'connectTimeoutMS', 1000), 'connectTimeoutMS of Fetcher'],
  socket_timeout: [copyTo('fetcher', 'bodyTimeoutMS', 1000), 'bodyTimeoutMS of Fetcher'],
  threads_per_crawl: [copyTo('attributes', 'nthreads', 1, 1000), 'nthreads'],
  max_url_length: [copyToPart('LinkRules', 'maxUrlLength', 65_536), 'maxUrlLength of cw:LinkRules'],
  max_url_segments: [copyToPart('Traps', 'maxPathDepth', 1000), 'maxPathDepth of cw:Traps'],
  max_extracted_links_count: [copyToPart('Traps', 'maxLinksPerPage', 1_000_000), 'maxLinksPerPage of cw:Traps'],
};

const REPLACEMENTS: Readonly<Record<string, string>> = {
  schedule:
    'crawls never end in Crawlway; smartRefreshMaxAgeS limits the age of documents, cw:Schedule sets when to crawl',
  max_unique_url_count: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  max_duration: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  max_duration_of_crawl: 'crawls never end in Crawlway, except with crawlway crawl --max-pages',
  purge_crawl_enabled: 'pages that are gone are always deleted',
  binary_content_extraction_enabled: 'PDF and office documents are always read; see docs/documents.md',
  binary_content_extraction_mime_types: 'MimeTypes selects document types; see docs/documents.md',
  log_level: 'the log is set when the server starts; see docs/operations.md',
};

function importSetting(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const { name } = node;
  // YAML reads 5_000 as a number.
  const text = node.text.replace(/(?<=\d)_(?=\d)/g, '');
  const [convert, note = ''] = SETTINGS[name] ?? [];
  if (name === 'user_agent' && text.trim() !== '') {
    crawler.fetcher['userAgent'] = node.text;
    report.reportTaken(`user_agent ${node.text}`, 'userAgent of Fetcher', node);
  } else if (convert && /^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0) {
    convert(text, crawler);
    report.reportTaken(`${name} ${text}`, note, node);
  } else if (name === 'sitemap_discovery_disabled' || name === 'robots_txt_service_disabled') {
    const [key, value] = name.startsWith('sitemap') ? ['crawlSitemaps', 'false'] : ['ignoreRobotsTxt', 'true'];
    if (text === 'true') crawler.attributes[key!] = value!;
    report.reportTaken(`${name} ${text}`, key!, node);
  } else if (name !== 'domains' && !node.isReported)
    report.reportSkipped(name, REPLACEMENTS[name] ?? NO_COUNTERPART, node);
}

const list = (node: Node | undefined, name: string): Node[] =>
  (node?.children ?? []).filter((child) => child.name === name);

function importDomain(domain: Node, isOneOfMany: boolean, crawler: ImportedCrawler, report: ImportReport): void {
  const url = domain.find('url')?.text ?? '';
  if (!isUrl(url))
    throw new ImportError(
      `${domain.place}: the domain has no url, or one that is not a URL: replace it by the address that it stands for`,
    );
  const seeds = list(domain, 'seed_urls');
  for (const seed of seeds)
    if (isUrl(seed.text)) report.cover(seed);
    else report.reportSkipped(`seed_urls ${seed.text}`, 'it is not a URL: write a Root with its address', seed);
  const roots = seeds.length > 0 ? seeds.map(({ text }) => text).filter(isUrl) : [new URL(url).href];
  crawler.roots.push(...roots);
  const sitemaps = list(domain, 'sitemap_urls').filter(({ text }) => isUrl(text));
  for (const sitemap of sitemaps) {
    crawler.roots.push(sitemap.text);
    // Open Crawler reads sitemaps regardless of the rules for pages.
    crawler.sitemaps.push(sitemap.text);
    report.reportChanged(`sitemap ${sitemap.text}`, SITEMAP_NOTE, sitemap);
  }
  // In Open Crawler, rules stand under their domain, and whatever none of them matches on it is accepted.
  const origin = new URL(url).origin;
  const rules = list(domain, 'crawl_rules').flatMap((rule) => toRules(rule, origin, report));
  crawler.rules.push({ accept: true, pattern: toDomainPattern(origin) }, ...rules.reverse());
  const note = formatRulesNote(roots.length + sitemaps.length, rules.length);
  report.reportTaken(`domain ${url}`, note, domain.find('url'));
  importExtraction(domain, isOneOfMany, crawler, report);
  const auth = domain.find('auth');
  if (auth)
    report.reportSkipped(
      `auth of ${url}`,
      'write a Login or a Credential in the Fetcher; passwords are not copied',
      auth,
    );
}

const toDomainPattern = (origin: string): Pattern => ({ kind: 'prefix', value: `${origin}/` });

/** A pattern follows the domain; `*` stands for any characters, except in a `regex`. */
function toPattern(type: string, pattern: string, origin: string): Match | undefined {
  const isPlain = !pattern.includes('*');
  const base = `^${escapeRegExp(origin)}`;
  const expression = pattern.split('*').map(escapeRegExp).join('.*');
  const underOrigin = (one: Pattern): Match => ({ all: [toDomainPattern(origin), one] });
  // What does not begin with a slash would go on in the name of the host.
  if (type === 'begins' && isPlain && pattern.startsWith('/')) return { kind: 'prefix', value: origin + pattern };
  if (type === 'begins') return underOrigin({ kind: 'regex', value: base + expression });
  if (type === 'regex' && /^\/?\.\*$/.test(pattern)) return toDomainPattern(origin);
  if (type === 'regex') return underOrigin({ kind: 'regex', value: base + pattern });
  // A literal match would also find the text in the host.
  const isLiteral = isPlain && pattern.startsWith('/') && !`${origin}/`.includes(pattern);
  if (type === 'ends')
    // Without a slash, it is in the last part of the path or in the query.
    return isLiteral || (isPlain && !pattern.includes('/'))
      ? underOrigin({ kind: 'suffix', value: pattern })
      : underOrigin({ kind: 'regex', value: `${base}.*${expression}$` });
  if (type === 'contains')
    return isLiteral
      ? underOrigin({ kind: 'contains', value: pattern })
      : underOrigin({ kind: 'regex', value: `${base}.*${expression}` });
  return undefined;
}

function toRules(rule: Node, origin: string, report: ImportReport): ImportedRule[] {
  const get = (name: string): string => rule.find(name)?.text ?? '';
  const policy = get('policy');
  const value = get('pattern');
  const pattern = value === '' ? undefined : toPattern(get('type'), value, origin);
  const setting = `${policy} ${get('type')} ${value}`;
  if (!pattern || !/^(?:allow|deny)$/.test(policy)) {
    report.reportSkipped(
      `crawl rule ${setting}`,
      'its pattern is empty, its policy is not allow or deny, or its type is not begins, ends, contains or regex',
      rule,
    );
    return [];
  }
  report.reportTaken(setting, policy === 'allow' ? 'a Rule that accepts' : 'a Rule that ignores', rule);
  return [{ accept: policy === 'allow', pattern }];
}

type Elements = ImportedContent['elements'][number][];

/** `exclude_tags` and rulesets without filters are for all pages of the domain; filters select the pages of the others. */
function importExtraction(domain: Node, isOneOfMany: boolean, crawler: ImportedCrawler, report: ImportReport): void {
  const { origin } = new URL(domain.find('url')!.text);
  const tags = list(domain, 'exclude_tags').filter((tag) => {
    if (!isSelector(tag.text)) report.reportSkipped(`exclude_tags ${tag.text}`, 'it is not a CSS selector', tag);
    return isSelector(tag.text);
  });
  const forAll: Elements = tags.map(({ text }) => ({ element: 'Exclude', attributes: { select: text } }));
  if (tags.length > 0) {
    report.cover(...tags);
    report.reportTaken(`exclude_tags ${tags.map(({ text }) => text).join(', ')}`, 'cw:Exclude', tags[0]);
  }
  const rulesets = list(domain, 'extraction_rulesets');
  const filtered: { fields: Elements; filters: Match[] }[] = [];
  for (const ruleset of rulesets) {
    const fields = list(ruleset, 'rules').flatMap((rule) => toField(rule, report));
    const urlFilters = list(ruleset, 'url_filters');
    const filters = urlFilters.flatMap((filter) => {
      report.cover(filter);
      return toPattern(filter.find('type')?.text ?? '', filter.find('pattern')?.text ?? '', origin) ?? [];
    });
    if (urlFilters.length === 0) forAll.push(...fields);
    else if (fields.length > 0) filtered.push({ fields, filters });
  }
  if (filtered.length > 1)
    report.reportChanged(
      'extraction_rulesets',
      'a page gets the fields of the last ruleset whose filters match, not those of all that match',
    );
  if (forAll.length > 0 && isOneOfMany) filtered.unshift({ fields: [], filters: [toDomainPattern(origin)] });
  else if (forAll.length > 0) crawler.contents.push({ elements: forAll });
  for (const { fields, filters } of filtered) {
    const name = `rules ${crawler.contents.filter((content) => content.name !== undefined).length + 1}`;
    // A page has one Content: that of the last condition, with what all pages have.
    crawler.contents.push({ name, elements: [...forAll, ...fields] });
    crawler.conditions.push(...filters.map((filter) => toCondition(filter, name)));
  }
}

/** In conditions, all patterns are expressions. */
function toCondition(filter: Match, content: string): ImportedCondition {
  const patterns = 'all' in filter ? (filter.all as Pattern[]) : [filter as Pattern];
  const [outer, ...inner] = patterns.map(({ kind, value }) => {
    const source = kind === 'regex' ? value : escapeRegExp(value);
    return kind === 'prefix' ? `^${source}` : kind === 'suffix' ? `${source}$` : source;
  });
  const option: ImportedCondition = {
    element: 'option',
    attributes: { name: 'content', value: content },
    children: [],
  };
  const wrap = (value: string, child: ImportedCondition): ImportedCondition => ({
    element: 'apply-for',
    attributes: { test: 'regex', field: 'url', 'case-sensitive': 'true', value },
    children: [child],
  });
  return wrap(
    outer!,
    inner.reduceRight((child, value) => wrap(value, child), option),
  );
}

function toField(rule: Node, report: ImportReport): Elements {
  const get = (name: string): string => rule.find(name)?.text ?? '';
  const name = get('field_name');
  const selector = get('selector');
  const setting = `extraction rule ${name}`;
  const skip = (reason: string): Elements => {
    report.reportSkipped(setting, reason, rule);
    return [];
  };
  if (name === '') return skip('it has no field_name');
  if (get('action') === 'set') return skip('fixed values: write a Rule with AddMeta');
  const isOfUrl = get('source') === 'url';
  if (isOfUrl && !isLinear({ kind: 'regex', value: selector })) return skip(NOT_LINEAR);
  if (!isOfUrl && /^\(?\/|^\.\/|^\w+::/.test(selector)) return skip('XPath: write its selector as CSS in a Field');
  if (!isOfUrl && !isSelector(selector))
    return skip('it is not a CSS selector, but an extension of jsoup or incomplete: write it as CSS in a Field');
  const multiple: Record<string, string> = get('join_as') === 'array' ? { multiple: 'true' } : {};
  const attributes: Record<string, string> = isOfUrl
    ? { name, url: 'url', match: selector }
    : { name, select: selector, ...multiple };
  if (!isOfUrl && get('join_as') === 'string')
    report.reportChanged(setting, 'a Field: the first match, where Open Crawler joins the texts of all', rule);
  else report.reportTaken(setting, 'a Field of cw:Content', rule);
  return [{ element: 'Field', attributes }];
}

function toSink(settings: readonly Node[], report: ImportReport): ImportedCrawler['sink'] {
  const get = (name: string): Node | undefined => settings.findLast((node) => node.name === name);
  const outputNode = get('output_sink');
  const output = outputNode?.text ?? 'elasticsearch';
  const elastic = settings.filter(({ name }) => name === 'elasticsearch');
  report.cover(...settings.filter(({ name }) => name === 'output_index' || name === 'output_dir'));
  if (output === 'file') {
    report.reportChanged('output_sink file', 'Sink main of type file: documents.jsonl', outputNode);
    return { type: 'file', url: 'documents.jsonl' };
  }
  if (output !== 'elasticsearch') {
    report.reportChanged(`output_sink ${output}`, 'documents go to documents.jsonl', outputNode);
    return undefined;
  }
  report.cover(outputNode);
  const parts = elastic.flatMap(({ children }) => children);
  const text = (name: string): string => parts.findLast((part) => part.name === name)?.text ?? '';
  const address = text('host').replace(/\/{1,9}$/, '');
  const host = /^[\w.-]+$/.test(address) ? `http://${address}` : address;
  if (!isUrl(host)) {
    report.reportSkipped(
      'elasticsearch',
      `${host === '' ? 'there is no host' : 'its host is not an address'}, so documents go to documents.jsonl until you change the Sink`,
      ...elastic,
    );
    return undefined;
  }
  const port = text('port');
  const login = text('username') || undefined;
  const secret = text('api_key') ? 'apiKey' : login ? 'password' : undefined;
  const taken = parts.filter(({ name }) => /^(?:host|port|username|password|api_key|pipeline)$/.test(name));
  report.reportChanged(
    'elasticsearch',
    `Sink main, with Crawlway's field names${secret ? '; its secret comes from CRAWLWAY_SECRET_SINK' : ''}`,
    ...taken,
  );
  for (const node of parts)
    if (!node.isReported) report.reportSkipped(`elasticsearch.${node.name}`, NO_COUNTERPART, node);
  report.cover(...elastic);
  return {
    type: 'elasticsearch',
    url: port === '' || URL.parse(host)?.port ? host : `${host}:${port}`,
    index: get('output_index')?.text || 'crawlway',
    ...(secret === 'password' ? { login } : {}),
    ...(secret ? { secret } : {}),
  };
}

const formatRulesNote = (rootCount: number, ruleCount: number): string =>
  ruleCount === 0
    ? pluralize(rootCount, 'root')
    : `${pluralize(rootCount, 'root')}, ${pluralize(ruleCount, 'rule')} in reverse order: the first match wins in Open Crawler, the last one in Crawlway`;
