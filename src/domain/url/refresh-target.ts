/**
 * Up to this many seconds, search engines treat a refresh as a redirect, because a visitor cannot read anything in that
 * time; a refresh with a longer delay is part of the page.
 */
export const MAX_REDIRECT_DELAY = 1;

export interface Refresh {
  /** As written, perhaps relative. */
  readonly target: string;
  /** Whole seconds; a fraction is ignored. */
  readonly delay: number;
}

/**
 * Parses the content of `<meta http-equiv=refresh>`, or of the Refresh header, as the HTML standard does ("shared
 * declarative refresh steps"); undefined if it does not name an address (the page reloads itself) or is malformed.
 */
export function parseRefresh(content: string): Refresh | undefined {
  const target = parseTarget(content);
  return target === undefined ? undefined : { target, delay: Number.parseInt(content, 10) || 0 };
}

function parseTarget(content: string): string | undefined {
  const delayMatch = /^[\t\n\f\r ]*(?:\d+[\d.]*|(?=\.)[\d.]+)/.exec(content);
  if (delayMatch === null) return undefined;
  const rest = content.slice(delayMatch[0].length);
  if (!/^[;,\t\n\f\r ]/.test(rest)) return undefined;
  const target = rest.replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, '').replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, '');
  const quote = target.charAt(0);
  if (quote !== '"' && quote !== "'") return target === '' ? undefined : target;
  const closingIndex = target.indexOf(quote, 1);
  return closingIndex < 0 ? target.slice(1) : target.slice(1, closingIndex);
}
