import { randomUUID } from 'node:crypto';
import type { Log } from '../../../engine/ports/log.js';
import type { Fence, PartitionListener, Partitions } from '../../../engine/ports/partitions.js';
import { computePartition, PARTITIONS } from '../shared/partition.js';
import type { Leases, OwnedPartition, Standing } from './leases.js';

export interface PartitionsOptions {
  /** False for a node that only serves the API and never owns partitions. */
  readonly crawls: boolean;
  readonly log: Log;
  /** Milliseconds after which a node that does not renew its lease is considered dead. */
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  /** Reads the machine's monotonic clock, in milliseconds. */
  readonly uptime?: () => number;
  /** Runs an action after this many milliseconds; returns a function that cancels it. */
  readonly timer?: (ms: number, action: () => void) => () => void;
}

interface Ownership {
  readonly epoch: number;
  leaving: boolean;
}

export const LEASE_MS = 10_000;
export const RENEW_EVERY_MS = 2_500;
/**
 * The node considers its lease expired this long before the database does, because clocks drift and sending a request
 * takes a moment.
 */
const MARGIN_MS = 1_000;
/** Maximum time for work in flight to end in partitions that are being released. */
const HAND_OVER_MS = 5_000;

/** Extra wait after another node's lease expires, because databases and timers round milliseconds differently. */
const AFTER_END_MS = 100;

const uptime = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

function startTimer(ms: number, action: () => void): () => void {
  const timeout = setTimeout(action, ms);
  return () => clearTimeout(timeout);
}

/**
 * Partitions leased in PostgreSQL. Each node renews one lease for everything that it owns, and holds its fair share of
 * the partitions: at most ⌈all / live nodes⌉. Excess partitions are released, and free ones are taken. A node whose
 * lease has expired, for whatever reason, has lost everything and rejoins under a new name; it never regains its
 * previous rights.
 */
export class PostgresPartitions implements Partitions {
  readonly shared = true;
  /** Whether someone is watching the events at another node. */
  watched = false;
  /** Number of other nodes that crawl. */
  others = 0;
  isWatching: () => boolean = () => false;
  /** Called when other nodes should check at once, because partitions were freed or a node joined or left. */
  onChange: () => void = () => undefined;

  readonly #leases: Pick<Leases, keyof Leases>;
  readonly #crawls: boolean;
  readonly #log: Log;
  readonly #leaseMs: number;
  readonly #renewEveryMs: number;
  readonly #uptime: () => number;
  readonly #timer: NonNullable<PartitionsOptions['timer']>;
  readonly #owned = new Map<number, Ownership>();
  #listener: PartitionListener | undefined;
  #node = randomUUID();
  #joined = false;
  #leaseEnd = Number.NEGATIVE_INFINITY;
  #stepping: Promise<void> = Promise.resolve();
  #cancelRenewal: () => void = () => undefined;
  /** Milliseconds until the next lease of another node may expire; null if there is no other node. */
  #nextEndMs: number | null = null;
  #closed = false;
  #givingAway: Promise<void> | undefined;

  constructor(leases: Pick<Leases, keyof Leases>, options: PartitionsOptions) {
    this.#leases = leases;
    this.#crawls = options.crawls;
    this.#log = options.log;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#renewEveryMs = options.renewEveryMs ?? RENEW_EVERY_MS;
    this.#uptime = options.uptime ?? uptime;
    this.#timer = options.timer ?? startTimer;
  }

  get isCrawling(): boolean {
    return this.#crawls;
  }

  getPartition(hostKey: string): number {
    return computePartition(hostKey);
  }

  get owned(): readonly number[] {
    return this.#isAlive() ? [...this.#owned].flatMap(([part, { leaving }]) => (leaving ? [] : [part])) : [];
  }

  owns(hostKey: string): boolean {
    return this.findFence(hostKey) !== undefined;
  }

  findFence(hostKey: string): Fence | undefined {
    const partition = computePartition(hostKey);
    const ownership = this.#owned.get(partition);
    if (!ownership || ownership.leaving || !this.#isAlive()) return undefined;
    return { partition, epoch: ownership.epoch };
  }

  holds({ partition, epoch }: Fence): boolean {
    return this.#owned.get(partition)?.epoch === epoch && this.#isAlive();
  }

  get sendBy(): number {
    return this.#leaseEnd;
  }

  get leads(): boolean {
    return this.#owned.get(0)?.leaving === false && this.#isAlive();
  }

  async open(listener: PartitionListener): Promise<void> {
    this.#listener = listener;
    await this.runRound();
    this.#scheduleRound();
  }

  /** Releases all partitions, after work in flight has ended or is fenced out. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRenewal();
    await this.#stepping.catch(() => undefined);
    await this.#givingAway;
    if (!this.#joined) return;
    await this.#handOver([...this.#owned.keys()]).catch(() => undefined);
    await this.#leases.leave(this.#node).catch(() => undefined);
    this.onChange();
  }

  /** Runs one round: after a notification, or when it is time. */
  runRound(): Promise<void> {
    const next = this.#stepping.then(() => this.#runRoundNow());
    this.#stepping = next.catch((error: unknown) => {
      this.#log.warn('the lease of this node could not be renewed', { error: String(error) });
    });
    return next;
  }

  #scheduleRound(): void {
    if (this.#closed) return;
    const wait = Math.min(this.#renewEveryMs, Math.max(0, this.#nextEndMs ?? this.#renewEveryMs) + AFTER_END_MS);
    this.#nextEndMs = null;
    this.#cancelRenewal = this.#timer(wait, () => {
      void this.runRound().catch(() => undefined);
      void this.#stepping.then(() => this.#scheduleRound());
    });
  }

  async #runRoundNow(): Promise<void> {
    if (this.#joined && !this.#isAlive()) this.#onLeaseExpired();
    // Measured before the query, so that the lease, which the database counts from a later moment, is certain to last
    // this long.
    const asked = this.#uptime();
    if (!this.#joined) await this.#join();
    const standing = await this.#leases.renew(this.#node, {
      leaseMs: this.#leaseMs,
      watching: this.isWatching(),
      wants: (crawling) => this.#computeFairShare(crawling) - this.#owned.size,
    });
    if (!standing) {
      this.#onLeaseExpired();
      return;
    }
    this.#leaseEnd = asked + this.#leaseMs - MARGIN_MS;
    this.watched = standing.watched;
    this.others = standing.crawling - (this.#crawls ? 1 : 0);
    this.#nextEndMs = standing.nextEndMs;
    await this.#adoptStanding(standing);
    this.#releaseSurplus(this.#computeFairShare(standing.crawling));
  }

  async #join(): Promise<void> {
    await this.#leases.join(this.#node, this.#crawls, this.#leaseMs);
    this.#joined = true;
    this.onChange();
  }

  #computeFairShare(crawling: number): number {
    return this.#crawls ? Math.ceil(PARTITIONS / Math.max(1, crawling)) : 0;
  }

  /** Adopts partitions, including those taken in an earlier round whose response was lost. */
  async #adoptStanding({ owned, taken }: Standing): Promise<void> {
    const fresh = owned.filter(({ part, epoch }) => this.#owned.get(part)?.epoch !== epoch);
    if (fresh.length === 0) return;
    const orderly = new Set(taken.flatMap(({ part, abruptly }) => (abruptly ? [] : [part])));
    const parts = fresh.map(({ part }) => part);
    await this.#listener?.onAssigning(
      parts,
      parts.filter((part) => !orderly.has(part)),
    );
    this.#addOwned(fresh);
    this.#listener?.onAssigned(parts);
  }

  #addOwned(partitions: readonly OwnedPartition[]): void {
    for (const { part, epoch } of partitions) this.#owned.set(part, { epoch, leaving: false });
  }

  #releaseSurplus(share: number): void {
    if (this.#givingAway || this.#closed) return;
    const kept = [...this.#owned].filter(([, { leaving }]) => !leaving);
    // Partitions that are still leaving could not be released last time.
    const stuck = [...this.#owned].filter(([, { leaving }]) => leaving);
    const parts = [...stuck, ...kept.slice(share)].map(([part]) => part);
    if (parts.length === 0) return;
    this.#givingAway = this.#handOver(parts)
      .catch((error: unknown) => this.#log.warn('partitions could not be handed over', { error: String(error) }))
      .finally(() => {
        this.#givingAway = undefined;
      });
  }

  async #handOver(parts: readonly number[]): Promise<void> {
    const node = this.#node;
    for (const part of parts) this.#owned.get(part)!.leaving = true;
    const orderly = await this.#completesInTime(this.#listener?.onRevoking(parts, false) ?? Promise.resolve());
    if (node !== this.#node) return;
    await this.#leases.release(node, parts, !orderly);
    if (node !== this.#node) return;
    for (const part of parts) this.#owned.delete(part);
    this.onChange();
  }

  /** Called when the lease has expired: other nodes may own the partitions by now. */
  #onLeaseExpired(): void {
    const parts = [...this.#owned.keys()];
    const node = this.#node;
    this.#owned.clear();
    this.#leaseEnd = Number.NEGATIVE_INFINITY;
    this.#node = randomUUID();
    this.#joined = false;
    this.#log.warn('this node was silent for too long and has lost its partitions; it is rejoining', {
      partitions: parts.length,
    });
    void this.#leases.leave(node).catch(() => undefined);
    void this.#listener?.onRevoking(parts, true).catch(() => undefined);
  }

  #isAlive(): boolean {
    return this.#uptime() < this.#leaseEnd;
  }

  /** Resolves with whether the work ended in time; a failure does not count as an end. */
  async #completesInTime(work: Promise<unknown>): Promise<boolean> {
    let cancel = (): void => undefined;
    const late = new Promise<false>((resolve) => {
      cancel = this.#timer(HAND_OVER_MS, () => resolve(false));
    });
    const done = work.then(
      () => true,
      () => false,
    );
    return Promise.race([done, late]).finally(cancel);
  }
}
