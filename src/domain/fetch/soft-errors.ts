import { RE2JS } from 're2js';
import type { SoftErrorDefinition } from '../crawl/definition.js';
import { type Place, placeText } from '../crawl/place.js';

/** Characters of a page's text that are searched: an error message is near the top of its page. */
const MAX_TEXT = 65_536;

export interface SoftErrorPage {
  /** Canonical URL. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

export interface SoftErrorMatcher {
  /** The status as which the page is treated, and the place of the pattern that matched; the first match wins. */
  match(page: SoftErrorPage): { readonly status: number; readonly place: Place } | undefined;
}

/**
 * Patterns of pages that are errors although their status says 200 (reference: OmniFind). Use them on 200 answers only. A pattern is
 * found anywhere in its field, as written, by an engine with linear time. If patterns of URL, title and content are given together,
 * all must match.
 * @throws SoftErrorFault when a pattern is not valid
 */
export function compileSoftErrors(definitions: readonly SoftErrorDefinition[]): SoftErrorMatcher {
  const tests = definitions.map((definition) => ({ ...definition, patterns: compile(definition) }));
  return {
    match(page) {
      const fields = { url: page.url, title: page.title, content: page.text.slice(0, MAX_TEXT) };
      const found = tests.find(({ patterns }) => patterns.every(({ field, regex }) => regex.test(fields[field])));
      return found && { status: found.status, place: found.place };
    },
  };
}

const FIELDS = ['url', 'title', 'content'] as const;

/** A pattern that the engine refuses, with the engine's message as its cause. */
export class SoftErrorFault extends Error {
  override readonly name = 'SoftErrorFault';
  constructor(
    readonly pattern: string,
    place: Place,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${placeText(place)} the pattern of a soft error is not valid: ${reason}`, { cause });
  }
}

function compile(definition: SoftErrorDefinition) {
  return FIELDS.flatMap((field) => {
    const pattern = definition[field];
    return pattern === undefined ? [] : [{ field, regex: compileRegex(pattern, definition.place) }];
  });
}

function compileRegex(pattern: string, place: Place): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new SoftErrorFault(pattern, place, error);
  }
}
