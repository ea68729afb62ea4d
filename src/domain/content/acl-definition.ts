import type { Place } from '../crawl/place.js';

/** What the configuration says about who may see a document; see docs/acl.md. */
export interface AclDefinition {
  readonly place?: Place;
  /** Who may see documents of hosts without rules if the page says nothing about it. */
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
