/**
 * Compiles a crawl rule's match expression to a predicate, and derives texts that every match must contain.
 */
import type { Problem } from '../../crawl/place.js';
import type { MatchExpression } from '../../crawl/policy-definition.js';
import { LiteralIndex } from './literal-index.js';
import {
  NO_REQUIRED_TEXTS,
  type RequiredTexts,
  requireAll,
  requireOneOf,
  requireText,
  toIndexForm,
} from './necessary.js';
import { normalizeHostText, stripTrailingDot } from './rule-text.js';
import type { Predicate } from './subject.js';
import { compilePattern } from './text-matcher.js';

export interface CompiledExpression {
  readonly matches: Predicate;
  /** In the form of the folded URL, in lower case. */
  readonly requiredTexts: RequiredTexts;
}

type Atom = Extract<MatchExpression, { type: 'atom' }>;

const NEVER_MATCHES: CompiledExpression = { matches: () => false, requiredTexts: NO_REQUIRED_TEXTS };

/** Adds compile errors to `problems`; if there are any, the result is unusable. */
export function compileExpression(expression: MatchExpression, problems: Problem[]): CompiledExpression {
  switch (expression.type) {
    case 'and':
      return compileAnd(expression.children.map((child) => compileExpression(child, problems)));
    case 'or':
      return compileOr(expression.children.map((child) => compileExpression(child, problems)));
    case 'not': {
      const matchesChild = compileExpression(expression.child, problems).matches;
      return { matches: (subject) => !matchesChild(subject), requiredTexts: NO_REQUIRED_TEXTS };
    }
    case 'length': {
      const { field, minimum = 0, maximum = Number.POSITIVE_INFINITY } = expression;
      return {
        matches: (subject) => {
          const { length } = subject.getText(field, 'none');
          return length >= minimum && length <= maximum;
        },
        requiredTexts: NO_REQUIRED_TEXTS,
      };
    }
    case 'domain':
      return compileDomain(expression.value);
    case 'atom':
      return compileAtom(expression, problems);
  }
}

function compileAnd(children: readonly CompiledExpression[]): CompiledExpression {
  const [onlyChild, second] = children;
  if (onlyChild && !second) return onlyChild;
  return {
    matches: (subject) => children.every((child) => child.matches(subject)),
    requiredTexts: requireAll(children.map((child) => child.requiredTexts)),
  };
}

/** Longer lists, such as thousands of hosts, are searched with an index. */
const INDEX_THRESHOLD = 16;

function compileOr(children: readonly CompiledExpression[]): CompiledExpression {
  const requiredTexts = children.map((child) => child.requiredTexts);
  const index = children.length > INDEX_THRESHOLD ? new LiteralIndex(requiredTexts) : undefined;
  return {
    matches: index
      ? (subject) =>
          index
            .findCandidates(subject.getText('url', 'lower'), subject.getText('url', 'norm'))
            .some((child) => children[child]!.matches(subject))
      : (subject) => children.some((child) => child.matches(subject)),
    requiredTexts: requireOneOf(requiredTexts),
  };
}

/** A domain as it appears in canonical URLs, without a leading dot. */
export const normalizeDomain = (value: string): string =>
  stripTrailingDot(normalizeHostText(value.replace(/^\./, ''), true));

/** Matches the host itself and all its subdomains. */
function compileDomain(value: string): CompiledExpression {
  const host = normalizeDomain(value);
  const suffix = `.${host}`;
  return { matches: ({ url }) => url.host === host || url.host.endsWith(suffix), requiredTexts: requireText(host) };
}

function compileAtom(expression: Atom, problems: Problem[]): CompiledExpression {
  const { field, norm, value, place } = expression;
  try {
    const { matches, requiredTexts } = compilePattern(expression);
    return {
      matches: (subject) => matches(subject.getText(field, norm)),
      // The fragment is not part of a canonical URL, so the index cannot find it.
      requiredTexts: field === 'fragment' ? NO_REQUIRED_TEXTS : toIndexForm(requiredTexts),
    };
  } catch (error) {
    problems.push(createPatternProblem(value, error, place));
    return NEVER_MATCHES;
  }
}

/**
 * Creates the problem for a pattern that is rejected: only regular expressions that run in linear time are supported.
 */
export function createPatternProblem(value: string, error: unknown, place: Problem['place']): Problem {
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
  const hint = /\(\?[=!<]|invalid escape sequence: `\\\d/.test(reason)
    ? ' (look-around and back-references do not run in linear time: write it as several rules)'
    : '';
  return {
    severity: 'error',
    code: 'bad-pattern',
    message: `pattern "${value.slice(0, 200)}" is not a usable regular expression: ${reason}${hint}`,
    place,
  };
}
