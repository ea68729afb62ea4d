/** Reads `cw:Acl` and the rule file that it names. */
import { type AclDefinition, type AclRule, parseAclFile, parsePrincipals } from '../../../domain/content/acl.js';
import { findOnlyChild, findValidChildren, type Node } from '../interpret.js';
import * as schema from '../schema/acl.js';
import type { ReadContext } from './context.js';

export function readAcl(crawler: Node, context: ReadContext): { acl?: AclDefinition } {
  const node = findOnlyChild(crawler, schema.ACL);
  if (!node) return {};
  const { values } = node;
  const inlineRules = findValidChildren(node as Node, schema.ACL_RULE).map(
    ({ values: { url, allow, deny } }): AclRule => ({
      prefix: url,
      allow: parsePrincipals(allow),
      deny: parsePrincipals(deny),
    }),
  );
  return {
    acl: {
      default: parsePrincipals(values.default),
      rules: [...readFileRules(node, context), ...inlineRules],
      allowHeader: values.header?.toLowerCase(),
      denyHeader: values.denyHeader?.toLowerCase(),
      allowMeta: values.meta?.toLowerCase(),
      denyMeta: values.denyMeta?.toLowerCase(),
    },
  };
}

function readFileRules(
  { values: { file }, place }: Node<typeof schema.ACL.attributes>,
  context: ReadContext,
): readonly AclRule[] {
  const text = file === undefined ? undefined : context.readFile(file, place);
  if (file === undefined || text === undefined) return [];
  const { rules, problems } = parseAclFile(text);
  for (const { line, message } of problems) context.problems.add('bad-rule-file', message, { file, line, column: 1 });
  return rules;
}
