import { RE2JS } from 're2js';
import type { SoftErrorDefinition } from '../crawl/definition.js';
import { formatPlace, type Place } from '../crawl/place.js';

/** Maximum number of characters of a page's text that are searched: an error message is near the top of its page. */
const MAX_TEXT_LENGTH = 65_536;

interface SoftErrorPage {
  /** Canonical URL. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

export interface SoftErrorMatcher {
  /** The status to use for the page, and the place of the pattern that matched; the first match wins. */
  match(page: SoftErrorPage): { readonly status: number; readonly place: Place } | undefined;
}

/**
 * Compiles the patterns of pages that are errors despite status 200 (reference: OmniFind). Apply them only to responses
 * with status 200. A pattern may match anywhere in its field; matching is case-sensitive and takes linear time. If
 * patterns for URL, title and content are given together, all must match.
 * @throws SoftErrorFault if a pattern is not valid
 */
export function compileSoftErrors(definitions: readonly SoftErrorDefinition[]): SoftErrorMatcher {
  const matchers = definitions.map((definition) => ({ ...definition, patterns: compileSoftErrorPatterns(definition) }));
  return {
    match(page) {
      // On one line, so that a pattern need not know where the blocks of a page end.
      const content = page.text.slice(0, MAX_TEXT_LENGTH).replaceAll('\n', ' ');
      const fields = { url: page.url, title: page.title, content };
      const match = matchers.find(({ patterns }) => patterns.every(({ field, regex }) => regex.test(fields[field])));
      return match && { status: match.status, place: match.place };
    },
  };
}

const FIELDS = ['url', 'title', 'content'] as const;

/** Thrown if the engine rejects a pattern; `cause` is the engine's error. */
export class SoftErrorFault extends Error {
  override readonly name = 'SoftErrorFault';
  constructor(
    readonly pattern: string,
    place: Place,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${formatPlace(place)} the pattern of a soft error is not valid: ${reason}`, { cause });
  }
}

function compileSoftErrorPatterns(definition: SoftErrorDefinition) {
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
