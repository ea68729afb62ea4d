/** Checks crawl spaces and server records: rules that never decide, hosts in two spaces, hosts that are not crawled. */
import type { CrawlerDefinition, ServerDefinition } from '../../crawl/definition.js';
import { formatPlace, type Place, type Problem } from '../../crawl/place.js';
import type { CrawlSpaceRule, ServerRecord, ServersDefinition } from '../../crawl/policy-definition.js';
import { flatMapInSteps, type Steps } from '../../steps.js';
import { toCrawlUrl } from '../../url/crawl-url.js';
import { compileCrawlSpace, formatSpaceRule } from '../crawl-space.js';
import { Subject } from '../matching/subject.js';
import { findServer, MIN_PERIOD, toRecordPrefix } from '../server-records.js';
import { type Clauses, covers, deriveFacts } from './clauses.js';
import { createLintWarning } from './codes.js';
import { findClausesFault } from './forms.js';
import { toWildcardClauses } from './wildcard-clauses.js';

/** Each rule is compared with all earlier ones, so the work grows quadratically. */
const MAX_COMPARED = 2000;

/** The first matching rule decides, so a rule has no effect if an earlier one matches all of its URLs. */
export function lintSpaceRules(rules: readonly CrawlSpaceRule[], protocols: readonly string[]): Problem[] {
  const earlierRules: { readonly rule: CrawlSpaceRule; readonly clauses: Clauses }[] = [];
  return rules.slice(0, MAX_COMPARED).flatMap((rule) => {
    const clauses = toSpaceClauses(rule);
    const fault = findClausesFault(clauses, protocols) ?? findPortFault(rule);
    if (fault)
      return [
        createLintWarning('space-rule-unreachable', rule.place, `"${formatSpaceRule(rule)}" never matches: ${fault}`),
      ];
    const coveringRule = earlierRules.find(
      (earlierRule) => covers(earlierRule.clauses, clauses) && !takesPrecedence(rule, earlierRule.rule),
    );
    earlierRules.push({ rule, clauses });
    if (!coveringRule) return [];
    const location = `"${formatSpaceRule(coveringRule.rule)}" (${formatPlace(coveringRule.rule.place)})`;
    const message = `"${formatSpaceRule(rule)}" never decides: ${location} comes first and matches the same URLs`;
    return [createLintWarning('space-rule-unreachable', rule.place, message)];
  });
}

/** A prefix or address rule that excludes a URL decides over a domain rule that does: its documents leave the index. */
const takesPrecedence = (rule: CrawlSpaceRule, earlier: CrawlSpaceRule): boolean =>
  rule.verdict === 'forbid' && rule.kind !== 'domain' && earlier.verdict === 'forbid' && earlier.kind === 'domain';

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

export function* lintServers({ records }: ServersDefinition, protocols: readonly string[]): Steps<Problem[]> {
  return [
    ...(yield* flatMapInSteps(records, (record) => lintNeverMatches(record, protocols))),
    ...(yield* lintDuplicates(records)),
    ...(yield* flatMapInSteps(records, lintUnboundCredentials)),
    ...(yield* flatMapInSteps(records, lintShortPeriod)),
  ];
}

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
  if (period === undefined || period >= MIN_PERIOD) return [];
  const message = `server record ${url}: a period of 0 is treated as ${MIN_PERIOD / 1000} s, so every page is visited that often`;
  return [createLintWarning('period-too-short', place, message)];
}

function lintUnboundCredentials({ url, place, parameters }: ServerRecord): Problem[] {
  const { authentication, alias } = parameters;
  const urlPrefix = alias ?? url;
  if (authentication === undefined || /^https?:\/\/[^/?#]+\//i.test(urlPrefix)) return [];
  const server = findServer(urlPrefix);
  const message = server
    ? `"${urlPrefix}" is also a prefix of URLs on other hosts: its credentials are sent only to ${server}/`
    : `"${urlPrefix}" does not name a server, so its credentials are never sent: put them in a record with scheme and host`;
  return [createLintWarning('credentials-unbound', place, message)];
}

function* lintDuplicates(records: readonly ServerRecord[]): Steps<Problem[]> {
  const firstPlaces = new Map<string, Place>();
  return yield* flatMapInSteps(records, ({ url, place }) => {
    const prefix = toRecordPrefix(url);
    const firstPlace = firstPlaces.get(prefix);
    firstPlaces.set(prefix, place);
    if (!firstPlace) return [];
    return [
      createLintWarning(
        'server-duplicate',
        firstPlace,
        `server record ${url} is repeated (${formatPlace(place)}), and only the later one applies`,
      ),
    ];
  });
}

/** Used for the global crawl space, because only crawlers have protocols. */
const ANY_PROTOCOL = ['http', 'https'];

type HostMatcher = (host: string) => boolean;

interface Space {
  readonly crawler: CrawlerDefinition;
  readonly acceptsHost: HostMatcher;
}

/**
 * Global and local spaces must be consistent: every host that may stay in the index needs exactly one crawler that
 * crawls it.
 */
export function lintGlobalSpace({ crawlers, globalCrawlSpace }: ServerDefinition): Problem[] {
  if (!globalCrawlSpace) return [];
  const spaces = crawlers
    .filter((crawler) => crawler.crawlSpace)
    .map((crawler) => ({ crawler, acceptsHost: createHostMatcher(crawler) }));
  const allowRules = globalCrawlSpace.rules.filter(({ verdict }) => verdict === 'allow');
  const localRules = spaces.flatMap(({ crawler }) => crawler.crawlSpace?.rules ?? []);
  return [
    ...lintSpaceRules(globalCrawlSpace.rules, ANY_PROTOCOL),
    ...(spaces.length === crawlers.length
      ? allowRules.flatMap((rule) => lintHostInNoSpace(rule, localRules, spaces))
      : []),
    ...lintHostsInTwoSpaces([...localRules, ...allowRules], spaces),
  ];
}

/** Matches hosts by domain rules alone, because only these divide hosts between crawlers. */
function createHostMatcher({ crawlSpace }: CrawlerDefinition): HostMatcher {
  const space = compileCrawlSpace(crawlSpace?.rules.filter(({ kind }) => kind === 'domain') ?? [], []);
  return (host) => space(new Subject(toCrawlUrl(`http://${host}/`))).rule?.verdict !== 'forbid';
}

/**
 * Host names that represent a domain rule: its own host or, for a wildcard, one matching name and the matching hosts
 * that other rules name.
 */
function listRepresentativeHosts({ target }: CrawlSpaceRule, otherRules: readonly CrawlSpaceRule[]): string[] {
  const host = target.replace(/:\d+$/, '');
  if (!host.includes('*')) return [host];
  const pattern = toWildcardClauses({ field: 'host', value: host, norm: 'lower' }, 'star');
  const namedHosts = otherRules
    .filter(({ kind, target: text }) => kind === 'domain' && !text.includes('*'))
    .map(({ target: text }) => text);
  const matchingHosts = namedHosts.filter((text) =>
    covers(pattern, toWildcardClauses({ field: 'host', value: text, norm: 'lower' }, 'star')),
  );
  return [host.replace(/\*/g, 'any'), ...matchingHosts];
}

function lintHostInNoSpace(
  rule: CrawlSpaceRule,
  localRules: readonly CrawlSpaceRule[],
  spaces: readonly Space[],
): Problem[] {
  if (listRepresentativeHosts(rule, localRules).some((host) => spaces.some(({ acceptsHost }) => acceptsHost(host))))
    return [];
  const message = `global.rules allows ${rule.target}, but no local crawl space accepts it: its documents stay in the index and are never crawled again`;
  return [createLintWarning('host-in-no-space', rule.place, message)];
}

function lintHostsInTwoSpaces(rules: readonly CrawlSpaceRule[], spaces: readonly Space[]): Problem[] {
  const domainRules = rules.filter(({ kind, verdict }) => kind === 'domain' && verdict === 'allow');
  const seenTargets = new Set<string>();
  return domainRules.flatMap((rule) => {
    if (seenTargets.has(rule.target)) return [];
    seenTargets.add(rule.target);
    const acceptingSpaces = spaces.filter(({ acceptsHost }) => acceptsHost(listRepresentativeHosts(rule, [])[0] ?? ''));
    if (acceptingSpaces.length < 2) return [];
    const names = acceptingSpaces.map(({ crawler }) => crawler.name).join(' and ');
    const message = `${rule.target} is in the crawl spaces of ${names}: forbid it in all but one`;
    return [createLintWarning('host-in-two-spaces', rule.place, message)];
  });
}
