import type { DeletionGuardDefinition } from '../crawl/definition.js';
import type { Duration, Instant } from '../time/units.js';

type Limits = Pick<DeletionGuardDefinition, 'on' | 'maxDeletions' | 'maxShare' | 'window'>;

/** Deletions that were sent at about the same time. */
interface Burst {
  readonly first: number;
  last: number;
  count: number;
}

/** Resolution: deletions that are closer together than this fraction of the window count as one burst. */
const BURSTS_PER_WINDOW = 64;

/** Maximum number of hosts remembered; beyond that, the host that has been quiet for longest is forgotten. */
const MAX_HOSTS = 100_000;

/**
 * Keeps a broken site from emptying the index (semantics.md, section 8, no. 6): a deletion that would exceed both
 * limits of its host within the window is held for a person. It keeps a sliding window per host, in memory that does
 * not grow with the number of deletions; a deletion leaves the window late by at most 1/64 of its length, and never
 * early.
 */
export class DeletionGuard {
  readonly settings: Limits;
  /** By host; the host with the most recent deletion is at the end. */
  readonly #sent = new Map<string, Burst[]>();

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
    const already = this.#count(hostKey, now);
    const deletions = already + 1;
    const share = this.settings.maxShare * (indexedOfHost + already);
    if (deletions > this.settings.maxDeletions && deletions > share) return 'hold';
    this.#record(hostKey, now);
    return 'send';
  }

  /** Restores the state after a restart from the times at which deletions of this host were sent, in any order. */
  restore(hostKey: string, times: readonly Instant[]): void {
    for (const time of [...times].sort((a, b) => a - b)) this.#record(hostKey, time);
  }

  #count(hostKey: string, now: Instant): number {
    const bursts = this.#sent.get(hostKey);
    if (!bursts) return 0;
    while (bursts[0] !== undefined && isOver(bursts[0], now, this.settings.window)) bursts.shift();
    return bursts.reduce((total, burst) => total + burst.count, 0);
  }

  #record(hostKey: string, at: Instant): void {
    const bursts = this.#sent.get(hostKey) ?? [];
    const latest = bursts.at(-1);
    if (latest && at - latest.first < this.settings.window / BURSTS_PER_WINDOW) {
      latest.last = Math.max(latest.last, at);
      latest.count++;
    } else bursts.push({ first: at, last: at, count: 1 });
    this.#sent.delete(hostKey);
    this.#sent.set(hostKey, bursts);
  }

  #forgetQuietHosts(now: Instant): void {
    for (const [hostKey, bursts] of this.#sent) {
      const latest = bursts.at(-1);
      if (this.#sent.size <= MAX_HOSTS && latest && !isOver(latest, now, this.settings.window)) return;
      this.#sent.delete(hostKey);
    }
  }
}

const isOver = (burst: Burst, now: Instant, window: Duration): boolean => burst.last <= now - window;
