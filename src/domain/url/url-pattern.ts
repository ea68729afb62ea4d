/** From here on the combinations of parameters are one pattern: of ten facets there are a thousand. */
const MANY_PARAMETERS = 3;

const HEXADECIMAL_ID = /^[0-9a-f]{8,}$/i;
const LONG_ID = 16;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const UUID_LENGTH = 36;
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
const LONGEST_MONTH = 9;

/**
 * What a URL has in common with the others that the same program makes: the path with its numbers, dates and ids taken
 * out, and the names of the parameters. `/2031/05/` is `/N/N/`, `/event-2031-may` is `/event-N-M`, `/s/8f3acc01/cart` is
 * `/s/H/cart`, `?b=1&a=2` is `?a&b`, three and more parameters are `?*`.
 *
 * @param href a canonical URL
 * @returns undefined when nothing of it varies: a path of words, without a query
 */
export function urlPattern(href: string): string | undefined {
  const pathStart = href.indexOf('/', href.indexOf('://') + 3);
  const queryStart = href.indexOf('?', pathStart);
  if (queryStart >= 0) {
    const path = withoutNumbers(href.slice(pathStart, queryStart));
    return `${path}?${parameterNames(href, queryStart + 1)}`;
  }
  return hasDigit(href, pathStart) ? withoutNumbers(href.slice(pathStart)) : undefined;
}

/** By hand, because it is done for every URL that is found. */
function withoutNumbers(path: string): string {
  const text = path.length > UUID_LENGTH && path.includes('-') ? path.replace(UUID, '0123456789abcdef') : path;
  let pattern = '';
  for (let at = 0; at < text.length; ) {
    const start = at;
    let digits = 0;
    for (let code = text.charCodeAt(at); isDigit(code) || isLetter(code); code = text.charCodeAt(++at)) {
      if (isDigit(code)) digits++;
    }
    const word = text.slice(start, at);
    pattern += digits === 0 ? (isMonth(word) ? 'M' : word) : numbered(word, digits);
    if (at < text.length) pattern += text[at++];
  }
  return pattern;
}

function numbered(word: string, digits: number): string {
  if (digits === word.length) return 'N';
  return word.length >= LONG_ID || HEXADECIMAL_ID.test(word) ? 'H' : word.replace(/\d+/g, 'N');
}

const isMonth = (word: string): boolean => word.length >= 3 && word.length <= LONGEST_MONTH && MONTH.test(word);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

function hasDigit(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}

function parameterNames(href: string, from: number): string {
  const names = new Set<string>();
  for (let at = from; at < href.length && names.size < MANY_PARAMETERS; ) {
    let end = href.indexOf('&', at);
    if (end < 0) end = href.length;
    const equals = href.indexOf('=', at);
    names.add(withoutNumbers(href.slice(at, equals < 0 || equals > end ? end : equals)));
    at = end + 1;
  }
  return names.size < MANY_PARAMETERS ? [...names].sort().join('&') : '*';
}
