/** Deletes the document of a URL from the sinks, unless the deletion guard holds the order back. */
import { isHoldCause } from '../../../domain/crawl/change-guard.js';
import type { Disposition } from '../../../domain/crawl/state-changes.js';
import type { StateChanges, UrlState } from '../../../domain/crawl/url-state.js';
import { REFRESH } from '../../../domain/frontier/sources.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { PushOrder } from '../../../domain/push/order.js';
import { isPageGone, isServerFault } from '../../../domain/push/sign-of-life.js';
import { after, type Duration, earlier, NEVER } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { LedgerEntry, UrlChanges } from '../../ports/frontier-store.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { Decision } from './decision.js';
import type { Deletions, GuardVerdict } from './deletions.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import type { Ledger } from './ledger.js';
import type { OrderSending, SendingResult } from './order-sending.js';
import type { PartOrders } from './part-orders.js';
import type { SharedDocuments } from './shared-documents.js';

export interface DeletionOrderServices {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: CrawlEvents;
  readonly inDoubt: Pick<InDoubtDeliveries, 'selectChangesIfUnanswered'>;
  readonly shared: Pick<SharedDocuments, 'notifyOtherOwners'>;
}

export interface DeletionOrderSettings {
  readonly sinks: readonly string[];
  readonly maximumAge: Duration;
}

export class DeletionOrders {
  constructor(
    private readonly services: DeletionOrderServices,
    private readonly settings: DeletionOrderSettings,
    private readonly sending: OrderSending,
    private readonly deletions: Pick<Deletions, 'judge'>,
    private readonly parts: Pick<PartOrders, 'planWithDeletion'>,
  ) {}

  /** Carries out a decision that orders the deletion of the URL's document. */
  async carryOut(decision: Decision, reason: Reason): Promise<SendingResult> {
    const { state, disposition, movedTo } = decision;
    const isUnguarded = decision.byOperator === true || movedTo !== undefined;
    // The ledger says what is held: an operator may have dropped the deletion since the URL was read.
    const heldOrders = await this.findHeldDeletions(state);
    // If a deletion is already held, that one order is enough; it is waiting for an operator.
    if (!isUnguarded && heldOrders.some((entry) => entry.state === 'held'))
      return { changes: this.getChangesForWithheldDeletion(state, disposition, reason), orders: [], remove: false };
    const waitingOrder = isUnguarded ? undefined : findWaitingDeletion(heldOrders, reason);
    const earlierDeletion = decision.earlierDeletion ?? waitingOrder;
    // A document that the store does not know cannot be lost to an outage of its site.
    if (!isUnguarded && state.stamp !== undefined) {
      const { startedAt = this.services.clock.now() } = decision;
      const waitingSince = isServerFault(reason) || isPageGone(reason) ? waitingOrder?.decidedAt : undefined;
      const verdict = await this.deletions.judge({
        state,
        reason,
        startedAt,
        waitingSince,
        fault: decision.visit?.outcome,
      });
      if (verdict !== 'send') {
        const { ledger } = this.services;
        const order = earlierDeletion
          ? ledger.resumeOrder({ ...earlierDeletion, reason })
          : ledger.createDeleteOrder(state, reason);
        return this.holdBack(decision, order, verdict, heldOrders);
      }
    }
    return this.send(decision, reason, heldOrders, earlierDeletion);
  }

  /**
   * Sends the deletion.
   * @param earlierDeletion the one among the withheld ones that it replaces
   */
  private async send(
    decision: Decision,
    reason: Reason,
    heldOrders: readonly LedgerEntry[],
    earlierDeletion: LedgerEntry | undefined,
  ): Promise<SendingResult> {
    const { state, disposition, byOperator } = decision;
    const { sending } = this;
    // After a crash in between, visits and removals are repeated; nothing would repeat this deletion.
    const mustMark = byOperator && (!disposition.remove || decision.earlierDeletion) && state.stamp !== undefined;
    if (mustMark) await sending.markStampUnknown(decision);
    const notifyAgain = await this.services.shared.notifyOtherOwners(state, this.settings.sinks);
    // While the deletion was waiting, a process may have sent a document and died before recording that: a new order id
    // is needed.
    const plan = await this.parts.planWithDeletion(state);
    const sentAll = await sending.sendAll(
      this.services.ledger.createDeleteOrder(state, reason, decision.movedTo),
      plan,
      decision,
    );
    await notifyAgain();
    const { partiallyAccepted, isRefused, owed, entries } = sentAll;
    const replacedEntries = sending.cancel(earlierDeletion ? [earlierDeletion] : [], `sent as order ${entries[0]!.id}`);
    const orders = [...entries, ...replacedEntries];
    const otherEntries = heldOrders.filter(({ id }) => id !== earlierDeletion?.id);
    if (isRefused) {
      const changes = this.getChangesForRefusedDeletion(decision, reason, otherEntries);
      if (!byOperator) orders.push(...sending.cancel(otherEntries, OTHER_REASON));
      return {
        changes: sending.getChangesForRefusedOrder(state, changes, partiallyAccepted),
        orders,
        remove: false,
        owed,
      };
    }
    orders.push(...sending.cancel(otherEntries, 'the document was deleted for a different reason'));
    const partChanges = state.parts ? { parts: null } : {};
    return {
      changes: { ...disposition.changes, stamp: null, pendingDeletion: null, ...partChanges },
      orders,
      remove: disposition.remove,
      owed,
    };
  }

  /**
   * The document is still there, so the next visit that finds it gone orders its deletion again, unless another order is
   * waiting for an operator. Other waiting deletions end: their page has since given a different response, and a later
   * fault waits for a sign of life of its own.
   */
  private getChangesForRefusedDeletion(
    { state, disposition, byOperator }: Decision,
    reason: Reason,
    otherEntries: readonly LedgerEntry[],
  ): UrlChanges {
    const pendingDeletion = (byOperator ? otherEntries[0]?.reason : undefined) ?? null;
    const changes = this.getChangesForWithheldDeletion(state, disposition, reason);
    return { ...changes, pendingDeletion, stamp: state.stamp };
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
  ): SendingResult {
    const wait = verdict === 'hold' ? undefined : verdict;
    const result = wait ? ({ state: 'awaiting', answer: wait.wait } as const) : ({ state: 'held' } as const);
    const previousEntry = openEntries.find(({ id }) => id === order.id);
    const orders = this.sending.cancel(
      openEntries.filter((entry) => entry !== previousEntry),
      OTHER_REASON,
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
    const { stamp: _stamp, simhash: _simhash, textSketch: _textSketch, ...rest }: StateChanges = disposition.changes;
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
  async findHeldDeletions(state: UrlState): Promise<LedgerEntry[]> {
    if (state.pendingDeletion === undefined) return [];
    return [
      ...(await this.sending.findOrdersInState(state, 'held')),
      ...(await this.sending.findOrdersInState(state, 'awaiting')),
    ];
  }
}

const OTHER_REASON = 'the document is to be deleted for a different reason';

/** The deletion that is already waiting for the same condition, if none is held. */
const findWaitingDeletion = (entries: readonly LedgerEntry[], reason: Reason): LedgerEntry | undefined =>
  entries.find((entry) => !isHoldCause(entry.reason) && isServerFault(entry.reason) === isServerFault(reason));
