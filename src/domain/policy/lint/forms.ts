/**
 * Finds requirements that no canonical URL can satisfy, such as a path without a slash, a query with a question mark or
 * a host with a port.
 */
import { isHashRoute } from '../../url/crawl-url.js';
import type { Clauses } from './clauses.js';
import type { Fact } from './facts.js';

type FaultFinder = (fact: Fact, protocols: readonly string[]) => string | undefined;

const isAnchoredAtStart = ({ kind }: Fact): boolean => kind === 'exact' || kind === 'prefix';

const FAULT_FINDERS: Readonly<Record<Fact['field'], FaultFinder>> = {
  scheme: ({ kind, text }, protocols) =>
    kind === 'exact' && !protocols.includes(text)
      ? `scheme "${text}" is not one of ${protocols.join(', ')}`
      : undefined,
  host: findHostFault,
  path: (fact) => {
    if (isAnchoredAtStart(fact) && fact.text !== '' && !fact.text.startsWith('/'))
      return `path "${fact.text}" must begin with /`;
    return fact.text.includes('?')
      ? `path "${fact.text}" contains a question mark, which is not part of the path`
      : undefined;
  },
  query: (fact) =>
    isAnchoredAtStart(fact) && fact.text.startsWith('?')
      ? `query "${fact.text}" must be written without its ?`
      : undefined,
  fragment: (fact) =>
    isAnchoredAtStart(fact) && fact.text.startsWith('#')
      ? `fragment "${fact.text}" must be written without its #`
      : undefined,
  url: (fact) => (isAnchoredAtStart(fact) ? findUrlFault(fact) : undefined),
};

function findHostFault({ kind, text }: Fact): string | undefined {
  if (text.includes('/')) return `host "${text}" contains a slash: a host is a name such as www.example.com`;
  if (text.includes(':') && !/[[\]]/.test(text)) return `host "${text}" contains a port, which is not part of the host`;
  if (text.includes('@')) return `host "${text}" contains an at sign, which is not part of a host`;
  const hasKnownStart = kind === 'exact' || kind === 'prefix' || kind === 'domain';
  if (hasKnownStart && text.startsWith('.')) return `host "${text}" begins with a dot, which no host does`;
  return kind === 'exact' && text !== '' && !URL.canParse(`http://${text}/`)
    ? `host "${text}" is not a valid host name`
    : undefined;
}

function findUrlFault({ text }: Fact): string | undefined {
  const [beginning = '', authority] = /^https?:\/\/([^/?#]*)/i.exec(text) ?? [];
  const rest = text.slice(beginning.length);
  if (authority === undefined)
    return isStartOfScheme(text) ? undefined : `URL "${text}" must begin with http:// or https://`;
  if (rest.includes('#') && !isHashRoute(rest.slice(rest.indexOf('#') + 1)))
    return `URL "${text}" has a fragment, which canonical URLs do not have`;
  return findAuthorityFault(text, authority, rest !== '');
}

/** @param isComplete whether a path follows, so that host and port are complete */
function findAuthorityFault(text: string, authority: string, isComplete: boolean): string | undefined {
  if (isComplete && authority === '') return `URL "${text}" has no host`;
  if (authority.includes('*')) return `URL "${text}" has an asterisk in its host, which no host contains`;
  const [, name = authority, port = ''] = /^(.*?):(\d*)$/.exec(authority) ?? [];
  if (name.startsWith('.')) return `URL "${text}" has a host that begins with a dot, which no host does`;
  if (Number(port) > 65_535) return `URL "${text}" has the port ${port}, but the highest is 65535`;
  return isComplete && !URL.canParse(`http://${authority}/`) ? `URL "${text}" has a host that cannot exist` : undefined;
}

const isStartOfScheme = (text: string): boolean => 'http://'.startsWith(text) || 'https://'.startsWith(text);

/** Why nothing can satisfy the fact; undefined if something can. */
export function findFactFault(fact: Fact, protocols: readonly string[]): string | undefined {
  return fact.kind === 'opaque' ? undefined : FAULT_FINDERS[fact.field](fact, protocols);
}

/** Why no URL can satisfy any of the clauses; undefined if one can. */
export function findClausesFault(clauses: Clauses, protocols: readonly string[]): string | undefined {
  const reasons = clauses.map((clause) => clause.map((fact) => findFactFault(fact, protocols)).find(Boolean));
  return reasons.every(Boolean) ? reasons[0] : undefined;
}
