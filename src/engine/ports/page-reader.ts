/**
 * Reads a fetched body: from bytes to links, metas and text. Pure and synchronous, so that it runs in any thread.
 */

export type LinkKind =
  | 'a'
  | 'area'
  | 'frame'
  | 'iframe'
  | 'next'
  | 'prev'
  | 'alternate'
  | 'canonical'
  | 'meta-refresh'
  | 'header';

export interface RawLink {
  /** As written, entities decoded, white space trimmed. */
  readonly href: string;
  readonly kind: LinkKind;
  /** rel=nofollow, ugc or sponsored on the element. */
  readonly nofollow: boolean;
}

export interface PageContent {
  /** WHATWG encoding name that the text was decoded with; undefined for binary content. */
  readonly encoding?: string;
  readonly title: string;
  /** White space folded; empty for binary content. */
  readonly text: string;
  /** BCP 47: the document's own word, or detected from the text. */
  readonly language?: string;
  /** `<base href>`, as written. */
  readonly base?: string;
  readonly links: readonly RawLink[];
  /** `<meta name content>` and `<meta property content>`, names in lower case, values folded; in document order; bounded. */
  readonly metas: readonly { readonly name: string; readonly value: string }[];
  /** Contents of `<meta name=robots>` and of every meta, whatever agent it is named after, that holds only directives. */
  readonly robotsMetas: readonly { readonly agent: string; readonly directives: string }[];
  /** Something of the page was left out because it passed a limit (links, text). */
  readonly truncated: boolean;
}

export interface ReadLimits {
  readonly maxLinks: number;
  /** In UTF-16 units; 0 when nobody wants the text, which is then not even made a string. */
  readonly maxTextLength: number;
}

export interface SitemapEntry {
  readonly url: string;
  /** ISO 8601 as written. */
  readonly lastModified?: string;
}

export interface SitemapContent {
  readonly kind: 'urlset' | 'index' | 'feed' | 'text';
  readonly entries: readonly SitemapEntry[];
  readonly truncated: boolean;
}

export interface PageReader {
  /** `contentType` is the header as received; the reader sniffs when it is missing. */
  read(body: Uint8Array, contentType: string | undefined, limits: ReadLimits): PageContent;
  /** Media type without parameters, sniffed from the bytes when the header is missing or application/octet-stream. */
  mediaType(body: Uint8Array, contentType: string | undefined, path: string): string;
  /** Sitemaps, sitemap indexes, feeds and text lists, gzip or plain; undefined when it is none of them. */
  readSitemap(body: Uint8Array, contentType: string | undefined, maxEntries: number): SitemapContent | undefined;
}
