/**
 * Connections that are kept open between requests. One `Connection` serves one request at a time; how many run at once
 * to one server is the engine's affair (politeness), so only idle ones are limited here.
 */
import { type buildConnector, Client } from 'undici';
import { ConnectionAttempt, type Connector, type Target } from './connector.js';

/** How long a server may leave a connection unused; longer than the usual pause between two requests to it. */
const KEEP_IDLE = 15_000;
export const MAX_HEADER_SIZE = 64 * 1024;

/** A connection by itself: undici's Client with one socket, opened when first used and again when the server closed it. */
export class Connection {
  readonly client: Client;
  /** IP address of the peer, once open. */
  address = '';
  /** Answers received on the present socket: one that has served before may have been closed by the server meanwhile. */
  served = 0;
  /** Present while a socket is being opened. */
  attempt: ConnectionAttempt | undefined;

  constructor(
    readonly key: string,
    readonly origin: string,
    private readonly target: Target,
    private readonly connector: Connector,
  ) {
    this.client = new Client(origin, {
      connect: (_, callback) => this.open(callback),
      // undici's own timers are coarser than a second at times; Deadlines watches instead.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_IDLE,
      maxHeaderSize: MAX_HEADER_SIZE,
      pipelining: 1,
      allowH2: false,
    });
  }

  private open(callback: buildConnector.Callback): void {
    const attempt = new ConnectionAttempt();
    this.attempt = attempt;
    this.connector.open(this.target, attempt).then(
      ({ socket, address }) => {
        this.attempt = undefined;
        this.address = address;
        this.served = 0;
        callback(null, socket);
      },
      (failure: Error) => {
        this.attempt = undefined;
        callback(failure, null);
      },
    );
  }

  destroy(): void {
    this.attempt?.cancel();
    // Settles when the socket has closed; there is nothing to learn from it.
    void this.client.destroy();
  }
}

export class ConnectionPool {
  private readonly live = new Set<Connection>();
  /** By key; the last one was used last. */
  private readonly idle = new Map<string, Connection[]>();
  /** All idle connections, the longest unused first. */
  private readonly idleByAge = new Set<Connection>();

  constructor(private readonly maxIdle: number) {}

  /** An open connection of that key when one is idle. */
  take(key: string): Connection | undefined {
    const connections = this.idle.get(key);
    const connection = connections?.pop();
    if (connections?.length === 0) this.idle.delete(key);
    if (connection) this.idleByAge.delete(connection);
    return connection;
  }

  add(connection: Connection): Connection {
    this.live.add(connection);
    connection.client.on('disconnect', () => {
      if (this.idleByAge.has(connection)) this.discard(connection);
    });
    return connection;
  }

  /** The connection has served its request and can serve another. */
  release(connection: Connection): void {
    if (!this.live.has(connection)) return;
    const connections = this.idle.get(connection.key);
    if (connections) connections.push(connection);
    else this.idle.set(connection.key, [connection]);
    this.idleByAge.add(connection);
    if (this.idleByAge.size <= this.maxIdle) return;
    const [oldest] = this.idleByAge;
    if (oldest) this.discard(oldest);
  }

  discard(connection: Connection): void {
    this.live.delete(connection);
    if (this.idleByAge.delete(connection)) this.withdraw(connection);
    connection.destroy();
  }

  private withdraw(connection: Connection): void {
    const rest = this.idle.get(connection.key)?.filter((other) => other !== connection) ?? [];
    if (rest.length > 0) this.idle.set(connection.key, rest);
    else this.idle.delete(connection.key);
  }

  close(): void {
    for (const connection of [...this.live]) this.discard(connection);
  }
}
