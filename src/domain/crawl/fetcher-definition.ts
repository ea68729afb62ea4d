/** The part of a definition that says how pages are fetched, rendered and read. */
import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type LoginDefinition } from './logins.js';
import { type Place } from './place.js';

/** Values by name; those meant for certain servers only are secrets. */
export type RequestHeaders = Readonly<Record<string, string | Secret>>;

export interface FetcherDefinition {
  readonly name: string;
  readonly userAgent: string;
  /** Product token matched against robots.txt groups. */
  readonly robotsAgent: string;
  readonly headers: RequestHeaders;
  /** Names of those in `headers` that are sent to `secretServers` only. */
  readonly secretHeaders: readonly string[];
  readonly boundHeaders: readonly BoundHeader[];
  /** Scheme, host and port of the servers of the configured roots that this fetcher crawls. */
  readonly secretServers: readonly string[];
  /** Where it is written; absent for the built-in one. */
  readonly place?: Place;
  readonly connectTimeout: Duration;
  /** Time until the header of the answer. */
  readonly headerTimeout: Duration;
  /** Between two pieces of the body. */
  readonly bodyTimeout: Duration;
  readonly totalTimeout: Duration;
  /** Bytes after decoding. */
  readonly maxSize: number;
  readonly maxRedirects: number;
  /** CIDR blocks that are not public but may be crawled. */
  readonly allowedAddresses: readonly string[];
  /** Absent: sites are asked directly. */
  readonly proxies?: readonly ProxyDefinition[];
  readonly credentials: readonly CredentialDefinition[];
  readonly logins: readonly LoginDefinition[];
  /** Cookies that a host sets are kept for it, separately for each crawler. */
  readonly cookies: boolean;
  /** PEM of further certificate authorities. */
  readonly certificateAuthorities: readonly string[];
  readonly verifyCertificates: boolean;
  /** HTTP/2 with servers that offer it; absent: only with those that refuse HTTP/1.1. */
  readonly prefersHttp2?: boolean;
  /** Requests are signed; absent: they are not. */
  readonly botAuth?: BotAuthDefinition;
}

/** Web Bot Auth: who signs, and where sites find the public key. */
export interface BotAuthDefinition {
  /** PEM, Ed25519. */
  readonly key: Secret;
  /** URL at which sites reach this server. */
  readonly agent: string;
}

/** A proxy, and which URLs use it; see domain/net/choose-proxy.ts. */
export interface ProxyDefinition {
  /** As of UrlOptions. */
  readonly url: string | Secret;
  /** URL prefix to which it applies; absent: all others. */
  readonly for?: string;
  /** Hosts, addresses and blocks that are asked directly. */
  readonly noProxy: readonly string[];
}

export interface BoundHeader {
  /** URL prefix to which the header applies; never sent elsewhere. */
  readonly url: string;
  readonly name: string;
  readonly value: Secret;
}

export interface CredentialDefinition {
  /** URL prefix to which the credential applies; never sent elsewhere. */
  readonly url: string;
  readonly user: string;
  readonly password: Secret;
}

/** The browser that runs the scripts of pages. */
export interface RendererDefinition {
  /** Path of the program; absent: the one of the system. */
  readonly path?: string;
  /** `ws:` or `wss:` of a browser elsewhere, by the Chrome DevTools Protocol. */
  readonly url?: string;
  /** 0…1 of all processors that rendering may use in the long run. */
  readonly maxShare: number;
  /** Pages rendered at the same time; absent: depends on the number of processors. */
  readonly pages?: number;
  /** Time for one page, after which it is read as it is. */
  readonly timeLimit: Duration;
  /** Bytes of memory for all processes of the browser. */
  readonly memoryLimit: number;
  /** Whether robots.txt is read for documents only or for scripts and data, too. */
  readonly obeysRobots: 'documents' | 'all';
  /**
   * When a page is ready: a CSS selector that must match, or `js:` and an expression that must be true; absent: when it is quiet.
   */
  readonly readyWhen?: string;
  /** Chromium's own. */
  readonly sandbox: boolean;
  /** Host names, including subdomains, from which nothing is fetched for a page. */
  readonly blockedHosts: readonly string[];
  /** The same, to which pages may open WebSockets. */
  readonly webSocketHosts: readonly string[];
  readonly place?: Place;
}

export type ExtractorDefinition =
  | {
      /** Limits for documents, which are read in processes of their own. */
      readonly type: 'documents';
      /** Per document. */
      readonly timeLimit: Duration;
      /** Bytes of memory for one process. */
      readonly memoryLimit: number;
    }
  | {
      /** An Apache Tika server. */
      readonly type: 'tika';
      readonly url: string;
      /** Lower case; `image/*` covers a family. */
      readonly mediaTypes: readonly string[];
      readonly timeLimit: Duration;
    };
