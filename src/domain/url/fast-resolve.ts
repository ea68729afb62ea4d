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

/** Is the fragment written as the parser would write it? */
export const isPlainFragment = (fragment: string): boolean => FRAGMENT.test(fragment);

/**
 * The URL to which `link`, which has no fragment, refers on the page `base`; undefined if only the parser can tell.
 * `base` is a canonical http or https URL.
 */
export function resolveFast(link: string, base: CrawlUrl): string | undefined {
  const questionMark = link.indexOf('?');
  const search = questionMark < 0 ? '' : link.slice(questionMark);
  if (search !== '' && !QUERY.test(search)) return undefined;
  const front = questionMark < 0 ? link : link.slice(0, questionMark);
  if (front === '') return getOrigin(base) + base.path + (search === '' ? getSearch(base) : search);
  if (!PATH.test(front)) return undefined;
  if (front.startsWith('https://') || front.startsWith('http://'))
    return resolveAbsolute(front, front.indexOf('/') + 2, search);
  if (front.startsWith('//')) return resolveAbsolute(`${base.scheme}:${front}`, base.scheme.length + 3, search);
  if (front.startsWith('/')) return DOT_SEGMENT.test(front) ? undefined : getOrigin(base) + front + search;
  // What precedes a colon may be a scheme.
  if (front.includes(':')) return undefined;
  const path = resolvePath(front, base.path.slice(0, base.path.lastIndexOf('/') + 1));
  return path === undefined ? undefined : getOrigin(base) + path + search;
}

function resolveAbsolute(front: string, hostStart: number, search: string): string | undefined {
  const slash = front.indexOf('/', hostStart);
  const host = slash < 0 ? front.slice(hostStart) : front.slice(hostStart, slash);
  if (!HOST.test(host) || host.includes('xn--')) return undefined;
  if (slash < 0) return `${front}/${search}`;
  return DOT_SEGMENT.test(front.slice(slash)) ? undefined : front + search;
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
