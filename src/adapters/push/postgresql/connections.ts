import { isIP, Socket, type SocketConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js';
import type { SinkDefinitionOf, SinkTls } from '../../../domain/crawl/sink-definition.js';
import { type PostgresqlAddress, parsePostgresqlUrl } from '../../../domain/push/postgresql-url.js';
import { createGuardedLookup, ForbiddenAddress, isAllowedAddress, toTlsOptions } from '../endpoint.js';
import { guardStream } from '../guarded-stream.js';

const CONNECT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
/**
 * Maximum number of steps in a transaction, each with its own timeout: connect, begin, a few statements, and commit.
 */
const MAX_STEPS = 10;

/**
 * Maximum number of bytes in one response. A page of a listing takes about a thousandth of it, but the driver itself
 * would accept two gigabytes.
 */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/**
 * The driver's reader of messages. Without the check below, it would read empty strings after the end of a message, so
 * a truncated error message would make the driver loop forever.
 */
interface MessageReader {
  readonly offset: number;
  readonly buffer: Buffer;
  string(length: number): string;
}

const reader = BufferReader.prototype as unknown as MessageReader;
const { string: readUnchecked } = reader;
reader.string = function (this: MessageReader, length) {
  if (this.offset + length > this.buffer.length) throw new RangeError('the message is truncated');
  return readUnchecked.call(this, length);
};

/** A method of the connection that is missing from the driver's types. */
interface ListenerTarget {
  attachListeners(stream: Duplex): void;
}

/** Ends only the connection, not the program, if the server sends malformed messages or too much data. */
class GuardedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const connection = this.connection as pg.Connection & ListenerTarget;
    const attach = connection.attachListeners.bind(connection);
    let receivedBytes = 0;
    connection.on('readyForQuery', () => {
      receivedBytes = 0;
    });
    connection.attachListeners = (stream) => {
      guardStream(stream, (chunk) => {
        receivedBytes += chunk.length;
        if (receivedBytes > MAX_RESPONSE_BYTES) throw new RangeError(`it is longer than ${MAX_RESPONSE_BYTES} bytes`);
      });
      attach(stream);
    };
  }
}

/** Connects only to addresses that a sink may have. The checked address is the one that is used. */
class VettedSocket extends Socket {
  constructor(private readonly allowedCidrs: readonly string[]) {
    super();
  }

  /** The driver calls this with a port and a host. */
  override connect(...args: readonly unknown[]): this {
    const [port, host] = args;
    if (typeof port !== 'number' || typeof host !== 'string') throw new TypeError('expected a port and a host');
    if (isIP(host) && !isAllowedAddress(host, this.allowedCidrs)) {
      queueMicrotask(() => this.destroy(new ForbiddenAddress(host, [host])));
      return this;
    }
    const options: SocketConnectOpts = { port, host, lookup: createGuardedLookup(this.allowedCidrs) };
    return super.connect(options);
  }
}

/** The connection pool for a sink's database. */
export class Connections {
  /** Identifies the sink in messages, without credentials. */
  readonly displayName: string;
  private readonly pool: pg.Pool;
  private readonly sockets = new Set<Socket>();
  /** Maximum duration of a query or transaction in milliseconds. */
  private readonly maxDuration: number;

  /** @throws TypeError if the URL is not a database URL */
  constructor(definition: SinkDefinitionOf<'postgresql'>) {
    const { name, url, options, allowedAddresses, concurrency, timeout } = definition;
    const address = parsePostgresqlUrl(url);
    if (typeof address === 'string') throw new TypeError(`sink ${name}: expected ${address}`);
    const { host, port, database, user, password } = address;
    this.maxDuration = MAX_STEPS * timeout;
    this.displayName = `sink ${name} at ${host}:${port}/${database}`;
    this.pool = new pg.Pool({
      Client: GuardedClient,
      host,
      port,
      database,
      user: options.login ?? user,
      password: () => options.password?.reveal() ?? password ?? '',
      ssl: toTlsConfig(address, definition.tls),
      stream: () => this.trackSocket(new VettedSocket(allowedAddresses)),
      max: concurrency + 1, // one more for a listing
      connectionTimeoutMillis: Math.min(timeout, CONNECT_TIMEOUT_MS),
      query_timeout: timeout,
      application_name: 'crawlway',
      keepAlive: true,
    });
    // A lost connection makes the query that uses it fail; the next query gets a new one.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<pg.QueryResult<Row>> {
    return this.withTimeLimit(this.pool.query<Row>(sql, [...values]));
  }

  /** Runs the work in a transaction. If rolling back fails, the connection is not reused. */
  withTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.withTimeLimit(this.runTransaction(work));
  }

  private async runTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((rollbackError: Error) => {
        failure = rollbackError;
      });
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /** Closes all connections immediately; everything in flight fails. */
  async close(): Promise<void> {
    this.destroySockets();
    // `end` alone would wait for clients that are never returned.
    await Promise.race([this.pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private destroySockets(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * Limits the total time, because a server that violates the protocol can evade the driver's limits for connecting and
   * for each statement.
   */
  private async withTimeLimit<T>(work: Promise<T>): Promise<T> {
    const expiry = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.destroySockets();
      expiry.reject(new Error(`connection terminated: no result within ${this.maxDuration} ms`));
    }, this.maxDuration);
    try {
      return await Promise.race([work, expiry.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private trackSocket(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.once('close', () => this.sockets.delete(socket));
  }
}

function toTlsConfig({ sslMode, host }: PostgresqlAddress, tls: SinkTls | undefined): pg.PoolConfig['ssl'] {
  if (sslMode === 'disable') return false;
  return {
    rejectUnauthorized: sslMode === 'verify-full',
    ...toTlsOptions(tls),
    ...(isIP(host) ? {} : { servername: host }),
  };
}
