/** What the configuration says of who may see a document; see docs/ACL.md. */
export interface AclDefinition {
  /** Who may see what nothing else speaks of. */
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
