/**
 * URLs that a user wants visited now although their host is resting (back-off): one at a time for each host, at the
 * pace of its throttle. Depending on the response, the back-off ends or stays unchanged.
 */
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { HostWindow } from './frontier/host-window.js';

/** Interval of checks while a response from the host is still in flight. */
const RECHECK_INTERVAL = seconds(1);

export class UrgentVisits {
  private readonly waitingUrls = new Map<string, { readonly url: UrlState; readonly window: HostWindow }>();
  private cancelTimer: (() => void) | undefined;

  /**
   * @param giveBack receives URLs that are no longer urgent: their host is no longer resting, or an operator or a
   * schedule has stopped it
   */
  constructor(
    private readonly clock: Clock,
    private readonly wake: () => void,
    private readonly giveBack: (url: UrlState, window: HostWindow) => void,
  ) {}

  /** Returns false if the host already has an urgent URL. */
  add(url: UrlState, window: HostWindow): boolean {
    if (this.waitingUrls.has(url.hostKey)) return false;
    this.waitingUrls.set(url.hostKey, { url, window });
    this.wake();
    return true;
  }

  /** Removes a waiting URL that is to be decided on without a visit. */
  remove({ id, hostKey }: { id: UrlId; hostKey: string }): boolean {
    return this.waitingUrls.get(hostKey)?.url.id === id && this.waitingUrls.delete(hostKey);
  }

  revoke(isLost: (hostKey: string) => boolean): void {
    for (const hostKey of this.waitingUrls.keys()) if (isLost(hostKey)) this.waitingUrls.delete(hostKey);
  }

  /** Takes the next URL whose host may receive a request. */
  takeNext(): { readonly url: UrlState; readonly window: HostWindow } | undefined {
    if (this.waitingUrls.size === 0) return undefined;
    const now = this.clock.now();
    let nextCheckAt: Instant | undefined;
    for (const [hostKey, entry] of this.waitingUrls) {
      const { host, limit } = entry.window;
      if (host.isReadyForUrgentRequest(now, limit) && host.isResting(now) && entry.window.isOpen(now)) {
        this.waitingUrls.delete(hostKey);
        return entry;
      }
      if (host.paused || (host.loaded && !host.isResting(now)) || !entry.window.isOpen(now)) {
        this.waitingUrls.delete(hostKey);
        this.giveBack(entry.url, entry.window);
      } else {
        const { nextRequestAt } = host.politeness;
        const at = nextRequestAt > now ? nextRequestAt : after(now, RECHECK_INTERVAL);
        if (nextCheckAt === undefined || at < nextCheckAt) nextCheckAt = at;
      }
    }
    this.wakeAt(nextCheckAt);
    return undefined;
  }

  close(): void {
    this.cancelTimer?.();
    this.waitingUrls.clear();
  }

  private wakeAt(at: Instant | undefined): void {
    this.cancelTimer?.();
    this.cancelTimer = at === undefined ? undefined : this.clock.at(at, this.wake);
  }
}
