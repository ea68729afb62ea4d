/** The language of a page: its own word where it is one, else what its text looks like. */
import { detectLanguage } from './language-detection.js';

/** BCP 47, in its canonical spelling. `declared`: what the page says, best first; `sample`: of its text, asked for when it says nothing. */
export function languageOf(declared: readonly (string | undefined)[], sample: () => string): string | undefined {
  for (const tag of declared) {
    const language = canonical(tag);
    if (language !== undefined) return language;
  }
  return detectLanguage(sample());
}

function canonical(tag: string | undefined): string | undefined {
  const written = tag?.trim().replaceAll('_', '-');
  if (written === undefined || !/^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,5}$/i.test(written)) return undefined;
  if (/^(?:und|mul|zxx)(?:-|$)/i.test(written)) return undefined;
  try {
    return Intl.getCanonicalLocales(written)[0];
  } catch {
    return undefined;
  }
}
