/** How the crawl calls the plug-ins of the configuration, which run in processes of their own. */
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
  /** Absent: all. */
  readonly crawlers?: readonly string[];
  /** If it could not be loaded, `onUrl`: nothing is fetched that it might have to see. */
  readonly hooks: readonly PluginHook[];
  /** That its extractor reads. */
  readonly mediaTypes: readonly string[];
  /** Pages continue without it when it fails. */
  readonly isOptional: boolean;
}

/** A call got no answer; the message names plug-in, function and cause. */
export class PluginFailed extends Error {
  override readonly name = 'PluginFailed';
}

export interface PluginCaller {
  /** Throws PluginFailed. `limit`: milliseconds, instead of those of the definition. */
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
  /** failed: it cannot be loaded, or ends again and again; it is tried again later, or at once when its file changes. */
  readonly state: 'starting' | 'ready' | 'failed';
  /** Its own. */
  readonly version?: string;
  readonly hooks: readonly PluginHook[];
  readonly calls: readonly PluginCallCount[];
  /** Processes that were stopped or ended by themselves. */
  readonly restarts: number;
  /** Memory of its process in bytes at the last check; 0: none is running, or the system does not report it. */
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
  /** Resolves when each of them is loaded, or has failed to load. */
  configure(definitions: readonly PluginDefinition[]): Promise<void>;
  /** Called whenever the facts have changed. */
  onFacts(listener: (facts: readonly PluginFacts[]) => void): void;
  listViews(): readonly PluginView[];
  close(): Promise<void>;
}

/** The names of the plug-ins that have this function for the crawler, in the order of the configuration. */
export const findPluginsWith = (
  facts: readonly PluginFacts[],
  hook: PluginHook,
  crawler: string,
): readonly PluginFacts[] =>
  facts.filter(({ hooks, crawlers }) => hooks.includes(hook) && (crawlers?.includes(crawler) ?? true));
