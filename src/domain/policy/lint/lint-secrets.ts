/** Credentials and secret headers that are sent to fewer servers than their pattern seems to cover. */

import type { RootDefinition, ServerDefinition } from '../../crawl/definition.js';
import type { Place, Problem } from '../../crawl/place.js';
import type { ConditionRule, ConditionsDefinition } from '../../crawl/policy-definition.js';
import { formatCondition } from '../conditions.js';
import { findNamedServers, findRootServers, hasSecrets, NAMES_NONE, type NamedServers } from '../secret-scope.js';
import { createLintWarning } from './codes.js';

const HOW = 'the servers of the roots in this configuration';

export function lintConditionSecrets(
  { options, place, rules }: ConditionsDefinition,
  roots: readonly RootDefinition[],
): Problem[] {
  const site = isOneSite(roots);
  const global =
    hasSecrets(options) && !site
      ? [createUnboundSecretProblem(place, 'the global options set credentials', NAMES_NONE)]
      : [];
  return [...global, ...rules.flatMap((rule) => lintRule(rule, NAMES_NONE, site))];
}

function lintRule(rule: ConditionRule, outer: NamedServers, site: boolean): Problem[] {
  const named = findNamedServers(rule, outer);
  const nested = rule.children.flatMap((child) => lintRule(child, named, site));
  const bound = !named.open || (site && named.servers.size === 0);
  if (!hasSecrets(rule.options) || bound) return nested;
  return [createUnboundSecretProblem(rule.place, `"${formatCondition(rule)}" sets credentials`, named), ...nested];
}

function createUnboundSecretProblem(place: Place, what: string, { servers }: NamedServers): Problem {
  const named = servers.size === 0 ? HOW : `${[...servers].slice(0, 5).join(', ')} and ${HOW}`;
  const message = `${what} and matches URLs of more than one server: they are sent to ${named} only; put them in a condition for one server, such as url "https://host/*"`;
  return createLintWarning('credentials-unbound', place, message);
}

export const lintFetcherHeaders = ({ fetchers, crawlers }: ServerDefinition): Problem[] =>
  fetchers.flatMap(({ name, secretHeaders: secret, place }) => {
    const users = crawlers.filter(({ fetcher }) => fetcher === name);
    if (secret.length === 0 || isOneSite(users.flatMap(({ roots }) => roots))) return [];
    const message = `Header ${secret.join(', ')} of Fetcher ${name} has no url, so it is sent to ${HOW} only; set url to the prefix for which it is meant`;
    return place ? [createLintWarning('credentials-unbound', place, message)] : [];
  });

/** Whether all roots are on one host, apart from `www.` and the scheme. */
function isOneSite(roots: readonly RootDefinition[]): boolean {
  const hosts = new Set([...findRootServers(roots)].map((server) => URL.parse(server)?.host.replace(/^www\./, '')));
  return hosts.size === 1;
}
