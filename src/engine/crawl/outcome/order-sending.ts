/** Sends the orders of a decision to the sinks, and turns their answers into ledger entries. */
import { UNKNOWN_STAMP, type UrlState } from '../../../domain/crawl/url-state.js';
import type { OrderState, PushOrder } from '../../../domain/push/order.js';
import type { Delivery } from '../../delivery/delivery.js';
import type { Clock } from '../../ports/clock.js';
import type { LedgerEntry, OrderLedger, Settlement, UrlChanges } from '../../ports/frontier-store.js';
import type { OwedChange } from '../../ports/owed-orders.js';
import { FencedOut } from '../../ports/partitions.js';
import { SinkUnavailable } from '../../ports/sink.js';
import type { Tracing } from '../../ports/tracing.js';
import type { Batcher } from '../../support/batcher.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { Tally } from '../load/metrics.js';
import type { Decision, Settled } from './decision.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import type { Ledger } from './ledger.js';
import type { Owing } from './owing.js';
import type { PartPlan } from './part-orders.js';

export interface SendingServices {
  readonly store: Pick<OrderLedger, 'listOrders'>;
  readonly settler: Batcher<Settlement, Settled>;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: CrawlEvents;
  readonly inDoubt: Pick<InDoubtDeliveries, 'selectChangesIfUnanswered'>;
  readonly tracing: Pick<Tracing, 'recordOrder'>;
  readonly owing: Pick<Owing, 'decideChanges'>;
}

export interface SendingSettings {
  readonly sinks: readonly string[];
  /** Counts each order that the sinks have answered. */
  readonly tally: Pick<Tally, 'countOrder'>;
  /** The sinks of the crawler under the configuration now in force. */
  getCurrentSinks(): readonly string[];
}

interface SentOrder {
  readonly entry: LedgerEntry;
  readonly partiallyAccepted: boolean;
  readonly owed: readonly OwedChange[];
}

/** What follows from the answers: the changes of the URL, and its entries in the ledger. */
export interface SendingResult {
  readonly changes: UrlChanges;
  readonly orders: readonly LedgerEntry[];
  readonly remove: boolean;
  readonly owed?: readonly OwedChange[];
}

/** More than a URL can have: one order is held, and one awaits each condition. */
const MAX_HELD = 10;

export class OrderSending {
  constructor(
    private readonly services: SendingServices,
    private readonly settings: SendingSettings,
  ) {}

  /** Records that it is unknown, until the settlement, whether or which document is in the index. */
  markStampUnknown(decision: Decision, extraChanges: UrlChanges = {}): Promise<void> {
    return this.write(decision, { stamp: UNKNOWN_STAMP, etag: null, lastModified: null, ...extraChanges });
  }

  /** Writes changes at once. */
  async write({ state, fence }: Decision, changes: UrlChanges): Promise<void> {
    if ((await this.services.settler.add({ id: state.id, fence, changes })) === 'fenced out')
      throw new FencedOut([fence]);
  }

  /**
   * Sends an order and those of the page's parts. Returns the ledger entries, that of `order` first. If any of the
   * orders is refused, the page is treated as refused.
   */
  async sendAll(order: PushOrder, plan: PartPlan | undefined, decision: Decision) {
    const sentOrders = plan?.orders.length
      ? await Promise.all([order, ...plan.orders].map((pushOrder) => this.send(pushOrder, decision)))
      : [await this.send(order, decision)];
    const isRefused = sentOrders.some(({ entry }) => entry.state === 'refused');
    const isAcceptedByAny = sentOrders.some(
      ({ entry, partiallyAccepted }) => partiallyAccepted || entry.state !== 'refused',
    );
    const entries = [...sentOrders.map(({ entry }) => entry), ...(plan?.entries ?? [])];
    const owed = sentOrders.flatMap((sentOrder) => sentOrder.owed);
    return {
      entries,
      isRefused,
      partiallyAccepted: isRefused && isAcceptedByAny,
      owed: owed.length > 0 ? owed : undefined,
    };
  }

  private async send(order: PushOrder, { fence, sinks }: Pick<Decision, 'fence' | 'sinks'>): Promise<SentOrder> {
    const { delivery, owing, ledger, events } = this.services;
    this.services.tracing.recordOrder(order);
    const targetSinks = sinks ?? this.settings.sinks;
    // An order for a single sink belongs to a backfill, which continues when the sink keeps up again.
    const isWanted = (sink: string): boolean => this.settings.getCurrentSinks().includes(sink);
    const options = { fence, mayPutOff: sinks !== undefined, isWanted };
    const { answer, attempts, partiallyAccepted, putOff, note } = await delivery.deliver(order, targetSinks, options);
    if (putOff.length > 0 && putOff.length === targetSinks.length)
      throw new SinkUnavailable(`${putOff.join(', ')} is slow or down`);
    const owed = owing.decideChanges(order, targetSinks, putOff);
    const putOffNote = putOff.length > 0 ? `put off at ${putOff.join(', ')}` : note;
    const message = answer.state === 'refused' ? answer.message : undefined;
    events.emitOrder(order, answer.state, message);
    this.settings.tally.countOrder(order.kind, answer.state);
    const entry = ledger.toEntry(order, { state: answer.state, attempts, answer: message ?? putOffNote });
    return { entry, partiallyAccepted, owed };
  }

  /**
   * If one sink has accepted what another has refused, it is unknown what they hold: the next visit orders whatever it
   * finds.
   */
  getChangesForRefusedOrder(state: UrlState, changes: UrlChanges, partiallyAccepted: boolean): UrlChanges {
    if (!partiallyAccepted) return this.services.inDoubt.selectChangesIfUnanswered(state, changes);
    return { ...changes, stamp: UNKNOWN_STAMP };
  }

  findOrdersInState({ crawler, url }: UrlState, state: OrderState): Promise<LedgerEntry[]> {
    return this.services.store.listOrders({ crawler, uri: url, state }, undefined, MAX_HELD);
  }

  cancel(orders: readonly LedgerEntry[], answer: string): LedgerEntry[] {
    return orders.map((entry) => ({ ...entry, state: 'cancelled', answeredAt: this.services.clock.now(), answer }));
  }
}
