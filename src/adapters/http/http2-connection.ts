import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { IDLE_TIMEOUT_MS, MAX_HEADER_SIZE, PooledConnection } from './connection-pool.js';
import { ConnectionAttempt, type Connector, type Target } from './connector.js';
import { FetchFailure, UnsupportedHttpVersion } from './fetch-failure.js';

/** In order of preference (RFC 7301). */
const OFFERED_PROTOCOLS = ['h2', 'http/1.1'];
const MAX_HEADER_FIELDS = 2_000;

/**
 * Maximum number of bytes that a server may send in addition to twice the size of a body: headers, settings, pings.
 * nghttp2 stops some floods on its own but not others, such as window updates, or settings whose acknowledgements the
 * server reads.
 */
const MAX_OVERHEAD_BYTES = 1024 * 1024;
const CHECK_INTERVAL_MS = 250;

const countZeroBytes = (): number => 0;

/**
 * One HTTP/2 connection. It opens one stream at a time: a polite crawler does not need concurrent ones.
 */
export class Http2Connection extends PooledConnection {
  private session: ClientHttp2Session | undefined;
  private opening: Promise<ClientHttp2Session> | undefined;
  private socket: Socket | undefined;
  private watchTimer: NodeJS.Timeout | undefined;
  private readonly listeners: (() => void)[] = [];
  /** Number of bytes that had been read from the socket when the current request or pause began. */
  private bytesReadBefore = 0;
  /** When the current request or pause began. */
  private countingSince = performance.now();
  /** Returns the number of bytes received of the current response body. */
  private countTransferred = countZeroBytes;
  private isBusy = true;

  constructor(
    key: string,
    private readonly origin: string,
    private readonly target: Target,
    private readonly connector: Connector,
  ) {
    super(key);
  }

  /** Rejects with FetchFailure, in particular UnsupportedHttpVersion if the server chooses HTTP/1.1. */
  whenReady(): Promise<ClientHttp2Session> {
    this.opening ??= this.open();
    return this.opening;
  }

  /** Whether another request can be sent; false once the server has announced that it will close the connection. */
  get isUsable(): boolean {
    return this.session !== undefined && !this.session.closed && !this.session.destroyed;
  }

  /** To be called when a request begins; `countTransferred` returns how many bytes of the response body have arrived. */
  beginRequest(countTransferred: () => number): void {
    this.session?.ref();
    this.startCounting(true, countTransferred);
  }

  /** To be called when the request has ended. */
  endRequest(): void {
    this.startCounting(false, countZeroBytes);
    // An idle connection must not keep the process alive.
    this.session?.unref();
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener);
  }

  destroy(): void {
    clearInterval(this.watchTimer);
    this.attempt?.cancel();
    this.session?.destroy();
    this.socket?.destroy();
  }

  private async open(): Promise<ClientHttp2Session> {
    const attempt = new ConnectionAttempt();
    this.attempt = attempt;
    const { socket, address } = await this.connector.open(this.target, attempt, OFFERED_PROTOCOLS);
    this.attempt = undefined;
    this.address = address;
    this.socket = socket;
    if ((socket as TLSSocket).alpnProtocol !== 'h2') {
      socket.destroy();
      throw new UnsupportedHttpVersion('protocol', 'The server does not speak HTTP/2.');
    }
    const session = connect(this.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: MAX_HEADER_SIZE },
      maxHeaderListPairs: MAX_HEADER_FIELDS,
    });
    // The stream gets the error too, and reports it.
    session.on('error', () => undefined);
    session.on('close', () => {
      clearInterval(this.watchTimer);
      for (const listener of this.listeners) listener();
    });
    this.session = session;
    this.watchTimer = setInterval(() => this.checkTraffic(), CHECK_INTERVAL_MS).unref();
    return session;
  }

  private startCounting(isBusy: boolean, countTransferred: () => number): void {
    this.isBusy = isBusy;
    this.countTransferred = countTransferred;
    this.bytesReadBefore = this.socket?.bytesRead ?? 0;
    this.countingSince = performance.now();
  }

  private checkTraffic(): void {
    const bytesRead = (this.socket?.bytesRead ?? 0) - this.bytesReadBefore;
    if (bytesRead > MAX_OVERHEAD_BYTES + 2 * this.countTransferred())
      this.session?.destroy(new FetchFailure('protocol', 'The server is flooding the connection with empty frames.'));
    else if (!this.isBusy && performance.now() - this.countingSince > IDLE_TIMEOUT_MS) this.session?.destroy();
  }
}
