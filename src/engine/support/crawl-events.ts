import type { PushOrder } from '../../domain/push/order.js';
import type { CrawlEvent } from '../events.js';
import type { Clock } from '../ports/clock.js';

type WithoutTime<T> = T extends CrawlEvent ? Omit<T, 'at'> : never;

/** Reports events to listeners. An exception in a listener does not affect the crawl. */
export class CrawlEvents {
  private tapListener: ((event: CrawlEvent) => void) | undefined;
  /** Observers receive only this node's events and do not affect `isWatched`. */
  private readonly observers: ((event: CrawlEvent) => void)[] = [];
  private readonly listeners = new Set<(event: CrawlEvent) => void>();

  constructor(private readonly clock: Clock) {}

  subscribe(listener: (event: CrawlEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** True if there is a listener besides the tap. */
  get isWatched(): boolean {
    return this.listeners.size > 0;
  }

  /** Adds an observer for as long as the process lives; it must not throw. */
  observe(observer: (event: CrawlEvent) => void): void {
    this.observers.push(observer);
  }

  /** Sets the one listener that receives only this node's events. */
  tap(listener: (event: CrawlEvent) => void): void {
    this.tapListener = listener;
  }

  emit(event: WithoutTime<CrawlEvent>): void {
    if (this.listeners.size === 0 && this.observers.length === 0 && !this.tapListener) return;
    const timedEvent = { ...event, at: this.clock.now() } as CrawlEvent;
    this.tapListener?.(timedEvent);
    for (const observer of this.observers) observer(timedEvent);
    this.relay(timedEvent);
  }

  /** Passes on an event of another node. */
  relay(event: CrawlEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch {
        this.listeners.delete(listener);
      }
    }
  }

  emitOrder(order: PushOrder, state: string, message?: string): void {
    const { id, crawler, uri, kind, reason } = order;
    this.emit({ type: 'order', crawler, id, uri, kind, state, reason, message });
  }
}
