/**
 * The SQL statements for the nodes' leases and the partitions' owners. A node is alive as long as its row in `node` has
 * not expired by the database's clock, the only one that counts; a partition is free if its owner no longer has a row.
 * Every decision is made under row locks with a snapshot taken after locking, so that exactly one of two competing
 * nodes wins.
 */
import { NodesDiffer } from '../../../engine/ports/partitions.js';
import type { Connection, PostgresPool } from '../postgres/postgres-pool.js';
import { computeUrlParserFingerprint } from './url-parser.js';

export interface OwnedPartition {
  readonly part: number;
  readonly epoch: number;
}

export interface Taken extends OwnedPartition {
  /** Whether the previous owner failed to shut down cleanly. */
  readonly abruptly: boolean;
}

export interface Standing {
  /** Number of nodes that crawl, including this one. */
  readonly crawling: number;
  /** Whether someone is watching the events at another node. */
  readonly watched: boolean;
  /** Milliseconds until the next lease of another node expires unless it is renewed; null if there is no other node. */
  readonly nextEndMs: number | null;
  /** All partitions that this node owns according to the database, including those just taken. */
  readonly owned: readonly OwnedPartition[];
  readonly taken: readonly Taken[];
}

export interface Renewal {
  readonly leaseMs: number;
  readonly watching: boolean;
  /** Returns how many partitions to take, given the number of crawling nodes. */
  readonly wants: (crawling: number) => number;
}

const JOIN = `INSERT INTO node (id, crawls, expires_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')`;

/** Lock under which nodes join one after another, so that two incompatible nodes cannot both find themselves alone. */
const JOINING = 5_218_018;

const COMPANY = `SELECT (SELECT value FROM setting WHERE name = 'url-parser') AS parser,
  EXISTS (SELECT 1 FROM node WHERE expires_at > clock_timestamp()) AS "hasOthers"`;

const NOTE_PARSER = `INSERT INTO setting (name, value) VALUES ('url-parser', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Returns no row if the lease has expired, in which case other nodes may have taken the partitions. */
const RENEW = `UPDATE node SET expires_at = clock_timestamp() + $2 * interval '1 millisecond', watching = $3
  WHERE id = $1 AND expires_at > clock_timestamp() RETURNING id`;

/** A row that its node is just renewing is locked and therefore skipped. */
const BURY = `DELETE FROM node WHERE id IN (SELECT id FROM node WHERE expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED)`;

const LIVE = `SELECT count(*) FILTER (WHERE crawls) AS crawling, coalesce(bool_or(watching AND id <> $1), false) AS watched,
  (extract(epoch FROM min(expires_at) FILTER (WHERE id <> $1) - clock_timestamp()) * 1000)::float8 AS "nextEndMs" FROM node`;

const FREE = '(o.node IS NULL OR NOT EXISTS (SELECT 1 FROM node n WHERE n.id = o.node))';

const LOCK_FREE = `SELECT o.part FROM partition_owner o WHERE ${FREE} ORDER BY o.part LIMIT $1 FOR UPDATE OF o SKIP LOCKED`;

/**
 * Checks again whether the partitions are free: the statement that locked them had read them before it had the locks.
 */
const TAKE = `UPDATE partition_owner o SET node = $1, epoch = o.epoch + 1, abruptly = false
  FROM (SELECT part, abruptly OR node IS NOT NULL AS abruptly FROM partition_owner WHERE part = ANY ($2::int2[])) before
  WHERE o.part = before.part AND ${FREE} RETURNING o.part, o.epoch, before.abruptly`;

const OWNED = 'SELECT part, epoch FROM partition_owner WHERE node = $1 ORDER BY part';

const RELEASE = `UPDATE partition_owner SET node = NULL, abruptly = abruptly OR $3 WHERE node = $1 AND part = ANY ($2::int2[])`;

export class Leases {
  readonly #pool: PostgresPool;

  constructor(
    pool: PostgresPool,
    private readonly urlParser = computeUrlParserFingerprint(),
  ) {
    this.#pool = pool;
  }

  /** Throws NodesDiffer while any node is alive that parses URLs differently from this one. */
  join(node: string, crawls: boolean, leaseMs: number): Promise<void> {
    return this.#pool.transaction(async (connection) => {
      await connection.rows('SELECT pg_advisory_xact_lock($1)', [JOINING]);
      const [company] = await connection.rows<{ parser: string | null; hasOthers: boolean }>(COMPANY, []);
      const { parser, hasOthers } = company!;
      if (parser !== null && parser !== this.urlParser && hasOthers) throw new NodesDiffer(process.versions.node);
      if (parser !== this.urlParser) await connection.rows(NOTE_PARSER, [this.urlParser]);
      await connection.rows(JOIN, [node, crawls, leaseMs]);
    });
  }

  /** Renews the lease, removes dead nodes and takes free partitions; undefined if the lease had already expired. */
  renew(node: string, { leaseMs, watching, wants }: Renewal): Promise<Standing | undefined> {
    return this.#pool.transaction(async (connection) => {
      const renewed = await connection.rows(RENEW, [node, leaseMs, watching]);
      if (renewed.length === 0) return undefined;
      await connection.rows(BURY);
      const [live] = await connection.rows<Pick<Standing, 'crawling' | 'watched' | 'nextEndMs'>>(LIVE, [node]);
      const wanted = wants(live!.crawling);
      const taken = wanted > 0 ? await takeFreePartitions(connection, node, wanted) : [];
      return { ...live!, taken, owned: await connection.rows<OwnedPartition>(OWNED, [node]) };
    });
  }

  /** Releases partitions; `abruptly` if work in them may still be in flight. */
  async release(node: string, parts: readonly number[], abruptly: boolean): Promise<void> {
    await this.#pool.rows(RELEASE, [node, [...parts], abruptly]);
  }

  /** Removes the node; all partitions that it still owns become free. */
  async leave(node: string): Promise<void> {
    await this.#pool.rows('DELETE FROM node WHERE id = $1', [node]);
  }
}

async function takeFreePartitions(connection: Connection, node: string, limit: number): Promise<Taken[]> {
  const free = await connection.rows<{ part: number }>(LOCK_FREE, [limit]);
  if (free.length === 0) return [];
  return connection.rows<Taken>(TAKE, [node, free.map(({ part }) => part)]);
}
