/**
 * Converts the patterns that users write for stored URLs: SQL LIKE (`%`, `_`), as in mnoGoSearch's indexer, or only
 * asterisks.
 */

/**
 * Converts a pattern as it was written to a LIKE pattern. An asterisk is a wildcard if there is no `%`; `_` is then an
 * ordinary character.
 */
export const toLikePattern = (pattern: string): string =>
  pattern.includes('*') && !pattern.includes('%')
    ? pattern.replace(/[\\_]/g, (character) => `\\${character}`).replaceAll('*', '%')
    : pattern;

/** The LIKE pattern of all URLs that begin with `text`. */
export const toLikePrefix = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Describes what is probably wrong with a pattern that matches nothing; undefined if nothing seems wrong. */
export function findLikeHint(pattern: string): string | undefined {
  if (/^(?:[%*]|https?:|h[%*_])/i.test(pattern)) {
    return /[%*]/.test(pattern) || pattern.includes('_')
      ? undefined
      : `It has no wildcard, so only the URL ${pattern} itself would match: end it with %.`;
  }
  return `A pattern must match the whole URL, which begins with http:// or https://: write ${pattern.includes('*') && !pattern.includes('%') ? '*' : '%'}${pattern}.`;
}
