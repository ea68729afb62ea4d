/**
 * Carries out the commands for one node's hosts. Nothing waits for a command: those that deliver orders may take as
 * long as a sink is down. A failed command is retried at growing intervals and is finally set aside; it does not hold
 * up those behind it.
 */
import type { Log } from '../../../engine/ports/log.js';
import type { OwnerCommand } from '../../../engine/ports/nodes.js';

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
    without: readonly number[],
    limit: number,
  ): Promise<readonly StoredCommand[]>;
  remove(command: StoredCommand): Promise<void>;
  recordFailure(command: StoredCommand, failure: Failure): Promise<void>;
}

/**
 * Maximum number of commands that deliver orders and are in flight at the same time: a sink accepts orders in batches.
 */
const MOST_DELIVERING = 500;
const READ_AT_ONCE = 200;
const FIRST_RETRY_MS = 4_000;
/** The last try is about eight minutes after the first. */
export const MOST_TRIES = 8;
const LONGEST_MESSAGE = 1_000;

interface Owner {
  readonly log: Log;
  /** The partitions that this node owns at the moment. */
  ownedPartitions(): readonly number[];
  /** Resolves with false if the command is not possible now and should be offered again. */
  carryOut(command: OwnerCommand): Promise<boolean>;
}

export class CommandQueue {
  readonly #inFlight = new Map<number, StoredCommand>();
  /** Commands that were not possible when last tried; cleared by the next `retryDeferred`. */
  readonly #deferred = new Set<number>();
  #starting: Promise<void> = Promise.resolve();

  constructor(
    private readonly table: CommandTable,
    private readonly owner: Owner,
  ) {}

  /** Lets commands be tried again that were not possible a while ago. Must be called from time to time. */
  retryDeferred(): void {
    this.#deferred.clear();
  }

  /**
   * Starts all commands that are ready; resolves when they have been read, not when they are done. Calls run one at a
   * time, so that no command is started twice.
   */
  start(): Promise<void> {
    const start = this.#starting.catch(() => undefined).then(() => this.#startReady());
    this.#starting = start;
    return start;
  }

  async #startReady(): Promise<void> {
    for (;;) {
      const owned = this.owner.ownedPartitions();
      if (owned.length === 0) return;
      const ready = await this.table.findReady(owned, [...this.#inFlight.keys(), ...this.#deferred], READ_AT_ONCE);
      for (const command of ready) {
        if (command.delivers && this.#countDelivering() >= MOST_DELIVERING) return;
        this.#inFlight.set(command.id, command);
        void this.#run(command);
      }
      if (ready.length < READ_AT_ONCE) return;
    }
  }

  async #run(command: StoredCommand): Promise<void> {
    try {
      if (await this.#tryCommand(command)) await this.table.remove(command);
    } catch {
      // The database is unavailable: the command is still in the table and will be carried out again.
      this.#deferred.add(command.id);
    } finally {
      this.#inFlight.delete(command.id);
    }
    if (command.delivers && this.#countDelivering() === MOST_DELIVERING - 1) await this.start().catch(() => undefined);
  }

  async #tryCommand(command: StoredCommand): Promise<boolean> {
    let isDone: boolean;
    try {
      isDone = await this.owner.carryOut(command);
    } catch (error) {
      await this.#onFailure(command, String(error).slice(0, LONGEST_MESSAGE));
      return false;
    }
    if (!isDone) this.#deferred.add(command.id);
    return isDone;
  }

  async #onFailure(command: StoredCommand, message: string): Promise<void> {
    const tries = command.tries + 1;
    const isLast = tries >= MOST_TRIES;
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
      command: text.slice(0, LONGEST_MESSAGE),
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
