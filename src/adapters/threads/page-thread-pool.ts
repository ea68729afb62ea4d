import { alwaysNeedsTree } from '../../domain/content/content-definition.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { usesRendering } from '../../domain/render/renders.js';
import { milliseconds } from '../../domain/time/units.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import type { PageProcessor } from '../../engine/ports/page-processor.js';
import type { PageResult, PageTask } from '../../engine/ports/page-task.js';
import type { PluginFacts, Plugins } from '../../engine/ports/plugins.js';
import { PageThread, ThreadEnded, YOUNG_GENERATION } from './page-thread.js';
import { nextSeq, type PageCalls } from './page-thread-protocol.js';
import { ReadingTimes } from './reading-times.js';
import { RenderThread } from './render-thread.js';
import { packSecrets } from './secrets-across.js';
import { ThreadDemand } from './thread-demand.js';

export interface PageThreadPoolOptions {
  /** A module that calls `servePages`. */
  readonly entry: URL;
  readonly threads: number;
  /**
   * Maximum number of threads. Threads are added one at a time while reading pages limits the crawl's speed (see
   * ThreadDemand). Default: `threads`.
   */
  readonly mostThreads?: number;
  /** A module that calls `serveRenderer`; absent if nothing is to be rendered. */
  readonly rendererEntry?: URL;
  /** If absent, the configuration's plug-ins are ignored. */
  readonly plugins?: Plugins;
  readonly log: Log;
  /** Maximum time in milliseconds for reading one page, after which its thread is stopped. */
  readonly maxReadingMs?: number;
}

const MAX_READING_MS = 20_000;
/** The same limit for a page behind which others are waiting: those are then requested again. */
const MAX_READING_BEFORE_OTHERS_MS = 10_000;
const CHECK_MS = 1_000;

/**
 * Distributes pages to threads. A thread that hangs on a page is stopped and replaced; the page gets the error
 * `parse-timeout`, and everything else in flight on that thread is lost, because only the caller knows when its host
 * may be asked again. Hosts whose pages take long to read share the first half of the threads, so that they cannot
 * block all of them; pages of other hosts go to the thread with the least work.
 */
export class PageThreadPool implements PageProcessor {
  private threads: PageThread[];
  /** They finish what they have begun, and get nothing more. */
  private readonly finishing = new Set<PageThread>();
  private youngGeneration = YOUNG_GENERATION.withoutTrees;
  private definition: ServerDefinition | undefined;
  private readonly roots = new Map<string, { crawler: string; root: RootContext }>();
  private readonly times = new ReadingTimes();
  private readonly demand = new ThreadDemand();
  private mainUtilization = performance.eventLoopUtilization();
  private lastSeq = 0;
  private closing = false;
  /** Defined if anything is to be rendered. */
  private renderThread: RenderThread | undefined;
  private readonly watch: NodeJS.Timeout;

  constructor(private readonly options: PageThreadPoolOptions) {
    this.threads = Array.from({ length: options.threads }, () => this.startThread());
    this.watch = setInterval(() => this.checkThreads(), CHECK_MS);
    this.watch.unref();
    options.plugins?.onFacts((facts) => this.sendPluginFacts(facts));
  }

  async configure(definition: ServerDefinition): Promise<void> {
    this.adaptHeaps(definition);
    this.definition = definition;
    const crawlers = new Set(definition.crawlers.map(({ name }) => name));
    if (this.renderThread || usesRendering(definition)) this.openRenderer(definition);
    for (const [key, { crawler }] of this.roots) if (!crawlers.has(crawler)) this.roots.delete(key);
    const argument = packSecrets(definition);
    await Promise.all([
      ...this.threads.map((thread) => thread.call(this.allocateSeq(), 'configure', argument)),
      this.options.plugins?.configure(definition.plugins ?? []),
    ]);
  }

  /** The size of a heap is fixed when its thread is started, so that other threads take over. */
  private adaptHeaps({ crawlers }: ServerDefinition): void {
    const { withTrees, withoutTrees } = YOUNG_GENERATION;
    const readTrees = crawlers.some(({ contents = [] }) => contents.some(alwaysNeedsTree));
    this.youngGeneration = readTrees ? withTrees : withoutTrees;
    this.threads = this.threads.map((thread) => {
      if (thread.youngGeneration === this.youngGeneration) return thread;
      this.finishing.add(thread);
      void thread.finish().finally(() => this.finishing.delete(thread));
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

  async process(task: PageTask): Promise<PageResult> {
    if (task.render === 'always' && !this.renderThread && this.definition) this.openRenderer(this.definition);
    const host = extractHost(task.url);
    const threads = this.times.isSlow(host) ? this.slowThreads : this.threads;
    try {
      const result = await this.callOneOf(threads, 'process', task, this.times.estimateTime(host));
      this.times.record(host, result.readingTime ?? 0);
      return result;
    } catch (error) {
      if (!(error instanceof ThreadEnded && error.guilty)) throw error;
      this.times.record(host, error.readingMs);
      return createStoppedResult(task, error.readingMs);
    }
  }

  private openRenderer({ renderer, fetchers }: ServerDefinition): void {
    const { rendererEntry, log } = this.options;
    if (!rendererEntry || !renderer) return;
    if (this.renderThread) {
      this.renderThread.configure(renderer, fetchers);
      return;
    }
    const opened = new RenderThread(rendererEntry, log, () => {
      if (this.renderThread !== opened) return;
      this.renderThread = undefined;
      if (!this.closing && this.definition) this.openRenderer(this.definition);
    });
    this.renderThread = opened;
    opened.configure(renderer, fetchers);
    for (const thread of this.threads) thread.notify({ notice: 'renderer', port: opened.connect() });
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
    clearInterval(this.watch);
    const threads = [...this.threads, ...this.finishing];
    await Promise.all([...threads.map((thread) => thread.close()), this.renderThread?.close()]);
    await this.options.plugins?.close();
  }

  private call<Name extends keyof PageCalls>(
    name: Name,
    argument: PageCalls[Name]['argument'],
  ): Promise<PageCalls[Name]['answer']> {
    return this.callOneOf(this.threads, name, argument, 0);
  }

  private callOneOf<Name extends keyof PageCalls>(
    threads: readonly PageThread[],
    name: Name,
    argument: PageCalls[Name]['argument'],
    cost: number,
  ): Promise<PageCalls[Name]['answer']> {
    const thread = threads.length === 1 ? threads[0]! : findLeastBusyThread(threads);
    return thread.call(this.allocateSeq(), name, argument, cost);
  }

  private allocateSeq(): number {
    this.lastSeq = nextSeq(this.lastSeq);
    return this.lastSeq;
  }

  private startThread(): PageThread {
    const thread = new PageThread(this.options.entry, this.youngGeneration, (ended, error) =>
      this.replaceThread(ended, error),
    );
    if (this.renderThread) thread.notify({ notice: 'renderer', port: this.renderThread.connect() });
    if (this.definition) {
      // The result is not awaited: messages keep their order, so every page arrives after the configuration.
      thread.call(this.allocateSeq(), 'configure', packSecrets(this.definition)).catch(() => undefined);
      for (const { crawler, root } of this.roots.values()) thread.notify({ notice: 'root', crawler, root });
      const { plugins } = this.options;
      if (plugins && plugins.facts.length > 0) thread.setPlugins(plugins.facts, plugins);
    }
    return thread;
  }

  private replaceThread(ended: PageThread, error: Error): void {
    if (this.closing || !this.threads.includes(ended)) return;
    this.options.log.warn('a page thread ended and is being replaced', { error: error.message });
    this.threads = this.threads.map((thread) => (thread === ended ? this.startThread() : thread));
  }

  private checkThreads(): void {
    const most = this.options.maxReadingMs ?? MAX_READING_MS;
    for (const thread of [...this.threads, ...this.finishing]) {
      const limit = thread.load > 1 ? Math.min(most, MAX_READING_BEFORE_OTHERS_MS) : most;
      if (thread.checkStuck(limit / CHECK_MS)) void thread.terminate();
    }
    this.growIfNeeded();
  }

  private growIfNeeded(): void {
    const { threads, mostThreads = threads, log } = this.options;
    if (this.threads.length >= mostThreads) return;
    const now = performance.eventLoopUtilization();
    const main = performance.eventLoopUtilization(now, this.mainUtilization).utilization;
    this.mainUtilization = now;
    const shares = this.threads.map((thread) => thread.measureBusyShare());
    if (!this.demand.checkDemand(main, shares)) return;
    this.threads = [...this.threads, this.startThread()];
    log.info('one more page thread was started: reading pages limited the speed of the crawl', {
      threads: this.threads.length,
    });
  }
}

function findLeastBusyThread(threads: readonly PageThread[]): PageThread {
  const backlogs = threads.map((thread) => thread.backlog);
  const least = threads.map((_, i) => i).reduce((best, i) => (isLessBusy(i, best) ? i : best));
  return threads[least]!;

  function isLessBusy(one: number, other: number): boolean {
    if (backlogs[one] !== backlogs[other]) return backlogs[one]! < backlogs[other]!;
    return threads[one]!.load < threads[other]!.load;
  }
}

/** Extracts the host of a canonical URL without the cost of parsing it. */
function extractHost(url: string): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
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
