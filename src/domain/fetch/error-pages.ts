/**
 * Error pages that come with status 200 ("soft 404"), found by probing: a host's response to a URL that cannot exist is
 * its error page (after Bar-Yossef, Broder, Kumar and Tomkins, "Sic Transit Gloria Telae", WWW 2004).
 */
import { computeSimhash } from '../content/simhash.js';
import { type CrawlUrl, stripQuery } from '../url/crawl-url.js';

/** What is remembered about a page in order to recognize it under any URL. */
export interface PageFingerprint {
  /** 64-bit simhash of the text without the page's URL; the sign does not matter. */
  readonly simhash: bigint;
  readonly title: string;
  /** Length of the text, in characters. */
  readonly length: number;
}

/**
 * Number of bits, out of 64, in which the texts of two error pages of one host may differ: some show the time or a
 * counter.
 */
const SAME_TEXT = 3;
const SAME_TITLE_AND_TEXT = 12;

/** Fraction by which their lengths may differ, and number of characters by which they may always differ. */
const LENGTH_SHARE = 0.1;
const LENGTH_SLACK = 200;

/** Shorter page names may be ordinary words in the text. */
const LEAST_NAME = 4;

/** The fingerprint of a page; undefined if its text has too few words to compare. */
export function computeFingerprint(
  page: { readonly title: string; readonly text: string },
  address: CrawlUrl,
): PageFingerprint | undefined {
  const forms = createAddressPattern(address);
  const text = page.text.replace(forms, ' ');
  const hash = computeSimhash(text);
  return hash === undefined
    ? undefined
    : { simhash: hash, title: page.title.replace(forms, ' ').trim(), length: text.length };
}

/**
 * The forms in which an error page may repeat the requested URL: the whole URL, its path or its file name, encoded or
 * decoded.
 */
function createAddressPattern({ href, host, path, query }: CrawlUrl): RegExp {
  const search = query === '' ? '' : `?${query}`;
  const file = path.slice(path.lastIndexOf('/') + 1);
  const names = [file + search, file, file.replace(/\.\w+$/, '')].filter((name) => name.length >= LEAST_NAME);
  const paths = [path + search, path].filter((form) => form.length > 1);
  const written = [href, ...paths.flatMap((form) => [host + form, form]), ...names];
  const longestFirst = [...new Set([...written, ...written.map(decodeOrKeep)])].sort((a, b) => b.length - a.length);
  const forms = longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
  const word = String.raw`[\p{L}\p{N}]`;
  return new RegExp(`(?:(?<!${word})|(?=/))(?:${forms})(?!${word})`, 'giu');
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Detects a host's error page from its response with status 200 to a URL that cannot exist, and from a page of the host
 * that is known to be good (its home page). Undefined if the two look alike: a host that responds to everything with
 * one page (an application that renders its pages in the browser) has no distinguishable error page.
 */
export function detectErrorPage(probe: PageFingerprint, good: PageFingerprint): PageFingerprint | undefined {
  return isErrorPage(good, probe) ? undefined : probe;
}

/** Is the page its host's error page under another URL? */
export function isErrorPage(page: PageFingerprint, errorPage: PageFingerprint): boolean {
  const room = Math.max(LENGTH_SLACK, LENGTH_SHARE * Math.max(page.length, errorPage.length));
  if (Math.abs(page.length - errorPage.length) > room) return false;
  const sameTitle = page.title !== '' && page.title === errorPage.title;
  return countDifferingBits(page.simhash, errorPage.simhash) <= (sameTitle ? SAME_TITLE_AND_TEXT : SAME_TEXT);
}

function countDifferingBits(a: bigint, b: bigint): number {
  let bits = 0;
  for (let rest = BigInt.asUintN(64, a ^ b); rest !== 0n; rest &= rest - 1n) bits++;
  return bits;
}

/**
 * A URL that cannot exist, next to the given one, so that the same part of the site responds to it. `token` is a random
 * string of letters and digits, so that no site can prepare for it.
 */
export function createImpossibleUrl(url: string, token: string): string {
  const path = stripQuery(url);
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${token}.html`;
}
