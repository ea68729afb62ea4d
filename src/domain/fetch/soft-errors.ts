import { RE2JS } from 're2js';
import type { SoftErrorDefinition } from '../crawl/definition.js';
import { type Place, placeText } from '../crawl/place.js';

/** Characters of a page's text that patterns see: an error message stands near the top of its page. */
const MAX_TEXT = 65_536;

export interface SoftErrorPage {
  /** Canonical URL. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

export interface SoftErrorMatcher {
  /** The status that the page is treated as, and the place of the pattern that says so; the first pattern that matches wins. */
  match(page: SoftErrorPage): { readonly status: number; readonly place: Place } | undefined;
}

/**
 * Patterns of pages that are errors although their status says 200 (seed: OmniFind). Test them on 200 answers only. A pattern
 * is found anywhere in its field, as written, on an engine with linear time.
 * @throws Error that names the place of a pattern that is not valid.
 */
export function compileSoftErrors(definitions: readonly SoftErrorDefinition[]): SoftErrorMatcher {
  const tests = definitions.map((definition) => ({ ...definition, pattern: compile(definition) }));
  return {
    match(page) {
      const fields = { url: page.url, title: page.title, content: page.text.slice(0, MAX_TEXT) };
      const found = tests.find(({ field, pattern }) => pattern.test(fields[field]));
      return found && { status: found.status, place: found.place };
    },
  };
}

function compile({ pattern, place }: SoftErrorDefinition): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${placeText(place)} the pattern of a soft error is not valid: ${reason}`, { cause: error });
  }
}
