/**
 * Parses a pattern far enough to know which texts every match must contain, and whether it is plain text. Most rules
 * are plain hosts, prefixes and suffixes, which need no regular expression engine and can be indexed.
 */
import { type Necessary, UNKNOWN } from './necessary.js';
import type { Template } from './template.js';

const SPECIAL = '^$.*+?[](){}|';

/**
 * The regular expression for a `litteral` pattern, in which special characters are literal and a backslash makes them
 * operators (reference: CloudView; `\.\*` = anything).
 */
export function literalToRegex(value: string): string {
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
  /** The characters of a plain pattern; undefined stands for a dot. */
  readonly template?: Template;
  readonly necessary: Necessary;
}

/**
 * Derives what it can from a regular expression without running it. Nothing is derived from parts that it does not
 * understand.
 */
export function analyzePattern(source: string): PatternShape {
  const reader = new PatternReader(source);
  const branches = reader.parseAlternation();
  if (!branches || !reader.isAtEnd()) return { necessary: UNKNOWN };
  const [only, second] = branches;
  const plain = only && !second && only.every((item) => (item.char ?? item.dot) && item.times === 'once');
  return {
    template: plain ? only.map((item) => item.char) : undefined,
    necessary: analyzeBranches(branches).necessary,
  };
}

/** once: no quantifier; optional: `?`; more: at least once; maybe: any number of times, possibly none. */
type Times = 'once' | 'optional' | 'more' | 'maybe';

/**
 * One element with its quantifier. Without any of the four optional properties it is a character class, from which
 * nothing is derived.
 */
interface Item {
  readonly times: Times;
  readonly char?: string;
  readonly dot?: true;
  /** An anchor, which matches no character. */
  readonly empty?: true;
  readonly group?: readonly (readonly Item[])[];
}

type Unquantified = Omit<Item, 'times'>;

const MAX_DEPTH = 20;
const QUANTIFIERS: ReadonlySet<string | undefined> = new Set(['*', '+', '?', '{']);

class PatternReader {
  private position = 0;

  constructor(private readonly source: string) {}

  isAtEnd(): boolean {
    return this.position === this.source.length;
  }

  /** Undefined for syntax that is left to the engine. */
  parseAlternation(depth = 0): Item[][] | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const branches: Item[][] = [[]];
    while (!this.isAtEnd() && this.source[this.position] !== ')') {
      if (this.source[this.position] === '|') {
        this.position++;
        branches.push([]);
        continue;
      }
      const item = this.parseItem(depth);
      if (!item) return undefined;
      branches[branches.length - 1]?.push({ ...item, times: this.parseQuantifier() });
    }
    return branches;
  }

  private parseItem(depth: number): Unquantified | undefined {
    const char = this.source[this.position] ?? '';
    if (char === '(') return this.parseGroup(depth);
    if (char === '[') return this.parseCharacterClass();
    if (char === '\\') return this.parseEscape();
    if ('*+?{}]'.includes(char)) return undefined;
    this.position++;
    if (char === '.') return { dot: true };
    return char === '^' || char === '$' ? { empty: true } : { char };
  }

  private parseGroup(depth: number): Unquantified | undefined {
    this.position++;
    if (this.source[this.position] === '?') {
      // Other groups with a question mark set flags, which change the meaning of the rest.
      if (this.source[this.position + 1] !== ':') return undefined;
      this.position += 2;
    }
    const group = this.parseAlternation(depth + 1);
    if (!group || this.source[this.position] !== ')') return undefined;
    this.position++;
    return { group };
  }

  private parseCharacterClass(): Unquantified | undefined {
    const [text] = /^\[\^?\]?(?:[^\][\\]|\\[^pPQ])*\]/.exec(this.source.slice(this.position)) ?? [];
    if (text === undefined) return undefined;
    this.position += text.length;
    return {};
  }

  private parseEscape(): Unquantified | undefined {
    const next = this.source[this.position + 1];
    if (next === undefined || 'QEpPx0123456789'.includes(next)) return undefined;
    this.position += 2;
    if (!/[a-z]/i.test(next)) return { char: next };
    return 'bBAz'.includes(next) ? { empty: true } : {};
  }

  private parseQuantifier(): Times {
    if (!QUANTIFIERS.has(this.source[this.position])) return 'once';
    const [text = '', mark = '', minimum] = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(this.lookAhead()) ?? [];
    this.position += text.length;
    if (text === '') return 'once';
    if (minimum !== undefined) return Number(minimum) > 0 ? 'more' : 'maybe';
    return mark === '+' ? 'more' : mark === '?' ? 'optional' : 'maybe';
  }

  /** The next characters, enough for any quantifier. */
  private lookAhead(): string {
    return this.source.slice(this.position, this.position + 16);
  }
}

interface Analysis {
  /** All texts that the part matches, if they are few. */
  readonly exact?: readonly string[];
  readonly necessary: Necessary;
}

/** More alternatives than this are not worth an index entry each. */
const MAX_TEXTS = 16;

function analyzeBranches(branches: readonly (readonly Item[])[]): Analysis {
  const analyses = branches.map(analyzeSequence);
  const [only, second] = analyses;
  if (only && !second) return only;
  const exact = analyses.flatMap((analysis) => analysis.exact ?? []);
  if (exact.length <= MAX_TEXTS && analyses.every((analysis) => analysis.exact)) return { exact, necessary: [exact] };
  const any = analyses.flatMap((analysis) => analysis.necessary[0] ?? []);
  const reported = any.length <= MAX_TEXTS && analyses.every((analysis) => analysis.necessary.length > 0);
  return { necessary: reported ? [any] : UNKNOWN };
}

function analyzeSequence(items: readonly Item[]): Analysis {
  const necessary: (readonly string[])[] = [];
  let run: readonly string[] = [''];
  let whole = true;
  const endRun = (next: readonly string[] = ['']) => {
    if (!run.includes('')) necessary.push(run);
    run = next;
    whole = false;
  };
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    if (item.empty) continue;
    const end = findLiteralEnd(items, at);
    if (end > at) {
      const text = joinCharacters(items, at, end);
      run = run.map((head) => head + text);
      at = end - 1;
      continue;
    }
    const { exact, necessary: inside } = analyzeItem(item);
    const grown = exact && extendRun(run, exact, item.times);
    if (grown) run = grown;
    else {
      if (item.times === 'once' || item.times === 'more') necessary.push(...inside);
      endRun();
    }
    // `ab+c` contains `ab` and `bc`, but not always `abc`: a repeated item ends its run and begins the next one.
    if (grown && item.times === 'more') endRun(exact);
  }
  const exact = whole ? run : undefined;
  endRun();
  return { exact, necessary: sortLongestFirst(necessary) };
}

/** Skips characters without a quantifier: most patterns consist of little else. */
function findLiteralEnd(items: readonly Item[], start: number): number {
  let end = start;
  while (items[end]?.char !== undefined && items[end]!.times === 'once') end++;
  return end;
}

function joinCharacters(items: readonly Item[], start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) text += items[at]!.char!;
  return text;
}

function analyzeItem({ char, group }: Item): Analysis {
  if (char !== undefined) return { exact: [char], necessary: [[char]] };
  return group ? analyzeBranches(group) : { necessary: UNKNOWN };
}

function extendRun(run: readonly string[], texts: readonly string[], times: Times): readonly string[] | undefined {
  if (times === 'maybe') return undefined;
  const all = times === 'optional' ? [...texts, ''] : texts;
  if (run.length * all.length > MAX_TEXTS) return undefined;
  return run.flatMap((head) => all.map((tail) => head + tail));
}

const getShortestLength = (texts: readonly string[]): number => Math.min(...texts.map((text) => text.length));

const sortLongestFirst = (sets: readonly (readonly string[])[]): Necessary =>
  [...sets].sort((a, b) => getShortestLength(b) - getShortestLength(a));
