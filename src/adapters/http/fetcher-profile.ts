/** A FetcherDefinition made ready: what is the same for all its requests is worked out once. */
import type { FetcherDefinition } from '../../domain/crawl/definition.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import { Connector } from './connector.js';
import { ACCEPTED_CODINGS } from './content-coding.js';
import type { DnsCache } from './dns-cache.js';
import { FetchFailure } from './fetch-failure.js';
import { bareHostname, basicAuthorization, type HttpProxy, parseProxy } from './http-proxy.js';
import type { RequestPlan } from './request-plan.js';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const MOST_PROXIES = 1000;

interface Credential {
  readonly origin: string;
  readonly pathPrefix: string;
  readonly authorization: string;
}

export class FetcherProfile {
  readonly connector: Connector;
  private readonly baseHeaders: readonly string[];
  /** The most specific first. */
  private readonly credentials: readonly Credential[];
  private readonly proxies = new Map<string, HttpProxy>();

  constructor(
    private readonly definition: FetcherDefinition,
    dns: DnsCache,
  ) {
    this.connector = new Connector(dns, definition);
    this.baseHeaders = flat(
      merged(
        { accept: ACCEPT, 'accept-encoding': ACCEPTED_CODINGS },
        { ...definition.headers, 'user-agent': definition.userAgent },
      ),
    );
    this.credentials = definition.credentials
      .flatMap(({ url, user, password }) => credential(url, basicAuthorization(user, password)))
      .sort((a, b) => b.pathPrefix.length - a.pathPrefix.length);
  }

  /** Throws FetchFailure when the request cannot be made at all. */
  plan(request: FetchRequest): RequestPlan {
    const url = URL.parse(request.url);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new FetchFailure('connection-failed', 'Only http and https URLs can be fetched.');
    }
    const secure = url.protocol === 'https:';
    const proxy = this.proxy(request.proxy ?? this.definition.proxy);
    const forwarded = proxy && !secure;
    const path = url.pathname + url.search;
    return {
      origin: url.origin,
      poolKey: `${this.definition.name} ${request.proxy ?? ''} ${url.origin}`,
      target: {
        secure,
        hostname: bareHostname(url.hostname),
        port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
        proxy,
      },
      path: forwarded ? url.origin + path : path,
      headers: this.headers(request, url, forwarded ? proxy : undefined),
      host: url.host,
      limits: { maxSize: request.maxSize ?? this.definition.maxSize, truncate: request.truncate ?? false },
      sendBy: request.sendBy,
      times: {
        connect: request.connectTimeout ?? this.definition.connectTimeout,
        header: request.readTimeout ?? this.definition.headerTimeout,
        body: request.readTimeout ?? this.definition.bodyTimeout,
        total: request.totalTimeout ?? this.definition.totalTimeout,
      },
    };
  }

  private headers(request: FetchRequest, url: URL, forwarder: HttpProxy | undefined): string[] {
    const own: Record<string, string> = {};
    if (request.userAgent !== undefined) own['user-agent'] = request.userAgent;
    if (request.ifNoneMatch !== undefined) own['if-none-match'] = request.ifNoneMatch;
    if (request.ifModifiedSince !== undefined) own['if-modified-since'] = request.ifModifiedSince;
    const authorization = this.authorization(request, url);
    if (authorization !== undefined) own['authorization'] = authorization;
    if (forwarder?.authorization !== undefined) own['proxy-authorization'] = forwarder.authorization;
    for (const name in request.headers) own[name.toLowerCase()] = request.headers[name]!;
    return withOverrides(this.baseHeaders, own);
  }

  private authorization(request: FetchRequest, url: URL): string | undefined {
    if (request.credentials !== undefined) {
      const colon = request.credentials.indexOf(':');
      const user = colon < 0 ? request.credentials : request.credentials.slice(0, colon);
      return basicAuthorization(user, colon < 0 ? '' : request.credentials.slice(colon + 1));
    }
    const path = url.pathname + url.search;
    return this.credentials.find(({ origin, pathPrefix }) => origin === url.origin && path.startsWith(pathPrefix))
      ?.authorization;
  }

  private proxy(text: string | undefined): HttpProxy | undefined {
    if (text === undefined) return undefined;
    let proxy = this.proxies.get(text);
    if (!proxy) {
      proxy = parseProxy(text);
      if (this.proxies.size >= MOST_PROXIES) this.proxies.clear();
      this.proxies.set(text, proxy);
    }
    return proxy;
  }
}

/** The prefix as origin and path, so that `http://host` is not a prefix of `http://host.evil.example`. */
function credential(url: string, authorization: string): Credential[] {
  const prefix = URL.parse(url);
  return prefix ? [{ origin: prefix.origin, pathPrefix: prefix.pathname + prefix.search, authorization }] : [];
}

function merged(...records: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) result[name.toLowerCase()] = value;
  }
  return result;
}

const flat = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();

/** Names and values in turns; a name in `own` replaces that of `base`. */
function withOverrides(base: readonly string[], own: Record<string, string>): string[] {
  const headers: string[] = [];
  for (let index = 0; index < base.length; index += 2) {
    if (base[index]! in own) continue;
    headers.push(base[index]!, base[index + 1]!);
  }
  for (const name in own) headers.push(name, own[name]!);
  return headers;
}
