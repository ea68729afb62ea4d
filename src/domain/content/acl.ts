/**
 * Who may see a document: principals (users, groups) that a security-trimmed search compares with those of the
 * searcher. Pure functions; docs/acl.md describes where principals come from.
 */
import { NOT_UTF8_MESSAGE, REPLACEMENT_CHARACTER } from '../policy/rule-file-problems.js';
import type { Meta } from '../push/order.js';
import { forEachInSteps, runAtOnce, type Steps } from '../steps.js';
import type { AclDefinition, AclRule } from './acl-definition.js';
import { compileAclRulesInSteps } from './acl-rules.js';
import { MAX_PRINCIPALS, parsePrincipals } from './principals.js';

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

/**
 * Counts the ways in which principals are determined: if it changes, documents are delivered again with those that
 * apply now.
 */
export const ACL_FORM = 5;

/** What the sources of a page say about one side. */
interface Statement {
  readonly names: readonly string[];
  /** True if the page itself says something, even if it names nobody. */
  readonly isStated: boolean;
  /** True if something that it says cannot be taken over. */
  readonly isCut: boolean;
}

export const compileAcl = (definition: AclDefinition): AclReader => runAtOnce(compileAclInSteps(definition));

/**
 * The principals of rules, headers and metas are combined. In doubt nobody may see the document: the default applies
 * only if the page says nothing and its host has no rules, and nobody is allowed if not all who are denied are known.
 */
export function* compileAclInSteps(definition: AclDefinition): Steps<AclReader> {
  const rules = yield* compileAclRulesInSteps(definition.rules);
  const { allowHeader, denyHeader, allowMeta, denyMeta } = definition;
  return (page) => {
    const rule = rules.find(page.href);
    const allowed = combineSources(rule?.allow ?? [], listTexts(page, allowHeader, allowMeta));
    const denied = combineSources(rule?.deny ?? [], listTexts(page, denyHeader, denyMeta));
    const deny = denied.names;
    if (denied.isCut) return { allow: [], deny };
    const usesDefault = allowed.names.length === 0 && !allowed.isStated && !rule && !rules.coversHost(page.href);
    return { allow: usesDefault ? definition.default : allowed.names, deny };
  };
}

const listTexts = ({ headers, metas }: AclPage, header?: string, metaName?: string): string[] => [
  ...(header === undefined ? [] : [headers[header]].filter((text) => text !== undefined).map(decodeHeader)),
  ...(metaName === undefined ? [] : metas.filter(({ name }) => name === metaName).map(({ value }) => value)),
];

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Headers arrive with one character a byte: names in UTF-8 are told by being valid as such. */
function decodeHeader(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return UTF8.decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

function combineSources(ruleNames: readonly string[], texts: readonly string[]): Statement {
  const lists = texts.map(parsePrincipals);
  const names = new Set([...ruleNames, ...lists.flatMap((list) => list.names)]);
  const isCut = names.size > MAX_PRINCIPALS || lists.some(({ problem }) => problem !== undefined);
  return { names: [...names].slice(0, MAX_PRINCIPALS), isStated: texts.length > 0, isCut };
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

export interface AclFileProblem {
  readonly line: number;
  readonly message: string;
}

/**
 * Parses lines of the form `allow|deny PREFIX principal, principal`. Lines that begin with `#` are comments; lines with
 * the same prefix are combined. A file without rules is most likely about to be written: `default` must not apply then.
 */
export function* parseAclFile(
  text: string,
): Steps<{ readonly rules: readonly AclRule[]; readonly problems: readonly AclFileProblem[] }> {
  const rules = new Map<string, { allow: string[]; deny: string[] }>();
  const problems: AclFileProblem[] = [];
  yield* forEachInSteps(text.split(/\r\n|\r|\n/).entries(), ([index, line]) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    if (line.includes(REPLACEMENT_CHARACTER)) problems.push({ line: index + 1, message: NOT_UTF8_MESSAGE });
    const [, action, prefix, names] = /^(allow|deny)[ \t]+(https?:\/\/\S+)[ \t]+(\S.*)$/i.exec(trimmed) ?? [];
    if (action === undefined || prefix === undefined) {
      problems.push({
        line: index + 1,
        message: 'expected `allow` or `deny`, a URL prefix, and principals separated by commas',
      });
      return;
    }
    if (!URL.canParse(prefix)) problems.push({ line: index + 1, message: `"${prefix.slice(0, 100)}" is not a URL` });
    const list = parsePrincipals(names);
    if (list.problem !== undefined) problems.push({ line: index + 1, message: list.problem });
    const rule = rules.get(prefix) ?? { allow: [], deny: [] };
    rule[action.toLowerCase() as 'allow' | 'deny'].push(...list.names);
    rules.set(prefix, rule);
  });
  if (rules.size === 0 && problems.length === 0)
    problems.push({ line: 1, message: 'the file has no rules; without the attribute `file`, none is read' });
  return { rules: [...rules].map(([prefix, { allow, deny }]) => ({ prefix, allow, deny })), problems };
}
