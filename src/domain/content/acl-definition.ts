/** What the configuration says about who may see a document; see docs/ACL.md. */
export interface AclDefinition {
  /** Who may see documents for which nothing else is configured. */
  readonly default: readonly string[];
  /** The longest prefix counts. */
  readonly rules: readonly AclRule[];
  /** Response headers and metas of the page with further principals. */
  readonly allowHeader?: string;
  readonly denyHeader?: string;
  readonly allowMeta?: string;
  readonly denyMeta?: string;
}

export interface AclRule {
  /** URL prefix. */
  readonly prefix: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}
