import type { FetchRequest } from '../ports/fetcher.js';
import type { SessionAnswer } from '../ports/login-method.js';
import { type HttpResponse, isRedirect } from './page-outcome.js';

/** Number of bytes at the start of a page that are searched for the login form. */
const MAX_SEARCHED_BYTES = 512 * 1024;

/** Extracts the parts of a response that matter to the session of its request. */
export function toSessionAnswer({ url, session }: FetchRequest, response: HttpResponse): SessionAnswer {
  const { status, headers, body } = response;
  const location = isRedirect(response) ? headers['location'] : undefined;
  return {
    url,
    status,
    location: location === undefined ? undefined : URL.parse(location, url)?.href,
    setCookie: headers['set-cookie'],
    challenge: headers['www-authenticate'],
    authenticationInfo: headers['authentication-info'],
    loggedOut: status === 200 && session?.loggedOut !== undefined ? containsAll(body, session.loggedOut) : undefined,
  };
}

/** Field names and markup are ASCII, which almost all page encodings share with UTF-8. */
function containsAll(body: Uint8Array, fragments: readonly string[]): boolean {
  if (fragments.length === 0) return false;
  const start = new TextDecoder().decode(body.subarray(0, MAX_SEARCHED_BYTES));
  return fragments.every((fragment) => start.includes(fragment));
}
