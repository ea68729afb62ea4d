/**
 * Error pages that come with status 200 ("soft 404"), found by probing: what a host answers to a URL that can't exist is its
 * error page (after Bar-Yossef, Broder, Kumar and Tomkins, "Sic Transit Gloria Telae", WWW 2004).
 */
import { withoutQuery } from '../url/crawl-url.js';

/** What is remembered of a page in order to know it again. */
export interface PageFingerprint {
  /** 64-bit simhash of the text; the sign does not matter. */
  readonly simhash: bigint;
  readonly title: string;
  /** Characters of text. */
  readonly length: number;
}

/** Bits in which the texts of two error pages of one host may differ, of 64: some repeat the URL that was asked for. */
const SAME_TEXT = 3;
const SAME_TITLE_AND_TEXT = 12;

/** Share by which their lengths may differ, and characters that may differ in any case. */
const LENGTH_SHARE = 0.1;
const LENGTH_SLACK = 200;

/**
 * The error page of a host, from its answer with status 200 to a URL that can't exist, and from a page of the host that is known
 * to be good (its home page). Undefined when the two look alike: a host that answers everything with one page (an application
 * that draws its pages in the browser) has no error page that could be told from others.
 */
export function errorPageOf(probe: PageFingerprint, good: PageFingerprint): PageFingerprint | undefined {
  return isErrorPage(good, probe) ? undefined : probe;
}

/** Is the page the error page of its host, under another URL? */
export function isErrorPage(page: PageFingerprint, errorPage: PageFingerprint): boolean {
  const room = Math.max(LENGTH_SLACK, LENGTH_SHARE * Math.max(page.length, errorPage.length));
  if (Math.abs(page.length - errorPage.length) > room) return false;
  const sameTitle = page.title !== '' && page.title === errorPage.title;
  return differingBits(page.simhash, errorPage.simhash) <= (sameTitle ? SAME_TITLE_AND_TEXT : SAME_TEXT);
}

function differingBits(a: bigint, b: bigint): number {
  let bits = 0;
  for (let rest = BigInt.asUintN(64, a ^ b); rest !== 0n; rest &= rest - 1n) bits++;
  return bits;
}

/**
 * A URL that can't exist, beside the one given, so that it is answered by the same part of the site. `token` is random text of
 * letters and digits, so that no site can have prepared for it.
 */
export function impossibleUrl(url: string, token: string): string {
  const path = withoutQuery(url);
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${token}.html`;
}
