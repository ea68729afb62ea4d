/**
 * The SQL statements for the nodes' leases and the partitions' owners. A node is alive as long as its row in `node` has
 * not expired; only the database's clock decides this. A partition is free if its owner no longer has a row. Every
 * decision is made under row locks with a snapshot taken after locking, so that exactly one of two competing nodes
 * wins.
 */
import { createHash } from 'node:crypto';
import { NodesDiffer } from '../../../engine/ports/partitions.js';
import { type Connection, DATABASE_TIME, type PostgresPool } from '../postgres/postgres-pool.js';

export interface OwnedPartition {
  readonly part: number;
  readonly epoch: number;
}

export interface TakenPartition extends OwnedPartition {
  /** Whether the previous owner failed to shut down cleanly. */
  readonly abruptly: boolean;
}

export interface RenewalResult {
  /** Number of nodes that crawl, including this one. */
  readonly crawling: number;
  /** Whether someone is watching the events on another node. */
  readonly watched: boolean;
  /** Milliseconds until the next lease of another node expires unless it is renewed; null if there is no other node. */
  readonly nextEndMs: number | null;
  /** All partitions that this node owns according to the database, including those just taken. */
  readonly owned: readonly OwnedPartition[];
  readonly taken: readonly TakenPartition[];
}

export interface RenewalOptions {
  readonly leaseMs: number;
  readonly isWatching: boolean;
  /** Returns how many partitions to take, given the number of crawling nodes. */
  readonly countWanted: (crawlingNodes: number) => number;
}

const JOIN = `INSERT INTO node (id, crawls, expires_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')`;

/** Number of the lock under which nodes join one at a time, so that no two incompatible nodes can both join. */
const JOIN_LOCK = 5_218_018;

const READ_OTHERS = `SELECT (SELECT value FROM setting WHERE name = 'url-parser') AS parser,
  EXISTS (SELECT 1 FROM node WHERE expires_at > clock_timestamp()) AS "hasOthers"`;

const SAVE_PARSER = `INSERT INTO setting (name, value) VALUES ('url-parser', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Returns no row if the lease has expired, in which case other nodes may have taken the partitions. */
const RENEW = `UPDATE node SET expires_at = clock_timestamp() + $2 * interval '1 millisecond', watching = $3
  WHERE id = $1 AND expires_at > clock_timestamp() RETURNING id`;

/** A row that its node is renewing at this moment is locked and therefore skipped. */
const DELETE_EXPIRED = `DELETE FROM node WHERE id IN (SELECT id FROM node WHERE expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED)`;

const COUNT_LIVE = `SELECT count(*) FILTER (WHERE crawls) AS crawling, coalesce(bool_or(watching AND id <> $1), false) AS watched,
  (extract(epoch FROM min(expires_at) FILTER (WHERE id <> $1) - clock_timestamp()) * 1000)::float8 AS "nextEndMs" FROM node`;

const FREE = '(o.node IS NULL OR NOT EXISTS (SELECT 1 FROM node n WHERE n.id = o.node))';

const LOCK_FREE = `SELECT o.part FROM partition_owner o WHERE ${FREE} ORDER BY o.part LIMIT $1 FOR UPDATE OF o SKIP LOCKED`;

/**
 * Checks again whether the partitions are free: the statement that locked them had read them before it held the locks.
 */
const TAKE = `UPDATE partition_owner o SET node = $1, epoch = o.epoch + 1, abruptly = false
  FROM (SELECT part, abruptly OR node IS NOT NULL AS abruptly FROM partition_owner WHERE part = ANY ($2::int2[])) before
  WHERE o.part = before.part AND ${FREE} RETURNING o.part, o.epoch, before.abruptly`;

const OWNED = 'SELECT part, epoch FROM partition_owner WHERE node = $1 ORDER BY part';

const RELEASE = `UPDATE partition_owner SET node = NULL, abruptly = abruptly OR $3 WHERE node = $1 AND part = ANY ($2::int2[])`;

const TIME_READINGS = 5;
/** Partitions that were taken wait for them. */
const MAX_READING_MS = 100;

export class Leases {
  readonly #pool: PostgresPool;

  constructor(
    pool: PostgresPool,
    private readonly urlParser = computeUrlParserFingerprint(),
  ) {
    this.#pool = pool;
  }

  /** Adds the node. Throws NodesDiffer if any other live node parses URLs differently. */
  join(node: string, crawls: boolean, leaseMs: number): Promise<void> {
    return this.#pool.transaction(async (connection) => {
      await connection.rows('SELECT pg_advisory_xact_lock($1)', [JOIN_LOCK]);
      const [others] = await connection.rows<{ parser: string | null; hasOthers: boolean }>(READ_OTHERS, []);
      const { parser, hasOthers } = others!;
      if (parser !== null && parser !== this.urlParser && hasOthers) throw new NodesDiffer(process.versions.node);
      if (parser !== this.urlParser) await connection.rows(SAVE_PARSER, [this.urlParser]);
      await connection.rows(JOIN, [node, crawls, leaseMs]);
    });
  }

  /** Renews the lease, removes dead nodes and takes free partitions; undefined if the lease had already expired. */
  renew(node: string, { leaseMs, isWatching, countWanted }: RenewalOptions): Promise<RenewalResult | undefined> {
    return this.#pool.transaction(async (connection) => {
      const renewedRows = await connection.rows(RENEW, [node, leaseMs, isWatching]);
      if (renewedRows.length === 0) return undefined;
      await connection.rows(DELETE_EXPIRED);
      const [nodeCounts] = await connection.rows<Pick<RenewalResult, 'crawling' | 'watched' | 'nextEndMs'>>(
        COUNT_LIVE,
        [node],
      );
      const wantedCount = countWanted(nodeCounts!.crawling);
      const taken = wantedCount > 0 ? await takeFreePartitions(connection, node, wantedCount) : [];
      return { ...nodeCounts!, taken, owned: await connection.rows<OwnedPartition>(OWNED, [node]) };
    });
  }

  /**
   * Reads the clock of the database, in milliseconds. An answer is late by the time that it takes, so this is the
   * least late of several, unless they take too long.
   */
  async readTime(): Promise<number> {
    const end = performance.now() + MAX_READING_MS;
    let offset = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < TIME_READINGS && (i === 0 || performance.now() < end); i++) {
      const [reading] = await this.#pool.rows<{ time: number }>(`SELECT ${DATABASE_TIME} AS time`);
      offset = Math.max(offset, reading!.time - performance.now());
    }
    return offset + performance.now();
  }

  /** Releases partitions; `abruptly` is true if work in them may still be in flight. */
  async release(node: string, parts: readonly number[], abruptly: boolean): Promise<void> {
    await this.#pool.rows(RELEASE, [node, [...parts], abruptly]);
  }

  /** Removes the node; all partitions that it still owns become free. */
  async leave(node: string): Promise<void> {
    await this.#pool.rows('DELETE FROM node WHERE id = $1', [node]);
  }
}

async function takeFreePartitions(connection: Connection, node: string, limit: number): Promise<TakenPartition[]> {
  const freePartitions = await connection.rows<{ part: number }>(LOCK_FREE, [limit]);
  if (freePartitions.length === 0) return [];
  return connection.rows<TakenPartition>(TAKE, [node, freePartitions.map(({ part }) => part)]);
}

/**
 * The range of code points to test, except ideographs and syllables (`SKIPPED_RANGES`), which every version of the standard
 * treats alike.
 */
const FIRST_CODE_POINT = 0xa0;
const LAST_CODE_POINT = 0x323ff;
const SKIPPED_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xdfff],
  [0x20000, 0x2f7ff],
];
/** Labels on which parsers have disagreed: invalid Punycode, sharp s, joiners, numbers that may be IP addresses. */
const LABELS =
  'xn--a xn--zca xn--a-ecp xn--0ca24w xn-- xn--ascii- xn--u-ccb FAẞ faß xn--fa-hia a\u200cb क\u094d\u200dष 08 0x7f.1 1..2';

let cachedFingerprint: string | undefined;

/**
 * Computes a digest of how this process parses host names, as 16 hexadecimal digits: two servers with the same digest
 * store a URL under the same name. Node versions differ, because each has its own Unicode tables (UTS 46). The first
 * call takes a few tenths of a second.
 */
function computeUrlParserFingerprint(): string {
  cachedFingerprint ??= computeFingerprint();
  return cachedFingerprint;
}

function computeFingerprint(): string {
  const digest = createHash('sha256');
  const addLabel = (label: string): void => void digest.update(`${URL.parse(`http://${label}/`)?.host ?? ''}\n`);
  for (let codePoint = FIRST_CODE_POINT; codePoint <= LAST_CODE_POINT; codePoint++) {
    const skippedRange = SKIPPED_RANGES.find(([from, to]) => codePoint >= from && codePoint <= to);
    if (skippedRange) codePoint = skippedRange[1];
    else addLabel(`a${String.fromCodePoint(codePoint)}b`);
  }
  for (const label of LABELS.split(' ')) addLabel(label);
  return digest.digest('hex').slice(0, 16);
}
