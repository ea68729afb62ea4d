/** From a match expression of a crawl rule to one predicate, and the texts of which a match must contain one. */
import type { MatchExpression } from '../../crawl/definition.js';
import type { Problem } from '../../crawl/place.js';
import { encodeHost } from './fold.js';
import type { Predicate } from './subject.js';
import { compilePattern } from './text-matcher.js';

export interface CompiledExpression {
  readonly matches: Predicate;
  /** Lower-case texts: the folded URL of every match contains one of them. Undefined: any URL may match. */
  readonly necessary?: readonly string[];
}

type Atom = Extract<MatchExpression, { type: 'atom' }>;

const NEVER: CompiledExpression = { matches: () => false };

/** Adds what does not compile to `problems`; the result is then of no use. */
export function compileExpression(expression: MatchExpression, problems: Problem[]): CompiledExpression {
  switch (expression.type) {
    case 'and':
      return and(expression.children.map((child) => compileExpression(child, problems)));
    case 'or':
      return or(expression.children.map((child) => compileExpression(child, problems)));
    case 'not': {
      const child = compileExpression(expression.child, problems).matches;
      return { matches: (subject) => !child(subject) };
    }
    case 'length': {
      const { field, minimum = 0, maximum = Number.POSITIVE_INFINITY } = expression;
      return {
        matches: (subject) => {
          const { length } = subject.text(field, 'none');
          return length >= minimum && length <= maximum;
        },
      };
    }
    case 'domain':
      return domain(expression.value);
    case 'atom':
      return atom(expression, problems);
  }
}

function and(children: readonly CompiledExpression[]): CompiledExpression {
  const [first, second] = children.map((child) => child.matches);
  const necessary = children
    .map((child) => child.necessary)
    .filter((texts) => texts !== undefined)
    .sort((a, b) => selectivity(b) - selectivity(a))[0];
  if (first && !second) return { matches: first, necessary };
  return { matches: (subject) => children.every((child) => child.matches(subject)), necessary };
}

/** Few and long texts find few URLs. */
const selectivity = (texts: readonly string[]): number =>
  Math.min(...texts.map((text) => text.length)) - texts.length / 1000;

function or(children: readonly CompiledExpression[]): CompiledExpression {
  const necessary = children.every((child) => child.necessary !== undefined)
    ? children.flatMap((child) => child.necessary ?? [])
    : undefined;
  return { matches: (subject) => children.some((child) => child.matches(subject)), necessary };
}

/** The host itself and all names below it. */
function domain(value: string): CompiledExpression {
  const host = encodeHost(value.replace(/^\./, ''));
  const below = `.${host}`;
  return { matches: ({ url }) => url.host === host || url.host.endsWith(below), necessary: [host] };
}

function atom(expression: Atom, problems: Problem[]): CompiledExpression {
  const { field, norm, value, place } = expression;
  try {
    const { matches, necessary } = compilePattern(expression);
    // The fragment is no part of a canonical URL, so the index cannot see it.
    const usable = necessary !== '' && field !== 'fragment';
    return {
      matches: (subject) => matches(subject.text(field, norm)),
      necessary: usable ? [necessary.toLowerCase()] : undefined,
    };
  } catch (error) {
    problems.push(patternProblem(value, error, place));
    return NEVER;
  }
}

/** Regular expressions run in linear time only; what the engine cannot do so is refused with its place. */
export function patternProblem(value: string, error: unknown, place: Problem['place']): Problem {
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
  const hint = /\(\?[=!<]|invalid escape sequence: `\\\d/.test(reason)
    ? ' (look-around and back-references do not run in linear time: write it as several rules)'
    : '';
  return {
    severity: 'error',
    code: 'bad-pattern',
    message: `pattern "${value.slice(0, 200)}" is not a regular expression that can be used: ${reason}${hint}`,
    place,
  };
}
