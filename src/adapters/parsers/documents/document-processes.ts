/**
 * The document extractor: distributes documents to a few processes, which are started when there is work and end when
 * there is none.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../../domain/bounded-map.js';
import { needsHeadings } from '../../../domain/content/content-definition.js';
import { DOCUMENT_TYPES, PICTURE_TYPES } from '../../../domain/content/document-types.js';
import { findDocumentStart } from '../../../domain/content/signatures.js';
import { hours, milliseconds, minutes } from '../../../domain/time/units.js';
import {
  type AsyncExtractor,
  type Extraction,
  type ExtractionContext,
  ExtractorUnavailable,
  isRefusal,
  type Refusal,
} from '../../../engine/ports/content-extractor.js';
import type { OcrRequest } from './document-content.js';
import { DocumentProcess, type ProcessLimits } from './document-process.js';
import { findOcrFiles, listOcrFolders, type OcrFiles } from './ocr-files.js';

export interface DocumentLimits extends ProcessLimits {
  /** Maximum number of processes at the same time. */
  readonly processes: number;
  /** Milliseconds without work after which a process ends. */
  readonly idleTime: number;
  /** Whether the files within documents are read. */
  readonly members?: boolean;
  /** Languages of the text in pictures of pages, if it is read. */
  readonly ocrLanguages?: readonly string[];
}

const MIB = 1024 * 1024;
export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  timeLimit: 30_000,
  memoryLimit: 512 * MIB,
  processes: 1,
  idleTime: 60_000,
};

/** A page takes seconds, and Tesseract much of the memory. On the clock, the time must stay below `timeLimit` below. */
const OCR_TIME_LIMIT = minutes(10);
const MIN_OCR_MEMORY = 640 * MIB;

const toOcrLimits = (limits: DocumentLimits, files: OcrFiles): DocumentLimits => ({
  ...limits,
  timeLimit: OCR_TIME_LIMIT,
  memoryLimit: Math.max(limits.memoryLimit, MIN_OCR_MEMORY),
  readableFolders: listOcrFolders(files),
  isInBackground: true,
});

/**
 * Maximum number of unreadable documents that are remembered, by the digest of their bytes: they are not tried again
 * until they change.
 */
const MAX_REMEMBERED_REFUSALS = 2_000;

interface QueuedDocument {
  readonly body: Uint8Array;
  readonly mediaType: string;
  readonly context: ExtractionContext;
  readonly ocr: OcrRequest | undefined;
  readonly resolve: (result: Extraction | Refusal) => void;
  readonly reject: (error: ExtractorUnavailable) => void;
}

export class DocumentProcesses implements AsyncExtractor {
  readonly kind = 'async';
  readonly name = 'documents';
  readonly mediaTypes: readonly string[];
  /** Limit for waiting and reading together; in addition, each document has the time limit of its process. */
  readonly timeLimit = hours(1);

  private readonly processes = new Set<DocumentProcess>();
  private readonly idleProcesses: DocumentProcess[] = [];
  private readonly queue: QueuedDocument[] = [];
  private readonly refusals = new BoundedMap<string, Refusal>(MAX_REMEMBERED_REFUSALS);
  private readonly timers = new Map<DocumentProcess, NodeJS.Timeout>();
  private ocrFiles: OcrFiles | undefined;
  private ocrProcesses: DocumentProcesses | undefined;

  constructor(
    readonly limits: DocumentLimits = DEFAULT_DOCUMENT_LIMITS,
    private readonly entry?: URL,
  ) {
    this.mediaTypes = limits.ocrLanguages ? [...DOCUMENT_TYPES, ...PICTURE_TYPES] : DOCUMENT_TYPES;
  }

  /** Process IDs, for monitoring. */
  get processIds(): number[] {
    return [...[...this.processes].flatMap(({ pid }) => pid ?? []), ...(this.ocrProcesses?.processIds ?? [])];
  }

  async extract(
    response: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal?: AbortSignal,
  ): Promise<Extraction | Refusal> {
    const body = response.subarray(findDocumentStart(response));
    const result = await this.extractPlainly(body, mediaType, context, signal);
    const isScan = !isRefusal(result) && result.shortfall?.reason === 'no-text-layer';
    if (!isScan || !context.maxOcrPages || !this.limits.ocrLanguages) return result;
    const recognized = await this.recognize(this.limits.ocrLanguages, body, mediaType, context, signal);
    if (!('refused' in recognized)) return recognized;
    const detail = `${result.shortfall!.detail}; character recognition failed: ${recognized.detail}`;
    return { ...result, shortfall: { reason: 'no-text-layer', detail } };
  }

  /** Reads a document again, with the pictures in it, in a process of its own that keeps no other document waiting. */
  private async recognize(
    languages: readonly string[],
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal: AbortSignal | undefined,
  ): Promise<Extraction | Pick<Refusal, 'refused' | 'detail'>> {
    try {
      this.ocrFiles ??= findOcrFiles(languages);
    } catch (error) {
      return { refused: 'extract-unsupported', detail: (error as Error).message };
    }
    this.ocrProcesses ??= new DocumentProcesses(toOcrLimits(this.limits, this.ocrFiles), this.entry);
    const ocr = { ...this.ocrFiles, languages, maxPages: context.maxOcrPages! };
    return this.ocrProcesses.extractPlainly(body, mediaType, context, signal, ocr);
  }

  private async extractPlainly(
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal?: AbortSignal,
    ocr?: OcrRequest,
  ): Promise<Extraction | Refusal> {
    const digest = createHash('sha256').update(mediaType).update(body).digest('base64');
    const refusal = this.refusals.get(digest);
    if (refusal) return refusal;
    const result = await new Promise<Extraction | Refusal>((resolve, reject) => {
      const queued = { body, mediaType, context, ocr, resolve, reject };
      this.queue.push(queued);
      signal?.addEventListener('abort', () => this.removeFromQueue(queued), { once: true });
      this.startNext();
    });
    if (isRefusal(result) && !result.isPassing)
      this.refusals.set(digest, result.heldUp === undefined ? result : { ...result, heldUp: undefined });
    return result;
  }

  /** Ends all processes; documents in flight are left for a later visit. */
  close(): void {
    const reason = new ExtractorUnavailable('the server is stopping');
    for (const { reject } of this.queue.splice(0)) reject(reason);
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const process of this.processes) process.kill(reason);
    this.ocrProcesses?.close();
  }

  private startNext(): void {
    while (this.queue.length > 0) {
      const process =
        this.idleProcesses.pop() ?? (this.processes.size < this.limits.processes ? this.startProcess() : undefined);
      if (!process) return;
      clearTimeout(this.timers.get(process));
      const { body, mediaType, context, ocr, resolve, reject } = this.queue.shift()!;
      const { maxLinks, maxTextLength, content } = context;
      const headings = needsHeadings(content);
      const startedAt = performance.now();
      process
        .read(body, { mediaType, maxLinks, maxTextLength, headings, members: this.limits.members, ocr })
        .finally(() => {
          if (!process.ended) this.keepForReuse(process);
        })
        .then((result) => resolve(this.charge(result, context.url, startedAt)), reject)
        .finally(() => this.startNext());
    }
  }

  /** Whoever has large documents must not take the time in which those of others are read. */
  private charge<R extends Extraction | Refusal>(result: R, url: string, startedAt: number): R {
    const host = URL.parse(url)?.host;
    if (this.queue.every(({ context }) => URL.parse(context.url)?.host === host)) return result;
    return { ...result, heldUp: milliseconds(Math.round(performance.now() - startedAt)) };
  }

  private startProcess(): DocumentProcess {
    const process = new DocumentProcess(this.limits, (endedProcess) => this.remove(endedProcess), this.entry);
    this.processes.add(process);
    return process;
  }

  private keepForReuse(process: DocumentProcess): void {
    this.idleProcesses.push(process);
    const timer = setTimeout(
      () => process.kill({ refused: 'extract-timeout', detail: 'no work' }),
      this.limits.idleTime,
    );
    timer.unref();
    this.timers.set(process, timer);
  }

  private remove(process: DocumentProcess): void {
    this.processes.delete(process);
    clearTimeout(this.timers.get(process));
    this.timers.delete(process);
    const index = this.idleProcesses.indexOf(process);
    if (index >= 0) this.idleProcesses.splice(index, 1);
    this.startNext();
  }

  private removeFromQueue(queued: QueuedDocument): void {
    const index = this.queue.indexOf(queued);
    if (index >= 0) this.queue.splice(index, 1);
  }
}
