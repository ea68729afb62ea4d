import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { milliseconds } from '../../domain/time/units.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import type { PageProcessor } from '../../engine/ports/page-processor.js';
import type { PageResult, PageTask } from '../../engine/ports/page-task.js';
import { PageThread, ThreadEnded } from './page-thread.js';
import { nextSeq, type PageCalls } from './page-thread-protocol.js';

export interface PageThreadPoolOptions {
  /** Module that calls `servePages`. */
  readonly entry: URL;
  readonly threads: number;
  readonly log: Log;
  /** Milliseconds that reading one page may take before its thread is stopped. */
  readonly maxReadingMs?: number;
}

const MAX_READING_MS = 20_000;
const CHECK_MS = 1_000;

/**
 * Spreads pages over threads. A thread that hangs in a page is stopped and replaced; the page gets the error
 * `parse-timeout`, and what else was under way there is lost: only the caller knows when its host may be asked again.
 */
export class PageThreadPool implements PageProcessor {
  private threads: PageThread[];
  private definition: ServerDefinition | undefined;
  private readonly roots = new Map<string, { crawler: string; root: RootContext }>();
  private lastSeq = 0;
  private closing = false;
  private readonly watch: NodeJS.Timeout;

  constructor(private readonly options: PageThreadPoolOptions) {
    this.threads = Array.from({ length: options.threads }, () => this.open());
    this.watch = setInterval(() => this.check(), CHECK_MS);
    this.watch.unref();
  }

  async configure(definition: ServerDefinition): Promise<void> {
    this.definition = definition;
    const crawlers = new Set(definition.crawlers.map(({ name }) => name));
    for (const [key, { crawler }] of this.roots) if (!crawlers.has(crawler)) this.roots.delete(key);
    await Promise.all(this.threads.map((thread) => thread.call(this.nextSeq(), 'configure', definition)));
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
    try {
      return await this.call('process', task);
    } catch (error) {
      if (error instanceof ThreadEnded && error.guilty) return stopped(task);
      throw error;
    }
  }

  fetch(request: FetchRequest): Promise<FetchOutcome> {
    return this.call('fetch', request);
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
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private call<Name extends keyof PageCalls>(
    name: Name,
    argument: PageCalls[Name]['argument'],
  ): Promise<PageCalls[Name]['answer']> {
    const thread = this.threads.reduce((least, one) => (one.load < least.load ? one : least));
    return thread.call(this.nextSeq(), name, argument);
  }

  private nextSeq(): number {
    this.lastSeq = nextSeq(this.lastSeq);
    return this.lastSeq;
  }

  private open(): PageThread {
    const thread = new PageThread(this.options.entry, (ended, error) => this.replace(ended, error));
    if (this.definition) {
      // The answer is not waited for: messages keep their order, so every page comes after it.
      thread.call(this.nextSeq(), 'configure', this.definition).catch(() => undefined);
      for (const { crawler, root } of this.roots.values()) thread.notify({ notice: 'root', crawler, root });
    }
    return thread;
  }

  private replace(ended: PageThread, error: Error): void {
    if (this.closing) return;
    this.options.log.warn('a page thread ended and is replaced', { error: error.message });
    this.threads = this.threads.map((thread) => (thread === ended ? this.open() : thread));
  }

  private check(): void {
    const limit = (this.options.maxReadingMs ?? MAX_READING_MS) / CHECK_MS;
    for (const thread of this.threads) if (thread.isStuck(limit)) void thread.terminate();
  }
}

function stopped(task: PageTask): PageResult {
  return {
    id: task.id,
    crawler: task.crawler,
    outcome: { kind: 'error', code: 'parse-timeout', detail: 'reading the page took too long and was stopped' },
    links: [],
    refused: [],
    duration: milliseconds(0),
    bytes: 0,
    schedule: {},
  };
}
