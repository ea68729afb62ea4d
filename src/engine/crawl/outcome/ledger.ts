import { AWAITING_HOST, type HeldChange } from '../../../domain/crawl/change-guard.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { OrderHeader, OrderState, PushDocument, PushOrder } from '../../../domain/push/order.js';
import type { Clock } from '../../ports/clock.js';
import type { LedgerEntry, OrderLedger, Settings } from '../../ports/frontier-store.js';

/**
 * Ids are reserved in blocks, so that the id of an order that was sent but not settled when the process died is not
 * used again.
 */
const BLOCK_SIZE = 10_000;
const RESERVED_SETTING = 'order-ids-reserved';

/** Assigns ids to orders in the sequence of decisions, and turns orders into ledger entries. */
export class Ledger {
  private nextId = 0;
  private reservedUpTo = 0;

  constructor(
    private readonly store: Settings & Pick<OrderLedger, 'getLastOrderId'>,
    private readonly clock: Clock,
  ) {}

  async open(): Promise<void> {
    const reservedUpTo = Number((await this.store.getSetting(RESERVED_SETTING)) ?? 0);
    this.nextId = Math.max(await this.store.getLastOrderId(), reservedUpTo) + 1;
    await this.reserveIds();
  }

  /** Makes all further ids higher than any that another node has assigned. */
  async skipForeignIds(): Promise<void> {
    this.nextId = Math.max(this.nextId, (await this.store.getLastOrderId()) + 1);
    await this.reserveIds();
  }

  /** After a clean stop, nothing is in flight and no ids need to be skipped. */
  async close(): Promise<void> {
    await this.store.putSetting(RESERVED_SETTING, undefined);
  }

  createAddOrder(state: UrlState, reason: Reason, document: PushDocument): PushOrder {
    return { ...this.createHeader(state, reason), kind: 'add', document };
  }

  /** @param movedTo the new address of the document, if it has one in the index */
  createDeleteOrder(state: UrlState, reason: Reason, movedTo?: string): PushOrder {
    const order = { ...this.createHeader(state, reason), kind: 'delete' as const };
    return movedTo === undefined ? order : { ...order, movedTo };
  }

  /** Creates the entry of a change that the change guard holds; it has no document, and is never sent. */
  createHeldEntry(state: UrlState, { cause, kind, identity }: HeldChange): LedgerEntry {
    const result = { state: 'awaiting', attempts: 0, answer: AWAITING_HOST, stamp: identity } as const;
    return { ...this.createHeader(state, cause), kind, ...result };
  }

  /** Creates a deletion of a document in a sink that has no stored URL. */
  createUriDeleteOrder(subject: { crawler: string; uri: string; hostKey: string }, reason: Reason): PushOrder {
    return { ...subject, id: this.takeId(), reason, decidedAt: this.clock.now(), kind: 'delete' };
  }

  /** Turns a deletion that is in the ledger back into an order, which keeps its id. */
  resumeOrder(entry: LedgerEntry): PushOrder {
    const { id, crawler, uri, hostKey, reason, decidedAt } = entry;
    return { id, crawler, uri, hostKey, reason, decidedAt, kind: 'delete' };
  }

  toEntry(order: PushOrder, result: { state: OrderState; attempts?: number; answer?: string }): LedgerEntry {
    const { id, crawler, uri, hostKey, kind, reason, decidedAt } = order;
    const stamp = order.kind === 'add' ? order.document.stamp : undefined;
    const isOpen = result.state === 'pending' || result.state === 'held' || result.state === 'awaiting';
    const answered = isOpen ? undefined : this.clock.now();
    return { id, crawler, uri, hostKey, kind, reason, decidedAt, stamp, attempts: 0, answeredAt: answered, ...result };
  }

  private createHeader(state: UrlState, reason: Reason): OrderHeader {
    const decidedAt = this.clock.now();
    return { id: this.takeId(), crawler: state.crawler, uri: state.url, hostKey: state.hostKey, reason, decidedAt };
  }

  private takeId(): number {
    // Half a block ahead, so that the reservation is written long before it is needed.
    if (this.nextId + BLOCK_SIZE / 2 > this.reservedUpTo) this.reserveIds().catch(() => undefined); // the store's failure is reported elsewhere
    return this.nextId++;
  }

  private async reserveIds(): Promise<void> {
    const previous = this.reservedUpTo;
    this.reservedUpTo = this.nextId + BLOCK_SIZE;
    try {
      await this.store.putSetting(RESERVED_SETTING, String(this.reservedUpTo));
    } catch (error) {
      this.reservedUpTo = previous;
      throw error;
    }
  }
}
