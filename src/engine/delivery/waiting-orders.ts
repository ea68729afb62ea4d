import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, type Instant, minutes } from '../../domain/time/units.js';

/** How long an order waits for a sink that is slow or down before it is put off. */
export const MAX_WAIT = minutes(1);

/** The answer to an order that may no longer be sent. */
export const WITHDRAWN: OrderAnswer = { state: 'refused', message: 'withdrawn: another node owns the host' };

/** The answer to an order that was not sent: the sink is behind, and gets what is indexed once it keeps up again. */
export const PUT_OFF: OrderAnswer = { state: 'refused', message: 'put off: the sink is behind' };

/** The answer to an order whose sink was removed from the configuration or from the crawler before it was sent. */
export const NO_LONGER_WANTED: OrderAnswer = {
  state: 'refused',
  message: 'the sink was removed from the configuration',
};

/** An order in the queue of a sink. */
export interface WaitingOrder {
  readonly order: PushOrder;
  readonly bytes: number;
  readonly since: Instant;
  readonly onAnswer: (answer: OrderAnswer, attempts: number) => void;
  /** Checked before each attempt; absent if the order may always be sent. */
  readonly maySend?: () => boolean;
  /** Checked before each attempt: whether the crawler still pushes to the sink; absent if that does not matter. */
  readonly isWanted?: () => boolean;
  /** Whether the order may be put off if the sink is slow or down; absent if it may not. */
  readonly mayPutOff?: () => boolean;
  attempts: number;
  /** Number of orders of its kind that the sink had accepted when it last refused this one; see Refusals. */
  acceptedAtRefusal?: number;
}

/** The size of a deletion in a batch: its URI and the markup around it. */
const DELETION_BYTES = 256;

/** The orders for a sink that are not part of a request yet, oldest first. */
export class WaitingOrders {
  private orders: WaitingOrder[] = [];
  private totalBytes = 0;

  get count(): number {
    return this.orders.length;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  get first(): WaitingOrder | undefined {
    return this.orders[0];
  }

  add(order: Omit<WaitingOrder, 'bytes' | 'attempts'>): void {
    const bytes = estimateSize(order.order);
    this.orders.push({ ...order, bytes, attempts: 0 });
    this.totalBytes += bytes;
  }

  /** Puts the orders at the head: they are older than those waiting here. */
  addOlder(orders: readonly WaitingOrder[]): void {
    this.orders = [...orders, ...this.orders];
    this.totalBytes += sumBytes(orders);
  }

  takeAll(): WaitingOrder[] {
    const { orders } = this;
    this.orders = [];
    this.totalBytes = 0;
    return orders;
  }

  find(isWanted: (order: WaitingOrder) => boolean): WaitingOrder | undefined {
    return this.orders.find(isWanted);
  }

  /**
   * Puts the orders that were tried least often first, without changing the sequence of those for one URI: a sink that
   * refuses some orders is asked with others.
   */
  putLeastTriedFirst(): void {
    const firsts = new Map<string, WaitingOrder>();
    for (const waitingOrder of this.orders)
      if (!firsts.has(waitingOrder.order.uri)) firsts.set(waitingOrder.order.uri, waitingOrder);
    const isFirst = new Set(firsts.values());
    const sorted = [...isFirst].sort((left, right) => left.attempts - right.attempts);
    this.orders = [...sorted, ...this.orders.filter((waitingOrder) => !isFirst.has(waitingOrder))];
  }

  /** Answers the matching orders without sending them. */
  putOff(isChosen: (order: WaitingOrder) => boolean | undefined): void {
    const chosen = this.orders.filter(isChosen);
    if (chosen.length === 0) return;
    const putOffOrders = new Set(chosen);
    this.orders = this.orders.filter((waitingOrder) => !putOffOrders.has(waitingOrder));
    this.totalBytes -= sumBytes(chosen);
    for (const { onAnswer, attempts } of chosen) onAnswer(PUT_OFF, attempts);
  }

  /** Puts off orders that have waited for the maximum time, if they may be. */
  putOffLate(now: Instant): void {
    this.putOff((waitingOrder) => isLate(waitingOrder, now) && waitingOrder.mayPutOff?.());
  }

  /** Finds the next order that can be put off once it has waited for the maximum time. */
  findNextToPutOff(now: Instant): WaitingOrder | undefined {
    return this.orders.find((waitingOrder) => waitingOrder.mayPutOff && !isLate(waitingOrder, now));
  }

  /**
   * Takes the orders of the next request, and answers those that are no longer to be sent. An order waits while its URI
   * is in flight, and so do later ones for that URI; all others overtake it.
   * @param urisInFlight the URIs of the batch are added before anything is answered
   */
  takeBatch(maxOrders: number, maxBytes: number, urisInFlight: Set<string>): WaitingOrder[] {
    const batch: WaitingOrder[] = [];
    const remaining: WaitingOrder[] = [];
    const droppedOrders: [WaitingOrder, OrderAnswer][] = [];
    const passedOver = new Set<string>();
    let bytes = 0;
    let i = 0;
    for (; i < this.orders.length && batch.length < maxOrders; i++) {
      const waitingOrder = this.orders[i]!;
      const { uri } = waitingOrder.order;
      const objection = findObjection(waitingOrder);
      if (objection) {
        droppedOrders.push([waitingOrder, objection]);
        continue;
      }
      if (urisInFlight.has(uri) || passedOver.has(uri)) {
        remaining.push(waitingOrder);
        continue;
      }
      if (batch.length > 0 && bytes + waitingOrder.bytes > maxBytes) break;
      bytes += waitingOrder.bytes;
      batch.push(waitingOrder);
      passedOver.add(uri);
    }
    for (const { order } of batch) urisInFlight.add(order.uri);
    this.orders = [...remaining, ...this.orders.slice(i)];
    this.totalBytes -= bytes + sumBytes(droppedOrders.map(([waitingOrder]) => waitingOrder));
    for (const [{ onAnswer, attempts }, objection] of droppedOrders) onAnswer(objection, attempts);
    return batch;
  }
}

export const sumBytes = (orders: readonly WaitingOrder[]): number => orders.reduce((sum, { bytes }) => sum + bytes, 0);

/** Whether the order has waited for the maximum time. */
export const isLate = ({ since }: WaitingOrder, now: Instant): boolean => after(since, MAX_WAIT) <= now;

const estimateSize = (order: PushOrder): number =>
  order.kind === 'add' ? order.document.master.bytes.byteLength + order.document.text.length : DELETION_BYTES;

/** Returns the answer to an order that is not sent any more; undefined if it is. */
function findObjection({ maySend, isWanted }: WaitingOrder): OrderAnswer | undefined {
  if (maySend?.() === false) return WITHDRAWN;
  return isWanted?.() === false ? NO_LONGER_WANTED : undefined;
}
