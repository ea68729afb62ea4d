/**
 * Brings orders to the sinks of their crawler. An order is answered when every sink has answered; only then does the caller change
 * what the store knows about the document. What is in flight is bounded: `hasRoom` says whether another page may come.
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
  /** Some sinks have accepted the order and others refuse it. */
  readonly partiallyAccepted: boolean;
}

type AnswerOfSink = Omit<Delivered, 'partiallyAccepted'>;

/** Decided, and not yet answered by every sink. */
export interface InFlight {
  readonly order: PushOrder;
  /** The message of a sink that refused it while another one has not answered yet. */
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
   * With a fence, the order is sent only while that holds. Throws FencedOut when the fence ended before every sink had answered:
   * the new owner of the host decides again.
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

  /** Orders wait for others to share a batch with. If no other can come within that time, they are sent at once. */
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

  /** A refusal names the sink, and is known before the others have answered. */
  private noted(name: string, order: PushOrder, answer: OrderAnswer): OrderAnswer {
    if (answer.state !== 'refused' || answer === WITHDRAWN) return answer;
    const message = `${name}: ${answer.message}`;
    const waiting = this.inFlight.get(order.id);
    if (waiting) waiting.refusal ??= message;
    return { state: 'refused', message };
  }
}
