import type { Instant } from '../../../domain/time/units.js';
import type { Host } from '../hosts/hosts.js';

/** What gates see of a window. */
export interface GatedWindow {
  readonly host: { readonly key: string };
  readonly limit: number;
  /** By source: it has been offered and not been looked at since. */
  readonly ready: readonly boolean[];
}

/** What a page has to pass beside the politeness of its own host: a schedule, or the pause of hosts that share a server. */
export interface Gate {
  /** From when on a page of the window passes; NEVER when something else has to happen before that can be said. */
  opensAt(now: Instant, window: GatedWindow): Instant;
  /** Offers the window again when it opens. */
  expect(window: GatedWindow): void;
  /** A visit to the host begins. */
  begun(): void;
  /** A window that had been offered gives its turn away. */
  passedOver(): void;
  /** The requests of the visit are over; so many bytes were received. */
  fetched(host: Host, bytes: number): void;
}

/** Of several windows that wait for one gate, hands over those that have something, in turns. */
export class WaitingWindows {
  private readonly windows = new Set<GatedWindow>();

  /** `offer` puts a window into the ready queues, if its host may be asked. */
  constructor(private readonly offer: (window: GatedWindow) => void) {}

  get size(): number {
    return this.windows.size;
  }

  add(window: GatedWindow): void {
    this.windows.add(window);
  }

  /** Up to `most` of them; those whose host rests come by themselves when it does no more. */
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
