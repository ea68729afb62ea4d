import type { Instant } from '../../../domain/time/units.js';
import type { Host } from '../hosts/hosts.js';

/** What gates can see of a window. */
export interface GatedWindow {
  readonly host: { readonly key: string };
  readonly limit: number;
  /** By source: offered, and not considered since. */
  readonly ready: readonly boolean[];
}

/** What a page has to pass besides the politeness of its own host: a schedule, or the pause shared by hosts of one server. */
export interface Gate {
  /** When a page of the window may pass; NEVER when something else has to happen before that is known. */
  getOpeningTime(now: Instant, window: GatedWindow): Instant;
  /** Offers the window again when the gate opens. */
  offerWhenOpen(window: GatedWindow): void;
  /** A visit to the host begins. */
  onVisitBegun(): void;
  /** A window that had been offered passes up its turn. */
  onPassedOver(): void;
  /** The requests of the visit have ended; this many bytes were received. */
  onFetched(host: Host, bytes: number): void;
}

/** Several windows that wait for one gate: offers those that have something, in turn. */
export class WaitingWindows {
  private readonly windows = new Set<GatedWindow>();

  /** `offer` puts a window into the ready queues if its host may be asked. */
  constructor(private readonly offer: (window: GatedWindow) => void) {}

  get size(): number {
    return this.windows.size;
  }

  add(window: GatedWindow): void {
    this.windows.add(window);
  }

  /** Offers up to `most` of them; those whose host rests come back by themselves when it no longer does. */
  release(most: number): void {
    let released = 0;
    for (const window of [...this.windows]) {
      if (released >= most) return;
      this.windows.delete(window);
      this.offer(window);
      if (window.ready.includes(true)) released++;
    }
  }
}
