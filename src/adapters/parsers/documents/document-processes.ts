/**
 * The document extractor: distributes documents to a few processes, which are started when there is work and end when
 * there is none.
 */
import { createHash } from 'node:crypto';
import { DOCUMENT_TYPES } from '../../../domain/content/document-types.js';
import { hours } from '../../../domain/time/units.js';
import {
  type AsyncExtractor,
  type Extraction,
  type ExtractionContext,
  ExtractorUnavailable,
  isRefusal,
  type Refusal,
} from '../../../engine/ports/content-extractor.js';
import { DocumentProcess, type ProcessLimits } from './document-process.js';

export interface DocumentLimits extends ProcessLimits {
  /** Maximum number of processes at the same time. */
  readonly processes: number;
  /** Milliseconds without work after which a process ends. */
  readonly idleTime: number;
}

const MIB = 1024 * 1024;
export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  timeLimit: 30_000,
  memoryLimit: 512 * MIB,
  processes: 1,
  idleTime: 60_000,
};

/**
 * Maximum number of unreadable documents that are remembered, by the digest of their bytes: they are not tried again
 * until they change.
 */
const MOST_REMEMBERED = 2_000;

interface Waiting {
  readonly body: Uint8Array;
  readonly mediaType: string;
  readonly context: ExtractionContext;
  readonly resolve: (read: Extraction | Refusal) => void;
  readonly reject: (error: ExtractorUnavailable) => void;
}

export class DocumentProcesses implements AsyncExtractor {
  readonly kind = 'async';
  readonly name = 'documents';
  readonly mediaTypes = DOCUMENT_TYPES;
  /** Limit for waiting and reading together; in addition, each document has the time limit of its process. */
  readonly timeLimit = hours(1);

  private readonly all = new Set<DocumentProcess>();
  private readonly idle: DocumentProcess[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly unreadable = new Map<string, Refusal>();
  private readonly timers = new Map<DocumentProcess, NodeJS.Timeout>();

  constructor(
    readonly limits: DocumentLimits = DEFAULT_DOCUMENT_LIMITS,
    private readonly entry?: URL,
  ) {}

  /** Process IDs, for monitoring. */
  get processIds(): number[] {
    return [...this.all].flatMap(({ pid }) => pid ?? []);
  }

  async extract(
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal?: AbortSignal,
  ): Promise<Extraction | Refusal> {
    const digest = createHash('sha256').update(mediaType).update(body).digest('base64');
    const known = this.unreadable.get(digest);
    if (known) return known;
    const read = await new Promise<Extraction | Refusal>((resolve, reject) => {
      const waiting = { body, mediaType, context, resolve, reject };
      this.waiting.push(waiting);
      signal?.addEventListener('abort', () => this.removeWaiting(waiting), { once: true });
      this.startNext();
    });
    if (isRefusal(read)) this.rememberRefusal(digest, read);
    return read;
  }

  /** Ends all processes; documents in flight are left for a later visit. */
  close(): void {
    const closed = new ExtractorUnavailable('the server is stopping');
    for (const { reject } of this.waiting.splice(0)) reject(closed);
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const process of this.all) process.kill(closed);
  }

  private startNext(): void {
    while (this.waiting.length > 0) {
      const process = this.idle.pop() ?? (this.all.size < this.limits.processes ? this.startProcess() : undefined);
      if (!process) return;
      clearTimeout(this.timers.get(process));
      const { body, mediaType, context, resolve, reject } = this.waiting.shift()!;
      const { maxLinks, maxTextLength } = context;
      process
        .read(body, { mediaType, maxLinks, maxTextLength })
        .finally(() => {
          if (!process.ended) this.keepIdle(process);
        })
        .then(resolve, reject)
        .finally(() => this.startNext());
    }
  }

  private startProcess(): DocumentProcess {
    const process = new DocumentProcess(this.limits, (ended) => this.remove(ended), this.entry);
    this.all.add(process);
    return process;
  }

  private keepIdle(process: DocumentProcess): void {
    this.idle.push(process);
    const timer = setTimeout(
      () => process.kill({ refused: 'extract-timeout', detail: 'no work' }),
      this.limits.idleTime,
    );
    timer.unref();
    this.timers.set(process, timer);
  }

  private remove(process: DocumentProcess): void {
    this.all.delete(process);
    clearTimeout(this.timers.get(process));
    this.timers.delete(process);
    const at = this.idle.indexOf(process);
    if (at >= 0) this.idle.splice(at, 1);
    this.startNext();
  }

  private removeWaiting(waiting: Waiting): void {
    const at = this.waiting.indexOf(waiting);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  private rememberRefusal(digest: string, refusal: Refusal): void {
    if (this.unreadable.size >= MOST_REMEMBERED) this.unreadable.delete(this.unreadable.keys().next().value!);
    this.unreadable.set(digest, refusal);
  }
}
