/** The server's page reader: reads pages in the calling thread, and documents in other processes or servers. */
import type { ExtractorDefinition } from '../../../domain/crawl/fetcher-definition.js';
import type { ContentExtractor, SyncExtractor } from '../../../engine/ports/content-extractor.js';
import type { PageReader } from '../../../engine/ports/page-reader.js';
import { createBuiltInExtractors, createExtractorFinder } from '../extractors.js';
import { createPageReader } from '../page-reader.js';
import { DEFAULT_DOCUMENT_LIMITS, DocumentProcesses } from './document-processes.js';
import { createTikaExtractor } from './tika.js';

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
    const { timeLimit, memoryLimit } = { ...DEFAULT_DOCUMENT_LIMITS, ...documentsDefinition };
    const { limits } = this.documents;
    // Processes with the previous limits end once they have been idle for a while.
    if (timeLimit !== limits.timeLimit || memoryLimit !== limits.memoryLimit)
      this.documents = new DocumentProcesses({ ...limits, timeLimit, memoryLimit }, this.entry);
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
