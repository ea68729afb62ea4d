/** The server's page reader: reads pages in the calling thread, and documents elsewhere, as configured. */
import type { ExtractorDefinition } from '../../../domain/crawl/fetcher-definition.js';
import type { ContentExtractor, SyncExtractor } from '../../../engine/ports/content-extractor.js';
import type { PageReader } from '../../../engine/ports/page-reader.js';
import { createBuiltInExtractors, createExtractorFinder } from '../extractors.js';
import { createPageReader } from '../page-reader.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './document-processes.js';
import { createTikaExtractor } from './tika.js';

export class DocumentReader implements PageReader {
  private readonly pages = createPageReader();
  readonly detectMediaType = this.pages.detectMediaType;
  readonly readSitemap = this.pages.readSitemap;

  /** `entry`: the program that the processes run, if it is not in this module's folder. */
  private readonly builtIn = createBuiltInExtractors();
  private documents: DocumentProcesses;
  private finder: (mediaType: string) => ContentExtractor | undefined;

  constructor(private readonly entry?: URL) {
    this.documents = new DocumentProcesses(DEFAULT_DOCUMENT_LIMITS, entry);
    this.finder = this.createFinder([]);
  }

  findExtractor(mediaType: string): ContentExtractor | undefined {
    return this.finder(mediaType);
  }

  configure(extractors: readonly ExtractorDefinition[], more: readonly ContentExtractor[] = []): void {
    const given = extractors.find((extractor) => extractor.type === 'documents');
    const { timeLimit, memoryLimit } = { ...DEFAULT_DOCUMENT_LIMITS, ...given };
    const { limits } = this.documents;
    // Processes with the previous limits end once they have been idle for a while.
    if (timeLimit !== limits.timeLimit || memoryLimit !== limits.memoryLimit)
      this.documents = new DocumentProcesses({ ...limits, timeLimit, memoryLimit }, this.entry);
    this.finder = this.createFinder(extractors, more);
  }

  close(): void {
    this.documents.close();
  }

  private createFinder(
    extractors: readonly ExtractorDefinition[],
    more: readonly ContentExtractor[] = [],
  ): (mediaType: string) => ContentExtractor | undefined {
    const html = this.pages.findExtractor('text/html') as SyncExtractor;
    const servers = extractors.flatMap((one) => (one.type === 'tika' ? [createTikaExtractor(one, html)] : []));
    return createExtractorFinder([...more, ...servers, this.documents, ...this.builtIn]);
  }
}
