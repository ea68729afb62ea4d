/** The language of a page: as it declares it if valid, otherwise what its text looks like. */
import { detectLanguage } from './language-detection.js';

/**
 * BCP 47, in its canonical spelling. `declared`: what the page says, best first; `sample`: returns its text, called if it says
 * nothing.
 */
export function determineLanguage(declared: readonly (string | undefined)[], sample: () => string): string | undefined {
  for (const tag of declared) {
    const language = canonicalizeLanguage(tag);
    if (language !== undefined) return language;
  }
  return detectLanguage(sample());
}

/**
 * A site declares one or two languages, but tags are untrusted input: a bounded number is cached, and overlong ones are rejected.
 */
const MOST_KNOWN = 100;
const LONGEST_KNOWN = 60;
const known = new Map<string, string | undefined>();

function canonicalizeLanguage(tag: string | undefined): string | undefined {
  if (tag === undefined || tag.length > LONGEST_KNOWN) return undefined;
  const found = known.get(tag);
  if (found !== undefined || known.has(tag)) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const language = canonicalizeTag(tag);
  known.set(tag, language);
  return language;
}

function canonicalizeTag(tag: string): string | undefined {
  const written = tag.trim().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,5}$/i.test(written)) return undefined;
  if (/^(?:und|mul|zxx)(?:-|$)/i.test(written)) return undefined;
  try {
    return Intl.getCanonicalLocales(written)[0];
  } catch {
    return undefined;
  }
}
