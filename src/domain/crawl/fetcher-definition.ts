/** The part of a definition that determines how pages are fetched, rendered and read. */
import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type LoginDefinition } from './logins.js';
import { type Place } from './place.js';

/** Values by name; values meant only for certain servers are secrets. */
export type RequestHeaders = Readonly<Record<string, string | Secret>>;

export interface FetcherDefinition {
  readonly name: string;
  readonly userAgent: string;
  /** Product token matched against robots.txt groups. */
  readonly robotsAgent: string;
  readonly headers: RequestHeaders;
  /** Names of `headers` that are sent only to `secretServers`. */
  readonly secretHeaders: readonly string[];
  readonly boundHeaders: readonly BoundHeader[];
  /** Scheme, host and port of the servers of the configured roots that this fetcher crawls. */
  readonly secretServers: readonly string[];
  /** Its place in the configuration; absent for the built-in fetcher. */
  readonly place?: Place;
  readonly connectTimeout: Duration;
  /** Maximum time until the response header arrives. */
  readonly headerTimeout: Duration;
  /** Maximum time between two chunks of the body. */
  readonly bodyTimeout: Duration;
  readonly totalTimeout: Duration;
  /** In bytes, after decoding. */
  readonly maxSize: number;
  readonly maxRedirects: number;
  /** CIDR blocks that are not public but may be crawled. */
  readonly allowedAddresses: readonly string[];
  /** Absent if requests go directly to the sites. */
  readonly proxies?: readonly ProxyDefinition[];
  readonly credentials: readonly CredentialDefinition[];
  readonly logins: readonly LoginDefinition[];
  /** Whether cookies that a host sets are kept for it, separately for each crawler. */
  readonly cookies: boolean;
  /** Further certificate authorities, in PEM. */
  readonly certificateAuthorities: readonly string[];
  readonly verifyCertificates: boolean;
  /** Whether HTTP/2 is used with all servers that offer it; otherwise, only with those that refuse HTTP/1.1. */
  readonly prefersHttp2?: boolean;
  /** Absent if requests are not signed. */
  readonly botAuth?: BotAuthDefinition;
}

/** Web Bot Auth: the key with which requests are signed, and where sites find the public key. */
export interface BotAuthDefinition {
  /** Ed25519 key in PEM. */
  readonly key: Secret;
  /** URL at which sites can reach this server. */
  readonly agent: string;
}

/** A proxy, and which URLs use it; see domain/net/choose-proxy.ts. */
export interface ProxyDefinition {
  /** As in UrlOptions. */
  readonly url: string | Secret;
  /** URL prefix to which it applies; if absent, all other URLs. */
  readonly for?: string;
  /** Hosts, addresses and blocks that are contacted directly. */
  readonly noProxy: readonly string[];
}

interface BoundHeader {
  /** URL prefix to which the header applies; it is never sent elsewhere. */
  readonly url: string;
  readonly name: string;
  readonly value: Secret;
}

interface CredentialDefinition {
  /** URL prefix to which the credential applies; it is never sent elsewhere. */
  readonly url: string;
  readonly user: string;
  readonly password: Secret;
}

/** The browser that runs pages' scripts. */
export interface RendererDefinition {
  /** Path of the program; default: the system's browser. */
  readonly path?: string;
  /** `ws:` or `wss:` URL of a remote browser that supports the Chrome DevTools Protocol. */
  readonly url?: string;
  /** Share, 0…1, of all processors that rendering may use in the long run. */
  readonly maxShare: number;
  /** Number of pages rendered at the same time; the default depends on the number of processors. */
  readonly pages?: number;
  /** Maximum time for one page, after which it is read as is. */
  readonly timeLimit: Duration;
  /** Memory limit for all processes of the browser, in bytes. */
  readonly memoryLimit: number;
  /** Whether robots.txt is obeyed only for documents, or also for scripts and data. */
  readonly obeysRobots: 'documents' | 'all';
  /**
   * When a page is ready: a CSS selector that must match, or `js:` and an expression that must be true; default: when
   * it is quiet.
   */
  readonly readyWhen?: string;
  /** Steps for pages that have none of their own; see domain/render/steps.ts. */
  readonly steps?: string;
  /** Whether Chromium's own sandbox is used. */
  readonly sandbox: boolean;
  /** Host names, with their subdomains, from which pages may load nothing. */
  readonly blockedHosts: readonly string[];
  /** Host names, with their subdomains, to which pages of other registrable domains may send POST requests. */
  readonly postHosts: readonly string[];
  /** Host names, with their subdomains, to which pages may open WebSockets. */
  readonly webSocketHosts: readonly string[];
  readonly place?: Place;
}

interface OcrDefinition {
  /** Codes of Tesseract's languages, such as `eng`. */
  readonly languages: readonly string[];
  /** Once as many pages were read on one day (in UTC), no further document is begun. */
  readonly pagesPerDay: number;
  readonly place: Place;
}

export type ExtractorDefinition =
  | {
      /** Limits for documents, which are read in separate processes. */
      readonly type: 'documents';
      /** Time limit per document. */
      readonly timeLimit: Duration;
      /** Memory limit for one process, in bytes. */
      readonly memoryLimit: number;
      /** Whether the files within documents are documents of their own. */
      readonly members?: boolean;
      /** Character recognition of pages that are pictures; off if missing. */
      readonly ocr?: OcrDefinition;
    }
  | {
      /** An Apache Tika server. */
      readonly type: 'tika';
      readonly url: string;
      /** In lower case; `image/*` covers a family. */
      readonly mediaTypes: readonly string[];
      readonly timeLimit: Duration;
    };
