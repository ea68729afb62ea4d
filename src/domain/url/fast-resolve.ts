/**
 * Resolves the most common kind of link without the WHATWG parser: plain ASCII in http(s), already in the form that the
 * parser would return. Anything uncertain is left to the parser; what is resolved here is exactly what the parser would
 * return.
 */
import { type CrawlUrl, getOrigin, getSearch } from './crawl-url.js';

/** Characters that no state of the parser changes or interprets, except in dot segments. */
const PATH = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/;
const QUERY = /^[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*$/;
const FRAGMENT = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*$/;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** A lower-case name whose last label begins with a letter, so that it is not an IPv4 address; without a port. */
const HOST = /^(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*$/;

/** Whether the fragment is already in the form that the parser would return. */
export const isPlainFragment = (fragment: string): boolean => FRAGMENT.test(fragment);

/**
 * The URL to which `link`, which has no fragment, refers on the page `base`; undefined if only the parser can tell.
 * `base` is a canonical http or https URL.
 */
export function resolveFast(link: string, base: CrawlUrl): string | undefined {
  const queryStart = link.indexOf('?');
  const search = queryStart < 0 ? '' : link.slice(queryStart);
  if (search !== '' && !QUERY.test(search)) return undefined;
  const beforeQuery = queryStart < 0 ? link : link.slice(0, queryStart);
  if (beforeQuery === '') return getOrigin(base) + base.path + (search === '' ? getSearch(base) : search);
  if (!PATH.test(beforeQuery)) return undefined;
  if (beforeQuery.startsWith('https://') || beforeQuery.startsWith('http://'))
    return resolveAbsolute(beforeQuery, beforeQuery.indexOf('/') + 2, search);
  if (beforeQuery.startsWith('//'))
    return resolveAbsolute(`${base.scheme}:${beforeQuery}`, base.scheme.length + 3, search);
  if (beforeQuery.startsWith('/'))
    return DOT_SEGMENT.test(beforeQuery) ? undefined : getOrigin(base) + beforeQuery + search;
  // What precedes a colon may be a scheme.
  if (beforeQuery.includes(':')) return undefined;
  const path = resolvePath(beforeQuery, base.path.slice(0, base.path.lastIndexOf('/') + 1));
  return path === undefined ? undefined : getOrigin(base) + path + search;
}

function resolveAbsolute(beforeQuery: string, hostStart: number, search: string): string | undefined {
  const pathStart = beforeQuery.indexOf('/', hostStart);
  const host = pathStart < 0 ? beforeQuery.slice(hostStart) : beforeQuery.slice(hostStart, pathStart);
  if (!HOST.test(host) || host.includes('xn--')) return undefined;
  if (pathStart < 0) return `${beforeQuery}/${search}`;
  return DOT_SEGMENT.test(beforeQuery.slice(pathStart)) ? undefined : beforeQuery + search;
}

/** Only leading dot segments are resolved; links rarely have others. */
function resolvePath(link: string, directory: string): string | undefined {
  let folder = directory;
  let rest = link;
  for (;;) {
    if (rest.startsWith('../')) {
      folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
      rest = rest.slice(3);
    } else if (rest.startsWith('./')) rest = rest.slice(2);
    else return DOT_SEGMENT.test(rest) ? undefined : folder + rest;
  }
}
