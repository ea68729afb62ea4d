/** A FetcherDefinition prepared for use: whatever is the same for all its requests is computed once. */
import { hash } from 'node:crypto';
import { BoundedMap } from '../../domain/bounded-map.js';
import type { FetcherDefinition, RequestHeaders } from '../../domain/crawl/fetcher-definition.js';
import { createBasicAuthorization } from '../../domain/net/basic-authorization.js';
import { createProxyChooser, type ProxyChooser } from '../../domain/net/choose-proxy.js';
import { revealText, type Secret } from '../../domain/secret.js';
import type { FetchRequest } from '../../engine/ports/fetcher.js';
import { Connector, type TlsIdentity } from './connector.js';
import { ACCEPTED_CODINGS } from './content-coding.js';
import type { DnsCache } from './dns-cache.js';
import { FetchFailure } from './fetch-failure.js';
import { parseSigningKey, RequestSigner } from './message-signature.js';
import { type ProxyServer, parseProxy, stripBrackets } from './proxy.js';
import type { RequestPlan } from './request-plan.js';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** Any language, which is also what its absence means; but some servers and firewalls refuse requests without it. */
const ACCEPTED_LANGUAGES = '*';
const MAX_PROXIES = 1000;

/** A value that is sent only to URLs below a prefix. */
interface PrefixBound<T> {
  readonly origin: string;
  readonly pathPrefix: string;
  readonly value: T;
}

interface Login {
  readonly user: string;
  readonly password: Secret;
}

/** Each proxy has a number, because connections through one proxy cannot be used for another. */
type NumberedProxy = ProxyServer & { readonly number: number };

export class FetcherProfile {
  readonly connector: Connector;
  readonly prefersHttp2: boolean;
  private readonly baseHeaders: readonly string[];
  /** The secret headers that are not bound to a URL. */
  private readonly secretHeaders: RequestHeaders;
  private readonly secretServers: ReadonlySet<string>;
  /** The most specific one comes last and wins. */
  private readonly boundHeaders: readonly PrefixBound<readonly [string, Secret]>[];
  /** The most specific one comes first. */
  private readonly credentials: readonly PrefixBound<Login>[];
  private readonly proxies = new BoundedMap<string | Secret, NumberedProxy>(MAX_PROXIES);

  private readonly chooseProxy: ProxyChooser | undefined;
  private readonly signer: RequestSigner | undefined;
  private lastProxyNumber = 0;

  constructor(
    private readonly definition: FetcherDefinition,
    dns: DnsCache,
  ) {
    this.connector = new Connector(dns, definition);
    this.prefersHttp2 = definition.prefersHttp2 ?? false;
    const { botAuth } = definition;
    this.signer = botAuth && new RequestSigner(parseSigningKey(botAuth.key.reveal()), botAuth.agent);
    this.chooseProxy = definition.proxies?.length ? createProxyChooser(definition.proxies) : undefined;
    const defaultHeaders = {
      accept: ACCEPT,
      'accept-language': ACCEPTED_LANGUAGES,
      'accept-encoding': ACCEPTED_CODINGS,
    };
    const agentHeader = { 'user-agent': definition.userAgent };
    const secretNames = new Set(definition.secretHeaders);
    const publicHeaders = Object.fromEntries(
      Object.entries(definition.headers).filter(([name]) => !secretNames.has(name)),
    );
    this.baseHeaders = flattenHeaders(mergeHeaders(defaultHeaders, publicHeaders, agentHeader));
    this.secretHeaders = lowerCaseNames(Object.entries(definition.headers).filter(([name]) => secretNames.has(name)));
    this.secretServers = new Set(definition.secretServers);
    this.boundHeaders = definition.boundHeaders
      .flatMap(({ url, name, value }) => bindToPrefix(url, [name.toLowerCase(), value] as const))
      .sort((a, b) => a.pathPrefix.length - b.pathPrefix.length);
    this.credentials = definition.credentials
      .flatMap(({ url, user, password }) => bindToPrefix(url, { user, password }))
      .sort((a, b) => b.pathPrefix.length - a.pathPrefix.length);
  }

  /** Throws FetchFailure if the request cannot be made at all. */
  planRequest(request: FetchRequest): RequestPlan {
    const url = URL.parse(request.url);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new FetchFailure('connection-failed', 'Only http and https URLs can be fetched.');
    }
    const secure = url.protocol === 'https:';
    const proxy = this.findOrCreateProxy(request.proxy ?? this.chooseProxy?.(url)?.url);
    const forwarded = proxy?.kind === 'http' && !secure;
    const path = url.pathname + url.search;
    const identity = identifyLogin(request);
    return {
      origin: url.origin,
      poolKey: `${this.definition.name} ${proxy?.number ?? ''} ${request.publicOnly ? 'public ' : ''}${url.origin}${identity}`,
      target: {
        secure,
        hostname: stripBrackets(url.hostname),
        port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
        proxy,
        identity: findTlsIdentity(request, identity),
        publicOnly: request.publicOnly ?? false,
      },
      method: request.method ?? 'GET',
      body: request.method === undefined || request.method === 'GET' ? undefined : request.body,
      path: forwarded ? url.origin + path : path,
      headers: this.buildHeaders(request, url, forwarded ? proxy.authorization : undefined),
      host: url.host,
      limits: { maxSize: request.maxSize ?? this.definition.maxSize, truncate: request.truncate ?? false },
      sendBy: request.sendBy,
      timeLimits: {
        connect: request.connectTimeout ?? this.definition.connectTimeout,
        header: request.readTimeout ?? this.definition.headerTimeout,
        body: request.readTimeout ?? this.definition.bodyTimeout,
        total: request.totalTimeout ?? this.definition.totalTimeout,
      },
    };
  }

  private buildHeaders(request: FetchRequest, url: URL, proxyAuthorization: Secret | undefined): string[] {
    const overrides: Record<string, string> = {};
    const base = this.baseHeaders;
    if (!request.anonymous) this.addSecretHeaders(overrides, url);
    if (request.userAgent !== undefined) overrides['user-agent'] = request.userAgent;
    if (request.ifNoneMatch !== undefined) overrides['if-none-match'] = request.ifNoneMatch;
    if (request.ifModifiedSince !== undefined) overrides['if-modified-since'] = request.ifModifiedSince;
    if (request.session?.cookies !== undefined)
      overrides['cookie'] = joinCookies(overrides['cookie'] ?? findCookieHeader(base), request.session.cookies);
    const authorization = this.buildAuthorization(request, url);
    if (authorization !== undefined) overrides['authorization'] = authorization;
    if (proxyAuthorization !== undefined) overrides['proxy-authorization'] = proxyAuthorization.reveal();
    for (const name in request.headers) overrides[name.toLowerCase()] = revealText(request.headers[name]!);
    const { headers: loginHeaders } = request.session ?? {};
    for (const name in loginHeaders) overrides[name.toLowerCase()] = loginHeaders[name]!;
    if (this.signer && !request.anonymous) Object.assign(overrides, this.signer.createSignatureHeaders(url.host));
    return overrideHeaders(base, overrides);
  }

  private addSecretHeaders(headers: Record<string, string>, url: URL): void {
    if (this.secretServers.has(stripTrailingDot(url.origin)))
      for (const name in this.secretHeaders) headers[name] = revealText(this.secretHeaders[name]!);
    for (const bound of this.boundHeaders)
      if (matchesPrefix(url, bound)) headers[bound.value[0]] = bound.value[1].reveal();
  }

  private buildAuthorization(request: FetchRequest, url: URL): string | undefined {
    if (request.credentials !== undefined) {
      const credentials = request.credentials.reveal();
      const colon = credentials.indexOf(':');
      return createBasicAuthorization(
        colon < 0 ? credentials : credentials.slice(0, colon),
        colon < 0 ? '' : credentials.slice(colon + 1),
      );
    }
    const login = request.anonymous ? undefined : this.credentials.find((bound) => matchesPrefix(url, bound))?.value;
    return login && createBasicAuthorization(login.user, login.password.reveal());
  }

  private findOrCreateProxy(url: string | Secret | undefined): NumberedProxy | undefined {
    if (url === undefined) return undefined;
    let proxy = this.proxies.get(url);
    if (!proxy) {
      proxy = { ...parseProxy(revealText(url)), number: ++this.lastProxyNumber };
      this.proxies.set(url, proxy);
    }
    return proxy;
  }
}

/** Whose a logged-in connection is: it is used for its login only, and no longer than this has the same credentials. */
const identifyLogin = ({ session }: FetchRequest): string =>
  session?.certificate || session?.ntlm
    ? ` as ${hash('sha256', JSON.stringify([session.login, session.certificate, session.ntlm]))}`
    : '';

const findTlsIdentity = ({ session }: FetchRequest, name: string): TlsIdentity | undefined =>
  session?.certificate && { name, ...session.certificate };

/** Splits the prefix into origin and path, so that `http://host` is not a prefix of `http://host.evil.example`. */
function bindToPrefix<T>(url: string, value: T): PrefixBound<T>[] {
  const prefix = URL.parse(url);
  return prefix ? [{ origin: prefix.origin, pathPrefix: prefix.pathname + prefix.search, value }] : [];
}

const matchesPrefix = (url: URL, { origin, pathPrefix }: PrefixBound<unknown>): boolean =>
  origin === url.origin && (url.pathname + url.search).startsWith(pathPrefix);

const stripTrailingDot = (origin: string): string => origin.replace(/\.(?=:\d+$|$)/, '');

function findCookieHeader(headers: readonly string[]): string | undefined {
  const index = headers.indexOf('cookie');
  return index < 0 ? undefined : headers[index + 1];
}

/** Headers of the definition come first. */
const joinCookies = (configuredCookies: string | undefined, sessionCookies: string): string =>
  configuredCookies === undefined ? sessionCookies : `${configuredCookies}; ${sessionCookies}`;

const lowerCaseNames = (headers: readonly (readonly [string, string | Secret])[]): RequestHeaders =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));

function mergeHeaders(...records: readonly RequestHeaders[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) result[name.toLowerCase()] = revealText(value);
  }
  return result;
}

const flattenHeaders = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();

/** Returns alternating names and values; a name in `overrides` replaces the one in `base`. */
function overrideHeaders(base: readonly string[], overrides: Record<string, string>): string[] {
  const headers: string[] = [];
  for (let index = 0; index < base.length; index += 2) {
    if (base[index]! in overrides) continue;
    headers.push(base[index]!, base[index + 1]!);
  }
  for (const name in overrides) headers.push(name, overrides[name]!);
  return headers;
}
