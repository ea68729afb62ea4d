const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const UUID_LENGTH = 36;
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
const LONGEST_MONTH = 9;

/**
 * What a URL has in common with the others that the same program makes: the path with its numbers, dates and ids as `N`, and `?`
 * for any query. `/2031/05/`, `/2031/may/1/` and `/20310501/` are all `/N/`; `/s/8f3acc/p7.html` is `/s/N.html`.
 * @param href a canonical URL
 * @returns undefined if nothing in it varies: a path of words, without a query
 */
export function urlPattern(href: string): string | undefined {
  const pathStart = href.indexOf('/', href.indexOf('://') + 3);
  const queryStart = href.indexOf('?', pathStart);
  if (queryStart >= 0) return `${withoutNumbers(href.slice(pathStart, queryStart))}?`;
  return hasDigit(href, pathStart) ? withoutNumbers(href.slice(pathStart)) : undefined;
}

/** Written by hand, because it runs for every URL that is found. */
function withoutNumbers(path: string): string {
  const text = path.length > UUID_LENGTH && path.includes('-') ? path.replace(UUID, '0') : path;
  let pattern = '';
  /** Where a number ended that only one sign separates from what follows. */
  let numberEnd = -1;
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let varies = false;
    for (let code = text.charCodeAt(at); isDigit(code) || isLetter(code); code = text.charCodeAt(++at)) {
      varies ||= isDigit(code);
    }
    const word = text.slice(start, at);
    if (varies || isMonth(word)) {
      pattern = numberEnd === start - 1 ? pattern.slice(0, -1) : `${pattern}N`;
      numberEnd = at;
    } else pattern += word;
    if (at < text.length) pattern += text[at];
  }
  return pattern;
}

const isMonth = (word: string): boolean => word.length >= 3 && word.length <= LONGEST_MONTH && MONTH.test(word);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

function hasDigit(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}
