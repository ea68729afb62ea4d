import { randomUUID } from 'node:crypto';
import type { Log } from '../../../engine/ports/log.js';
import type { Fence, PartitionListener, Partitions } from '../../../engine/ports/partitions.js';
import { computePartition, PARTITIONS } from '../shared/partition.js';
import type { Leases, OwnedPartition, RenewalResult } from './leases.js';

export interface PartitionsOptions {
  /** False for a node that only serves the API and never owns partitions. */
  readonly crawls: boolean;
  readonly log: Log;
  /** Milliseconds after which a node that does not renew its lease is considered dead. */
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  /** Reads the machine's monotonic clock, in milliseconds. */
  readonly readUptime?: () => number;
  /** Called at each renewal with the time of the database. */
  readonly onTime?: (time: number) => void;
  /** Runs an action after this many milliseconds; returns a function that cancels it. */
  readonly schedule?: (ms: number, action: () => void) => () => void;
}

interface Ownership {
  readonly epoch: number;
  isLeaving: boolean;
}

export const LEASE_MS = 10_000;
export const RENEW_EVERY_MS = 2_500;
/**
 * The node considers its lease expired this long before the database does, because clocks drift and sending a request
 * takes a moment.
 */
const LEASE_MARGIN_MS = 1_000;
/** Maximum time for work in flight to end in partitions that are being released. */
const HAND_OVER_MS = 5_000;

/** Extra wait after another node's lease expires, because databases and timers round milliseconds differently. */
const EXPIRY_GRACE_MS = 100;

const readUptime = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

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
  /** Whether someone is watching the events on another node. */
  watched = false;
  /** Number of other nodes that crawl. */
  others = 0;
  isWatching: () => boolean = () => false;
  /** Called when other nodes should run a round immediately: partitions were freed, or a node joined or left. */
  onChange: () => void = () => undefined;

  readonly #leases: Pick<Leases, keyof Leases>;
  readonly #crawls: boolean;
  readonly #log: Log;
  readonly #leaseMs: number;
  readonly #renewEveryMs: number;
  readonly #readUptime: () => number;
  readonly #onTime: (time: number) => void;
  readonly #schedule: NonNullable<PartitionsOptions['schedule']>;
  readonly #owned = new Map<number, Ownership>();
  #listener: PartitionListener | undefined;
  #node = randomUUID();
  #joined = false;
  #leaseEnd = Number.NEGATIVE_INFINITY;
  #lastRound: Promise<void> = Promise.resolve();
  #cancelRenewal: () => void = () => undefined;
  /** Milliseconds until the next lease of another node may expire; null if there is no other node. */
  #nextEndMs: number | null = null;
  #closed = false;
  #handover: Promise<void> | undefined;

  constructor(leases: Pick<Leases, keyof Leases>, options: PartitionsOptions) {
    this.#leases = leases;
    this.#crawls = options.crawls;
    this.#log = options.log;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#renewEveryMs = options.renewEveryMs ?? RENEW_EVERY_MS;
    this.#readUptime = options.readUptime ?? readUptime;
    this.#onTime = options.onTime ?? (() => undefined);
    this.#schedule = options.schedule ?? startTimer;
  }

  get isCrawling(): boolean {
    return this.#crawls;
  }

  getPartition(hostKey: string): number {
    return computePartition(hostKey);
  }

  get owned(): readonly number[] {
    return this.#isAlive() ? [...this.#owned].flatMap(([part, { isLeaving }]) => (isLeaving ? [] : [part])) : [];
  }

  owns(hostKey: string): boolean {
    return this.findFence(hostKey) !== undefined;
  }

  findFence(hostKey: string): Fence | undefined {
    const partition = computePartition(hostKey);
    const ownership = this.#owned.get(partition);
    if (!ownership || ownership.isLeaving || !this.#isAlive()) return undefined;
    return { partition, epoch: ownership.epoch };
  }

  holds({ partition, epoch }: Fence): boolean {
    return this.#owned.get(partition)?.epoch === epoch && this.#isAlive();
  }

  get sendBy(): number {
    return this.#leaseEnd;
  }

  get isLeader(): boolean {
    return this.#owned.get(0)?.isLeaving === false && this.#isAlive();
  }

  async open(listener: PartitionListener): Promise<void> {
    this.#listener = listener;
    await this.runRound();
    this.#scheduleRound();
  }

  /** Releases all partitions, after work in flight has ended or has been fenced out. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRenewal();
    await this.#lastRound.catch(() => undefined);
    await this.#handover;
    if (!this.#joined) return;
    await this.#handOver([...this.#owned.keys()]).catch(() => undefined);
    await this.#leases.leave(this.#node).catch(() => undefined);
    this.onChange();
  }

  /** Runs one round, in which the lease is renewed and partitions are taken and released. */
  runRound(): Promise<void> {
    const next = this.#lastRound.then(() => this.#runRoundNow());
    this.#lastRound = next.catch((error: unknown) => {
      this.#log.warn('the lease of this node could not be renewed', { error: String(error) });
    });
    return next;
  }

  #scheduleRound(): void {
    if (this.#closed) return;
    const waitMs = Math.min(this.#renewEveryMs, Math.max(0, this.#nextEndMs ?? this.#renewEveryMs) + EXPIRY_GRACE_MS);
    this.#nextEndMs = null;
    this.#cancelRenewal = this.#schedule(waitMs, () => {
      void this.runRound().catch(() => undefined);
      void this.#lastRound.then(() => this.#scheduleRound());
    });
  }

  async #runRoundNow(): Promise<void> {
    if (this.#joined && !this.#isAlive()) this.#onLeaseExpired();
    // Measured before the query, so that the lease, which the database counts from a later moment, is certain to last
    // this long.
    const requestedAt = this.#readUptime();
    if (!this.#joined) await this.#join();
    const renewal = await this.#leases.renew(this.#node, {
      leaseMs: this.#leaseMs,
      isWatching: this.isWatching(),
      countWanted: (crawlingNodes) => this.#computeFairShare(crawlingNodes) - this.#owned.size,
    });
    if (!renewal) {
      this.#onLeaseExpired();
      return;
    }
    this.#leaseEnd = requestedAt + this.#leaseMs - LEASE_MARGIN_MS;
    this.#onTime(await this.#leases.readTime());
    this.watched = renewal.watched;
    this.others = renewal.crawling - (this.#crawls ? 1 : 0);
    this.#nextEndMs = renewal.nextEndMs;
    await this.#adoptPartitions(renewal);
    this.#releaseSurplus(this.#computeFairShare(renewal.crawling));
  }

  async #join(): Promise<void> {
    await this.#leases.join(this.#node, this.#crawls, this.#leaseMs);
    this.#joined = true;
    this.onChange();
  }

  #computeFairShare(crawlingNodes: number): number {
    return this.#crawls ? Math.ceil(PARTITIONS / Math.max(1, crawlingNodes)) : 0;
  }

  /** Adopts partitions, including those taken in an earlier round whose response was lost. */
  async #adoptPartitions({ owned, taken }: RenewalResult): Promise<void> {
    const newPartitions = owned.filter(({ part, epoch }) => this.#owned.get(part)?.epoch !== epoch);
    if (newPartitions.length === 0) return;
    const cleanlyReleased = new Set(taken.flatMap(({ part, abruptly }) => (abruptly ? [] : [part])));
    const parts = newPartitions.map(({ part }) => part);
    await this.#listener?.onAssigning(
      parts,
      parts.filter((part) => !cleanlyReleased.has(part)),
    );
    this.#addOwned(newPartitions);
    this.#listener?.onAssigned(parts);
  }

  #addOwned(partitions: readonly OwnedPartition[]): void {
    for (const { part, epoch } of partitions) this.#owned.set(part, { epoch, isLeaving: false });
  }

  #releaseSurplus(fairShare: number): void {
    if (this.#handover || this.#closed) return;
    // If partitions are still marked as leaving, releasing them failed last time.
    const [unreleased, remaining]: [number[], number[]] = [[], []];
    for (const [part, { isLeaving }] of this.#owned) (isLeaving ? unreleased : remaining).push(part);
    const parts = [...unreleased, ...remaining.slice(fairShare)];
    if (parts.length === 0) return;
    this.#handover = this.#handOver(parts)
      .catch((error: unknown) => this.#log.warn('partitions could not be handed over', { error: String(error) }))
      .finally(() => {
        this.#handover = undefined;
      });
  }

  async #handOver(parts: readonly number[]): Promise<void> {
    const node = this.#node;
    for (const part of parts) this.#owned.get(part)!.isLeaving = true;
    const isOrderly = await this.#completesInTime(this.#listener?.onRevoking(parts, false) ?? Promise.resolve());
    if (node !== this.#node) return;
    await this.#leases.release(node, parts, !isOrderly);
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
    this.#log.warn('this node did not renew its lease in time, has lost its partitions and is joining again', {
      partitions: parts.length,
    });
    void this.#leases.leave(node).catch(() => undefined);
    void this.#listener?.onRevoking(parts, true).catch(() => undefined);
  }

  #isAlive(): boolean {
    return this.#readUptime() < this.#leaseEnd;
  }

  /** Resolves with true if the work succeeds within HAND_OVER_MS, otherwise with false. */
  async #completesInTime(work: Promise<unknown>): Promise<boolean> {
    let cancel = (): void => undefined;
    const timeout = new Promise<false>((resolve) => {
      cancel = this.#schedule(HAND_OVER_MS, () => resolve(false));
    });
    const completion = work.then(
      () => true,
      () => false,
    );
    return Promise.race([completion, timeout]).finally(cancel);
  }
}
