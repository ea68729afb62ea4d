import { setImmediate } from 'node:timers/promises';
import { alwaysNeedsTree } from '../../domain/content/content-definition.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { usesRendering } from '../../domain/render/renders.js';
import { runAtOnce, runWithPauses } from '../../domain/steps.js';
import { milliseconds } from '../../domain/time/units.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import type { PageProcessor } from '../../engine/ports/page-processor.js';
import type { PageResult, PageTask } from '../../engine/ports/page-task.js';
import type { PluginFacts, Plugins } from '../../engine/ports/plugins.js';
import { ApiPriority } from './api-priority.js';
import { PageThread, ThreadEnded, YOUNG_GENERATION } from './page-thread.js';
import { incrementSeq, type PageCalls } from './page-thread-protocol.js';
import { RenderThread, type ScriptJudge } from './render-thread.js';
import { packDefinition, packSecrets } from './secrets-across.js';
import { extractHost, findLeastBusyThread, ReadingTimes, ThreadDemand } from './thread-load.js';

export interface PageThreadPoolOptions {
  /** A module that calls `servePages`. */
  readonly entry: URL;
  readonly threads: number;
  /**
   * Maximum number of threads. Threads are added one at a time while reading pages limits the crawl's speed (see
   * ThreadDemand). Default: `threads`.
   */
  readonly maxThreads?: number;
  /** A module that calls `serveRenderer`; absent if nothing is to be rendered. */
  readonly rendererEntry?: URL;
  /** If absent, the configuration's plug-ins are ignored. */
  readonly plugins?: Plugins;
  readonly log: Log;
  /** Maximum time in milliseconds for reading one page, after which its thread is stopped. */
  readonly maxReadingMs?: number;
  /** If absent, results are handed out as soon as they arrive. */
  readonly apiPriority?: ApiPriority;
}

const MAX_READING_MS = 20_000;
/** The same limit if other pages are waiting for the thread; these are then requested again. */
const MAX_READING_BEFORE_OTHERS_MS = 10_000;
const CHECK_MS = 1_000;

/**
 * Distributes pages to threads. A thread that hangs on a page is stopped and replaced; the page gets the error
 * `parse-timeout`, and everything else in flight on that thread is lost, because only the caller knows when its host
 * may be requested again. Hosts whose pages are slow to read share the first half of the threads, so that they cannot
 * block all of them; pages of other hosts go to the thread with the least work.
 */
export class PageThreadPool implements PageProcessor {
  private threads: PageThread[];
  /** Threads that finish their calls in flight and get no new ones. */
  private readonly apiPriority: ApiPriority;
  private readonly finishingThreads = new Set<PageThread>();
  private youngGeneration = YOUNG_GENERATION.withoutTrees;
  private definition: ServerDefinition | undefined;
  private packed: { readonly definition: ServerDefinition; readonly bytes: Uint8Array } | undefined;
  private readonly roots = new Map<string, { crawler: string; root: RootContext }>();
  private readonly readingTimes = new ReadingTimes();
  private readonly demand = new ThreadDemand();
  private mainUtilization = performance.eventLoopUtilization();
  private lastSeq = 0;
  private closing = false;
  /** Defined if anything is to be rendered. */
  private renderThread: RenderThread | undefined;
  private judgeScript: ScriptJudge = async () => ({});
  private readonly checkTimer: NodeJS.Timeout;

  constructor(private readonly options: PageThreadPoolOptions) {
    this.apiPriority = options.apiPriority ?? new ApiPriority();
    this.threads = Array.from({ length: options.threads }, () => this.startThread());
    this.checkTimer = setInterval(() => this.checkThreads(), CHECK_MS);
    this.checkTimer.unref();
    options.plugins?.onFacts((facts) => this.sendPluginFacts(facts));
  }

  async prepare(definition: ServerDefinition): Promise<void> {
    this.packed = { definition, bytes: await runWithPauses(packDefinition(definition), setImmediate) };
  }

  private pack(definition: ServerDefinition): Uint8Array {
    if (this.packed?.definition !== definition)
      this.packed = { definition, bytes: runAtOnce(packDefinition(definition)) };
    return this.packed.bytes;
  }

  async configure(definition: ServerDefinition): Promise<void> {
    this.adaptHeapSizes(definition);
    this.definition = definition;
    const crawlers = new Set(definition.crawlers.map(({ name }) => name));
    if (this.renderThread || usesRendering(definition)) this.configureRenderer(definition);
    for (const [key, { crawler }] of this.roots) if (!crawlers.has(crawler)) this.roots.delete(key);
    const argument = this.pack(definition);
    await Promise.all([
      ...this.threads.map((thread) => thread.call(this.allocateSeq(), 'configure', argument)),
      this.options.plugins?.configure(definition.plugins ?? []),
    ]);
  }

  /** Replaces threads whose heap has the wrong size, because the size is fixed when a thread starts. */
  private adaptHeapSizes({ crawlers }: ServerDefinition): void {
    const { withTrees, withoutTrees } = YOUNG_GENERATION;
    const needsTrees = crawlers.some(({ contents = [] }) => contents.some(alwaysNeedsTree));
    this.youngGeneration = needsTrees ? withTrees : withoutTrees;
    this.threads = this.threads.map((thread) => {
      if (thread.youngGeneration === this.youngGeneration) return thread;
      this.finishingThreads.add(thread);
      void thread.finish().finally(() => this.finishingThreads.delete(thread));
      return this.startThread();
    });
  }

  addRoot(crawler: string, root: RootContext): void {
    this.roots.set(`${crawler} ${root.url.href}`, { crawler, root });
    for (const thread of this.threads) thread.notify({ notice: 'root', crawler, root });
  }

  removeRoot(crawler: string, url: string): void {
    this.roots.delete(`${crawler} ${url}`);
    for (const thread of this.threads) thread.notify({ notice: 'root removed', crawler, url });
  }

  setScriptJudge(judge: ScriptJudge): void {
    this.judgeScript = judge;
  }

  async process(task: PageTask): Promise<PageResult> {
    if (task.render === 'always' && !this.renderThread && this.definition) this.configureRenderer(this.definition);
    const host = extractHost(task.url);
    const threads = this.readingTimes.isSlow(host) ? this.slowThreads : this.threads;
    try {
      // No other part of a task has secrets.
      const options = packSecrets(task.effects.options);
      const packedTask = options === task.effects.options ? task : { ...task, effects: { ...task.effects, options } };
      const cost = this.readingTimes.estimateTime(host);
      const result = await this.callLeastBusyThread(threads, 'process', packedTask, cost);
      this.readingTimes.record(host, result.readingTime ?? 0);
      return result;
    } catch (error) {
      if (!(error instanceof ThreadEnded && error.guilty)) throw error;
      this.readingTimes.record(host, error.readingMs);
      return createStoppedResult(task, error.readingMs);
    }
  }

  private configureRenderer({ renderer, fetchers }: ServerDefinition): void {
    const { rendererEntry, log } = this.options;
    if (!rendererEntry || !renderer) return;
    if (this.renderThread) {
      this.renderThread.configure(renderer, fetchers);
      return;
    }
    const judge: ScriptJudge = (url, isScript) => this.judgeScript(url, isScript);
    const newThread = new RenderThread(rendererEntry, log, judge, () => {
      if (this.renderThread !== newThread) return;
      this.renderThread = undefined;
      if (!this.closing && this.definition) this.configureRenderer(this.definition);
    });
    this.renderThread = newThread;
    newThread.configure(renderer, fetchers);
    for (const thread of this.threads) thread.notify({ notice: 'renderer', port: newThread.connect() });
  }

  private sendPluginFacts(facts: readonly PluginFacts[]): void {
    const { plugins } = this.options;
    if (plugins) for (const thread of this.threads) thread.setPlugins(facts, plugins);
  }

  private get slowThreads(): PageThread[] {
    return this.threads.slice(0, Math.ceil(this.threads.length / 2));
  }

  fetch(request: FetchRequest): Promise<FetchOutcome> {
    return this.call('fetch', packSecrets(request));
  }

  resolve(hostname: string): Promise<string | undefined> {
    return this.call('resolve', hostname);
  }

  forget(crawler: string, urls: readonly string[]): void {
    for (const thread of this.threads) thread.notify({ notice: 'forget', crawler, urls });
  }

  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.checkTimer);
    const threads = [...this.threads, ...this.finishingThreads];
    await Promise.all([...threads.map((thread) => thread.close()), this.renderThread?.close()]);
    await this.options.plugins?.close();
  }

  private call<Name extends keyof PageCalls>(
    name: Name,
    argument: PageCalls[Name]['argument'],
  ): Promise<PageCalls[Name]['answer']> {
    return this.callLeastBusyThread(this.threads, name, argument, 0);
  }

  private callLeastBusyThread<Name extends keyof PageCalls>(
    threads: readonly PageThread[],
    name: Name,
    argument: PageCalls[Name]['argument'],
    cost: number,
  ): Promise<PageCalls[Name]['answer']> {
    const thread = threads.length === 1 ? threads[0]! : findLeastBusyThread(threads);
    return thread.call(this.allocateSeq(), name, argument, cost);
  }

  private allocateSeq(): number {
    this.lastSeq = incrementSeq(this.lastSeq);
    return this.lastSeq;
  }

  private startThread(): PageThread {
    const thread = new PageThread(this.options.entry, this.youngGeneration, this.apiPriority, (endedThread, error) =>
      this.replaceThread(endedThread, error),
    );
    if (this.renderThread) thread.notify({ notice: 'renderer', port: this.renderThread.connect() });
    if (this.definition) {
      // The result is not awaited: messages keep their order, so every page arrives after the configuration.
      thread.call(this.allocateSeq(), 'configure', this.pack(this.definition)).catch(() => undefined);
      for (const { crawler, root } of this.roots.values()) thread.notify({ notice: 'root', crawler, root });
      const { plugins } = this.options;
      if (plugins && plugins.facts.length > 0) thread.setPlugins(plugins.facts, plugins);
    }
    return thread;
  }

  private replaceThread(endedThread: PageThread, error: Error): void {
    if (this.closing || !this.threads.includes(endedThread)) return;
    this.options.log.warn('a page thread has ended and is being replaced', { error: error.message });
    this.threads = this.threads.map((thread) => (thread === endedThread ? this.startThread() : thread));
  }

  private checkThreads(): void {
    const maxReadingMs = this.options.maxReadingMs ?? MAX_READING_MS;
    for (const thread of [...this.threads, ...this.finishingThreads]) {
      const limit = thread.load > 1 ? Math.min(maxReadingMs, MAX_READING_BEFORE_OTHERS_MS) : maxReadingMs;
      if (thread.checkStuck(limit / CHECK_MS)) void thread.terminate();
    }
    this.addThreadIfNeeded();
  }

  private addThreadIfNeeded(): void {
    const { threads, maxThreads: threadLimit = threads, log } = this.options;
    if (this.threads.length >= threadLimit) return;
    const currentUtilization = performance.eventLoopUtilization();
    const mainShare = performance.eventLoopUtilization(currentUtilization, this.mainUtilization).utilization;
    this.mainUtilization = currentUtilization;
    const busyShares = this.threads.map((thread) => thread.measureBusyShare());
    if (!this.demand.checkDemand(mainShare, busyShares)) return;
    this.threads = [...this.threads, this.startThread()];
    log.info('one more page thread was started: reading pages limited the speed of the crawl', {
      threads: this.threads.length,
    });
  }
}

function createStoppedResult(task: PageTask, readingMs: number): PageResult {
  return {
    id: task.id,
    crawler: task.crawler,
    outcome: { kind: 'error', code: 'parse-timeout', detail: 'reading the page took too long and was stopped' },
    links: [],
    refused: [],
    duration: milliseconds(0),
    bytes: 0,
    readingTime: milliseconds(Math.round(readingMs)),
    schedule: {},
  };
}
