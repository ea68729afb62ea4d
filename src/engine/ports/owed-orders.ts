/** Orders owed to sinks that were slow or down while other sinks accepted the orders of their crawler. */
import type { Instant } from '../../domain/time/units.js';

/**
 * A URI whose newest order a sink has not received because it was slow or down while another sink of the crawler
 * accepted it.
 */
export interface OwedOrder {
  readonly crawler: string;
  readonly sink: string;
  readonly uri: string;
  readonly hostKey: string;
  /** The newest order for the URI that was put off. */
  readonly orderId: number;
  /** When the first put-off order for the URI was decided. */
  readonly since: Instant;
  /** When a visit was requested to deliver it; absent if none was. */
  readonly askedAt?: Instant;
}

/**
 * `put off`: the sink has not received the order; `delivered`: the sink has answered the order, so older ones are no
 * longer owed; `asked`: a visit is due that will order what it finds. The last two do not change a row that is owed a
 * newer order.
 */
export type OwedChange = OwedOrder & { readonly change: 'put off' | 'delivered' | 'asked' };

/** The number of a crawler's documents owed to a sink. */
export interface OwedCount {
  readonly crawler: string;
  readonly sink: string;
  readonly documents: number;
  /** When the oldest put-off order was decided. */
  readonly since: Instant;
}

/** Stores what sinks have not received because they were slow or down. */
export interface OwedOrders {
  /**
   * Owed orders after an order id, in the order in which they were put off; only for hosts in the given partitions, if
   * any are given.
   */
  listOwed(
    crawler: string,
    sink: string,
    after: number,
    limit: number,
    partitions?: readonly number[],
  ): Promise<OwedOrder[]>;
  /** The orders for one URI owed to any sink. */
  findOwed(crawler: string, hostKey: string, uri: string): Promise<OwedOrder[]>;
  countOwed(): Promise<OwedCount[]>;
  /** To be called when the crawler no longer pushes to the sink. */
  dropOwed(crawler: string, sink: string): Promise<void>;
}
