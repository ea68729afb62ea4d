/** Identifies a fetched body, finds the extractor for its content, and reads sitemaps. */
import type { ExtractorDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { ContentExtractor } from './content-extractor.js';

export type { LinkKind, PageContent, RawLink, ReadLimits } from './page-content.js';

export interface SitemapEntry {
  readonly url: string;
  /** An ISO 8601 time, as written. */
  readonly lastModified?: string;
}

export interface SitemapContent {
  readonly kind: 'urlset' | 'index' | 'feed' | 'text';
  readonly entries: readonly SitemapEntry[];
  readonly truncated: boolean;
  /** For a feed: its hub and its own URL, as it names them. */
  readonly hub?: string;
  readonly self?: string;
}

export interface PageReader {
  /** Replaces the configured extractors, with `extraExtractors` before them; bodies in flight are read by the previous ones. */
  configure?(extractors: readonly ExtractorDefinition[], extraExtractors?: readonly ContentExtractor[]): void;
  close?(): void;
  /** The media type without parameters, sniffed from the bytes if the header is missing or application/octet-stream. */
  detectMediaType(body: Uint8Array, contentType: string | undefined, path: string): string;
  /** Returns undefined if no extractor reads this media type. */
  findExtractor(mediaType: string): ContentExtractor | undefined;
  /** Reads a sitemap, sitemap index, feed or text list, gzipped or plain; undefined if the body is none of them. */
  readSitemap(body: Uint8Array, contentType: string | undefined, maxEntries: number): SitemapContent | undefined;
}
