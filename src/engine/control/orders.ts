import { HOLD_CAUSES, type HoldCause, isHoldCause, RELEASED } from '../../domain/crawl/change-guard.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { parsePartUri } from '../../domain/push/parts.js';
import { earlier, type Instant, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import { type LedgerEntry, type LedgerFilter, StoreUnavailable } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { OwedCount } from '../ports/owed-orders.js';
import type { Ports } from '../ports/ports.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import type { HeldChangeGroup, HeldChangeSample, HeldDeletions } from '../views/delivery-views.js';

const PAGE_SIZE = 1_000;
const MAX_SAMPLES = 10;
/** Maximum number of held changes of a host and cause that are shown with their texts, and the length of a text. */
const MAX_COMPARED = 5;
const MAX_COMPARED_TEXT = 300;
const MAX_VISITS_SEARCHED = 10;
/** Equal to the maximum number of orders that may be waiting for one sink. */
const BATCH_SIZE = 500;
const RETRY_DELAY = seconds(1);

interface OrderServices extends Pick<Ports, 'store' | 'clock' | 'log'> {
  readonly listPending: () => Promise<readonly LedgerEntry[]>;
  readonly kept: Pick<KeptDocuments, 'find'>;
  readonly crawlers: Pick<Crawlers, 'findStored'>;
  readonly nodes: Pick<Nodes, 'notifyAllDue'>;
}

const MAX_REFUSED = 1_000;

/** Which refused orders to retry; all that match every given part. */
export interface RefusedOrderChoice {
  readonly crawler?: string;
  /** The sink that refused them. */
  readonly sink?: string;
  /** A part of the sink's message. */
  readonly answer?: string;
}

/** Gives operators access to the ledger: lists and retries orders, and releases or drops withheld deletions. */
export class Orders {
  constructor(private readonly services: OrderServices) {}

  /** Lists orders, newest first, including those in flight. */
  async list(filter: LedgerFilter, before: number | undefined, limit: number): Promise<LedgerEntry[]> {
    const pending = (await this.services.listPending()).filter(
      (entry) => matchesFilter(entry, filter) && (before === undefined || entry.id < before),
    );
    const pendingIds = new Set(pending.map((entry) => entry.id));
    const storedEntries = await this.services.store.listOrders(filter, before, limit);
    return [...pending, ...storedEntries.filter((entry) => !pendingIds.has(entry.id))]
      .sort((a, b) => b.id - a.id)
      .slice(0, limit);
  }

  /**
   * Fetches a refused document again and pushes it as a new order; sends a refused or withheld deletion at once as a
   * new order.
   * @throws NotFound, Unacceptable
   */
  async retry(id: number): Promise<LedgerEntry> {
    const startedAt = this.services.clock.now();
    const entry = await this.services.store.getOrder(id);
    if (!entry) throw new NotFound(`there is no order ${id}`);
    const isDroppedChange = entry.state === 'dropped' && isHoldCause(entry.reason);
    if (entry.state !== 'refused' && !isWithheld(entry) && !isDroppedChange) {
      throw new Unacceptable(
        `order ${id} is ${entry.state}; only refused orders, deletions that are held or waiting, and changes that were held can be sent again`,
      );
    }
    const state = await this.findState(entry);
    const crawler = this.services.crawlers.findStored(entry.crawler);
    if (!state || !crawler) throw new Unacceptable(`${entry.uri} is no longer known to crawler ${entry.crawler}`);
    if (isHoldCause(entry.reason)) await this.releaseChange(entry, state, crawler);
    else if (entry.kind === 'add') await this.requestVisit(crawler, state, entry);
    else if (!(await crawler.decide(state, { do: 'send-again', entry })))
      throw new Unacceptable(`${entry.uri} is being visited; try again when the visit has ended`);
    return this.findOutcome(entry, startedAt);
  }

  /** Retries orders that a sink refused while it refused everything. */
  async retryAll(ids: readonly number[]): Promise<void> {
    for (const id of ids)
      await this.retry(id).catch((error: unknown) =>
        this.services.log.warn('could not retry an order that its sink refused while it refused every order', {
          order: id,
          error: String(error),
        }),
      );
    this.services.nodes.notifyAllDue();
  }

  /**
   * Retries all matching refused orders; returns how many. Deletions of URLs that are being visited are left out: their
   * visits decide.
   */
  async retryRefused({ sink, answer, crawler }: RefusedOrderChoice): Promise<number> {
    let count = 0;
    for await (const entry of this.readEntries({ state: 'refused', crawler })) {
      if (sink !== undefined && !entry.answer?.startsWith(`${sink}: `)) continue;
      if (answer !== undefined && !entry.answer?.includes(answer)) continue;
      const state = await this.findState(entry);
      const owner = this.services.crawlers.findStored(entry.crawler);
      if (!state || !owner) continue;
      if (entry.kind === 'add') await this.requestVisit(owner, state, entry);
      else if (!(await owner.decide(state, { do: 'send-again', entry }))) continue;
      count++;
    }
    this.services.nodes.notifyAllDue();
    return count;
  }

  /**
   * Counts, by sink, the refused orders that nothing has replaced since, also those of earlier processes. Looks at the
   * newest `MAX_REFUSED` of them.
   */
  async countRefused(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { answer } of await this.services.store.listOrders({ state: 'refused' }, undefined, MAX_REFUSED)) {
      const sink = answer?.split(': ', 1)[0];
      if (sink !== undefined) counts.set(sink, (counts.get(sink) ?? 0) + 1);
    }
    return counts;
  }

  /** Counts what sinks have yet to receive because they were slow or down while others kept up. */
  countOwed(): Promise<OwedCount[]> {
    return this.services.store.countOwed();
  }

  async listHeldDeletions(): Promise<HeldDeletions[]> {
    const entries = await this.findHeldDeletions();
    return [...Map.groupBy(entries, ({ crawler, hostKey }) => `${crawler} ${hostKey}`).values()].map(
      summarizeHeldDeletions,
    );
  }

  /**
   * Sends the held deletions of a host in the background, or only those with this reason; returns their number. What the
   * change guard holds is believed at the next visit, which is made at once.
   */
  async releaseHeldDeletions(hostKey: string, reason?: string): Promise<number> {
    const entries = await this.findHeldDeletions(hostKey, reason);
    void this.decideAll(entries, this.send);
    return entries.length;
  }

  /**
   * Drops the held deletions and changes of a host, or only those with this reason: the documents stay in the index, and
   * a change is not held again as long as its page says the same. Those of pages that are being visited follow in the
   * background.
   */
  async dropHeldDeletions(hostKey: string, reason?: string): Promise<number> {
    const entries = await this.findHeldDeletions(hostKey, reason);
    const rest = await this.attempt(entries, this.drop);
    void this.decideAll(rest, this.drop);
    return entries.length;
  }

  /**
   * Shows some of the changes of a host that are held, of each crawler and cause, with what the document says and what
   * the page says now.
   */
  async compareHeldChanges(hostKey: string): Promise<HeldChangeSample[]> {
    const samples: HeldChangeSample[] = [];
    const counts = new Map<string, number>();
    for await (const entry of this.readEntries({ state: 'awaiting', hostKey })) {
      const { crawler, reason } = entry;
      const group = `${crawler} ${reason}`;
      const count = counts.get(group) ?? 0;
      if (!isHoldCause(reason) || count >= MAX_COMPARED) continue;
      counts.set(group, count + 1);
      samples.push(await this.compareChange(entry, reason));
    }
    return samples;
  }

  private async compareChange({ crawler, uri, decidedAt }: LedgerEntry, cause: HoldCause): Promise<HeldChangeSample> {
    const { store, crawlers } = this.services;
    const state = await store.find(crawler, uri);
    const visits = state ? await store.listVisits(state.id, MAX_VISITS_SEARCHED) : [];
    const sinks = crawlers.findStored(crawler)?.context.definition.pushTo ?? [];
    return {
      crawler,
      uri,
      cause,
      since: decidedAt,
      title: state?.title ?? '',
      indexedText: await this.findIndexedText(uri, sinks),
      finding: visits.find(({ outcome }) => outcome === cause)?.detail,
    };
  }

  /** The beginning of the text that a sink has; undefined if none of them can be asked. */
  private async findIndexedText(uri: string, sinks: readonly string[]): Promise<string | undefined> {
    for (const sink of sinks) {
      const kept = await this.services.kept.find(sink, uri).catch(() => undefined);
      if (kept) return kept.document.text.slice(0, MAX_COMPARED_TEXT).toWellFormed();
    }
    return undefined;
  }

  /** Lets the next visit, which is made at once, believe the page; false if the URL is in flight. */
  private async releaseChange(entry: LedgerEntry, state: UrlState, crawler: Crawler): Promise<boolean> {
    await this.services.store.saveOrders([{ ...entry, state: 'awaiting', answeredAt: undefined, answer: RELEASED }]);
    return crawler.decide(state, { do: 'visit' });
  }

  private async decideAll(entries: readonly LedgerEntry[], decide: EntryDecision): Promise<void> {
    let remaining = entries;
    while (remaining.length > 0) {
      const rest = await this.attempt(remaining, decide);
      if (rest.length === remaining.length) await this.services.clock.sleep(RETRY_DELAY);
      remaining = rest;
    }
  }

  /** Returns the entries whose URLs are in flight, and those that the store could not answer for. */
  private async attempt(entries: readonly LedgerEntry[], decide: EntryDecision): Promise<LedgerEntry[]> {
    const rest: LedgerEntry[] = [];
    for (let i = 0; i < entries.length; i += BATCH_SIZE) {
      const batch = entries.slice(i, i + BATCH_SIZE);
      const isDone = await Promise.all(batch.map((entry) => this.decideEntry(entry, decide)));
      rest.push(...batch.filter((_, i) => !isDone[i]));
    }
    return rest;
  }

  /** Resolves to false if the URL is in flight or the store is unavailable, so that the caller must try again later. */
  private async decideEntry({ id }: LedgerEntry, decide: EntryDecision): Promise<boolean> {
    const { store, log } = this.services;
    try {
      const entry = await store.getOrder(id);
      if (!entry || !isWithheld(entry)) return true; // a visit or an operator has decided in the meantime
      const state = await this.findState(entry);
      const crawler = this.services.crawlers.findStored(entry.crawler);
      if (state && crawler) return await decide(entry, state, crawler);
      await store.saveOrders([{ ...entry, state: 'cancelled', answer: 'the URL is no longer known' }]);
      return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      log.error('a decision about held deletions or changes failed; they remain held', {
        order: id,
        error: String(error),
      });
      return true;
    }
  }

  private readonly send: EntryDecision = (entry, state, crawler) =>
    isHoldCause(entry.reason)
      ? this.releaseChange(entry, state, crawler)
      : crawler.decide(state, { do: 'send-again', entry });

  private readonly drop: EntryDecision = (entry, state, crawler) => crawler.decide(state, { do: 'drop', entry });

  /** Returns the deletion that replaced this one, or else this one with its outcome. */
  private async findOutcome(entry: LedgerEntry, startedAt: Instant): Promise<LedgerEntry> {
    const { store } = this.services;
    const { id, crawler, uri } = entry;
    const [newestEntry] = await store.listOrders({ crawler, uri, kind: 'delete' }, undefined, 1);
    if (newestEntry && newestEntry.id > id && newestEntry.decidedAt >= startedAt) return newestEntry;
    return (await store.getOrder(id)) ?? entry;
  }

  /** The new order gets its own entry in the ledger; the refused one is closed. */
  private async requestVisit(crawler: Crawler, state: UrlState, refusedEntry: LedgerEntry): Promise<void> {
    // Its owner asks for the visit; a URL that is in flight is visited once more.
    if (!(await crawler.decide(state, { do: 'visit', anew: true }))) crawler.noteRequested([state.id]);
    await this.services.store.saveOrders([{ ...refusedEntry, state: 'dropped' }]);
  }

  /** Finds the URL of the order, or that of the page from which its document was split off. */
  private async findState({ crawler, uri }: LedgerEntry): Promise<UrlState | undefined> {
    const { store } = this.services;
    const state = await store.find(crawler, uri);
    const part = state ? undefined : parsePartUri(uri);
    return part ? store.find(crawler, part.page) : state;
  }

  private async findHeldDeletions(hostKey?: string, reason?: string): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (const state of ['held', 'awaiting'] as const)
      for await (const entry of this.readEntries({ state, hostKey, reason })) entries.push(entry);
    return entries;
  }

  private async *readEntries(filter: LedgerFilter): AsyncIterable<LedgerEntry> {
    let before: number | undefined;
    do {
      const page = await this.services.store.listOrders(filter, before, PAGE_SIZE);
      yield* page;
      before = page.length < PAGE_SIZE ? undefined : page.at(-1)!.id;
    } while (before !== undefined);
  }
}

/** Resolves to false if the URL is in flight. */
type EntryDecision = (entry: LedgerEntry, state: UrlState, crawler: Crawler) => Promise<boolean>;

const isWithheld = ({ state }: LedgerEntry): boolean => state === 'held' || state === 'awaiting';

function groupHeldChanges(entries: readonly LedgerEntry[]): HeldChangeGroup[] {
  return HOLD_CAUSES.flatMap((cause) => {
    const own = entries.filter(({ reason }) => reason === cause);
    const [first] = own;
    if (!first) return [];
    const oldest = own.reduce((oldest, { decidedAt }) => earlier(oldest, decidedAt), first.decidedAt);
    const replaces = own.filter(({ kind }) => kind === 'add').length;
    return [{ cause, count: own.length, oldest, replaces, deletes: own.length - replaces }];
  });
}

function summarizeHeldDeletions(entries: LedgerEntry[]): HeldDeletions {
  const [first] = entries as [LedgerEntry];
  const reasons: Record<string, number> = {};
  for (const entry of entries) reasons[entry.reason] = (reasons[entry.reason] ?? 0) + 1;
  return {
    hostKey: first.hostKey,
    crawler: first.crawler,
    count: entries.length,
    awaiting: entries.filter(({ state }) => state === 'awaiting').length,
    oldest: entries.reduce((oldest, entry) => (entry.decidedAt < oldest ? entry.decidedAt : oldest), first.decidedAt),
    reasons,
    samples: entries.slice(0, MAX_SAMPLES).map((entry) => entry.uri),
    changes: groupHeldChanges(entries),
  };
}

const matchesFilter = (entry: LedgerEntry, filter: LedgerFilter): boolean =>
  (filter.state === undefined || filter.state === entry.state) &&
  (filter.kind === undefined || filter.kind === entry.kind) &&
  (filter.crawler === undefined || filter.crawler === entry.crawler) &&
  (filter.uri === undefined || filter.uri === entry.uri) &&
  (filter.reason === undefined || filter.reason === entry.reason) &&
  (filter.hostKey === undefined || filter.hostKey === entry.hostKey);
