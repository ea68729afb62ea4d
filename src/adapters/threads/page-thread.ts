import type { EventLoopUtilization } from 'node:perf_hooks';
import { type MessagePort, Worker } from 'node:worker_threads';
import { milliseconds } from '../../domain/time/units.js';
import { WorkLost } from '../../engine/ports/page-processor.js';
import type { PageResult } from '../../engine/ports/page-task.js';
import type { PluginCaller, PluginFacts } from '../../engine/ports/plugins.js';
import {
  collectTransferableBuffers,
  currentMoment,
  type PageAnswer,
  type PageCall,
  type PageCalls,
  type PageNotice,
  type PageThreadData,
  type ToPageThread,
  uptime,
} from './page-thread-protocol.js';
import { servePlugins } from './remote-plugins.js';

interface InFlight {
  readonly call: PageCall;
  readonly cost: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Size of the young generation in MB (measured, see bench/README.md). What the scanner leaves behind is short-lived, so more room
 * saves no time. Trees are larger, and with more room nearly all of them are dead when new space is collected.
 */
export const YOUNG_GENERATION = { withoutTrees: 24, withTrees: 48 };

/** In MB. Bodies do not count here; a page that needs more than this itself ends its thread, and is the only one that fails. */
const MAX_OLD_GENERATION = 256;

/** Reading a page counts as long from here on; most pages take a tenth of this. */
const LONG_READING_MS = 100;

/** A thread without a heartbeat gets this many times the time limit of a page. */
const PATIENCE = 3;

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

/** The main thread's handle on a thread that processes pages. Calls made in one turn of the event loop are sent together. */
export class PageThread {
  private readonly worker: Worker;
  private readonly reading = new Int32Array(new SharedArrayBuffer(12));
  private readonly inFlight = new Map<number, InFlight>();
  private ports: MessagePort[] = [];
  private outbox: (PageCall | PageNotice)[] = [];
  private ended = false;
  private finishing = false;
  private asksPlugins = false;
  private costs = 0;
  /** The call that was being read at the last check, and for how many checks in a row. */
  private lastReading = 0;
  private checks = 0;
  private lastBeat = 0;
  private silentChecks = 0;
  private utilization: EventLoopUtilization | undefined;

  constructor(
    entry: URL,
    readonly youngGeneration: number,
    private readonly onEnd: (thread: PageThread, error: Error) => void,
  ) {
    const data: PageThreadData = { reading: this.reading.buffer as SharedArrayBuffer };
    const resourceLimits = {
      maxYoungGenerationSizeMb: youngGeneration,
      maxOldGenerationSizeMb: MAX_OLD_GENERATION,
    };
    this.worker = new Worker(entry, { workerData: data, name: 'pages', resourceLimits });
    this.worker.on('message', (answers: readonly PageAnswer[]) => {
      for (const answer of answers) this.settleCall(answer);
    });
    this.worker.on('error', (error: Error) => this.endThread(error));
    this.worker.on('exit', (code) => this.endThread(new Error(`a page thread ended with code ${code}`)));
  }

  /** Number of calls in flight. */
  get load(): number {
    return this.inFlight.size;
  }

  /**
   * Estimated milliseconds of work that are waiting here; a page that has been read for a long time is assumed to take
   * as long again.
   */
  get backlog(): number {
    const reading = Atomics.load(this.reading, 0) === 0 ? 0 : (currentMoment() - Atomics.load(this.reading, 1)) | 0;
    return this.costs + (reading > LONG_READING_MS ? reading : 0);
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
      this.costs += cost;
      this.inFlight.set(seq, { call: message, cost, resolve: resolve as (answer: never) => void, reject });
      this.post(message);
    });
  }

  notify(notice: PageNotice): void {
    this.post(notice);
  }

  /** Informs the thread about the plug-ins. As long as there have never been any, it gets no such messages. */
  setPlugins(facts: readonly PluginFacts[], plugins: PluginCaller): void {
    this.notify({ notice: 'plugins', facts, ...(this.asksPlugins ? {} : { port: servePlugins(plugins) }) });
    this.asksPlugins = true;
  }

  /** To be called at a steady pace; true if the thread has been reading the same page for `limit` calls. */
  checkStuck(limit: number): boolean {
    const now = Atomics.load(this.reading, 0);
    this.checks = now !== 0 && now === this.lastReading ? this.checks + 1 : 0;
    this.lastReading = now;
    return this.checks >= limit || this.checkSilence(limit * PATIENCE);
  }

  /** Share of the time since the last call during which the thread was busy, from 0 to 1. */
  measureBusyShare(): number {
    const { performance } = this.worker;
    const now = performance.eventLoopUtilization();
    const since = performance.eventLoopUtilization(now, this.utilization);
    this.utilization = now;
    return since.utilization;
  }

  /** True if something other than reading a page blocks the thread: it is unknown what, so all its work is lost. */
  private checkSilence(limit: number): boolean {
    const beat = Atomics.load(this.reading, 2);
    this.silentChecks = this.load > 0 && beat !== 0 && beat === this.lastBeat ? this.silentChecks + 1 : 0;
    this.lastBeat = beat;
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

  /** Closes the thread as soon as no call is in flight; there must be no further ones. */
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
    const waiting = this.inFlight.get(answer.seq);
    this.inFlight.delete(answer.seq);
    if (!waiting) return;
    this.costs -= waiting.cost;
    if (this.finishing && this.load === 0) void this.close();
    if ('error' in answer) waiting.reject(new Error(answer.error));
    else waiting.resolve((waiting.call.call === 'process' ? addTimes(answer) : answer.answer) as never);
  }

  private endThread(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    const read = Atomics.load(this.reading, 0);
    const readingMs = Math.max(0, (currentMoment() - Atomics.load(this.reading, 1)) | 0);
    for (const [seq, { reject }] of this.inFlight) reject(new ThreadEnded(seq === read, readingMs, error.message));
    this.inFlight.clear();
    this.costs = 0;
    this.onEnd(this, error);
  }
}

/**
 * Adds the age of the result: it has waited in the thread for others, and here for its turn, and its host has already
 * rested for that time. The age is in whole milliseconds minus one, because the engine's clock also counts whole ones.
 * The document's buffer was transferred alone and is freed explicitly: left to the garbage collector, documents caused
 * nearly all full collections.
 */
function addTimes({ answer, at, read }: Extract<PageAnswer, { answer: unknown }>): PageResult {
  const age = milliseconds(Math.max(0, Math.floor(uptime() - at) - 1));
  const result = answer as PageResult;
  const [bytes] = collectTransferableBuffers(answer);
  return {
    ...result,
    age,
    readingTime: milliseconds(Math.round(read + (result.decodingTime ?? 0))),
    release: () => bytes?.transfer(0),
  };
}
