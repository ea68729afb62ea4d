/** Finds credentials and secret headers that are sent to fewer servers than their pattern seems to cover. */
import type { RootDefinition, ServerDefinition } from '../../crawl/definition.js';
import type { Place, Problem } from '../../crawl/place.js';
import type { ConditionRule, ConditionsDefinition } from '../../crawl/policy-definition.js';
import { formatCondition } from '../conditions.js';
import { findNamedServers, findRootServers, hasSecrets, type NamedServers, NO_NAMED_SERVERS } from '../secret-scope.js';
import { createLintWarning } from './codes.js';

const ROOT_SERVERS = 'the servers of the roots in this configuration';

export function lintConditionSecrets(
  { options, place, rules }: ConditionsDefinition,
  roots: readonly RootDefinition[],
): Problem[] {
  const isSingleSite = isOneSite(roots);
  const globalProblems =
    hasSecrets(options) && !isSingleSite
      ? [createUnboundSecretProblem(place, 'the global options set credentials', NO_NAMED_SERVERS)]
      : [];
  return [...globalProblems, ...rules.flatMap((rule) => lintRule(rule, NO_NAMED_SERVERS, isSingleSite))];
}

function lintRule(rule: ConditionRule, outer: NamedServers, isSingleSite: boolean): Problem[] {
  const namedServers = findNamedServers(rule, outer);
  const nestedProblems = rule.children.flatMap((child) => lintRule(child, namedServers, isSingleSite));
  const isBound = !namedServers.matchesOthers || (isSingleSite && namedServers.servers.size === 0);
  if (!hasSecrets(rule.options) || isBound) return nestedProblems;
  return [
    createUnboundSecretProblem(rule.place, `"${formatCondition(rule)}" sets credentials`, namedServers),
    ...nestedProblems,
  ];
}

function createUnboundSecretProblem(place: Place, subject: string, { servers }: NamedServers): Problem {
  const serverNames = servers.size === 0 ? ROOT_SERVERS : `${[...servers].slice(0, 5).join(', ')} and ${ROOT_SERVERS}`;
  const message = `${subject} for URLs of more than one server, but they are sent only to ${serverNames}: put them in a condition for one server, such as url "https://host/*"`;
  return createLintWarning('credentials-unbound', place, message);
}

export const lintFetcherHeaders = ({ fetchers, crawlers }: ServerDefinition): Problem[] =>
  fetchers.flatMap(({ name, secretHeaders: secretNames, place }) => {
    const usingCrawlers = crawlers.filter(({ fetcher }) => fetcher === name);
    if (secretNames.length === 0 || isOneSite(usingCrawlers.flatMap(({ roots }) => roots))) return [];
    const message = `Header ${secretNames.join(', ')} of Fetcher ${name} has no url, so it is sent only to ${ROOT_SERVERS}: set url to the prefix for which it is meant`;
    return place ? [createLintWarning('credentials-unbound', place, message)] : [];
  });

/** Whether all roots are on one host, apart from `www.` and the scheme. */
function isOneSite(roots: readonly RootDefinition[]): boolean {
  const hosts = new Set([...findRootServers(roots)].map((server) => URL.parse(server)?.host.replace(/^www\./, '')));
  return hosts.size === 1;
}
