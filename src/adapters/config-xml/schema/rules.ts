/** The match elements of crawl rules (namespace actionrules; reference: CloudView, Crawl Rules). */
import { MATCH_ELEMENTS, MATCH_SHORTCUTS } from '../../../domain/policy/match-elements.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('rules');

export const FIELDS = ['url', 'scheme', 'host', 'path', 'query', 'fragment'] as const;

const norm = attribute(
  t.enumeration(['none', 'lower', 'norm']),
  '`none`: compared as written; `lower`: case-insensitive; `norm`: case- and accent-insensitive.',
  { default: 'norm' },
);
const litteral = attribute(
  t.boolean,
  'Escaping is inverted: `^ $ . * + ? [ ] ( ) { } |` are literal, and act as operators only after a backslash.',
  { default: 'false', aliases: ['literal'] },
);
const field = attribute(
  t.enumeration(FIELDS),
  'Part of the URL. The path keeps its leading slash; the query has no `?`.',
  { required: true },
);
const createPatternAttribute = (meaning: string) =>
  attribute(t.trimInput(t.text), meaning, { required: true, aliases: ['val'] });

export const AND = element('And', 'Matches if all of the elements inside match.', {}, { children: MATCH_ELEMENTS });
export const OR = element(
  'Or',
  'Matches if at least one of the elements inside matches.',
  {},
  { children: MATCH_ELEMENTS },
);
export const NOT = element(
  'Not',
  'Matches if the only element inside does not match.',
  {},
  { children: MATCH_ELEMENTS },
);

export const ATOM = element('Atom', 'The generic match: a regular expression on one part of the URL.', {
  field,
  kind: attribute(
    t.enumeration(['exact', 'prefix', 'suffix', 'inside', 'length']),
    '`exact`: anchored at both ends; `prefix`: at the beginning; `suffix`: at the end; `inside`: anywhere; `length`: the value is a range like `[30:]`.',
    { required: true },
  ),
  norm,
  value: createPatternAttribute('Regular expression (linear time), or a length range.'),
  litteral,
});

/** Creates the spec of an element that is short for an Atom with a fixed field and kind. */
const createShortcut = (name: string, meaning: string) =>
  element(name, meaning, { value: createPatternAttribute('Regular expression.'), norm, litteral });

export const DOMAIN = createShortcut('Domain', 'Matches if the host is this one or a subdomain of it.');
export type Shortcut = typeof DOMAIN;

/** The shorthand elements by name. */
export const SHORTCUTS: readonly Shortcut[] = Object.entries(MATCH_SHORTCUTS).map(([name, { meaning }]) =>
  createShortcut(name, meaning),
);

export const LENGTH = element('Length', 'Matches if the length of a part of the URL is in a range.', {
  field: attribute(t.enumeration(FIELDS), 'Part of the URL.', { default: 'path' }),
  value: attribute(t.lengthRange, '`[30:]` at least 30, `[:10]` at most 10, `[11:12]` at least 11 and at most 12.', {
    required: true,
    aliases: ['val'],
  }),
});
