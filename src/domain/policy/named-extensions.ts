/**
 * File extensions that rules and conditions name in order to accept them. They are removed from the default list of
 * ignored extensions; if the list is in the configuration, the linter warns instead.
 */
import { RE2JS } from 're2js';
import type { CrawlerDefinition } from '../crawl/definition.js';
import type { Place } from '../crawl/place.js';
import type { ConditionRule, MatchExpression } from '../crawl/policy-definition.js';
import { flatMapInSteps, type Steps } from '../steps.js';
import { literalToRegex } from './matching/pattern.js';

export interface NamedExtension {
  readonly extension: string;
  /** What names it: "rule 3", "a condition". */
  readonly namedBy: string;
  readonly place: Place;
}

/**
 * Extensions in lower case, without the dot, once for each place that names them.
 * @param ignored the extensions that a pattern may name, as `jpe?g` names two
 */
export function* listNamedExtensions(
  { rules, conditions }: Pick<CrawlerDefinition, 'rules' | 'conditions'>,
  ignored: readonly string[],
): Steps<NamedExtension[]> {
  const ruleExtensions = yield* flatMapInSteps(rules, ({ actions, match, number, place }) =>
    actions.accept || actions.index || actions.follow
      ? collectExtensions(match, ignored).map((extension) => ({ extension, namedBy: `rule ${number}`, place }))
      : [],
  );
  const collect = (rule: ConditionRule): NamedExtension[] => collectConditionExtensions(rule, ignored);
  return [...ruleExtensions, ...(conditions?.rules ?? []).flatMap(collect)];
}

/** A Not accepts everything except what it names. */
function collectExtensions(match: MatchExpression, ignored: readonly string[]): string[] {
  if (match.type === 'and' || match.type === 'or')
    return match.children.flatMap((child) => collectExtensions(child, ignored));
  if (match.type !== 'atom' || (match.field !== 'path' && match.field !== 'url')) return [];
  const source = match.litteral ? literalToRegex(match.value) : match.value;
  return match.kind === 'suffix' || match.kind === 'exact' || isAnchoredAtEnd(source)
    ? findExtensions(match.value, source, ignored)
    : [];
}

const isAnchoredAtEnd = (value: string): boolean => value.endsWith('$');

function collectConditionExtensions(
  { kind, test, children, place }: ConditionRule,
  ignored: readonly string[],
): NamedExtension[] {
  const ofChildren = children.flatMap((child) => collectConditionExtensions(child, ignored));
  if (kind === 'may-not-have' || kind === 'apply-except-for') return ofChildren;
  const extensions = test.field === 'path' || test.field === 'url' ? findTestedExtensions(test, ignored) : [];
  return [...extensions.map((extension) => ({ extension, namedBy: 'a condition', place })), ...ofChildren];
}

function findTestedExtensions({ type, value }: ConditionRule['test'], ignored: readonly string[]): string[] {
  if (type === 'regex') return isAnchoredAtEnd(value) ? findExtensions(value, value, ignored) : [];
  return value.split(/\s+/).flatMap((text) => {
    const source = text
      .replace(/[.+^$()[\]{}|\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    return findExtensions(text, source, ignored);
  });
}

/** The words after the first dot in the last segment (`\.(zip|tar\.gz)` names three), and what its expression matches. */
function findExtensions(value: string, source: string, ignored: readonly string[]): string[] {
  const words = getEnding(value)
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return [...new Set([...(words ?? []), ...matchExtensions(getEnding(source), ignored)])];
}

function getEnding(value: string): string {
  const segment = value.slice(value.lastIndexOf('/') + 1);
  const dotIndex = segment.indexOf('.');
  return dotIndex < 0 ? '' : segment.slice(dotIndex);
}

/** An extension that nobody names: a pattern that matches it matches any. */
const UNHEARD_OF = '.qzxj';

function matchExtensions(ending: string, ignored: readonly string[]): string[] {
  if (ending === '') return [];
  try {
    const pattern = RE2JS.compile(`^(?:${ending})$`, RE2JS.CASE_INSENSITIVE);
    return pattern.test(UNHEARD_OF) ? [] : ignored.filter((extension) => pattern.test(`.${extension}`));
  } catch {
    return []; // a piece of an expression that is none by itself
  }
}
