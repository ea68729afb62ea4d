/** The part of a definition that says how pages are fetched, rendered and read. */
import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type LoginDefinition } from './logins.js';
import { type Place } from './place.js';

/** Values by name; those that are sent to nobody but whom they are for are secrets. */
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
  /** Where it is written; absent when it is the built-in one. */
  readonly place?: Place;
  readonly connectTimeout: Duration;
  /** Until the header of the answer. */
  readonly headerTimeout: Duration;
  /** Between two pieces of the body. */
  readonly bodyTimeout: Duration;
  readonly totalTimeout: Duration;
  /** Bytes after decoding. */
  readonly maxSize: number;
  readonly maxRedirects: number;
  /** CIDR blocks that are not public and yet may be crawled. */
  readonly allowedAddresses: readonly string[];
  /** Absent: sites are asked directly. */
  readonly proxies?: readonly ProxyDefinition[];
  readonly credentials: readonly CredentialDefinition[];
  readonly logins: readonly LoginDefinition[];
  /** Cookies that a host sets are kept for it, by crawler. */
  readonly cookies: boolean;
  /** PEM of further certificate authorities. */
  readonly certificateAuthorities: readonly string[];
  readonly verifyCertificates: boolean;
  /** Requests are signed; absent: they are not. */
  readonly botAuth?: BotAuthDefinition;
}

/** Web Bot Auth: who signs, and where sites find the public key. */
export interface BotAuthDefinition {
  /** PEM, Ed25519. */
  readonly key: Secret;
  /** URL of this server as sites reach it. */
  readonly agent: string;
}

/** A proxy, and what goes through it; see domain/net/choose-proxy.ts. */
export interface ProxyDefinition {
  /** As of UrlOptions. */
  readonly url: string | Secret;
  /** URL prefix that it is for; absent: all others. */
  readonly for?: string;
  /** Hosts, addresses and blocks that are asked directly. */
  readonly noProxy: readonly string[];
}

export interface BoundHeader {
  /** URL prefix that the header is for; never sent elsewhere. */
  readonly url: string;
  readonly name: string;
  readonly value: Secret;
}

export interface CredentialDefinition {
  /** URL prefix that the credential is for; never sent elsewhere. */
  readonly url: string;
  readonly user: string;
  readonly password: Secret;
}

/** The browser that runs the scripts of pages. */
export interface RendererDefinition {
  /** Of the program; absent: the one of the system. */
  readonly path?: string;
  /** `ws:` or `wss:` of a browser elsewhere, by the Chrome DevTools Protocol. */
  readonly url?: string;
  /** 0…1 of all processors that rendering takes in the long run. */
  readonly maxShare: number;
  /** Pages rendered at once; absent: by the number of processors. */
  readonly pages?: number;
  /** Of one page, until it is read as it is. */
  readonly timeLimit: Duration;
  /** Bytes that all processes of the browser may hold. */
  readonly memoryLimit: number;
  /** Whether robots.txt is asked for documents only or for scripts and data, too. */
  readonly obeysRobots: 'documents' | 'all';
  /** When a page is ready: a CSS selector that has to match, or `js:` and an expression that has to be true; absent: when it is quiet. */
  readonly readyWhen?: string;
  /** Chromium's own. */
  readonly sandbox: boolean;
  /** Host names, those below them included, of which nothing is fetched for a page. */
  readonly blockedHosts: readonly string[];
  readonly place?: Place;
}

export type ExtractorDefinition =
  | {
      /** Documents, in processes of the server's own. */
      readonly type: 'documents';
      /** Of one document. */
      readonly timeLimit: Duration;
      /** Bytes that one process may hold. */
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
