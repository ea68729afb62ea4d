/**
 * Seconds after which search engines treat a refresh as part of the page, not as a redirect: within that time, a visitor cannot
 * read anything.
 */
export const QUICK_REFRESH = 1;

export interface Refresh {
  /** As written, perhaps relative. */
  readonly target: string;
  /** Whole seconds; what follows a full stop does not count. */
  readonly delay: number;
}

/**
 * The content of `<meta http-equiv=refresh>`, or of the header Refresh, by the steps of the HTML standard ("shared declarative
 * refresh steps"); undefined if it names no address (the page reloads itself) or is malformed.
 */
export function parseRefresh(content: string): Refresh | undefined {
  const target = parseTarget(content);
  return target === undefined ? undefined : { target, delay: Number.parseInt(content, 10) || 0 };
}

function parseTarget(content: string): string | undefined {
  const delay = /^[\t\n\f\r ]*(?:\d+[\d.]*|(?=\.)[\d.]+)/.exec(content);
  if (delay === null) return undefined;
  const rest = content.slice(delay[0].length);
  if (!/^[;,\t\n\f\r ]/.test(rest)) return undefined;
  const target = rest.replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, '').replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, '');
  const quote = target.charAt(0);
  if (quote !== '"' && quote !== "'") return target === '' ? undefined : target;
  const close = target.indexOf(quote, 1);
  return close < 0 ? target.slice(1) : target.slice(1, close);
}
