/**
 * The crawl's HTTP client: sends one request, follows no redirects, and returns every failure of a site as a value with
 * a stable code. It can be created in any thread; each instance has its own connections and DNS cache.
 */
import { isIP } from 'node:net';
import type { FetcherDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchOutcome, FetchTimings } from '../../domain/fetch/outcome.js';
import { milliseconds } from '../../domain/time/units.js';
import type {
  FetchEngine,
  FetchedSocket,
  FetchRequest,
  NtlmCredentials,
  SocketEvents,
  SocketOpener,
} from '../../engine/ports/fetcher.js';
import { Connection, ConnectionPool } from './connection-pool.js';
import type { Target } from './connector.js';
import { Deadlines } from './deadlines.js';
import { DnsCache, type Lookup } from './dns-cache.js';
import type { Exchange, Settle } from './exchange.js';
import { FetchFailure, UnsupportedHttpVersion } from './fetch-failure.js';
import { FetcherProfile } from './fetcher-profile.js';
import { openGuardedSocket } from './guarded-socket.js';
import { Http2Connection } from './http2-connection.js';
import { Http2Exchange } from './http2-exchange.js';
import { LenientExchange } from './lenient-exchange.js';
import { createAuthenticateMessage, createNegotiateMessage, createNtlmClientValues, parseChallenge } from './ntlm.js';
import { StrictExchange } from './pooled-exchange.js';
import { findRefusalByProxy, stripBrackets } from './proxy.js';
import type { RequestPlan } from './request-plan.js';

export interface HttpFetcherOptions {
  /** Resolves names; the system's resolver by default. */
  readonly lookup?: Lookup;
  /** Current time in milliseconds since the epoch; used only by the DNS cache. */
  readonly now?: () => number;
  /** Maximum number of idle connections that are kept open, across all hosts. */
  readonly maxIdleConnections?: number;
}

const MAX_IDLE_CONNECTIONS = 256;
/** Maximum number of hosts remembered as needing the lenient parser or a particular version of HTTP. */
const MAX_HOSTS = 10_000;

type HttpVersion = 1 | 2;

interface SettledExchange {
  readonly exchange: Exchange;
  readonly failure: FetchFailure | undefined;
}

export class HttpFetcher implements FetchEngine, SocketOpener {
  readonly engine = 'http';
  private readonly dns: DnsCache;
  private readonly pool: ConnectionPool;
  private readonly http2Pool: ConnectionPool<Http2Connection>;
  private readonly deadlines = new Deadlines<Exchange>();
  private readonly profiles: ReadonlyMap<string, FetcherProfile>;
  private readonly lenientOrigins = new Set<string>();
  /** The version of HTTP to use for an origin that refuses the other one. */
  private readonly versions = new Map<string, HttpVersion>();

  constructor(definitions: readonly FetcherDefinition[], options: HttpFetcherOptions = {}) {
    this.dns = new DnsCache(options.lookup, options.now);
    const maxIdle = options.maxIdleConnections ?? MAX_IDLE_CONNECTIONS;
    this.pool = new ConnectionPool(maxIdle);
    this.http2Pool = new ConnectionPool(maxIdle);
    this.profiles = new Map(
      definitions.map((definition) => [definition.name, new FetcherProfile(definition, this.dns)]),
    );
  }

  /** Rejects with the signal's reason when it aborts, or with an Error if no fetcher has the requested name. */
  async fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome> {
    const profile = this.profiles.get(request.fetcher);
    if (!profile) throw new Error(`There is no fetcher named ${JSON.stringify(request.fetcher)} in the configuration.`);
    signal?.throwIfAborted();
    let exchange: Exchange | undefined;
    try {
      const plan = profile.planRequest(request);
      const ntlm = request.session?.ntlm;
      const result = await (ntlm
        ? this.sendWithNtlm(profile, plan, ntlm, signal)
        : this.sendRequest(profile, plan, signal));
      exchange = result.exchange;
      if (result.failure) throw blameProxy(result.failure, plan.target);
      const { status, headers } = exchange.reader;
      const refusal = findRefusalByProxy(plan.target, status, headers);
      if (refusal) throw new FetchFailure('proxy-failed', refusal);
      return await this.readResponse(exchange);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof FetchFailure)) throw error;
      return { kind: 'failure', code: error.code, detail: error.message, timings: toTimings(exchange) };
    }
  }

  private async readResponse(exchange: Exchange): Promise<FetchOutcome> {
    const { reader, address } = exchange;
    const decoded = reader.readBody();
    const body = decoded instanceof Promise ? await decoded : decoded;
    const { status, headers, transferred } = reader;
    return { kind: 'response', status, headers, body, transferred, address, timings: toTimings(exchange) };
  }

  /** Uses the preferred version of HTTP, or the other one if the server refuses it. */
  private async sendRequest(
    profile: FetcherProfile,
    plan: RequestPlan,
    signal?: AbortSignal,
  ): Promise<SettledExchange> {
    const { origin, target } = plan;
    const version = this.versions.get(origin) ?? (profile.prefersHttp2 && target.secure ? 2 : 1);
    const firstResult = await this.sendWithVersion(version, profile, plan, signal);
    if (!(firstResult.failure instanceof UnsupportedHttpVersion)) return firstResult;
    const otherVersion = version === 1 ? 2 : 1;
    const secondResult = await this.sendWithVersion(otherVersion, profile, plan, signal);
    if (secondResult.failure instanceof UnsupportedHttpVersion) return firstResult;
    if (this.versions.size >= MAX_HOSTS) this.versions.clear();
    this.versions.set(origin, otherVersion);
    return secondResult;
  }

  private sendWithVersion(version: HttpVersion, profile: FetcherProfile, plan: RequestPlan, signal?: AbortSignal) {
    return version === 1 ? this.sendOverHttp1(profile, plan, signal) : this.sendOverHttp2(profile, plan, signal);
  }

  private async sendOverHttp2(
    profile: FetcherProfile,
    plan: RequestPlan,
    signal?: AbortSignal,
  ): Promise<SettledExchange> {
    const { poolKey, origin, target } = plan;
    const createConnection = () => this.http2Pool.add(new Http2Connection(poolKey, origin, target, profile.connector));
    const send = (connection: Http2Connection) =>
      this.runExchange((settle) => new Http2Exchange(plan, this.deadlines, settle, this.http2Pool, connection), signal);
    const idleConnection = plan.method === 'GET' ? this.http2Pool.acquire(poolKey) : undefined;
    const firstResult = await send(idleConnection ?? createConnection());
    return idleConnection && wasClosedBeforeResponse(firstResult) ? send(createConnection()) : firstResult;
  }

  /** Repeats the exchange on a new connection, or with the lenient parser, if the first attempt requires that. */
  private async sendOverHttp1(
    profile: FetcherProfile,
    plan: RequestPlan,
    signal?: AbortSignal,
  ): Promise<SettledExchange> {
    if (this.lenientOrigins.has(plan.origin)) return this.sendLeniently(profile, plan, signal);
    // A request that may have an effect on the site is sent only once, so it needs a fresh connection, which the server
    // cannot have closed in the meantime.
    if (plan.method !== 'GET') return this.sendStrictly(this.createConnection(profile, plan), plan, signal);
    let firstResult = await this.sendStrictly(
      this.pool.acquire(plan.poolKey) ?? this.createConnection(profile, plan),
      plan,
      signal,
    );
    if (wasClosedBeforeResponse(firstResult)) {
      firstResult = await this.sendStrictly(this.createConnection(profile, plan), plan, signal);
    }
    if (!firstResult.failure?.malformed) return firstResult;
    const secondResult = await this.sendLeniently(profile, plan, signal);
    if (!secondResult.failure) this.rememberLenientOrigin(plan.origin);
    return secondResult;
  }

  /** NTLM authenticates a connection, not a request: later requests on it need no login. */
  private async sendWithNtlm(
    profile: FetcherProfile,
    plan: RequestPlan,
    credentials: NtlmCredentials,
    signal?: AbortSignal,
  ): Promise<SettledExchange> {
    const idleConnection = this.pool.acquire(plan.poolKey);
    if (idleConnection) {
      const idleResult = await this.sendStrictly(idleConnection, plan, signal);
      const isClosed = idleResult.failure?.code === 'connection-reset' && idleResult.exchange.isUnanswered;
      if (!isClosed && (idleResult.failure || idleResult.exchange.reader.status !== 401)) return idleResult;
    }
    const connection = this.createConnection(profile, plan);
    const negotiateResult = await this.sendStrictly(
      connection,
      withAuthorization(plan, createNegotiateMessage()),
      signal,
    );
    if (negotiateResult.failure || negotiateResult.exchange.reader.status !== 401) return negotiateResult;
    const challenge = parseChallenge(negotiateResult.exchange.reader.headers['www-authenticate']);
    if (!challenge || !this.pool.reacquire(connection)) return negotiateResult;
    const authenticateMessage = createAuthenticateMessage(challenge, credentials, createNtlmClientValues());
    return this.sendStrictly(connection, withAuthorization(plan, authenticateMessage), signal);
  }

  private createConnection(profile: FetcherProfile, plan: RequestPlan): Connection {
    return this.pool.add(new Connection(plan.poolKey, plan.origin, plan.target, profile.connector));
  }

  private sendStrictly(connection: Connection, plan: RequestPlan, signal?: AbortSignal): Promise<SettledExchange> {
    return this.runExchange(
      (settle) => new StrictExchange(plan, this.deadlines, settle, this.pool, connection),
      signal,
    );
  }

  private sendLeniently(profile: FetcherProfile, plan: RequestPlan, signal?: AbortSignal): Promise<SettledExchange> {
    return this.runExchange((settle) => new LenientExchange(plan, this.deadlines, settle, profile.connector), signal);
  }

  private runExchange(createExchange: (settle: Settle) => Exchange, signal?: AbortSignal): Promise<SettledExchange> {
    return new Promise((resolve) => {
      const abandon = (): void => exchange.abandon();
      const exchange = createExchange((failure) => {
        signal?.removeEventListener('abort', abandon);
        resolve({ exchange, failure });
      });
      signal?.addEventListener('abort', abandon);
      exchange.run();
    });
  }

  private rememberLenientOrigin(origin: string): void {
    if (this.lenientOrigins.size >= MAX_HOSTS) this.lenientOrigins.clear();
    this.lenientOrigins.add(origin);
  }

  openSocket(request: FetchRequest, protocols: readonly string[], events: SocketEvents): FetchedSocket {
    const profile = this.profiles.get(request.fetcher);
    if (!profile) throw new Error(`There is no fetcher named ${JSON.stringify(request.fetcher)} in the configuration.`);
    return openGuardedSocket(profile, { request, protocols }, events);
  }

  async resolve(hostname: string): Promise<string | undefined> {
    const bareHostname = stripBrackets(hostname);
    if (isIP(bareHostname) !== 0) return bareHostname;
    try {
      return (await this.dns.resolve(bareHostname))[0]?.address;
    } catch {
      return undefined;
    }
  }

  /** Aborts all fetches in flight; they end as failures. */
  async close(): Promise<void> {
    for (const exchange of this.deadlines.listWatched()) exchange.abandon();
    this.pool.close();
    this.http2Pool.close();
  }
}

/** True if the server closed an idle connection just as it was used again. */
const wasClosedBeforeResponse = ({ exchange, failure }: SettledExchange): boolean =>
  failure?.code === 'connection-reset' && exchange.reused && exchange.isUnanswered;

/** What is not HTTP comes from a proxy that forwards requests: it would have told of a site that does not speak it. */
const blameProxy = (failure: FetchFailure, { proxy, secure }: Target): FetchFailure =>
  failure.code === 'protocol' && proxy?.kind === 'http' && !secure
    ? new FetchFailure('proxy-failed', `The proxy cannot be used: ${failure.message}`)
    : failure;

const withAuthorization = (plan: RequestPlan, message: string): RequestPlan => ({
  ...plan,
  headers: [...plan.headers, 'authorization', `NTLM ${message}`],
});

function toTimings(exchange: Exchange | undefined): FetchTimings {
  if (!exchange) return { header: milliseconds(0), total: milliseconds(0) };
  const { startedAt, sentAt: requestSentAt, headerAt: headerReceivedAt } = exchange.timestamps;
  const { decodingMs } = exchange.reader;
  return {
    connect: requestSentAt > 0 && !exchange.reused ? milliseconds(requestSentAt - startedAt) : undefined,
    header: milliseconds(headerReceivedAt > 0 ? headerReceivedAt - requestSentAt : 0),
    total: milliseconds(performance.now() - startedAt),
    ...(decodingMs > 0 ? { decoding: milliseconds(decodingMs) } : {}),
  };
}
