import { isIP, Socket, type SocketConnectOpts } from 'node:net';
import pg from 'pg';
import type { SinkDefinitionOf, SinkTls } from '../../../domain/crawl/sink-definition.js';
import { type PostgresqlAddress, readPostgresqlUrl } from '../../../domain/push/postgresql-url.js';
import { ForbiddenAddress, isAllowedAddress, tlsOptions, vettedLookup } from '../endpoint.js';
import { GuardedClient } from './guarded-client.js';

const CONNECT_WITHIN_MS = 10_000;

/** Connects only to addresses that a sink may have; the check is made on what the connection goes to. */
class VettedSocket extends Socket {
  constructor(private readonly allowed: readonly string[]) {
    super();
  }

  /** The driver calls it with a port and a host. */
  override connect(...target: readonly unknown[]): this {
    const [port, host] = target;
    if (typeof port !== 'number' || typeof host !== 'string') throw new TypeError('expected a port and a host');
    if (isIP(host) && !isAllowedAddress(host, this.allowed)) {
      queueMicrotask(() => this.destroy(new ForbiddenAddress(host, [host])));
      return this;
    }
    const options: SocketConnectOpts = { port, host, lookup: vettedLookup(this.allowed) };
    return super.connect(options);
  }
}

/** Connections to the database of a sink. */
export class Connections {
  /** For messages, without credentials. */
  readonly where: string;
  private readonly pool: pg.Pool;
  private readonly sockets = new Set<Socket>();

  /** @throws TypeError for a URL that is none of a database */
  constructor(definition: SinkDefinitionOf<'postgresql'>) {
    const { name, url, options, allowedAddresses, concurrency, timeout } = definition;
    const address = readPostgresqlUrl(url);
    if (typeof address === 'string') throw new TypeError(`sink ${name}: give ${address}`);
    const { host, port, database, user, password } = address;
    this.where = `sink ${name} at ${host}:${port}/${database}`;
    this.pool = new pg.Pool({
      Client: GuardedClient,
      host,
      port,
      database,
      user: options.login ?? user,
      password: () => options.password?.reveal() ?? password ?? '',
      ssl: tlsOf(address, definition.tls),
      stream: () => this.opened(new VettedSocket(allowedAddresses)),
      max: concurrency + 1, // one more for a listing
      connectionTimeoutMillis: Math.min(timeout, CONNECT_WITHIN_MS),
      query_timeout: timeout,
      application_name: 'crawlway',
      keepAlive: true,
    });
    // A lost connection fails the query that uses it, and the next query gets another one.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<pg.QueryResult<Row>> {
    return this.pool.query<Row>(sql, [...values]);
  }

  /** A connection that failed inside goes out of use. */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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

  /** Ends at once: what is in flight fails. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.pool.end();
  }

  private opened(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.once('close', () => this.sockets.delete(socket));
  }
}

function tlsOf({ sslMode, host }: PostgresqlAddress, tls: SinkTls | undefined): pg.PoolConfig['ssl'] {
  if (sslMode === 'disable') return false;
  return {
    rejectUnauthorized: sslMode === 'verify-full',
    ...tlsOptions(tls),
    ...(isIP(host) ? {} : { servername: host }),
  };
}
