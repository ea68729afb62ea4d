/** Sends a sink what is owed to it, and records what has become of the debt. */
import { createVerificationChanges } from '../../domain/crawl/commands.js';
import { UNKNOWN_STAMP, type UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH } from '../../domain/frontier/sources.js';
import type { PushDocument, PushOrder } from '../../domain/push/order.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Settled } from '../crawl/outcome/decision.js';
import type { Ledger } from '../crawl/outcome/ledger.js';
import type { Owing } from '../crawl/outcome/owing.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Clock } from '../ports/clock.js';
import type { Settlement } from '../ports/frontier-store.js';
import type { OwedOrder } from '../ports/owed-orders.js';
import { type Fence, FencedOut } from '../ports/partitions.js';
import type { Batcher } from '../support/batcher.js';
import type { CrawlEvents } from '../support/crawl-events.js';

interface OwedServices {
  readonly settler: Batcher<Settlement, Settled>;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly owing: Owing;
  readonly events: CrawlEvents;
  readonly clock: Clock;
}

/** The crawler and the URL on whose behalf an order is sent. */
interface Sender {
  readonly crawler: Crawler;
  readonly id: number;
  readonly fence: Fence;
}

/** `asked`: a visit was requested, which orders whatever it finds. */
export type SendingOutcome = 'answered' | 'put off' | 'asked';

/**
 * State changes for a document that this sink has refused and other sinks hold: the next visit orders whatever it
 * finds, as after any order that one sink refuses.
 */
const CHANGES_AFTER_REFUSAL = { stamp: UNKNOWN_STAMP, etag: null, lastModified: null } as const;

export class OwedOrderSending {
  constructor(private readonly services: OwedServices) {}

  sendDocument(
    owed: OwedOrder,
    { crawler, state, document, fence }: { crawler: Crawler; state: UrlState; document: PushDocument; fence: Fence },
  ): Promise<SendingOutcome> {
    const order = this.services.ledger.createAddOrder(state, 'sink-behind', document);
    return this.send(owed, order, { crawler, id: state.id, fence });
  }

  sendDeletion(owed: OwedOrder, sender: Sender): Promise<SendingOutcome> {
    const { crawler, uri, hostKey } = owed;
    const order = this.services.ledger.createUriDeleteOrder({ crawler, uri, hostKey }, 'sink-behind');
    return this.send(owed, order, sender);
  }

  /** Requests a visit that orders whatever it finds, regardless of the stored state. */
  async requestVisit(owed: OwedOrder, id: number, fence: Fence): Promise<SendingOutcome> {
    const now = this.services.clock.now();
    const changes = { ...createVerificationChanges(now), reason: 'sink-behind', source: REFRESH } as const;
    await this.settle({ id, fence, changes, owed: [{ ...owed, change: 'asked', askedAt: now }] });
    return 'asked';
  }

  async markDelivered(owed: OwedOrder, id: number, fence: Fence): Promise<SendingOutcome> {
    await this.settle({ id, fence, owed: [{ ...owed, change: 'delivered' }] });
    return 'answered';
  }

  private async send(row: OwedOrder, order: PushOrder, { crawler, id, fence }: Sender): Promise<SendingOutcome> {
    const { delivery, owing, ledger, events, clock } = this.services;
    const { sink } = row;
    const { answer, attempts, putOff } = await delivery.deliver(order, [sink], { fence, mayPutOff: true });
    const owed = owing.decideChanges(order, [sink], putOff);
    if (putOff.length > 0) {
      await this.settle({ id, fence, owed });
      return 'put off';
    }
    const message = answer.state === 'refused' ? answer.message : undefined;
    events.emitOrder(order, answer.state, message);
    crawler.tally.countOrder(order.kind, answer.state);
    const entry = ledger.toEntry(order, { state: answer.state, attempts, answer: message });
    const settlement = { id, fence, orders: [entry] };
    if (answer.state === 'acknowledged') await this.settle({ ...settlement, owed });
    else if (order.kind === 'add') await this.settle({ ...settlement, owed, changes: CHANGES_AFTER_REFUSAL });
    // A document that is gone from all other sinks is not visited again, so it stays owed and is retried later.
    else
      await this.settle({
        ...settlement,
        owed: [{ ...row, orderId: order.id, change: 'asked', askedAt: clock.now() }],
      });
    return 'answered';
  }

  private async settle(settlement: Settlement & { fence: Fence }): Promise<void> {
    const { settler, owing } = this.services;
    if ((await settler.add(settlement)) === 'fenced out') throw new FencedOut([settlement.fence]);
    owing.noteWritten(settlement.owed ?? []);
  }
}
