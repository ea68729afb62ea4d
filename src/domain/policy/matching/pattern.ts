/**
 * Parses a pattern far enough to determine which texts every match must contain, and whether it is plain text. Most
 * rules are plain hosts, prefixes and suffixes, which need no regular expression engine and can be indexed.
 */
import { NO_REQUIRED_TEXTS, type RequiredTexts } from './necessary.js';
import type { Template } from './template.js';

const SPECIAL_CHARACTERS = '^$.*+?[](){}|';

/**
 * The regular expression for a `litteral` pattern, in which special characters are literal and a backslash makes them
 * operators (reference: CloudView; `\.\*` = anything).
 */
export function literalToRegex(value: string): string {
  let source = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i] ?? '';
    const nextChar = value[i + 1];
    if (char === '\\' && nextChar !== undefined) {
      source += SPECIAL_CHARACTERS.includes(nextChar) ? nextChar : char + nextChar;
      i++;
    } else source += SPECIAL_CHARACTERS.includes(char) ? `\\${char}` : char;
  }
  return source;
}

export interface PatternShape {
  /** The characters of a plain pattern; undefined stands for a dot. */
  readonly template?: Template;
  readonly requiredTexts: RequiredTexts;
}

/**
 * Derives what it can from a regular expression without running it. Nothing is derived from parts that it does not
 * understand.
 */
export function analyzePattern(source: string): PatternShape {
  const reader = new PatternReader(source);
  const branches = reader.parseAlternation();
  if (!branches || !reader.isAtEnd()) return { requiredTexts: NO_REQUIRED_TEXTS };
  const [onlyBranch, second] = branches;
  const isPlain =
    onlyBranch && !second && onlyBranch.every((item) => (item.char ?? item.isDot) && item.times === 'once');
  return {
    template: isPlain ? onlyBranch.map((item) => item.char) : undefined,
    requiredTexts: analyzeBranches(branches).requiredTexts,
  };
}

/** once: no quantifier; optional: `?`; more: at least once; repeated: any number of times, possibly none. */
type Times = 'once' | 'optional' | 'more' | 'repeated';

/**
 * One element with its quantifier. Without any of the four optional properties it is a character class, from which
 * nothing is derived.
 */
interface Item {
  readonly times: Times;
  readonly char?: string;
  readonly isDot?: true;
  /** An anchor, which matches no character. */
  readonly isAnchor?: true;
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

  /** Returns undefined for syntax that is not analyzed here. */
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
    if (char === '.') return { isDot: true };
    return char === '^' || char === '$' ? { isAnchor: true } : { char };
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
    const nextChar = this.source[this.position + 1];
    if (nextChar === undefined || 'QEpPx0123456789'.includes(nextChar)) return undefined;
    this.position += 2;
    if (!/[a-z]/i.test(nextChar)) return { char: nextChar };
    return 'bBAz'.includes(nextChar) ? { isAnchor: true } : {};
  }

  private parseQuantifier(): Times {
    if (!QUANTIFIERS.has(this.source[this.position])) return 'once';
    const [text = '', mark = '', minimum] = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(this.lookAhead()) ?? [];
    this.position += text.length;
    if (text === '') return 'once';
    if (minimum !== undefined) return Number(minimum) > 0 ? 'more' : 'repeated';
    return mark === '+' ? 'more' : mark === '?' ? 'optional' : 'repeated';
  }

  /** The next characters, enough for any quantifier. */
  private lookAhead(): string {
    return this.source.slice(this.position, this.position + 16);
  }
}

interface Analysis {
  /** All texts that the part matches, if they are few. */
  readonly exactTexts?: readonly string[];
  readonly requiredTexts: RequiredTexts;
}

/** Maximum number of alternatives that get an index entry each. */
const MAX_TEXTS = 16;

function analyzeBranches(branches: readonly (readonly Item[])[]): Analysis {
  const analyses = branches.map(analyzeSequence);
  const [onlyAnalysis, second] = analyses;
  if (onlyAnalysis && !second) return onlyAnalysis;
  const exactTexts = analyses.flatMap((analysis) => analysis.exactTexts ?? []);
  if (exactTexts.length <= MAX_TEXTS && analyses.every((analysis) => analysis.exactTexts))
    return { exactTexts, requiredTexts: [exactTexts] };
  const alternatives = analyses.flatMap((analysis) => analysis.requiredTexts[0] ?? []);
  const isKnown = alternatives.length <= MAX_TEXTS && analyses.every((analysis) => analysis.requiredTexts.length > 0);
  return { requiredTexts: isKnown ? [alternatives] : NO_REQUIRED_TEXTS };
}

function analyzeSequence(items: readonly Item[]): Analysis {
  const requiredTexts: (readonly string[])[] = [];
  let run: readonly string[] = [''];
  let isExact = true;
  const endRun = (nextRun: readonly string[] = ['']) => {
    if (!run.includes('')) requiredTexts.push(run);
    run = nextRun;
    isExact = false;
  };
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    if (item.isAnchor) continue;
    const end = findLiteralEnd(items, index);
    if (end > index) {
      const text = joinCharacters(items, index, end);
      run = run.map((head) => head + text);
      index = end - 1;
      continue;
    }
    const { exactTexts, requiredTexts: itemTexts } = analyzeItem(item);
    const extendedRun = exactTexts && extendRun(run, exactTexts, item.times);
    if (extendedRun) run = extendedRun;
    else {
      if (item.times === 'once' || item.times === 'more') requiredTexts.push(...itemTexts);
      endRun();
    }
    // `ab+c` contains `ab` and `bc`, but not always `abc`: a repeated item ends its run and begins the next one.
    if (extendedRun && item.times === 'more') endRun(exactTexts);
  }
  const exactTexts = isExact ? run : undefined;
  endRun();
  return { exactTexts, requiredTexts: sortLongestFirst(requiredTexts) };
}

/** Finds the end of a run of characters without quantifiers; most patterns consist of little else. */
function findLiteralEnd(items: readonly Item[], start: number): number {
  let end = start;
  while (items[end]?.char !== undefined && items[end]!.times === 'once') end++;
  return end;
}

function joinCharacters(items: readonly Item[], start: number, end: number): string {
  let text = '';
  for (let index = start; index < end; index++) text += items[index]!.char!;
  return text;
}

function analyzeItem({ char, group }: Item): Analysis {
  if (char !== undefined) return { exactTexts: [char], requiredTexts: [[char]] };
  return group ? analyzeBranches(group) : { requiredTexts: NO_REQUIRED_TEXTS };
}

function extendRun(run: readonly string[], texts: readonly string[], times: Times): readonly string[] | undefined {
  if (times === 'repeated') return undefined;
  const alternatives = times === 'optional' ? [...texts, ''] : texts;
  if (run.length * alternatives.length > MAX_TEXTS) return undefined;
  return run.flatMap((head) => alternatives.map((tail) => head + tail));
}

const getShortestLength = (texts: readonly string[]): number => Math.min(...texts.map((text) => text.length));

const sortLongestFirst = (sets: readonly (readonly string[])[]): RequiredTexts =>
  [...sets].sort((a, b) => getShortestLength(b) - getShortestLength(a));
