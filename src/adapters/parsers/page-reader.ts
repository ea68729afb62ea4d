/** The engine's `PageReader`: determines the media type of a body, finds its extractor, and reads sitemaps. */
import { isDeepStrictEqual } from 'node:util';
import { constants, gunzipSync } from 'node:zlib';
import type { ExtractorDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { ContentExtractor, SyncExtractor } from '../../engine/ports/content-extractor.js';
import type { PageReader, SitemapContent } from '../../engine/ports/page-reader.js';
import { toBuffer } from './bytes.js';
import { findEncoding, parseCharset, toUtf8 } from './charset.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './documents/document-processes.js';
import { createTikaExtractor } from './documents/tika.js';
import { createBuiltInExtractors, createExtractorFinder } from './extractors.js';
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

/** Maximum number of attempts, each with a prefix of the archive half as long as the previous one. */
const MAX_ATTEMPTS = 8;

/**
 * Unpacks gzip up to about `maxLength` bytes; `whole` is false if there was more or the archive is corrupt. If the
 * archive contains too much, ever shorter prefixes of it are unpacked, so that a bomb takes only a limited amount of
 * time.
 */
function gunzipBounded(archive: Buffer, maxLength: number): { data: Buffer; whole: boolean } {
  let prefix = archive;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      // Sync flush: a truncated archive yields what it contains instead of an error.
      const data = gunzipSync(prefix, { maxOutputLength: maxLength, finishFlush: constants.Z_SYNC_FLUSH });
      return { data, whole: attempt === 0 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') break;
      prefix = prefix.subarray(0, prefix.length >> 1);
    }
  }
  return { data: Buffer.alloc(0), whole: false };
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The server's page reader: reads pages in the calling thread, and documents in other processes or servers. */
export class DocumentReader implements PageReader {
  private readonly pageReader = createPageReader();
  readonly detectMediaType = this.pageReader.detectMediaType;
  readonly readSitemap = this.pageReader.readSitemap;

  private readonly builtInExtractors = createBuiltInExtractors();
  private documents: DocumentProcesses;
  private findByMediaType: (mediaType: string) => ContentExtractor | undefined;

  /** `entry` is the program that the processes run, if it is not in this module's folder. */
  constructor(private readonly entry?: URL) {
    this.documents = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, entry);
    this.findByMediaType = this.createFinder([]);
  }

  findExtractor(mediaType: string): ContentExtractor | undefined {
    return this.findByMediaType(mediaType);
  }

  configure(extractors: readonly ExtractorDefinition[], additional: readonly ContentExtractor[] = []): void {
    const documentsDefinition = extractors.find((extractor) => extractor.type === 'documents');
    const { timeLimit, memoryLimit, members, ocr } = { ...DEFAULT_DOCUMENT_LIMITS, ...documentsDefinition };
    const limits = { ...DEFAULT_DOCUMENT_LIMITS, timeLimit, memoryLimit, members, ocrLanguages: ocr?.languages };
    // Processes with the previous limits end once they have been idle for a while.
    if (!isDeepStrictEqual(limits, this.documents.limits)) this.documents = new DocumentProcesses(limits, this.entry);
    this.findByMediaType = this.createFinder(extractors, additional);
  }

  close(): void {
    this.documents.close();
  }

  private createFinder(
    extractors: readonly ExtractorDefinition[],
    additional: readonly ContentExtractor[] = [],
  ): (mediaType: string) => ContentExtractor | undefined {
    const htmlExtractor = this.pageReader.findExtractor('text/html') as SyncExtractor;
    const tikaExtractors = extractors.flatMap((definition) =>
      definition.type === 'tika' ? [createTikaExtractor(definition, htmlExtractor)] : [],
    );
    return createExtractorFinder([...additional, ...tikaExtractors, this.documents, ...this.builtInExtractors]);
  }
}
