/**
 * Decides which pages of a site are the same page under several addresses: `/` and `/index.html`, `www.` and the bare
 * host, a trailing slash, tracking parameters, an address that a catch-all site makes up. What the content stamps of two
 * documents have in common says whether their texts are the same, so no page is hashed twice.
 */
import { BoundedMap } from '../bounded-map.js';
import type { UrlId, UrlState } from '../crawl/url-state.js';
import { CANONICALIZATION_STEPS, createCanonicalizer } from '../url/canonicalize.js';

/** A stamp begins with the digest of the text, preceded by a prefix for pages; then come facts and, for pages, links. */
export const CONTENT_PREFIX = 'c1-';
export const FACTS_LENGTH = 16;
export const LINKS_LENGTH = 16;

/** How the facts begin of a document whose pages are pictures: not read, or read by OCR. */
export const SCAN_MARKS = { 'no-text-layer': 'scan', 'text-by-ocr': 'ocr-' } as const;

/** The reason for which a document has no text, or text that was read by OCR; undefined for any other document. */
export const findScanReason = (stamp: string): keyof typeof SCAN_MARKS | undefined =>
  (['no-text-layer', 'text-by-ocr'] as const).find((reason) =>
    stamp.slice(-FACTS_LENGTH).startsWith(SCAN_MARKS[reason]),
  );

const getLinksLength = (stamp: string): number => (stamp.startsWith(CONTENT_PREFIX) ? LINKS_LENGTH : 0);

export const hasSameText = (a: string, b: string): boolean =>
  a.length === b.length && a.startsWith(b.slice(0, b.length - FACTS_LENGTH - getLinksLength(b)));

/** The site of a host: the bare name and `www.` are one. */
export const toSiteName = (hostKey: string): string => (hostKey.startsWith('www.') ? hostKey.slice(4) : hostKey);

/** A document that has been read, or is in the index. */
export interface ComparedDocument extends Pick<UrlState, 'id' | 'url' | 'hostKey'> {
  readonly stamp: string;
  readonly title: string;
}

/** Whether a page that is not in the index gives way to another document of its site. */
export const isDuplicate = (page: ComparedDocument, other: ComparedDocument): boolean =>
  page.title === other.title &&
  toSiteName(page.hostKey) === toSiteName(other.hostKey) &&
  hasSameText(page.stamp, other.stamp);

/** Whether two URLs are spellings of one address: scheme, `www.`, case, slashes, default documents, tracking. */
export const isSameAddress = (a: string, b: string): boolean => toSpelling(a) === toSpelling(b);

/** Whether a URL is the spelling that the others are folded to. */
export const isPlainAddress = (url: string): boolean => toSpelling(url) === withoutScheme(url);

const fold = createCanonicalizer(CANONICALIZATION_STEPS.filter((step) => step !== 'keep-hash-routes'));

/** What the spellings of one address have in common. */
const toSpelling = (url: string): string => withoutScheme(fold(url)?.href ?? url);
const withoutScheme = (href: string): string => href.slice(href.indexOf('//') + 2).replace(/^www\./, '');

/** Maximum number of texts that are remembered for a crawler. */
export const MAX_TEXTS = 1_000_000;
/** Maximum number of documents that are remembered for one text. */
const MAX_DOCUMENTS = 16;

/** Finds the documents of a site that have a text; the newest texts are remembered. */
export class DocumentsByText {
  private readonly ids = new BoundedMap<number, UrlId | readonly UrlId[]>(MAX_TEXTS);

  find(document: Pick<ComparedDocument, 'stamp' | 'hostKey'>): readonly UrlId[] {
    return toList(this.ids.get(toKey(document)));
  }

  add(document: Pick<ComparedDocument, 'id' | 'stamp' | 'hostKey'>): void {
    const key = toKey(document);
    const known = toList(this.ids.get(key));
    if (known.includes(document.id) || known.length >= MAX_DOCUMENTS) return;
    this.ids.set(key, known.length === 0 ? document.id : [...known, document.id]);
  }

  remove(document: Pick<ComparedDocument, 'id' | 'stamp' | 'hostKey'>): void {
    if (this.ids.size === 0) return;
    const key = toKey(document);
    const known = toList(this.ids.get(key));
    const remaining = known.filter((id) => id !== document.id);
    if (remaining.length === 0) this.ids.delete(key);
    else if (remaining.length < known.length) this.ids.set(key, remaining);
  }
}

const toList = (ids: UrlId | readonly UrlId[] | undefined): readonly UrlId[] =>
  ids === undefined ? [] : typeof ids === 'number' ? [ids] : ids;

/** Without a copy of the digits. */
function readHex(text: string, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    value = value * 16 + (code & 15) + (code > 57 ? 9 : 0);
  }
  return value;
}

/** 52 bits of the text's digest, mixed with the name of the site. */
function toKey({ stamp, hostKey }: Pick<ComparedDocument, 'stamp' | 'hostKey'>): number {
  const start = stamp.startsWith(CONTENT_PREFIX) ? CONTENT_PREFIX.length : 0;
  const high = readHex(stamp, start, start + 5);
  let low = readHex(stamp, start + 5, start + 13);
  const site = toSiteName(hostKey);
  for (let index = 0; index < site.length; index++) low = Math.imul(low ^ site.charCodeAt(index), 0x01000193);
  return high * 2 ** 32 + (low >>> 0);
}
