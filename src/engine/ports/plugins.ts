/** The interface through which the crawl calls the configured plug-ins, which run in separate processes. */
import type { PluginDefinition } from '../../domain/crawl/plugin-definition.js';
import type { Instant } from '../../domain/time/units.js';
import type {
  DocumentAnswer,
  OrderChange,
  PluginContent,
  PluginDocument,
  PluginExtraction,
  PluginOrder,
  PluginResponse,
  PluginVisit,
  ResponseAnswer,
  SinkOrder,
  UrlAnswer,
} from './plugin-api.js';

/** The functions of a plug-in. */
export interface PluginCalls {
  onUrl: { argument: PluginVisit; answer: UrlAnswer | undefined };
  onResponse: { argument: PluginResponse; answer: ResponseAnswer | undefined };
  onDocument: { argument: PluginDocument; answer: DocumentAnswer | undefined };
  onOrder: { argument: PluginOrder; answer: OrderChange | undefined };
  extract: { argument: PluginContent; answer: PluginExtraction };
  deliver: { argument: readonly SinkOrder[]; answer: readonly (true | { readonly refused: string })[] };
}

export type PluginHook = keyof PluginCalls;

export const PLUGIN_HOOKS = ['onUrl', 'onResponse', 'onDocument', 'onOrder', 'extract', 'deliver'] as const;

/** What the crawl must know about a plug-in to avoid needless calls. */
export interface PluginFacts {
  readonly name: string;
  /** The crawlers for which it is called; absent for all. */
  readonly crawlers?: readonly string[];
  /**
   * The plug-in's functions; only `onUrl` if it could not be loaded, so that nothing is fetched that it might have to
   * check.
   */
  readonly hooks: readonly PluginHook[];
  /** The media types that its extractor reads. */
  readonly mediaTypes: readonly string[];
  /** True if pages are processed without it when it fails. */
  readonly isOptional: boolean;
}

/** Thrown if a call returns no result; the message names the plug-in, the function and the cause. */
export class PluginFailed extends Error {
  override readonly name = 'PluginFailed';
}

export interface PluginCaller {
  /**
   * @param limit time limit in milliseconds, instead of the one in the definition
   * @throws PluginFailed
   */
  call<H extends PluginHook>(
    plugin: string,
    hook: H,
    argument: PluginCalls[H]['argument'],
    limit?: number,
  ): Promise<PluginCalls[H]['answer']>;
}

export interface PluginView {
  readonly name: string;
  readonly file: string;
  /**
   * `failed`: the plug-in cannot be loaded or keeps ending; loading is retried later, or immediately if its file
   * changes.
   */
  readonly state: 'starting' | 'ready' | 'failed';
  /** The plug-in's own version. */
  readonly version?: string;
  readonly hooks: readonly PluginHook[];
  readonly calls: readonly PluginCallCount[];
  /** Number of its processes that were stopped or ended on their own. */
  readonly restarts: number;
  /** Memory of its process in bytes at the last check; 0 if none is running or the system does not report it. */
  readonly memory: number;
  readonly lastError?: { readonly at: Instant; readonly message: string };
}

export interface PluginCallCount {
  readonly hook: PluginHook;
  readonly answered: number;
  readonly failed: number;
  readonly milliseconds: number;
}

/** The plug-ins of a server. */
export interface Plugins extends PluginCaller {
  readonly facts: readonly PluginFacts[];
  /** Resolves when each plug-in has been loaded or has failed to load. */
  configure(definitions: readonly PluginDefinition[]): Promise<void>;
  /** Adds a listener that is called whenever the facts have changed. */
  onFacts(listener: (facts: readonly PluginFacts[]) => void): void;
  listViews(): readonly PluginView[];
  close(): Promise<void>;
}

/** The plug-ins that have this function for the crawler, in the order of the configuration. */
export const findPluginsWith = (
  facts: readonly PluginFacts[],
  hook: PluginHook,
  crawler: string,
): readonly PluginFacts[] =>
  facts.filter(({ hooks, crawlers }) => hooks.includes(hook) && (crawlers?.includes(crawler) ?? true));
