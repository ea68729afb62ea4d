/**
 * Finds the plain expressions behind one that looks ahead or behind, which patterns in linear time cannot: most of those
 * that people write only say that something is, or is not, in the URL as well.
 */
import type { Match, Pattern } from './model.js';

const MAX_LENGTH = 4096;

/** The end of the group that begins at the offset; -1 if there is none. */
function findGroupEnd(source: string, start: number): number {
  let depth = 0;
  for (const { 0: token, index } of source.slice(start).matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gs)) {
    if (token === '(') depth++;
    if (token === ')' && --depth === 0) return start + index;
  }
  return -1;
}

/** Alternatives outside of groups, which an anchor before or after them does not concern as a whole. */
function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const [token] of source.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]/gs)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (token === '|' && depth === 0) return true;
  }
  return false;
}

const group = (source: string): string => (hasAlternatives(source) ? `(?:${source})` : source);

/** Text at the start that ends at one place only, so that what follows it is looked for there. */
const FIXED_START =
  /^\^(?:https\?)?(?:\\[^a-zA-Z0-9]|\\[dws]|\[\^\/\][*+](?=\/)|\[\^?\]?(?:\\.|[^\]\\])*\](?![*+?{])|[^\\()|*+?{}[\]^$](?![*+?{]))*$/s;

/** Removes a group around the whole, and anchors inside of it. */
function unwrap(source: string): string {
  const [, start = '', opening = ''] = /^(\^?)(\((?:\?:)?)(?![?])/.exec(source) ?? [];
  if (opening === '') return source;
  const end = findGroupEnd(source, start.length);
  const rest = source.slice(end + 1);
  const inner = source.slice(start.length + opening.length, end);
  if (end < 0 || !/^\$?$/.test(rest) || hasAlternatives(inner)) return source;
  return unwrap(
    start + inner.replace(start ? /^\^/ : /^$/, '') + (rest === '$' ? `${inner.endsWith('$') ? '' : '$'}` : ''),
  );
}

/** Expressions of which all have to be found, or not to be found; undefined if it looks around in another way. */
export function splitLookaround(pattern: Pattern): Match | undefined {
  if (pattern.value.length > MAX_LENGTH) return undefined;
  const ignoreCase = pattern.ignoreCase || /^\^?\(\?i\)/.test(pattern.value);
  const source = unwrap(pattern.value.replace(/^(\^?)\(\?i\)/, '$1'));
  if (!/\(\?<?[=!]/.test(source) || hasAlternatives(source)) return undefined;
  const find = (value: string): Match => ({ ...pattern, value, ...(ignoreCase ? { ignoreCase } : {}) });
  const build = (isNegated: boolean, inner: string, rest: string): Match => {
    const match = isNegated ? { not: find(inner) } : find(inner);
    // Nothing else is said of the URL.
    return /^\^?(?:\.\*)?\$?$/.test(rest) ? match : { all: [find(rest), match] };
  };
  // `^start((?!inner).)*$`
  const [, before = '', inner = ''] = /^(.*?)\((?:\?:)?\(\?!(.+)\)\.\)\*\$$/s.exec(source) ?? [];
  if (inner !== '' && (before === '^' || FIXED_START.test(before)) && !hasAlternatives(before))
    return build(true, `${before === '^' ? '' : `${before}.*`}${group(inner)}`, before);
  const start = source.search(/\(\?<?[=!]/);
  const end = findGroupEnd(source, start);
  if (end < 0) return undefined;
  const [opening = ''] = /^\(\?<?[=!]/.exec(source.slice(start)) ?? [];
  const [head, content, tail] = [
    source.slice(0, start),
    source.slice(start + opening.length, end),
    source.slice(end + 1),
  ];
  const isNegated = opening.endsWith('!');
  if (opening.includes('<'))
    // `rest(?<!inner)$`
    return /^(?:\(\?<[=!][^()]*\))*\$$/.test(tail) ? build(isNegated, `${group(content)}$`, head + tail) : undefined;
  // `^start(?!inner)rest`
  return FIXED_START.test(head) ? build(isNegated, `${head}${group(content)}`, head + tail) : undefined;
}
