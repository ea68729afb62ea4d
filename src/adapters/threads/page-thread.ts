import { Worker } from 'node:worker_threads';
import { milliseconds } from '../../domain/time/units.js';
import { WorkLost } from '../../engine/ports/page-processor.js';
import type { PageResult } from '../../engine/ports/page-task.js';
import {
  type PageAnswer,
  type PageCall,
  type PageCalls,
  type PageNotice,
  type PageThreadData,
  type ToPageThread,
  transferable,
  uptime,
} from './page-thread-protocol.js';

interface UnderWay {
  readonly call: PageCall;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What a page leaves behind is short-lived: more room costs memory in every thread and saves no time (measured). Bodies do not
 * count here; a page that needs more than this of its own ends its thread, and is the only one that fails.
 */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 256 };

/** The thread ended before it answered. `guilty`: this call was the page that it was reading. */
export class ThreadEnded extends WorkLost {
  override readonly name = 'ThreadEnded';
  constructor(
    readonly guilty: boolean,
    message: string,
  ) {
    super(message);
  }
}

/** The near end of one thread that processes pages. Calls made in one turn travel together. */
export class PageThread {
  private readonly worker: Worker;
  private readonly reading = new Int32Array(new SharedArrayBuffer(4));
  private readonly underWay = new Map<number, UnderWay>();
  private outbox: (PageCall | PageNotice)[] = [];
  private ended = false;
  /** What was read at the last check, and how often in a row. */
  private lastReading = 0;
  private checks = 0;

  constructor(
    entry: URL,
    private readonly onEnd: (thread: PageThread, error: Error) => void,
  ) {
    const data: PageThreadData = { reading: this.reading.buffer as SharedArrayBuffer };
    this.worker = new Worker(entry, { workerData: data, name: 'pages', resourceLimits: HEAP });
    this.worker.on('message', (answers: readonly PageAnswer[]) => {
      for (const answer of answers) this.answer(answer);
    });
    this.worker.on('error', (error: Error) => this.end(error));
    this.worker.on('exit', (code) => this.end(new Error(`a page thread ended with code ${code}`)));
  }

  get load(): number {
    return this.underWay.size;
  }

  call<Name extends keyof PageCalls>(
    seq: number,
    call: Name,
    argument: PageCalls[Name]['argument'],
  ): Promise<PageCalls[Name]['answer']> {
    return new Promise((resolve, reject) => {
      const message = { seq, call, argument } as PageCall;
      this.underWay.set(seq, { call: message, resolve: resolve as (answer: never) => void, reject });
      this.post(message);
    });
  }

  notify(notice: PageNotice): void {
    this.post(notice);
  }

  /** Called at a steady pace: true when the thread has been reading the same page since `limit` calls. */
  isStuck(limit: number): boolean {
    const now = Atomics.load(this.reading, 0);
    this.checks = now !== 0 && now === this.lastReading ? this.checks + 1 : 0;
    this.lastReading = now;
    return this.checks >= limit;
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  close(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.worker.once('exit', () => resolve());
      this.notify({ notice: 'close' });
    });
  }

  private post(message: PageCall | PageNotice): void {
    if (this.outbox.length === 0) queueMicrotask(() => this.flush());
    this.outbox.push(message);
  }

  private flush(): void {
    const messages: ToPageThread = this.outbox;
    this.outbox = [];
    if (!this.ended) this.worker.postMessage(messages);
  }

  private answer(answer: PageAnswer): void {
    const waiting = this.underWay.get(answer.seq);
    this.underWay.delete(answer.seq);
    if (!waiting) return;
    if ('error' in answer) waiting.reject(new Error(answer.error));
    else waiting.resolve((waiting.call.call === 'process' ? arrived(answer) : answer.answer) as never);
  }

  private end(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    const read = Atomics.load(this.reading, 0);
    for (const [seq, { reject }] of this.underWay) reject(new ThreadEnded(seq === read, error.message));
    this.underWay.clear();
    this.onEnd(this, error);
  }
}

/**
 * The result has waited in the thread for others, and here for its turn: time that its host has rested already. In whole
 * milliseconds and one less, because the engine's clock counts whole ones too. Its document came alone and goes alone: left
 * to the garbage collector, documents were what brought about nearly all looks through the whole heap.
 */
function arrived({ answer, at }: Extract<PageAnswer, { answer: unknown }>): PageResult {
  const age = milliseconds(Math.max(0, Math.floor(uptime() - at) - 1));
  const [bytes] = transferable(answer);
  return { ...(answer as PageResult), age, release: () => bytes?.transfer(0) };
}
