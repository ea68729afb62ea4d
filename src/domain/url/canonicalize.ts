/**
 * Converts a link to the one form under which its URL is known. The WHATWG parser does the standard part, and
 * percent-encoding is always normalized; the named steps after it are the crawler's own choice (`canonicalization` in
 * the definition). They run in the order of this list until none changes anything, so a canonical URL stays unchanged.
 */
import { type CrawlUrl, getSearch, isHashRoute, toCrawlUrl } from './crawl-url.js';
import { isPlainFragment, resolveFast } from './fast-resolve.js';
import { toLowerCase } from './non-ascii.js';
import { hasTrailingDot, normalizeEscapes, stripTrailingDot } from './url-form.js';

/** In the order in which they run, regardless of their order in the configuration. */
export const CANONICALIZATION_STEPS = [
  'remove-trailing-dot',
  'lower-case-path',
  'remove-session-ids',
  'remove-tracking-parameters',
  'sort-parameters',
  'remove-empty-query',
  'remove-default-document',
  'remove-trailing-slash',
  'collapse-slashes',
  'keep-hash-routes',
] as const;

export type CanonicalizationStep = (typeof CANONICALIZATION_STEPS)[number];

export const DEFAULT_CANONICALIZATION: readonly CanonicalizationStep[] = [
  'remove-trailing-dot',
  'remove-session-ids',
  'remove-empty-query',
];

/**
 * Some names are also used for stories and for conference sessions: with those, the value must look like the
 * unguessable id of a visitor's session, or be empty.
 */
const SESSION_PARAMETER =
  /(?:^\?|&)(?:(?:phpsessid|jsessionid|aspsessionid[a-z]*|asp\.net_sessionid|cfid|cftoken|zenid|osCsid)(?=[=&]|$)|(?:sid|sessionid|session_id)(?:=(?:(?=[a-z]*\d)[0-9a-z]{16,}|[a-z]{24,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)?(?=&|$))/i;
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*/gi;
const SESSION_FOLDER = /\/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=\/)|\/\([0-9a-z]{24}\)(?=\/)/gi;
const TRACKING_PARAMETER =
  /(?:^\?|&)(?:utm_[a-z_]+|gclid|dclid|fbclid|msclkid|yclid|mc_cid|mc_eid|_ga|_gl|igshid|gbraid|wbraid)(?=[=&]|$)/i;
const DEFAULT_DOCUMENT = /\/(?:index|default)\.(?:html?|xhtml|php[345]?|aspx?|jsp|cgi|shtml)$/i;

/** The only step that concerns the host. */
const HOST_STEP = 'remove-trailing-dot';
/** The only step that concerns the fragment, which is removed first and put back at the end. */
const FRAGMENT_STEP = 'keep-hash-routes';

/** How a step changes the path, and the query with its `?` (empty if there is none). */
interface Step {
  readonly path?: (path: string) => string;
  readonly search?: (search: string) => string;
}

const STEPS: Readonly<Record<Exclude<CanonicalizationStep, typeof HOST_STEP | typeof FRAGMENT_STEP>, Step>> = {
  'lower-case-path': { path: toLowerCase },
  'remove-session-ids': {
    path: (path) => (/[;(]/.test(path) ? path.replace(SESSION_IN_PATH, '').replace(SESSION_FOLDER, '') : path),
    search: (search) => removeParameters(search, SESSION_PARAMETER),
  },
  'remove-tracking-parameters': { search: (search) => removeParameters(search, TRACKING_PARAMETER) },
  'sort-parameters': { search: (search) => (search === '' ? '' : `?${search.slice(1).split('&').sort().join('&')}`) },
  'remove-empty-query': { search: (search) => (search === '?' ? '' : search) },
  'remove-default-document': { path: (path) => path.replace(DEFAULT_DOCUMENT, '/') },
  'remove-trailing-slash': {
    path: (path) => (path.length > 1 && path.endsWith('/') ? removeTrailingSlashes(path) : path),
  },
  'collapse-slashes': { path: (path) => path.replace(/\/{2,}/g, '/') },
};

/** Works on the query as written: decoding and re-encoding it would change other parameters. */
function removeParameters(search: string, pattern: RegExp): string {
  if (!pattern.test(search)) return search;
  const keptPairs = search
    .slice(1)
    .split('&')
    .filter((pair) => !pattern.test(`?${pair}`));
  return keptPairs.length === 0 ? '' : `?${keptPairs.join('&')}`;
}

function removeTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.endsWith('/', end)) end--;
  return path.slice(0, end);
}

export type Canonicalizer = (raw: string, base?: string | CrawlUrl) => CrawlUrl | undefined;

/**
 * Creates a function that converts a link as written (and the URL it is relative to) to the canonical URL, or undefined
 * if it is not a URL with a host. The scheme is not checked here: the protocol rule among the link rules does that. A
 * base that is a canonical web URL need not be parsed.
 */
export function createCanonicalizer(steps: readonly CanonicalizationStep[]): Canonicalizer {
  const chosenSteps = CANONICALIZATION_STEPS.flatMap((step) =>
    step !== HOST_STEP && step !== FRAGMENT_STEP && steps.includes(step) ? [STEPS[step]] : [],
  );
  const stripsDot = steps.includes(HOST_STEP);
  const addRoute = steps.includes(FRAGMENT_STEP) ? addHashRoute : undefined;
  const applyChosenSteps = (url: CrawlUrl | undefined): CrawlUrl | undefined =>
    applySteps(chosenSteps, url && stripsDot ? stripTrailingDot(url) : url);
  const applyFragmentStep = (raw: string, url: CrawlUrl | undefined): CrawlUrl | undefined => {
    const markedUrl = markLostQuery(raw, url);
    return addRoute && markedUrl ? addRoute(markedUrl) : markedUrl;
  };
  // All links of a page have the same base and come in succession.
  let base: { text: string; url: CrawlUrl | undefined } | undefined;
  const parseBase = (text: string): CrawlUrl | undefined => {
    if (base?.text !== text) base = { text, url: parseWebUrl(text) };
    return base.url;
  };
  return (raw, from) => {
    if (from === undefined) return applyFragmentStep(raw, applyChosenSteps(parseCanonical(raw)));
    const url = typeof from === 'string' ? parseBase(from) : from;
    const resolved = url && resolvePlainLink(raw, url);
    if (resolved) return applyFragmentStep(raw, applySteps(chosenSteps, resolved));
    return applyFragmentStep(raw, applyChosenSteps(parseCanonical(raw, typeof from === 'string' ? from : from.href)));
  };
}

/** Canonicalizes a web URL that was canonical under the same or different steps, so its host need not be parsed. */
export function recanonicalize(url: CrawlUrl, canonicalize: Canonicalizer): CrawlUrl | undefined {
  // Two slashes would start a host.
  const needsParser = hasTrailingDot(url) || url.path.startsWith('//');
  return needsParser || url.href.includes('#') ? canonicalize(url.href) : canonicalize(url.path + getSearch(url), url);
}

const addHashRoute = (url: CrawlUrl): CrawlUrl =>
  isHashRoute(url.fragment) ? { ...url, href: `${url.href}#${url.fragment}` } : url;

/** FDSE: "any web address which contains a question mark is said to have a query string", an empty one included. */
function markLostQuery(raw: string, url: CrawlUrl | undefined): CrawlUrl | undefined {
  if (!url || !raw.includes('?') || url.href.includes('?')) return url;
  return raw.indexOf('#') < 0 || raw.indexOf('?') < raw.indexOf('#') ? { ...url, lostQuery: true } : url;
}

/** Resolves a link, but keeps it as written otherwise, because a server may distinguish equivalent variants. */
export const resolveAsWritten = (raw: string, base: string): string | undefined => parseRaw(raw, base)?.href;

function parseWebUrl(text: string): CrawlUrl | undefined {
  const url = parseCanonical(text);
  return url && /^https?$/.test(url.scheme) ? url : undefined;
}

function resolvePlainLink(raw: string, base: CrawlUrl): CrawlUrl | undefined {
  const hashIndex = raw.indexOf('#');
  const fragment = hashIndex < 0 ? '' : raw.slice(hashIndex + 1);
  if (!isPlainFragment(fragment)) return undefined;
  const href = resolveFast(hashIndex < 0 ? raw : raw.slice(0, hashIndex), base);
  if (href === undefined) return undefined;
  return raw.includes('%')
    ? toCrawlUrl(normalizeEscapes(href), normalizeEscapes(fragment))
    : toCrawlUrl(href, fragment);
}

function parseCanonical(raw: string, base?: string): CrawlUrl | undefined {
  const url = parseRaw(raw, base);
  return url && toCrawlUrl(normalizeEscapes(url.href), normalizeEscapes(url.fragment));
}

function parseRaw(raw: string, base?: string): { readonly href: string; readonly fragment: string } | undefined {
  const url = URL.parse(raw, base);
  if (!url || (url.host === '' && url.protocol !== 'file:')) return undefined;
  const fragment = url.hash.slice(1);
  if (url.href.includes('#')) url.hash = '';
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return { href: url.href, fragment };
}

/** Every resolved link is at least as long as the page's base: a base of a megabyte could cost gigabytes. */
const MAX_BASE_LENGTH = 16_383;

/** The base of a page's relative links: `<base href>` as written, or the page's own URL. */
export function resolveBaseUrl(pageUrl: string, written: string | undefined): string {
  if (written === undefined) return pageUrl;
  const base = URL.parse(written, pageUrl);
  if (!base || base.href.length > MAX_BASE_LENGTH) return pageUrl;
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : pageUrl;
}

/** One step may expose what another one removes: `/index.html/`. Each step only shortens or sorts, so the loop ends. */
function applySteps(steps: readonly Step[], url: CrawlUrl | undefined): CrawlUrl | undefined {
  let current = url;
  while (current) {
    const previous: CrawlUrl = current;
    const previousSearch = getSearch(previous);
    let path = previous.path;
    let query = previousSearch;
    for (const step of steps) {
      if (step.path) path = step.path(path);
      if (step.search && query !== '') query = step.search(query);
    }
    if (path === previous.path && query === previousSearch) return previous;
    // The URL is parsed again, because a dot segment may have been exposed.
    const origin = previous.href.slice(0, previous.href.length - previous.path.length - previousSearch.length);
    current = parseCanonical(`${origin}${path}${query}`);
    if (current) current = { ...current, fragment: previous.fragment };
  }
  return current;
}
