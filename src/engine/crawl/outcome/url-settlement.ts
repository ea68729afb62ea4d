/**
 * Carries out every decision about a URL, whether made by a visit or by an operator: sends the order to the sinks and,
 * once they have answered, settles the state. This is the only place that changes what the store knows about a
 * document.
 */
import { type HeldChange, hasSameIdentity, isHoldCause } from '../../../domain/crawl/change-guard.js';
import { createVerificationChanges } from '../../../domain/crawl/commands.js';
import type { CrawlerDefinition } from '../../../domain/crawl/definition.js';
import { UNKNOWN_STAMP, type UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { PushDocument } from '../../../domain/push/order.js';
import { NEVER } from '../../../domain/time/units.js';
import type { LedgerEntry, UrlChanges } from '../../ports/frontier-store.js';
import { FencedOut } from '../../ports/partitions.js';
import { SinkUnavailable } from '../../ports/sink.js';
import type { Decision, SettledUrl } from './decision.js';
import { type DeletionOrderServices, type DeletionOrderSettings, DeletionOrders } from './deletion-orders.js';
import type { Deletions } from './deletions.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import { OrderSending, type SendingResult, type SendingServices, type SendingSettings } from './order-sending.js';
import type { Owing } from './owing.js';
import type { PageTexts } from './page-texts.js';
import { PartOrders, type PartPlan } from './part-orders.js';
import type { SharedDocuments } from './shared-documents.js';

type SettlementServices = SendingServices &
  DeletionOrderServices & {
    readonly inDoubt: Pick<InDoubtDeliveries, 'add' | 'remove' | 'getMark' | 'applyDoubt'>;
    readonly owing: Pick<Owing, 'noteWritten'>;
    readonly texts: Pick<PageTexts, 'findBefore' | 'note'>;
    readonly shared: Pick<SharedDocuments, 'leaveToOthers'>;
  };

export class UrlSettlement {
  private readonly parts: PartOrders;
  private readonly sending: OrderSending;
  private readonly deletionOrders: DeletionOrders;

  constructor(
    private readonly services: SettlementServices,
    deletions: Deletions,
    private readonly settings: SendingSettings & DeletionOrderSettings & Pick<CrawlerDefinition, 'keepTexts'>,
  ) {
    this.parts = new PartOrders(services, deletions);
    this.sending = new OrderSending(services, settings);
    this.deletionOrders = new DeletionOrders(services, settings, this.sending, deletions, this.parts);
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
    const { inDoubt } = this.services;
    const doubt = inDoubt.getMark(state.id);
    const { changes, orders, remove, owed } = await this.carryOut(decision);
    if (changes.status === 'elsewhere' && state.stamp)
      await this.services.shared.leaveToOthers(state, this.settings.sinks);
    const written = { remove, changes: remove ? undefined : changes, visit, links, orders, owed };
    if ((await this.services.settler.add({ id: state.id, fence, ...written })) === 'fenced out')
      throw new FencedOut(
        [fence],
        orders.some(({ attempts }) => attempts > 0),
      );
    if (owed) this.services.owing.noteWritten(owed);
    const { status, reason, stamp = state.stamp ?? null } = changes;
    // Another crawler may have deleted the document from a sink meanwhile.
    const mustVerify = !remove && stamp !== null && inDoubt.getMark(state.id) !== doubt;
    const isKnown = remove || changes.stamp !== undefined || orders.some(({ state }) => state === 'acknowledged');
    if (isKnown && !mustVerify) inDoubt.remove(state.id);
    if (remove) return { removed: true, simhash: null, document: null };
    const source = changes.source === undefined ? state.source : (changes.source ?? undefined);
    const dueAt = changes.dueAt ?? state.dueAt;
    const planned = source === undefined || dueAt >= NEVER ? undefined : { source, dueAt };
    const next = mustVerify ? await this.verify(decision) : planned;
    return {
      ...{ removed: status === 'removed', next, status, reason },
      ...{ simhash: getIndexedSimhash(changes), document: getIndexedDocument(state, changes) },
    };
  }

  /** Has the URL visited at once, and whatever is found ordered. */
  private async verify(decision: Decision): Promise<SettledUrl['next']> {
    const changes = createVerificationChanges(this.services.clock.now());
    await this.sending.write(decision, changes);
    this.services.inDoubt.remove(decision.state.id);
    return { source: changes.source, dueAt: changes.dueAt };
  }

  private async carryOut(decision: Decision): Promise<SendingResult> {
    const { disposition, document } = decision;
    const { order, changes, remove } = disposition;
    if (decision.heldChange) return this.holdChange(decision, decision.heldChange);
    if (order?.kind === 'delete') return this.deletionOrders.carryOut(decision, order.reason);
    if (decision.releasedPart) return this.releasePart(decision, decision.releasedPart);
    const { pendingDeletion } = decision.state;
    // What the page says may be in doubt: it has responded all the same, so errors before that are over.
    const responds = changes.status === 'indexed' || (isHoldCause(changes.reason) && !isHoldCause(pendingDeletion));
    const respondsAgain = responds && pendingDeletion !== undefined;
    const mayCancel = respondsAgain || remove || decision.cancellation;
    const cancelled = mayCancel ? await this.cancelWithheld(decision, respondsAgain) : [];
    const base: UrlChanges = respondsAgain ? { ...changes, pendingDeletion: null } : changes;
    if (order === undefined || document === undefined) return { changes: base, orders: cancelled, remove };
    const sent = await this.sendDocument(decision, order.reason, document, base);
    return cancelled.length === 0 ? sent : { ...sent, orders: [...cancelled, ...sent.orders] };
  }

  /**
   * Records that the change guard holds what the page says; its document stays where it is. A change that a person has
   * dropped is not listed again as long as the page says the same.
   */
  private async holdChange({ state, disposition }: Decision, held: HeldChange): Promise<SendingResult> {
    const { sending, deletionOrders, services } = this;
    const entries = await deletionOrders.findHeldDeletions(state);
    const known = entries.find(({ reason, kind }) => reason === held.cause && kind === held.kind);
    const orders = sending.cancel(
      entries.filter((entry) => entry !== known),
      `the page now has a different change (${held.cause})`,
    );
    if (known && known.stamp !== held.identity) orders.push({ ...known, stamp: held.identity });
    if (!known && !(await this.isDropped(state, held, entries))) {
      const entry = services.ledger.createHeldEntry(state, held);
      const { id, crawler, uri, kind, reason, answer: message } = entry;
      services.events.emit({ type: 'order', crawler, id, uri, kind, state: entry.state, reason, message });
      orders.push(entry);
    }
    // Without validators, so that the page is read in full until it is believed.
    const changes = { ...disposition.changes, etag: null, lastModified: null, pendingDeletion: held.cause };
    return { changes: services.inDoubt.selectChangesIfUnanswered(state, changes), orders, remove: false };
  }

  /** @param open what is held of the URL now */
  private async isDropped(state: UrlState, { identity }: HeldChange, open: readonly LedgerEntry[]): Promise<boolean> {
    if (!isHoldCause(state.pendingDeletion)) return false; // the page has recovered since
    const entries = await this.sending.findOrdersInState(state, 'dropped');
    const dropped = entries.find(({ reason }) => isHoldCause(reason));
    if (dropped?.stamp === undefined || open.some(({ id }) => id > dropped.id)) return false;
    return hasSameIdentity(identity, dropped.stamp);
  }

  /** Cancels orders that are waiting for the URL and no longer needed. */
  private async cancelWithheld(
    { state, disposition, cancellation }: Decision,
    respondsAgain: boolean,
  ): Promise<LedgerEntry[]> {
    const { sending, deletionOrders } = this;
    const cancelled: LedgerEntry[] = [];
    if (cancellation) {
      const { order, reason, state: end = 'cancelled' as const } = cancellation;
      // A visit may have changed what a held deletion waits for.
      for (const open of order.state === 'refused' ? (['refused'] as const) : (['held', 'awaiting'] as const)) {
        const entries = await sending.findOrdersInState({ ...state, url: order.uri }, open);
        const own = entries.filter(({ id }) => id === order.id);
        cancelled.push(...sending.cancel(own, reason).map((entry) => ({ ...entry, state: end })));
      }
    }
    const cancelDeletions = async (answer: string): Promise<unknown> =>
      cancelled.push(...sending.cancel(await deletionOrders.findHeldDeletions(state), answer));
    if (respondsAgain) await cancelDeletions('the page responds again');
    if (disposition.remove) await cancelDeletions('the URL is no longer known');
    return cancelled;
  }

  /** @param base the changes if the sinks accept the document */
  private async sendDocument(
    decision: Decision,
    reason: Reason,
    document: PushDocument,
    base: UrlChanges,
  ): Promise<SendingResult> {
    const { sending } = this;
    const { state, disposition } = decision;
    const { remove } = disposition;
    const { parts: _, keepsParts: __, ...pageDocument } = document;
    // The order may wait for hours. If the process dies in the meantime, errors before this response must not count
    // towards the next one.
    if (state.temporaryErrors > 0 && disposition.changes.temporaryErrors === 0)
      await sending.write(decision, { temporaryErrors: 0 });
    const plan = await this.parts.planWithDocument(state, document, decision.startedAt);
    // If the process dies in between, the visit is repeated and must then know every document that may be in the index.
    if (plan?.hasNew) await sending.markStampUnknown(decision, { parts: plan.possibleParts });
    const add = this.services.ledger.createAddOrder(state, reason, pageDocument);
    const { keepTexts, sinks } = this.settings;
    const isIndexed = state.stamp !== undefined;
    // A page that was gone for a while may say something else when it is back.
    const formerText = keepTexts && (await this.services.texts.findBefore(state, isIndexed ? sinks : []));
    const isChange = isIndexed || formerText !== undefined;
    const { entries: orders, isRefused, partiallyAccepted, owed } = await sending.sendAll(add, plan, decision);
    if (keepTexts && isChange && !isRefused)
      await this.services.texts.note(state, formerText, document.text, keepTexts);
    if (!isRefused) return { changes: plan ? { ...base, parts: nullIfEmpty(plan.parts) } : base, orders, remove, owed };
    const partChanges = plan ? this.getChangesAfterRefusal(state, partiallyAccepted, plan) : {};
    const refusalChanges = { ...getChangesForRefusedAdd(state, base, partiallyAccepted), ...partChanges };
    return {
      changes: sending.getChangesForRefusedOrder(state, refusalChanges, partiallyAccepted),
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
  ): Promise<SendingResult> {
    const plan = await this.parts.planRelease(decision.state, entry, id);
    const [order] = plan?.orders ?? [];
    if (!plan || !order)
      return { changes: {}, orders: this.sending.cancel([entry], 'the part has already been deleted'), remove: false };
    const { entries, isRefused, owed } = await this.sending.sendAll(order, { ...plan, orders: [] }, decision);
    // The next visit finds out again that the part is gone.
    const changes: UrlChanges = isRefused
      ? { stamp: UNKNOWN_STAMP, etag: null, lastModified: null }
      : { parts: nullIfEmpty(plan.parts) };
    return { changes, orders: entries, remove: false, owed };
  }
}

const nullIfEmpty = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

function getIndexedSimhash({ status, stamp, simhash }: UrlChanges): bigint | null | undefined {
  if (stamp === null || simhash === null) return null;
  return status === 'indexed' ? simhash : undefined;
}

function getIndexedDocument(
  { title }: UrlState,
  { status, stamp, title: newTitle = title }: UrlChanges,
): { stamp: string; title: string } | null | undefined {
  if (stamp === null) return null;
  return status === 'indexed' && stamp ? { stamp, title: newTitle ?? '' } : undefined;
}

/** Records that the sinks keep what they had; the sink's message is in the ledger. */
function getChangesForRefusedAdd(state: UrlState, changes: UrlChanges, partiallyAccepted: boolean): UrlChanges {
  const {
    stamp: _stamp,
    simhash: _simhash,
    textSketch: _hash,
    etag: _etag,
    lastModified: _modified,
    ...rest
  } = changes;
  return {
    ...rest,
    status: state.stamp === undefined && !partiallyAccepted ? 'visited' : 'indexed',
    reason: 'order-refused',
    etag: null,
    lastModified: null,
  };
}
