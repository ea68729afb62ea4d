import { createVerificationChanges } from '../../domain/crawl/commands.js';
import { UNKNOWN_STAMP, type UrlState } from '../../domain/crawl/url-state.js';
import { parsePartUri } from '../../domain/push/parts.js';
import { getHostKey, toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Ledger } from '../crawl/outcome/ledger.js';
import { createVerifyCommand } from '../crawl/outcome/owner-commands.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import type { Ports } from '../ports/ports.js';
import { type Sink, SinkUnavailable } from '../ports/sink.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import { IdSet } from '../support/id-set.js';
import { type ReconciliationReport } from '../views/delivery-views.js';

const PAGE_SIZE = 1_000;
const MAX_SAMPLES = 20;

interface ReconciliationServices extends Pick<Ports, 'store' | 'clock'> {
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly partitions: Pick<Partitions, 'owns'>;
  readonly nodes: Pick<Nodes, 'send'>;
  readonly crawlers: Pick<Crawlers, 'listStored' | 'findFormer'>;
  findSink(name: string): Sink | undefined;
}

/**
 * Compares the documents that a sink lists with those that, according to the store, it should have, and repairs the
 * differences on request.
 */
export class Reconciliation {
  constructor(private readonly services: ReconciliationServices) {}

  /**
   * Repairs made before the sink goes down are kept.
   * @throws NotFound, Unacceptable, SinkUnavailable
   */
  async run(name: string, repair: boolean): Promise<ReconciliationReport> {
    const sink = this.services.findSink(name);
    if (!sink) throw new NotFound(`there is no sink ${name}`);
    if (!sink.listEntries) throw new Unacceptable(`the sink ${name} cannot list what it holds`);
    const stored = this.services.crawlers.listStored();
    const crawlers = stored.filter(({ context }) => context.definition.pushTo.includes(name));
    const missingDocuments = new Finding();
    const extraDocuments = new Finding();
    const staleDocuments = new Finding();
    const seenIds = new IdSet();
    /** For each page, the number of documents split off it that the sink holds. */
    const partCounts = new Map<number, number>();
    let compared = 0;
    let inFlight = 0;
    for await (const entry of sink.listEntries(new AbortController().signal)) {
      compared++;
      const knownUrls = await this.findKnownUrls(crawlers, entry.uri);
      const owner = findOwner(knownUrls);
      if (!owner || owner.stamp === undefined) {
        extraDocuments.add(entry.uri);
        if (repair) await this.deleteExtraDocument(owner, crawlers, name, entry.uri);
        continue;
      }
      for (const { state, isPart } of knownUrls)
        if (isPart) partCounts.set(state.id, (partCounts.get(state.id) ?? 0) + 1);
        else seenIds.add(state.id);
      // If several crawlers push the URL, the sink has the document that was pushed last.
      if (
        this.isFormer(owner.crawler) ||
        isLeftToAnother(owner.state) ||
        knownUrls.some(({ state, stamp }) => stamp === entry.stamp && !isLeftToAnother(state))
      )
        continue;
      if (owner.crawler.isInFlight(owner.state)) continue;
      staleDocuments.add(entry.uri);
      if (repair) await this.pushAgain(owner.crawler, owner.state);
    }
    for (const crawler of crawlers.filter((candidate) => !this.isFormer(candidate))) {
      for await (const state of this.readIndexed(crawler.name)) {
        const isComplete = seenIds.has(state.id) && (partCounts.get(state.id) ?? 0) === (state.parts?.length ?? 0);
        if (isLeftToAnother(state) || isComplete) continue;
        if (crawler.isInFlight(state)) {
          inFlight++;
          continue;
        }
        missingDocuments.add(state.url);
        if (repair) await this.pushAgain(crawler, state);
      }
    }
    return {
      sink: name,
      at: this.services.clock.now(),
      compared,
      missing: missingDocuments.toView(),
      extra: extraDocuments.toView(),
      stale: staleDocuments.toView(),
      inFlight,
      repaired: repair,
    };
  }

  /** What a crawler has pushed that is no longer in the configuration stays as it is until somebody decides. */
  private isFormer({ name }: Crawler): boolean {
    return this.services.crawlers.findFormer(name) !== undefined;
  }

  /** The URL, of any of the crawlers, that a document with this URI belongs to according to the store. */
  async findOwner(crawlers: readonly Crawler[], uri: string): Promise<KnownUrl | undefined> {
    return findOwner(await this.findKnownUrls(crawlers, uri));
  }

  private async findKnownUrls(crawlers: readonly Crawler[], uri: string): Promise<KnownUrl[]> {
    const knownUrls: KnownUrl[] = [];
    for (const crawler of crawlers) {
      const state = await this.services.store.find(crawler.name, uri);
      if (state) knownUrls.push({ crawler, state, stamp: state.stamp, isPart: false });
      else knownUrls.push(...(await this.findPagesOfPart(crawler, uri)));
    }
    return knownUrls;
  }

  private async findPagesOfPart(crawler: Crawler, uri: string): Promise<KnownUrl[]> {
    const part = parsePartUri(uri);
    const state = part && (await this.services.store.find(crawler.name, part.page));
    return state ? [{ crawler, state, stamp: findStampOf(state, uri), isPart: true }] : [];
  }

  private async *readIndexed(crawler: string): AsyncIterable<UrlState> {
    let last = 0;
    for (;;) {
      const page = await this.services.store.list({ crawler, indexed: true }, last, PAGE_SIZE);
      yield* page;
      last = page.at(-1)?.id ?? last;
      if (page.length < PAGE_SIZE) return;
    }
  }

  /**
   * Visits the URL at once; the visit pushes its current content, or deletes its document from every sink that still
   * has it.
   */
  private async pushAgain(crawler: Crawler, state: UrlState): Promise<void> {
    const changes = createVerificationChanges(this.services.clock.now());
    // The node that owns the host makes sure that nothing is in flight for the URL.
    if (this.services.partitions.owns(state.hostKey)) await crawler.applyCorrection(state, changes);
    else await this.services.nodes.send(createVerifyCommand(state));
  }

  /** A URL that is stored is held meanwhile, so that no visit can add its document before the deletion goes out. */
  private async deleteExtraDocument(
    owner: Pick<KnownUrl, 'crawler' | 'state'> | undefined,
    crawlers: readonly Crawler[],
    sink: string,
    uri: string,
  ): Promise<void> {
    const url = URL.canParse(uri) ? toCrawlUrl(new URL(uri).href) : undefined;
    const target = {
      crawler: owner?.crawler.name ?? crawlers[0]?.name ?? '',
      uri,
      hostKey: url ? getHostKey(url) : '',
    };
    if (!owner || !this.services.partitions.owns(owner.state.hostKey)) await this.deleteFrom(sink, target);
    // A visit in flight will settle this.
    else
      await owner.crawler.runWhileHeld(owner.state, async (state) => {
        if (findStampOf(state, uri) === undefined) await this.deleteFrom(sink, target);
        return undefined;
      });
  }

  /** @throws SinkUnavailable */
  async deleteFrom(sink: string, target: { crawler: string; uri: string; hostKey: string }): Promise<void> {
    const { ledger, delivery, store } = this.services;
    const order = ledger.createUriDeleteOrder(target, 'reconciled');
    const { answer, attempts, putOff } = await delivery.deliver(order, [sink], { mayPutOff: true });
    // The user waiting for the report sees this error; the next comparison finds the document again.
    if (putOff.length > 0) throw new SinkUnavailable(`sink ${sink} is slow or down and has not deleted ${target.uri}`);
    const message = answer.state === 'refused' ? answer.message : undefined;
    await store.saveOrders([ledger.toEntry(order, { state: answer.state, attempts, answer: message })]);
  }
}

export interface KnownUrl {
  readonly crawler: Crawler;
  readonly state: UrlState;
  /** Content hash of the document to compare: the URL's own, or that of a document that was split off its page. */
  readonly stamp: string | undefined;
  readonly isPart: boolean;
}

/** The content hash of the document with this URI: the URL's own, or one that was split off its page. */
function findStampOf(state: UrlState, uri: string): string | undefined {
  // Without the page's content hash, it is unknown which documents it has.
  if (uri === state.url || state.stamp === UNKNOWN_STAMP) return state.stamp;
  const part = parsePartUri(uri);
  return state.parts?.find(({ id }) => id === part?.id)?.stamp;
}

/** The crawler that owns the document; otherwise one that has left it to another crawler or just knows the URL. */
function findOwner(knownUrls: readonly KnownUrl[]): KnownUrl | undefined {
  const withDocument = knownUrls.filter(({ stamp }) => stamp !== undefined);
  return withDocument.find(({ state }) => !isLeftToAnother(state)) ?? withDocument[0] ?? knownUrls[0];
}

/** The document was left to another crawler, which decides what becomes of it. */
const isLeftToAnother = ({ status }: UrlState): boolean => status === 'elsewhere';

class Finding {
  private count = 0;
  private readonly samples: string[] = [];

  add(uri: string): void {
    this.count++;
    if (this.samples.length < MAX_SAMPLES) this.samples.push(uri);
  }

  toView(): { count: number; samples: readonly string[] } {
    return { count: this.count, samples: this.samples };
  }
}
