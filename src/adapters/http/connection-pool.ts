/**
 * Connections that are kept open between requests. Each serves one request at a time, with HTTP/2 as well; the engine decides how
 * many run to one server at the same time (politeness), so only idle ones are limited here.
 */
import type { Socket } from 'node:net';
import { type buildConnector, Client } from 'undici';
import { ConnectionAttempt, type Connector, type Target } from './connector.js';

/**
 * Milliseconds for which an unused connection is kept; longer than the usual pause between two requests to a server.
 */
export const KEEP_IDLE = 15_000;
export const MAX_HEADER_SIZE = 64 * 1024;

export abstract class PooledConnection {
  /** IP address of the peer, once open. */
  address = '';
  /** Responses received on the current socket: if there are any, the server may have closed it in the meantime. */
  served = 0;
  /** Defined while a socket is being opened. */
  attempt: ConnectionAttempt | undefined;
  /** Position among the idle connections; used only by the pool. */
  idle = false;
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
      keepAliveTimeout: KEEP_IDLE,
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
        this.served = 0;
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
  readonly idle: C[];
  live: number;
}

export class ConnectionPool<C extends PooledConnection = Connection> {
  private readonly live = new Set<PooledConnection>();
  private readonly buckets = new Map<string, Bucket<C>>();
  private readonly byAge = new IdleList();

  constructor(private readonly maxIdle: number) {}

  /** Takes an open idle connection with that key, if there is one. */
  acquire(key: string): C | undefined {
    const connection = this.buckets.get(key)?.idle.pop();
    if (connection) this.byAge.remove(connection);
    return connection;
  }

  /** Takes this connection again; false if it has been closed or taken in the meantime. */
  reacquire(connection: C): boolean {
    if (!connection.idle) return false;
    const { idle } = this.buckets.get(connection.key)!;
    idle.splice(idle.indexOf(connection), 1);
    this.byAge.remove(connection);
    return true;
  }

  /** Adds a new connection, which is in use. */
  add(connection: C): C {
    this.live.add(connection);
    const bucket = this.buckets.get(connection.key);
    if (bucket) bucket.live++;
    else this.buckets.set(connection.key, { idle: [], live: 1 });
    connection.onClose(() => {
      if (connection.idle) this.discard(connection);
    });
    return connection;
  }

  /** The connection has served its request and can serve another. */
  release(connection: C): void {
    if (!this.live.has(connection)) return;
    this.buckets.get(connection.key)!.idle.push(connection);
    this.byAge.append(connection);
    if (this.byAge.size > this.maxIdle) this.discard(this.byAge.oldest!);
  }

  discard(connection: PooledConnection): void {
    if (!this.live.delete(connection)) return;
    const bucket = this.buckets.get(connection.key)!;
    if (connection.idle) {
      this.byAge.remove(connection);
      bucket.idle.splice(bucket.idle.indexOf(connection as C), 1);
    }
    bucket.live--;
    if (bucket.live === 0) this.buckets.delete(connection.key);
    connection.destroy();
  }

  close(): void {
    for (const connection of [...this.live]) this.discard(connection);
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
    connection.idle = true;
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
    connection.idle = false;
    connection.older = undefined;
    connection.newer = undefined;
    this.size--;
  }
}
