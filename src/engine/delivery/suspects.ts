import type { OrderAnswer } from '../../domain/push/order.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import { SinkUnavailable } from '../ports/sink.js';
import type { WaitingOrder } from './waiting-orders.js';

/** After this many failures of the sink in a row, its batches become smaller. */
const FAILURES_IN_A_ROW = 4;
/** The same if the sink asks for a rest each time: some servers say so whenever they fail, also because of one order. */
const RESTS_IN_A_ROW = 8;
/** An order is to blame if the sink has failed this often with it alone, and accepted others in between. */
const STRIKES = 5;
/** A sink that fails for a moment fails with the same order several times. */
const STRIKE_INTERVAL = seconds(10);
/** A batch of more orders than this has no limit. */
const MAX_LIMIT = 10_000;

interface Strikes {
  count: number;
  at: Instant;
  /** Number of orders that the sink had accepted at the last strike. */
  acceptedBefore: number;
}

/**
 * Tells a sink that is down from an order with which it fails each time: a proxy that closes the connection at a word, or an
 * index that answers 500 to a document. Such an order must not hold up all others. A sink that fails now and then accepts at the
 * next attempt what it failed with before: then nobody is to blame.
 */
export class Suspects {
  private strikes = new WeakMap<WaitingOrder, Strikes>();
  private accepted = 0;
  /** The largest number of orders of the next batch: halved by each failure, doubled by each success. */
  private limit = Number.POSITIVE_INFINITY;
  /** True if the sink has last failed with a single order: others are to be tried next. */
  isAlone = false;

  limitBatch(batchDocuments: number): number {
    return Math.min(batchDocuments, this.limit);
  }

  noteAccepted(batch: readonly WaitingOrder[]): void {
    this.accepted += batch.length;
    this.isAlone = false;
    this.limit = this.limit > MAX_LIMIT ? Number.POSITIVE_INFINITY : 2 * this.limit;
    if (batch.some((order) => this.strikes.has(order))) this.strikes = new WeakMap();
  }

  /**
   * Judges a failure of the sink.
   * @param now the time of the failure
   * @param failures number of failures in a row before this one
   * @returns the answer for the only order of the batch if it is to blame
   */
  judge(batch: readonly WaitingOrder[], error: unknown, failures: number, now: Instant): OrderAnswer[] | undefined {
    const [order] = batch;
    const asksForRest = error instanceof SinkUnavailable && error.retryAfterMs !== undefined;
    if (!order || (asksForRest && failures + 1 < RESTS_IN_A_ROW)) return undefined;
    if (this.limit === Number.POSITIVE_INFINITY && failures + 1 < FAILURES_IN_A_ROW) return undefined;
    this.limit = Math.max(1, batch.length >> 1);
    this.isAlone = batch.length === 1;
    if (!this.isAlone) return undefined;
    const known = this.strikes.get(order);
    if (known && (known.acceptedBefore === this.accepted || now < after(known.at, STRIKE_INTERVAL))) return undefined;
    const count = (known?.count ?? 0) + 1;
    this.strikes.set(order, { count, at: now, acceptedBefore: this.accepted });
    if (count < STRIKES) return undefined;
    this.strikes.delete(order);
    const message = `the sink fails with this order each time, and accepts others: ${(error as Error).message}`;
    return [{ state: 'refused', message: message.slice(0, 1_000), unsendable: true }];
  }
}
