import { isIP, Socket, type SocketConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { SinkDefinitionOf, SinkTls } from '../../../domain/crawl/sink-definition.js';
import { type PostgresqlAddress, parsePostgresqlUrl } from '../../../domain/push/postgresql-url.js';
import { createGuardedLookup, ForbiddenAddress, isAllowedAddress, toTlsOptions } from '../endpoint.js';
import { GuardedClient } from './guarded-client.js';

const CONNECT_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 1_000;
/**
 * Maximum number of timed steps in a transaction: it connects, begins, writes and deletes in a few statements, and
 * ends.
 */
const STATEMENTS = 10;

/** Connects only to addresses that a sink may have; the address that is checked is the one that is used. */
class VettedSocket extends Socket {
  constructor(private readonly allowed: readonly string[]) {
    super();
  }

  /** The driver calls this with a port and a host. */
  override connect(...target: readonly unknown[]): this {
    const [port, host] = target;
    if (typeof port !== 'number' || typeof host !== 'string') throw new TypeError('expected a port and a host');
    if (isIP(host) && !isAllowedAddress(host, this.allowed)) {
      queueMicrotask(() => this.destroy(new ForbiddenAddress(host, [host])));
      return this;
    }
    const options: SocketConnectOpts = { port, host, lookup: createGuardedLookup(this.allowed) };
    return super.connect(options);
  }
}

/** The connections to a sink's database. */
export class Connections {
  /** Names the sink in messages, without credentials. */
  readonly where: string;
  private readonly pool: pg.Pool;
  private readonly sockets = new Set<Socket>();
  /** Maximum duration of one call in milliseconds. */
  private readonly longest: number;

  /** @throws TypeError if the URL is not a database URL */
  constructor(definition: SinkDefinitionOf<'postgresql'>) {
    const { name, url, options, allowedAddresses, concurrency, timeout } = definition;
    const address = parsePostgresqlUrl(url);
    if (typeof address === 'string') throw new TypeError(`sink ${name}: expected ${address}`);
    const { host, port, database, user, password } = address;
    this.longest = STATEMENTS * timeout;
    this.where = `sink ${name} at ${host}:${port}/${database}`;
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
      connectionTimeoutMillis: Math.min(timeout, CONNECT_WITHIN_MS),
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

  /** A connection on which an internal error occurred is not reused. */
  transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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
      await client.query('ROLLBACK').catch((lost: Error) => {
        failure = lost;
      });
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /** Closes at once; everything in flight fails. */
  async close(): Promise<void> {
    this.destroySockets();
    // `end` alone would wait for clients that are never returned.
    await Promise.race([this.pool.end(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  private destroySockets(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * The driver has time limits for connecting and for each statement, but a server that violates the protocol can evade
   * them.
   */
  private async withTimeLimit<T>(work: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.destroySockets();
      late.reject(new Error(`connection terminated: not finished within ${this.longest} ms`));
    }, this.longest);
    try {
      return await Promise.race([work, late.promise]);
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
