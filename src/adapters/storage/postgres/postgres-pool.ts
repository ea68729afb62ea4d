/**
 * Opens connections to PostgreSQL with the settings that this store needs, and classifies errors by the reaction that
 * they require.
 */
import pg from 'pg';
import type { Secret } from '../../../domain/secret.js';
import { StoreDamaged, StoreUnavailable } from '../../../engine/ports/frontier-store.js';
import type { Value } from '../shared/url-row.js';
import { getDisplayName, toConnectionConfig } from './connection.js';

/** A statement parameter: one value, or a column of values for `unnest`. */
export type Parameter = Value | boolean | readonly Value[];

/** Anything that runs statements: the pool, or one connection inside a transaction. */
export interface Connection {
  /**
   * Runs one statement and returns its rows; `$1`, `$2` … stand for the values. A named statement is prepared once per
   * connection.
   */
  rows<Row>(sql: string, values?: readonly Parameter[], name?: string): Promise<Row[]>;
}

const INT8 = 20;

/** 64-bit integers are returned as numbers: times and ids are below 2^53, and other columns are read as text. */
const types = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(type, format as 'text'),
};

const MAX_CONNECTIONS = 8;
/**
 * A server that freezes in the middle of a transaction must not keep its locks, so the database ends its session after
 * this time. This program never pauses that long between two statements.
 */
const MAX_PAUSE_MS = 5_000;
/**
 * Named statements are those of the crawl, which take milliseconds: if there is no response for this long, the network
 * is down.
 */
export const MAX_RESPONSE_MS = 30_000;
const MAX_TRIES = 5;
/** Codes for two transactions that collided: trying again is sufficient. */
const COLLISION_CODES = new Set(['40001', '40P01']);
const QUERY_CANCELED = '57014';
/** Corruption of data or of an index; a table or column is missing, or a table that is to be created exists. */
const DAMAGE_CODES = new Set(['XX001', 'XX002', '42P01', '42703', '42P07']);
/**
 * Lost connection, lack of resources (disk, memory, connections), server shutting down, starting or read-only, rights that
 * were withdrawn: what an operator or the database puts right, while this program waits.
 */
const UNAVAILABLE = /^(?:08|53|57P|58|55P03|40|25006|25P03|28|3D000|3F000|42501)/;
/** What poolers like PgBouncer say to the settings of a connection. */
const REFUSED_SETTING = /unsupported startup parameter/;
const DIRECT =
  'Connect to PostgreSQL itself: a pooler in between withholds settings of the connection, prepared statements and notifications, which this program needs';

export interface PoolOptions {
  readonly connections?: number;
  /** A statement that takes longer is treated as a lost connection; undefined if there is no limit. */
  readonly queryTimeoutMs?: number;
  /** The database ends a statement that takes longer, which throws StatementTooLong; undefined if there is no limit. */
  readonly statementTimeoutMs?: number;
}

/** The database ended a statement because of its time limit. The statement had no effect. */
export class StatementTooLong extends StoreUnavailable {}

export class PostgresPool implements Connection {
  readonly #pool: pg.Pool;
  /** The host and database for messages, without user and password. */
  readonly displayName: string;

  constructor(url: Secret, options: PoolOptions = {}) {
    this.displayName = getDisplayName(url);
    this.#pool = new pg.Pool({
      ...toConnectionConfig(url),
      max: options.connections ?? MAX_CONNECTIONS,
      types,
      connectionTimeoutMillis: 10_000,
      query_timeout: options.queryTimeoutMs,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: MAX_PAUSE_MS,
      keepAlive: true,
    });
    // If a connection breaks, the call that is using it fails; an idle connection is replaced. Without listeners, the
    // error event would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  rows<Row>(sql: string, values?: readonly Parameter[], name?: string): Promise<Row[]> {
    return this.#translateErrors(async () => {
      const client = await this.#connect();
      let failure: Error | undefined;
      try {
        return await queryRows<Row>(client, sql, values, name);
      } catch (error) {
        failure = error as Error;
        throw error;
      } finally {
        client.release(failure);
      }
    });
  }

  /**
   * Checks that the server and the way to it are suitable, and returns the time of the database.
   * @throws StoreUnavailable
   */
  async checkServer(): Promise<number> {
    const [row] = await this.rows<{ version: number; encoding: string; pause: string; time: number }>(SERVER);
    const { version, encoding, pause, time } = row!;
    const problem =
      version < MIN_VERSION
        ? `this is PostgreSQL ${Math.floor(version / 10_000)}; version ${MIN_VERSION / 10_000} or later is required`
        : encoding !== 'UTF8' && encoding !== 'SQL_ASCII'
          ? `its encoding is ${encoding}, which lacks most letters of the world; create one with ENCODING 'UTF8' TEMPLATE template0`
          : pause !== `${MAX_PAUSE_MS / 1_000}s`
            ? DIRECT
            : undefined;
    if (problem) throw new StoreUnavailable(`The database at ${this.displayName} cannot be used: ${problem}.`);
    return time;
  }

  /** A connection that fails in any way, also because of TLS or a wrong password, may work when it is tried again. */
  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw toConnectionError(error, this.displayName);
    }
  }

  /** Runs the action in one transaction, and again if it collided with another one. */
  transaction<T>(action: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#translateErrors(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await this.#runOnce(action);
        } catch (error) {
          if (tries === MAX_TRIES || !COLLISION_CODES.has(getErrorCode(error))) throw error;
        }
      }
    });
  }

  /** Reserves a dedicated connection, which must be released. */
  async reserveConnection(): Promise<Connection & { readonly release: () => void }> {
    const client = await this.#connect();
    return {
      rows: <Row>(sql: string, values?: readonly Parameter[]) =>
        this.#translateErrors(() => queryRows<Row>(client, sql, values)),
      release: () => client.release(),
    };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #runOnce<T>(action: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let rollbackError: Error | undefined;
    try {
      await client.query(withTimeout('BEGIN'));
      const result = await action({ rows: (sql, values, name) => queryRows(client, sql, values, name) });
      await client.query(withTimeout('COMMIT'));
      return result;
    } catch (error) {
      await client.query(withTimeout('ROLLBACK')).catch((failure: Error) => {
        rollbackError = failure;
      });
      throw error;
    } finally {
      client.release(rollbackError);
    }
  }

  async #translateErrors<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw toPortError(error, this.displayName);
    }
  }
}

/** The driver supports this field of a statement, but its types lack it. */
type TimedQuery = pg.QueryConfig & { readonly query_timeout?: number };

const withTimeout = (text: string): TimedQuery => ({ text, query_timeout: MAX_RESPONSE_MS });

async function queryRows<Row>(
  client: Pick<pg.PoolClient, 'query'>,
  text: string,
  values: readonly Parameter[] = [],
  name?: string,
): Promise<Row[]> {
  const query = { text, values: values as unknown[], name };
  const timedQuery: TimedQuery = name === undefined ? query : { ...query, query_timeout: MAX_RESPONSE_MS };
  const { rows } = await client.query(timedQuery);
  return rows as Row[];
}

/** The clock of the database, in milliseconds. */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';

/** Oldest suitable version, as PostgreSQL numbers them. */
const MIN_VERSION = 130_000;
const SERVER = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
  current_setting('idle_in_transaction_session_timeout') AS pause, ${DATABASE_TIME} AS time`;

/** The error of a connection that could not be opened. */
export function toConnectionError(error: unknown, displayName: string): StoreUnavailable {
  const { message } = error as Error;
  const code = getErrorCode(error);
  const advice = REFUSED_SETTING.test(message) ? `. ${DIRECT}.` : '';
  return new StoreUnavailable(
    `The database at ${displayName} is currently unavailable: ${message}${code && ` (${code})`}${advice}`,
    { cause: error },
  );
}

const getErrorCode = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

/**
 * Converts errors of PostgreSQL or the connection to those of the port; any other error is a bug in this program and is
 * returned unchanged.
 */
export function toPortError(error: unknown, displayName: string): unknown {
  if (error instanceof StoreUnavailable) return error;
  const code = getErrorCode(error);
  const details = `${(error as Error | undefined)?.message} (${code})`;
  if (code === QUERY_CANCELED)
    return new StatementTooLong(`The database at ${displayName} took too long: ${details}`, { cause: error });
  if (DAMAGE_CODES.has(code)) {
    const text = `The database at ${displayName} is damaged or has the tables of another program: ${details}. Restore a backup, or use an empty database or schema.`;
    return new StoreDamaged(text, { cause: error });
  }
  const isLost =
    /^E[A-Z]+$/.test(code) || /connection (?:terminated|timeout|error)|timeout exceeded|read timeout/i.test(details);
  if (isLost || UNAVAILABLE.test(code)) {
    return new StoreUnavailable(`The database at ${displayName} is currently unavailable: ${details}`, {
      cause: error,
    });
  }
  return error;
}
