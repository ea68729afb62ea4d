/**
 * URLs that a person wants visited now although their host is resting (back-off): one at a time for each host, at the
 * pace of its throttle. Depending on the response, the back-off ends or stays unchanged.
 */
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { HostWindow } from './frontier/host-window.js';

/** Interval of checks while a response from the host is still in flight. */
const ASK_AGAIN = seconds(1);

export class UrgentVisits {
  private readonly waiting = new Map<string, { readonly url: UrlState; readonly window: HostWindow }>();
  private cancelTimer: (() => void) | undefined;

  /**
   * @param giveBack receives URLs that are no longer urgent: their host is no longer resting, or a person or a schedule
   * has stopped it
   */
  constructor(
    private readonly clock: Clock,
    private readonly wake: () => void,
    private readonly giveBack: (url: UrlState, window: HostWindow) => void,
  ) {}

  /** False if the host already has an urgent URL. */
  add(url: UrlState, window: HostWindow): boolean {
    if (this.waiting.has(url.hostKey)) return false;
    this.waiting.set(url.hostKey, { url, window });
    this.wake();
    return true;
  }

  /** Removes a waiting URL that is to be decided on without a visit. */
  remove({ id, hostKey }: { id: UrlId; hostKey: string }): boolean {
    return this.waiting.get(hostKey)?.url.id === id && this.waiting.delete(hostKey);
  }

  revoke(isLost: (hostKey: string) => boolean): void {
    for (const hostKey of this.waiting.keys()) if (isLost(hostKey)) this.waiting.delete(hostKey);
  }

  /** Takes the next URL whose host may receive a request. */
  next(): { readonly url: UrlState; readonly window: HostWindow } | undefined {
    if (this.waiting.size === 0) return undefined;
    const now = this.clock.now();
    let next: Instant | undefined;
    for (const [hostKey, one] of this.waiting) {
      const { host, limit } = one.window;
      if (host.isReadyForUrgentRequest(now, limit) && host.isResting(now) && one.window.isOpen(now)) {
        this.waiting.delete(hostKey);
        return one;
      }
      if (host.paused || (host.loaded && !host.isResting(now)) || !one.window.isOpen(now)) {
        this.waiting.delete(hostKey);
        this.giveBack(one.url, one.window);
      } else {
        const { nextRequestAt } = host.politeness;
        const at = nextRequestAt > now ? nextRequestAt : after(now, ASK_AGAIN);
        if (next === undefined || at < next) next = at;
      }
    }
    this.wakeAt(next);
    return undefined;
  }

  close(): void {
    this.cancelTimer?.();
    this.waiting.clear();
  }

  private wakeAt(at: Instant | undefined): void {
    this.cancelTimer?.();
    this.cancelTimer = at === undefined ? undefined : this.clock.at(at, this.wake);
  }
}
