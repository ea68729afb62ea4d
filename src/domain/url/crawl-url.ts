/**
 * A URL in canonical form, split into its parts once, with everything that the policy matches. The canonical form is
 * the WHATWG serialization without fragment and without user info, after the crawler's own canonicalization steps, one
 * of which keeps fragments that are routes; two URLs are the same if their `href` is equal.
 */
export interface CrawlUrl {
  readonly href: string;
  /** In lower case, without the colon: `http`, `https`. */
  readonly scheme: string;
  /** Host name without port, in lower case and punycode; IPv6 addresses are in brackets. */
  readonly host: string;
  /** Empty if it is the scheme's default. */
  readonly port: string;
  /** With its leading slash. */
  readonly path: string;
  /** Without `?`; empty if there is none. */
  readonly query: string;
  /**
   * Without `#`. In a canonical URL, the route if one is kept, otherwise empty; rules on `fragment` are matched
   * against the link's fragment.
   */
  readonly fragment: string;
  /** Set if the link had a `?` and the canonicalization steps have removed its query. */
  readonly lostQuery?: true;
}

/** Splits a canonical URL into its parts, without validation: pass only what `canonicalize` has returned. */
export function toCrawlUrl(href: string, fragment = ''): CrawlUrl {
  const schemeEnd = href.indexOf(':');
  const authorityStart = schemeEnd + 3;
  const hashIndex = href.indexOf('#', authorityStart);
  const end = hashIndex < 0 ? href.length : hashIndex;
  let queryStart = href.indexOf('?', authorityStart);
  if (queryStart < 0 || queryStart > end) queryStart = end;
  let pathStart = href.indexOf('/', authorityStart);
  if (pathStart < 0 || pathStart > queryStart) pathStart = queryStart;
  const authority = href.slice(authorityStart, pathStart);
  const portColon = authority.charCodeAt(authority.length - 1) === 93 ? -1 : authority.lastIndexOf(':');
  return {
    href,
    scheme: href.slice(0, schemeEnd),
    host: portColon < 0 ? authority : authority.slice(0, portColon),
    port: portColon < 0 ? '' : authority.slice(portColon + 1),
    path: href.slice(pathStart, queryStart),
    query: href.slice(queryStart + 1, end),
    fragment: hashIndex < 0 ? fragment : href.slice(hashIndex + 1),
  };
}

/**
 * The key of the web server for politeness: host name, with the port if it is not the default. For its operator, http
 * and https under one name are the same machine, so they share one key.
 */
export const getHostKey = (url: CrawlUrl): string => (url.port === '' ? url.host : `${url.host}:${url.port}`);

/** Scheme, host and port: a server in mnoGoSearch's sense, and the scope of one robots.txt (RFC 9309, 2.3). */
export const getOrigin = (url: CrawlUrl): string =>
  url.port === '' ? `${url.scheme}://${url.host}` : `${url.scheme}://${url.host}:${url.port}`;

/**
 * Whether a fragment, without its `#`, names a page of an application that keeps its route there: `#/orders/7`,
 * `#!/orders/7`. The start page's route is the URL without a fragment.
 */
export const isHashRoute = (fragment: string): boolean =>
  (fragment.length > 1 && fragment.charCodeAt(0) === SLASH) || (fragment.length > 2 && fragment.startsWith('!/'));

const SLASH = 0x2f;

/** The URL up to its query or fragment. */
export function stripQuery(href: string): string {
  const end = href.search(/[?#]/);
  return end < 0 ? href : href.slice(0, end);
}

/** Removes user name and password from a URL as written, so that it can be displayed safely. */
export const stripUserInfo = (raw: string): string => raw.replace(USER_INFO, '$1');

/** Also without slashes, as the URL standard allows it for web addresses; in an e-mail address, `@` is something else. */
const USER_INFO = /^(\s*(?!(?:mailto|xmpp|sips?|im):)[a-z][a-z\d+.-]*:[/\\]*)[^/\\?#]*@/i;

/** Whether a URL, or the beginning of one, contains user info: `http://user:password@host/`. */
export const hasUserInfo = (raw: string): boolean => USER_INFO.test(raw);

/** The query with its `?`; empty if there is none. Distinguishes `/a?` from `/a`, which `query` does not. */
export function getSearch(url: CrawlUrl): string {
  if (url.query !== '') return `?${url.query}`;
  return url.href.endsWith('?') ? '?' : '';
}
