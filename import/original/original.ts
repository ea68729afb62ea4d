/** What the product that a configuration was written for says about a URL, by the product's own documentation. */

interface OriginalVerdict {
  readonly accepted: boolean;
  /** The rule that decided, with its place, or what decides without a rule. */
  readonly by: string;
}

export interface Original {
  /** @param url without a fragment, in the form of the URL standard */
  judge(url: URL): OriginalVerdict;
}

/** A part of a configuration that decides alone; all parts have to accept a URL. */
export type Filter = (url: URL) => OriginalVerdict;

export const joinFilters = (filters: readonly Filter[]): Original => ({
  judge(url) {
    let verdict: OriginalVerdict = { accepted: true, by: 'no rule' };
    for (const filter of filters) {
      verdict = filter(url);
      if (!verdict.accepted) return verdict;
    }
    return verdict;
  },
});

/** A rule whose expression cannot be evaluated here makes the whole comparison worthless. */
export class NotEvaluable extends Error {
  override readonly name = 'NotEvaluable';
}

type Dialect = 'java' | 'ruby' | 'posix';

/**
 * Compiles an expression of another engine for the one of this runtime, which also knows lookaround and back-references.
 * @throws NotEvaluable with the place of an expression that it does not know
 */
export function compileExpression(
  source: string,
  place: string,
  options: { dialect?: Dialect; whole?: boolean; ignoreCase?: boolean } = {},
): RegExp {
  const { dialect = 'java', whole = false, ignoreCase = false } = options;
  const atoms =
    dialect === 'ruby'
      ? source
          .replace(/\\A/g, '^')
          .replace(/\\[zZ]/g, '$')
          .replace(/\\h/g, '[0-9a-fA-F]')
      : source;
  // Java reads `[a-z&&[^b]]` and `[a[b]]` as operations on sets, which this engine has as well, in its own mode.
  const { text, ignoresCase } = readFlags(atoms);
  const flags = ignoreCase || ignoresCase ? 'i' : '';
  try {
    return new RegExp(whole ? `^(?:${text})$` : text, flags);
  } catch {
    throw new NotEvaluable(`${place}: the expression ${source} cannot be evaluated`);
  }
}

/** `(?i)` applies to the rest of the expression. */
function readFlags(source: string): { text: string; ignoresCase: boolean } {
  const index = source.indexOf('(?i)');
  if (index < 0) return { text: source, ignoresCase: false };
  const rest = source.slice(index + 4);
  return index === 0
    ? { text: rest, ignoresCase: true }
    : { text: `${source.slice(0, index)}(?i:${rest})`, ignoresCase: false };
}

/** Whether a text matches a pattern in which `*` stands for any characters, and `?` for one. */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Lines with their places. */
export interface Line {
  readonly text: string;
  readonly place: string;
}

export const listLines = ({ name, text }: { readonly name: string; readonly text: string }): Line[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ text: line, place: `${name}:${index + 1}` }));
