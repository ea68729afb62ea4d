/**
 * Loads due URLs from the store into the windows of one crawler's frontier when windows run low and when URLs become
 * due. At most one read is in flight for each host and source.
 */
import { SOURCES, type SourceNumber } from '../../../domain/frontier/sources.js';
import { TimeHeap } from '../../../domain/frontier/time-heap.js';
import { after, type Instant, NEVER, seconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { UrlQueue } from '../../ports/frontier-store.js';
import { STRANGERS_SOURCE, type Strangers } from '../hosts/strangers.js';
import type { HostWindow } from './host-window.js';

/**
 * Maximum number of URLs in memory for one host and source: large while few hosts are in use, so that the store is
 * seldom read.
 */
const WINDOW_SIZE = 512;
const MAX_HOSTS_WITH_LARGE_WINDOWS = 64;
/** Used with many hosts: each then seldom receives requests, and the windows add up. */
const SMALL_WINDOW_SIZE = 32;
/** Fraction of a window at which it is refilled: early, so that the source of the largest weight seldom waits for the store. */
const REFILL_THRESHOLD = 1 / 2;
/** Maximum number of reads in flight that are looked at to find out whether a source waits for the store. */
const MAX_READS_SEARCHED = 64;
/** Delay after the store has failed to return due URLs. */
const RETRY_DELAY = seconds(5);

export class WindowRefill {
  private readonly dueTimes = new TimeHeap<{ window: HostWindow; source: SourceNumber }>();
  /** Windows whose due URLs are being read, by source. */
  private readonly loadingWindows = SOURCES.map(() => new Set<HostWindow>());
  private cancelTimer: (() => void) | undefined;
  private timerAt: Instant | undefined;
  private isReadAwaited = false;
  private closed = false;

  /**
   * @param onChanged called when URLs are added to a window, or when its first URL becomes due
   * @param onAwaitedRead called when a read has ended, however it did, for which `isAwaited` said to wait
   */
  constructor(
    private readonly crawler: string,
    private readonly services: {
      readonly store: UrlQueue;
      readonly clock: Clock;
      readonly strangers: Pick<Strangers, 'areNaming'>;
    },
    private readonly windows: ReadonlyMap<string, HostWindow>,
    private readonly onChanged: (window: HostWindow) => void,
    private readonly onAwaitedRead: () => void,
  ) {}

  get windowSize(): number {
    return this.windows.size <= MAX_HOSTS_WITH_LARGE_WINDOWS ? WINDOW_SIZE : SMALL_WINDOW_SIZE;
  }

  get isReading(): boolean {
    return this.loadingWindows.some(({ size }) => size > 0);
  }

  /** Whether due URLs of the source are being read for a host that may receive a request now. */
  isAwaited(source: SourceNumber): boolean {
    const now = this.services.clock.now();
    let searched = 0;
    for (const window of this.loadingWindows[source]!) {
      if (window.host.isReady(now, window.limit) && window.isOpen(now)) {
        this.isReadAwaited = true;
        return true;
      }
      if (++searched === MAX_READS_SEARCHED) break;
    }
    return false;
  }

  refillIfLow(window: HostWindow, source: SourceNumber): void {
    if (window.buffers[source]!.size < this.windowSize * REFILL_THRESHOLD) this.refill(window, source);
  }

  /** To be called when the store has a URL of this host and source that is due at `dueAt`. */
  refillAt(window: HostWindow, source: SourceNumber, dueAt: Instant): void {
    if (dueAt >= window.nextDue[source]!) return;
    window.nextDue[source] = dueAt;
    // Due URLs are read only when the buffer runs low: otherwise all of a long queue would end up in memory.
    if (dueAt <= this.services.clock.now()) this.refillIfLow(window, source);
    else {
      this.dueTimes.push(dueAt, { window, source });
      this.armTimer();
    }
  }

  refill(window: HostWindow, source: SourceNumber): void {
    if (this.closed || window.loading[source] || window.nextDue[source]! > this.services.clock.now()) return;
    window.loading[source] = true;
    void this.load(window, source);
  }

  /** To be called when windows have been dropped; a sweep finds their URLs again before they are due. */
  forgetDropped(): void {
    this.dueTimes.retain(({ window }) => this.isInUse(window));
    if (this.dueTimes.peekTime() === undefined) this.disarmTimer();
  }

  private isInUse(window: HostWindow): boolean {
    return this.windows.get(window.host.key) === window;
  }

  close(): void {
    this.closed = true;
    this.cancelTimer?.();
  }

  private async load(window: HostWindow, source: SourceNumber): Promise<void> {
    this.loadingWindows[source]!.add(window);
    window.nextDue[source] = NEVER; // URLs stored while the read is in flight lower it again
    try {
      const now = this.services.clock.now();
      const { urls, next } = await this.services.store.listDue(
        this.crawler,
        window.host.key,
        source,
        now,
        this.windowSize,
        window.heldIds,
      );
      // So that windows can tell them from the host's own.
      if (source === STRANGERS_SOURCE) for (const url of urls) await this.services.strangers.areNaming(url);
      if (this.closed || !this.isInUse(window)) return;
      window.loading[source] = false;
      for (const url of urls) {
        if (window.heldIds.has(url.id)) continue;
        window.heldIds.add(url.id);
        window.buffers[source]!.push(url);
      }
      if (next !== undefined) this.scheduleNextRefill(window, source, next, urls.length > 0);
      this.onChanged(window);
    } catch {
      // The store's failure is reported elsewhere. Due URLs stay due.
      window.loading[source] = false;
      this.refillAt(window, source, after(this.services.clock.now(), RETRY_DELAY));
    } finally {
      this.loadingWindows[source]!.delete(window);
      if (this.isReadAwaited) {
        this.isReadAwaited = false;
        this.onAwaitedRead();
      }
    }
  }

  /** Does not always use `refillAt`: URLs that are already due are read when the buffer runs low, not in a loop. */
  private scheduleNextRefill(window: HostWindow, source: SourceNumber, next: Instant, hasProgressed: boolean): void {
    if (next > this.services.clock.now() || !hasProgressed) this.refillAt(window, source, next);
    else if (next < window.nextDue[source]!) window.nextDue[source] = next;
  }

  private armTimer(): void {
    const next = this.dueTimes.peekTime();
    if (next === undefined || this.closed || (this.timerAt !== undefined && this.timerAt <= next)) return;
    this.disarmTimer();
    this.timerAt = next;
    this.cancelTimer = this.services.clock.at(next, () => {
      this.disarmTimer();
      const now = this.services.clock.now();
      for (let entry = this.dueTimes.popDue(now); entry; entry = this.dueTimes.popDue(now)) {
        // A window that was dropped in the meantime is found again by a sweep.
        if (this.isInUse(entry.window)) this.onChanged(entry.window);
      }
      this.armTimer();
    });
  }

  private disarmTimer(): void {
    this.cancelTimer?.();
    this.timerAt = undefined;
    this.cancelTimer = undefined;
  }
}
