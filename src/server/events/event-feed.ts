/**
 * One client's view of the event stream, reduced to a rate that people and browsers can cope with: at most `maxPerSecond`
 * events of each type per second. Omitted events are counted by type and reported, so that a chart can be scaled up.
 * Memory is bounded: a client that does not read has a short queue, and all further events count as omitted.
 */
import type { Instant } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';

const QUEUE_LIMIT = 200;

export class EventFeed {
  private queue: CrawlEvent[] = [];
  private second = Number.NEGATIVE_INFINITY;
  private countsThisSecond = new Map<string, number>();
  private omittedCounts: Record<string, number> = {};

  constructor(private readonly maxPerSecond: number) {}

  /** @returns whether the event will be sent. */
  offer(event: CrawlEvent, now: Instant): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.countsThisSecond.clear();
    }
    const sentCount = this.countsThisSecond.get(event.type) ?? 0;
    if (sentCount >= this.maxPerSecond || this.queue.length >= QUEUE_LIMIT) {
      this.omittedCounts[event.type] = (this.omittedCounts[event.type] ?? 0) + 1;
      return false;
    }
    this.countsThisSecond.set(event.type, sentCount + 1);
    this.queue.push(event);
    return true;
  }

  /** Removes and returns all queued events, and counts by type those omitted since the last call; undefined if none. */
  drain(): { readonly events: readonly CrawlEvent[]; readonly dropped?: Readonly<Record<string, number>> } {
    const events = this.queue;
    const dropped = Object.keys(this.omittedCounts).length > 0 ? this.omittedCounts : undefined;
    this.queue = [];
    this.omittedCounts = {};
    return { events, dropped };
  }
}
