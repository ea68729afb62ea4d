/** Crawl spaces and server records: rules that never decide, hosts in two spaces, hosts that no crawler crawls. */
import type { CrawlerDefinition, ServerDefinition } from '../../crawl/definition.js';
import { formatPlace, type Place, type Problem } from '../../crawl/place.js';
import type { CrawlSpaceRule, ServerRecord, ServersDefinition } from '../../crawl/policy-definition.js';
import { toCrawlUrl } from '../../url/crawl-url.js';
import { compileCrawlSpace, formatSpaceRule } from '../crawl-space.js';
import { Subject } from '../matching/subject.js';
import { findServer, SHORTEST_PERIOD, toRecordPrefix } from '../server-records.js';
import { type Clauses, covers, deriveFacts } from './clauses.js';
import { createLintWarning } from './codes.js';
import { findClausesFault } from './forms.js';
import { toWildcardClauses } from './wildcard-clauses.js';

/** Each rule is compared with all earlier ones, so the work grows quadratically. */
const MAX_COMPARED = 2000;

/** The first matching rule decides, so a rule never does if an earlier one matches at least the same URLs. */
export function lintSpaceRules(rules: readonly CrawlSpaceRule[], protocols: readonly string[]): Problem[] {
  const earlier: { readonly rule: CrawlSpaceRule; readonly clauses: Clauses }[] = [];
  return rules.slice(0, MAX_COMPARED).flatMap((rule) => {
    const clauses = toSpaceClauses(rule);
    const never = findClausesFault(clauses, protocols) ?? findPortFault(rule);
    if (never)
      return [
        createLintWarning('space-rule-unreachable', rule.place, `"${formatSpaceRule(rule)}" never matches: ${never}`),
      ];
    const first = earlier.find((other) => covers(other.clauses, clauses));
    earlier.push({ rule, clauses });
    if (!first) return [];
    const where = `"${formatSpaceRule(first.rule)}" (${formatPlace(first.rule.place)})`;
    const message = `"${formatSpaceRule(rule)}" never decides: ${where} comes first and matches the same URLs`;
    return [createLintWarning('space-rule-unreachable', rule.place, message)];
  });
}

function findPortFault({ kind, target }: CrawlSpaceRule): string | undefined {
  const port = kind === 'domain' ? Number(/:(\d+)$/.exec(target)?.[1] ?? 0) : 0;
  return port > 65_535 ? `the port is ${port}, but the highest is 65535` : undefined;
}

function toSpaceClauses({ kind, target }: CrawlSpaceRule): Clauses {
  if (kind === 'domain' && !/:\d+$/.test(target))
    return toWildcardClauses({ field: 'host', value: target, norm: 'lower' }, 'star');
  if (kind === 'prefix') return toWildcardClauses({ field: 'url', value: `${target}*`, norm: 'none' }, 'star');
  return [[{ field: 'host', kind: 'opaque', text: `${kind} ${target}`, norm: 'none' }]];
}

export const lintServers = (servers: ServersDefinition, protocols: readonly string[]): Problem[] => [
  ...servers.records.flatMap((record) => lintNeverMatches(record, protocols)),
  ...lintDuplicates(servers),
  ...servers.records.flatMap(lintUnboundCredentials),
  ...servers.records.flatMap(lintShortPeriod),
];

/** A record is a prefix without wildcards. */
function lintNeverMatches({ url, place }: ServerRecord, protocols: readonly string[]): Problem[] {
  if (url === '') return [];
  const prefix = deriveFacts({ field: 'url', kind: 'prefix', text: toRecordPrefix(url), norm: 'none' });
  const reason = findClausesFault([prefix], protocols);
  return reason
    ? [createLintWarning('server-never-matches', place, `server record ${url} matches no URL: ${reason}`)]
    : [];
}

/** With a period of 0, politeness alone would decide how often a page is visited. */
function lintShortPeriod({ url, place, parameters: { period } }: ServerRecord): Problem[] {
  if (period === undefined || period >= SHORTEST_PERIOD) return [];
  const message = `server record ${url}: a period of 0 counts as ${SHORTEST_PERIOD / 1000} s, and every page is visited that often`;
  return [createLintWarning('period-too-short', place, message)];
}

function lintUnboundCredentials({ url, place, parameters }: ServerRecord): Problem[] {
  const { authentication, alias } = parameters;
  const named = alias ?? url;
  if (authentication === undefined || /^https?:\/\/[^/?#]+\//i.test(named)) return [];
  const server = findServer(named);
  const message = server
    ? `"${named}" is also a prefix of URLs on other hosts: its credentials are sent only to ${server}/`
    : `"${named}" names no server, so its credentials are sent nowhere: put them in a record with scheme and host`;
  return [createLintWarning('credentials-unbound', place, message)];
}

function lintDuplicates({ records }: ServersDefinition): Problem[] {
  const seen = new Map<string, Place>();
  return records.flatMap(({ url, place }) => {
    const prefix = toRecordPrefix(url);
    const before = seen.get(prefix);
    seen.set(prefix, place);
    if (!before) return [];
    return [
      createLintWarning(
        'server-duplicate',
        before,
        `server record ${url} is repeated (${formatPlace(place)}), and the later one counts`,
      ),
    ];
  });
}

/** The global crawl space has no protocols of its own; each crawler has. */
const ANY_PROTOCOL = ['http', 'https'];

type Takes = (host: string) => boolean;

interface Space {
  readonly crawler: CrawlerDefinition;
  readonly takes: Takes;
}

/**
 * Global and local spaces must be consistent: every host that may stay in the index needs exactly one crawler that
 * crawls it.
 */
export function lintGlobalSpace({ crawlers, globalCrawlSpace }: ServerDefinition): Problem[] {
  if (!globalCrawlSpace) return [];
  const spaces = crawlers
    .filter((crawler) => crawler.crawlSpace)
    .map((crawler) => ({ crawler, takes: createHostMatcher(crawler) }));
  const allows = globalCrawlSpace.rules.filter(({ verdict }) => verdict === 'allow');
  const local = spaces.flatMap(({ crawler }) => crawler.crawlSpace?.rules ?? []);
  return [
    ...lintSpaceRules(globalCrawlSpace.rules, ANY_PROTOCOL),
    ...(spaces.length === crawlers.length ? allows.flatMap((rule) => lintAcceptedByNone(rule, local, spaces)) : []),
    ...lintAcceptedByTwo([...local, ...allows], spaces),
  ];
}

/** Matches by domain rules alone, as only they divide hosts between crawlers. */
function createHostMatcher({ crawlSpace }: CrawlerDefinition): Takes {
  const space = compileCrawlSpace(crawlSpace?.rules.filter(({ kind }) => kind === 'domain') ?? [], []);
  return (host) => space(new Subject(toCrawlUrl(`http://${host}/`))).rule?.verdict !== 'forbid';
}

/**
 * Host names that represent a domain rule: its own host or, for a wildcard, one matching name and the matching hosts
 * that other rules name.
 */
function listRepresentativeHosts({ target }: CrawlSpaceRule, others: readonly CrawlSpaceRule[]): string[] {
  const host = target.replace(/:\d+$/, '');
  if (!host.includes('*')) return [host];
  const pattern = toWildcardClauses({ field: 'host', value: host, norm: 'lower' }, 'star');
  const named = others
    .filter(({ kind, target: text }) => kind === 'domain' && !text.includes('*'))
    .map(({ target: text }) => text);
  const fitting = named.filter((text) =>
    covers(pattern, toWildcardClauses({ field: 'host', value: text, norm: 'lower' }, 'star')),
  );
  return [host.replace(/\*/g, 'any'), ...fitting];
}

function lintAcceptedByNone(
  rule: CrawlSpaceRule,
  local: readonly CrawlSpaceRule[],
  spaces: readonly Space[],
): Problem[] {
  if (listRepresentativeHosts(rule, local).some((host) => spaces.some(({ takes }) => takes(host)))) return [];
  const message = `global.rules allows ${rule.target}, but no local crawl space accepts it: its documents stay and are never crawled again`;
  return [createLintWarning('host-in-no-space', rule.place, message)];
}

function lintAcceptedByTwo(rules: readonly CrawlSpaceRule[], spaces: readonly Space[]): Problem[] {
  const domains = rules.filter(({ kind, verdict }) => kind === 'domain' && verdict === 'allow');
  const seen = new Set<string>();
  return domains.flatMap((rule) => {
    if (seen.has(rule.target)) return [];
    seen.add(rule.target);
    const both = spaces.filter(({ takes }) => takes(listRepresentativeHosts(rule, [])[0] ?? ''));
    if (both.length < 2) return [];
    const names = both.map(({ crawler }) => crawler.name).join(' and ');
    const message = `${rule.target} is in the crawl spaces of ${names}: forbid it in all but one`;
    return [createLintWarning('host-in-two-spaces', rule.place, message)];
  });
}
