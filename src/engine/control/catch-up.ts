/**
 * Brings sinks that were slow or down up to date: for each URI owed to a sink, it sends the current document or its
 * deletion. The document is copied from another sink of the crawler if one can return it, and otherwise fetched by an
 * unconditional visit. Nothing else is in flight for the URL in the meantime, so that no older document goes out after
 * a newer one. Once the sink's response is recorded, the URI is no longer owed.
 */
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH } from '../../domain/frontier/sources.js';
import { chooseBackfillSource } from '../../domain/push/backfill.js';
import { parsePartUri } from '../../domain/push/parts.js';
import { after, atMost, type Duration, days, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { type InDoubtDeliveries } from '../crawl/outcome/in-doubt-deliveries.js';
import type { Owing } from '../crawl/outcome/owing.js';
import type { SharedDocuments } from '../crawl/outcome/shared-documents.js';
import type { Delivery } from '../delivery/delivery.js';
import type { KeptDocuments } from '../delivery/kept-documents.js';
import { NO_URL, StoreUnavailable } from '../ports/frontier-store.js';
import type { OwedOrder } from '../ports/owed-orders.js';
import { type Fence, FencedOut } from '../ports/partitions.js';
import type { Ports } from '../ports/ports.js';
import { SinkUnavailable } from '../ports/sink.js';
import { findIndexedDocument } from './indexed-document.js';
import type { OwedOrderSending, SendingOutcome } from './owed-order-sending.js';

const PAGE_SIZE = 500;
/** Maximum number of documents in flight to a sink; at least the same capacity is left for new orders. */
const MAX_IN_FLIGHT = 100;
/**
 * Maximum number of visits due at once for a sink. Visits that are not made soon, for example because their hosts are
 * resting, do not hold up others.
 */
const MAX_VISITS = 100;
const VISIT_TIMEOUT = minutes(10);
/** A visit that has led to no order for this long is requested again. */
const REQUEST_AGAIN_AFTER = days(1);
const MIN_PAUSE = seconds(1);
const MAX_PAUSE = minutes(1);
/** A request from a process that died may reach its sink up to this long afterwards; nothing newer may overtake it. */
const MAX_REQUEST_DELAY = seconds(10);
/** Pause after the store, or the sink that returns documents, has failed. */
const RETRY_DELAY = seconds(10);

interface CatchUpServices extends Pick<Ports, 'store' | 'clock' | 'log' | 'partitions'> {
  readonly delivery: Delivery;
  readonly owing: Owing;
  readonly inDoubt: InDoubtDeliveries;
  readonly shared: SharedDocuments;
  readonly kept: KeptDocuments;
  readonly crawlers: Pick<Crawlers, 'findStored'>;
  readonly sending: OwedOrderSending;
  findSink(name: string): SinkDefinition | undefined;
}

/** `busy`: a visit or an order of the URL is in flight, or the maximum number of visits is already due. */
type CatchUpOutcome = SendingOutcome | 'busy';

export class CatchUp {
  private readonly runs = new Map<string, AbortController>();
  private closed = false;
  private readonly startsAt: Instant;

  constructor(private readonly services: CatchUpServices) {
    this.startsAt = after(services.clock.now(), MAX_REQUEST_DELAY);
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
    if (this.closed || this.runs.has(key) || !this.services.crawlers.findStored(crawler)) return;
    const controller = new AbortController();
    this.runs.set(key, controller);
    void this.run(crawler, sink, controller.signal).finally(() => this.runs.delete(key));
  }

  private async run(name: string, sink: string, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.services;
    let pause: Duration = MIN_PAUSE;
    const startDelay = (this.startsAt - clock.now()) as Duration;
    if (startDelay > 0) await clock.sleep(startDelay, signal);
    while (!signal.aborted) {
      try {
        const progress = await this.runRound(name, sink);
        if (progress === 'nothing') return;
        pause = progress === 'progress' ? MIN_PAUSE : atMost((pause * 2) as Duration, MAX_PAUSE);
        if (progress !== 'progress') await clock.sleep(progress === 'unhealthy' ? MAX_PAUSE : pause, signal);
      } catch (error) {
        if (error instanceof FencedOut) {
          await clock.sleep(MIN_PAUSE, signal); // until the host's new owner is known here
          continue;
        }
        const isTemporary = error instanceof StoreUnavailable || error instanceof SinkUnavailable;
        const facts = { crawler: name, sink, error: String(isTemporary ? error : (error as Error).stack) };
        log[isTemporary ? 'warn' : 'error']('could not send a sink the documents that it missed; trying again', facts);
        await clock.sleep(isTemporary ? RETRY_DELAY : MAX_PAUSE, signal);
      }
    }
  }

  private async runRound(name: string, sink: string): Promise<'nothing' | 'progress' | 'no progress' | 'unhealthy'> {
    const { owing, store, partitions, delivery } = this.services;
    const mark = owing.getMark(name, sink);
    const crawler = this.services.crawlers.findStored(name);
    if (mark === undefined || !crawler) return 'nothing';
    if (!crawler.context.definition.pushTo.includes(sink)) {
      if (!partitions.isLeader) return 'nothing';
      await store.dropOwed(name, sink);
      return owing.clearIfUnchanged(name, sink, mark) ? 'nothing' : 'progress';
    }
    const view = delivery.listViews().find((candidate) => candidate.name === sink);
    const isUnhealthy = view?.state === 'unavailable';
    // An unavailable sink is sent only one document, which it answers once it is available again.
    const max = isUnhealthy ? 1 : Math.min(MAX_IN_FLIGHT, Math.floor(delivery.getRemainingCapacity(sink) / 2));
    const { rows, visits, isEmpty } = await this.readOwedOrders(crawler, sink, max);
    if (isEmpty) return owing.clearIfUnchanged(name, sink, mark) ? 'nothing' : 'progress';
    const round = new CatchUpRound(this.services, crawler, sink, MAX_VISITS - visits);
    const results = await Promise.allSettled(rows.map((owed) => round.processOwed(owed)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
    const outcomes = results.map((result) => (result as PromiseFulfilledResult<CatchUpOutcome>).value);
    if (isUnhealthy && outcomes.includes('asked')) return 'unhealthy';
    return outcomes.some((outcome) => outcome !== 'busy') ? 'progress' : 'no progress';
  }

  /** Reads the first URIs to process, without those whose visit is already due. */
  private async readOwedOrders(
    crawler: Crawler,
    sink: string,
    max: number,
  ): Promise<{ rows: OwedOrder[]; visits: number; isEmpty: boolean }> {
    const { store, partitions, clock } = this.services;
    const now = clock.now();
    const rows: OwedOrder[] = [];
    let visits = 0;
    let isEmpty = true;
    for (let lastOrderId = 0; ; ) {
      const page = await store.listOwed(crawler.name, sink, lastOrderId, PAGE_SIZE, partitions.owned);
      isEmpty &&= page.length === 0;
      for (const owed of page) {
        if (owed.askedAt === undefined || after(owed.askedAt, REQUEST_AGAIN_AFTER) <= now) rows.push(owed);
        else if (after(owed.askedAt, VISIT_TIMEOUT) > now) visits++;
      }
      if (page.length < PAGE_SIZE || rows.length >= max) return { rows: rows.slice(0, max), visits, isEmpty };
      lastOrderId = page.at(-1)!.orderId;
    }
  }
}

/** One round of catching up for one sink. */
class CatchUpRound {
  private readonly source: string | undefined;

  constructor(
    private readonly services: CatchUpServices,
    private readonly crawler: Crawler,
    private readonly sink: string,
    /** Number of visits that may still be requested. */
    private remainingVisits: number,
  ) {
    this.source = this.chooseSource();
  }

  async processOwed(owed: OwedOrder): Promise<CatchUpOutcome> {
    const { store, partitions } = this.services;
    const { uri, hostKey } = owed;
    const part = parsePartUri(uri);
    const page =
      (await store.find(this.crawler.name, uri)) ?? (part && (await store.find(this.crawler.name, part.page)));
    if (!page) {
      const fence = partitions.findFence(hostKey);
      return fence ? this.delete(owed, NO_URL, fence) : 'busy';
    }
    let outcome: CatchUpOutcome = 'busy';
    await this.crawler.runWhileHeld(page, async (state, fence) => {
      outcome = await this.processPage(owed, state, fence);
      return outcome === 'asked' ? { source: REFRESH, dueAt: this.services.clock.now() } : undefined;
    });
    return outcome;
  }

  private async processPage(owed: OwedOrder, storedState: UrlState, fence: Fence): Promise<CatchUpOutcome> {
    const { sending, inDoubt, kept } = this.services;
    // A document that was left to another crawler is delivered by that crawler.
    if (storedState.status === 'elsewhere') return sending.markDelivered(owed, storedState.id, fence);
    const isPage = owed.uri === storedState.url;
    const isIndexed =
      storedState.stamp !== undefined &&
      (isPage || storedState.parts?.some(({ id }) => id === parsePartUri(owed.uri)?.id));
    if (!isIndexed) return this.delete(owed, storedState.id, fence);
    const state = inDoubt.applyDoubt(storedState);
    const indexedDocument = isPage
      ? await findIndexedDocument(kept, this.source, state, this.crawler.context)
      : undefined;
    if (!indexedDocument) return this.requestVisit(owed, state, fence);
    return sending.sendDocument(owed, { crawler: this.crawler, state, document: indexedDocument.document, fence });
  }

  private async delete(owed: OwedOrder, id: number, fence: Fence): Promise<CatchUpOutcome> {
    const { crawler, uri } = owed;
    const notifyAgain = await this.services.shared.notifyOtherOwners({ crawler, url: uri }, [this.sink]);
    const outcome = await this.services.sending.sendDeletion(owed, { crawler: this.crawler, id, fence });
    await notifyAgain();
    return outcome;
  }

  private async requestVisit(owed: OwedOrder, state: UrlState, fence: Fence): Promise<CatchUpOutcome> {
    if (this.remainingVisits <= 0) return 'busy';
    this.remainingVisits--;
    return this.services.sending.requestVisit(owed, state.id, fence);
  }

  /** Chooses another sink of the crawler that is keeping up and can return what this one needs. */
  private chooseSource(): string | undefined {
    const { delivery, findSink } = this.services;
    const readySinks = new Set(delivery.listViews().flatMap(({ name, state }) => (state === 'ready' ? [name] : [])));
    const target = findSink(this.sink);
    const otherSinks = this.crawler.context.definition.pushTo.flatMap((name) =>
      readySinks.has(name) ? (findSink(name) ?? []) : [],
    );
    return target && chooseBackfillSource(target, otherSinks)?.name;
  }
}
