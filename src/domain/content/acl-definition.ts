/** What the configuration says about who may see a document; see docs/acl.md. */
export interface AclDefinition {
  /** Who may see documents for which neither rules nor the page allow anyone. */
  readonly default: readonly string[];
  /** If several prefixes match, the rule with the longest one applies. */
  readonly rules: readonly AclRule[];
  /** Names of response headers and page metas that contain further principals. */
  readonly allowHeader?: string;
  readonly denyHeader?: string;
  readonly allowMeta?: string;
  readonly denyMeta?: string;
}

export interface AclRule {
  /** URL prefix to which the rule applies. */
  readonly prefix: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}
