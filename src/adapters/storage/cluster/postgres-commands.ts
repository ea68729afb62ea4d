import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { CommandTable, Failure, StoredCommand } from './command-queue.js';

const READY = `SELECT part, id, host AS "hostKey", text, delivers, tries FROM owner_command
  WHERE part = ANY ($1::int2[]) AND id <> ALL ($2::int8[]) AND set_aside_at IS NULL
    AND (retry_at IS NULL OR retry_at <= now())
  ORDER BY delivers, id LIMIT $3`;

const FAILED = `UPDATE owner_command SET tries = $3, failure = $4,
    retry_at = now() + $5::float8 * interval '1 millisecond', set_aside_at = CASE WHEN $5::float8 IS NULL THEN now() END
  WHERE part = $1 AND id = $2`;

/** The commands of all nodes, in the table from which each owner reads those for its partitions. */
export class PostgresCommands implements CommandTable {
  constructor(private readonly pool: PostgresPool) {}

  findReady(partitions: readonly number[], excludedIds: readonly number[], limit: number): Promise<StoredCommand[]> {
    return this.pool.rows<StoredCommand>(READY, [[...partitions], [...excludedIds], limit]);
  }

  async remove({ part, id }: StoredCommand): Promise<void> {
    await this.pool.rows('DELETE FROM owner_command WHERE part = $1 AND id = $2', [part, id]);
  }

  async recordFailure({ part, id }: StoredCommand, { tries, message, retryAfterMs }: Failure): Promise<void> {
    await this.pool.rows(FAILED, [part, id, tries, message.replaceAll('\0', ''), retryAfterMs ?? null]);
  }

  async countSetAside(): Promise<number> {
    const [row] = await this.pool.rows<{ count: number }>(
      'SELECT count(*) FROM owner_command WHERE set_aside_at IS NOT NULL',
    );
    return row?.count ?? 0;
  }
}
