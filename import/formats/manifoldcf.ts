/** Apache ManifoldCF: jobs of the web connector and their connections, as its API or its database gives them. */
import {
  createCrawler,
  ImportError,
  type ImportedCrawler,
  type ImportFile,
  ImportReport,
  isContact,
  isUrl,
  NO_COUNTERPART,
  type Pattern,
  pluralize,
  setPart,
  splitLines,
  splitSolrUrl,
} from '../model.js';
import { EVERYTHING, matchesAnything } from '../patterns.js';
import { findAll, findSetting, Node, parseXml, parseYaml } from '../tree.js';

export function readManifoldCf(files: readonly ImportFile[], report: ImportReport): ImportedCrawler[] {
  const trees = files.map((file) => report.addInput(file.name, parseManifoldCf(file)));
  const connections = trees.flatMap((tree) => findAll(tree, 'repositoryconnection'));
  const outputs = trees.flatMap((tree) => findAll(tree, 'outputconnection'));
  const used = new Set<Node>();
  const crawlers = trees.flatMap(listJobs).flatMap(({ job, specification }) => {
    const name = textOf(job, 'repository_connection');
    const connection =
      connections.find((one) => findSetting(one, 'name') === name) ?? (name === '' ? connections[0] : undefined);
    if (!specification.find('seeds')) {
      report.reportSkipped(`job ${textOf(job, 'description')}`, 'only jobs of web connections are imported', job);
      return [];
    }
    const crawler = { ...createCrawler(textOf(job, 'description')), staysOnSite: false, acceptsOthers: true };
    importSpecification(specification, crawler, report);
    importJob(job, crawler, report);
    importOutput(job, outputs, crawler, report);
    const configuration = connection?.find('configuration') ?? trees.find(({ name: one }) => one === 'configuration');
    if (connection) used.add(connection);
    if (configuration) importConfiguration(configuration, crawler, report);
    else
      report.reportSkipped(
        `connection ${name}`,
        'its pauses, contact and robots usage are MISSING: import again with the connections, too',
      );
    importConnection(connection, crawler, report);
    return [crawler];
  });
  if (crawlers.length === 0) throw new ImportError('it contains no job with seeds: export json/jobs');
  for (const node of [...connections, ...outputs])
    if (!used.has(node) && !node.isReported)
      report.reportSkipped(`connection ${findSetting(node, 'name') ?? ''}`, 'no job that was imported uses it', node);
  return crawlers;
}

const textOf = (node: Node, name: string): string => findSetting(node, name)?.trim() ?? '';

/** The same tree from XML and from JSON, in which names say what is an attribute, a value, or a list of any elements. */
export function parseManifoldCf(file: ImportFile): Node {
  const isXml = /^\uFEFF?\s*</.test(file.text);
  return isXml ? parseXml(file, new ImportReport()) : normalize(parseYaml(file, new ImportReport()));
}

function normalize(node: Node): Node {
  const get = (name: string): string | undefined => node.children.find((child) => child.name === name)?.text;
  const attributes = node.children
    .filter(({ name }) => name.startsWith('_attribute_'))
    .map(({ name, text, place }) => new Node(name.slice('_attribute_'.length), text, [], place));
  const children = node.children.filter(({ name }) => !/^_(?:attribute_|value_$|type_$)/.test(name)).map(normalize);
  const name = node.name === '_children_' ? (get('_type_') ?? node.name) : node.name;
  return new Node(name, get('_value_') ?? node.text, children, node.place, attributes);
}

/** A job has a specification; in the database, each is a document of its own. */
export function listJobs(tree: Node): { job: Node; specification: Node }[] {
  const specification = tree.find('document_specification') ?? (tree.find('seeds') ? tree : undefined);
  return specification ? [{ job: tree, specification }] : tree.children.flatMap(listJobs);
}

const toPatterns = (node: Node | undefined): Pattern[] =>
  splitLines(node?.text ?? '').map((value) => ({ kind: 'regex', value, ...(node ? { node } : {}) }));

/** Expressions are found anywhere in a URL; without an element, everything is included. */
function importSpecification(specification: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const find = (name: string): Node | undefined => specification.find(name);
  const seeds = splitLines(find('seeds')?.text ?? '');
  crawler.roots = seeds.filter(isUrl);
  report.reportTaken(pluralize(crawler.roots.length, 'seed'), 'roots', find('seeds'));
  for (const seed of seeds)
    if (!isUrl(seed)) report.reportSkipped(seed, 'only http and https URLs are crawled', find('seeds'));
  const included = toPatterns(find('includes'));
  if (find('includes') && included.length === 0) crawler.rules.push({ accept: false, pattern: EVERYTHING });
  if (!included.some(matchesAnything)) crawler.include = included;
  crawler.exclude = toPatterns(find('excludes'));
  const indexed = toPatterns(find('includesindex'));
  if (find('includesindex') && !indexed.some(matchesAnything)) crawler.noIndex.push({ not: { any: indexed } });
  crawler.noIndex.push(...toPatterns(find('excludesindex')));
  const maps = specification.children.filter(({ name }) => name === 'map');
  const mapped = maps.map((map): Pattern => ({ kind: 'regex', value: `^(?:${textOf(map, 'match')})$`, node: map }));
  if (maps.length > 0) crawler.noIndex.push({ not: { any: mapped } });
  for (const map of maps)
    report.reportSkipped(
      `map ${textOf(map, 'match')} to ${textOf(map, 'map')}`,
      'documents have the URLs of their pages; what no map matches is not indexed, as there',
      map,
    );
  for (const name of ['includes', 'excludes', 'includesindex', 'excludesindex']) {
    const note = name.endsWith('index') ? 'Rules with NoIndex' : 'Rules';
    if (find(name))
      report.reportTaken(`${name}: ${splitLines(find(name)!.text).join(' ')}`.slice(0, 110), note, find(name));
  }
  const isLimited = (find('limittoseeds')?.attributes['value'] ?? 'false') !== 'false';
  const hosts = new Set(crawler.roots.map((url) => new URL(url).hostname));
  if (isLimited)
    crawler.filters.push({ any: [...hosts].map((value): Pattern => ({ kind: 'exact', field: 'host', value })) });
  if (find('limittoseeds'))
    report.reportTaken(`limittoseeds ${isLimited}`, 'a Rule that ignores other hosts, if true', find('limittoseeds'));
  importTokens(specification, crawler, report);
  importCanonicalization(specification, crawler, report);
  for (const node of specification.children)
    if (!node.isReported)
      report.reportSkipped(describe(node), SPECIFICATION_REASONS[node.name] ?? NO_COUNTERPART, node);
}

const describe = ({ name, text }: Node): string => `${name} ${text.replace(/\s+/g, ' ')}`.trim().slice(0, 110);

const SPECIFICATION_REASONS: Readonly<Record<string, string>> = {
  excludescontentindex: 'pages that contain it WOULD BE INDEXED: write a cw:SoftError with it',
  excludeheader: 'response headers are not delivered',
  forceinclusionofredirects: 'the host that a start page redirects to is followed, as followMoves says',
};

/** All documents of a job have the same tokens. */
function importTokens(specification: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const nodes = specification.children.filter(({ name }) => name === 'access');
  const tokens = nodes.map((node) => textOf(node, 'token')).filter(Boolean);
  if (tokens.length === 0) return;
  const quote = (token: string): string => (/[,;"]/.test(token) ? `"${token.replaceAll('"', '""')}"` : token);
  setPart(crawler, 'Acl', { default: tokens.map(quote).join(', ') });
  report.reportTaken(pluralize(tokens.length, 'access token'), 'default of cw:Acl (docs/acl.md)', ...nodes);
}

/** Without rules, parameters are sorted, and sessions removed. The first rule that is found in a URL applies. */
function importCanonicalization(specification: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const rules = specification.children.filter(({ name }) => name === 'urlspec');
  const isForAll = (rule: Node): boolean => /^(?:\.\*?)?$/.test(textOf(rule, 'regexp'));
  const general = rules.find(isForAll);
  const is = (name: string): boolean => (general ? textOf(general, name) === 'yes' : name !== 'lowercase');
  const steps = [
    'remove-trailing-dot',
    ...(is('lowercase') ? ['lower-case-path', 'collapse-slashes'] : []),
    ...(['java', 'asp', 'php', 'bv'].some((kind) => is(`${kind}sessionremoval`)) ? ['remove-session-ids'] : []),
    'remove-empty-query',
    ...(is('reorder') ? ['sort-parameters'] : []),
  ];
  setPart(crawler, 'Canonicalization', { steps: steps.join(' ') });
  report.reportTaken(general ? 'urlspec' : 'no urlspec', 'cw:Canonicalization', general);
  for (const rule of rules)
    if (rule !== general)
      report.reportSkipped(
        `urlspec ${textOf(rule, 'regexp')}`,
        'steps of cw:Canonicalization are those of all URLs',
        rule,
      );
}

/** Milliseconds; undefined for `infinite`. */
const readSeconds = (text: string): string | undefined =>
  /^\d+$/.test(text) ? String(Math.max(1, Math.round(Number(text) / 1000))) : undefined;

function importJob(job: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const isContinuous = textOf(job, 'run_mode') === 'continuous';
  const [interval, maximum] = ['recrawl_interval', 'max_recrawl_interval'].map((name) =>
    readSeconds(textOf(job, name)),
  );
  if (isContinuous && interval !== undefined) {
    crawler.attributes['smartRefreshMinAgeS'] = interval;
    crawler.attributes['smartRefreshMaxAgeS'] = maximum ?? String(Math.max(Number(interval), 604_800));
    report.reportTaken(
      `recrawl_interval ${interval} s`,
      'smartRefreshMinAgeS; max_recrawl_interval is smartRefreshMaxAgeS',
      job.find('recrawl_interval'),
      job.find('run_mode'),
      maximum === undefined ? undefined : job.find('max_recrawl_interval'),
    );
  }
  for (const node of job.children.filter(({ name }) => name === 'hopcount')) {
    const count = textOf(node, 'count');
    if (textOf(node, 'link_type') !== 'link' || !/^\d{1,9}$/.test(count)) continue;
    crawler.maxHops = Math.min(65_535, Number(count));
    report.reportTaken(`hopcount link ${count}`, 'option max-hops', node);
  }
  report.cover(
    ...['id', 'description', 'repository_connection', 'priority', 'start_mode'].map((name) => job.find(name)),
  );
  for (const name of ['recrawl_interval', 'max_recrawl_interval', 'expiration_interval', 'reseed_interval'])
    if (!isContinuous || textOf(job, name) === 'infinite') report.cover(job.find(name));
  for (const node of job.children)
    if (!node.isReported && Object.hasOwn(JOB_REASONS, node.name))
      report.reportSkipped(describe(node), JOB_REASONS[node.name]!, node);
}

const JOB_REASONS: Readonly<Record<string, string>> = {
  run_mode: 'crawls never end in Crawlway: smart refresh visits pages again',
  hopcount_mode: 'a page that is further away now is left out when it is found to be',
  hopcount: 'only hops of links are counted: set maxRedirects of the Fetcher',
  schedule: 'write a cw:Schedule, or a cw:Refresh with cron',
  expiration_interval: 'a document is deleted when its page is gone or excluded, not after a time',
  reseed_interval: 'roots are visited like other pages',
  notificationstage: 'write a cw:Webhook',
};

/** A connection to Solr or Elasticsearch becomes a Sink; others are named. */
function importOutput(job: Node, outputs: readonly Node[], crawler: ImportedCrawler, report: ImportReport): void {
  for (const stage of job.children.filter(({ name }) => name === 'pipelinestage')) {
    const name = textOf(stage, 'stage_connectionname');
    const output = outputs.find((one) => findSetting(one, 'name') === name);
    const parameters = readParameters(output?.find('configuration'));
    const sink = toSink(output ? textOf(output, 'class_name') : '', (one) => parameters.get(one)?.text ?? '');
    if (textOf(stage, 'stage_isoutput') === 'false')
      report.reportSkipped(`pipelinestage ${name}`, 'documents are read by Crawlway: see docs/documents.md', stage);
    else if (!sink) report.reportSkipped(`pipelinestage ${name}`, 'write a Sink (docs/sinks.md)', stage, output);
    else {
      crawler.sink ??= sink;
      report.reportChanged(`pipelinestage ${name}`, "a Sink, with Crawlway's field names", stage, output);
    }
  }
}

function toSink(className: string, get: (name: string) => string): ImportedCrawler['sink'] {
  if (/\.SolrConnector$/.test(className) && get('Server name') !== '') {
    const base = `${get('Server protocol') || 'http'}://${get('Server name')}:${get('Server port') || '8983'}`;
    const { url, core } = splitSolrUrl(`${base}/${get('Server web application') || 'solr'}/${get('Solr core name')}`);
    const login = get('User ID');
    return { type: 'solr', url, index: core ?? 'manifoldcf', ...(login ? { login, secret: 'password' } : {}) };
  }
  if (/\.ElasticSearchConnector$/.test(className) && isUrl(get('SERVERLOCATION'))) {
    const login = get('USERNAME');
    const url = get('SERVERLOCATION').replace(/\/$/, '');
    return {
      type: 'elasticsearch',
      url,
      index: get('INDEXNAME') || 'index',
      ...(login ? { login, secret: 'password' } : {}),
    };
  }
  return undefined;
}

const readParameters = (configuration: Node | undefined): Map<string, Node> =>
  new Map(
    (configuration?.children ?? [])
      .filter(({ name }) => name === '_PARAMETER_')
      .map((node) => [node.attributes['name'] ?? '', node]),
  );

function importConfiguration(configuration: Node, crawler: ImportedCrawler, report: ImportReport): void {
  for (const [name, node] of readParameters(configuration)) {
    const value = node.text.trim();
    const note = value === '' ? 'nothing' : PARAMETERS[name]?.(value, crawler);
    if (note !== undefined) report.reportTaken(`${name} = ${value}`, note, node);
    else report.reportSkipped(`${name} = ${value}`, NO_COUNTERPART, node);
  }
  // What applies to some servers goes after what applies to all.
  for (const node of configuration.children)
    if (node.name === 'bindesc') importBandwidth(node, crawler, report);
    else if (!node.isReported)
      report.reportSkipped(
        `${node.name} ${textOf(node, 'urlregexp')}`.trim(),
        CONFIGURATION_REASONS[node.name] ?? NO_COUNTERPART,
        node,
      );
}

const PARAMETERS: Readonly<Record<string, (value: string, crawler: ImportedCrawler) => string | undefined>> = {
  'Email address': (value, { fetcher }) => {
    if (!isContact(value)) return undefined;
    fetcher['contact'] = value;
    return 'contact of Fetcher';
  },
  'Robots usage': (value, { attributes }) => {
    if (value === 'none') attributes['ignoreRobotsTxt'] = 'true';
    return 'ignoreRobotsTxt';
  },
  'Meta robots tags usage': (value) => (value === 'all' ? 'they are obeyed' : undefined),
};

const CONFIGURATION_REASONS: Readonly<Record<string, string>> = {
  accesscredential: 'write a Credential or a Login in the Fetcher (docs/logins.md); passwords are not copied',
  trust: 'write a CertificateAuthority in the Fetcher, or set its verifyCertificates',
};

const isForAllServers = (expression: string): boolean => /^\^?(?:\.[*+]?)?\$?$/.test(expression);

/** A pause between requests for all servers, or for those in whose names the expression is found. */
function addPause(expression: string, milliseconds: number, crawler: ImportedCrawler, ignoreCase = false): string {
  const value = String(Math.ceil(milliseconds));
  if (isForAllServers(expression)) {
    crawler.attributes['throttleTimeMS'] = String(
      Math.max(Number(value), Number(crawler.attributes['throttleTimeMS'] ?? 0)),
    );
    return 'throttleTimeMS';
  }
  const attributes = { test: 'regex', field: 'host', 'case-sensitive': String(!ignoreCase), value: expression };
  const option = { element: 'option', attributes: { name: 'throttle-ms', value }, children: [] };
  crawler.conditions.push({ element: 'apply-for', attributes, children: [option] });
  return 'option throttle-ms';
}

function importBandwidth(node: Node, crawler: ImportedCrawler, report: ImportReport): void {
  const expression = textOf(node, 'binregexp');
  const perMinute = Number(node.find('maxfetchesperminute')?.attributes['value']);
  if (perMinute > 0) {
    const note = addPause(expression, 60_000 / perMinute, crawler, textOf(node, 'caseinsensitive') === 'true');
    report.reportTaken(`maxfetchesperminute ${perMinute} ${expression}`, note, node.find('maxfetchesperminute'));
  }
  const connections = node.find('maxconnections');
  if (connections)
    report.reportTaken('maxconnections', 'one at a time for each server, unless aggressive is set', connections);
  const rate = node.find('maxkbpersecond');
  if (rate)
    report.reportSkipped(
      `maxkbpersecond ${rate.attributes['value'] ?? ''} ${expression}`.trim(),
      'set maxBytesPerS of a cw:Schedule',
      rate,
    );
  report.cover(...node.attributeNodes);
}

/** The rate of a throttle is one of requests in a millisecond, although its documentation says in a minute. */
function importConnection(connection: Node | undefined, crawler: ImportedCrawler, report: ImportReport): void {
  if (!connection) return;
  for (const node of connection.children.filter(({ name }) => name === 'throttle')) {
    const rate = Number(textOf(node, 'rate'));
    if (!(rate > 0)) continue;
    const note = addPause(textOf(node, 'match'), rate < 1 ? 1 / rate : 60_000 / rate, crawler);
    report.reportTaken(`throttle ${textOf(node, 'match')} ${rate}`, note, node);
  }
  const limit = connection.find('max_connections');
  if (/^\d+$/.test(limit?.text ?? '')) {
    crawler.attributes['nthreads'] = limit!.text;
    report.reportTaken(`max_connections ${limit!.text}`, 'nthreads', limit);
  }
  report.cover(...['name', 'description', 'class_name', 'isnew'].map((name) => connection.find(name)));
  const authority = connection.find('acl_authority');
  if (authority?.text === '') report.cover(authority);
}
