/**
 * Opens sockets to web servers. The crawl reaches the network only here, so this is where addresses are checked: for
 * every connection, all addresses of the name are vetted, and the connection goes to a vetted address, not to a name
 * that could resolve to something else a moment later.
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext, connect as startTls } from 'node:tls';
import { BoundedMap } from '../../domain/bounded-map.js';
import { isInAnyCidr, isPublicAddress } from '../../domain/net/address.js';
import { isLocalName } from '../../domain/net/local-names.js';
import type { ClientCertificate } from '../../engine/ports/fetcher.js';
import type { DnsCache, HostAddress } from './dns-cache.js';
import { FetchFailure, toFetchFailure } from './fetch-failure.js';
import type { ProxyServer } from './proxy.js';
import { openTunnel } from './tunnel.js';

export interface Target {
  readonly secure: boolean;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly proxy?: ProxyServer;
  /** True if a proxy must only relay bytes, even without TLS, because the protocol is not plain HTTP. */
  readonly tunneled?: boolean;
  /** Presented to the server if it asks for one. */
  readonly identity?: TlsIdentity;
  /** True if the settings allow no further addresses. */
  readonly publicOnly?: boolean;
}

/** A client certificate; `name` identifies it, and no other certificate has the same. */
export interface TlsIdentity extends ClientCertificate {
  readonly name: string;
}

export interface ConnectorSettings {
  /** CIDR blocks to which connections are allowed although they are not public. */
  readonly allowedAddresses: readonly string[];
  /** In PEM format, in addition to the authorities that Node trusts. */
  readonly certificateAuthorities: readonly string[];
  readonly verifyCertificates: boolean;
}

export interface OpenConnection {
  readonly socket: Socket;
  /** IP address of the peer: the server, or the proxy. */
  readonly address: string;
}

/** A connection attempt, which can be cancelled. */
export class ConnectionAttempt {
  /** What the attempt is waiting for. */
  phase: 'name' | 'proxy' | 'connection' = 'name';
  private cancelled = false;
  private socket: Socket | undefined;

  /** Takes over a socket; it is destroyed at once if the attempt has been cancelled. */
  adopt(socket: Socket): void {
    if (this.phase === 'name') this.phase = 'connection';
    this.socket = socket;
    // A socket that fails between two steps has no other listener, and an unhandled error would end the process.
    socket.on('error', ignore);
    if (this.cancelled) socket.destroy();
  }

  cancel(): void {
    this.cancelled = true;
    this.socket?.destroy();
  }
}

const ignore = (): void => {};
/** Offered in the TLS handshake (RFC 7301). */
const HTTP1_PROTOCOLS = ['http/1.1'];
/** A placeholder name that makes Node call our lookup; it never resolves anywhere (RFC 6761). */
const VETTED_NAME = 'vetted.invalid';
const NEXT_ADDRESS_DELAY_MS = 250;
const KEEP_ALIVE_DELAY_MS = 60_000;
const PROXIED_NAME_TIMEOUT_MS = 2_000;
const MAX_SESSIONS = 500;
const MAX_CONTEXTS = 100;

export class Connector {
  private readonly trustOptions: { readonly ca?: string[] };
  /** Created for the first server with TLS, because it reads all root certificates. */
  private secureContext: SecureContext | undefined;
  /** Those with client certificates, by the names of these. */
  private readonly contexts = new BoundedMap<string, SecureContext>(MAX_CONTEXTS);
  /** TLS sessions by server, for shorter handshakes. */
  private readonly sessions = new Map<string, Buffer>();

  constructor(
    private readonly dns: DnsCache,
    private readonly settings: ConnectorSettings,
  ) {
    const { certificateAuthorities } = settings;
    this.trustOptions =
      certificateAuthorities.length > 0 ? { ca: [...rootCertificates, ...certificateAuthorities] } : {};
  }

  /** Opens a socket to the target for one of the protocols. Rejects with FetchFailure. */
  async open(
    target: Target,
    attempt: ConnectionAttempt,
    protocols: readonly string[] = HTTP1_PROTOCOLS,
  ): Promise<OpenConnection> {
    try {
      const { proxy } = target;
      const rawSocket = proxy
        ? await this.openThroughProxy(target, proxy, attempt)
        : await this.openDirectly(target, attempt);
      const address = rawSocket.remoteAddress ?? '';
      const socket = target.secure ? await this.performTlsHandshake(rawSocket, target, attempt, protocols) : rawSocket;
      return { socket, address };
    } catch (error) {
      throw toFetchFailure(error, 'connect');
    }
  }

  private async openDirectly(target: Target, attempt: ConnectionAttempt): Promise<Socket> {
    return this.dial(target.port, await this.resolveAllowedAddresses(target), attempt);
  }

  private async resolveAllowedAddresses(target: Target): Promise<readonly HostAddress[]> {
    const addresses = await this.lookUpAddresses(target.hostname);
    for (const { address } of addresses) this.requireAllowedAddress(address, target);
    return addresses;
  }

  /** Prefers IPv4, because it is unknown which addresses a proxy can reach. */
  private async resolveAllowedAddress(target: Target): Promise<string> {
    const addresses = await this.resolveAllowedAddresses(target);
    return (addresses.find(({ family }) => family === 4) ?? addresses[0]!).address;
  }

  /**
   * The operator configured the proxy, so its own address is not vetted. Most proxies resolve names themselves; the
   * addresses that this machine knows are vetted nevertheless. A `socks5` proxy gets a vetted address.
   */
  private async openThroughProxy(target: Target, proxy: ProxyServer, attempt: ConnectionAttempt): Promise<Socket> {
    const proxyResolves = proxy.kind === 'http' || proxy.resolvesNames;
    const hostname = proxyResolves ? await this.vetProxiedHostname(target) : await this.resolveAllowedAddress(target);
    attempt.phase = 'proxy';
    try {
      const plainSocket = await this.dial(proxy.port, await this.lookUpAddresses(proxy.hostname), attempt);
      const socket = proxy.secure
        ? await this.performTlsHandshake(plainSocket, proxy, attempt, HTTP1_PROTOCOLS)
        : plainSocket;
      if (target.secure || target.tunneled || proxy.kind === 'socks5')
        await openTunnel(socket, { hostname, port: target.port }, proxy);
      attempt.phase = 'connection';
      return socket;
    } catch (error) {
      throw toProxyFailure(error);
    }
  }

  /**
   * Leaves a name that this machine cannot resolve quickly, or at all, to the proxy: machines behind a proxy often have
   * no DNS.
   */
  private async vetProxiedHostname(target: Target): Promise<string> {
    const { hostname } = target;
    if (isLocalName(hostname)) this.requireAllowedAddress('127.0.0.1', target);
    const addresses = isLocalName(hostname) ? [] : await withTimeout(this.lookUpAddresses(hostname).catch(() => []));
    for (const { address } of addresses ?? []) this.requireAllowedAddress(address, target);
    return hostname;
  }

  private async lookUpAddresses(hostname: string): Promise<readonly HostAddress[]> {
    const family = isIP(hostname);
    return family === 0 ? this.dns.resolve(hostname) : [{ address: hostname, family }];
  }

  private requireAllowedAddress(address: string, { hostname, publicOnly }: Target): void {
    const isAllowed = (): boolean => publicOnly !== true && isInAnyCidr(address, this.settings.allowedAddresses);
    if (isPublicAddress(address) || isAllowed()) return;
    throw new FetchFailure('address-forbidden', `${hostname} has the address ${address}, which is not public.`);
  }

  /** Connects to the first address that responds; the next one is tried after a quarter of a second (RFC 8305). */
  private dial(port: number, addresses: readonly HostAddress[], attempt: ConnectionAttempt): Promise<Socket> {
    const hasSeveral = addresses.length > 1;
    const socket = connectTcp({
      host: hasSeveral ? VETTED_NAME : addresses[0]!.address,
      lookup: createFixedLookup(addresses),
      autoSelectFamily: hasSeveral,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_DELAY_MS,
      port,
    });
    attempt.adopt(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    return waitForEvent(socket, 'connect');
  }

  private async performTlsHandshake(
    socket: Socket,
    server: Pick<Target, 'hostname' | 'port' | 'identity'>,
    attempt: ConnectionAttempt,
    protocols: readonly string[],
  ): Promise<Socket> {
    const key = `${server.hostname}:${server.port} ${server.identity?.name ?? ''}`;
    const tlsSocket = startTls({
      socket,
      host: server.hostname,
      servername: isIP(server.hostname) === 0 ? server.hostname : undefined,
      secureContext: this.findOrCreateSecureContext(server.identity),
      rejectUnauthorized: this.settings.verifyCertificates,
      ALPNProtocols: [...protocols],
      session: this.sessions.get(key),
    });
    attempt.adopt(tlsSocket);
    tlsSocket.on('session', (session: Buffer) => this.saveSession(key, session));
    tlsSocket.once('error', (error) => TLS_FAULTS.set(tlsSocket, error));
    return waitForEvent(tlsSocket, 'secureConnect');
  }

  private findOrCreateSecureContext(identity: TlsIdentity | undefined): SecureContext {
    if (!identity) {
      this.secureContext ??= createSecureContext(this.trustOptions);
      return this.secureContext;
    }
    const { name, certificate, key } = identity;
    const context = this.contexts.get(name) ?? createSecureContext({ ...this.trustOptions, cert: certificate, key });
    this.contexts.set(name, context);
    return context;
  }

  private saveSession(key: string, session: Buffer): void {
    this.sessions.delete(key);
    this.sessions.set(key, session);
    if (this.sessions.size <= MAX_SESSIONS) return;
    const [oldest] = this.sessions.keys();
    if (oldest !== undefined) this.sessions.delete(oldest);
  }
}

/** Reports every error as a failure of the proxy, because no request has been sent to the site. */
function toProxyFailure(error: unknown): FetchFailure {
  const { code, message } = toFetchFailure(error, 'connect');
  return new FetchFailure('proxy-failed', code === 'proxy-failed' ? message : `The proxy cannot be used: ${message}`);
}

/**
 * The first TLS error of each socket. With TLS 1.3, a server rejects a client certificate only after the handshake, and
 * the parser that owns the socket by then merely sees it close.
 */
const TLS_FAULTS = new WeakMap<Socket, Error>();

/** The first TLS error of the socket, if there was one; undefined for any other failure. */
export function findTlsFault(socket: Socket | undefined): Error | undefined {
  const fault = socket && TLS_FAULTS.get(socket);
  return (fault as NodeJS.ErrnoException | undefined)?.code?.startsWith('ERR_SSL_') ? fault : undefined;
}

function withTimeout<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PROXIED_NAME_TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/** Node tries all addresses that a lookup returns; this one returns the vetted ones without a query. */
const createFixedLookup =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(null, [...addresses]);

function waitForEvent<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.off(event, onOpen).off('error', settle).off('close', onClose);
      if (error) reject(error);
      else resolve(socket);
    };
    const onOpen = (): void => settle();
    const onClose = (): void =>
      settle(new FetchFailure('connection-reset', 'The connection was closed while it was being opened.'));
    socket.on(event, onOpen).on('error', settle).on('close', onClose);
  });
}
