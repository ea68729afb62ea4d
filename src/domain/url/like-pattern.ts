/** Patterns that people write for stored URLs: SQL LIKE (`%`, `_`), as the seed's indexer wants it, or asterisks alone. */

/** The LIKE pattern of what was written. An asterisk is a wildcard where no `%` is; then `_` is an ordinary character. */
export const likeOf = (written: string): string =>
  written.includes('*') && !written.includes('%')
    ? written.replace(/[\\_]/g, (special) => `\\${special}`).replaceAll('*', '%')
    : written;

/** The LIKE pattern of all URLs that begin with the text. */
export const likePrefix = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;

/** What probably went wrong with a pattern that matches nothing; undefined when nothing is strange. */
export function likeHint(written: string): string | undefined {
  if (/^(?:%|\*|https?:|h)/i.test(written)) {
    return /[%*]/.test(written) || written.includes('_')
      ? undefined
      : `It has no wildcard, so only the URL ${written} itself would match: end it with %.`;
  }
  return `A pattern is for the whole URL, which begins with http:// or https://: write ${written.includes('*') && !written.includes('%') ? '*' : '%'}${written}.`;
}
