/**
 * Who may see a document: principals (users, groups) that a security-trimmed search compares with those of the
 * searcher. Pure functions; docs/acl.md describes where principals come from.
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

const MAX_PRINCIPALS = 1_000;
const MAX_PRINCIPAL_LENGTH = 256;

/**
 * Reads the principals in a text. They are separated by commas, semicolons or line breaks, but not by spaces, which
 * group names may contain.
 */
export const parsePrincipals = (text: string | undefined): string[] =>
  (text ?? '')
    .split(/[,;\r\n]/, MAX_PRINCIPALS)
    .map((name) => name.trim())
    .filter((name) => name !== '' && name.length <= MAX_PRINCIPAL_LENGTH);

/** The principals of rules, headers and metas are combined; the default applies if none of them allows anyone. */
export function compileAcl(definition: AclDefinition): AclReader {
  const rules = new PrefixTable(definition.rules.map((rule) => [toRecordPrefix(rule.prefix), rule] as const));
  const { allowHeader, denyHeader, allowMeta, denyMeta } = definition;
  return ({ href, headers, metas }) => {
    const rule = rules.findLongest(href);
    const readHeaderPrincipals = (name: string | undefined): string[] =>
      name === undefined ? [] : parsePrincipals(headers[name]);
    const readMetaPrincipals = (name: string | undefined): string[] =>
      name === undefined
        ? []
        : metas.filter((meta) => meta.name === name).flatMap(({ value }) => parsePrincipals(value));
    const allow = removeDuplicates([
      ...(rule?.allow ?? []),
      ...readHeaderPrincipals(allowHeader),
      ...readMetaPrincipals(allowMeta),
    ]);
    const deny = removeDuplicates([
      ...(rule?.deny ?? []),
      ...readHeaderPrincipals(denyHeader),
      ...readMetaPrincipals(denyMeta),
    ]);
    return { allow: allow.length > 0 ? allow : definition.default, deny };
  };
}

/** Whether rules alone determine who may see a document, so that the page need not be fetched to find out. */
export const isDecidedByRules = ({ allowHeader, denyHeader, allowMeta, denyMeta }: AclDefinition): boolean =>
  [allowHeader, denyHeader, allowMeta, denyMeta].every((source) => source === undefined);

/** Replaces the principals in `metas` with these; returns the same list if nothing differs. */
export function replacePrincipals(metas: readonly Meta[], { allow, deny }: Acl): readonly Meta[] {
  const isPrincipal = ({ name }: Meta): boolean => name === ACL_ALLOW || name === ACL_DENY;
  const principalMetas = [
    ...allow.map((value): Meta => ({ name: ACL_ALLOW, value })),
    ...deny.map((value): Meta => ({ name: ACL_DENY, value })),
  ];
  const previousKeys = new Set(metas.filter(isPrincipal).map(createMetaKey));
  if (
    previousKeys.size === principalMetas.length &&
    principalMetas.every((meta) => previousKeys.has(createMetaKey(meta)))
  )
    return metas;
  return [...metas.filter((meta) => !isPrincipal(meta)), ...principalMetas];
}

const createMetaKey = ({ name, value }: Meta): string => `${name} ${value}`;

const removeDuplicates = (names: readonly string[]): string[] => [...new Set(names)].slice(0, MAX_PRINCIPALS);

export interface AclFileProblem {
  readonly line: number;
  readonly message: string;
}

/**
 * Parses lines of the form `allow|deny PREFIX principal, principal`. Lines that begin with `#` are comments; lines with
 * the same prefix are combined.
 */
export function parseAclFile(text: string): {
  readonly rules: readonly AclRule[];
  readonly problems: readonly AclFileProblem[];
} {
  const rules = new Map<string, { allow: string[]; deny: string[] }>();
  const problems: AclFileProblem[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, action, prefix, names] = /^(allow|deny)[ \t]+(https?:\/\/\S+)[ \t]+(\S.*)$/i.exec(trimmed) ?? [];
    if (action === undefined || prefix === undefined) {
      problems.push({
        line: index + 1,
        message: 'expected `allow` or `deny`, a URL prefix, and principals separated by commas',
      });
      continue;
    }
    const rule = rules.get(prefix) ?? { allow: [], deny: [] };
    rule[action.toLowerCase() as 'allow' | 'deny'].push(...parsePrincipals(names));
    rules.set(prefix, rule);
  }
  return { rules: [...rules].map(([prefix, { allow, deny }]) => ({ prefix, allow, deny })), problems };
}
