import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';

/**
 * One destination of orders. `deliver` resolves when every order of the batch is durable at the sink or refused for good,
 * in the order given. Orders for one URI never stand in two batches under way at once: the caller sees to that.
 * It throws SinkUnavailable for anything that may pass (down, slow, overloaded, wrong credentials): the caller keeps the
 * batch and tries again later; nothing of it counts as delivered.
 */
export interface Sink {
  readonly name: string;
  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]>;
  /** Everything the sink holds, for reconciliation; absent when the sink cannot tell. Order of `uri` is not promised. */
  entries?(signal: AbortSignal): AsyncIterable<{ readonly uri: string; readonly stamp: string }>;
  close(): Promise<void>;
}

/** The whole sink is out of reach for now. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable';
  constructor(
    message: string,
    /** Milliseconds that the sink asked to wait, when it did. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}
