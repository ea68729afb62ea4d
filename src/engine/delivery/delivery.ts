/**
 * Brings orders to the sinks of their crawler. An order is answered when every one of them has answered; the caller moves
 * the store's view of the document only then. What is in flight is bounded: `hasRoom` says whether a page more may come.
 */
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import type { Duration } from '../../domain/time/units.js';
import { type Fence, FencedOut, type Partitions } from '../ports/partitions.js';
import { type SinkQueue, WITHDRAWN } from './sink-queue.js';
import type { SinkView } from './sink-view.js';

export interface DeliveryLimits {
  readonly maxOrders: number;
  readonly maxBytes: number;
}

export interface Delivered {
  readonly answer: OrderAnswer;
  readonly attempts: number;
  /** Some sinks have taken the order that others refuse. */
  readonly partiallyAccepted: boolean;
}

type AnswerOfSink = Omit<Delivered, 'partiallyAccepted'>;

/** Decided and not yet answered by every sink. */
export interface InFlight {
  readonly order: PushOrder;
  /** What a sink said that refused it while another one has not answered. */
  refusal?: string;
}

export class Delivery {
  private sinks = new Map<string, SinkQueue>();
  private readonly inFlight = new Map<number, InFlight>();

  constructor(
    private readonly limits: DeliveryLimits,
    private readonly partitions: Pick<Partitions, 'holds'>,
    /** May another order come within this time? */
    private readonly moreMayCome: (within: Duration) => boolean,
  ) {}

  setSinks(sinks: ReadonlyMap<string, SinkQueue>): void {
    this.sinks = new Map(sinks);
  }

  hasRoom(sinkNames: readonly string[]): boolean {
    return sinkNames.every((name) => {
      const load = this.sinks.get(name)?.load;
      return !load || (load.orders < this.limits.maxOrders && load.bytes < this.limits.maxBytes);
    });
  }

  /**
   * With a fence the order goes out only as long as that holds. Throws FencedOut when it ended before every sink had
   * answered: the new owner of the host decides again.
   */
  async deliver(order: PushOrder, sinkNames: readonly string[], fence?: Fence): Promise<Delivered> {
    this.inFlight.set(order.id, { order });
    try {
      const answers = sinkNames.map((name) => this.deliverTo(name, order, fence));
      this.flushLast();
      const delivered = await Promise.all(answers);
      const withdrawn = delivered.some(({ answer }) => answer === WITHDRAWN);
      if (fence && withdrawn)
        throw new FencedOut(
          [fence],
          delivered.some(({ attempts }) => attempts > 0),
        );
      const refused = delivered.find(({ answer }) => answer.state === 'refused');
      const attempts = Math.max(0, ...delivered.map((one) => one.attempts));
      const partiallyAccepted =
        refused !== undefined && delivered.some(({ answer }) => answer.state === 'acknowledged');
      return { answer: refused?.answer ?? { state: 'acknowledged' }, attempts, partiallyAccepted };
    } finally {
      this.inFlight.delete(order.id);
    }
  }

  /** Oldest first. */
  pending(): InFlight[] {
    return [...this.inFlight.values()];
  }

  /** Orders wait for others to share a batch with. When no other can come in that time, they are sent at once. */
  flushLast(): void {
    const ages = [...this.sinks.values()].flatMap(({ isWaiting, definition }) =>
      isWaiting ? definition.batchAge : [],
    );
    if (ages.length > 0 && !this.moreMayCome(Math.max(...ages) as Duration)) this.flush();
  }

  flush(): void {
    for (const sink of this.sinks.values()) sink.flush();
  }

  views(): SinkView[] {
    return [...this.sinks.values()].map((sink) => sink.view());
  }

  private deliverTo(name: string, order: PushOrder, fence: Fence | undefined): Promise<AnswerOfSink> {
    const sink = this.sinks.get(name);
    if (!sink)
      return Promise.resolve({ answer: { state: 'refused', message: `no sink is named ${name}` }, attempts: 0 });
    return new Promise((resolve) => {
      const mayGo = fence && (() => this.partitions.holds(fence));
      const answered = (answer: OrderAnswer, attempts: number): void =>
        resolve({ answer: this.noted(name, order, answer), attempts });
      sink.add(order, answered, mayGo);
    });
  }

  /** A refusal bears the name of the sink, and is known while others have not answered. */
  private noted(name: string, order: PushOrder, answer: OrderAnswer): OrderAnswer {
    if (answer.state !== 'refused' || answer === WITHDRAWN) return answer;
    const message = `${name}: ${answer.message}`;
    const waiting = this.inFlight.get(order.id);
    if (waiting) waiting.refusal ??= message;
    return { state: 'refused', message };
  }
}
