/**
 * The end of every decision about a URL, whether a visit or a person led to it: the order goes to the sinks, and when they
 * have answered, the state is settled. The store's view of a document moves nowhere else.
 */
import type { Disposition, StateChanges } from '../../domain/crawl/disposition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH, type SourceNumber } from '../../domain/frontier/sources.js';
import type { OrderState, PushDocument, PushOrder } from '../../domain/push/order.js';
import { after, type Duration, type Instant, NEVER } from '../../domain/time/units.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Clock } from '../ports/clock.js';
import type { FrontierStore, LedgerEntry, Settlement, UrlChanges, Visit } from '../ports/frontier-store.js';
import { type Fence, FencedOut } from '../ports/partitions.js';
import type { Batcher } from '../support/batcher.js';
import type { CrawlEvents } from './crawl-events.js';
import type { Deletions } from './deletions.js';
import { type Doubts, UNKNOWN_STAMP } from './doubts.js';
import type { Ledger } from './ledger.js';
import type { SharedDocuments } from './shared-documents.js';
import type { Tally } from './tally.js';

/** What is wanted of a URL without a visit; what it comes to is decided when nothing else is under way for the URL. */
export type Word =
  | { readonly do: 'clear' | 'forget-error' | 'judge' }
  | { readonly do: 'send-again'; readonly entry: LedgerEntry };

/** What a word came to. */
export interface Ruling {
  readonly disposition: Disposition;
  /** The deletion stands in the ledger already (held or refused) and is sent under its own number. */
  readonly resume?: LedgerEntry;
  /** An order in the ledger that has nothing to do any more, and why. */
  readonly cancel?: { readonly order: LedgerEntry; readonly why: string };
}

export interface Decision extends Ruling {
  readonly state: UrlState;
  /** The right under which it was made. */
  readonly fence: Fence;
  /** The document of an add order. */
  readonly document?: PushDocument;
  readonly visit?: Visit;
  /** A person decided it: the guard has no say. */
  readonly byPerson?: boolean;
}

/** Where the URL stands in the queue afterwards; undefined when it is not queued, or gone. */
export interface Concluded {
  readonly removed: boolean;
  readonly next?: { readonly source: SourceNumber; readonly dueAt: Instant };
  /** Of the document in the index: null when there is none any more, or none with a text; undefined when nothing has changed. */
  readonly simhash?: bigint | null;
}

/** Whether a settlement was written, or belongs to another node by now. */
export type Settled = 'written' | 'fenced out';

export interface ConclusionServices {
  readonly store: Pick<FrontierStore, 'orders'>;
  readonly settler: Batcher<Settlement, Settled>;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: CrawlEvents;
  readonly doubts: Pick<Doubts, 'add' | 'settled' | 'unanswered'>;
  readonly shared: Pick<SharedDocuments, 'giveUp'>;
}

export interface ConclusionSettings {
  readonly sinks: readonly string[];
  readonly maximumAge: Duration;
  /** Counts every order that the sinks have answered. */
  readonly tally: Pick<Tally, 'order'>;
}

export class Conclusion {
  constructor(
    private readonly services: ConclusionServices,
    private readonly deletions: Deletions,
    private readonly settings: ConclusionSettings,
  ) {}

  /** Throws FencedOut when the URL has become another node's meanwhile: then nothing of it is settled here. */
  async conclude(decision: Decision): Promise<Concluded> {
    const { doubts } = this.services;
    try {
      return await this.settle(decision);
    } catch (error) {
      doubts.add(decision.state.id);
      throw error;
    }
  }

  private async settle(decision: Decision): Promise<Concluded> {
    const { state, visit, fence } = decision;
    const { changes, orders, remove } = await this.carryOut(decision);
    const settlement = { id: state.id, fence, remove, changes: remove ? undefined : changes, visit, orders };
    if ((await this.services.settler.add(settlement)) === 'fenced out')
      throw new FencedOut(
        [fence],
        orders.some(({ attempts }) => attempts > 0),
      );
    const isKnown = changes.stamp !== undefined || orders.some(({ state }) => state === 'acknowledged');
    if (isKnown) this.services.doubts.settled(state.id);
    if (remove) return { removed: true, simhash: null };
    const source = changes.source === undefined ? state.source : (changes.source ?? undefined);
    const dueAt = changes.dueAt ?? state.dueAt;
    const next = source === undefined || dueAt >= NEVER ? undefined : { source, dueAt };
    return { removed: false, next, simhash: simhashInIndex(changes) };
  }

  private async carryOut(decision: Decision): Promise<{ changes: UrlChanges; orders: LedgerEntry[]; remove: boolean }> {
    const { state, disposition, document, cancel } = decision;
    const { order, changes, remove } = disposition;
    if (order?.kind === 'delete') return this.delete(decision, order.reason);
    const orders: LedgerEntry[] = [];
    if (cancel) {
      const open = await this.open(state, cancel.order.state);
      orders.push(
        ...this.cancelled(
          open.filter(({ id }) => id === cancel.order.id),
          cancel.why,
        ),
      );
    }
    const answersAgain = changes.status === 'indexed' && state.pendingDeletion !== undefined;
    if (answersAgain) orders.push(...this.cancelled(await this.held(state), 'the page answers again'));
    if (remove) orders.push(...this.cancelled(await this.held(state), 'the URL is no longer known'));
    const base: UrlChanges = answersAgain ? { ...changes, pendingDeletion: null } : changes;
    if (order === undefined || document === undefined) return { changes: base, orders, remove };
    const { entry, divided } = await this.send(this.services.ledger.add(state, order.reason, document), decision.fence);
    orders.push(entry);
    if (entry.state !== 'refused') return { changes: base, orders, remove };
    return { changes: this.refused(state, refusedAdd(state, base, divided), divided), orders, remove };
  }

  private async delete(
    decision: Decision,
    reason: string,
  ): Promise<{ changes: UrlChanges; orders: LedgerEntry[]; remove: boolean }> {
    const { state, disposition, byPerson } = decision;
    // The ledger says what is held: a person may have dropped it since the URL was read.
    const held = await this.held(state);
    // Already held back: one order is enough, and it waits for a person.
    if (held.length > 0 && !byPerson)
      return { changes: this.keptBack(state, disposition, reason), orders: [], remove: false };
    const order = decision.resume
      ? this.services.ledger.resume(decision.resume)
      : this.services.ledger.delete(state, reason);
    // A document that the store knows nothing of is none that a bad day of its site could cost.
    const guarded = !byPerson && state.stamp !== undefined;
    if (guarded && (await this.deletions.admit(state, reason)) === 'hold') {
      this.services.events.order(order, 'held');
      const held = this.services.ledger.entry(order, { state: 'held' });
      return { changes: this.keptBack(state, disposition, reason), orders: [held], remove: false };
    }
    // A visit that dies in between is made again, and so is a removal; nobody would come back to this one.
    const marks = byPerson && !disposition.remove && state.stamp !== undefined;
    if (marks) await this.markUnknown(decision);
    await this.services.shared.giveUp(state, this.settings.sinks);
    const { entry: sent, divided } = await this.send(order, decision.fence);
    const others = held.filter(({ id }) => id !== sent.id);
    if (sent.state === 'refused') {
      // The document is still there, so the next visit that wants it gone orders that again, unless another order waits.
      const pendingDeletion = others[0]?.reason ?? null;
      const changes = { ...this.keptBack(state, disposition, reason), pendingDeletion, stamp: state.stamp };
      return { changes: this.refused(state, changes, divided), orders: [sent], remove: false };
    }
    return {
      changes: { ...disposition.changes, stamp: null, pendingDeletion: null },
      orders: [sent, ...this.cancelled(others, 'the document was deleted for another reason')],
      remove: disposition.remove,
    };
  }

  /** Until the deletion is settled, the index may hold the document or not. */
  private async markUnknown({ state, fence }: Decision): Promise<void> {
    const changes: UrlChanges = { stamp: UNKNOWN_STAMP, etag: null, lastModified: null };
    if ((await this.services.settler.add({ id: state.id, fence, changes })) === 'fenced out')
      throw new FencedOut([fence]);
  }

  private async send(order: PushOrder, fence: Fence): Promise<{ entry: LedgerEntry; divided: boolean }> {
    const { answer, attempts, divided } = await this.services.delivery.deliver(order, this.settings.sinks, fence);
    const message = answer.state === 'refused' ? answer.message : undefined;
    this.services.events.order(order, answer.state, message);
    this.settings.tally.order(order.kind, answer.state);
    return { entry: this.services.ledger.entry(order, { state: answer.state, attempts, answer: message }), divided };
  }

  /** When one sink has taken what another one refuses, nobody can tell what they hold: the next visit orders it, whatever it is. */
  private refused(state: UrlState, changes: UrlChanges, divided: boolean): UrlChanges {
    if (!divided) return this.services.doubts.unanswered(state, changes);
    return { ...changes, stamp: UNKNOWN_STAMP };
  }

  /** The visit's outcome is remembered, and the document stays where it is; the URL is visited on. */
  private keptBack(state: UrlState, disposition: Disposition, reason: string): UrlChanges {
    const { stamp: _stamp, simhash: _simhash, ...rest }: StateChanges = disposition.changes;
    const revisit: UrlChanges = disposition.remove
      ? {
          status: 'error',
          reason,
          source: REFRESH,
          dueAt: after(this.services.clock.now(), this.settings.maximumAge),
          visits: state.visits + 1,
        }
      : {};
    // Without validators: an answer that nothing has changed since would speak of the page that is to go, not of the document.
    const changes = { ...rest, ...revisit, etag: null, lastModified: null, pendingDeletion: reason };
    return this.services.doubts.unanswered(state, changes);
  }

  /** Deletions of its document that wait for a person. */
  private held(state: UrlState): Promise<LedgerEntry[]> {
    return state.pendingDeletion === undefined ? Promise.resolve([]) : this.open(state, 'held');
  }

  private open({ crawler, url }: UrlState, state: OrderState): Promise<LedgerEntry[]> {
    return this.services.store.orders({ crawler, uri: url, state }, undefined, 10);
  }

  private cancelled(orders: readonly LedgerEntry[], answer: string): LedgerEntry[] {
    return orders.map((entry) => ({ ...entry, state: 'cancelled', answeredAt: this.services.clock.now(), answer }));
  }
}

function simhashInIndex({ status, stamp, simhash }: UrlChanges): bigint | null | undefined {
  if (stamp === null) return null;
  return status === 'indexed' ? simhash : undefined;
}

/** The sinks keep what they had: the state says so, and what the sink said stands in the ledger. */
function refusedAdd(state: UrlState, changes: UrlChanges, divided: boolean): UrlChanges {
  const { stamp: _stamp, simhash: _simhash, etag: _etag, lastModified: _lastModified, ...rest } = changes;
  return {
    ...rest,
    status: state.stamp === undefined && !divided ? 'visited' : 'indexed',
    reason: 'order-refused',
    etag: null,
    lastModified: null,
  };
}
