/**
 * What a plug-in is: a module whose default export is a `Plugin`. This file is published as `crawlway/plugin` (types
 * only) and documented in docs/plugins.md; what it says holds for every version of Crawlway with this `apiVersion`.
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
 * Every function may return a promise, or nothing (`undefined`) to leave everything unchanged. One that throws, takes
 * longer than `timeLimitMS` or ends its process fails with the error `plugin-failed`; the crawl goes on. `signal`
 * aborts when the result is no longer needed.
 */

export interface Plugin {
  /** The version of this interface that the plug-in is written for. */
  readonly apiVersion: 1;
  /** Version of the plug-in itself, for display. */
  readonly version?: string;
  /** Called once in each process, before everything else; if it does not end within the time limit, the plug-in is not loaded. */
  setup?(context: PluginContext): MayBeLate<void>;
  /** Called before the page of a URL that the crawl policy accepts is fetched. */
  onUrl?(visit: PluginVisit, signal: AbortSignal): MayBeLate<UrlAnswer | undefined>;
  /**
   * Called when a body has been received (status 2xx), before it is read; not for redirects, errors and unchanged pages
   * (304).
   */
  onResponse?(response: PluginResponse, signal: AbortSignal): MayBeLate<ResponseAnswer | undefined>;
  /** Called when a page has been read, before its document is compared with the one in the index. */
  onDocument?(document: PluginDocument, signal: AbortSignal): MayBeLate<DocumentAnswer | undefined>;
  /**
   * Called before an order goes to a sink, for each sink. The return value is ignored for
   * deletions, which are always sent.
   */
  onOrder?(order: PluginOrder, signal: AbortSignal): MayBeLate<OrderChange | undefined>;
  /** Reads media types that Crawlway does not read, or reads them differently; applies to all crawlers. */
  readonly extractor?: PluginExtractor;
  /** A destination of orders: `<cw:Sink type="plugin" url="plugin:NAME"/>` with the name of the plug-in. */
  readonly sink?: PluginSink;
}

export type MayBeLate<T> = T | Promise<T>;

export interface PluginContext {
  /** The plug-in's name in the configuration. */
  readonly name: string;
  /** The values of the `cw:Setting` elements. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface PluginVisit {
  readonly crawler: string;
  /** The canonical URL. */
  readonly url: string;
  /** The page on which the URL was first found. */
  readonly foundOn?: string;
  /** How the URL was discovered: `root`, `link`, `redirect`, `sitemap` or `robots`. */
  readonly discoveredVia: string;
  /** Number of links between the root and the URL. */
  readonly hops: number;
}

export interface UrlAnswer {
  /** A human-readable reason; if set, the page is not requested, and its document is removed from the index. */
  readonly exclude?: string;
  /** Headers of this request, in addition to configured ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PluginResponse extends PluginVisit {
  readonly status: number;
  /** Headers, keyed by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body. */
  readonly body: Uint8Array;
}

export interface ResponseAnswer {
  readonly exclude?: string;
  /** Read instead of the body that was received. */
  readonly body?: Uint8Array | string;
  /** Media type of the body, instead of that in the Content-Type header. */
  readonly mediaType?: string;
}

export interface PluginDocument extends PluginVisit {
  readonly status: number;
  readonly mediaType: string;
  readonly title: string;
  readonly language?: string;
  /** The text that was read; empty if no sink of the crawler accepts text. */
  readonly text: string;
  /** The document's metas by name, each with its values. */
  readonly metas: Readonly<Record<string, readonly string[]>>;
  /** What the page declares about itself: `<meta>` elements and JSON-LD (`jsonld.offers.price`), delivered or not. */
  readonly pageMetas: Readonly<Record<string, readonly string[]>>;
}

export interface DocumentAnswer {
  /** A human-readable reason; if set, the document is not indexed, but its page's links are followed. */
  readonly exclude?: string;
  /** Values of metas, which replace those that the document has under these names; `null` removes them. */
  readonly metas?: Readonly<Record<string, string | readonly string[] | null>>;
  /**
   * The text that is delivered. If it is another one, chunks are made of it, it takes the place of the bytes, and
   * headings and Markdown are left out, so that nothing removed from the text is delivered in another form. Parts that
   * are split off the page are passed to the plug-in, too.
   */
  readonly text?: string;
  /** True if the page's own bytes are delivered although the text is another one. */
  readonly bytes?: true;
}

interface OrderFacts {
  readonly sink: string;
  readonly crawler: string;
  /** The document's canonical URL. */
  readonly uri: string;
  /** The code of the reason why the order was decided. */
  readonly reason: string;
  /** When the order was decided, in ISO 8601. */
  readonly decidedAt: string;
}

export type PluginOrder =
  | (OrderFacts & {
      readonly kind: 'add';
      /** The document's content hash. */
      readonly stamp: string;
      readonly metas: Readonly<Record<string, readonly string[]>>;
      readonly text: string;
      readonly mediaType: string;
      /** Size of the document in bytes. */
      readonly size: number;
    })
  | (OrderFacts & { readonly kind: 'delete' });

export interface OrderChange {
  /** A human-readable reason; if set, the order is refused for this sink. */
  readonly refuse?: string;
  readonly metas?: Readonly<Record<string, string | readonly string[] | null>>;
  /** If it is another text, it takes the place of the bytes, and headings, Markdown and chunks are left out. */
  readonly text?: string;
  /** False if the sink is to get the document without its bytes; true if it is to get them although the text is another one. */
  readonly bytes?: boolean;
}

export interface PluginExtractor {
  /** Media types in lower case, `image/*` for a family. They take precedence over Crawlway's own readers. */
  readonly mediaTypes: readonly string[];
  extract(content: PluginContent, signal: AbortSignal): MayBeLate<PluginExtraction>;
}

export interface PluginContent {
  readonly url: string;
  readonly mediaType: string;
  /** The Content-Type header as received. */
  readonly contentType?: string;
  readonly body: Uint8Array;
}

export interface PluginExtraction {
  readonly title?: string;
  readonly text?: string;
  /** A BCP 47 language tag. */
  readonly language?: string;
  /** URLs, absolute or relative to the page. */
  readonly links?: readonly string[];
  readonly metas?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * A human-readable reason; if set, the content cannot be read. The document is then sent with its bytes and without
   * text.
   */
  readonly refuse?: string;
}

export interface PluginSink {
  /**
   * Returns one answer for each order, in the same sequence, once they are durable: `true`, or why the order is refused
   * for good. Throws if the sink cannot accept anything now: the same orders are delivered again later. Two orders for
   * one URI are never delivered at the same time.
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
      /** As a receiver of JSON gets them; a name may occur several times. */
      readonly metas: readonly { readonly name: string; readonly value: string; readonly type?: 'date' | 'number' }[];
      readonly text: string;
      /** Headings, Markdown and chunks are present if the crawler delivers them (`cw:Output`). */
      readonly headings?: readonly {
        readonly level: number;
        readonly text: string;
        readonly start: number;
        /** The fragment of the page's URL that leads to it, if the page has one. */
        readonly anchor?: string;
      }[];
      readonly markdown?: string;
      readonly chunks?: readonly {
        /** Stays the same as long as the document's URI, the text and the headings above it do. */
        readonly id?: string;
        /** The fragment of the page's URL that leads to its section, if the page has one. */
        readonly anchor?: string;
        readonly text: string;
        /** The headings above the chunk, outermost first. */
        readonly path: readonly string[];
        /** Offsets in the text, in UTF-16 units. */
        readonly start: number;
        readonly end: number;
      }[];
      readonly mediaType: string;
      /** The charset of the body, if it is text. */
      readonly encoding?: string;
      readonly fileName: string;
      readonly body: Uint8Array;
    })
  | (Omit<OrderFacts, 'sink'> & { readonly id: number; readonly kind: 'delete' });
