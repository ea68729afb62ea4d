import type { OrderAnswer, OrderKind } from '../../domain/push/order.js';
import type { WaitingOrder } from './waiting-orders.js';

/** A refusal of which it is not known yet whether the order is the reason, or the sink. */
export interface DoubtfulRefusal {
  readonly waitingOrder: WaitingOrder;
  readonly answer: OrderAnswer & { readonly state: 'refused' };
}

/** Number of refusals in a row, without an order that was accepted, at which the sink is certainly the reason. */
const CERTAIN = 10;
/** The same if no other order has come to prove the opposite. */
const PROBABLE = 3;

/**
 * Tells orders that a sink refuses from a sink that refuses every order, for instance because its index has another
 * mapping, or because a proxy in front of it answers. An order is the reason if the sink accepts another one of its kind
 * in the same batch or later; until then, its refusal is in doubt.
 */
export class Refusals {
  private readonly accepted: Record<OrderKind, number> = { add: 0, delete: 0 };
  /** Refusals in a row, by kind of order. */
  private readonly inARow: Record<OrderKind, number> = { add: 0, delete: 0 };
  private doubtful: DoubtfulRefusal[] = [];
  /** Ids of orders that were given up in doubt since the sink last accepted one of their kind. */
  private readonly givenUp: Record<OrderKind, number[]> = { add: [], delete: [] };
  private wronged: number[] = [];

  /** Takes the answers to a batch, and returns those that may be passed on. */
  review(batch: readonly WaitingOrder[], answers: readonly OrderAnswer[]): [WaitingOrder, OrderAnswer][] {
    const acceptedKinds = new Set<OrderKind>();
    batch.forEach(({ order: { kind } }, i) => {
      if (answers[i]!.state !== 'acknowledged') return;
      this.accepted[kind]++;
      if (this.inARow[kind] >= PROBABLE) this.wronged.push(...this.givenUp[kind]);
      this.givenUp[kind] = [];
      this.inARow[kind] = 0;
      acceptedKinds.add(kind);
    });
    const proven: [WaitingOrder, OrderAnswer][] = [];
    batch.forEach((waitingOrder, i) => {
      const answer = answers[i]!;
      const { kind } = waitingOrder.order;
      const acceptedBefore = waitingOrder.acceptedAtRefusal ?? this.accepted[kind];
      const isToBlame = acceptedKinds.has(kind) || acceptedBefore < this.accepted[kind];
      if (answer.state === 'acknowledged' || answer.unsendable || isToBlame) {
        proven.push([waitingOrder, answer]);
        return;
      }
      waitingOrder.acceptedAtRefusal = this.accepted[kind];
      this.inARow[kind]++;
      this.doubtful.push({ waitingOrder, answer });
    });
    const isProven = ({ waitingOrder }: DoubtfulRefusal): boolean => acceptedKinds.has(waitingOrder.order.kind);
    for (const { waitingOrder, answer } of this.doubtful.filter(isProven)) proven.push([waitingOrder, answer]);
    this.doubtful = this.doubtful.filter((refusal) => !isProven(refusal));
    return proven;
  }

  get hasDoubts(): boolean {
    return this.doubtful.length > 0;
  }

  /** What the sink said about an order whose refusal is in doubt. */
  get lastMessage(): string | undefined {
    return this.doubtful.at(-1)?.answer.message;
  }

  /**
   * Whether the sink refuses everything alike.
   * @param isLast true if no other order is going to prove the opposite soon
   */
  provesIllness(isLast: boolean): boolean {
    return this.doubtful.length > 0 && Math.max(this.inARow.add, this.inARow.delete) >= (isLast ? PROBABLE : CERTAIN);
  }

  /** Whether the sink accepts orders of each kind again. */
  get isOver(): boolean {
    return Math.max(this.inARow.add, this.inARow.delete) < PROBABLE;
  }

  /** Takes out the refusals in doubt. */
  take(): DoubtfulRefusal[] {
    const { doubtful } = this;
    this.doubtful = [];
    return doubtful;
  }

  /** Takes out the refusals in doubt, because nothing has come to prove whose fault they are. */
  giveUp(): DoubtfulRefusal[] {
    const doubtful = this.take();
    for (const { waitingOrder } of doubtful) this.givenUp[waitingOrder.order.kind].push(waitingOrder.order.id);
    return doubtful;
  }

  /** Takes the ids of orders that were given up although, as is known since, the sink refused everything at that time. */
  takeWronged(): number[] {
    const { wronged } = this;
    this.wronged = [];
    return wronged;
  }
}
