import type { EventLoopUtilization } from 'node:perf_hooks';
import { type MessagePort, Worker } from 'node:worker_threads';
import { milliseconds } from '../../domain/time/units.js';
import { WorkLost } from '../../engine/ports/page-processor.js';
import type { PageResult } from '../../engine/ports/page-task.js';
import type { PluginCaller, PluginFacts } from '../../engine/ports/plugins.js';
import type { ApiPriority } from './api-priority.js';
import {
  collectTransferableBuffers,
  getTruncatedUptimeMs,
  getUptimeMs,
  type PageAnswer,
  type PageCall,
  type PageCalls,
  type PageNotice,
  type PageThreadData,
  type ToPageThread,
} from './page-thread-protocol.js';
import { servePlugins } from './remote-plugins.js';

interface PendingCall {
  readonly call: PageCall;
  readonly cost: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Size of the young generation in MB (measured, see bench/README.md). The scanner's objects are short-lived, so more
 * space saves no time. Trees are larger, and with more space nearly all of them are dead when it is collected.
 */
export const YOUNG_GENERATION = { withoutTrees: 24, withTrees: 48 };

/** In MB, without bodies. A page that needs more than this ends its thread and is the only one that fails. */
const MAX_OLD_GENERATION_MB = 256;

/** A reading time above this is considered long; most pages take a tenth of it. */
const LONG_READING_MS = 100;

/** A thread without a heartbeat is stopped after this multiple of a page's time limit. */
const HEARTBEAT_TOLERANCE = 3;

/**
 * The thread ended before it returned a result. `guilty`: it was reading this call's page, for `readingMs`
 * milliseconds.
 */
export class ThreadEnded extends WorkLost {
  override readonly name = 'ThreadEnded';
  constructor(
    readonly guilty: boolean,
    readonly readingMs: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The main thread's handle on a thread that processes pages. Calls made in one turn of the event loop are sent
 * together.
 */
export class PageThread {
  private readonly worker: Worker;
  private readonly readingCells = new Int32Array(new SharedArrayBuffer(12));
  private readonly inFlight = new Map<number, PendingCall>();
  private ports: MessagePort[] = [];
  private outbox: (PageCall | PageNotice)[] = [];
  private ended = false;
  private finishing = false;
  private hasPlugins = false;
  private totalCost = 0;
  /** The call that was being read at the last check, and for how many checks in a row. */
  private lastReadingSeq = 0;
  private stuckChecks = 0;
  private lastHeartbeat = 0;
  private silentChecks = 0;
  private utilization: EventLoopUtilization | undefined;

  constructor(
    entry: URL,
    readonly youngGeneration: number,
    private readonly apiPriority: ApiPriority,
    private readonly onEnd: (thread: PageThread, error: Error) => void,
  ) {
    const data: PageThreadData = { reading: this.readingCells.buffer as SharedArrayBuffer };
    const resourceLimits = {
      maxYoungGenerationSizeMb: youngGeneration,
      maxOldGenerationSizeMb: MAX_OLD_GENERATION_MB,
    };
    this.worker = new Worker(entry, { workerData: data, name: 'pages', resourceLimits });
    this.worker.on('message', (answers: readonly PageAnswer[]) => {
      for (const answer of answers) this.apiPriority.handOut(() => this.settleCall(answer));
    });
    this.worker.on('error', (error: Error) => this.endThread(error));
    this.worker.on('exit', (code) => this.endThread(new Error(`a page thread ended with code ${code}`)));
  }

  /** Number of calls in flight. */
  get load(): number {
    return this.inFlight.size;
  }

  /**
   * Estimated milliseconds of work in flight; a page that has been read for a long time is assumed to take as long
   * again.
   */
  get backlog(): number {
    const readingMs =
      Atomics.load(this.readingCells, 0) === 0 ? 0 : (getTruncatedUptimeMs() - Atomics.load(this.readingCells, 1)) | 0;
    return this.totalCost + (readingMs > LONG_READING_MS ? readingMs : 0);
  }

  /** `cost`: milliseconds for which the call will probably block the thread. */
  call<Name extends keyof PageCalls>(
    seq: number,
    call: Name,
    argument: PageCalls[Name]['argument'],
    cost = 0,
  ): Promise<PageCalls[Name]['answer']> {
    return new Promise((resolve, reject) => {
      const message = { seq, call, argument } as PageCall;
      this.totalCost += cost;
      this.inFlight.set(seq, { call: message, cost, resolve: resolve as (answer: never) => void, reject });
      this.post(message);
    });
  }

  notify(notice: PageNotice): void {
    this.post(notice);
  }

  /** Informs the thread about the plug-ins; not called until there are any. */
  setPlugins(facts: readonly PluginFacts[], plugins: PluginCaller): void {
    this.notify({ notice: 'plugins', facts, ...(this.hasPlugins ? {} : { port: servePlugins(plugins) }) });
    this.hasPlugins = true;
  }

  /** To be called at a steady pace; true if the thread has been reading the same page for `limit` calls. */
  checkStuck(limit: number): boolean {
    const currentSeq = Atomics.load(this.readingCells, 0);
    this.stuckChecks = currentSeq !== 0 && currentSeq === this.lastReadingSeq ? this.stuckChecks + 1 : 0;
    this.lastReadingSeq = currentSeq;
    return this.stuckChecks >= limit || this.checkSilence(limit * HEARTBEAT_TOLERANCE);
  }

  /** Returns the share of the time since the last call during which the thread was busy, from 0 to 1. */
  measureBusyShare(): number {
    const { performance } = this.worker;
    const currentUtilization = performance.eventLoopUtilization();
    const usage = performance.eventLoopUtilization(currentUtilization, this.utilization);
    this.utilization = currentUtilization;
    return usage.utilization;
  }

  /** Returns true if something other than reading a page blocks the thread; all its work is lost then. */
  private checkSilence(limit: number): boolean {
    const heartbeat = Atomics.load(this.readingCells, 2);
    this.silentChecks =
      this.load > 0 && heartbeat !== 0 && heartbeat === this.lastHeartbeat ? this.silentChecks + 1 : 0;
    this.lastHeartbeat = heartbeat;
    return this.silentChecks >= limit;
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

  /** Closes the thread as soon as no call is in flight; no further calls may be made. */
  async finish(): Promise<void> {
    if (this.load === 0) return this.close();
    this.finishing = true;
    await new Promise<unknown>((resolve) => this.worker.once('exit', resolve));
  }

  private post(message: PageCall | PageNotice): void {
    if ('notice' in message && 'port' in message && message.port) this.ports.push(message.port);
    if (this.outbox.length === 0) queueMicrotask(() => this.flush());
    this.outbox.push(message);
  }

  private flush(): void {
    const messages: ToPageThread = this.outbox;
    const ports = this.ports;
    this.outbox = [];
    this.ports = [];
    if (!this.ended) this.worker.postMessage(messages, ports);
  }

  private settleCall(answer: PageAnswer): void {
    const pendingCall = this.inFlight.get(answer.seq);
    this.inFlight.delete(answer.seq);
    if (!pendingCall) return;
    this.totalCost -= pendingCall.cost;
    if (this.finishing && this.load === 0) void this.close();
    if ('error' in answer) pendingCall.reject(new Error(answer.error));
    else pendingCall.resolve((pendingCall.call.call === 'process' ? addTimes(answer) : answer.answer) as never);
  }

  private endThread(error: Error): void {
    if (this.ended) return;
    this.apiPriority.flush();
    this.ended = true;
    const readingSeq = Atomics.load(this.readingCells, 0);
    const readingMs = Math.max(0, (getTruncatedUptimeMs() - Atomics.load(this.readingCells, 1)) | 0);
    for (const [seq, { reject }] of this.inFlight)
      reject(new ThreadEnded(seq === readingSeq, readingMs, error.message));
    this.inFlight.clear();
    this.totalCost = 0;
    this.onEnd(this, error);
  }
}

/**
 * Adds the age of the result, for which its host has already rested: the result has waited in its thread to be sent,
 * and here to be handled. The age is rounded down and reduced by one millisecond, because the engine's clock counts
 * whole milliseconds, too. The document's buffer was transferred alone and is freed explicitly: left to the garbage
 * collector, documents caused nearly all full collections.
 */
function addTimes({ answer, readyAt, readingMs }: Extract<PageAnswer, { answer: unknown }>): PageResult {
  const result = answer as PageResult;
  const [bytes] = collectTransferableBuffers(answer);
  return Object.assign(result, {
    age: milliseconds(Math.max(0, Math.floor(getUptimeMs() - readyAt) - 1)),
    readingTime: milliseconds(Math.round(readingMs + (result.decodingTime ?? 0))),
    release: () => bytes?.transfer(0),
  });
}
