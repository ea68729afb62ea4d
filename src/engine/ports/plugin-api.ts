/**
 * What a plug-in is: a module whose default export is a `Plugin`. This file is published as `crawlway/plugin` (types only) and
 * documented in docs/PLUGINS.md; what it says holds for every version of Crawlway with this `apiVersion`.
 *
 * ```js
 * /** @type {import('crawlway/plugin').Plugin} *\/
 * export default {
 *   apiVersion: 1,
 *   onDocument({ text }) {
 *     const [price] = /\d+\.\d\d EUR/.exec(text) ?? [];
 *     return price ? { metas: { price } } : undefined;
 *   },
 * };
 * ```
 *
 * Every function may return a promise, and nothing (`undefined`) to leave all as it is. One that throws, takes longer than
 * `timeLimitMS` or ends its process fails with the error `plugin-failed`; the crawl goes on. `signal` aborts when nobody waits for
 * the answer any more.
 */

export interface Plugin {
  /** The version of this interface that the plug-in is written for. */
  readonly apiVersion: 1;
  /** Version of the plug-in itself, shown to people. */
  readonly version?: string;
  /** Called once in each process, before everything else; if it does not end within the time limit, the plug-in is not loaded. */
  setup?(context: PluginContext): MayBeLate<void>;
  /** Before the page of a URL that the crawl policy accepts is fetched. */
  onUrl?(visit: PluginVisit, signal: AbortSignal): MayBeLate<UrlAnswer | undefined>;
  /** When a body was received (status 2xx), before it is read. Not for redirects, errors and unchanged pages (304). */
  onResponse?(response: PluginResponse, signal: AbortSignal): MayBeLate<ResponseAnswer | undefined>;
  /** When a page was read, before its document is compared with the one in the index. */
  onDocument?(document: PluginDocument, signal: AbortSignal): MayBeLate<DocumentAnswer | undefined>;
  /** Before an order goes to a sink, for each sink. What is returned for a deletion counts for nothing: it always goes out. */
  onOrder?(order: PluginOrder, signal: AbortSignal): MayBeLate<OrderChange | undefined>;
  /** Reads media types that Crawlway does not read, or reads them differently. For all crawlers. */
  readonly extractor?: PluginExtractor;
  /** A destination of orders: `<cw:Sink type="plugin" url="plugin:NAME"/>` with the name of the plug-in. */
  readonly sink?: PluginSink;
}

export type MayBeLate<T> = T | Promise<T>;

export interface PluginContext {
  /** Of the plug-in in the configuration. */
  readonly name: string;
  /** The `cw:Setting` elements. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface PluginVisit {
  readonly crawler: string;
  /** Canonical URL. */
  readonly url: string;
  /** The page on which it was found first. */
  readonly foundOn?: string;
  /** How it was discovered: `root`, `link`, `redirect`, `sitemap` or `robots`. */
  readonly discoveredVia: string;
  /** Links between the root and the URL. */
  readonly hops: number;
}

export interface UrlAnswer {
  /** The page is not asked for, and leaves the index if it is there: why, for a person. */
  readonly exclude?: string;
  /** Headers of this request, beside those of the configuration. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PluginResponse extends PluginVisit {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded. */
  readonly body: Uint8Array;
}

export interface ResponseAnswer {
  readonly exclude?: string;
  /** Read in place of the body that came. */
  readonly body?: Uint8Array | string;
  /** Media type of the body, in place of the header Content-Type. */
  readonly mediaType?: string;
}

export interface PluginDocument extends PluginVisit {
  readonly status: number;
  readonly mediaType: string;
  readonly title: string;
  readonly language?: string;
  /** What was read of it; empty when no sink of the crawler takes text. */
  readonly text: string;
  /** The document's metas by name, each with its values. */
  readonly metas: Readonly<Record<string, readonly string[]>>;
  /** What the page says of itself: `<meta>` elements and JSON-LD (`jsonld.offers.price`), delivered or not. */
  readonly pageMetas: Readonly<Record<string, readonly string[]>>;
}

export interface DocumentAnswer {
  /** The document is not indexed; the links of its page are followed. Why, for a person. */
  readonly exclude?: string;
  /** Values of metas, in place of those that the document has by these names; `null` takes them away. */
  readonly metas?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly text?: string;
}

interface OrderFacts {
  readonly sink: string;
  readonly crawler: string;
  /** Canonical URL of the document. */
  readonly uri: string;
  /** Reason code: why it was decided. */
  readonly reason: string;
  /** ISO 8601. */
  readonly decidedAt: string;
}

export type PluginOrder =
  | (OrderFacts & {
      readonly kind: 'add';
      /** Content hash of the document. */
      readonly stamp: string;
      readonly metas: Readonly<Record<string, readonly string[]>>;
      readonly text: string;
      readonly mediaType: string;
      /** Length of its bytes. */
      readonly size: number;
    })
  | (OrderFacts & { readonly kind: 'delete' });

export interface OrderChange {
  /** The order is refused for this sink: why, for a person. */
  readonly refuse?: string;
  readonly metas?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly text?: string;
  /** False: the sink gets the document without its bytes. */
  readonly bytes?: false;
}

export interface PluginExtractor {
  /** Lower case, `image/*` for a family. They go before the readers that Crawlway has. */
  readonly mediaTypes: readonly string[];
  extract(content: PluginContent, signal: AbortSignal): MayBeLate<PluginExtraction>;
}

export interface PluginContent {
  readonly url: string;
  readonly mediaType: string;
  /** As received. */
  readonly contentType?: string;
  readonly body: Uint8Array;
}

export interface PluginExtraction {
  readonly title?: string;
  readonly text?: string;
  /** BCP 47. */
  readonly language?: string;
  /** URLs, absolute or relative to the page. */
  readonly links?: readonly string[];
  readonly metas?: Readonly<Record<string, string | readonly string[]>>;
  /** It cannot be read: why, for a person. The document goes out with its bytes and without text. */
  readonly refuse?: string;
}

export interface PluginSink {
  /**
   * Returns one answer for each order, in their order, once they are durable: `true`, or why the order is refused for good. Throws when the
   * sink cannot take anything now: the same orders come again later. Orders of one URI never come at the same time.
   */
  deliver(
    orders: readonly SinkOrder[],
    signal: AbortSignal,
  ): MayBeLate<readonly (true | { readonly refused: string })[]>;
}

export type SinkOrder =
  | (Omit<OrderFacts, 'sink'> & {
      readonly id: number;
      readonly kind: 'add';
      readonly stamp: string;
      readonly metas: readonly { readonly name: string; readonly value: string }[];
      readonly text: string;
      readonly mediaType: string;
      readonly fileName: string;
      readonly body: Uint8Array;
    })
  | (Omit<OrderFacts, 'sink'> & { readonly id: number; readonly kind: 'delete' });
