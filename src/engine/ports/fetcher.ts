import type { RequestHeaders } from '../../domain/crawl/fetcher-definition.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { Secret } from '../../domain/secret.js';
import type { Duration } from '../../domain/time/units.js';

/** What a request carries so that the site recognises the visitor: see SessionStore. */
export interface RequestSession {
  /** Value of the Cookie header for exactly this URL. */
  readonly cookies?: string;
  /** Headers for exactly this URL; they take precedence over all others of their name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the login: connections used by a login serve no other requests. */
  readonly login?: string;
  readonly certificate?: ClientCertificate;
  readonly ntlm?: NtlmCredentials;
  /** Pieces of HTML that together mark a page for visitors who are not logged in. */
  readonly loggedOut?: readonly string[];
}

/** PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The connection is authenticated, not the request. */
export interface NtlmCredentials {
  readonly user: string;
  readonly password: string;
  readonly domain: string;
}

/** What a browser is asked to do with a page that was fetched. */
export interface RenderOrder {
  /** The answer to the request for the page itself; the browser does not request it again. */
  readonly page: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  };
  readonly userAgent?: string;
  /** See RendererDefinition. */
  readonly readyWhen?: string;
  /** See domain/render/steps.ts. */
  readonly steps?: string;
  /** Whether robots.txt applies to this URL. */
  readonly obeysRobots: boolean;
  readonly withPicture?: boolean;
}

/** One request. Absent values mean the fetcher's own defaults (FetcherDefinition). */
export interface FetchRequest {
  readonly url: string;
  /** Default GET. Anything else is sent at most once, whatever happens to the connection. */
  readonly method?: 'GET' | 'POST' | 'OPTIONS';
  /** Of a POST; its Content-Type is one of `headers`. */
  readonly body?: Uint8Array;
  readonly session?: RequestSession;
  /** Name of the engine that fetches; default `http`. */
  readonly engine?: string;
  /** Of a request to a browser. */
  readonly render?: RenderOrder;
  /** Name of the FetcherDefinition to use. */
  readonly fetcher: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  readonly headers?: RequestHeaders;
  readonly userAgent?: string;
  readonly connectTimeout?: Duration;
  readonly totalTimeout?: Duration;
  readonly readTimeout?: Duration;
  /** Bytes after decoding. */
  readonly maxSize?: number;
  /** `user:password`, Basic, for this URL only. */
  readonly credentials?: Secret;
  /** Without the credentials and secret headers that the fetcher's definition has for the URL. */
  readonly anonymous?: boolean;
  readonly proxy?: string | Secret;
  /**
   * In milliseconds of the machine's monotonic clock: not sent after that time, because the right to ask the host may have gone to
   * another node while this process was suspended.
   */
  readonly sendBy?: number;
  /** Over the size limit: truncate instead of failing (robots.txt, RFC 9309 2.5). */
  readonly truncate?: boolean;
}

/**
 * Fetches for the crawl. However it fetches, it connects only to addresses that the definition of the fetcher allows, sends what
 * the request says and nothing else of its own accord to a host whose politeness the caller does not control, reports redirects
 * instead of following them, and bounds size and time.
 */
export interface Fetcher {
  /** Follows no redirect. Never rejects because of what a site does. */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome>;
  /** First address of a host, for crawl space rules on addresses; undefined if DNS has none. */
  resolve(hostname: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A WebSocket (RFC 6455) of a page. */
export interface FetchedSocket {
  send(message: string | Uint8Array<ArrayBuffer>): void;
  /** Closes it with the handshake of the protocol. */
  close(): void;
  /** Ends it at once, even while it is being opened. */
  destroy(): void;
}

export interface SocketEvents {
  onOpen(): void;
  onMessage(message: string | Uint8Array): void;
  /** Called once, last; with the reason if no connection could be made. */
  onClose(failure?: ErrorCode): void;
}

/** Opens WebSockets and keeps the promises of a Fetcher. */
export interface SocketOpener {
  /** The URL is that of the handshake, `http:` or `https:`. Throws if the request cannot be made at all. */
  openSocket(request: FetchRequest, protocols: readonly string[], events: SocketEvents): FetchedSocket;
}

/** One way to fetch: plain HTTP, or others besides it (a browser). */
export interface FetchEngine extends Fetcher {
  /** The name by which requests choose it. */
  readonly engine: string;
}
