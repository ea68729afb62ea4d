import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { KEEP_IDLE, MAX_HEADER_SIZE, PooledConnection } from './connection-pool.js';
import { ConnectionAttempt, type Connector, type Target } from './connector.js';
import { FetchFailure, OtherVersion } from './fetch-failure.js';

/** In order of preference (RFC 7301). */
const OFFERED = ['h2', 'http/1.1'];
const MOST_HEADER_FIELDS = 2_000;

/**
 * Maximum number of bytes that a server may send in addition to twice the size of a body: headers, settings, pings.
 * nghttp2 stops some floods on its own, but reads others for as long as they last, such as settings whose
 * acknowledgements are read, or window updates.
 */
const MOST_BESIDE_BODY = 1024 * 1024;
const LOOK_EVERY = 250;

const zeroBytes = (): number => 0;

/**
 * One HTTP/2 connection. It opens one stream after another: a polite crawler has no use for several at the same time.
 */
export class Http2Connection extends PooledConnection {
  private session: ClientHttp2Session | undefined;
  private opening: Promise<ClientHttp2Session> | undefined;
  private socket: Socket | undefined;
  private watch: NodeJS.Timeout | undefined;
  private readonly listeners: (() => void)[] = [];
  /** Bytes read from the socket, and the time, when the current request or the current pause began. */
  private readBefore = 0;
  private since = performance.now();
  /** Bytes of the current response body. */
  private transferred = zeroBytes;
  private isBusy = true;

  constructor(
    key: string,
    private readonly origin: string,
    private readonly target: Target,
    private readonly connector: Connector,
  ) {
    super(key);
  }

  /** Rejects with FetchFailure, in particular OtherVersion if the server chooses HTTP/1.1. */
  whenReady(): Promise<ClientHttp2Session> {
    this.opening ??= this.open();
    return this.opening;
  }

  /** Whether another request can be sent; false once the server has announced that it will close the connection. */
  get isUsable(): boolean {
    return this.session !== undefined && !this.session.closed && !this.session.destroyed;
  }

  /** To be called when a request begins; `transferred` returns how many bytes of the response body have arrived. */
  beginRequest(transferred: () => number): void {
    this.session?.ref();
    this.startCounting(true, transferred);
  }

  /** To be called when the request has ended. */
  endRequest(): void {
    this.startCounting(false, zeroBytes);
    // An idle connection must not keep the process alive.
    this.session?.unref();
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener);
  }

  destroy(): void {
    clearInterval(this.watch);
    this.attempt?.cancel();
    this.session?.destroy();
    this.socket?.destroy();
  }

  private async open(): Promise<ClientHttp2Session> {
    const attempt = new ConnectionAttempt();
    this.attempt = attempt;
    const { socket, address } = await this.connector.open(this.target, attempt, OFFERED);
    this.attempt = undefined;
    this.address = address;
    this.socket = socket;
    if ((socket as TLSSocket).alpnProtocol !== 'h2') {
      socket.destroy();
      throw new OtherVersion('protocol', 'The server does not speak HTTP/2.');
    }
    const session = connect(this.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: MAX_HEADER_SIZE },
      maxHeaderListPairs: MOST_HEADER_FIELDS,
    });
    // The stream gets the error too, and reports it.
    session.on('error', () => undefined);
    session.on('close', () => {
      clearInterval(this.watch);
      for (const listener of this.listeners) listener();
    });
    this.session = session;
    this.watch = setInterval(() => this.checkTraffic(), LOOK_EVERY).unref();
    return session;
  }

  private startCounting(isBusy: boolean, transferred: () => number): void {
    this.isBusy = isBusy;
    this.transferred = transferred;
    this.readBefore = this.socket?.bytesRead ?? 0;
    this.since = performance.now();
  }

  private checkTraffic(): void {
    const read = (this.socket?.bytesRead ?? 0) - this.readBefore;
    if (read > MOST_BESIDE_BODY + 2 * this.transferred())
      this.session?.destroy(new FetchFailure('protocol', 'The server is flooding the connection with empty frames.'));
    else if (!this.isBusy && performance.now() - this.since > KEEP_IDLE) this.session?.destroy();
  }
}
