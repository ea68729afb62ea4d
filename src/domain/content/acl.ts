/**
 * Who may see a document: principals (users, groups) that a security-trimmed search compares with those of the
 * searcher. Pure functions; docs/ACL.md describes where principals come from.
 */
import { PrefixTable } from '../policy/prefix-table.js';
import { toRecordPrefix } from '../policy/server-records.js';
import type { Meta } from '../push/order.js';
import type { AclDefinition, AclRule } from './acl-definition.js';

export type { AclDefinition, AclRule } from './acl-definition.js';

export interface Acl {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The parts of a page that may contain principals. */
export interface AclPage {
  readonly href: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names in lower case; a name may occur several times. */
  readonly metas: readonly { readonly name: string; readonly value: string }[];
}

export type AclReader = (page: AclPage) => Acl;

export const ACL_ALLOW = 'acl_allow';
export const ACL_DENY = 'acl_deny';

const MOST_PRINCIPALS = 1_000;
const LONGEST_PRINCIPAL = 256;

/**
 * Principals in a text, separated by commas, semicolons or line breaks, but not by spaces, which group names may
 * contain.
 */
export const parsePrincipals = (text: string | undefined): string[] =>
  (text ?? '')
    .split(/[,;\r\n]/, MOST_PRINCIPALS)
    .map((name) => name.trim())
    .filter((name) => name !== '' && name.length <= LONGEST_PRINCIPAL);

/** Rules, headers and metas are combined; the default applies if none of them allows anyone. */
export function compileAcl(definition: AclDefinition): AclReader {
  const rules = new PrefixTable(definition.rules.map((rule) => [toRecordPrefix(rule.prefix), rule] as const));
  const { allowHeader, denyHeader, allowMeta, denyMeta } = definition;
  return ({ href, headers, metas }) => {
    const rule = rules.findLongest(href);
    const headerPrincipals = (name: string | undefined): string[] =>
      name === undefined ? [] : parsePrincipals(headers[name]);
    const metaPrincipals = (name: string | undefined): string[] =>
      name === undefined ? [] : metas.filter((one) => one.name === name).flatMap(({ value }) => parsePrincipals(value));
    const allow = removeDuplicates([
      ...(rule?.allow ?? []),
      ...headerPrincipals(allowHeader),
      ...metaPrincipals(allowMeta),
    ]);
    const deny = removeDuplicates([
      ...(rule?.deny ?? []),
      ...headerPrincipals(denyHeader),
      ...metaPrincipals(denyMeta),
    ]);
    return { allow: allow.length > 0 ? allow : definition.default, deny };
  };
}

/** Whether rules alone decide who may see a document, so that no page has to be fetched for it. */
export const isDecidedByRules = ({ allowHeader, denyHeader, allowMeta, denyMeta }: AclDefinition): boolean =>
  [allowHeader, denyHeader, allowMeta, denyMeta].every((source) => source === undefined);

/** Replaces the principals in `metas` with these; returns the same list if nothing differs. */
export function addPrincipals(metas: readonly Meta[], { allow, deny }: Acl): readonly Meta[] {
  const isPrincipal = ({ name }: Meta): boolean => name === ACL_ALLOW || name === ACL_DENY;
  const wanted = [
    ...allow.map((value): Meta => ({ name: ACL_ALLOW, value })),
    ...deny.map((value): Meta => ({ name: ACL_DENY, value })),
  ];
  const before = new Set(metas.filter(isPrincipal).map(keyOf));
  if (before.size === wanted.length && wanted.every((meta) => before.has(keyOf(meta)))) return metas;
  return [...metas.filter((meta) => !isPrincipal(meta)), ...wanted];
}

const keyOf = ({ name, value }: Meta): string => `${name} ${value}`;

const removeDuplicates = (names: readonly string[]): string[] => [...new Set(names)].slice(0, MOST_PRINCIPALS);

export interface AclFileProblem {
  readonly line: number;
  readonly message: string;
}

/** Lines `allow|deny PREFIX principal, principal`; `#` begins a comment. Lines with the same prefix are combined. */
export function parseAclFile(text: string): {
  readonly rules: readonly AclRule[];
  readonly problems: readonly AclFileProblem[];
} {
  const rules = new Map<string, { allow: string[]; deny: string[] }>();
  const problems: AclFileProblem[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const written = line.trim();
    if (written === '' || written.startsWith('#')) continue;
    const [, verdict, prefix, names] = /^(allow|deny)[ \t]+(https?:\/\/\S+)[ \t]+(\S.*)$/i.exec(written) ?? [];
    if (verdict === undefined || prefix === undefined) {
      problems.push({
        line: index + 1,
        message: 'write `allow` or `deny`, a URL prefix, and principals separated by commas',
      });
      continue;
    }
    const rule = rules.get(prefix) ?? { allow: [], deny: [] };
    rule[verdict.toLowerCase() as 'allow' | 'deny'].push(...parsePrincipals(names));
    rules.set(prefix, rule);
  }
  return { rules: [...rules].map(([prefix, { allow, deny }]) => ({ prefix, allow, deny })), problems };
}
