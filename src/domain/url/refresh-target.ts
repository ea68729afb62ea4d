/**
 * The address in the content of `<meta http-equiv=refresh>`, or of the header Refresh, by the steps of the HTML standard ("shared declarative
 * refresh steps"); undefined when there is none (the page reloads itself) or the content is malformed.
 */
export function refreshTarget(content: string): string | undefined {
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
