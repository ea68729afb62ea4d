/**
 * One client's view of the event stream, reduced to a rate that people and browsers can cope with: at most `perSecond`
 * events of each type per second. Omitted events are counted by type and reported, so that a chart can be scaled up.
 * Memory is bounded: a client that does not read has a short queue, and all further events count as omitted.
 */
import type { Instant } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';

const QUEUE_LIMIT = 200;

export class EventFeed {
  private queue: CrawlEvent[] = [];
  private second = Number.NEGATIVE_INFINITY;
  private inThisSecond = new Map<string, number>();
  private left: Record<string, number> = {};

  constructor(private readonly perSecond: number) {}

  /** @returns whether the event will be sent. */
  offer(event: CrawlEvent, now: Instant): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.inThisSecond.clear();
    }
    const shown = this.inThisSecond.get(event.type) ?? 0;
    if (shown >= this.perSecond || this.queue.length >= QUEUE_LIMIT) {
      this.left[event.type] = (this.left[event.type] ?? 0) + 1;
      return false;
    }
    this.inThisSecond.set(event.type, shown + 1);
    this.queue.push(event);
    return true;
  }

  /** All queued events, and by type how many were omitted since the last call; undefined if there are none. */
  drain(): { readonly events: readonly CrawlEvent[]; readonly dropped?: Readonly<Record<string, number>> } {
    const events = this.queue;
    const dropped = Object.keys(this.left).length > 0 ? this.left : undefined;
    this.queue = [];
    this.left = {};
    return { events, dropped };
  }
}
