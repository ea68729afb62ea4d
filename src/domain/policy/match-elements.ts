/** The elements by which crawl rules match URLs. */
import type { MatchField, MatchKind } from '../crawl/policy-definition.js';

export interface MatchShortcut {
  readonly field: MatchField;
  readonly kind: MatchKind;
  /** Description for the configuration reference. */
  readonly meaning: string;
}

/** Elements that are short for an Atom with a fixed field and kind. */
export const MATCH_SHORTCUTS = {
  Path: { field: 'path', kind: 'prefix', meaning: 'The path begins with this text (Atom path prefix).' },
  Ext: { field: 'path', kind: 'suffix', meaning: 'The path ends with this text (Atom path suffix).' },
  Host: { field: 'host', kind: 'exact', meaning: 'The host is exactly this one (Atom host exact).' },
  Url: { field: 'url', kind: 'exact', meaning: 'The URL is exactly this one (Atom url exact).' },
  Scheme: { field: 'scheme', kind: 'exact', meaning: '`http` or `https` (Atom scheme exact).' },
  Query: { field: 'query', kind: 'exact', meaning: 'The query is exactly this one (Atom query exact).' },
  InQuery: { field: 'query', kind: 'inside', meaning: 'The query contains this text (Atom query inside).' },
} as const satisfies Readonly<Record<string, MatchShortcut>>;

export const MATCH_ELEMENTS: readonly string[] = [
  'And',
  'Or',
  'Not',
  'Atom',
  'Domain',
  ...Object.keys(MATCH_SHORTCUTS),
  'Length',
];
