/** Determines the language of a page: the declared one if valid, otherwise the one that its text appears to be in. */
import { detectLanguage } from './language-detection.js';

/**
 * Returns a BCP 47 tag in canonical spelling. `declared`: the page's declarations, best first; `sample`: returns the
 * page's text and is called only if there is no valid declaration.
 */
export function determineLanguage(declared: readonly (string | undefined)[], sample: () => string): string | undefined {
  for (const tag of declared) {
    const language = canonicalizeLanguage(tag);
    if (language !== undefined) return language;
  }
  return detectLanguage(sample());
}

/**
 * A site declares one or two languages, but tags are untrusted input, so a limited number is cached, and overlong ones
 * are rejected.
 */
const MAX_CACHED = 100;
const MAX_TAG_LENGTH = 60;
const canonicalTags = new Map<string, string | undefined>();

function canonicalizeLanguage(tag: string | undefined): string | undefined {
  if (tag === undefined || tag.length > MAX_TAG_LENGTH) return undefined;
  const cached = canonicalTags.get(tag);
  if (cached !== undefined || canonicalTags.has(tag)) return cached;
  if (canonicalTags.size >= MAX_CACHED) canonicalTags.clear();
  const language = canonicalizeTag(tag);
  canonicalTags.set(tag, language);
  return language;
}

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Whether a tag begins with two letters that no language has, often those of a country: `jp`, `cn`, `ua`, `dk`. */
const isCountryCode = (tag: string): boolean =>
  /^..(?:-|$)/.test(tag) && LANGUAGE_NAMES.of(tag.slice(0, 2)) === undefined;

function canonicalizeTag(tag: string): string | undefined {
  const normalized = tag.trim().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,5}$/i.test(normalized)) return undefined;
  if (/^(?:und|mul|zxx)(?:-|$)/i.test(normalized)) return undefined;
  try {
    const [canonical = ''] = Intl.getCanonicalLocales(normalized);
    return isCountryCode(canonical) ? undefined : canonical;
  } catch {
    return undefined;
  }
}
