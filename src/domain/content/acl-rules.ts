/**
 * Finds the rule that says who may see a page. A page has many spellings, and whoever can place a link chooses one:
 * rules and pages are therefore compared in a folded form, in which spellings that servers treat alike are equal.
 */
import { PrefixTable } from '../policy/prefix-table.js';
import { toRecordPrefix } from '../policy/server-records.js';
import { decodePercent } from '../url/decode-percent.js';
import type { AclRule } from './acl-definition.js';

export interface AclRules {
  /** The rule with the longest matching prefix. */
  find(href: string): Pick<AclRule, 'allow' | 'deny'> | undefined;
  /** Whether the page's host has rules of its own, on any port. */
  coversHost(href: string): boolean;
}

type Principals = Pick<AclRule, 'allow' | 'deny'>;

/** Of several rules with the same prefix the last one applies. */
export function compileAclRules(definitions: readonly AclRule[]): AclRules {
  const rules = new Map<string, Principals>();
  const hosts = new Set<string>();
  for (const [prefix, rule] of new Map(definitions.map((rule) => [toRecordPrefix(rule.prefix), rule] as const))) {
    const url = URL.parse(prefix);
    if (!url) continue;
    const host = foldHost(url.hostname);
    hosts.add(host);
    const key = isHostOnly(prefix) ? host + foldPort(url) : foldUrl(url, url.search !== '').asResolved;
    const namesake = rules.get(key);
    rules.set(key, namesake ? combine(namesake, rule) : rule);
  }
  const table = new PrefixTable(rules);
  return {
    find: (href) => {
      const url = URL.parse(href);
      if (!url) return undefined;
      const { asResolved, asWritten } = foldUrl(url, true);
      const rule = table.findLongest(asResolved);
      const otherRule = asResolved === asWritten ? rule : table.findLongest(asWritten);
      return rule === otherRule ? rule : combine(rule, otherRule);
    },
    coversHost: (href) => hosts.has(foldHost(URL.parse(href)?.hostname ?? '')),
  };
}

/** Whoever both rules allow; nobody if one of them is missing. */
const combine = (a: Principals | undefined, b: Principals | undefined): Principals => ({
  allow: (a?.allow ?? []).filter((name) => b?.allow.includes(name)),
  deny: [...(a?.deny ?? []), ...(b?.deny ?? [])],
});

const isHostOnly = (prefix: string): boolean => /^[a-z]+:\/\/[^/?#]*$/i.test(prefix);

const foldHost = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.$/, '');

const foldPort = ({ port }: URL): string => (port === '' ? '' : `:${port}`);

interface FoldedUrl {
  readonly asResolved: string;
  /** Encoded dot segments, which only some servers resolve, are taken as names. */
  readonly asWritten: string;
}

/** @param isWhole whether the path is complete, so that it is the same page with a slash at its end */
function foldUrl(url: URL, isWhole: boolean): FoldedUrl {
  const server = foldHost(url.hostname) + foldPort(url);
  // A question mark in the path must not look like the beginning of the query.
  const path = foldText(url.pathname).replaceAll('\\', '/').replaceAll('?', '%3f');
  const segments = path.split('/').map((segment) => segment.split(';', 1)[0] ?? '');
  const endsInSlash = isWhole || segments.at(-1) === '';
  const names = segments.filter((segment) => segment !== '' && segment !== '.');
  const query = url.search === '' ? '' : foldText(url.search);
  const join = (parts: readonly string[]): string =>
    `${server}/${parts.join('/')}${endsInSlash && parts.length > 0 ? '/' : ''}${query}`;
  const asWritten = join(names);
  return { asWritten, asResolved: names.includes('..') ? join(resolveDots(names)) : asWritten };
}

function resolveDots(segments: readonly string[]): string[] {
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === '..') resolved.pop();
    else resolved.push(segment);
  }
  return resolved;
}

/** Percent-encoding, letter case, compatibility forms (`ｈｒ`) and control characters make no difference. */
const foldText = (text: string): string =>
  text
    .replace(/%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/gi, decodePercent)
    .normalize('NFKC')
    .replace(/\p{Cc}/gu, '')
    .toLowerCase();
