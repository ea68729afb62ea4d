/** Orders owed to sinks that were slow or down while other sinks accepted the orders of their crawler. */
import type { Instant } from '../../domain/time/units.js';

/** A URI whose newest order a sink has not received: it was slow or down while another sink of the crawler accepted the order. */
export interface OwedOrder {
  readonly crawler: string;
  readonly sink: string;
  readonly uri: string;
  readonly hostKey: string;
  /** The newest order of the URI that was put off. */
  readonly orderId: number;
  /** When the first of them was decided. */
  readonly since: Instant;
  /** Its page was to be visited for it from this moment on. */
  readonly askedAt?: Instant;
}

/**
 * `put off`: the sink has not got the order; `delivered`: it has answered it, and older ones are owed no more; `asked`: a visit is
 * due that orders what it finds. The last two leave a row alone that is owed a newer order than theirs.
 */
export type OwedChange = OwedOrder & { readonly change: 'put off' | 'delivered' | 'asked' };

/** What a sink is owed of a crawler's. */
export interface OwedCount {
  readonly crawler: string;
  readonly sink: string;
  readonly documents: number;
  /** The oldest one. */
  readonly since: Instant;
}

/** What sinks have not received because they were slow or down. */
export interface OwedOrders {
  /** In the order in which they were put off, after an order id; only of hosts of the partitions given, when some are. */
  listOwed(
    crawler: string,
    sink: string,
    after: number,
    limit: number,
    partitions?: readonly number[],
  ): Promise<OwedOrder[]>;
  /** Of one URI, at all sinks. */
  findOwed(crawler: string, hostKey: string, uri: string): Promise<OwedOrder[]>;
  countOwed(): Promise<OwedCount[]>;
  /** The sink is not the crawler's any more. */
  dropOwed(crawler: string, sink: string): Promise<void>;
}
