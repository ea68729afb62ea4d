import type { OrderAnswer, PushDocument, PushOrder } from '../../domain/push/order.js';

/** Setting of the store: the connector name of sinks that name none. */
export const CONNECTOR_SETTING = 'connector';
/** Of stores without that setting: what every server was called before it was there. */
export const FORMER_CONNECTOR = 'crawlway';

/**
 * One destination of orders. `deliver` resolves when every order of the batch is durable at the sink or refused for good,
 * in the order given. Orders for one URI are never in two batches in flight at once: the caller sees to that.
 * It throws SinkUnavailable for anything that may pass (down, slow, overloaded, wrong credentials): the caller keeps the
 * batch and tries again later; nothing of it counts as delivered.
 */
export interface Sink {
  readonly name: string;
  deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]>;
  /** Everything the sink holds, for reconciliation; absent when the sink cannot tell. Order of `uri` is not promised. */
  entries?(signal: AbortSignal): AsyncIterable<{ readonly uri: string; readonly stamp: string }>;
  /**
   * The documents of these URIs as they were delivered, in any order; those that it does not hold, or cannot give back in full, are left
   * out. Absent when the sink keeps nothing that could be sent to another one.
   */
  documents?(uris: readonly string[], signal: AbortSignal): Promise<KeptDocument[]>;
  /** Asks without an order whether the sink would take one; throws SinkUnavailable. Absent when there is no such request. */
  probe?(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A document that a sink gives back. */
export interface KeptDocument {
  /** The crawler that pushed it. */
  readonly crawler: string;
  /** `master.bytes` is empty when the sink does not keep bytes. */
  readonly document: PushDocument;
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
