import type { BrowserLoginStep } from '../../domain/crawl/browser-login-steps.js';
import type { RequestHeaders } from '../../domain/crawl/fetcher-definition.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { Secret } from '../../domain/secret.js';
import type { Duration } from '../../domain/time/units.js';

/** What a request carries so that the site recognizes the visitor; see SessionStore. */
export interface RequestSession {
  /** The value of the Cookie header for exactly this URL. */
  readonly cookies?: string;
  /** Headers for exactly this URL; they take precedence over all others of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the login. A connection used for a login is not used for other requests. */
  readonly login?: string;
  readonly certificate?: ClientCertificate;
  readonly ntlm?: NtlmCredentials;
  /** What identifies a page meant for visitors who are not logged in. */
  readonly loggedOut?: LoggedOutSigns;
}

export interface LoggedOutSigns {
  /** A piece of HTML. */
  readonly html?: string;
  /** Names of the fields of the login form. */
  readonly fields?: readonly string[];
}

/** A certificate and its key in PEM format. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** With NTLM, the connection is authenticated, not the request. */
export interface NtlmCredentials {
  readonly user: string;
  readonly password: string;
  readonly domain: string;
}

/** Tells the browser how to render a page that was fetched. */
export interface RenderInstructions {
  /** The response to the request for the page itself; the browser does not request it again. */
  readonly page: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
    /** IP address that responded. */
    readonly address: string;
  };
  readonly userAgent?: string;
  /** See RendererDefinition. */
  readonly readyWhen?: string;
  /** See domain/render/steps.ts. */
  readonly steps?: string;
  /** Whether robots.txt applies to this URL. */
  readonly obeysRobots: boolean;
  readonly withPicture?: boolean;
  /** Whether other pages that frames show are left out. */
  readonly omitsFramedPages?: boolean;
}

/** Tells the browser to log in, beginning at the URL of the request. The response has a BrowserLoginReport as JSON. */
export interface BrowserLogin {
  readonly steps: readonly BrowserLoginStep[];
  /** What the steps fill in, by name. */
  readonly values: Readonly<Record<string, Secret>>;
  /** Servers whose pages may be opened. */
  readonly origins: readonly string[];
}

export interface BrowserLoginReport {
  readonly steps: readonly {
    readonly what: string;
    readonly url?: string;
    readonly status?: number;
    readonly detail?: string;
  }[];
  /** URLs of the pages that were opened, in order. */
  readonly pages: readonly string[];
  /** As in Set-Cookie, with the URL for which each is stored. */
  readonly cookies: readonly { readonly url: string; readonly cookie: string }[];
  /** The visible text of the last page. */
  readonly text: string;
  readonly failure?: { readonly kind: 'changed' | 'unreachable'; readonly detail: string };
}

/** One request. If a value is absent, the fetcher's default applies (FetcherDefinition). */
export interface FetchRequest {
  readonly url: string;
  /** Default: GET. Requests with other methods are sent at most once, whatever happens to the connection. */
  readonly method?: 'GET' | 'POST' | 'OPTIONS';
  /** The body of a POST; its Content-Type is in `headers`. */
  readonly body?: Uint8Array;
  readonly session?: RequestSession;
  /** Name of the engine that fetches; default: `http`. */
  readonly engine?: string;
  /** The crawler that wants the page: crawlers use the browser in turn. */
  readonly crawler?: string;
  /** Present if the browser is to render the page. */
  readonly render?: RenderInstructions;
  readonly browserLogin?: BrowserLogin;
  /** Name of the FetcherDefinition to use. */
  readonly fetcher: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  readonly headers?: RequestHeaders;
  readonly userAgent?: string;
  readonly connectTimeout?: Duration;
  readonly totalTimeout?: Duration;
  readonly readTimeout?: Duration;
  /** Maximum number of bytes after decoding. */
  readonly maxSize?: number;
  /** `user:password` for Basic authentication, for this URL only. */
  readonly credentials?: Secret;
  /**
   * If true, the credentials and secret headers that the fetcher's definition has for the URL are not sent, nor is the
   * request signed.
   */
  readonly anonymous?: boolean;
  /** If true, only public addresses are connected to, whatever the fetcher's definition allows. */
  readonly publicOnly?: boolean;
  readonly proxy?: string | Secret;
  /**
   * In milliseconds of the machine's monotonic clock. The request is not sent after that time, because the right to
   * send requests to the host may have gone to another node while this process was suspended.
   */
  readonly sendBy?: number;
  /** Truncate a body over the size limit instead of failing (robots.txt, RFC 9309 2.5). */
  readonly truncate?: boolean;
}

/**
 * Fetches for the crawl. Every implementation connects only to addresses that the fetcher's definition allows, sends
 * nothing of its own accord to a host whose politeness the caller does not control, reports redirects instead of
 * following them, and limits size and time.
 */
export interface Fetcher {
  /** Follows no redirect. Never rejects because of what a site does. */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome>;
  /** The first address of a host, for crawl space rules on addresses; undefined if DNS has none. */
  resolve(hostname: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A WebSocket (RFC 6455) opened by a page. */
export interface FetchedSocket {
  send(message: string | Uint8Array<ArrayBuffer>): void;
  /** Closes the socket with the protocol's closing handshake. */
  close(): void;
  /** Ends the connection at once, even while it is being opened. */
  destroy(): void;
}

export interface SocketEvents {
  onOpen(): void;
  onMessage(message: string | Uint8Array): void;
  /** Called once, as the last event; with the reason if no connection could be made. */
  onClose(failure?: ErrorCode): void;
}

/** Opens WebSockets under the same guarantees as a Fetcher. */
export interface SocketOpener {
  /** The request's URL is that of the handshake, `http:` or `https:`. Throws if the request cannot be made at all. */
  openSocket(request: FetchRequest, protocols: readonly string[], events: SocketEvents): FetchedSocket;
}

/** One way to fetch: plain HTTP, or a browser. */
export interface FetchEngine extends Fetcher {
  /** The name by which requests select the engine. */
  readonly engine: string;
}
