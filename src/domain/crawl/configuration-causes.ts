/**
 * Which failures have their cause in which parts of the configuration. When one of these parts changes, the URLs that
 * failed because of it are visited again, instead of at the time of their next regular visit.
 */
import type { Reason } from '../policy/reasons.js';
import type { CrawlerDefinition, ServerDefinition } from './definition.js';
import type { FetcherDefinition } from './fetcher-definition.js';
import type { ConditionRule, ServerParameters, UrlOptions } from './policy-definition.js';
import { covers } from './quota-definition.js';

export interface ConfigurationCause {
  readonly name: string;
  /** What URLs fail with. */
  readonly reasons: readonly Reason[];
  /** What the failure depends on, as values that can be serialized. */
  readonly settings: unknown;
}

interface CauseRow {
  readonly reasons: readonly Reason[];
  readonly fetcher?: readonly (keyof FetcherDefinition)[];
  readonly options?: readonly (keyof UrlOptions)[];
  readonly records?: readonly (keyof ServerParameters)[];
  readonly crawler?: readonly (keyof CrawlerDefinition)[];
  readonly server?: readonly (keyof ServerDefinition)[];
}

const CAUSES: Readonly<Record<string, CauseRow>> = {
  addresses: {
    reasons: ['address-forbidden'],
    fetcher: ['allowedAddresses', 'proxies'],
    options: ['proxy', 'fetcher'],
    records: ['alias'],
  },
  route: {
    reasons: [
      'proxy-failed',
      'dns-not-found',
      'dns-no-answer',
      'connection-refused',
      'connection-failed',
      'network-unreachable',
      'connect-timeout',
    ],
    fetcher: ['proxies', 'connectTimeout'],
    options: ['proxy', 'fetcher', 'connectTimeout'],
    records: ['alias'],
  },
  access: {
    reasons: [
      'http-401',
      'payment-required',
      'http-403',
      'http-4xx',
      'http-406',
      'bot-challenge',
      'login-failed',
      'login-wall',
      'tls-client-certificate',
    ],
    fetcher: [
      'userAgent',
      'headers',
      'secretHeaders',
      'secretServers',
      'boundHeaders',
      'credentials',
      'logins',
      'cookies',
      'botAuth',
      'proxies',
    ],
    options: ['userAgent', 'headers', 'credentials', 'login', 'proxy', 'fetcher'],
    records: ['authentication', 'alias'],
  },
  moves: {
    reasons: ['move-undecided'],
    crawler: ['followMoves'],
  },
  certificates: {
    reasons: ['tls-expired', 'tls-name', 'tls-untrusted', 'tls-failed'],
    fetcher: ['certificateAuthorities', 'verifyCertificates', 'proxies'],
    options: ['proxy', 'fetcher'],
  },
  limits: {
    reasons: ['body-too-large', 'redirect-limit', 'read-timeout'],
    fetcher: ['maxSize', 'maxRedirects', 'headerTimeout', 'bodyTimeout', 'totalTimeout'],
    options: ['maxSize', 'readTimeout', 'totalTimeout', 'fetcher'],
    records: ['readTimeout', 'documentTimeout'],
  },
  robots: {
    reasons: ['robots-disallowed', 'robots-unreachable', 'noindex', 'unavailable-after', 'search-not-allowed'],
    fetcher: ['robotsAgent', 'userAgent'],
    options: ['obeyRobots', 'userAgent', 'fetcher'],
    records: ['robots'],
    crawler: ['ignoreRobotsTxt'],
  },
  reading: {
    reasons: ['mime-type-excluded', 'soft-error', 'extractor-unavailable', 'plugin-failed', 'excluded-by-plugin'],
    crawler: ['mimeTypes', 'mimeTypesMode', 'softErrors'],
    server: ['extractors', 'plugins'],
  },
};

export function listConfigurationCauses(crawler: CrawlerDefinition, server: ServerDefinition): ConfigurationCause[] {
  const optionSets = listOptions(crawler);
  const names = new Set([crawler.fetcher, ...optionSets.flatMap(({ options }) => options.fetcher ?? [])]);
  const fetchers = server.fetchers.filter(({ name }) => names.has(name));
  const records = crawler.servers?.records ?? [];
  const quotas = (server.quotas ?? []).filter((quota) => covers(quota, crawler.name));
  const quotaCause = {
    name: 'quotas',
    reasons: ['quota-documents', 'quota-rendering'] as const,
    settings: quotas.map(({ limits }) => [limits.documents, limits.rendering]),
  };
  const causes = Object.entries(CAUSES).map(([name, row]) => ({
    name,
    reasons: row.reasons,
    settings: [
      fetchers.map((fetcher) => pick(fetcher, row.fetcher)),
      optionSets.flatMap(({ rule, options }) => withSettings(rule, pick(options, row.options))),
      (row.records ? records : []).flatMap(({ url, parameters }) => withSettings(url, pick(parameters, row.records))),
      pick(crawler, row.crawler),
      pick(server, row.server),
      row.crawler?.includes('ignoreRobotsTxt') ? crawler.linkRules.rogue : undefined,
    ],
  }));
  return [...causes, quotaCause];
}

/** The options of all conditions, each with the test on which it depends. */
function listOptions({ conditions }: CrawlerDefinition): { rule: unknown; options: UrlOptions }[] {
  if (!conditions) return [];
  const listOf = (rules: readonly ConditionRule[]): { rule: unknown; options: UrlOptions }[] =>
    rules.flatMap(({ kind, test, options, children }) => [{ rule: [kind, test], options }, ...listOf(children)]);
  return [{ rule: 'all', options: conditions.options }, ...listOf(conditions.rules)];
}

const pick = <T extends object>(source: T, keys: readonly (keyof T)[] = []): unknown[] =>
  keys.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key]]]));

const withSettings = (owner: unknown, settings: readonly unknown[]): unknown[] =>
  settings.length === 0 ? [] : [[owner, settings]];
