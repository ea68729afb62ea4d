import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { ExtractorDefinition, FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { FetchEngine, Fetcher, FetchRequest } from '../ports/fetcher.js';
import type { PageProcessor } from '../ports/page-processor.js';
import type { PageResult, PageTask } from '../ports/page-task.js';
import type { PluginCaller, PluginFacts } from '../ports/plugins.js';
import { type CrawlContext, compileContexts } from './crawl-context.js';
import { BUILT_IN_STEPS, type DocumentStep } from './document-steps.js';
import { LinkMemory } from './link-memory.js';
import { type PageTools, processPage } from './page-pipeline.js';
import { PagePlugins } from './page-plugins.js';

export interface ProcessorTools extends Omit<PageTools, 'fetcher' | 'onReading' | 'steps' | 'plugins'> {
  /** Calls plug-ins; absent if there are none. */
  readonly pluginCaller?: PluginCaller;
  /** The first engine gets all requests that name no engine. */
  readonly createEngines: (definitions: readonly FetcherDefinition[]) => readonly [FetchEngine, ...FetchEngine[]];
  /** Steps that run after the built-in ones. */
  readonly extraSteps?: readonly DocumentStep[];
}

/** Processes pages in the calling thread. Each worker thread runs one; a simulation runs it directly. */
export class LocalPageProcessor implements PageProcessor {
  private contexts = new Map<string, CrawlContext>();
  private readonly linkMemories = new Map<string, LinkMemory>();

  private fetcher: Fetcher | undefined;
  private fetchers: readonly FetcherDefinition[] | undefined;
  /** Number of calls in flight by fetcher: a replaced fetcher is closed when its last call has ended. */
  private readonly callsInFlight = new Map<Fetcher, number>();

  private readonly steps: readonly DocumentStep[];
  private readonly plugins: PagePlugins | undefined;
  private extractors: readonly ExtractorDefinition[] = [];

  constructor(private readonly tools: ProcessorTools) {
    this.steps = [...BUILT_IN_STEPS, ...(tools.extraSteps ?? [])];
    this.plugins = tools.pluginCaller && new PagePlugins(tools.pluginCaller);
  }

  async configure(definition: ServerDefinition): Promise<void> {
    const contexts = compileContexts(definition);
    this.configureFetcher(definition.fetchers);
    this.extractors = definition.extractors ?? [];
    this.plugins?.setExpectedNames((definition.plugins ?? []).map(({ name }) => name));
    this.configureReader();
    for (const [name, context] of contexts) {
      // Submitted roots survive a configuration change; the engine removes those that do not.
      for (const [url, root] of this.contexts.get(name)?.roots ?? [])
        if (!context.roots.has(url)) context.roots.set(url, root);
      this.linkMemories.set(name, new LinkMemory());
    }
    this.contexts = contexts;
  }

  setPlugins(facts: readonly PluginFacts[]): void {
    this.plugins?.setFacts(facts);
    this.configureReader();
  }

  private configureReader(): void {
    this.tools.reader.configure?.(this.extractors, this.plugins?.createExtractors() ?? []);
  }

  addRoot(crawler: string, root: RootContext): void {
    this.contexts.get(crawler)?.roots.set(root.url.href, root);
    // The new root may change verdicts on links, so links that were judged before are judged again.
    this.linkMemories.set(crawler, new LinkMemory());
  }

  removeRoot(crawler: string, url: string): void {
    if (this.contexts.get(crawler)?.roots.delete(url)) this.linkMemories.set(crawler, new LinkMemory());
  }

  async process(task: PageTask, onReading?: PageTools['onReading']): Promise<PageResult> {
    const context = this.contexts.get(task.crawler);
    const links =
      task.inspect || task.reportLinks || task.allLinksIfChanged
        ? new LinkMemory()
        : this.linkMemories.get(task.crawler);
    if (!context || !links) throw new Error(`no crawler is named ${task.crawler}`);
    const { reader, digest, clock } = this.tools;
    const { steps } = this;
    if (this.plugins?.readyPromise) await this.plugins.readyPromise;
    const plugins = this.plugins?.find(task.crawler);
    return this.withFetcher((fetcher) =>
      processPage(task, context, links, { fetcher, reader, digest, clock, steps, onReading, plugins }),
    );
  }

  async fetch(request: FetchRequest): Promise<FetchOutcome> {
    return this.withFetcher((fetcher) => fetcher.fetch(request));
  }

  async resolve(hostname: string): Promise<string | undefined> {
    return this.withFetcher((fetcher) => fetcher.resolve(hostname));
  }

  forget(crawler: string, urls: readonly string[]): void {
    this.linkMemories.get(crawler)?.forget(urls);
  }

  async close(): Promise<void> {
    this.tools.reader.close?.();
    const replacedFetchers = [...this.callsInFlight.keys()].filter((fetcher) => fetcher !== this.fetcher);
    await Promise.all([...replacedFetchers, this.fetcher].map((fetcher) => fetcher?.close()));
  }

  private async withFetcher<T>(work: (fetcher: Fetcher) => Promise<T>): Promise<T> {
    const { fetcher } = this;
    if (!fetcher) throw new Error('the page processor has not been configured');
    this.callsInFlight.set(fetcher, (this.callsInFlight.get(fetcher) ?? 0) + 1);
    try {
      return await work(fetcher);
    } finally {
      this.callsInFlight.set(fetcher, this.callsInFlight.get(fetcher)! - 1);
      if (fetcher !== this.fetcher) this.retire(fetcher);
    }
  }

  private retire(fetcher: Fetcher): void {
    if ((this.callsInFlight.get(fetcher) ?? 0) > 0) return;
    this.callsInFlight.delete(fetcher);
    void fetcher.close();
  }

  /** Keeps connections and what is known about hosts if the fetchers are unchanged. */
  private configureFetcher(definitions: readonly FetcherDefinition[]): void {
    if (this.fetchers && isSameDefinition(definitions, this.fetchers)) return;
    const previous = this.fetcher;
    this.fetchers = definitions;
    this.fetcher = new FetchEngines(this.tools.createEngines(definitions));
    if (previous) this.retire(previous);
  }
}

/** Combines all fetch engines into one fetcher: each request goes to the engine that it names. */
class FetchEngines implements Fetcher {
  private readonly byName: ReadonlyMap<string, FetchEngine>;

  /** @param engines the first one also resolves host names */
  constructor(private readonly engines: readonly [FetchEngine, ...FetchEngine[]]) {
    this.byName = new Map(engines.map((engine) => [engine.engine, engine]));
  }

  /** @throws Error when no engine has the requested name */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome> {
    const engine = this.byName.get(request.engine ?? 'http');
    if (!engine) throw new Error(`There is no fetch engine named ${JSON.stringify(request.engine)}.`);
    return engine.fetch(request, signal);
  }

  resolve(hostname: string): Promise<string | undefined> {
    return this.engines[0].resolve(hostname);
  }

  async close(): Promise<void> {
    await Promise.all(this.engines.map((engine) => engine.close()));
  }
}
