/**
 * Connections that are kept open between requests. Each serves one request at a time, even with HTTP/2. The engine
 * limits the concurrent requests to a server (politeness), so only the number of idle connections is limited here.
 */
import type { Socket } from 'node:net';
import { type buildConnector, Client } from 'undici';
import { ConnectionAttempt, type Connector, type Target } from './connector.js';

/**
 * Milliseconds for which an idle connection is kept open; longer than the usual pause between two requests to a server.
 */
export const IDLE_TIMEOUT_MS = 15_000;
export const MAX_HEADER_SIZE = 64 * 1024;

export abstract class PooledConnection {
  /** IP address of the peer, once open. */
  address = '';
  /** Number of responses received on the current socket; above 0, the server may have closed it in the meantime. */
  servedCount = 0;
  /** Defined while a socket is being opened. */
  attempt: ConnectionAttempt | undefined;
  /** Position among the idle connections; used only by the pool. */
  isIdle = false;
  older: PooledConnection | undefined;
  newer: PooledConnection | undefined;

  constructor(readonly key: string) {}

  /** Calls the listener whenever the socket has been closed. */
  abstract onClose(listener: () => void): void;
  abstract destroy(): void;
}

/**
 * One HTTP/1.1 connection: undici's Client with one socket, opened on first use and reopened if the server closed it.
 */
export class Connection extends PooledConnection {
  readonly client: Client;
  /** The socket that was opened last. */
  socket: Socket | undefined;
  /** Why the last socket could not be opened. */
  failure: Error | undefined;

  constructor(
    key: string,
    readonly origin: string,
    private readonly target: Target,
    private readonly connector: Connector,
    webSocket?: { readonly maxPayloadSize: number },
  ) {
    super(key);
    this.client = new Client(origin, {
      connect: (_, callback) => this.open(callback),
      // undici's own timers can be more than a second late; Deadlines is used instead.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_SIZE,
      pipelining: 1,
      allowH2: false,
      ...(webSocket && { webSocket }),
    });
  }

  private open(callback: buildConnector.Callback): void {
    const attempt = new ConnectionAttempt();
    this.attempt = attempt;
    this.connector.open(this.target, attempt).then(
      ({ socket, address }) => {
        this.attempt = undefined;
        this.address = address;
        this.socket = socket;
        this.servedCount = 0;
        callback(null, socket);
      },
      (failure: Error) => {
        this.attempt = undefined;
        this.failure = failure;
        callback(failure, null);
      },
    );
  }

  onClose(listener: () => void): void {
    this.client.on('disconnect', listener);
  }

  destroy(): void {
    this.attempt?.cancel();
    // Settles when the socket has closed; the result is irrelevant.
    void this.client.destroy();
  }
}

/** The connections under one key. */
interface Bucket<C> {
  /** The most recently used one is last. */
  readonly idleConnections: C[];
  liveCount: number;
}

export class ConnectionPool<C extends PooledConnection = Connection> {
  private readonly liveConnections = new Set<PooledConnection>();
  private readonly buckets = new Map<string, Bucket<C>>();
  private readonly idleByAge = new IdleList();

  constructor(private readonly maxIdle: number) {}

  /** Takes an open idle connection with that key, if there is one. */
  acquire(key: string): C | undefined {
    const connection = this.buckets.get(key)?.idleConnections.pop();
    if (connection) this.idleByAge.remove(connection);
    return connection;
  }

  /** Takes this connection again; false if it has been closed or taken in the meantime. */
  reacquire(connection: C): boolean {
    if (!connection.isIdle) return false;
    const { idleConnections } = this.buckets.get(connection.key)!;
    idleConnections.splice(idleConnections.indexOf(connection), 1);
    this.idleByAge.remove(connection);
    return true;
  }

  /** Adds a new connection that is in use. */
  add(connection: C): C {
    this.liveConnections.add(connection);
    const bucket = this.buckets.get(connection.key);
    if (bucket) bucket.liveCount++;
    else this.buckets.set(connection.key, { idleConnections: [], liveCount: 1 });
    connection.onClose(() => {
      if (connection.isIdle) this.discard(connection);
    });
    return connection;
  }

  /** Makes a connection that has served its request available to the next one. */
  release(connection: C): void {
    if (!this.liveConnections.has(connection)) return;
    this.buckets.get(connection.key)!.idleConnections.push(connection);
    this.idleByAge.append(connection);
    if (this.idleByAge.size > this.maxIdle) this.discard(this.idleByAge.oldest!);
  }

  discard(connection: PooledConnection): void {
    if (!this.liveConnections.delete(connection)) return;
    const bucket = this.buckets.get(connection.key)!;
    if (connection.isIdle) {
      this.idleByAge.remove(connection);
      bucket.idleConnections.splice(bucket.idleConnections.indexOf(connection as C), 1);
    }
    bucket.liveCount--;
    if (bucket.liveCount === 0) this.buckets.delete(connection.key);
    connection.destroy();
  }

  close(): void {
    for (const connection of [...this.liveConnections]) this.discard(connection);
  }
}

/**
 * Idle connections, the longest unused first, linked through their own fields: they come and go with every request, and
 * a Set is too expensive for that (see Deadlines).
 */
class IdleList {
  oldest: PooledConnection | undefined;
  size = 0;
  private newest: PooledConnection | undefined;

  append(connection: PooledConnection): void {
    connection.isIdle = true;
    connection.older = this.newest;
    if (this.newest) this.newest.newer = connection;
    else this.oldest = connection;
    this.newest = connection;
    this.size++;
  }

  remove(connection: PooledConnection): void {
    const { older, newer } = connection;
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    connection.isIdle = false;
    connection.older = undefined;
    connection.newer = undefined;
    this.size--;
  }
}
