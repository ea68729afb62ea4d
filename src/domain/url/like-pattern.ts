/**
 * Patterns that people write for stored URLs: SQL LIKE (`%`, `_`), as mnoGoSearch's indexer expects, or asterisks
 * alone.
 */

/**
 * The LIKE pattern for a pattern as written. An asterisk is a wildcard if there is no `%`; `_` is then an ordinary
 * character.
 */
export const toLikePattern = (written: string): string =>
  written.includes('*') && !written.includes('%')
    ? written.replace(/[\\_]/g, (special) => `\\${special}`).replaceAll('*', '%')
    : written;

/** The LIKE pattern of all URLs that begin with `text`. */
export const toLikePrefix = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;

/** What is probably wrong with a pattern that matches nothing; undefined if nothing seems wrong. */
export function findLikeHint(written: string): string | undefined {
  if (/^(?:%|\*|https?:|h)/i.test(written)) {
    return /[%*]/.test(written) || written.includes('_')
      ? undefined
      : `It has no wildcard, so only the URL ${written} itself would match: end it with %.`;
  }
  return `A pattern is for the whole URL, which begins with http:// or https://: write ${written.includes('*') && !written.includes('%') ? '*' : '%'}${written}.`;
}
