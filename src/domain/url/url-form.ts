/**
 * Converts equivalent variants of a URL to one form (RFC 3986, 6.2.2): escapes that are not needed are decoded, the
 * digits of the others become upper case, and the host loses a trailing dot. URLs are stored in this form, and rules
 * are compared in it.
 */
import { type CrawlUrl, getOrigin, getSearch, toCrawlUrl } from './crawl-url.js';

const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
const HEX_DIGIT = /^[0-9a-f]$/i;
const DOT = 46;

/** The normal form of each percent-encoded byte, by its two upper-case hex digits. */
const NORMAL = new Map<string, string>();
for (let byte = 0; byte < 256; byte++) {
  const char = String.fromCharCode(byte);
  const digits = byte.toString(16).toUpperCase().padStart(2, '0');
  NORMAL.set(digits, UNRESERVED.test(char) ? char : `%${digits}`);
}

/** Normalizes percent-encoding; text that is already in normal form is unchanged. */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (found: string, at: number) => {
    const digits = found.slice(1).toUpperCase();
    // A stray percent sign must not become an escape because what follows it is decoded: `%%36%31`.
    return followsStrayPercent(text, at) ? `%${digits}` : (NORMAL.get(digits) ?? found);
  });
}

const followsStrayPercent = (text: string, at: number): boolean =>
  text[at - 1] === '%' || (text[at - 2] === '%' && HEX_DIGIT.test(text[at - 1] ?? ''));

/** Whether the host has a trailing dot: it is the same name, fully qualified to the DNS root. */
export const hasTrailingDot = ({ host }: CrawlUrl): boolean =>
  host.charCodeAt(host.length - 1) === DOT && host.length > 1 && host.charCodeAt(host.length - 2) !== DOT;

export function stripTrailingDot(url: CrawlUrl): CrawlUrl {
  if (!hasTrailingDot(url)) return url;
  const port = url.port === '' ? '' : `:${url.port}`;
  return toCrawlUrl(`${url.scheme}://${url.host.slice(0, -1)}${port}${url.path}${getSearch(url)}`, url.fragment);
}

/**
 * The URL in the form in which rules are compared with it. A canonical URL is already in this form, unless the
 * configuration keeps trailing dots, or an earlier version stored it.
 */
export function toComparableUrl(url: CrawlUrl): CrawlUrl {
  const normal = normalizeEscapes(url.href);
  return stripTrailingDot(normal === url.href ? url : toCrawlUrl(normal, url.fragment));
}

/** Whether both URLs are on the same server: scheme, host and port. */
export const isSameOrigin = (a: CrawlUrl, b: CrawlUrl): boolean =>
  getOrigin(stripTrailingDot(a)) === getOrigin(stripTrailingDot(b));
