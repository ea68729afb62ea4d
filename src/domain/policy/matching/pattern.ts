/**
 * Reads a pattern far enough to know which text every match must contain, and whether it is nothing but text. Most rules
 * are plain hosts, prefixes and suffixes: they need no regular expression engine, and can be found by an index.
 */

/** One element of a pattern, with the quantifier that follows it folded in. */
type Element =
  | { readonly type: 'char'; readonly char: string; readonly times: Times }
  /** `.`: any one character. */
  | { readonly type: 'any'; readonly times: Times }
  /** Classes, groups, anchors: nothing is known of them here. */
  | { readonly type: 'other'; readonly times: Times };

/** once: as it stands; more: at least once (`+`); maybe: possibly not at all. */
type Times = 'once' | 'more' | 'maybe';

const SPECIAL = '^$.*+?[](){}|';

/**
 * The regular expression that a `litteral` pattern means: there special characters are plain, and a backslash makes them
 * operators (seed: CloudView; `\.\*` = anything).
 */
export function regexOfLitteral(value: string): string {
  let source = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i] ?? '';
    const next = value[i + 1];
    if (char === '\\' && next !== undefined) {
      source += SPECIAL.includes(next) ? next : char + next;
      i++;
    } else source += SPECIAL.includes(char) ? `\\${char}` : char;
  }
  return source;
}

export interface PatternShape {
  /** The pattern is this text and nothing else. */
  readonly literal?: string;
  /** The pattern is characters and single dots only; undefined stands for any character. */
  readonly template?: readonly (string | undefined)[];
  /** The longest text that every match contains; empty when none is known. */
  readonly necessary: string;
}

/** What can be told of a regular expression without running it. Nothing is told of what is not understood. */
export function patternShape(source: string): PatternShape {
  const elements = readElements(source);
  if (!elements) return { necessary: '' };
  const necessary = longestRun(elements);
  if (!elements.every((element) => element.type !== 'other' && element.times === 'once')) return { necessary };
  const template = elements.map((element) => (element.type === 'char' ? element.char : undefined));
  return template.includes(undefined) ? { template, necessary } : { literal: template.join(''), necessary };
}

function longestRun(elements: readonly Element[]): string {
  let best = '';
  let run = '';
  for (const element of elements) {
    const known = element.type === 'char' && element.times !== 'maybe';
    if (known) run += element.char;
    if (run.length > best.length) best = run;
    // `ab+c` contains `ab` but not always `abc`: a repeated character ends its run, and may begin the next.
    if (!known) run = '';
    else if (element.times === 'more') run = element.char;
  }
  return best;
}

/** undefined: an alternative at the top, or syntax that this reader leaves to the engine. */
function readElements(source: string): Element[] | undefined {
  const elements: Element[] = [];
  let position = 0;
  while (position < source.length) {
    const atom = readAtom(source, position);
    if (!atom) return undefined;
    const quantifier = readQuantifier(source, atom.end);
    elements.push({ ...atom.element, times: quantifier.times });
    position = quantifier.end;
  }
  return elements;
}

type Atom = { readonly type: 'char'; readonly char: string } | { readonly type: 'any' } | { readonly type: 'other' };

function readAtom(source: string, start: number): { element: Atom; end: number } | undefined {
  const char = source[start] ?? '';
  if (char === '\\') return readEscape(source, start);
  if (char === '|') return undefined;
  if (char === '.') return { element: { type: 'any' }, end: start + 1 };
  if (char === '^' || char === '$') return { element: { type: 'other' }, end: start + 1 };
  if (char === '[' || char === '(') {
    const end = char === '[' ? endOfClass(source, start) : endOfGroup(source, start);
    return end === undefined ? undefined : { element: { type: 'other' }, end };
  }
  return '*+?{})]'.includes(char) ? undefined : { element: { type: 'char', char }, end: start + 1 };
}

function readEscape(source: string, start: number): { element: Atom; end: number } | undefined {
  const next = source[start + 1];
  if (next === undefined || 'QEpPx0123456789'.includes(next)) return undefined;
  const plain = !/[a-z]/i.test(next);
  return { element: plain ? { type: 'char', char: next } : { type: 'other' }, end: start + 2 };
}

function endOfClass(source: string, start: number): number | undefined {
  let position = start + 1;
  if (source[position] === '^') position++;
  if (source[position] === ']') position++;
  for (; position < source.length; position++) {
    if (source[position] === '\\') position++;
    else if (source[position] === '[')
      return undefined; // [:alpha:]
    else if (source[position] === ']') return position + 1;
  }
  return undefined;
}

function endOfGroup(source: string, start: number): number | undefined {
  // A flag group such as (?x) changes how the rest is read.
  if (source[start + 1] === '?' && source[start + 2] !== ':') return undefined;
  for (let position = start + 1; position < source.length; ) {
    if (source[position] === ')') return position + 1;
    const end = source[position] === '|' ? position + 1 : readAtom(source, position)?.end;
    if (end === undefined) return undefined;
    position = readQuantifier(source, end).end;
  }
  return undefined;
}

function readQuantifier(source: string, start: number): { times: Times; end: number } {
  const counted = /^\{(\d*)(?:,\d*)?\}/.exec(source.slice(start, start + 16));
  const char = source[start];
  const times = counted
    ? Number(counted[1] || 0) > 0
      ? 'more'
      : 'maybe'
    : char === '+'
      ? 'more'
      : '*?'.includes(char ?? ' ')
        ? 'maybe'
        : 'once';
  const end = start + (counted ? counted[0].length : times === 'once' ? 0 : 1);
  return { times, end: times !== 'once' && source[end] === '?' ? end + 1 : end };
}
