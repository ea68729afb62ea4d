/**
 * Reads sitemaps and sitemap indexes (sitemaps.org 0.9), RSS 0.9 to 2.0, Atom, listings of S3 buckets and plain lists of URLs. For malformed
 * XML, it returns what could be read.
 */
import { normalizeDate } from '../../domain/content/typed-values.js';
import type { SitemapContent, SitemapEntry } from '../../engine/ports/page-reader.js';
import { BASE, readXml, resolveInBase, type XmlHandler } from './xml-reader.js';

type XmlKind = Exclude<SitemapContent['kind'], 'text'>;

const KINDS_BY_ROOT: Record<string, XmlKind> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  rss: 'feed',
  rdf: 'feed',
  feed: 'feed',
  listbucketresult: 'feed',
};

/** Elements that contain one entry each; URL_FIELDS and TIME_FIELDS are the elements with its URL and time. */
const ENTRY_ELEMENTS: Record<XmlKind, ReadonlySet<string>> = {
  urlset: new Set(['url']),
  index: new Set(['sitemap']),
  feed: new Set(['item', 'entry', 'contents']),
};
/** `xhtml:link`, which names the translations of an entry, is not included. */
const URL_FIELDS: Record<XmlKind, string> = { urlset: 'loc', index: 'loc', feed: 'link' };
const TIME_FIELDS = new Set(['lastmod', 'lastmodified', 'updated', 'pubdate', 'date']);

const MAX_FIELD_LENGTH = 8_192;
/** Each URL becomes as long as its base. */
const MAX_BASE_LENGTH = 2_048;
const ABSOLUTE_URL = /^https?:\/\/\S+$/i;

/** A program that fails while it makes a sitemap often prints its warnings before it, as text or as a piece of HTML. */
const MAX_WARNING_LENGTH = 65_536;
const BEGINNING = /<\?xml\s|<(?:\w{1,20}:)?(?:urlset|sitemapindex|rss|rdf|feed)(?=[\s/>])/i;
const OTHER_TAG = /<(?!\/?(?:a|b|br|code|div|em|font|hr|i|p|pre|span|strong|table|t[dhr]|tbody|u)[\s/>])/i;

/** Returns undefined if the text is not a sitemap. `text` must not have a byte order mark. */
export function readSitemapText(text: string, maxEntries: number): SitemapContent | undefined {
  const start = findXmlStart(text.slice(0, MAX_WARNING_LENGTH));
  if (start === undefined) return readUrlList(text, maxEntries);
  const collector = new SitemapCollector(maxEntries);
  readXml(start === 0 ? text : text.slice(start), collector);
  return collector.finish();
}

/** Skips warnings, but no element that may be the root of another document. */
function findXmlStart(head: string): number | undefined {
  const start = BEGINNING.exec(head)?.index;
  if (start !== undefined && !OTHER_TAG.test(head.slice(0, start))) return start;
  return /^\s*</.test(head.slice(0, 1024)) ? 0 : undefined;
}

function readUrlList(text: string, maxEntries: number): SitemapContent | undefined {
  const entries: SitemapEntry[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + MAX_FIELD_LENGTH)).trim();
    start = end + 1;
    if (ABSOLUTE_URL.test(line)) {
      if (entries.length === maxEntries) return { kind: 'text', entries, truncated: true };
      entries.push({ url: line });
    } else if (line !== '' && entries.length === 0) return undefined; // ordinary text
  }
  return entries.length > 0 ? { kind: 'text', entries, truncated: false } : undefined;
}

class SitemapCollector implements XmlHandler {
  private readonly entries: SitemapEntry[] = [];
  private kind: XmlKind | undefined;
  private hasOtherRoot = false;
  private isRdf = false;
  private truncated = false;
  private entry: { urls: string[]; guid?: string; lastModified?: string } | undefined;
  private isPermalink = true;
  /** Number of open elements inside the entry: only its children are fields (`image:loc` is deeper). */
  private depth = 0;
  private field: string | undefined;
  private value = '';
  private href: string | undefined;
  private rel: string | undefined;
  /** The attributes of the feed's own link while its start tag is being read. */
  private feedLink: { href?: string; rel?: string } | undefined;
  /** The `xml:base` of the feed, and that of the entry; each applies to the element whose start tag is being read. */
  private readonly bases: { feed?: string; entry?: string } = {};
  private tag: keyof SitemapCollector['bases'] | undefined;
  private hub: string | undefined;
  private self: string | undefined;

  constructor(private readonly maxEntries: number) {}

  onOpenTag(name: string): void {
    if (this.hasOtherRoot) return;
    this.tag = undefined;
    if (this.kind === undefined) {
      this.tag = 'feed';
      this.kind = Object.hasOwn(KINDS_BY_ROOT, name) ? KINDS_BY_ROOT[name] : undefined;
      this.hasOtherRoot = this.kind === undefined;
      this.isRdf = name === 'rdf';
    } else if (ENTRY_ELEMENTS[this.kind].has(name)) {
      this.finishEntry();
      this.entry = { urls: [] };
      this.depth = 0;
      this.tag = 'entry';
      this.bases.entry = this.bases.feed;
    } else if (this.entry === undefined)
      this.feedLink = this.kind === 'feed' && /^(?:\w+:)?link$/.test(name) ? {} : undefined;
    else if (++this.depth === 1) {
      this.field = name;
      this.value = '';
      this.href = this.rel = undefined;
      this.isPermalink = true;
    }
  }

  /** Reads Atom's `<link rel href>` and RSS's `<guid isPermaLink>`. */
  onAttribute(name: string, value: string): void {
    if (this.feedLink && value.length <= MAX_FIELD_LENGTH) {
      if (name === 'href') this.feedLink.href = value.trim();
      else if (name === 'rel') this.feedLink.rel = value.toLowerCase();
    }
    if (this.tag !== undefined && name === BASE && value.length <= MAX_BASE_LENGTH)
      this.bases[this.tag] = resolveInBase(this.bases.feed, value.trim());
    if (this.field === 'guid' && name === 'ispermalink') this.isPermalink = value.trim().toLowerCase() !== 'false';
    if (this.field !== 'link' || this.depth !== 1 || value.length > MAX_FIELD_LENGTH) return;
    if (name === 'href') this.href ??= value.trim();
    else if (name === 'rel') this.rel ??= value.toLowerCase();
  }

  onOpenTagEnd(): void {
    if (this.feedLink) this.readFeedLink(this.feedLink);
    this.feedLink = undefined;
    if (this.kind !== 'feed' || this.entry === undefined || this.field !== 'link' || this.href === undefined) return;
    if (this.rel === undefined || this.rel === 'alternate') this.addUrl(this.entry.urls, this.href);
  }

  onText(text: string): void {
    if (this.field === undefined || this.depth !== 1 || this.value.length > MAX_FIELD_LENGTH) return;
    this.value += text;
  }

  onCloseTag(name: string): void {
    if (this.kind === undefined || this.entry === undefined) return;
    if (ENTRY_ELEMENTS[this.kind].has(name)) this.finishEntry();
    else if (this.depth > 0 && --this.depth === 0) this.finishField();
  }

  isDone(): boolean {
    return this.hasOtherRoot || this.truncated;
  }

  finish(): SitemapContent | undefined {
    if (this.kind === undefined) return undefined;
    this.finishEntry();
    const { kind, entries, truncated, hub, self } = this;
    // RDF may contain anything.
    if (this.isRdf && entries.length === 0) return undefined;
    return { kind, entries, truncated, ...(hub === undefined ? {} : { hub }), ...(self === undefined ? {} : { self }) };
  }

  private readFeedLink({ href, rel }: { readonly href?: string; readonly rel?: string }): void {
    if (rel === 'hub') this.hub ??= href;
    else if (rel === 'self') this.self ??= href;
  }

  private finishField(): void {
    const field = this.field;
    const value = this.value.trim();
    this.field = undefined;
    if (field === undefined || this.entry === undefined || value === '' || value.length > MAX_FIELD_LENGTH) return;
    if (this.kind !== undefined && URL_FIELDS[this.kind] === field) this.addUrl(this.entry.urls, value);
    else if (this.kind === 'feed' && field === 'key') this.addUrl(this.entry.urls, toRelativeUrl(value));
    else if (this.kind === 'feed' && field === 'guid' && this.isPermalink && ABSOLUTE_URL.test(value))
      this.entry.guid ??= value;
    else if (TIME_FIELDS.has(field)) this.entry.lastModified ??= field === 'pubdate' ? normalizeDate(value) : value;
  }

  /** A sitemap may mistakenly contain several `loc` elements in one entry; a feed item is one document. */
  private addUrl(urls: string[], url: string): void {
    if (this.kind === 'feed' ? urls.length === 0 : urls.length < this.maxEntries)
      urls.push(this.kind === 'feed' ? resolveInBase(this.bases.entry, url) : url);
  }

  private finishEntry(): void {
    const { urls = [], guid, lastModified } = this.entry ?? {};
    for (const url of urls.length === 0 && guid !== undefined ? [guid] : urls) {
      if (this.entries.length < this.maxEntries)
        this.entries.push(lastModified === undefined ? { url } : { url, lastModified });
      else this.truncated = true;
    }
    this.entry = undefined;
    this.field = undefined;
  }
}

/** The keys of a bucket are paths. */
const toRelativeUrl = (key: string): string => `./${key.split('/').map(encodeURIComponent).join('/')}`;
