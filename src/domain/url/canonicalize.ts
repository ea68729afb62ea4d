/**
 * From what a link says to the one form under which a URL is known. The WHATWG parser does the standard part; the named
 * steps after it are the crawler's own choice (`canonicalization` in the definition) and run in the order of this list, until
 * none changes anything: what is canonical stays as it is.
 */
import { type CrawlUrl, crawlUrl } from './crawl-url.js';

/** In the order in which they run, whatever order the configuration names them in. */
export const CANONICALIZATION_STEPS = [
  'lower-case-path',
  'remove-session-ids',
  'remove-tracking-parameters',
  'sort-parameters',
  'remove-empty-query',
  'remove-default-document',
  'remove-trailing-slash',
  'collapse-slashes',
] as const;

export type CanonicalizationStep = (typeof CANONICALIZATION_STEPS)[number];

export const DEFAULT_CANONICALIZATION: readonly CanonicalizationStep[] = ['remove-session-ids', 'remove-empty-query'];

const SESSION_PARAMETER =
  /^(?:phpsessid|jsessionid|aspsessionid[a-z]*|asp\.net_sessionid|sid|sessionid|session_id|cfid|cftoken|zenid|osCsid)$/i;
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*/gi;
const SESSION_FOLDER = /\/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=\/)|\/\([0-9a-z]{24}\)(?=\/)/gi;
const TRACKING_PARAMETER =
  /^(?:utm_[a-z_]+|gclid|dclid|fbclid|msclkid|yclid|mc_cid|mc_eid|_ga|_gl|igshid|gbraid|wbraid)$/i;
const DEFAULT_DOCUMENT = /\/(?:index|default)\.(?:html?|xhtml|php[345]?|aspx?|jsp|cgi|shtml)$/i;

const STEPS: Readonly<Record<CanonicalizationStep, (url: URL) => void>> = {
  'lower-case-path': (url) => setPath(url, url.pathname.toLowerCase()),
  'remove-session-ids': (url) => {
    setPath(url, url.pathname.replace(SESSION_IN_PATH, '').replace(SESSION_FOLDER, ''));
    keepParameters(url, (name) => !SESSION_PARAMETER.test(name));
  },
  'remove-tracking-parameters': (url) => keepParameters(url, (name) => !TRACKING_PARAMETER.test(name)),
  'sort-parameters': (url) => {
    if (url.search.length > 1) setQuery(url, url.search.slice(1).split('&').sort().join('&'));
  },
  'remove-empty-query': (url) => {
    if (url.search === '') url.search = '';
  },
  'remove-default-document': (url) => setPath(url, url.pathname.replace(DEFAULT_DOCUMENT, '/')),
  'remove-trailing-slash': (url) => {
    if (url.pathname.length > 1) setPath(url, url.pathname.replace(/\/+$/, '') || '/');
  },
  'collapse-slashes': (url) => setPath(url, url.pathname.replace(/\/{2,}/g, '/')),
};

function setPath(url: URL, path: string): void {
  if (url.pathname !== path) url.pathname = path;
}

function setQuery(url: URL, query: string): void {
  const search = query === '' ? '' : `?${query}`;
  if (url.search !== search) url.search = search;
}

/** Works on the raw text of the query: decoding and encoding again would change other parameters. */
function keepParameters(url: URL, keep: (name: string) => boolean): void {
  if (url.search.length < 2) return;
  const pairs = url.search.slice(1).split('&');
  const kept = pairs.filter((pair) => keep(pair.split('=', 1)[0] ?? ''));
  if (kept.length < pairs.length) setQuery(url, kept.join('&'));
}

export type Canonicalizer = (raw: string, base?: string) => CrawlUrl | undefined;

/**
 * A function from a link as written (and the URL it is relative to) to the canonical URL, or undefined when it is no
 * URL with a host. The scheme is not judged here: the link rules' protocol rule does that.
 */
export function canonicalizer(steps: readonly CanonicalizationStep[]): Canonicalizer {
  const chosen = CANONICALIZATION_STEPS.filter((step) => steps.includes(step)).map((step) => STEPS[step]);
  return (raw, base) => {
    const url = URL.parse(raw, base);
    if (!url || (url.host === '' && url.protocol !== 'file:')) return undefined;
    const fragment = url.hash.slice(1);
    url.hash = '';
    if (url.username !== '' || url.password !== '') {
      url.username = '';
      url.password = '';
    }
    // One step may lay bare what another takes away: `/index.html/`. Each only shortens or sorts, so this ends.
    for (let before = ''; before !== url.href; ) {
      before = url.href;
      for (const step of chosen) step(url);
    }
    return crawlUrl(url.href, fragment);
  };
}
