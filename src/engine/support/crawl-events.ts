import type { PushOrder } from '../../domain/push/order.js';
import type { CrawlEvent } from '../events.js';
import type { Clock } from '../ports/clock.js';

type WithoutTime<T> = T extends CrawlEvent ? Omit<T, 'at'> : never;

/** Tells listeners what happens. An exception of a listener does not affect the crawl. */
export class CrawlEvents {
  private tapped: ((event: CrawlEvent) => void) | undefined;
  /** They receive events of this node only, and do not subscribe to those of others. */
  private readonly observers: ((event: CrawlEvent) => void)[] = [];
  private readonly listeners = new Set<(event: CrawlEvent) => void>();

  constructor(private readonly clock: Clock) {}

  subscribe(listener: (event: CrawlEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** There is a listener besides the tap. */
  get isWatched(): boolean {
    return this.listeners.size > 0;
  }

  /** For as long as the process lives; must not throw. */
  observe(observer: (event: CrawlEvent) => void): void {
    this.observers.push(observer);
  }

  /** What happens on this node alone. */
  tap(listener: (event: CrawlEvent) => void): void {
    this.tapped = listener;
  }

  emit(event: WithoutTime<CrawlEvent>): void {
    if (this.listeners.size === 0 && this.observers.length === 0 && !this.tapped) return;
    const stamped = { ...event, at: this.clock.now() } as CrawlEvent;
    this.tapped?.(stamped);
    for (const observer of this.observers) observer(stamped);
    this.relay(stamped);
  }

  /** Something that happened on another node. */
  relay(stamped: CrawlEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(stamped);
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
