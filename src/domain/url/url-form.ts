/**
 * Converts equivalent variants of a URL to one form (RFC 3986, 6.2.2): escapes that are not needed are decoded, the
 * digits of the others become upper case, and the host loses a trailing dot. URLs are stored in this form, and rules
 * are compared with it.
 */
import { type CrawlUrl, getSearch, toCrawlUrl } from './crawl-url.js';

const ESCAPE = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
const HEX_DIGIT = /[0-9a-f]/i;
const DOT = 46;

/** The normal form of each percent-encoded byte, by its two upper-case hex digits. */
const NORMAL_FORMS = new Map<string, string>();
for (let byte = 0; byte < 256; byte++) {
  const char = String.fromCharCode(byte);
  const digits = byte.toString(16).toUpperCase().padStart(2, '0');
  NORMAL_FORMS.set(digits, UNRESERVED.test(char) ? char : `%${digits}`);
}

/** Normalizes percent-encoding; text that is already in normal form is unchanged. */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPE, (escapeSequence: string, index: number) => {
    const digits = escapeSequence.slice(1).toUpperCase();
    // A stray percent sign must not become an escape because what follows it is decoded: `%%36%31`.
    return followsStrayPercent(text, index) ? `%${digits}` : (NORMAL_FORMS.get(digits) ?? escapeSequence);
  });
}

const followsStrayPercent = (text: string, index: number): boolean =>
  text[index - 1] === '%' || (text[index - 2] === '%' && HEX_DIGIT.test(text[index - 1] ?? ''));

/** Whether the host has a trailing dot, which makes it fully qualified, but does not change the name. */
export const hasTrailingDot = ({ host }: CrawlUrl): boolean =>
  host.charCodeAt(host.length - 1) === DOT && host.length > 1 && host.charCodeAt(host.length - 2) !== DOT;

export function stripTrailingDot(url: CrawlUrl): CrawlUrl {
  if (!hasTrailingDot(url)) return url;
  const port = url.port === '' ? '' : `:${url.port}`;
  return toCrawlUrl(`${url.scheme}://${url.host.slice(0, -1)}${port}${url.path}${getSearch(url)}`, url.fragment);
}

/**
 * Converts a URL to the form in which rules are compared with it. A canonical URL is already in this form, unless the
 * configuration keeps trailing dots, or an earlier version stored it.
 */
export function toComparableUrl(url: CrawlUrl): CrawlUrl {
  const normalHref = normalizeEscapes(url.href);
  return stripTrailingDot(normalHref === url.href ? url : toCrawlUrl(normalHref, url.fragment));
}
