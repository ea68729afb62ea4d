import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, type Duration, type Instant, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import type { SinkView } from './sink-view.js';
import { estimateSize, sumBytes, type WaitingOrder } from './waiting-order.js';

/** Maximum number of orders and bytes that may be waiting for one sink. */
export interface QueueLimits {
  readonly maxOrders: number;
  readonly maxBytes: number;
}

/** A queue that takes over the orders that a queue out of service has not completed. */
export interface SuccessorQueue {
  /** Also called without orders when a request has ended: orders for its URIs may have been waiting for that. */
  adopt(orders: readonly WaitingOrder[]): void;
}

/** The answer to an order that may no longer be sent. */
export const WITHDRAWN: OrderAnswer = { state: 'refused', message: 'withdrawn: another node owns the host' };

/** The answer to an order that was not sent: the sink is behind, and gets what is indexed once it keeps up again. */
export const PUT_OFF: OrderAnswer = { state: 'refused', message: 'put off: the sink is behind' };

/** The answer to an order whose sink was removed from the configuration or from the crawler before it was sent. */
export const NO_LONGER_WANTED: OrderAnswer = {
  state: 'refused',
  message: 'the sink was removed from the configuration',
};

/** How long an order waits for a sink that is slow or down before it is put off. */
export const MAX_WAIT = minutes(1);

/** Interval at which a sink without orders is probed. */
const PROBE_INTERVAL = minutes(5);

const MIN_RETRY_DELAY = seconds(1);
const MAX_RETRY_DELAY = seconds(60);

/**
 * Holds the orders for one sink until they are answered. Batches are limited by count, bytes and age; several may be in
 * flight at once, but never two orders for one URI. A batch that the sink could not accept returns to the head of the
 * queue and is retried for as long as necessary.
 */
export class SinkQueue implements SuccessorQueue {
  private queue: WaitingOrder[] = [];
  private queuedBytes = 0;
  private batchesInFlight = 0;
  private ordersInFlight = 0;
  private bytesInFlight = 0;
  /** URIs with an order in flight, here or in the queues that this one replaced. */
  private urisInFlight = new Set<string>();
  private retries = 0;
  private nextAttemptAt: Instant | undefined;
  /** Since when the sink has been unavailable. */
  private unhealthySince: Instant | undefined;
  private message: string | undefined;
  private acknowledged = 0;
  private refused = 0;
  private lastRefusal: string | undefined;
  private cancelTimer: (() => void) | undefined;
  private cancelProbe: (() => void) | undefined;
  private cancelPutOffTimer: (() => void) | undefined;
  private readonly abortController = new AbortController();
  private successor: SuccessorQueue | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    readonly definition: SinkDefinition,
    readonly sink: Sink & { readonly warning?: string | undefined },
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly onChange: (event: { state: SinkView['state']; message?: string } | undefined) => void,
  ) {
    this.probeLater();
  }

  /** Number of orders and bytes waiting or in flight. */
  get load(): { orders: number; bytes: number } {
    return { orders: this.queue.length + this.ordersInFlight, bytes: this.queuedBytes + this.bytesInFlight };
  }

  /** Whether there is an order that is not part of a request yet. */
  get isWaiting(): boolean {
    return this.queue.length > 0;
  }

  /** True if orders are waiting here and none is being sent, because the sink is unavailable. */
  get isBlocked(): boolean {
    return this.unhealthySince !== undefined && this.ordersInFlight === 0 && this.queue.length > 0;
  }

  add(
    order: PushOrder,
    onAnswer: WaitingOrder['onAnswer'],
    conditions: Pick<WaitingOrder, 'maySend' | 'isWanted' | 'mayPutOff'> = {},
  ): void {
    const bytes = estimateSize(order);
    this.queue.push({ order, bytes, since: this.clock.now(), onAnswer, ...conditions, attempts: 0 });
    this.queuedBytes += bytes;
    this.send();
    if (conditions.mayPutOff) this.armPutOffTimer();
  }

  /**
   * To be called when another sink has answered the order: it must not wait here if this sink has been unavailable for
   * a while, or is full.
   */
  putOffIfBehind(order: PushOrder, limits: QueueLimits): void {
    const waitingOrder = this.queue.find((candidate) => candidate.order === order);
    if (waitingOrder && (this.isBehind(waitingOrder, limits) || this.isLate(waitingOrder))) this.putOff([waitingOrder]);
  }

  /**
   * To be called when the process is about to end or to give up hosts: orders that are waiting for an unavailable sink
   * are put off if they may be.
   */
  expedite(): void {
    if (this.unhealthySince !== undefined) this.putOff(this.queue.filter(({ mayPutOff }) => mayPutOff?.()));
  }

  toView(): SinkView {
    const { orders, bytes } = this.load;
    return {
      name: this.definition.name,
      type: this.definition.type,
      state: this.retries > 0 ? 'unavailable' : 'ready',
      message: this.message,
      pending: orders,
      pendingBytes: bytes,
      acknowledged: this.acknowledged,
      refused: this.refused,
      lastRefusal: this.lastRefusal,
      nextAttemptAt: this.nextAttemptAt,
      comparable: this.sink.listEntries !== undefined,
      connector: this.definition.type === 'papi' ? this.definition.options.connector : undefined,
      warning: this.sink.warning,
    };
  }

  /** Sends what is queued without waiting for a full batch. */
  flush(): void {
    this.send(true);
  }

  /**
   * Replaces the queue of the same destination with different settings: orders in flight there hold up later orders for
   * their URIs here.
   */
  replace(previous: SinkQueue): void {
    this.urisInFlight = previous.urisInFlight;
    previous.retire(this);
  }

  /** Stops sending. Waiting orders go to the successor, and so does each batch in flight that fails. */
  retire(successor: SuccessorQueue): void {
    const { queue } = this;
    this.queue = [];
    this.queuedBytes = 0;
    this.successor = successor;
    this.cancelTimers();
    successor.adopt(queue);
    if (this.batchesInFlight === 0) void this.close();
  }

  /** Puts the orders at the head: they are older than those waiting here. */
  adopt(orders: readonly WaitingOrder[]): void {
    if (this.successor) {
      this.successor.adopt(orders);
      return;
    }
    this.queue = [...orders, ...this.queue];
    this.queuedBytes += sumBytes(orders);
    this.putOffLateOrders();
    this.send();
    this.armPutOffTimer();
  }

  get closed(): boolean {
    return this.closing !== undefined;
  }

  close(): Promise<void> {
    this.cancelTimers();
    this.abortController.abort();
    this.closing ??= this.sink.close();
    return this.closing;
  }

  private cancelTimers(): void {
    this.cancelTimer?.();
    this.cancelProbe?.();
    this.cancelPutOffTimer?.();
  }

  /** The order itself is not counted, so that an order larger than the room is accepted if nothing else is waiting. */
  private isBehind({ bytes }: WaitingOrder, { maxOrders, maxBytes }: QueueLimits): boolean {
    const { load } = this;
    return (
      (this.unhealthySince !== undefined && after(this.unhealthySince, MAX_WAIT) <= this.clock.now()) ||
      load.orders - 1 >= maxOrders ||
      load.bytes - bytes >= maxBytes
    );
  }

  private isLate({ since }: WaitingOrder): boolean {
    return after(since, MAX_WAIT) <= this.clock.now();
  }

  private putOff(orders: readonly WaitingOrder[]): void {
    if (orders.length === 0) return;
    const putOffOrders = new Set(orders);
    this.queue = this.queue.filter((waitingOrder) => !putOffOrders.has(waitingOrder));
    this.queuedBytes -= sumBytes(orders);
    for (const { onAnswer, attempts } of orders) onAnswer(PUT_OFF, attempts);
  }

  private putOffLateOrders(): void {
    const [firstOrder] = this.queue;
    if (firstOrder && this.isLate(firstOrder))
      this.putOff(this.queue.filter((waitingOrder) => this.isLate(waitingOrder) && waitingOrder.mayPutOff?.()));
  }

  /** Wakes up when the next order has waited for the maximum time. */
  private armPutOffTimer(): void {
    if (this.cancelPutOffTimer || this.closed || this.successor) return;
    const nextOrder = this.queue.find((waitingOrder) => waitingOrder.mayPutOff && !this.isLate(waitingOrder));
    if (!nextOrder) return;
    this.cancelPutOffTimer = this.clock.at(after(nextOrder.since, MAX_WAIT), () => {
      this.cancelPutOffTimer = undefined;
      this.putOffLateOrders();
      this.armPutOffTimer();
    });
  }

  private send(immediately = false): void {
    while (!this.closed && this.batchesInFlight < this.definition.concurrency && this.isDue(immediately)) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      void this.deliver(batch);
    }
    this.armTimer();
  }

  private isDue(immediately: boolean): boolean {
    const firstOrder = this.queue[0];
    if (!firstOrder) return false;
    if (this.nextAttemptAt !== undefined && this.clock.now() < this.nextAttemptAt) return false;
    if (this.retries > 0 && this.batchesInFlight > 0) return false; // an unavailable sink receives one request at a time
    if (immediately || this.retries > 0) return true;
    const { batchDocuments, batchBytes, batchAge } = this.definition;
    return (
      this.queue.length >= batchDocuments ||
      this.queuedBytes >= batchBytes ||
      this.clock.now() - firstOrder.since >= batchAge
    );
  }

  private takeBatch(): WaitingOrder[] {
    const { batchDocuments, batchBytes } = this.definition;
    const batch: WaitingOrder[] = [];
    const remaining: WaitingOrder[] = [];
    const droppedOrders: [WaitingOrder, OrderAnswer][] = [];
    const passedOver = new Set<string>();
    let bytes = 0;
    let i = 0;
    for (; i < this.queue.length && batch.length < batchDocuments; i++) {
      const waitingOrder = this.queue[i]!;
      const { uri } = waitingOrder.order;
      const objection = findObjection(waitingOrder);
      if (objection) {
        droppedOrders.push([waitingOrder, objection]);
        continue;
      }
      // An order waits while its URI is in flight, and so do later ones for that URI; all others overtake it.
      if (this.urisInFlight.has(uri) || passedOver.has(uri)) {
        remaining.push(waitingOrder);
        passedOver.add(uri);
        continue;
      }
      if (batch.length > 0 && bytes + waitingOrder.bytes > batchBytes) break;
      bytes += waitingOrder.bytes;
      batch.push(waitingOrder);
      passedOver.add(uri);
    }
    for (const waitingOrder of batch) this.urisInFlight.add(waitingOrder.order.uri);
    this.queue = [...remaining, ...this.queue.slice(i)];
    this.queuedBytes -= bytes + sumBytes(droppedOrders.map(([waitingOrder]) => waitingOrder));
    for (const [{ onAnswer, attempts }, objection] of droppedOrders) onAnswer(objection, attempts);
    return batch;
  }

  private async deliver(batch: WaitingOrder[]): Promise<void> {
    const bytes = sumBytes(batch);
    this.batchesInFlight++;
    this.ordersInFlight += batch.length;
    this.bytesInFlight += bytes;
    for (const waitingOrder of batch) waitingOrder.attempts++;
    let answers: OrderAnswer[] | undefined;
    try {
      answers = await this.sink.deliver(
        batch.map((waitingOrder) => waitingOrder.order),
        this.abortController.signal,
      );
    } catch (error) {
      this.handleFailure(error);
    }
    this.batchesInFlight--;
    this.ordersInFlight -= batch.length;
    this.bytesInFlight -= bytes;
    for (const waitingOrder of batch) this.urisInFlight.delete(waitingOrder.order.uri);
    if (answers) this.handleAnswers(batch, answers);
    if (this.closed) return; // the next start finds the orders again
    this.adopt(answers ? [] : batch);
    if (this.successor && this.batchesInFlight === 0) void this.close();
  }

  private handleAnswers(batch: WaitingOrder[], answers: readonly OrderAnswer[]): void {
    batch.forEach((waitingOrder, i) => {
      const answer = answers[i]!;
      if (answer.state === 'acknowledged') this.acknowledged++;
      else {
        this.refused++;
        this.lastRefusal = answer.message;
      }
      waitingOrder.onAnswer(answer, waitingOrder.attempts);
    });
    this.handleRecovery();
  }

  private handleFailure(error: unknown): void {
    if (this.closed || this.successor) return;
    const message = error instanceof Error ? error.message : String(error);
    const requestedWait = error instanceof SinkUnavailable ? error.retryAfterMs : undefined;
    const delay = Math.min(requestedWait ?? MIN_RETRY_DELAY * 2 ** Math.min(this.retries, 10), MAX_RETRY_DELAY);
    if (this.retries === 0)
      this.log.warn('a sink is unavailable, so its orders are waiting', { sink: this.sink.name, message });
    this.unhealthySince ??= this.clock.now();
    this.retries++;
    this.message = message;
    this.nextAttemptAt = after(this.clock.now(), milliseconds(delay));
    this.onChange({ state: 'unavailable', message });
  }

  private probeLater(): void {
    if (!this.sink.probe || this.closed || this.successor) return;
    this.cancelProbe = this.clock.at(after(this.clock.now(), PROBE_INTERVAL), () => {
      void this.probe().finally(() => this.probeLater());
    });
  }

  /** Probes only if no orders are waiting or in flight, since their answers show the state of the sink. */
  private async probe(): Promise<void> {
    if (this.load.orders > 0) return;
    const answeredBefore = this.acknowledged + this.refused;
    try {
      await this.sink.probe!(this.abortController.signal);
      if (this.retries > 0 && this.load.orders === 0) this.handleRecovery();
    } catch (error) {
      if (this.load.orders === 0 && answeredBefore === this.acknowledged + this.refused) this.handleFailure(error);
    }
  }

  private handleRecovery(): void {
    const wasUnavailable = this.retries > 0;
    this.retries = 0;
    this.unhealthySince = undefined;
    this.nextAttemptAt = undefined;
    this.message = undefined;
    if (wasUnavailable) this.log.info('a sink is available again', { sink: this.sink.name });
    this.onChange(wasUnavailable ? { state: 'ready' } : undefined);
  }

  /** Wakes up when the oldest order has reached the maximum age of a batch, or the next attempt is due. */
  private armTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const firstOrder = this.queue[0];
    if (!firstOrder || this.closed || this.batchesInFlight >= this.definition.concurrency) return;
    const age: Duration = this.definition.batchAge;
    const at = this.nextAttemptAt ?? after(firstOrder.since, age);
    if (at <= this.clock.now() && this.urisInFlight.size > 0) return; // called again when a batch in flight ends
    this.cancelTimer = this.clock.at(at, () => {
      this.cancelTimer = undefined;
      this.send();
    });
  }
}

/** Returns the answer to an order that is not sent any more; undefined if it is. */
function findObjection({ maySend, isWanted }: WaitingOrder): OrderAnswer | undefined {
  if (maySend?.() === false) return WITHDRAWN;
  return isWanted?.() === false ? NO_LONGER_WANTED : undefined;
}
