/**
 * Finds the rule that says who may see a page. A page has many spellings, and whoever can place a link chooses one:
 * rules and pages are therefore compared in a folded form, in which spellings that servers treat alike are equal.
 */
import { PrefixTable } from '../policy/prefix-table.js';
import { toRecordPrefix } from '../policy/server-records.js';
import { flatMapInSteps, forEachInSteps, runAtOnce, type Steps } from '../steps.js';
import { decodePercent } from '../url/decode-percent.js';
import { toUnicodeHost } from '../url/unicode-host.js';
import type { AclRule } from './acl-definition.js';

export interface AclRules {
  /** The rule with the longest matching prefix. */
  find(href: string): Pick<AclRule, 'allow' | 'deny'> | undefined;
  /** Whether the page's host has rules of its own, on any port, or may be another name of a host that has. */
  coversHost(href: string): boolean;
}

type Principals = Pick<AclRule, 'allow' | 'deny'>;

export const compileAclRules = (definitions: readonly AclRule[]): AclRules =>
  runAtOnce(compileAclRulesInSteps(definitions));

/** Of several rules with the same prefix the last one applies. */
export function* compileAclRulesInSteps(definitions: readonly AclRule[]): Steps<AclRules> {
  const byPrefix = new Map<string, AclRule>();
  yield* forEachInSteps(definitions, (rule) => byPrefix.set(toRecordPrefix(rule.prefix), rule));
  const rules = yield* flatMapInSteps(byPrefix, ([prefix, rule]): CompiledRule[] => {
    const url = URL.parse(prefix);
    return url ? [{ prefix, url, rule }] : [];
  });
  const hosts = new RuledHosts(yield* flatMapInSteps(rules, ({ url }) => [foldHost(url.hostname)]));
  const tables: { readonly fold: Fold; readonly table: PrefixTable<Principals> }[] = [];
  for (const fold of FOLDS) tables.push({ fold, table: yield* createTable(rules, fold) });
  const findByQuery = yield* compileQueryRules(rules);
  const findByShortName = yield* compileShortNameRules(rules);
  return {
    find: (href) => {
      const url = URL.parse(href);
      if (!url) return undefined;
      const found = new Set(
        tables.flatMap(({ fold, table }) => {
          const { asResolved, asWritten } = foldUrl(url, fold, true);
          return [asResolved, ...(asWritten === asResolved ? [] : [asWritten])].map((key) => table.findLongest(key));
        }),
      );
      for (const rule of [...findByQuery(url), ...findByShortName(url)]) found.add(rule);
      return [...found].reduce(combine);
    },
    coversHost: (href) => hosts.cover(foldHost(URL.parse(href)?.hostname ?? '')),
  };
}

interface CompiledRule {
  readonly prefix: string;
  readonly url: URL;
  readonly rule: Principals;
}

function* createTable(definitions: readonly CompiledRule[], fold: Fold): Steps<PrefixTable<Principals>> {
  const rules = new Map<string, Principals>();
  yield* forEachInSteps(definitions, ({ prefix, url, rule }) => {
    const key = isHostOnly(prefix) ? foldServer(url) : foldUrl(url, fold, url.search !== '').asResolved;
    const namesake = rules.get(key);
    rules.set(key, namesake ? combine(namesake, rule) : rule);
  });
  return yield* PrefixTable.create(rules);
}

/** Parameters may be in any order: finds the rules whose parameters are all among those of a page, the last one as a prefix. */
function* compileQueryRules(definitions: readonly CompiledRule[]): Steps<(url: URL) => readonly Principals[]> {
  const rules = yield* flatMapInSteps(definitions, ({ url, rule }) =>
    url.search === '' ? [] : [{ path: foldPath(url), parameters: splitQuery(url), rule }],
  );
  const byPath = Map.groupBy(rules, ({ path }) => path);
  return (url) => {
    if (byPath.size === 0 || url.search === '') return [];
    const parameters = splitQuery(url);
    const named = new Set(parameters);
    return (byPath.get(foldPath(url)) ?? [])
      .filter(({ parameters: wanted }) => {
        const last = wanted.at(-1) ?? '';
        return wanted.slice(0, -1).every((name) => named.has(name)) && parameters.some((name) => name.startsWith(last));
      })
      .map(({ rule }) => rule);
  };
}

const foldPath = (url: URL): string => {
  const { asResolved } = foldUrl(url, foldLoosely, true);
  return asResolved.split('?', 1)[0] ?? '';
};

const splitQuery = ({ search }: URL): string[] => search.slice(1).split('&').map(foldLoosely);

/** A second name that Windows gives to files and folders with a longer one: `PERSON~1` for `personnel files` (also `PE3F2A~1`). */
const SHORT_NAME = /^[^/.~]{1,6}~\d{1,6}(?:\.[^/.]{0,3})?$/;
/** Names that have no second one. */
const NAME_OF_8_3 = /^[^/. ]{1,8}(?:\.[^/. ]{1,3})?$/;

/** Finds the rules of all folders to which a path with short names may lead. */
function* compileShortNameRules(definitions: readonly CompiledRule[]): Steps<(url: URL) => readonly Principals[]> {
  const compiledRules = yield* flatMapInSteps(definitions, ({ url, rule }) => {
    const isOpen = !url.pathname.endsWith('/');
    const names = splitPath(url).map((text, i, { length }): RuleName => ({ text, isOpen: isOpen && i === length - 1 }));
    return [{ server: foldServer(url), names, rule }];
  });
  const byServer = Map.groupBy(compiledRules, ({ server }) => server);
  return (url) => {
    if (!/~|%(?:25)*7e/i.test(url.pathname)) return [];
    const names = splitPath(url);
    const isShort = names.map((name) => SHORT_NAME.test(name));
    if (!isShort.includes(true)) return [];
    const rules = byServer.get(foldServer(url)) ?? [];
    return rules
      .filter((rule) => {
        const isPlain = rule.names.map((name, i) => isBeginningOf(name, names[i] ?? ''));
        // Where no short name is needed, the longest prefix decides.
        return (
          isPlain.includes(false) &&
          rule.names.every((name, i) => isPlain[i] || (isShort[i] && isShortFor(names[i]!, name)))
        );
      })
      .map(({ rule }) => rule);
  };
}

/** A name in the path of a rule; an open one is the beginning of longer ones. */
interface RuleName {
  readonly text: string;
  readonly isOpen: boolean;
}

const splitPath = (url: URL): string[] =>
  foldPath(url)
    .split('/')
    .slice(1)
    .filter((name) => name !== '');

const isBeginningOf = ({ text, isOpen }: RuleName, name: string): boolean =>
  name === text || (isOpen && name.startsWith(text));

/** Letters that short names cannot contain are replaced in them. */
const isShortFor = (short: string, { text, isOpen }: RuleName): boolean =>
  (isOpen || !NAME_OF_8_3.test(text)) && (!/^[a-z0-9]/.test(short) || short.charAt(0) === /[^. ]/.exec(text)?.[0]);

/** Whoever both rules allow; nobody if one of them is missing. */
const combine = (a: Principals | undefined, b: Principals | undefined): Principals => ({
  allow: (a?.allow ?? []).filter((name) => b?.allow.includes(name)),
  deny: [...(a?.deny ?? []), ...(b?.deny ?? [])],
});

const isHostOnly = (prefix: string): boolean => /^[a-z]+:\/\/[^/?#]*$/i.test(prefix);

/** With letters as people write them: the beginning of a name in punycode is not that of a longer one. */
const foldHost = (hostname: string): string =>
  removeEnd(toUnicodeHost(hostname.toLowerCase()).replace(/^(?:www\.)+/, ''), '.');

/** Ends of names that only a network of its own knows (RFC 6762, appendix G). */
const PRIVATE_ENDS = new Set(['local', 'localdomain', 'internal', 'intranet', 'private', 'corp', 'home', 'lan']);

/**
 * Hosts with rules. One may have other names: any address, and in its own network names that begin like it, such as `wiki`
 * and `wiki.corp` beside `wiki.example.com`.
 */
class RuledHosts {
  private readonly hosts: ReadonlySet<string>;
  private readonly firstLabels: ReadonlySet<string>;
  private readonly firstPrivateLabels: ReadonlySet<string>;

  constructor(hosts: readonly string[]) {
    this.hosts = new Set(hosts);
    this.firstLabels = new Set(hosts.map(getFirstLabel));
    this.firstPrivateLabels = new Set(hosts.filter(isPrivateName).map(getFirstLabel));
  }

  /** Names below that of a host lead to it as well if its name server answers for all of them; not below a whole domain. */
  private isBelow(host: string): boolean {
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const parent = host.slice(dot + 1);
      if (this.hosts.has(parent) && parent.split('.').length > 2) return true;
    }
    return false;
  }

  cover(host: string): boolean {
    if (this.hosts.has(host)) return true;
    if (this.hosts.size > 0 && isAddress(host)) return true;
    if (this.isBelow(host)) return true;
    return (isPrivateName(host) ? this.firstLabels : this.firstPrivateLabels).has(getFirstLabel(host));
  }
}

const getFirstLabel = (host: string): string => host.split('.', 1)[0] ?? '';

const isPrivateName = (host: string): boolean =>
  !host.includes('.') || PRIVATE_ENDS.has(host.slice(host.lastIndexOf('.') + 1));

const isAddress = (host: string): boolean =>
  host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host) || host === 'localhost' || host.endsWith('.localhost');

const foldServer = ({ hostname, port }: URL): string => foldHost(hostname) + (port === '' ? '' : `:${port}`);

interface FoldedUrl {
  readonly asResolved: string;
  /** Encoded dot segments, which only some servers resolve, are taken as names. */
  readonly asWritten: string;
}

/** @param isWhole whether the path is complete, so that it is the same page with a slash at its end */
function foldUrl(url: URL, fold: Fold, isWhole: boolean): FoldedUrl {
  const server = foldServer(url);
  // A question mark in the path must not look like the beginning of the query.
  const isLoose = fold === foldLoosely;
  const folded = fold(url.pathname).replaceAll('\\', '/');
  const path = isLoose ? folded.split(/[?#]/, 1)[0]! : folded.replaceAll('?', '%3f');
  const trim = isLoose ? trimName : (name: string) => name;
  const segments = path.split('/').map((segment) => trim(segment.split(';', 1)[0] ?? ''));
  const endsInSlash = isWhole || segments.at(-1) === '';
  const names = segments.filter((segment) => segment !== '' && segment !== '.');
  const query = url.search === '' ? '' : fold(url.search);
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

type Fold = (text: string) => string;

/** Percent-encoding, letter case, compatibility forms (`ｈｒ`) and control characters make no difference. */
const foldText: Fold = (text) =>
  text
    .replace(/%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/gi, decodePercent)
    .normalize('NFKC')
    .replace(/\p{Cc}/gu, '')
    .toLowerCase();

/** Servers decode at most this often. */
const MAX_DECODINGS = 3;

/** As by servers that decode several times, or ignore accents and invisible characters as databases do. */
const foldLoosely: Fold = (text) => {
  let folded = text
    // What IIS reads as UTF-16, and UTF-8 that is longer than allowed.
    .replace(/%u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/%c([01])%([89ab][0-9a-f])/gi, (_, high: string, low: string) =>
      String.fromCharCode((Number(high) << 6) | (Number.parseInt(low, 16) & 0x3f)),
    )
    .replaceAll('+', ' ');
  for (let i = 0; i < MAX_DECODINGS; i++) {
    const decoded = foldText(folded);
    if (decoded === folded) break;
    folded = decoded;
  }
  return folded
    .normalize('NFKD')
    .replace(/[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .toUpperCase()
    .toLowerCase();
};

/** The name of a file or folder without what servers ignore: blanks around it, dots at its end, and the name of its default stream. */
const trimName: Fold = (name) => {
  if (name === '.' || name === '..') return name;
  const stream = name.lastIndexOf('$');
  const isStream = stream > 0 && name.charAt(stream - 1) === ':' && /^\w+$/.test(name.slice(stream + 1));
  return removeEnd(isStream ? name.slice(0, stream) : name, '. :').trimStart();
};

/** Without a pattern, which would take quadratic time. */
function removeEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A page has to be allowed by what is found in either way. */
const FOLDS: readonly Fold[] = [foldText, foldLoosely];
