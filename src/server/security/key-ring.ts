import { randomBytes, timingSafeEqual } from 'node:crypto';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { KeyStore, StoredKey } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import {
  type ApiKey,
  type Caller,
  computeDigest,
  findCaller,
  formatGrant,
  LOCAL_CALLER,
  parseGrant,
  type RoleGrant,
} from './api-keys.js';

/**
 * How long the known keys are used before they are reread: another server on the database may have created or revoked
 * keys.
 */
const REREAD_INTERVAL = seconds(10);
/** Maximum number of keys: people have a handful, and a script that creates one for each run should revoke them. */
const MAX_KEYS = 1_000;

interface KeyRingParts {
  readonly clock: Clock;
  readonly log: Log;
  /** True if calls require a key even when the environment has none, because people may sign in. */
  readonly closed?: boolean;
}

/** All keys of this server: those of `CRAWLWAY_API_KEYS`, and those created through the API. */
export class KeyRing {
  private storedKeys: readonly StoredKey[] = [];
  private readAt: Instant | undefined;
  private pendingRead: Promise<void> | undefined;
  private readonly clock: Clock;
  private readonly log: Log;
  /** True if everyone who reaches the server may do everything, with or without a key. */
  readonly isOpen: boolean;

  constructor(
    readonly environmentKeys: readonly ApiKey[],
    private readonly store: KeyStore,
    { clock, log, closed = false }: KeyRingParts,
  ) {
    this.clock = clock;
    this.log = log;
    this.isOpen = environmentKeys.length === 0 && !closed;
  }

  /** Finds the caller to whom a key belongs. */
  async authenticate(presentedKey: string | undefined): Promise<Caller | undefined> {
    const caller = presentedKey === undefined ? undefined : await this.findByKey(presentedKey);
    return caller ?? (this.isOpen ? LOCAL_CALLER : undefined);
  }

  /** Lists all keys by name, including expired ones. */
  async list(): Promise<readonly StoredKey[]> {
    await this.readKeys();
    return this.storedKeys;
  }

  /**
   * Creates a key, which is stored nowhere: only the returned value contains it.
   * @returns undefined if the name is taken
   * @throws RangeError if there are too many
   */
  async create(
    name: string,
    grant: RoleGrant,
    creator: string,
    expiresAt?: Instant,
  ): Promise<{ key: string; storedKey: StoredKey } | undefined> {
    if (this.environmentKeys.some((environmentKey) => environmentKey.name === name)) return undefined;
    await this.readKeys();
    if (this.storedKeys.length >= MAX_KEYS) throw new RangeError(`there are already ${MAX_KEYS} keys: revoke some`);
    const key = `cw_${randomBytes(32).toString('base64url')}`;
    const digest = Buffer.from(computeDigest(key)).toString('hex');
    const storedKey = {
      name,
      role: formatGrant(grant),
      digest,
      createdAt: this.clock.now(),
      createdBy: creator,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    if (!(await this.store.addKey(storedKey))) return undefined;
    await this.readKeys();
    return { key, storedKey };
  }

  /**
   * Revokes a key: here at once, on other servers that share the database within seconds. Returns false if the name
   * does not exist.
   */
  async revoke(name: string): Promise<boolean> {
    const wasRemoved = await this.store.removeKey(name);
    await this.readKeys();
    return wasRemoved;
  }

  private async findByKey(presentedKey: string): Promise<Caller | undefined> {
    const environmentCaller = findCaller(this.environmentKeys, presentedKey);
    if (environmentCaller) return environmentCaller;
    const now = this.clock.now();
    if (this.readAt === undefined || now >= after(this.readAt, REREAD_INTERVAL)) await this.refreshKeys();
    const presentedDigest = computeDigest(presentedKey);
    let caller: Caller | undefined;
    for (const { name, role, digest, expiresAt } of this.storedKeys) {
      const isLive = expiresAt === undefined || now < expiresAt;
      if (timingSafeEqual(Buffer.from(digest, 'hex'), presentedDigest) && isLive) {
        const grant = parseGrant(role);
        if (grant) caller = { name, grants: [grant] };
      }
    }
    return caller;
  }

  /**
   * If the database is not responding, the known keys stay valid, so that nobody who had access a moment ago is locked
   * out.
   */
  private async refreshKeys(): Promise<void> {
    this.pendingRead ??= this.readKeys()
      .catch((error: unknown) =>
        this.log.warn('the API keys in the database could not be read; those that were read last stay valid', {
          error: String(error),
        }),
      )
      .finally(() => {
        this.pendingRead = undefined;
      });
    await this.pendingRead;
  }

  private async readKeys(): Promise<void> {
    this.storedKeys = await this.store.listKeys();
    this.readAt = this.clock.now();
  }
}
