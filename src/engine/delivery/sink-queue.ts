import type { SinkDefinition } from '../../domain/crawl/definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { after, type Duration, type Instant, milliseconds, seconds } from '../../domain/time/units.js';
import type { SinkView } from '../engine-api.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';

interface Waiting {
  readonly order: PushOrder;
  readonly bytes: number;
  readonly since: Instant;
  readonly answer: (answer: OrderAnswer, attempts: number) => void;
  /** Asked before each attempt; absent: always. */
  readonly mayGo?: () => boolean;
  attempts: number;
}

/** The answer to an order that may not go out any more. */
export const WITHDRAWN: OrderAnswer = { state: 'refused', message: 'withdrawn: another node has the host' };

const FIRST_RETRY = seconds(1);
const LONGEST_RETRY = seconds(60);

/** What a deletion weighs in a batch: its URI and the frame around it. */
const DELETION_BYTES = 256;

/**
 * The orders on their way to one sink: batches by count, bytes and age; several batches under way at once, yet never two
 * orders of one URI; a batch that the sink could not take goes back to the head and is tried again for as long as it takes.
 */
export class SinkQueue {
  private queue: Waiting[] = [];
  private queuedBytes = 0;
  private batches = 0;
  private underWay = 0;
  private underWayBytes = 0;
  private readonly uris = new Set<string>();
  private retries = 0;
  private nextAttemptAt: Instant | undefined;
  private message: string | undefined;
  private acknowledged = 0;
  private refused = 0;
  private lastRefusal: string | undefined;
  private cancelTimer: (() => void) | undefined;
  private readonly stop = new AbortController();
  private closed = false;
  private closing = false;

  constructor(
    readonly definition: SinkDefinition,
    readonly sink: Sink,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly changed: (event: { state: SinkView['state']; message?: string } | undefined) => void,
  ) {}

  /** Orders and bytes that are decided and not yet acknowledged. */
  get load(): { orders: number; bytes: number } {
    return { orders: this.queue.length + this.underWay, bytes: this.queuedBytes + this.underWayBytes };
  }

  /** Is there an order that no request has taken? */
  get isWaiting(): boolean {
    return this.queue.length > 0;
  }

  add(order: PushOrder, answer: Waiting['answer'], mayGo?: Waiting['mayGo']): void {
    const bytes = weight(order);
    this.queue.push({ order, bytes, since: this.clock.now(), answer, mayGo, attempts: 0 });
    this.queuedBytes += bytes;
    this.send();
  }

  view(): SinkView {
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
      comparable: this.sink.entries !== undefined,
    };
  }

  /** Sends what is queued without waiting for a full batch. */
  flush(): void {
    this.send(true);
  }

  /** Gives up what is queued and not under way. */
  handOver(): Pick<Waiting, 'order' | 'answer' | 'mayGo'>[] {
    const queued = this.queue;
    this.queue = [];
    this.queuedBytes = 0;
    return queued;
  }

  closeWhenIdle(): void {
    this.closing = true;
    if (this.batches === 0) void this.close();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancelTimer?.();
    this.stop.abort();
    await this.sink.close();
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
    if (this.retries > 0 && this.batches > 0) return false; // a sink that is ill is asked by one request at a time
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
      if (waiting.mayGo?.() === false) {
        withdrawn.push(waiting);
        continue;
      }
      // An order whose URI is under way waits, and so do later ones of that URI; the others pass it.
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
    this.queuedBytes -= withdrawn.reduce((sum, waiting) => sum + waiting.bytes, bytes);
    for (const waiting of withdrawn) waiting.answer(WITHDRAWN, waiting.attempts);
    return batch;
  }

  private async deliver(batch: Waiting[]): Promise<void> {
    const bytes = batch.reduce((sum, waiting) => sum + waiting.bytes, 0);
    this.batches++;
    this.underWay += batch.length;
    this.underWayBytes += bytes;
    for (const waiting of batch) waiting.attempts++;
    let answers: OrderAnswer[] | undefined;
    try {
      answers = await this.sink.deliver(
        batch.map((waiting) => waiting.order),
        this.stop.signal,
      );
    } catch (error) {
      this.failed(error);
    }
    this.batches--;
    this.underWay -= batch.length;
    this.underWayBytes -= bytes;
    for (const waiting of batch) this.uris.delete(waiting.order.uri);
    if (answers) this.succeeded(batch, answers);
    else {
      this.queue = [...batch, ...this.queue];
      this.queuedBytes += bytes;
    }
    if (this.closing && this.batches === 0 && this.queue.length === 0) void this.close();
    else this.send();
  }

  private succeeded(batch: Waiting[], answers: readonly OrderAnswer[]): void {
    const wasIll = this.retries > 0;
    this.retries = 0;
    this.nextAttemptAt = undefined;
    this.message = undefined;
    batch.forEach((waiting, i) => {
      const answer = answers[i]!;
      if (answer.state === 'acknowledged') this.acknowledged++;
      else {
        this.refused++;
        this.lastRefusal = answer.message;
      }
      waiting.answer(answer, waiting.attempts);
    });
    if (wasIll) this.log.info('sink is back', { sink: this.sink.name });
    this.changed(wasIll ? { state: 'ready' } : undefined);
  }

  private failed(error: unknown): void {
    if (this.closed) return;
    const message = error instanceof Error ? error.message : String(error);
    const asked = error instanceof SinkUnavailable ? error.retryAfterMs : undefined;
    const wait = Math.min(asked ?? FIRST_RETRY * 2 ** Math.min(this.retries, 10), LONGEST_RETRY);
    if (this.retries === 0) this.log.warn('sink is unavailable; orders wait', { sink: this.sink.name, message });
    this.retries++;
    this.message = message;
    this.nextAttemptAt = after(this.clock.now(), milliseconds(wait));
    this.changed({ state: 'unavailable', message });
  }

  /** Wakes up when the oldest order has reached the age of a batch, or the next attempt is due. */
  private armTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const first = this.queue[0];
    if (!first || this.closed || this.batches >= this.definition.concurrency) return;
    const age: Duration = this.definition.batchAge;
    const at = this.nextAttemptAt ?? after(first.since, age);
    if (at <= this.clock.now() && this.batches > 0) return; // the end of a batch under way comes back here
    this.cancelTimer = this.clock.at(at, () => {
      this.cancelTimer = undefined;
      this.send();
    });
  }
}

const weight = (order: PushOrder): number =>
  order.kind === 'add' ? order.document.master.bytes.byteLength + order.document.text.length : DELETION_BYTES;
