/**
 * Carries out every decision about a URL, whether made by a visit or by an operator: sends the order to the sinks and,
 * once they have answered, settles the state. This is the only place that changes what the store knows about a
 * document.
 */

import type { Disposition } from '../../../domain/crawl/state-changes.js';
import { type StateChanges, UNKNOWN_STAMP, type UrlState } from '../../../domain/crawl/url-state.js';
import { REFRESH } from '../../../domain/frontier/sources.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { OrderState, PushOrder } from '../../../domain/push/order.js';
import { isServerFault } from '../../../domain/push/sign-of-life.js';
import { after, type Duration, earlier, NEVER } from '../../../domain/time/units.js';
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
import type { Decision, Settled, SettledUrl } from './decision.js';
import type { Deletions, GuardVerdict } from './deletions.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import type { Ledger } from './ledger.js';
import type { Owing } from './owing.js';
import { PartOrders, type PartPlan } from './part-orders.js';
import type { SharedDocuments } from './shared-documents.js';

export interface SettlementServices {
  readonly store: Pick<OrderLedger, 'listOrders'>;
  readonly settler: Batcher<Settlement, Settled>;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: CrawlEvents;
  readonly inDoubt: Pick<InDoubtDeliveries, 'add' | 'remove' | 'selectChangesIfUnanswered' | 'applyDoubt'>;
  readonly shared: Pick<SharedDocuments, 'notifyOtherOwners'>;
  readonly tracing: Pick<Tracing, 'recordOrder'>;
  readonly owing: Pick<Owing, 'decideChanges' | 'noteWritten'>;
}

export interface SettlementSettings {
  readonly sinks: readonly string[];
  readonly maximumAge: Duration;
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

type CarryOutResult = { changes: UrlChanges; orders: LedgerEntry[]; remove: boolean; owed?: readonly OwedChange[] };

export class UrlSettlement {
  private readonly parts: PartOrders;

  constructor(
    private readonly services: SettlementServices,
    private readonly deletions: Deletions,
    private readonly settings: SettlementSettings,
  ) {
    this.parts = new PartOrders(services, deletions);
  }

  /**
   * @throws FencedOut when the URL has been assigned to another node in the meantime; nothing is then settled here
   * @throws SinkUnavailable when the order is for a single sink, which is slow or down
   * @throws SinksRemoved when the crawler no longer pushes to any sink of the order
   */
  async settle(decision: Decision): Promise<SettledUrl> {
    const { inDoubt } = this.services;
    try {
      return await this.deliverAndWrite(decision);
    } catch (error) {
      if (!(error instanceof SinkUnavailable)) inDoubt.add(decision.state.id);
      throw error;
    }
  }

  private async deliverAndWrite(decision: Decision): Promise<SettledUrl> {
    const { state, visit, links, fence } = decision;
    const { changes, orders, remove, owed } = await this.carryOut(decision);
    const writtenChanges = remove ? undefined : changes;
    const settlement = { id: state.id, fence, remove, changes: writtenChanges, visit, links, orders, owed };
    if ((await this.services.settler.add(settlement)) === 'fenced out')
      throw new FencedOut(
        [fence],
        orders.some(({ attempts }) => attempts > 0),
      );
    if (owed) this.services.owing.noteWritten(owed);
    const isKnown = changes.stamp !== undefined || orders.some(({ state }) => state === 'acknowledged');
    if (isKnown) this.services.inDoubt.remove(state.id);
    if (remove) return { removed: true, simhash: null };
    const source = changes.source === undefined ? state.source : (changes.source ?? undefined);
    const dueAt = changes.dueAt ?? state.dueAt;
    const next = source === undefined || dueAt >= NEVER ? undefined : { source, dueAt };
    const { status, reason } = changes;
    return { removed: status === 'removed', next, simhash: getIndexedSimhash(changes), status, reason };
  }

  private async carryOut(decision: Decision): Promise<CarryOutResult> {
    const { state, disposition, document, cancellation } = decision;
    const { order, changes, remove } = disposition;
    if (order?.kind === 'delete') return this.delete(decision, order.reason);
    if (decision.releasedPart) return this.releasePart(decision, decision.releasedPart);
    const orders: LedgerEntry[] = [];
    if (cancellation) {
      const openEntries = await this.findOrdersInState(state, cancellation.order.state);
      orders.push(
        ...this.cancel(
          openEntries.filter(({ id }) => id === cancellation.order.id),
          cancellation.reason,
        ),
      );
    }
    const respondsAgain = changes.status === 'indexed' && state.pendingDeletion !== undefined;
    if (respondsAgain)
      orders.push(...this.cancel(await this.findHeldDeletions(state), 'the page responds normally again'));
    if (remove) orders.push(...this.cancel(await this.findHeldDeletions(state), 'the URL is no longer known'));
    const base: UrlChanges = respondsAgain ? { ...changes, pendingDeletion: null } : changes;
    if (order === undefined || document === undefined) return { changes: base, orders, remove };
    const { parts: _, ...pageDocument } = document;
    // The order may wait for hours. If the process dies in the meantime, errors before this response must not count
    // towards the next one.
    if (state.temporaryErrors > 0 && changes.temporaryErrors === 0)
      await this.writeBeforeSending(decision, { temporaryErrors: 0 });
    const plan = await this.parts.planWithDocument(state, document, decision.startedAt);
    // If the process dies in between, the visit is repeated and must then know every document that may be in the index.
    if (plan?.hasNew) await this.markStampUnknown(decision, { parts: plan.possibleParts });
    const add = this.services.ledger.createAddOrder(state, order.reason, pageDocument);
    const { entries, isRefused, partiallyAccepted, owed } = await this.sendAll(add, plan, decision);
    orders.push(...entries);
    if (!isRefused) return { changes: plan ? { ...base, parts: nullIfEmpty(plan.parts) } : base, orders, remove, owed };
    const partChanges = plan ? this.getChangesAfterRefusal(state, partiallyAccepted, plan) : {};
    const refusalChanges = getChangesForRefusedAdd(state, base, partiallyAccepted);
    return {
      changes: this.getChangesForRefusedOrder(state, { ...refusalChanges, ...partChanges }, partiallyAccepted),
      orders,
      remove,
      owed,
    };
  }

  /** The parts to record, and the reversal of `markStampUnknown` if no sink accepted anything. */
  private getChangesAfterRefusal({ stamp }: UrlState, partiallyAccepted: boolean, plan: PartPlan): UrlChanges {
    const unchanged = { parts: nullIfEmpty(plan.unchangedParts) };
    if (!plan.hasNew) return unchanged;
    return partiallyAccepted ? { parts: nullIfEmpty(plan.possibleParts) } : { stamp: stamp ?? null, ...unchanged };
  }

  private async releasePart(
    decision: Decision,
    { id, entry }: NonNullable<Decision['releasedPart']>,
  ): Promise<CarryOutResult> {
    const plan = await this.parts.planRelease(decision.state, entry, id);
    const [order] = plan?.orders ?? [];
    if (!plan || !order)
      return { changes: {}, orders: this.cancel([entry], 'the part has already been deleted'), remove: false };
    const { entries, isRefused, owed } = await this.sendAll(order, { ...plan, orders: [] }, decision);
    // The next visit finds out again that the part is gone.
    const changes: UrlChanges = isRefused
      ? { stamp: UNKNOWN_STAMP, etag: null, lastModified: null }
      : { parts: nullIfEmpty(plan.parts) };
    return { changes, orders: entries, remove: false, owed };
  }

  private async delete(decision: Decision, reason: Reason): Promise<CarryOutResult> {
    const { state, disposition, byOperator } = decision;
    // The ledger says what is held: an operator may have dropped the deletion since the URL was read.
    const heldOrders = await this.findHeldDeletions(state);
    // If a deletion is already held, that one order is enough; it is waiting for an operator.
    if (!byOperator && heldOrders.some((entry) => entry.state === 'held'))
      return { changes: this.getChangesForWithheldDeletion(state, disposition, reason), orders: [], remove: false };
    const waitingOrder = findWaitingDeletion(heldOrders, reason);
    const earlierDeletion = decision.earlierDeletion ?? (byOperator ? undefined : waitingOrder);
    // A document that the store does not know cannot be lost to an outage of its site.
    if (!byOperator && state.stamp !== undefined) {
      const { startedAt = this.services.clock.now() } = decision;
      const waitingSince = isServerFault(reason) ? waitingOrder?.decidedAt : undefined;
      const verdict = await this.deletions.judge({ state, reason, startedAt, waitingSince });
      if (verdict !== 'send') {
        const { ledger } = this.services;
        const order = earlierDeletion
          ? ledger.resumeOrder({ ...earlierDeletion, reason })
          : ledger.createDeleteOrder(state, reason);
        return this.holdBack(decision, order, verdict, heldOrders);
      }
    }
    // After a crash in between, visits and removals are repeated; nothing would repeat this deletion.
    const mustMark = byOperator && (!disposition.remove || decision.earlierDeletion) && state.stamp !== undefined;
    if (mustMark) await this.markStampUnknown(decision);
    await this.services.shared.notifyOtherOwners(state, this.settings.sinks);
    // While the deletion was waiting, a process may have sent a document and died before recording that: a new order id
    // is needed.
    const plan = await this.parts.planWithDeletion(state);
    const sentAll = await this.sendAll(this.services.ledger.createDeleteOrder(state, reason), plan, decision);
    const { partiallyAccepted, isRefused, owed } = sentAll;
    const [sentEntry, ...partEntries] = sentAll.entries as [LedgerEntry, ...LedgerEntry[]];
    const replacedEntries = this.cancel(earlierDeletion ? [earlierDeletion] : [], `sent as order ${sentEntry.id}`);
    const otherEntries = heldOrders.filter(({ id }) => id !== earlierDeletion?.id);
    if (isRefused) {
      // The document is still there, so the next visit that finds it gone orders its deletion again, unless another
      // order is waiting for an operator. Other waiting deletions end: their page has since given a different response,
      // and a later fault waits for a sign of life of its own.
      const pendingDeletion = (byOperator ? otherEntries[0]?.reason : undefined) ?? null;
      const changes = {
        ...this.getChangesForWithheldDeletion(state, disposition, reason),
        pendingDeletion,
        stamp: state.stamp,
      };
      const cancelledEntries = byOperator
        ? []
        : this.cancel(otherEntries, 'the document is to be deleted for a different reason');
      const orders = [sentEntry, ...partEntries, ...replacedEntries, ...cancelledEntries];
      return {
        changes: this.getChangesForRefusedOrder(state, changes, partiallyAccepted),
        orders,
        remove: false,
        owed,
      };
    }
    return {
      changes: { ...disposition.changes, stamp: null, pendingDeletion: null, ...(state.parts ? { parts: null } : {}) },
      orders: [
        sentEntry,
        ...partEntries,
        ...replacedEntries,
        ...this.cancel(otherEntries, 'the document was deleted for a different reason'),
      ],
      remove: disposition.remove,
      owed,
    };
  }

  /** Records that it is unknown, until the settlement, whether or which document is in the index. */
  private markStampUnknown(decision: Decision, extraChanges: UrlChanges = {}): Promise<void> {
    return this.writeBeforeSending(decision, { stamp: UNKNOWN_STAMP, etag: null, lastModified: null, ...extraChanges });
  }

  /** Writes changes before anything is sent. */
  private async writeBeforeSending({ state, fence }: Decision, changes: UrlChanges): Promise<void> {
    if ((await this.services.settler.add({ id: state.id, fence, changes })) === 'fenced out')
      throw new FencedOut([fence]);
  }

  /**
   * Sends an order and those of the page's parts. Returns the ledger entries, that of `order` first. If any of the
   * orders is refused, the page is treated as refused.
   */
  private async sendAll(order: PushOrder, plan: PartPlan | undefined, decision: Decision) {
    const sentOrders = await Promise.all(
      [order, ...(plan?.orders ?? [])].map((pushOrder) => this.send(pushOrder, decision)),
    );
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
    const { answer, attempts, partiallyAccepted, putOff } = await delivery.deliver(order, targetSinks, options);
    if (putOff.length > 0 && putOff.length === targetSinks.length)
      throw new SinkUnavailable(`${putOff.join(', ')} is slow or down`);
    const owed = owing.decideChanges(order, targetSinks, putOff);
    const putOffNote = putOff.length > 0 ? `put off at ${putOff.join(', ')}` : undefined;
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
  private getChangesForRefusedOrder(state: UrlState, changes: UrlChanges, partiallyAccepted: boolean): UrlChanges {
    if (!partiallyAccepted) return this.services.inDoubt.selectChangesIfUnanswered(state, changes);
    return { ...changes, stamp: UNKNOWN_STAMP };
  }

  /**
   * Records that the guard holds the order back.
   * @param openEntries entries that it had already held back
   */
  private holdBack(
    { state, disposition }: Decision,
    order: PushOrder,
    verdict: Exclude<GuardVerdict, 'send'>,
    openEntries: readonly LedgerEntry[],
  ): CarryOutResult {
    const wait = verdict === 'hold' ? undefined : verdict;
    const result = wait ? ({ state: 'awaiting', answer: wait.wait } as const) : ({ state: 'held' } as const);
    const previousEntry = openEntries.find(({ id }) => id === order.id);
    const orders = this.cancel(
      openEntries.filter((entry) => entry !== previousEntry),
      'the document is to be deleted for a different reason',
    );
    const hasChanged =
      previousEntry?.state !== result.state ||
      previousEntry.reason !== order.reason ||
      previousEntry.answer !== wait?.wait;
    if (hasChanged) {
      this.services.events.emitOrder(order, result.state, wait?.wait);
      orders.push(this.services.ledger.toEntry(order, result));
    }
    const changes = this.getChangesForWithheldDeletion(state, disposition, order.reason);
    if (!wait) return { changes, orders, remove: false };
    const dueAt = earlier(changes.source === null ? NEVER : (changes.dueAt ?? NEVER), wait.until);
    return { changes: { ...changes, source: changes.source ?? REFRESH, dueAt }, orders, remove: false };
  }

  /** Records the outcome of the visit; the document stays where it is, and the URL is visited as before. */
  private getChangesForWithheldDeletion(state: UrlState, disposition: Disposition, reason: Reason): UrlChanges {
    const { stamp: _stamp, simhash: _simhash, ...rest }: StateChanges = disposition.changes;
    const revisit: UrlChanges =
      disposition.remove || rest.status === 'removed'
        ? {
            status: 'error',
            reason,
            source: REFRESH,
            dueAt: after(this.services.clock.now(), this.settings.maximumAge),
            visits: state.visits + 1,
          }
        : {};
    // Without validators: a "not modified" response would refer to the page whose document is to be deleted.
    const changes = { ...rest, ...revisit, etag: null, lastModified: null, pendingDeletion: reason };
    return this.services.inDoubt.selectChangesIfUnanswered(state, changes);
  }

  /** Deletions of the URL's document that the guard is holding back. */
  private async findHeldDeletions(state: UrlState): Promise<LedgerEntry[]> {
    if (state.pendingDeletion === undefined) return [];
    return [...(await this.findOrdersInState(state, 'held')), ...(await this.findOrdersInState(state, 'awaiting'))];
  }

  private findOrdersInState({ crawler, url }: UrlState, state: OrderState): Promise<LedgerEntry[]> {
    return this.services.store.listOrders({ crawler, uri: url, state }, undefined, MAX_HELD);
  }

  private cancel(orders: readonly LedgerEntry[], answer: string): LedgerEntry[] {
    return orders.map((entry) => ({ ...entry, state: 'cancelled', answeredAt: this.services.clock.now(), answer }));
  }
}

/** More than a URL can have: one order is held, and one awaits each condition. */
const MAX_HELD = 10;

const nullIfEmpty = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

/** The deletion that is already waiting for the same condition. */
const findWaitingDeletion = (entries: readonly LedgerEntry[], reason: Reason): LedgerEntry | undefined =>
  entries.find((entry) => entry.state === 'awaiting' && isServerFault(entry.reason) === isServerFault(reason));

function getIndexedSimhash({ status, stamp, simhash }: UrlChanges): bigint | null | undefined {
  if (stamp === null) return null;
  return status === 'indexed' ? simhash : undefined;
}

/** Records that the sinks keep what they had; the sink's message is in the ledger. */
function getChangesForRefusedAdd(state: UrlState, changes: UrlChanges, partiallyAccepted: boolean): UrlChanges {
  const { stamp: _stamp, simhash: _simhash, etag: _etag, lastModified: _lastModified, ...rest } = changes;
  return {
    ...rest,
    status: state.stamp === undefined && !partiallyAccepted ? 'visited' : 'indexed',
    reason: 'order-refused',
    etag: null,
    lastModified: null,
  };
}
