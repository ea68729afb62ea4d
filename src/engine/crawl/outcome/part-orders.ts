/**
 * Plans the orders for documents that were split off a page. They are sent with the page's own order and settled in one
 * transaction with it: the page's row says which parts the sinks hold.
 */
import { UNKNOWN_STAMP, type UrlState } from '../../../domain/crawl/url-state.js';
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
import type { WantedDeletion } from '../evidence/host-trouble.js';
import type { Deletions } from './deletions.js';
import type { InDoubtDeliveries } from './in-doubt-deliveries.js';
import type { Ledger } from './ledger.js';

export interface PartPlan {
  readonly orders: readonly PushOrder[];
  /** Entries for the ledger only: deletions that start or stop waiting for an operator. */
  readonly entries: readonly LedgerEntry[];
  /** What the sinks hold after they have accepted the orders. */
  readonly parts: readonly PartState[];
  /** What the sinks may hold until then. */
  readonly possibleParts: readonly PartState[];
  /** What the sinks hold if they refuse the orders. */
  readonly unchangedParts: readonly PartState[];
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

const EMPTY_PLAN: PartPlan = {
  orders: [],
  entries: [],
  parts: [],
  possibleParts: [],
  unchangedParts: [],
  hasNew: false,
};

export class PartOrders {
  constructor(
    private readonly services: PartServices,
    private readonly deletions: Pick<Deletions, 'judge'>,
  ) {}

  /** Undefined if the page neither has nor had parts. */
  planWithDocument(
    state: UrlState,
    document: PushDocument,
    startedAt: Instant | undefined,
  ): Promise<PartPlan> | undefined {
    return document.parts?.length || state.parts?.length ? this.planParts(state, document, startedAt) : undefined;
  }

  private async planParts(
    state: UrlState,
    { parts: foundParts, keepsParts, uri }: PushDocument,
    startedAt: Instant | undefined,
  ): Promise<PartPlan> {
    const { parts: previousParts = [] } = state;
    const parts = foundParts ?? [];
    const { ledger, inDoubt } = this.services;
    const { stamp } = inDoubt.applyDoubt(state);
    const isKnown = stamp !== undefined && stamp !== UNKNOWN_STAMP;
    const {
      partsToPush: pushed,
      goneParts: gone,
      returnedParts: back,
    } = findPartChanges(previousParts, parts, isKnown);
    const reason = stamp === undefined ? 'indexed' : 'changed';
    const addOrders = pushed.map((part) => ledger.createAddOrder({ ...state, url: part.uri }, reason, part));
    // If the configuration no longer splits the page, its parts are meant to be deleted: the guard does not apply.
    const judgement = keepsParts
      ? { sent: [], kept: gone, entries: [] }
      : foundParts === undefined
        ? { sent: gone, kept: [], entries: [] }
        : await this.judgeGoneParts(state, gone, isKnown, startedAt);
    const withdrawnEntries = await this.withdrawAll(state, back, 'the part is on the page again');
    const replacedEntries = await this.withdrawAll(state, judgement.sent, 'the part was deleted');
    const currentParts = toPartStates(parts);
    const knownIds = new Set(previousParts.map(({ id }) => id));
    // Waiting deletions are written in any case, and have to be found when their parts come back.
    const waitingParts = new Map(judgement.kept.map((part) => [part.id, part]));
    const preferWaiting = (part: PartState): PartState => waitingParts.get(part.id) ?? part;
    return {
      orders: [...addOrders, ...judgement.sent.map((part) => this.createDeletion(state, uri, part, PART_GONE))],
      entries: [...judgement.entries, ...withdrawnEntries, ...replacedEntries],
      parts: [...currentParts, ...judgement.kept],
      possibleParts: [...currentParts, ...gone.map(preferWaiting)],
      unchangedParts: previousParts.map(preferWaiting),
      hasNew: currentParts.some(({ id }) => !knownIds.has(id)),
    };
  }

  /** Deletes all parts together with their page's document. */
  async planWithDeletion(state: UrlState): Promise<PartPlan> {
    const { parts = [], url } = state;
    if (parts.length === 0) return EMPTY_PLAN;
    const orders = parts.map((part) => this.createDeletion(state, url, part, WITH_ITS_PAGE));
    const entries = await this.withdrawAll(state, parts, 'the page was deleted');
    return { ...EMPTY_PLAN, orders, entries, possibleParts: parts, unchangedParts: parts };
  }

  /** Plans the deletion of a part after an operator has released the held deletion. */
  async planRelease(state: UrlState, entry: LedgerEntry, id: string): Promise<PartPlan | undefined> {
    const part = state.parts?.find((candidate) => candidate.id === id);
    if (!part) return undefined;
    const order = this.createDeletion(state, state.url, part, PART_GONE);
    const withdrawnEntry = this.withdraw(entry, `sent as order ${order.id}`);
    const parts = state.parts!.filter((candidate) => candidate !== part);
    return {
      orders: [order],
      entries: [withdrawnEntry],
      parts,
      possibleParts: state.parts!,
      unchangedParts: state.parts!,
      hasNew: false,
    };
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
      const deletion: WantedDeletion = {
        state,
        reason: PART_GONE,
        startedAt,
        waitingSince: undefined,
        partCount: state.parts?.length,
      };
      if ((await this.deletions.judge(deletion)) === 'send') sent.push(part);
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

  private async withdrawAll(state: UrlState, parts: readonly PartState[], reason: string): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (const part of parts)
      if (part.held) for (const entry of await this.findHeld(state, part)) entries.push(this.withdraw(entry, reason));
    return entries;
  }

  private withdraw(entry: LedgerEntry, answer: string): LedgerEntry {
    return { ...entry, state: 'cancelled', answeredAt: this.services.clock.now(), answer };
  }

  private findHeld({ crawler, url }: UrlState, { id }: PartState): Promise<LedgerEntry[]> {
    return this.services.store.listOrders({ crawler, uri: createPartUri(url, id), state: 'held' }, undefined, 10);
  }
}
