/**
 * Converts equivalent variants of a URL to one form (RFC 3986, 6.2.2): what may be unencoded is decoded, the digits of the other
 * escapes are upper case, and a host has no trailing dot. URLs are stored in this form, and rules are compared in it.
 */
import { type CrawlUrl, crawlUrl, origin, search } from './crawl-url.js';

const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
const HEX_DIGIT = /^[0-9a-f]$/i;
const DOT = 46;

/** The percent-encoding of each byte in its normal form, by the two digits in upper case. */
const NORMAL = new Map<string, string>();
for (let byte = 0; byte < 256; byte++) {
  const char = String.fromCharCode(byte);
  const digits = byte.toString(16).toUpperCase().padStart(2, '0');
  NORMAL.set(digits, UNRESERVED.test(char) ? char : `%${digits}`);
}

/** Normalizes percent-encoding. What is already normal is unchanged. */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (found: string, at: number) => {
    const digits = found.slice(1).toUpperCase();
    // A percent sign that begins no escape must not become one through decoding of what follows: `%%36%31`.
    return followsStrayPercent(text, at) ? `%${digits}` : (NORMAL.get(digits) ?? found);
  });
}

const followsStrayPercent = (text: string, at: number): boolean =>
  text[at - 1] === '%' || (text[at - 2] === '%' && HEX_DIGIT.test(text[at - 1] ?? ''));

/** A name with a trailing dot is the same name, fully qualified to the root of the DNS. */
export const hasTrailingDot = ({ host }: CrawlUrl): boolean =>
  host.charCodeAt(host.length - 1) === DOT && host.length > 1 && host.charCodeAt(host.length - 2) !== DOT;

export function withoutTrailingDot(url: CrawlUrl): CrawlUrl {
  if (!hasTrailingDot(url)) return url;
  const port = url.port === '' ? '' : `:${url.port}`;
  return crawlUrl(`${url.scheme}://${url.host.slice(0, -1)}${port}${url.path}${search(url)}`, url.fragment);
}

/**
 * The URL as rules are compared with it. A canonical URL is already in this form, unless the configuration keeps trailing dots, or
 * an earlier version stored it.
 */
export function toComparableUrl(url: CrawlUrl): CrawlUrl {
  const normal = normalizeEscapes(url.href);
  return withoutTrailingDot(normal === url.href ? url : crawlUrl(normal, url.fragment));
}

/** Whether both URLs are on the same server: scheme, host and port. */
export const isSameOrigin = (a: CrawlUrl, b: CrawlUrl): boolean =>
  origin(withoutTrailingDot(a)) === origin(withoutTrailingDot(b));
