/**
 * Layer 4, Server records (seed: mnoGoSearch, "How does indexer walk through the hypertext links"). The record with the
 * longest URL that the candidate begins with gives its parameters. `followOutside` and `deleteNoServer="no"` add an empty
 * record that is found last; the second one also keeps links inside the server of their page.
 */
import type {
  MetaDefinition,
  ServerParameters,
  ServerRecord,
  ServersDefinition,
  UrlOptions,
} from '../crawl/definition.js';
import { type CrawlUrl, origin } from '../url/crawl-url.js';
import { type Draft, isRootRedirect, type Layer, type Rejection } from './layer.js';
import { optionsText } from './options.js';
import { PrefixTable } from './prefix-table.js';
import type { Candidate } from './verdict.js';

export interface CompiledRecord {
  readonly definition: ServerRecord;
  readonly prefix: string;
  readonly label: string;
  readonly options: UrlOptions;
  readonly metas: readonly MetaDefinition[];
}

/** The record whose parameters a URL gets; undefined when none is a prefix of it. */
export function compileServers(servers: ServersDefinition): (href: string) => CompiledRecord | undefined {
  const table = new PrefixTable(compileRecords(servers).map((record) => [record.prefix, record] as const));
  return (href) => table.longest(href);
}

export function serverRecordsLayer(servers: ServersDefinition): Layer {
  const find = compileServers(servers);
  const staysInside = !servers.deleteNoServer && !servers.followOutside;
  return {
    name: 'server-records',
    judge(candidate, draft, trace) {
      const record = find(candidate.url.href);
      const rejection = record
        ? ((staysInside ? outsideServer(candidate, servers) : undefined) ?? tooManyHops(candidate, record))
        : noRecord(servers);
      trace?.push({
        layer: 'server-records',
        test: rejection?.detail ?? record?.label ?? '',
        outcome: rejection ? 'reject' : 'accept',
        reason: rejection?.reason,
        place: rejection?.place ?? record?.definition.place,
        effect: record && recordEffect(record),
      });
      if (record) assign(record, candidate, draft);
      return rejection;
    },
  };
}

/** The switches' empty record has the parameters in force at the end of the list; one that is written goes before it. */
export function compileRecords(servers: ServersDefinition): CompiledRecord[] {
  const open = servers.followOutside || !servers.deleteNoServer;
  const empty = { url: '', place: servers.place, parameters: servers.defaults };
  return (open ? [empty, ...servers.records] : servers.records).map(compileRecord);
}

function compileRecord(definition: ServerRecord): CompiledRecord {
  const { tag, category } = definition.parameters;
  const meta = (name: string, value: string | undefined): MetaDefinition[] =>
    value === undefined ? [] : [{ name, value, scope: 'document' }];
  return {
    definition,
    prefix: recordPrefix(definition.url),
    label: definition.url === '' ? 'the empty server record' : `server record ${definition.url}`,
    options: optionsOf(definition.parameters),
    metas: [...meta('tag', tag), ...meta('category', category)],
  };
}

/** In canonical form, so that it can be a prefix of canonical URLs; a host without end slash stays the prefix it is. */
export function recordPrefix(url: string): string {
  const hasPath = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\//i.test(url);
  return hasPath ? (URL.parse(url)?.href ?? url) : url.toLowerCase();
}

/** Only what is set: an absent option must not override another layer's. */
function optionsOf(parameters: ServerParameters): UrlOptions {
  const { maxHops, readTimeout, documentTimeout, robots, authentication } = parameters;
  return {
    ...(maxHops === undefined ? {} : { maxHops }),
    ...(readTimeout === undefined ? {} : { readTimeout }),
    ...(documentTimeout === undefined ? {} : { totalTimeout: documentTimeout }),
    ...(robots === undefined ? {} : { obeyRobots: robots }),
    ...(authentication === undefined ? {} : { credentials: authentication }),
  };
}

const noRecord = (servers: ServersDefinition): Rejection => ({
  layer: 'server-records',
  reason: 'no-server-record',
  place: servers.place,
  detail: 'no server record is a prefix of the URL',
});

/** A root that redirects is taken to where it leads; links are not. */
function outsideServer(candidate: Candidate, servers: ServersDefinition): Rejection | undefined {
  if (candidate.arrival === 'root' || candidate.arrival === 'stored' || isRootRedirect(candidate)) return undefined;
  const home = candidate.from ?? candidate.root?.url;
  if (!home || origin(home) === origin(candidate.url)) return undefined;
  return {
    layer: 'server-records',
    reason: 'outside-server',
    place: servers.place,
    detail: `${origin(candidate.url)} is not the server of its page, ${origin(home)}`,
  };
}

function tooManyHops(candidate: Candidate, { definition }: CompiledRecord): Rejection | undefined {
  const { maxHops } = definition.parameters;
  if (maxHops === undefined || candidate.hops <= maxHops) return undefined;
  return {
    layer: 'server-records',
    reason: 'server-max-hops',
    place: definition.place,
    detail: `${candidate.hops} links from the root, ${maxHops} are allowed`,
  };
}

function assign(record: CompiledRecord, candidate: Candidate, draft: Draft): void {
  const { parameters, place } = record.definition;
  draft.index &&= parameters.index ?? true;
  draft.follow &&= parameters.follow ?? true;
  draft.period = parameters.period;
  draft.maxNetworkErrors = parameters.maxNetworkErrors;
  draft.networkErrorDelay = parameters.networkErrorDelay;
  if (parameters.alias !== undefined) {
    draft.fetchUrl = parameters.alias + candidate.url.href.slice(record.prefix.length);
  }
  draft.setOptions(record.options);
  draft.addMetas(record.metas);
  draft.opinion = { layer: 'server-records', place, detail: record.label };
}

export function recordEffect(record: CompiledRecord): string {
  const { period, index, follow, alias, maxNetworkErrors, networkErrorDelay } = record.definition.parameters;
  const set = (name: string, value: string | number | undefined) => (value === undefined ? [] : [`${name}=${value}`]);
  const yesNo = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'yes' : 'no');
  return [
    ...set('period', period && `${period / 1000} s`),
    ...set('index', yesNo(index)),
    ...set('follow', yesNo(follow)),
    ...set('alias', alias),
    ...set('maximum network errors', maxNetworkErrors),
    ...set('network error delay', networkErrorDelay && `${networkErrorDelay / 1000} s`),
    ...record.metas.map((meta) => `${meta.name}=${meta.value}`),
    ...optionsText(record.options),
  ].join(', ');
}

/** The whole server of a URL, which a url list means in the `deleteNoServer="no"` scheme (seed, 4). */
export const serverScope = (url: CrawlUrl): string => `${origin(url)}/`;
