/** Decides what of a pattern can be written, and finds the plain text behind an expression that is only text. */
import { compile } from 'css-select';
import { RE2JS } from 're2js';
import { splitLookaround } from './lookaround.js';
import type { ImportedCrawler, ImportReport, Match, Pattern } from './model.js';

/** Why a pattern for which `isLinear` returns false is left out. */
export const NOT_LINEAR =
  'the regular expression uses lookaround in a way that cannot be resolved, a back-reference or a set operation, is longer than 4,096 characters, or is incomplete; use literal matches instead';

/** Stands for a pattern that cannot be written: it matches nothing. */
export const NOTHING: Pattern = { kind: 'exact', value: '' };

/** Extensions of jsoup to the selectors of CSS; some of them mean something else there: `[^data-]`, `[name~=regex]`. */
const JSOUP_ONLY = /:(?:contains\w*|matches\w*|eq|gt|lt)\(|\[\s*\^|~=|[.#][.#]/i;

/** Whether a selector of jsoup, which most crawlers in Java use, means the same in CSS. */
export function isSelector(text: string): boolean {
  if (text.trim() === '' || JSOUP_ONLY.test(text)) return false;
  try {
    compile(text);
    return true;
  } catch {
    return false;
  }
}

export const EVERYTHING: Match = { kind: 'prefix', value: 'http' };

const MAX_LENGTH = 4096;
/** An escape, or a class of characters with what is in it. */
const CLASS = /\\.|\[\^?\]?((?:\\.|\[:|[^\]\\[])*)([\][]?)/gs;

/** Java reads `[a-z&&[^b]]` and `[a[b]]` as operations on sets; elsewhere they mean something else without a word. */
const hasSetOperation = (expression: string): boolean =>
  [...expression.matchAll(CLASS)].some(([, content, end]) => end === '[' || content?.includes('&&'));

/** Whether Crawlway's expression engine, which has neither lookaround nor back-references, supports the pattern. */
export function isLinear({ kind, value }: Pattern): boolean {
  if (value.length > MAX_LENGTH) return false;
  if (kind !== 'regex') return true;
  if (hasSetOperation(value)) return false;
  try {
    RE2JS.compile(value);
    return true;
  } catch {
    return false;
  }
}

/** What an expression that looks around says without it, if that can be written as a whole. */
function withoutLookaround(pattern: Pattern, depth = 0): Match | undefined {
  if (isLinear(pattern)) return pattern;
  const split = depth < 20 && pattern.kind === 'regex' ? splitLookaround(pattern) : undefined;
  const rewrite = (match: Match): Match | undefined => {
    if ('not' in match) {
      const not = rewrite(match.not);
      return not && { not };
    }
    if ('value' in match) return withoutLookaround(match, depth + 1);
    const all = ('all' in match ? match.all : match.any).map(rewrite);
    return all.every((one) => one !== undefined) ? { all } : undefined;
  };
  return split && rewrite(split);
}

/** Whether an expression is found in the text; not if it cannot be written. */
export function finds(match: Match | undefined, text: string): boolean {
  if (match === undefined) return false;
  if ('not' in match) return !finds(match.not, text);
  if ('any' in match) return match.any.some((one) => finds(one, text));
  if ('all' in match) return match.all.every((one) => finds(one, text));
  if (!isLinear(match)) return finds(withoutLookaround(match), text);
  return RE2JS.compile(match.value, match.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    .matcher(text)
    .find();
}

/** Whether the pattern can be written, as it is or in parts. */
export const isSupported = (pattern: Pattern): boolean => withoutLookaround(pattern) !== undefined;

/** Escapes text for a regular expression that matches it literally. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Returns the pattern as plain text if its expression is nothing else: `^http://a\.test/` is a prefix. */
function simplify(pattern: Pattern): Pattern {
  if (pattern.kind !== 'regex') return pattern;
  const { ignoreCase: inner, source } = unwrap(pattern.value);
  const ignoreCase = pattern.ignoreCase || inner;
  const isStart = source.startsWith('^');
  const isEnd = source.endsWith('$') && !source.endsWith('\\$');
  let body = source.slice(isStart ? 1 : 0, isEnd ? -1 : undefined);
  const opens = !isStart || body.startsWith('.*');
  const closes = !isEnd || (body.endsWith('.*') && !body.endsWith('\\.*'));
  if (body.startsWith('.*')) body = body.slice(2);
  if (body.endsWith('.*') && !body.endsWith('\\.*')) body = body.slice(0, -2);
  const value = toPlainText(body);
  if (value === undefined || value === '') return pattern;
  const kind = opens ? (closes ? 'contains' : 'suffix') : closes ? 'prefix' : 'exact';
  return { ...pattern, kind, value, ...(ignoreCase ? { ignoreCase } : {}) };
}

/** Removes a group around the whole expression, as in `^(?:text)$`, and a flag before it. */
function unwrap(value: string): { source: string; ignoreCase: boolean } {
  const ignoreCase = value.startsWith('(?i)');
  const rest = ignoreCase ? value.slice(4) : value;
  const inner = /^\^\(\?:([^()|]*)\)\$$/.exec(rest)?.[1];
  return { source: inner === undefined ? rest : `^${inner}$`, ignoreCase };
}

/** The text that an expression without operators matches; undefined if it has any. */
function toPlainText(expression: string): string | undefined {
  let text = '';
  for (let index = 0; index < expression.length; index++) {
    const char = expression[index]!;
    if (char === '\\') {
      const next = expression[++index];
      if (next === undefined || /[a-z0-9]/i.test(next)) return undefined;
      text += next;
    } else if ('^$.*+?()[]{}|'.includes(char)) return undefined;
    else text += char;
  }
  return text.includes('\\') ? undefined : text;
}

/**
 * Leaves out patterns that cannot be written, and reports them: they match nothing. Returns whether the rest matches
 * every URL or none, if no pattern is left.
 */
export function selectSupported(match: Match, report: ImportReport): Match | boolean {
  if ('not' in match) {
    const not = selectSupported(match.not, report);
    if (typeof not === 'boolean') return !not;
    return 'not' in not ? not.not : { not };
  }
  if ('any' in match || 'all' in match) {
    const isAny = 'any' in match;
    const children = (isAny ? match.any : match.all).map((child) => selectSupported(child, report));
    if (children.includes(isAny)) return isAny;
    const rest = children.filter((child) => typeof child !== 'boolean');
    if (rest.length < 2) return rest[0] ?? !isAny;
    return isAny ? { any: rest } : { all: rest };
  }
  if (match.value.trim() === '') return false;
  if (isLinear(match)) return simplify(match);
  const rewritten = withoutLookaround(match);
  if (rewritten) return selectSupported(rewritten, report);
  report.reportSkipped(match.value.slice(0, 200), NOT_LINEAR, match.node);
  return false;
}

/** Patterns for the hosts of the roots: the host alone, or its domain with all subdomains. */
export function createScope(
  roots: readonly string[],
  by: 'host' | 'domain',
  toDomain: (host: string) => string,
): Pattern[] {
  const hosts = new Set(roots.map((url) => new URL(url).hostname));
  const names = by === 'host' ? hosts : new Set([...hosts].map(toDomain));
  return [...names].map((value) =>
    by === 'host' ? { kind: 'exact', field: 'host', value } : { kind: 'domain', value },
  );
}

/** Keeps a crawl whose original restricts nothing, or whose filters were not given, on the hosts of its roots. */
export function restrictToHosts(crawler: ImportedCrawler, reason: string, report: ImportReport): void {
  // Roots that are added later stay on their sites.
  if (crawler.roots.length === 0) crawler.staysOnSite = true;
  else crawler.filters.push({ any: createScope(crawler.roots, 'host', (host) => host) });
  report.reportChanged('the scope of the crawl', `it stays on the hosts of its start URLs: ${reason}`);
}

/** Whether the pattern is one for all URLs, like `.` or `^https?://`. */
export const matchesAnything = (match: Match): boolean =>
  'value' in match &&
  (match.kind === 'regex'
    ? /^\^?(?:\(\?:)?(?:https?\??(?::\/\/)?)?(?:\.[*+]?)?\)?\$?$/.test(match.value)
    : match.value === 'http');
