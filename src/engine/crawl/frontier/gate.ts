import type { Duration, Instant } from '../../../domain/time/units.js';
import type { Host } from '../hosts/hosts.js';

/** The part of a window that gates use. */
export interface GatedWindow {
  readonly host: { readonly key: string };
  readonly limit: number;
  /** By source: whether the window was offered and has not been considered since. */
  readonly ready: readonly boolean[];
}

/**
 * A condition that a page must meet besides its host's politeness: a schedule, or the pause shared by the hosts of one
 * server.
 */
export interface Gate {
  /** When a page of the window may pass; NEVER if something else has to happen before that is known. */
  getOpeningTime(now: Instant, window: GatedWindow): Instant;
  /** Offers the window again when the gate opens. */
  offerWhenOpen(window: GatedWindow): void;
  /** Called when a visit to the host begins. */
  onVisitStarted(): void;
  /** Called when a window that was offered cannot use its turn. */
  onPassedOver(): void;
  /**
   * Called when a visit's requests have ended, with the number of bytes received and the pause of the crawl without what
   * the host asks for or takes.
   */
  onFetched(host: Host, bytes: number, ownPause: Duration): void;
}

/** Windows that are waiting for one gate; those that have URLs are offered in turn. */
export class WaitingWindows {
  private readonly windows = new Set<GatedWindow>();

  /** @param offer puts a window into the ready queues if its host may receive a request */
  constructor(private readonly offer: (window: GatedWindow) => void) {}

  get size(): number {
    return this.windows.size;
  }

  add(window: GatedWindow): void {
    this.windows.add(window);
  }

  /** Offers up to `max` windows; those of resting hosts wait here again once the rest is over. */
  release(max: number): void {
    let released = 0;
    for (const window of [...this.windows]) {
      if (released >= max) return;
      this.windows.delete(window);
      this.offer(window);
      if (window.ready.includes(true)) released++;
    }
  }
}
