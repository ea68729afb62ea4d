/**
 * The document extractor: distributes documents to a few processes, which are started when there is work and end when
 * there is none.
 */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../../domain/bounded-map.js';
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
  /** Whether the files within documents are read. */
  readonly members?: boolean;
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
const MAX_REMEMBERED_REFUSALS = 2_000;

interface QueuedDocument {
  readonly body: Uint8Array;
  readonly mediaType: string;
  readonly context: ExtractionContext;
  readonly resolve: (result: Extraction | Refusal) => void;
  readonly reject: (error: ExtractorUnavailable) => void;
}

export class DocumentProcesses implements AsyncExtractor {
  readonly kind = 'async';
  readonly name = 'documents';
  readonly mediaTypes = DOCUMENT_TYPES;
  /** Limit for waiting and reading together; in addition, each document has the time limit of its process. */
  readonly timeLimit = hours(1);

  private readonly processes = new Set<DocumentProcess>();
  private readonly idleProcesses: DocumentProcess[] = [];
  private readonly queue: QueuedDocument[] = [];
  private readonly refusals = new BoundedMap<string, Refusal>(MAX_REMEMBERED_REFUSALS);
  private readonly timers = new Map<DocumentProcess, NodeJS.Timeout>();

  constructor(
    readonly limits: DocumentLimits = DEFAULT_DOCUMENT_LIMITS,
    private readonly entry?: URL,
  ) {}

  /** Process IDs, for monitoring. */
  get processIds(): number[] {
    return [...this.processes].flatMap(({ pid }) => pid ?? []);
  }

  async extract(
    body: Uint8Array,
    mediaType: string,
    context: ExtractionContext,
    signal?: AbortSignal,
  ): Promise<Extraction | Refusal> {
    const digest = createHash('sha256').update(mediaType).update(body).digest('base64');
    const refusal = this.refusals.get(digest);
    if (refusal) return refusal;
    const result = await new Promise<Extraction | Refusal>((resolve, reject) => {
      const queued = { body, mediaType, context, resolve, reject };
      this.queue.push(queued);
      signal?.addEventListener('abort', () => this.removeFromQueue(queued), { once: true });
      this.startNext();
    });
    if (isRefusal(result) && !result.isPassing) this.refusals.set(digest, result);
    return result;
  }

  /** Ends all processes; documents in flight are left for a later visit. */
  close(): void {
    const reason = new ExtractorUnavailable('the server is stopping');
    for (const { reject } of this.queue.splice(0)) reject(reason);
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const process of this.processes) process.kill(reason);
  }

  private startNext(): void {
    while (this.queue.length > 0) {
      const process =
        this.idleProcesses.pop() ?? (this.processes.size < this.limits.processes ? this.startProcess() : undefined);
      if (!process) return;
      clearTimeout(this.timers.get(process));
      const { body, mediaType, context, resolve, reject } = this.queue.shift()!;
      const { maxLinks, maxTextLength } = context;
      process
        .read(body, { mediaType, maxLinks, maxTextLength, members: this.limits.members })
        .finally(() => {
          if (!process.ended) this.keepForReuse(process);
        })
        .then(resolve, reject)
        .finally(() => this.startNext());
    }
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
