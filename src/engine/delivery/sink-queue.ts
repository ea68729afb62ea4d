import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, type Duration, type Instant, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import type { SinkView } from './sink-view.js';

export interface Waiting {
  readonly order: PushOrder;
  readonly bytes: number;
  readonly since: Instant;
  readonly onAnswer: (answer: OrderAnswer, attempts: number) => void;
  /** Checked before each attempt; absent if the order may always be sent. */
  readonly maySend?: () => boolean;
  /** Whether the order may be put off if the sink is slow or down; absent if it may not. */
  readonly mayPutOff?: () => boolean;
  attempts: number;
}

/** Maximum number of orders and bytes that may be waiting for one sink. */
export interface Room {
  readonly maxOrders: number;
  readonly maxBytes: number;
}

/** A queue that takes over the orders that a queue out of service has not completed. */
export interface SuccessorQueue {
  /** Also called without orders when a request has ended: orders for its URIs may have been waiting for that. */
  adopt(orders: readonly Waiting[]): void;
}

/** The answer to an order that may no longer be sent. */
export const WITHDRAWN: OrderAnswer = { state: 'refused', message: 'withdrawn: another node owns the host' };

/** The answer to an order that was not sent: the sink is behind, and gets what is indexed once it follows again. */
export const PUT_OFF: OrderAnswer = { state: 'refused', message: 'put off: the sink is behind' };

/** How long an order waits for a sink that is slow or down before it is put off. */
export const PATIENCE = minutes(1);

/** Interval at which a sink to which nothing is being pushed is probed. */
const PROBE_EVERY = minutes(5);

const FIRST_RETRY = seconds(1);
const LONGEST_RETRY = seconds(60);

/** The size of a deletion in a batch: its URI and the markup around it. */
const DELETION_BYTES = 256;

/**
 * The orders on their way to one sink. Batches are limited by count, bytes and age; several may be in flight at once,
 * but never two orders for one URI. A batch that the sink could not take returns to the head of the queue and is
 * retried for as long as necessary.
 */
export class SinkQueue implements SuccessorQueue {
  private queue: Waiting[] = [];
  private queuedBytes = 0;
  private batches = 0;
  private inFlight = 0;
  private inFlightBytes = 0;
  /** URIs with an order in flight, here or in the queues that this one replaced. */
  private uris = new Set<string>();
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
  private cancelPatience: (() => void) | undefined;
  private readonly stop = new AbortController();
  private successor: SuccessorQueue | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    readonly definition: SinkDefinition,
    readonly sink: Sink & { readonly warning?: string | undefined },
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly changed: (event: { state: SinkView['state']; message?: string } | undefined) => void,
  ) {
    this.probeLater();
  }

  /** Number of orders and bytes waiting or in flight. */
  get load(): { orders: number; bytes: number } {
    return { orders: this.queue.length + this.inFlight, bytes: this.queuedBytes + this.inFlightBytes };
  }

  /** Whether there is an order that is not part of a request yet. */
  get isWaiting(): boolean {
    return this.queue.length > 0;
  }

  /** True if orders are waiting here and none is being sent, because the sink is unavailable. */
  get isBlocked(): boolean {
    return this.unhealthySince !== undefined && this.inFlight === 0 && this.queue.length > 0;
  }

  add(order: PushOrder, answer: Waiting['onAnswer'], when: Pick<Waiting, 'maySend' | 'mayPutOff'> = {}): void {
    const bytes = estimateSize(order);
    this.queue.push({ order, bytes, since: this.clock.now(), onAnswer: answer, ...when, attempts: 0 });
    this.queuedBytes += bytes;
    this.send();
    if (when.mayPutOff) this.armPatienceTimer();
  }

  /**
   * To be called when another sink has answered the order: it must not wait here if this sink has been unavailable for
   * a while, or is full.
   */
  leave(order: PushOrder, room: Room): void {
    const waiting = this.queue.find((one) => one.order === order);
    if (waiting && (this.isBehind(waiting, room) || this.isLate(waiting))) this.putOff([waiting]);
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
    this.uris = previous.uris;
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
    if (this.batches === 0) void this.close();
  }

  /** Puts the orders at the head: they are older than those waiting here. */
  adopt(orders: readonly Waiting[]): void {
    if (this.successor) {
      this.successor.adopt(orders);
      return;
    }
    this.queue = [...orders, ...this.queue];
    this.queuedBytes += sumBytes(orders);
    this.putOffLate();
    this.send();
    this.armPatienceTimer();
  }

  get closed(): boolean {
    return this.closing !== undefined;
  }

  close(): Promise<void> {
    this.cancelTimers();
    this.stop.abort();
    this.closing ??= this.sink.close();
    return this.closing;
  }

  private cancelTimers(): void {
    this.cancelTimer?.();
    this.cancelProbe?.();
    this.cancelPatience?.();
  }

  /** The order itself is not counted, so that an order larger than the room is accepted if nothing else is waiting. */
  private isBehind({ bytes }: Waiting, { maxOrders, maxBytes }: Room): boolean {
    const { load } = this;
    return (
      (this.unhealthySince !== undefined && after(this.unhealthySince, PATIENCE) <= this.clock.now()) ||
      load.orders - 1 >= maxOrders ||
      load.bytes - bytes >= maxBytes
    );
  }

  private isLate({ since }: Waiting): boolean {
    return after(since, PATIENCE) <= this.clock.now();
  }

  private putOff(orders: readonly Waiting[]): void {
    if (orders.length === 0) return;
    const gone = new Set(orders);
    this.queue = this.queue.filter((waiting) => !gone.has(waiting));
    this.queuedBytes -= sumBytes(orders);
    for (const { onAnswer: answer, attempts } of orders) answer(PUT_OFF, attempts);
  }

  private putOffLate(): void {
    const [first] = this.queue;
    if (first && this.isLate(first))
      this.putOff(this.queue.filter((waiting) => this.isLate(waiting) && waiting.mayPutOff?.()));
  }

  /** Wakes up when the next order has waited for the maximum time. */
  private armPatienceTimer(): void {
    if (this.cancelPatience || this.closed || this.successor) return;
    const next = this.queue.find((waiting) => waiting.mayPutOff && !this.isLate(waiting));
    if (!next) return;
    this.cancelPatience = this.clock.at(after(next.since, PATIENCE), () => {
      this.cancelPatience = undefined;
      this.putOffLate();
      this.armPatienceTimer();
    });
  }

  private send(now = false): void {
    while (!this.closed && this.batches < this.definition.concurrency && this.isDue(now)) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      void this.deliver(batch);
    }
    this.armTimer();
  }

  private isDue(now: boolean): boolean {
    const first = this.queue[0];
    if (!first) return false;
    if (this.nextAttemptAt !== undefined && this.clock.now() < this.nextAttemptAt) return false;
    if (this.retries > 0 && this.batches > 0) return false; // an unavailable sink receives one request at a time
    if (now || this.retries > 0) return true;
    const { batchDocuments, batchBytes, batchAge } = this.definition;
    return (
      this.queue.length >= batchDocuments ||
      this.queuedBytes >= batchBytes ||
      this.clock.now() - first.since >= batchAge
    );
  }

  private takeBatch(): Waiting[] {
    const { batchDocuments, batchBytes } = this.definition;
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    const withdrawn: Waiting[] = [];
    const passedOver = new Set<string>();
    let bytes = 0;
    let i = 0;
    for (; i < this.queue.length && batch.length < batchDocuments; i++) {
      const waiting = this.queue[i]!;
      const { uri } = waiting.order;
      if (waiting.maySend?.() === false) {
        withdrawn.push(waiting);
        continue;
      }
      // An order waits while its URI is in flight, and so do later ones for that URI; all others overtake it.
      if (this.uris.has(uri) || passedOver.has(uri)) {
        rest.push(waiting);
        passedOver.add(uri);
        continue;
      }
      if (batch.length > 0 && bytes + waiting.bytes > batchBytes) break;
      bytes += waiting.bytes;
      batch.push(waiting);
      passedOver.add(uri);
    }
    for (const waiting of batch) this.uris.add(waiting.order.uri);
    this.queue = [...rest, ...this.queue.slice(i)];
    this.queuedBytes -= bytes + sumBytes(withdrawn);
    for (const waiting of withdrawn) waiting.onAnswer(WITHDRAWN, waiting.attempts);
    return batch;
  }

  private async deliver(batch: Waiting[]): Promise<void> {
    const bytes = sumBytes(batch);
    this.batches++;
    this.inFlight += batch.length;
    this.inFlightBytes += bytes;
    for (const waiting of batch) waiting.attempts++;
    let answers: OrderAnswer[] | undefined;
    try {
      answers = await this.sink.deliver(
        batch.map((waiting) => waiting.order),
        this.stop.signal,
      );
    } catch (error) {
      this.handleFailure(error);
    }
    this.batches--;
    this.inFlight -= batch.length;
    this.inFlightBytes -= bytes;
    for (const waiting of batch) this.uris.delete(waiting.order.uri);
    if (answers) this.handleAnswers(batch, answers);
    if (this.closed) return; // the next start finds the orders again
    this.adopt(answers ? [] : batch);
    if (this.successor && this.batches === 0) void this.close();
  }

  private handleAnswers(batch: Waiting[], answers: readonly OrderAnswer[]): void {
    batch.forEach((waiting, i) => {
      const answer = answers[i]!;
      if (answer.state === 'acknowledged') this.acknowledged++;
      else {
        this.refused++;
        this.lastRefusal = answer.message;
      }
      waiting.onAnswer(answer, waiting.attempts);
    });
    this.handleRecovery();
  }

  private handleFailure(error: unknown): void {
    if (this.closed || this.successor) return;
    const message = error instanceof Error ? error.message : String(error);
    const asked = error instanceof SinkUnavailable ? error.retryAfterMs : undefined;
    const wait = Math.min(asked ?? FIRST_RETRY * 2 ** Math.min(this.retries, 10), LONGEST_RETRY);
    if (this.retries === 0) this.log.warn('sink is unavailable; orders are waiting', { sink: this.sink.name, message });
    this.unhealthySince ??= this.clock.now();
    this.retries++;
    this.message = message;
    this.nextAttemptAt = after(this.clock.now(), milliseconds(wait));
    this.changed({ state: 'unavailable', message });
  }

  private probeLater(): void {
    if (!this.sink.probe || this.closed || this.successor) return;
    this.cancelProbe = this.clock.at(after(this.clock.now(), PROBE_EVERY), () => {
      void this.probe().finally(() => this.probeLater());
    });
  }

  /** Probes only if no orders are on their way: otherwise their answers show the state of the sink. */
  private async probe(): Promise<void> {
    if (this.load.orders > 0) return;
    const acknowledged = this.acknowledged + this.refused;
    try {
      await this.sink.probe!(this.stop.signal);
      if (this.retries > 0 && this.load.orders === 0) this.handleRecovery();
    } catch (error) {
      if (this.load.orders === 0 && acknowledged === this.acknowledged + this.refused) this.handleFailure(error);
    }
  }

  private handleRecovery(): void {
    const wasIll = this.retries > 0;
    this.retries = 0;
    this.unhealthySince = undefined;
    this.nextAttemptAt = undefined;
    this.message = undefined;
    if (wasIll) this.log.info('sink is back', { sink: this.sink.name });
    this.changed(wasIll ? { state: 'ready' } : undefined);
  }

  /** Wakes up when the oldest order has reached the maximum age of a batch, or the next attempt is due. */
  private armTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const first = this.queue[0];
    if (!first || this.closed || this.batches >= this.definition.concurrency) return;
    const age: Duration = this.definition.batchAge;
    const at = this.nextAttemptAt ?? after(first.since, age);
    if (at <= this.clock.now() && this.uris.size > 0) return; // called again when a batch in flight ends
    this.cancelTimer = this.clock.at(at, () => {
      this.cancelTimer = undefined;
      this.send();
    });
  }
}

const sumBytes = (orders: readonly Waiting[]): number => orders.reduce((sum, { bytes }) => sum + bytes, 0);

const estimateSize = (order: PushOrder): number =>
  order.kind === 'add' ? order.document.master.bytes.byteLength + order.document.text.length : DELETION_BYTES;
