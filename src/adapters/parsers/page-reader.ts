/** The engine's `PageReader`: determines the media type of a body, finds its extractor, and reads sitemaps. */
import type { ContentExtractor } from '../../engine/ports/content-extractor.js';
import type { PageReader, SitemapContent } from '../../engine/ports/page-reader.js';
import { toBuffer } from './bytes.js';
import { findEncoding, parseCharset, toUtf8 } from './charset.js';
import { createBuiltInExtractors, createExtractorFinder } from './extractors.js';
import { gunzipBounded, isGzip } from './gunzip.js';
import { detectMediaType } from './media-type.js';
import { readSitemapText } from './sitemap.js';

/** The maximum that sitemaps.org allows. */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;

/**
 * Creates a page reader. Each thread needs its own, because its extractors keep their working memory from page to page.
 * The extractors in `additionalExtractors` are tried before the built-in ones.
 */
export function createPageReader(additionalExtractors: readonly ContentExtractor[] = []): PageReader {
  return {
    detectMediaType,
    findExtractor: createExtractorFinder([...additionalExtractors, ...createBuiltInExtractors()]),
    readSitemap: (body, contentType, maxEntries) => readSitemapBody(toBuffer(body), contentType, maxEntries),
  };
}

function readSitemapBody(
  body: Buffer,
  contentType: string | undefined,
  maxEntries: number,
): SitemapContent | undefined {
  const unpacked = isGzip(body) ? gunzipBounded(body, MAX_SITEMAP_BYTES) : { data: body, whole: true };
  const data = unpacked.data.subarray(0, MAX_SITEMAP_BYTES);
  const encoding = findEncoding(data, parseCharset(contentType), 'xml');
  const content = readSitemapText(toUtf8(data, encoding).toString('utf8'), maxEntries);
  const isWhole = unpacked.whole && data.length === unpacked.data.length;
  return content === undefined || isWhole ? content : { ...content, truncated: true };
}
