/**
 * File extensions that rules and conditions name in order to accept them. They are removed from the default list of
 * ignored extensions; if the list is in the configuration, the linter warns instead.
 */

import type { CrawlerDefinition } from '../crawl/definition.js';
import type { Place } from '../crawl/place.js';
import type { ConditionRule, MatchExpression } from '../crawl/policy-definition.js';

export interface NamedExtension {
  readonly extension: string;
  /** What names it: "rule 3", "a condition". */
  readonly namedBy: string;
  readonly place: Place;
}

/** Extensions in lower case, without the dot, once for each place that names them. */
export function listNamedExtensions({
  rules,
  conditions,
}: Pick<CrawlerDefinition, 'rules' | 'conditions'>): NamedExtension[] {
  const ruleExtensions = rules.flatMap(({ actions, match, number, place }) =>
    actions.accept || actions.index || actions.follow
      ? collectExtensions(match).map((extension) => ({ extension, namedBy: `rule ${number}`, place }))
      : [],
  );
  return [...ruleExtensions, ...(conditions?.rules ?? []).flatMap(collectConditionExtensions)];
}

/** A Not accepts everything except what it names. */
function collectExtensions(match: MatchExpression): string[] {
  if (match.type === 'and' || match.type === 'or') return match.children.flatMap(collectExtensions);
  if (match.type !== 'atom' || (match.field !== 'path' && match.field !== 'url')) return [];
  return match.kind === 'suffix' || match.kind === 'exact' || isAnchoredAtEnd(match.value)
    ? splitExtensions(match.value)
    : [];
}

const isAnchoredAtEnd = (value: string): boolean => value.endsWith('$');

function collectConditionExtensions({ kind, test, children, place }: ConditionRule): NamedExtension[] {
  if (kind === 'may-not-have' || kind === 'apply-except-for') return children.flatMap(collectConditionExtensions);
  const isPathOrUrl = test.field === 'path' || test.field === 'url';
  const extensions =
    isPathOrUrl && (test.type !== 'regex' || isAnchoredAtEnd(test.value))
      ? test.value.split(/\s+/).flatMap(splitExtensions)
      : [];
  return [
    ...extensions.map((extension) => ({ extension, namedBy: 'a condition', place })),
    ...children.flatMap(collectConditionExtensions),
  ];
}

/** The words after the first dot in the last segment: `\.(zip|tar\.gz)` names three. */
function splitExtensions(value: string): string[] {
  const segment = value.slice(value.lastIndexOf('/') + 1);
  const dotIndex = segment.indexOf('.');
  return dotIndex < 0
    ? []
    : (segment
        .slice(dotIndex)
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? []);
}
