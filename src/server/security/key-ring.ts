import { randomBytes, timingSafeEqual } from 'node:crypto';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import { type ApiKey, type Caller, computeDigest, findCaller, LOCAL_CALLER, type Role } from './api-keys.js';
import type { KeyStore, StoredKey } from './key-store.js';

/**
 * How long the known keys are used before they are reread: another server on the database may have created or revoked
 * keys.
 */
const READ_AGAIN_AFTER = seconds(10);
/** Maximum number of keys: people have a handful, and a script that creates one for each run should revoke them. */
const MOST_KEYS = 1_000;

interface KeyRingParts {
  readonly clock: Clock;
  readonly log: Log;
  /** True if calls require a key even when the environment has none, because people may sign in. */
  readonly closed?: boolean;
}

/** All keys of this server: those of `CRAWLWAY_API_KEYS`, and those created through the API. */
export class KeyRing {
  private stored: readonly StoredKey[] = [];
  private readAt: Instant | undefined;
  private reading: Promise<void> | undefined;
  private readonly clock: Clock;
  private readonly log: Log;
  /** True if everyone who reaches the server may do everything, with or without a key. */
  readonly isOpen: boolean;

  constructor(
    readonly environment: readonly ApiKey[],
    private readonly store: KeyStore,
    { clock, log, closed = false }: KeyRingParts,
  ) {
    this.clock = clock;
    this.log = log;
    this.isOpen = environment.length === 0 && !closed;
  }

  /** Finds the caller to whom a key belongs. */
  async authenticate(presented: string | undefined): Promise<Caller | undefined> {
    const named = presented === undefined ? undefined : await this.findByKey(presented);
    return named ?? (this.isOpen ? LOCAL_CALLER : undefined);
  }

  /** Lists all keys by name, including expired ones. */
  async list(): Promise<readonly StoredKey[]> {
    await this.readKeys();
    return this.stored;
  }

  /**
   * Creates a key, which is only in the returned value and stored nowhere.
   * @returns undefined if the name is taken
   * @throws RangeError if there are too many
   */
  async create(
    name: string,
    role: Role,
    by: string,
    expiresAt?: Instant,
  ): Promise<{ key: string; stored: StoredKey } | undefined> {
    if (this.environment.some((known) => known.name === name)) return undefined;
    await this.readKeys();
    if (this.stored.length >= MOST_KEYS) throw new RangeError(`there are already ${MOST_KEYS} keys: revoke some`);
    const key = `cw_${randomBytes(32).toString('base64url')}`;
    const digest = Buffer.from(computeDigest(key)).toString('hex');
    const stored = {
      name,
      role,
      digest,
      createdAt: this.clock.now(),
      createdBy: by,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    if (!(await this.store.addKey(stored))) return undefined;
    await this.readKeys();
    return { key, stored };
  }

  /**
   * Revokes a key: here at once, on other servers that share the database within seconds. Returns false if the name
   * does not exist.
   */
  async withdraw(name: string): Promise<boolean> {
    const removed = await this.store.removeKey(name);
    await this.readKeys();
    return removed;
  }

  private async findByKey(presented: string): Promise<Caller | undefined> {
    const known = findCaller(this.environment, presented);
    if (known) return known;
    const now = this.clock.now();
    if (this.readAt === undefined || now >= after(this.readAt, READ_AGAIN_AFTER)) await this.refreshKeys();
    const wanted = computeDigest(presented);
    let found: Caller | undefined;
    for (const { name, role, digest, expiresAt } of this.stored) {
      const isLive = expiresAt === undefined || now < expiresAt;
      if (timingSafeEqual(Buffer.from(digest, 'hex'), wanted) && isLive) found = { name, role };
    }
    return found;
  }

  /**
   * If the database is not responding, the known keys stay valid, so that nobody who had access a moment ago is locked
   * out.
   */
  private async refreshKeys(): Promise<void> {
    this.reading ??= this.readKeys()
      .catch((error: unknown) => this.log.warn('the API keys in the database cannot be read', { error: String(error) }))
      .finally(() => {
        this.reading = undefined;
      });
    await this.reading;
  }

  private async readKeys(): Promise<void> {
    this.stored = await this.store.listKeys();
    this.readAt = this.clock.now();
  }
}
