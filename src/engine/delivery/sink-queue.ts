import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, type Instant, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import { deliverApart } from './deliver-apart.js';
import { Refusals } from './refusals.js';
import type { SinkView } from './sink-view.js';
import { Suspects } from './suspects.js';
import { isLate, MAX_WAIT, sumBytes, type WaitingOrder, WaitingOrders } from './waiting-orders.js';

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

/** Interval at which a sink without orders is probed. */
const PROBE_INTERVAL = minutes(5);

/** Maximum number of orders with which a sink is asked that refuses every order. */
const MAX_TRIED = 10;

const MIN_RETRY_DELAY = seconds(1);
const MAX_RETRY_DELAY = seconds(60);

/**
 * Holds the orders for one sink until they are answered. Batches are limited by count, bytes and age; several may be in
 * flight at once, but never two orders for one URI. A batch that the sink could not accept returns to the head of the
 * queue and is retried for as long as necessary.
 */
export class SinkQueue implements SuccessorQueue {
  private readonly queue = new WaitingOrders();
  private batchesInFlight = 0;
  private ordersInFlight = 0;
  private bytesInFlight = 0;
  /** URIs with an order in flight, here or in the queues that this one replaced. */
  private urisInFlight = new Set<string>();
  private readonly refusals = new Refusals();
  private readonly suspects = new Suspects();
  /** True while the sink refuses every order alike. */
  private refusesAll = false;
  private cancelDoubtTimer: (() => void) | undefined;
  private retries = 0;
  private nextAttemptAt: Instant | undefined;
  /** Since when the sink has been unavailable. */
  private unhealthySince: Instant | undefined;
  private message: string | undefined;
  private acknowledged = 0;
  private refused = 0;
  private superseded = 0;
  private lastRefusal: string | undefined;
  private cancelTimer: (() => void) | undefined;
  private timerAt: Instant | undefined;
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
    /** Called with the ids of orders that were refused only because the sink refused everything, and accepts orders again. */
    private readonly onWronged: (ids: readonly number[]) => void = () => undefined,
  ) {
    this.probeLater();
  }

  /** Number of orders and bytes waiting or in flight. */
  get load(): { orders: number; bytes: number } {
    return { orders: this.queue.count + this.ordersInFlight, bytes: this.queue.bytes + this.bytesInFlight };
  }

  /** Whether there is an order that is not part of a request yet. */
  get isWaiting(): boolean {
    return this.queue.count > 0;
  }

  /** True if orders are waiting here and none is being sent, because the sink is unavailable. */
  get isBlocked(): boolean {
    return this.unhealthySince !== undefined && this.ordersInFlight === 0 && this.isWaiting;
  }

  add(
    order: PushOrder,
    onAnswer: WaitingOrder['onAnswer'],
    conditions: Pick<WaitingOrder, 'maySend' | 'isWanted' | 'mayPutOff'> = {},
  ): void {
    this.queue.add({ order, since: this.clock.now(), onAnswer, ...conditions });
    this.send();
    if (conditions.mayPutOff) this.armPutOffTimer();
  }

  /**
   * To be called when another sink has answered the order: it must not wait here if this sink has been unavailable for
   * a while, or is full.
   */
  putOffIfBehind(order: PushOrder, limits: QueueLimits): void {
    const waitingOrder = this.queue.find((candidate) => candidate.order === order);
    if (waitingOrder && (this.isBehind(waitingOrder, limits) || isLate(waitingOrder, this.clock.now())))
      this.queue.putOff((candidate) => candidate === waitingOrder);
  }

  /**
   * To be called when the process is about to end or to give up hosts: orders that are waiting for an unavailable sink
   * are put off if they may be.
   */
  expedite(): void {
    if (this.unhealthySince !== undefined) this.queue.putOff(({ mayPutOff }) => mayPutOff?.());
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
      superseded: this.superseded,
      lastRefusal: this.refusals.lastMessage ?? this.lastRefusal,
      nextAttemptAt: this.nextAttemptAt,
      comparable: this.sink.listEntries !== undefined,
      alias: this.sink.alias?.name,
      adoptable: this.sink.foreign !== undefined || this.sink.listEntries !== undefined,
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
    this.acknowledged = previous.acknowledged;
    this.refused = previous.refused;
    this.superseded = previous.superseded;
    this.lastRefusal = previous.lastRefusal;
    previous.retire(this);
  }

  /** Stops sending. Waiting orders go to the successor, and so does each batch in flight that fails. */
  retire(successor: SuccessorQueue): void {
    this.cancelTimers();
    this.takeBackDoubtful();
    this.successor = successor;
    successor.adopt(this.queue.takeAll());
    if (this.batchesInFlight === 0) void this.close();
  }

  /** Puts the orders at the head: they are older than those waiting here. */
  adopt(orders: readonly WaitingOrder[]): void {
    if (this.successor) this.successor.adopt(orders);
    else {
      this.queue.addOlder(orders);
      this.queue.putOffLate(this.clock.now());
      this.send();
      this.armPutOffTimer();
    }
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
    this.cancelDoubtTimer?.();
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

  /** Wakes up when the next order has waited for the maximum time. */
  private armPutOffTimer(): void {
    if (this.cancelPutOffTimer || this.closed || this.successor) return;
    const nextOrder = this.queue.findNextToPutOff(this.clock.now());
    if (!nextOrder) return;
    this.cancelPutOffTimer = this.clock.at(after(nextOrder.since, MAX_WAIT), () => {
      this.cancelPutOffTimer = undefined;
      this.queue.putOffLate(this.clock.now());
      this.armPutOffTimer();
    });
  }

  private send(immediately = false): void {
    while (!this.closed && this.batchesInFlight < this.definition.concurrency && this.isDue(immediately)) {
      const { batchDocuments, batchBytes } = this.definition;
      if (this.refusesAll || this.suspects.isAlone) this.queue.putLeastTriedFirst();
      const maxOrders = this.suspects.limitBatch(
        this.refusesAll ? Math.min(batchDocuments, MAX_TRIED) : batchDocuments,
      );
      const batch = this.queue.takeBatch(maxOrders, batchBytes, this.urisInFlight);
      if (batch.length === 0) return;
      void this.deliver(batch);
    }
    this.armTimer();
  }

  private isDue(immediately: boolean): boolean {
    const firstOrder = this.queue.first;
    if (!firstOrder) return false;
    if (this.nextAttemptAt !== undefined && this.clock.now() < this.nextAttemptAt) return false;
    if (this.retries > 0 && this.batchesInFlight > 0) return false; // an unavailable sink receives one request at a time
    if (immediately || this.retries > 0) return true;
    const { batchDocuments, batchBytes, batchAge } = this.definition;
    return (
      this.queue.count >= batchDocuments ||
      this.queue.bytes >= batchBytes ||
      this.clock.now() - firstOrder.since >= batchAge
    );
  }

  private async deliver(batch: WaitingOrder[]): Promise<void> {
    this.batchesInFlight++;
    this.ordersInFlight += batch.length;
    this.bytesInFlight += sumBytes(batch);
    for (const waitingOrder of batch) waitingOrder.attempts++;
    let answers: OrderAnswer[] | undefined;
    try {
      const orders = batch.map(({ order }) => order);
      answers = await deliverApart(this.sink, orders, this.abortController.signal);
      this.suspects.noteAccepted(batch);
    } catch (error) {
      answers =
        this.closed || this.successor ? undefined : this.suspects.judge(batch, error, this.retries, this.clock.now());
      if (!answers) this.handleFailure(error);
    }
    this.batchesInFlight--;
    if (answers) this.handleAnswers(batch, answers);
    else this.release(batch);
    if (this.closed) return; // the next start finds the orders again
    this.adopt(answers ? [] : batch);
    if (this.successor && this.batchesInFlight === 0) void this.close();
  }

  /** The orders are no longer in flight. */
  private release(orders: readonly WaitingOrder[]): void {
    this.ordersInFlight -= orders.length;
    this.bytesInFlight -= sumBytes(orders);
    for (const { order } of orders) this.urisInFlight.delete(order.uri);
  }

  /** An order whose refusal is in doubt stays in flight: later orders for its URI wait. */
  private handleAnswers(batch: WaitingOrder[], answers: readonly OrderAnswer[]): void {
    const proven = this.refusals.review(batch, answers);
    this.release(proven.map(([waitingOrder]) => waitingOrder));
    for (const [waitingOrder, answer] of proven) this.passOn(waitingOrder, answer);
    const wronged = this.refusals.takeWronged();
    if (wronged.length > 0) this.onWronged(wronged);
    if (!this.refusals.hasDoubts) {
      if (!this.refusesAll || this.refusals.isOver) this.handleRecovery();
    } else if (this.closed || this.successor) this.takeBackDoubtful();
    else if (this.refusesAll || this.refusals.provesIllness(false)) this.handleRefusalOfAll();
    else this.armDoubtTimer();
  }

  private passOn({ onAnswer, attempts }: WaitingOrder, answer: OrderAnswer): void {
    if (answer.state === 'acknowledged') {
      this.acknowledged++;
      if (answer.supersededBy !== undefined) this.superseded++;
    } else {
      this.refused++;
      this.lastRefusal = answer.message;
    }
    onAnswer(answer, attempts);
  }

  /** Waits for an order that proves that the sink accepts others; if none comes, the orders are to blame, unless there are several. */
  private armDoubtTimer(): void {
    if (this.retries > 0) this.handleRecovery();
    this.cancelDoubtTimer ??= this.clock.at(after(this.clock.now(), MAX_WAIT), () => {
      this.cancelDoubtTimer = undefined;
      if (this.refusals.provesIllness(true)) this.handleRefusalOfAll();
      else {
        const doubtful = this.refusals.giveUp();
        this.release(doubtful.map(({ waitingOrder }) => waitingOrder));
        for (const { waitingOrder, answer } of doubtful) this.passOn(waitingOrder, answer);
        this.handleRecovery();
      }
      this.adopt([]);
    });
  }

  /** Puts the orders whose refusal is in doubt back into the queue, and returns what the sink said. */
  private takeBackDoubtful(): string | undefined {
    const doubtful = this.refusals.take();
    const orders = doubtful.map(({ waitingOrder }) => waitingOrder);
    this.release(orders);
    if (this.successor) this.successor.adopt(orders);
    else this.queue.addOlder(orders);
    return doubtful.at(-1)?.answer.message;
  }

  private handleRefusalOfAll(): void {
    this.cancelDoubtTimer?.();
    this.cancelDoubtTimer = undefined;
    const message = `the sink refuses every order: ${this.takeBackDoubtful()}`;
    this.refusesAll = true;
    this.handleFailure(new SinkUnavailable(message));
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
    this.refusesAll = false;
    this.unhealthySince = undefined;
    this.nextAttemptAt = undefined;
    this.message = undefined;
    if (wasUnavailable) this.log.info('a sink is available again', { sink: this.sink.name });
    this.onChange(wasUnavailable ? { state: 'ready' } : undefined);
  }

  /** Wakes up when the oldest order has reached the maximum age of a batch, or the next attempt is due. */
  private armTimer(): void {
    const { first } = this.queue;
    const isFull = this.closed || this.batchesInFlight >= this.definition.concurrency;
    const due = first && !isFull ? (this.nextAttemptAt ?? after(first.since, this.definition.batchAge)) : undefined;
    // If orders in flight hold it up, this is called again when their batch ends.
    const at = due !== undefined && due <= this.clock.now() && this.urisInFlight.size > 0 ? undefined : due;
    if (at === this.timerAt) return;
    this.cancelTimer?.();
    this.timerAt = at;
    if (at === undefined) return;
    this.cancelTimer = this.clock.at(at, () => {
      this.timerAt = undefined;
      this.send();
    });
  }
}
