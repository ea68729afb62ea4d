/** Demands that no canonical URL can meet: a path without slash, a query with a question mark, a host with a port … */
import type { Fact } from './facts.js';

type Form = (fact: Fact, protocols: readonly string[]) => string | undefined;

const begins = ({ kind }: Fact): boolean => kind === 'exact' || kind === 'prefix';

const FORMS: Readonly<Record<Fact['field'], Form>> = {
  scheme: ({ kind, text }, protocols) =>
    kind === 'exact' && !protocols.includes(text) ? `scheme "${text}" is none of ${protocols.join(', ')}` : undefined,
  host: ({ text }) => {
    if (text.includes('/')) return `host "${text}" has a slash: a host is a name such as www.example.com`;
    return text.includes(':') && !/[[\]]/.test(text)
      ? `host "${text}" has a port, which is no part of the host`
      : undefined;
  },
  path: (fact) => {
    if (begins(fact) && fact.text !== '' && !fact.text.startsWith('/')) return `path "${fact.text}" must begin with /`;
    return fact.text.includes('?')
      ? `path "${fact.text}" has a question mark, which is no part of the path`
      : undefined;
  },
  query: (fact) =>
    begins(fact) && fact.text.startsWith('?') ? `query "${fact.text}" must be written without its ?` : undefined,
  fragment: (fact) =>
    begins(fact) && fact.text.startsWith('#') ? `fragment "${fact.text}" must be written without its #` : undefined,
  url: (fact) => (begins(fact) ? urlForm(fact) : undefined),
};

function urlForm({ kind, text, norm }: Fact): string | undefined {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(text) ?? [];
  if (authority === undefined)
    return beginsLikeUrl(text) ? undefined : `URL "${text}" must begin with http:// or https://`;
  if (norm === 'none' && authority !== authority.toLowerCase()) return `URL "${text}" must have its host in lower case`;
  if (rest.includes('#')) return `URL "${text}" has a fragment, which canonical URLs have not`;
  return kind === 'exact' && rest === '' ? `URL "${text}" must end with / after the host` : undefined;
}

const beginsLikeUrl = (text: string): boolean => 'http://'.startsWith(text) || 'https://'.startsWith(text);

/** Why nothing can meet the fact; undefined when something can. */
export function impossible(fact: Fact, protocols: readonly string[]): string | undefined {
  return fact.kind === 'opaque' ? undefined : FORMS[fact.field](fact, protocols);
}
