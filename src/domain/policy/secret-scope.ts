/**
 * Where the credentials and secret headers of a condition are sent: to the servers (scheme, host and port) that the
 * condition names and to those of the roots in the configuration, whatever else the condition matches. A condition on a
 * path, for example, matches every host.
 */
import type { RootDefinition } from '../crawl/definition.js';
import type { ConditionRule, ConditionTest, UrlOptions } from '../crawl/policy-definition.js';
import { isSecretHeader } from '../redact.js';
import { splitWildcards } from './matching/wildcard.js';
import { findServer } from './server-records.js';
import { computeSitePrefixes } from './site-mode.js';

export type Servers = ReadonlySet<string>;

const NO_SERVERS: Servers = new Set();

/** Servers that a condition names. */
export interface NamedServers {
  readonly servers: Servers;
  /** Whether the condition also matches URLs of servers that it does not name. */
  readonly matchesOthers: boolean;
}

export const NO_NAMED_SERVERS: NamedServers = { servers: NO_SERVERS, matchesOthers: true };

/** The servers that the condition itself names; if it names none, those of the enclosing condition. */
export function findNamedServers(
  { kind, test }: Pick<ConditionRule, 'kind' | 'test'>,
  outer: NamedServers,
): NamedServers {
  if (kind !== 'apply-for') return outer;
  const namedServers = splitAlternatives(test).map((text) => findServers(test, text));
  const servers = new Set(namedServers.flat());
  return servers.size === 0
    ? outer
    : { servers, matchesOthers: outer.matchesOthers && namedServers.some((serverUrls) => serverUrls.length === 0) };
}

const splitAlternatives = ({ type, value }: ConditionTest): readonly string[] =>
  type === 'wildcard-set' ? splitWildcards(value) : [value.trim()];

const URL_WILDCARD = /^(https?):\/\/([^/*?#]+)(?:\/|$)/i;
const URL_EXPRESSION = /^\^(https\??|http):(?:\\?\/){2}((?:[\w-]|\\?\.)+(?::\d+)?)(?:\\?\/|\$|$)/i;
const HOST_WILDCARD = /^[^*?/:]+$/;
const HOST_EXPRESSION = /^\^((?:[\w-]|\\?\.)+)\$$/;

function findServers({ type, field }: ConditionTest, text: string): readonly string[] {
  const isExpression = type === 'regex';
  if (field === 'host') {
    const host = isExpression ? HOST_EXPRESSION.exec(text)?.[1] : HOST_WILDCARD.exec(text)?.[0];
    return host === undefined ? [] : createServerUrls(['http', 'https'], host);
  }
  if (field !== 'url') return [];
  const [, scheme, host] = (isExpression ? URL_EXPRESSION : URL_WILDCARD).exec(text) ?? [];
  if (scheme === undefined || host === undefined) return [];
  return createServerUrls(scheme.endsWith('?') ? ['http', 'https'] : [scheme], host);
}

const createServerUrls = (schemes: readonly string[], host: string): string[] =>
  schemes.flatMap((scheme) => findServer(`${scheme}://${host.replaceAll('\\', '')}/`) ?? []);

/** Finds the servers of the sites of the roots in the configuration; submitted roots are not included. */
export function findRootServers(roots: readonly RootDefinition[]): Servers {
  const prefixes = roots.flatMap(({ url, site }) => {
    const href = URL.parse(url)?.href;
    return href === undefined ? [] : [href, ...(site ? computeSitePrefixes(href) : [])];
  });
  return new Set(prefixes.flatMap((prefix) => findServer(prefix) ?? []));
}

export const hasSecrets = ({ credentials, headers }: UrlOptions): boolean =>
  credentials !== undefined || Object.keys(headers ?? {}).some(isSecretHeader);

/** The options without secrets, for servers that must not receive them. */
export function omitSecrets({ credentials: _, headers, ...options }: UrlOptions): UrlOptions {
  if (!headers) return options;
  return { ...options, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecretHeader(name))) };
}
