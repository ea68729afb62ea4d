import { randomUUID } from 'node:crypto';
import type { Log } from '../../../engine/ports/log.js';
import type { Fence, PartitionListener, Partitions } from '../../../engine/ports/partitions.js';
import { PARTITIONS, partitionOf } from '../shared/partition.js';
import type { Leases, OwnedPartition, Standing } from './leases.js';

export interface PartitionsOptions {
  /** False: a node for the API only, which never owns anything. */
  readonly crawls: boolean;
  readonly log: Log;
  /** Milliseconds after which a node that does not renew its lease is considered dead. */
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  /** Milliseconds of the machine's monotonic clock. */
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
/** The node stops this long before the database would: clocks drift, and a request needs a moment to be sent. */
const MARGIN_MS = 1_000;
/** How long work in flight in partitions that are given away may take to end. */
const HAND_OVER_MS = 5_000;

/** Databases and timers do not round milliseconds alike. */
const AFTER_END_MS = 100;

const uptime = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

function startTimer(ms: number, action: () => void): () => void {
  const timeout = setTimeout(action, ms);
  return () => clearTimeout(timeout);
}

/**
 * Partitions leased in PostgreSQL. Each node renews one lease for all it owns and holds its fair share of the partitions: at most
 * ⌈all / live nodes⌉. Excess partitions are given away, free ones are taken. A node whose lease expired, for whatever reason, has
 * lost everything and joins again under another name: there is no way back to old rights.
 */
export class PostgresPartitions implements Partitions {
  readonly shared = true;
  /** Somebody watches the events of another node. */
  watched = false;
  /** Nodes that crawl, besides this one. */
  others = 0;
  isWatching: () => boolean = () => false;
  /** Others should check at once: partitions were freed, or a node came or went. */
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
  /** Until another node may have died. */
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

  partitionOf(hostKey: string): number {
    return partitionOf(hostKey);
  }

  get owned(): readonly number[] {
    return this.#isAlive() ? [...this.#owned].flatMap(([part, { leaving }]) => (leaving ? [] : [part])) : [];
  }

  owns(hostKey: string): boolean {
    return this.fenceFor(hostKey) !== undefined;
  }

  fenceFor(hostKey: string): Fence | undefined {
    const partition = partitionOf(hostKey);
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

  /** Gives everything away. By then, what was in flight has ended or is fenced out. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRenewal();
    await this.#stepping.catch(() => undefined);
    await this.#givingAway;
    if (!this.#joined) return;
    await this.#giveAway([...this.#owned.keys()]).catch(() => undefined);
    await this.#leases.leave(this.#node).catch(() => undefined);
    this.onChange();
  }

  /** One round now: after a hint, or when the time has come. */
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
    // Measured before the database is asked: what it grants from a later moment on is certainly valid from here on.
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
    this.#giveAwayBeyond(this.#computeFairShare(standing.crawling));
  }

  async #join(): Promise<void> {
    await this.#leases.join(this.#node, this.#crawls, this.#leaseMs);
    this.#joined = true;
    this.onChange();
  }

  #computeFairShare(crawling: number): number {
    return this.#crawls ? Math.ceil(PARTITIONS / Math.max(1, crawling)) : 0;
  }

  /** Includes what an earlier round took whose answer was lost. */
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

  #giveAwayBeyond(share: number): void {
    if (this.#givingAway || this.#closed) return;
    const kept = [...this.#owned].filter(([, { leaving }]) => !leaving);
    // Those that are still leaving could not be given back last time.
    const stuck = [...this.#owned].filter(([, { leaving }]) => leaving);
    const parts = [...stuck, ...kept.slice(share)].map(([part]) => part);
    if (parts.length === 0) return;
    this.#givingAway = this.#giveAway(parts)
      .catch((error: unknown) => this.#log.warn('partitions could not be handed over', { error: String(error) }))
      .finally(() => {
        this.#givingAway = undefined;
      });
  }

  async #giveAway(parts: readonly number[]): Promise<void> {
    const node = this.#node;
    for (const part of parts) this.#owned.get(part)!.leaving = true;
    const orderly = await this.#endsInTime(this.#listener?.onRevoking(parts, false) ?? Promise.resolve());
    if (node !== this.#node) return;
    await this.#leases.release(node, parts, !orderly);
    if (node !== this.#node) return;
    for (const part of parts) this.#owned.delete(part);
    this.onChange();
  }

  /** The lease has expired: others may own everything by now. */
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

  /** Whether the work ended in time; a failure does not count as an end. */
  async #endsInTime(work: Promise<unknown>): Promise<boolean> {
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
