/**
 * Sends sinks that were slow or down what they missed: for each URI that they are owed, the current state, a document
 * or its deletion. The document is copied from another sink of the crawler if one can return it, and otherwise fetched
 * by an unconditional visit. Nothing else is in flight for the URL in the meantime, so that no older document goes out
 * after a newer one. Once the transaction that records a sink's response is written, the URI is no longer owed.
 */
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH } from '../../domain/frontier/sources.js';
import { chooseBackfillSource } from '../../domain/push/backfill.js';
import type { PushOrder } from '../../domain/push/order.js';
import { parsePartUri } from '../../domain/push/parts.js';
import { after, atMost, type Duration, days, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Settled } from '../crawl/outcome/decision.js';
import {
  createVerificationChanges,
  type InDoubtDeliveries,
  UNKNOWN_STAMP,
} from '../crawl/outcome/in-doubt-deliveries.js';
import type { Ledger } from '../crawl/outcome/ledger.js';
import type { Owing } from '../crawl/outcome/owing.js';
import type { SharedDocuments } from '../crawl/outcome/shared-documents.js';
import type { Delivery } from '../delivery/delivery.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import type { Clock } from '../ports/clock.js';
import { type FrontierStore, NO_URL, type Settlement, StoreUnavailable } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { OwedOrder } from '../ports/owed-orders.js';
import { type Fence, FencedOut, type Partitions } from '../ports/partitions.js';
import { SinkUnavailable } from '../ports/sink.js';
import type { Batcher } from '../support/batcher.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import { findIndexedDocument } from './indexed-document.js';

const PAGE = 500;
/** Maximum number of documents on their way to a sink at once; at least as much room is left for new orders. */
const AT_ONCE = 100;
/**
 * Maximum number of visits due at once for a sink. Those not made in time (their hosts are resting) don't hold up
 * others.
 */
const MOST_VISITS = 100;
const VISIT_WITHIN = minutes(10);
/** A visit that has led to no order for this long is requested again. */
const ASK_AGAIN = days(1);
const LOOK_AGAIN = seconds(1);
const LOOK_AT_LEAST_EVERY = minutes(1);
/** A request from a process that died may reach its sink up to this long afterwards; nothing newer may overtake it. */
const LAST_REQUESTS = seconds(10);
/** Pause after the store, or the sink that returns documents, has failed. */
const RETRY = seconds(10);

interface CatchUpServices {
  readonly store: FrontierStore;
  readonly settler: Batcher<Settlement, Settled>;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: CrawlEvents;
  readonly partitions: Partitions;
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly owing: Owing;
  readonly inDoubt: InDoubtDeliveries;
  readonly shared: SharedDocuments;
  readonly kept: KeptDocuments;
  findCrawler(name: string): Crawler | undefined;
  findSink(name: string): SinkDefinition | undefined;
}

/** `busy`: a visit or an order of the URL is in flight, or the maximum number of visits is already due. */
type Fate = 'answered' | 'put off' | 'asked' | 'busy';

export class CatchUp {
  private readonly runs = new Map<string, AbortController>();
  private closed = false;
  private readonly begins: Instant;

  constructor(private readonly services: CatchUpServices) {
    this.begins = after(services.clock.now(), LAST_REQUESTS);
    services.owing.onOwed = (crawler, sink) => this.start(crawler, sink);
  }

  /** To be called after the configuration has changed. */
  startAll(): void {
    for (const { crawler, sink } of this.services.owing.listSinks()) this.start(crawler, sink);
  }

  stopAll(): void {
    this.closed = true;
    for (const run of this.runs.values()) run.abort();
  }

  private start(crawler: string, sink: string): void {
    const key = JSON.stringify([crawler, sink]);
    if (this.closed || this.runs.has(key) || !this.services.findCrawler(crawler)) return;
    const stop = new AbortController();
    this.runs.set(key, stop);
    void this.run(crawler, sink, stop.signal).finally(() => this.runs.delete(key));
  }

  private async run(name: string, sink: string, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.services;
    let pause: Duration = LOOK_AGAIN;
    const early = (this.begins - clock.now()) as Duration;
    if (early > 0) await clock.sleep(early, signal);
    while (!signal.aborted) {
      try {
        const found = await this.runRound(name, sink);
        if (found === 'nothing') return;
        pause = found === 'progress' ? LOOK_AGAIN : atMost((pause * 2) as Duration, LOOK_AT_LEAST_EVERY);
        if (found !== 'progress') await clock.sleep(found === 'unhealthy' ? LOOK_AT_LEAST_EVERY : pause, signal);
      } catch (error) {
        if (error instanceof FencedOut) {
          await clock.sleep(LOOK_AGAIN, signal); // until the host's new owner is known here
          continue;
        }
        const passes = error instanceof StoreUnavailable || error instanceof SinkUnavailable;
        const facts = { crawler: name, sink, error: String(passes ? error : (error as Error).stack) };
        log[passes ? 'warn' : 'error']('a sink that fell behind is still waiting for the documents it missed', facts);
        await clock.sleep(passes ? RETRY : LOOK_AT_LEAST_EVERY, signal);
      }
    }
  }

  private async runRound(name: string, sink: string): Promise<'nothing' | 'progress' | 'no progress' | 'unhealthy'> {
    const { owing, store, partitions, delivery } = this.services;
    const mark = owing.getMark(name, sink);
    const crawler = this.services.findCrawler(name);
    if (mark === undefined || !crawler) return 'nothing';
    if (!crawler.context.definition.pushTo.includes(sink)) {
      if (!partitions.leads) return 'nothing';
      await store.dropOwed(name, sink);
      return owing.clearIfUnchanged(name, sink, mark) ? 'nothing' : 'progress';
    }
    const view = delivery.listViews().find((one) => one.name === sink);
    const isUnhealthy = view?.state === 'unavailable';
    // An unavailable sink is tried with one document; once it follows again, it answers that one.
    const most = isUnhealthy ? 1 : Math.min(AT_ONCE, Math.floor(delivery.getRemainingCapacity(sink) / 2));
    const { rows, visits, isEmpty } = await this.readDue(crawler, sink, most);
    if (isEmpty) return owing.clearIfUnchanged(name, sink, mark) ? 'nothing' : 'progress';
    const round = new CatchUpRound(this.services, crawler, sink, MOST_VISITS - visits);
    const ends = await Promise.allSettled(rows.map((owed) => round.processOwed(owed)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    const fates = ends.map((end) => (end as PromiseFulfilledResult<Fate>).value);
    if (isUnhealthy && fates.includes('asked')) return 'unhealthy';
    return fates.some((fate) => fate !== 'busy') ? 'progress' : 'no progress';
  }

  /** The first URIs that are waiting, without those whose visit is due. */
  private async readDue(
    crawler: Crawler,
    sink: string,
    most: number,
  ): Promise<{ rows: OwedOrder[]; visits: number; isEmpty: boolean }> {
    const { store, partitions, clock } = this.services;
    const now = clock.now();
    const rows: OwedOrder[] = [];
    let visits = 0;
    let isEmpty = true;
    for (let last = 0; ; ) {
      const page = await store.listOwed(crawler.name, sink, last, PAGE, partitions.owned);
      isEmpty &&= page.length === 0;
      for (const owed of page) {
        if (owed.askedAt === undefined || after(owed.askedAt, ASK_AGAIN) <= now) rows.push(owed);
        else if (after(owed.askedAt, VISIT_WITHIN) > now) visits++;
      }
      if (page.length < PAGE || rows.length >= most) return { rows: rows.slice(0, most), visits, isEmpty };
      last = page.at(-1)!.orderId;
    }
  }
}

/**
 * For a document that other sinks hold and this one refuses: the next visit orders whatever it finds, as it does
 * whenever one sink refuses an order.
 */
const REFUSED = { stamp: UNKNOWN_STAMP, etag: null, lastModified: null } as const;

/** One round of catching up for one sink. */
class CatchUpRound {
  private readonly source: string | undefined;

  constructor(
    private readonly services: CatchUpServices,
    private readonly crawler: Crawler,
    private readonly sink: string,
    /** Number of visits that may still be requested. */
    private visits: number,
  ) {
    this.source = this.chooseSource();
  }

  async processOwed(owed: OwedOrder): Promise<Fate> {
    const { store, partitions } = this.services;
    const { uri, hostKey } = owed;
    const part = parsePartUri(uri);
    const page =
      (await store.find(this.crawler.name, uri)) ?? (part && (await store.find(this.crawler.name, part.page)));
    if (!page) {
      const fence = partitions.findFence(hostKey);
      return fence ? this.delete(owed, NO_URL, fence) : 'busy';
    }
    let fate: Fate = 'busy';
    await this.crawler.runWhileHeld(page, async (state, fence) => {
      fate = await this.processPage(owed, state, fence);
      return fate === 'asked' ? { source: REFRESH, dueAt: this.services.clock.now() } : undefined;
    });
    return fate;
  }

  private async processPage(owed: OwedOrder, stored: UrlState, fence: Fence): Promise<Fate> {
    const { ledger, inDoubt, kept } = this.services;
    // A document that was left to another crawler is delivered by that crawler.
    if (stored.status === 'elsewhere') return this.finish(owed, stored, fence);
    const isPage = owed.uri === stored.url;
    const isThere =
      stored.stamp !== undefined && (isPage || stored.parts?.some(({ id }) => id === parsePartUri(owed.uri)?.id));
    if (!isThere) return this.delete(owed, stored.id, fence);
    const state = inDoubt.applyDoubt(stored);
    const found = isPage ? await findIndexedDocument(kept, this.source, state, this.crawler.context) : undefined;
    if (!found) return this.requestVisit(owed, state, fence);
    return this.send(owed, ledger.createAddOrder(state, 'sink-behind', found.document), state.id, fence);
  }

  private async delete(owed: OwedOrder, id: number, fence: Fence): Promise<Fate> {
    const { crawler, uri, hostKey } = owed;
    await this.services.shared.giveUp({ crawler, url: uri }, [this.sink]);
    return this.send(
      owed,
      this.services.ledger.createUriDeleteOrder({ crawler, uri, hostKey }, 'sink-behind'),
      id,
      fence,
    );
  }

  private async send(row: OwedOrder, order: PushOrder, id: number, fence: Fence): Promise<Fate> {
    const { delivery, owing, ledger, events, clock } = this.services;
    const { answer, attempts, putOff } = await delivery.deliver(order, [this.sink], { fence, mayPutOff: true });
    const owed = owing.decideChanges(order, [this.sink], putOff);
    if (putOff.length > 0) {
      await this.write({ id, fence, owed });
      return 'put off';
    }
    const message = answer.state === 'refused' ? answer.message : undefined;
    events.emitOrder(order, answer.state, message);
    this.crawler.tally.countOrder(order.kind, answer.state);
    const entry = ledger.toEntry(order, { state: answer.state, attempts, answer: message });
    const settlement = { id, fence, orders: [entry] };
    if (answer.state === 'acknowledged') await this.write({ ...settlement, owed });
    else if (order.kind === 'add') await this.write({ ...settlement, owed, changes: REFUSED });
    // A document that is gone from all other sinks is not visited again, so it stays owed and is retried later.
    else
      await this.write({ ...settlement, owed: [{ ...row, orderId: order.id, change: 'asked', askedAt: clock.now() }] });
    return 'answered';
  }

  /** Whatever the visit finds is ordered, no matter what the store knows. */
  private async requestVisit(owed: OwedOrder, state: UrlState, fence: Fence): Promise<Fate> {
    if (this.visits <= 0) return 'busy';
    this.visits--;
    const now = this.services.clock.now();
    const changes = { ...createVerificationChanges(now), reason: 'sink-behind', source: REFRESH } as const;
    await this.write({ id: state.id, fence, changes, owed: [{ ...owed, change: 'asked', askedAt: now }] });
    return 'asked';
  }

  private async finish(owed: OwedOrder, { id }: UrlState, fence: Fence): Promise<Fate> {
    await this.write({ id, fence, owed: [{ ...owed, change: 'delivered' }] });
    return 'answered';
  }

  private async write(settlement: Settlement & { fence: Fence }): Promise<void> {
    const { settler, owing } = this.services;
    if ((await settler.add(settlement)) === 'fenced out') throw new FencedOut([settlement.fence]);
    owing.noteWritten(settlement.owed ?? []);
  }

  /** Another sink of the crawler that is keeping up and can return what this one needs. */
  private chooseSource(): string | undefined {
    const { delivery, findSink: sink } = this.services;
    const ready = new Set(delivery.listViews().flatMap(({ name, state }) => (state === 'ready' ? [name] : [])));
    const target = sink(this.sink);
    const others = this.crawler.context.definition.pushTo.flatMap((name) =>
      ready.has(name) ? (sink(name) ?? []) : [],
    );
    return target && chooseBackfillSource(target, others)?.name;
  }
}
