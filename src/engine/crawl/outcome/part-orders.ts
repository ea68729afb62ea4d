/**
 * Plans the orders for documents that were split off a page. They are sent with the page's own order and settled in one
 * transaction with it: the page's row says which parts the sinks hold.
 */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Reason } from '../../../domain/policy/reasons.js';
import type { PushDocument, PushOrder } from '../../../domain/push/order.js';
import {
  createPartUri,
  findPartChanges,
  PART_GONE,
  type PartState,
  toPartStates,
  WITH_ITS_PAGE,
} from '../../../domain/push/parts.js';
import type { Instant } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { LedgerEntry, OrderLedger } from '../../ports/frontier-store.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { WantedDeletion } from '../host-trouble.js';
import type { Deletions } from './deletions.js';
import { type InDoubtDeliveries, UNKNOWN_STAMP } from './in-doubt-deliveries.js';
import type { Ledger } from './ledger.js';

export interface PartPlan {
  readonly orders: readonly PushOrder[];
  /** Entries for the ledger only: deletions that start or stop waiting for a person. */
  readonly entries: readonly LedgerEntry[];
  /** What the sinks hold after they have accepted the orders. */
  readonly parts: readonly PartState[];
  /** What the sinks may hold until then. */
  readonly possible: readonly PartState[];
  /** What the sinks hold if they refuse the orders. */
  readonly unchanged: readonly PartState[];
  /** True if a part is new, so that the store does not know it yet. */
  readonly hasNew: boolean;
}

export interface PartServices {
  readonly store: Pick<OrderLedger, 'listOrders'>;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly events: CrawlEvents;
  readonly inDoubt: Pick<InDoubtDeliveries, 'applyDoubt'>;
}

const NOTHING: PartPlan = { orders: [], entries: [], parts: [], possible: [], unchanged: [], hasNew: false };

export class PartOrders {
  constructor(
    private readonly services: PartServices,
    private readonly deletions: Pick<Deletions, 'judge'>,
  ) {}

  /** Undefined if the page neither has nor had parts. */
  async planWithDocument(
    state: UrlState,
    { parts: found, uri }: PushDocument,
    startedAt: Instant | undefined,
  ): Promise<PartPlan | undefined> {
    const { parts: before = [] } = state;
    const parts = found ?? [];
    if (parts.length === 0 && before.length === 0) return undefined;
    const { ledger, inDoubt } = this.services;
    const { stamp } = inDoubt.applyDoubt(state);
    const isKnown = stamp !== undefined && stamp !== UNKNOWN_STAMP;
    const { pushed, gone, back } = findPartChanges(before, parts, isKnown);
    const reason = stamp === undefined ? 'indexed' : 'changed';
    const adds = pushed.map((part) => ledger.createAddOrder({ ...state, url: part.uri }, reason, part));
    // A person who removes splitting from the configuration wants the parts gone: the guard does not apply.
    const judged =
      found === undefined
        ? { sent: gone, kept: [], entries: [] }
        : await this.judgeGoneParts(state, gone, isKnown, startedAt);
    const over = await this.withdrawAll(state, back, 'the part is on the page again');
    const ends = await this.withdrawAll(state, judged.sent, 'the part was deleted');
    const present = toPartStates(parts);
    const isNew = new Set(before.map(({ id }) => id));
    // Waiting deletions are written in any case, and have to be found when their parts come back.
    const waiting = new Map(judged.kept.map((part) => [part.id, part]));
    const replaceIfWaiting = (part: PartState): PartState => waiting.get(part.id) ?? part;
    return {
      orders: [...adds, ...judged.sent.map((part) => this.createDeletion(state, uri, part, PART_GONE))],
      entries: [...judged.entries, ...over, ...ends],
      parts: [...present, ...judged.kept],
      possible: [...present, ...gone.map(replaceIfWaiting)],
      unchanged: before.map(replaceIfWaiting),
      hasNew: present.some(({ id }) => !isNew.has(id)),
    };
  }

  /** Deletes all parts together with their page's document. */
  async planWithDeletion(state: UrlState): Promise<PartPlan> {
    const { parts = [], url } = state;
    if (parts.length === 0) return NOTHING;
    const orders = parts.map((part) => this.createDeletion(state, url, part, WITH_ITS_PAGE));
    const entries = await this.withdrawAll(state, parts, 'the page was deleted');
    return { ...NOTHING, orders, entries, possible: parts, unchanged: parts };
  }

  /** Deletes one part, whose deletion a person has released. */
  async planRelease(state: UrlState, entry: LedgerEntry, id: string): Promise<PartPlan | undefined> {
    const part = state.parts?.find((one) => one.id === id);
    if (!part) return undefined;
    const order = this.createDeletion(state, state.url, part, PART_GONE);
    const done = this.withdraw(entry, `sent as order ${order.id}`);
    const parts = state.parts!.filter((one) => one !== part);
    return { orders: [order], entries: [done], parts, possible: state.parts!, unchanged: state.parts!, hasNew: false };
  }

  /** Parts that are gone from their page pass the deletion guard's limits one by one, like documents of pages. */
  private async judgeGoneParts(
    state: UrlState,
    gone: readonly PartState[],
    isKnown: boolean,
    startedAt = this.services.clock.now(),
  ) {
    const sent: PartState[] = [];
    const kept: PartState[] = [];
    const entries: LedgerEntry[] = [];
    for (const part of gone) {
      const wanted: WantedDeletion = {
        state,
        reason: PART_GONE,
        startedAt,
        waitingSince: undefined,
        beside: state.parts?.length,
      };
      if ((await this.deletions.judge(wanted)) === 'send') sent.push(part);
      else {
        // A sink that refused the part may lack it: when the part comes back, it is pushed, changed or not.
        kept.push({ ...part, ...(isKnown ? {} : { stamp: UNKNOWN_STAMP }), held: true });
        if (!part.held || (await this.findHeld(state, part)).length === 0) entries.push(this.hold(state, part));
      }
    }
    return { sent, kept, entries };
  }

  private hold(state: UrlState, part: PartState): LedgerEntry {
    const order = this.createDeletion(state, state.url, part, PART_GONE);
    this.services.events.emitOrder(order, 'held');
    return this.services.ledger.toEntry(order, { state: 'held' });
  }

  private createDeletion({ crawler, hostKey }: UrlState, page: string, { id }: PartState, reason: Reason): PushOrder {
    return this.services.ledger.createUriDeleteOrder({ crawler, uri: createPartUri(page, id), hostKey }, reason);
  }

  private async withdrawAll(state: UrlState, parts: readonly PartState[], why: string): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (const part of parts)
      if (part.held) for (const entry of await this.findHeld(state, part)) entries.push(this.withdraw(entry, why));
    return entries;
  }

  private withdraw(entry: LedgerEntry, answer: string): LedgerEntry {
    return { ...entry, state: 'cancelled', answeredAt: this.services.clock.now(), answer };
  }

  private findHeld({ crawler, url }: UrlState, { id }: PartState): Promise<LedgerEntry[]> {
    return this.services.store.listOrders({ crawler, uri: createPartUri(url, id), state: 'held' }, undefined, 10);
  }
}
