/**
 * Carries out the commands for one node's hosts. Nothing waits for a command: one that delivers orders may take as long
 * as a sink is down. A failed command is retried at growing intervals and is finally set aside; it does not hold up the
 * commands behind it.
 */
import type { Log } from '../../../engine/ports/log.js';
import type { OwnerCommand } from '../../../engine/ports/nodes.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';

export interface StoredCommand extends OwnerCommand {
  readonly part: number;
  readonly id: number;
  /** Number of failed tries. */
  readonly tries: number;
}

export interface Failure {
  readonly tries: number;
  readonly message: string;
  /** Time until the next attempt; absent if the command is set aside. */
  readonly retryAfterMs?: number;
}

/** The table in which commands are waiting. */
export interface CommandTable {
  /**
   * Finds commands of the given partitions that may be tried, except those with the given ids: first those that deliver
   * nothing, then those that deliver orders, each oldest first.
   */
  findReady(
    partitions: readonly number[],
    excludedIds: readonly number[],
    limit: number,
  ): Promise<readonly StoredCommand[]>;
  remove(command: StoredCommand): Promise<void>;
  recordFailure(command: StoredCommand, failure: Failure): Promise<void>;
}

/**
 * Maximum number of commands that deliver orders and are in flight at the same time: a sink accepts orders in batches.
 */
const MAX_DELIVERING = 500;
const READ_BATCH_SIZE = 200;
const FIRST_RETRY_MS = 4_000;
/** The last try is about eight minutes after the first. */
export const MAX_TRIES = 8;
const MAX_MESSAGE_LENGTH = 1_000;

interface Owner {
  readonly log: Log;
  /** The partitions that this node owns at the moment. */
  getOwnedPartitions(): readonly number[];
  /** Resolves with false if the command cannot be carried out now and should be tried again. */
  carryOut(command: OwnerCommand): Promise<boolean>;
}

export class CommandQueue {
  readonly #inFlight = new Map<number, StoredCommand>();
  /** Commands that could not be carried out when last tried; `retryDeferred` clears the set. */
  readonly #deferredIds = new Set<number>();
  #lastStart: Promise<void> = Promise.resolve();

  constructor(
    private readonly table: CommandTable,
    private readonly owner: Owner,
  ) {}

  /** Makes deferred commands ready to be tried again. Must be called from time to time. */
  retryDeferred(): void {
    this.#deferredIds.clear();
  }

  /**
   * Starts all commands that are ready; resolves when they have been read, not when they are done. Calls run one at a
   * time, so that no command is started twice.
   */
  start(): Promise<void> {
    const start = this.#lastStart.catch(() => undefined).then(() => this.#startReadyCommands());
    this.#lastStart = start;
    return start;
  }

  async #startReadyCommands(): Promise<void> {
    for (;;) {
      const partitions = this.owner.getOwnedPartitions();
      if (partitions.length === 0) return;
      const commands = await this.table.findReady(
        partitions,
        [...this.#inFlight.keys(), ...this.#deferredIds],
        READ_BATCH_SIZE,
      );
      for (const command of commands) {
        if (command.delivers && this.#countDelivering() >= MAX_DELIVERING) return;
        this.#inFlight.set(command.id, command);
        void this.#run(command);
      }
      if (commands.length < READ_BATCH_SIZE) return;
    }
  }

  async #run(command: StoredCommand): Promise<void> {
    try {
      if (await this.#tryCommand(command)) await this.table.remove(command);
    } catch {
      // The database is unavailable: the command is still in the table and will be tried again.
      this.#deferredIds.add(command.id);
    } finally {
      this.#inFlight.delete(command.id);
    }
    if (command.delivers && this.#countDelivering() === MAX_DELIVERING - 1) await this.start().catch(() => undefined);
  }

  async #tryCommand(command: StoredCommand): Promise<boolean> {
    let isDone: boolean;
    try {
      isDone = await this.owner.carryOut(command);
    } catch (error) {
      await this.#recordFailure(command, String(error).slice(0, MAX_MESSAGE_LENGTH));
      return false;
    }
    if (!isDone) this.#deferredIds.add(command.id);
    return isDone;
  }

  async #recordFailure(command: StoredCommand, message: string): Promise<void> {
    const tries = command.tries + 1;
    const isLast = tries >= MAX_TRIES;
    await this.table.recordFailure(command, {
      tries,
      message,
      ...(isLast ? {} : { retryAfterMs: FIRST_RETRY_MS * 2 ** command.tries }),
    });
    if (!isLast) return;
    const { id, hostKey, text } = command;
    this.owner.log.error('a command was set aside after it failed several times', {
      id,
      host: hostKey,
      command: text.slice(0, MAX_MESSAGE_LENGTH),
      tries,
      error: message,
    });
  }

  #countDelivering(): number {
    let count = 0;
    for (const { delivers } of this.#inFlight.values()) if (delivers) count++;
    return count;
  }
}

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
