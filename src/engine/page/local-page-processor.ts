import type { FetcherDefinition, ServerDefinition } from '../../domain/crawl/definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import type { Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { PageResult, PageTask } from '../ports/page-task.js';
import { type CrawlContext, compileContexts } from './crawl-context.js';
import { LinkMemory } from './link-memory.js';
import { type PageTools, processPage } from './page-pipeline.js';

export interface ProcessorTools extends Omit<PageTools, 'fetcher' | 'reading'> {
  readonly createFetcher: (definitions: readonly FetcherDefinition[]) => Fetcher;
}

/** Processes pages in the calling thread. Worker threads run one each; a simulation runs it directly. */
export class LocalPageProcessor implements PageProcessor {
  private contexts = new Map<string, CrawlContext>();
  private readonly links = new Map<string, LinkMemory>();

  private fetcher: Fetcher | undefined;
  private fetchers = '';
  /** Work under way by fetcher: one that is replaced is closed when its last piece of work has ended. */
  private readonly underWay = new Map<Fetcher, number>();

  constructor(private readonly tools: ProcessorTools) {}

  async configure(definition: ServerDefinition): Promise<void> {
    const contexts = compileContexts(definition);
    this.configureFetcher(definition.fetchers);
    for (const [name, context] of contexts) {
      // Submitted roots outlive a change of the configuration; of those that do not, the engine tells.
      for (const [url, root] of this.contexts.get(name)?.roots ?? [])
        if (!context.roots.has(url)) context.roots.set(url, root);
      this.links.set(name, new LinkMemory());
    }
    this.contexts = contexts;
  }

  addRoot(crawler: string, root: RootContext): void {
    this.contexts.get(crawler)?.roots.set(root.url.href, root);
    // What a page may link to has changed with its root, so links that were judged before are judged again.
    this.links.set(crawler, new LinkMemory());
  }

  removeRoot(crawler: string, url: string): void {
    if (this.contexts.get(crawler)?.roots.delete(url)) this.links.set(crawler, new LinkMemory());
  }

  async process(task: PageTask, reading?: PageTools['reading']): Promise<PageResult> {
    const context = this.contexts.get(task.crawler);
    const links = task.inspect ? new LinkMemory() : this.links.get(task.crawler);
    if (!context || !links) throw new Error(`no crawler is named ${task.crawler}`);
    const { reader, digest } = this.tools;
    return this.withFetcher((fetcher) => processPage(task, context, links, { fetcher, reader, digest, reading }));
  }

  async fetch(request: FetchRequest): Promise<FetchOutcome> {
    return this.withFetcher((fetcher) => fetcher.fetch(request));
  }

  async resolve(hostname: string): Promise<string | undefined> {
    return this.withFetcher((fetcher) => fetcher.resolve(hostname));
  }

  forget(crawler: string, urls: readonly string[]): void {
    this.links.get(crawler)?.forget(urls);
  }

  async close(): Promise<void> {
    const replaced = [...this.underWay.keys()].filter((fetcher) => fetcher !== this.fetcher);
    await Promise.all([...replaced, this.fetcher].map((fetcher) => fetcher?.close()));
  }

  private async withFetcher<T>(work: (fetcher: Fetcher) => Promise<T>): Promise<T> {
    const { fetcher } = this;
    if (!fetcher) throw new Error('the page processor has not been configured');
    this.underWay.set(fetcher, (this.underWay.get(fetcher) ?? 0) + 1);
    try {
      return await work(fetcher);
    } finally {
      this.underWay.set(fetcher, this.underWay.get(fetcher)! - 1);
      if (fetcher !== this.fetcher) this.retire(fetcher);
    }
  }

  private retire(fetcher: Fetcher): void {
    if ((this.underWay.get(fetcher) ?? 0) > 0) return;
    this.underWay.delete(fetcher);
    void fetcher.close();
  }

  /** Connections and what is known of hosts are kept when the fetchers stay as they are. */
  private configureFetcher(definitions: readonly FetcherDefinition[]): void {
    const text = JSON.stringify(definitions);
    if (text === this.fetchers) return;
    const previous = this.fetcher;
    this.fetchers = text;
    this.fetcher = this.tools.createFetcher(definitions);
    if (previous) this.retire(previous);
  }
}
