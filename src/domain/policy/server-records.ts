/**
 * Layer 4, Server records (reference: mnoGoSearch, "How does indexer walk through the hypertext links"). Among the
 * records whose URL is a prefix of the candidate, the longest one provides the parameters. `followOutside` and
 * `deleteNoServer="no"` add an empty record that is matched last; the latter also keeps links on the server of their
 * page.
 */
import type {
  MetaDefinition,
  ServerParameters,
  ServerRecord,
  ServersDefinition,
  UrlOptions,
} from '../crawl/policy-definition.js';
import { flatMapInSteps, runAtOnce, type Steps } from '../steps.js';
import { atLeast, seconds } from '../time/units.js';
import { type CrawlUrl, getOrigin, toCrawlUrl } from '../url/crawl-url.js';
import { stripTrailingDot } from '../url/url-form.js';
import { type Draft, isRootRedirect, type Layer, type Rejection } from './layer.js';
import { normalizeRuleText } from './matching/rule-text.js';
import { formatOptions } from './options.js';
import { PrefixTable } from './prefix-table.js';
import type { Candidate } from './verdict.js';

/** Without this minimum, `Period 0` would mean that each page is requested again as soon as it has been visited. */
export const MIN_PERIOD = seconds(1);

export interface CompiledRecord {
  readonly definition: ServerRecord;
  readonly prefix: string;
  readonly label: string;
  readonly options: UrlOptions;
  readonly metas: readonly MetaDefinition[];
  /** Replacement for the prefix when fetching. */
  readonly alias: string | undefined;
  /** The only server to which the record's credentials are sent; undefined if it has none or does not name a server. */
  readonly credentialsServer: string | undefined;
}

type RecordFinder = (href: string) => CompiledRecord | undefined;

/** Definitions never change, and compiling 100,000 records takes a quarter of a second, so that each is compiled once. */
const compiled = new WeakMap<ServersDefinition, CompiledServers>();

interface CompiledServers {
  readonly records: readonly CompiledRecord[];
  readonly find: RecordFinder;
}

/** Returns a function that finds the record whose parameters apply to a URL; undefined if none is a prefix of it. */
export const compileServers = (servers: ServersDefinition): RecordFinder =>
  runAtOnce(compileServersInSteps(servers)).find;

export function* compileServersInSteps(servers: ServersDefinition): Steps<CompiledServers> {
  const existing = compiled.get(servers);
  if (existing) return existing;
  const records = yield* flatMapInSteps(listRecords(servers), (definition) => [compileRecord(definition)]);
  const table = yield* PrefixTable.create(records.map((record) => [record.prefix, record] as const));
  const result = { records, find: (href: string) => table.findLongest(href) };
  compiled.set(servers, result);
  return result;
}

export function createServerRecordsLayer(servers: ServersDefinition): Layer {
  const findRecord = compileServers(servers);
  const staysOnServer = !servers.deleteNoServer && !servers.followOutside;
  return {
    name: 'server-records',
    judge(candidate, draft, trace) {
      const record = findRecord(candidate.url.href);
      const rejection = record
        ? ((staysOnServer ? findOutsideServerRejection(candidate, servers) : undefined) ??
          findHopsRejection(candidate, record))
        : createNoRecordRejection(servers);
      trace?.push({
        layer: 'server-records',
        test: rejection?.detail ?? record?.label ?? '',
        outcome: rejection ? 'reject' : 'accept',
        reason: rejection?.reason,
        place: rejection?.place ?? record?.definition.place,
        effect: record && describeRecordEffect(record),
      });
      if (record) applyRecord(record, candidate, draft);
      return rejection;
    },
  };
}

/**
 * The empty record that the switches add has the parameters in force at the end of the list; a written record takes
 * precedence.
 */
function listRecords(servers: ServersDefinition): readonly ServerRecord[] {
  const hasEmptyRecord = servers.followOutside || !servers.deleteNoServer;
  const emptyRecord = { url: '', place: servers.place, parameters: servers.defaults };
  return hasEmptyRecord ? [emptyRecord, ...servers.records] : servers.records;
}

/** Longest prefix first, which is the order in which they take precedence. */
export const compileRecords = (servers: ServersDefinition): CompiledRecord[] =>
  [...runAtOnce(compileServersInSteps(servers)).records].sort((a, b) => b.prefix.length - a.prefix.length);

function compileRecord(definition: ServerRecord): CompiledRecord {
  const { tag, category, alias, authentication } = definition.parameters;
  const prefix = toRecordPrefix(definition.url);
  const toMetas = (name: string, value: string | undefined): MetaDefinition[] =>
    value === undefined ? [] : [{ name, value, scope: 'document' }];
  return {
    definition,
    prefix,
    label: definition.url === '' ? 'the empty server record' : `server record ${definition.url}`,
    options: toOptions(definition.parameters),
    metas: [...toMetas('tag', tag), ...toMetas('category', category)],
    alias: alias && alignSlashes(alias, prefix, definition.url),
    credentialsServer: authentication === undefined ? undefined : findServer(alias ?? definition.url),
  };
}

/** What follows the prefix in a URL is appended to the alias: it must not become a part of its host name. */
function alignSlashes(alias: string, prefix: string, url: string): string {
  if (prefix.endsWith('/'))
    return !alias.endsWith('/') && (SERVER.test(alias) || !url.endsWith('/')) ? `${alias}/` : alias;
  return SERVER.test(prefix) ? alias.replace(/\/$/, '') : alias;
}

const SERVER = /^https?:\/\/[^/]+$/i;

/**
 * Converts a record's URL to canonical form, so that it can be a prefix of canonical URLs; a host without a trailing
 * slash stays a prefix.
 */
export const toRecordPrefix = (url: string): string =>
  url === '' ? '' : normalizeRuleText(url, { field: 'url', kind: 'prefix' });

/** Scheme, host and port of a URL or a prefix of URLs; undefined if it does not name a server. */
export function findServer(url: string): string | undefined {
  const parsed = URL.parse(url);
  const isWebUrl = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  return isWebUrl ? getOrigin(stripTrailingDot(toCrawlUrl(parsed.href))) : undefined;
}

/** Contains only what is set, because an undefined option would override that of another layer. */
function toOptions(parameters: ServerParameters): UrlOptions {
  const { maxHops, readTimeout, documentTimeout, robots } = parameters;
  return {
    ...(maxHops === undefined ? {} : { maxHops }),
    ...(readTimeout === undefined ? {} : { readTimeout }),
    ...(documentTimeout === undefined ? {} : { totalTimeout: documentTimeout }),
    ...(robots === undefined ? {} : { obeyRobots: robots }),
  };
}

const createNoRecordRejection = (servers: ServersDefinition): Rejection => ({
  layer: 'server-records',
  reason: 'no-server-record',
  place: servers.place,
  detail: 'no server record is a prefix of the URL',
});

/** Applies to links only: the target of a root that redirects takes the root's place. */
function findOutsideServerRejection(candidate: Candidate, servers: ServersDefinition): Rejection | undefined {
  if (candidate.discoveredVia === 'root' || candidate.discoveredVia === 'stored' || isRootRedirect(candidate))
    return undefined;
  const source = candidate.from ?? candidate.root?.url;
  if (!source || getOrigin(source) === getOrigin(candidate.url)) return undefined;
  return {
    layer: 'server-records',
    reason: 'outside-server',
    place: servers.place,
    detail: `the URL is on ${getOrigin(candidate.url)}, not on the server of its page, ${getOrigin(source)}`,
  };
}

function findHopsRejection(candidate: Candidate, { definition }: CompiledRecord): Rejection | undefined {
  const { maxHops } = definition.parameters;
  if (maxHops === undefined || candidate.hops <= maxHops) return undefined;
  return {
    layer: 'server-records',
    reason: 'server-max-hops',
    place: definition.place,
    detail: `${candidate.hops} links from the root, but only ${maxHops} are allowed`,
  };
}

/** The URL from which a URL of the record is fetched instead; undefined if it has no alias. */
export const findAliasUrl = ({ alias, prefix }: CompiledRecord, { href }: CrawlUrl): string | undefined =>
  alias === undefined ? undefined : alias + href.slice(prefix.length);

/**
 * The name under which a URL of the mirror is known, from which the record's URLs are fetched: servers link and redirect
 * to themselves by the name with which they are asked. Undefined if it is not one, or has a record of its own.
 */
export function findNameOfMirrored(servers: ServersDefinition, page: CrawlUrl, url: CrawlUrl): string | undefined {
  const find = compileServers(servers);
  const { alias, prefix } = find(page.href) ?? {};
  if (alias === undefined || prefix === undefined || findServer(alias) !== getOrigin(url)) return undefined;
  const mirror = toRecordPrefix(alias);
  if (!url.href.startsWith(mirror) || find(url.href)?.prefix) return undefined;
  return prefix + url.href.slice(mirror.length);
}

/**
 * The options that the record sets for a URL. Its credentials apply to one server, even if its prefix covers several:
 * `http://a` is also a prefix of `http://a.b/`.
 */
export function createOptionsFor(record: CompiledRecord, url: CrawlUrl): UrlOptions {
  const { credentialsServer, options, definition } = record;
  if (credentialsServer === undefined || findServer(findAliasUrl(record, url) ?? url.href) !== credentialsServer)
    return options;
  return { ...options, credentials: definition.parameters.authentication };
}

function applyRecord(record: CompiledRecord, candidate: Candidate, draft: Draft): void {
  const { parameters, place } = record.definition;
  draft.index &&= parameters.index ?? true;
  draft.follow &&= parameters.follow ?? true;
  draft.period = parameters.period === undefined ? undefined : atLeast(parameters.period, MIN_PERIOD);
  draft.maxNetworkErrors = parameters.maxNetworkErrors;
  draft.networkErrorDelay = parameters.networkErrorDelay;
  draft.fetchUrl = findAliasUrl(record, candidate.url);
  draft.setOptions(createOptionsFor(record, candidate.url));
  draft.addMetas(record.metas);
  draft.opinion = { layer: 'server-records', place, detail: record.label };
}

export function describeRecordEffect(record: CompiledRecord): string {
  const { period, index, follow, alias, maxNetworkErrors, networkErrorDelay } = record.definition.parameters;
  const formatSetting = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`${name}=${value}`];
  const formatYesNo = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'yes' : 'no');
  return [
    ...formatSetting('period', period && `${period / 1000} s`),
    ...formatSetting('index', formatYesNo(index)),
    ...formatSetting('follow', formatYesNo(follow)),
    ...formatSetting('alias', alias),
    ...formatSetting('maximum network errors', maxNetworkErrors),
    ...formatSetting('network error delay', networkErrorDelay && `${networkErrorDelay / 1000} s`),
    ...record.metas.map((meta) => `${meta.name}=${meta.value}`),
    ...formatOptions(record.options),
    ...(record.credentialsServer === undefined ? [] : [`credentials for ${record.credentialsServer}`]),
  ].join(', ');
}

/**
 * The prefix of the whole server of a URL. With `deleteNoServer="no"`, each entry of a URL list extends to it
 * (mnoGoSearch, 4).
 */
export const getServerScope = (url: CrawlUrl): string => `${getOrigin(url)}/`;
