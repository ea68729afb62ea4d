/**
 * Brings orders to the sinks of their crawler. An order is answered when every one of them has answered; the caller moves
 * the store's view of the document only then. What is under way is bounded: `hasRoom` says whether a page more may come.
 */
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import type { SinkView } from '../engine-api.js';
import type { SinkQueue } from './sink-queue.js';

export interface DeliveryLimits {
  readonly maxOrders: number;
  readonly maxBytes: number;
}

export interface Delivered {
  readonly answer: OrderAnswer;
  readonly attempts: number;
}

export class Delivery {
  private sinks = new Map<string, SinkQueue>();
  private readonly underWay = new Map<number, PushOrder>();

  constructor(private readonly limits: DeliveryLimits) {}

  setSinks(sinks: ReadonlyMap<string, SinkQueue>): void {
    this.sinks = new Map(sinks);
  }

  hasRoom(sinkNames: readonly string[]): boolean {
    return sinkNames.every((name) => {
      const load = this.sinks.get(name)?.load;
      return !load || (load.orders < this.limits.maxOrders && load.bytes < this.limits.maxBytes);
    });
  }

  async deliver(order: PushOrder, sinkNames: readonly string[]): Promise<Delivered> {
    this.underWay.set(order.id, order);
    try {
      const delivered = await Promise.all(sinkNames.map((name) => this.deliverTo(name, order)));
      const refused = delivered.find(({ answer }) => answer.state === 'refused');
      const attempts = Math.max(0, ...delivered.map((one) => one.attempts));
      return { answer: refused?.answer ?? { state: 'acknowledged' }, attempts };
    } finally {
      this.underWay.delete(order.id);
    }
  }

  /** Decided and not yet answered, oldest first. */
  pending(): PushOrder[] {
    return [...this.underWay.values()];
  }

  flush(): void {
    for (const sink of this.sinks.values()) sink.flush();
  }

  views(): SinkView[] {
    return [...this.sinks.values()].map((sink) => sink.view());
  }

  private deliverTo(name: string, order: PushOrder): Promise<Delivered> {
    const sink = this.sinks.get(name);
    if (!sink)
      return Promise.resolve({ answer: { state: 'refused', message: `no sink is named ${name}` }, attempts: 0 });
    return new Promise((resolve) => {
      sink.add(order, (answer, attempts) => {
        const told: OrderAnswer =
          answer.state === 'refused' ? { state: 'refused', message: `${name}: ${answer.message}` } : answer;
        resolve({ answer: told, attempts });
      });
    });
  }
}
