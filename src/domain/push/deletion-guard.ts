import type { DeletionGuardDefinition } from '../crawl/definition.js';
import type { Duration, Instant } from '../time/units.js';

type Limits = Pick<DeletionGuardDefinition, 'on' | 'maxDeletions' | 'maxShare' | 'window'>;

/** Deletions that were sent at about the same time. */
interface Burst {
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

/** Resolution: deletions within one such fraction of the window are combined into one burst. */
const BURSTS_PER_WINDOW = 64;

/** Maximum number of hosts remembered; beyond that, the host with the oldest last deletion is forgotten. */
const MAX_HOSTS = 100_000;

/**
 * Keeps a broken site from emptying the index (semantics.md, section 8, no. 6): a deletion that would exceed both
 * limits of its host within the window is held until a user decides. It keeps a sliding window per host, in memory that
 * does not grow with the number of deletions; a deletion leaves the window late by at most 1/64 of its length, and
 * never early.
 */
export class DeletionGuard {
  readonly settings: Limits;
  /** By host; the host with the most recent deletion is at the end. */
  readonly #burstsByHost = new Map<string, Burst[]>();

  constructor(settings: Limits) {
    this.settings = settings;
  }

  /**
   * Judges one deletion and, if it may be sent, counts it. `indexedOfHost` is the number of the host's documents now in
   * the index; documents deleted within the window are added to it, so that the share is that of the host before it
   * shrank.
   */
  judge(hostKey: string, indexedOfHost: number, now: Instant): 'send' | 'hold' {
    if (!this.settings.on) return 'send';
    this.#forgetQuietHosts(now);
    const recentDeletions = this.#countRecentDeletions(hostKey, now);
    const deletionCount = recentDeletions + 1;
    const maxByShare = this.settings.maxShare * (indexedOfHost + recentDeletions);
    if (deletionCount > this.settings.maxDeletions && deletionCount > maxByShare) return 'hold';
    this.#recordDeletion(hostKey, now);
    return 'send';
  }

  /** Restores the state after a restart from the times at which deletions of this host were sent, in any order. */
  restore(hostKey: string, times: readonly Instant[]): void {
    for (const time of [...times].sort((a, b) => a - b)) this.#recordDeletion(hostKey, time);
  }

  #countRecentDeletions(hostKey: string, now: Instant): number {
    const bursts = this.#burstsByHost.get(hostKey);
    if (!bursts) return 0;
    while (bursts[0] !== undefined && hasExpired(bursts[0], now, this.settings.window)) bursts.shift();
    return bursts.reduce((total, burst) => total + burst.count, 0);
  }

  #recordDeletion(hostKey: string, at: Instant): void {
    const bursts = this.#burstsByHost.get(hostKey) ?? [];
    const latestBurst = bursts.at(-1);
    if (latestBurst && at - latestBurst.firstAt < this.settings.window / BURSTS_PER_WINDOW) {
      latestBurst.lastAt = Math.max(latestBurst.lastAt, at);
      latestBurst.count++;
    } else bursts.push({ firstAt: at, lastAt: at, count: 1 });
    this.#burstsByHost.delete(hostKey);
    this.#burstsByHost.set(hostKey, bursts);
  }

  #forgetQuietHosts(now: Instant): void {
    for (const [hostKey, bursts] of this.#burstsByHost) {
      const latestBurst = bursts.at(-1);
      if (this.#burstsByHost.size <= MAX_HOSTS && latestBurst && !hasExpired(latestBurst, now, this.settings.window))
        return;
      this.#burstsByHost.delete(hostKey);
    }
  }
}

const hasExpired = (burst: Burst, now: Instant, window: Duration): boolean => burst.lastAt <= now - window;
