/**
 * One crawler at work: picks URLs from its frontier while there is room, sends each on its visit, and keeps the books.
 * It never waits for a host: a host that is not ready is simply not picked.
 */

import type { UrlState } from '../../domain/crawl/url-state.js';
import { SOURCES, type SourceNumber } from '../../domain/frontier/sources.js';
import { requestsPerHost } from '../../domain/politeness/politeness.js';
import { after, type Instant, instant, minutes, seconds } from '../../domain/time/units.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import { decisionErrand, verifyErrand } from '../control/errands.js';
import type { CrawlerRunState } from '../engine-api.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { UrlChanges } from '../ports/frontier-store.js';
import { type Fence, FencedOut } from '../ports/partitions.js';
import { type Concluded, Conclusion, type Word } from './conclusion.js';
import { Deletions } from './deletions.js';
import { Documents } from './documents.js';
import { EndlessLinks } from './endless-links.js';
import { Frontier, type FrontierSettings } from './frontier.js';
import type { Host } from './hosts.js';
import { noteMove } from './moved-sites.js';
import { RefusedLinks } from './refused-links.js';
import type { CrawlServices } from './services.js';
import { Tally } from './tally.js';
import { PUT_BACK, VisitRunner } from './visit.js';
import type { CrawlerWork } from './work.js';

const SWEEP_INTERVAL = minutes(5);
const SWEEP_HORIZON = minutes(10);
/** After the database could not be reached. */
const TELL_AGAIN = seconds(5);
/**
 * Bytes of pages that are fetched and not yet settled. More than may wait for a sink, so that the crawl comes to it only when
 * the store cannot follow.
 */
const MOST_BYTES_IN_HAND = 48 * 1024 * 1024;

export class Crawler {
  readonly frontier: Frontier;
  readonly tally: Tally;
  readonly refused = new RefusedLinks();
  readonly endless: EndlessLinks;
  private readonly documents: Documents;
  private current!: CrawlContext;
  private conclusion!: Conclusion;
  private visits!: VisitRunner;
  /** Since when the present policy is in force: pages visited before may have links that it takes and the last one did not. */
  policySince: Instant = instant(0);
  private runState: CrawlerRunState = 'stopped';
  /** Visits that may still begin. */
  private visitsLeft: number;
  /** Pages being fetched. */
  private fetching = 0;
  private bytesInHand = 0;
  /** URLs whose visit, or decision without one, has begun and whose settlement has not ended. */
  private readonly underWay = new Set<UrlState>();
  private deletions!: Deletions;
  private pumpQueued = false;
  private swept = false;
  private cancelSweep: (() => void) | undefined;
  private closed = false;

  constructor(
    context: CrawlContext,
    private readonly services: CrawlServices,
  ) {
    this.tally = new Tally(services.clock);
    this.visitsLeft = services.mostVisits;
    this.frontier = new Frontier(context.definition.name, services, frontierSettings(context), () => this.wake());
    const { name } = context.definition;
    this.documents = new Documents(name, services.store, () => this.current.definition.nearDuplicateDetector);
    this.endless = new EndlessLinks(name, services, () => this.current.definition.traps.maxPatternUrls);
    this.configure(context);
  }

  get context(): CrawlContext {
    return this.current;
  }

  /** Visits under way end under the configuration that they began with; the next ones take the new one. */
  configure(context: CrawlContext): void {
    const { definition } = context;
    const { services } = this;
    this.current = context;
    this.frontier.configure(frontierSettings(context));
    this.deletions = new Deletions(definition.name, definition.deletionGuard, services.store, services.clock);
    this.conclusion = new Conclusion(services, this.deletions, {
      sinks: definition.pushTo,
      maximumAge: definition.refresh.maximumAge,
      tally: this.tally,
    });
    this.visits = new VisitRunner(services, {
      context,
      conclusion: this.conclusion,
      tally: this.tally,
      endless: this.endless,
      documents: this.documents,
      policySince: () => this.policySince,
      refused: (link, from) => this.refused.add(link, from, services.clock.now()),
      siteMoved: (root, target) => this.siteMoved(root, target),
      limitHost: (hostKey, limit) => this.frontier.limitHost(hostKey, limit),
    });
    this.wake();
  }

  get name(): string {
    return this.context.definition.name;
  }

  get state(): CrawlerRunState {
    return this.runState;
  }

  async setState(state: CrawlerRunState): Promise<void> {
    if (state === this.runState) return;
    if (state === 'running' && !this.swept) await this.sweep();
    this.runState = state;
    this.services.events.emit({ type: 'crawler', crawler: this.name, state });
    this.wake();
  }

  /** Calls for a look at the frontier soon; many calls make one look. */
  wake(): void {
    if (this.pumpQueued || this.closed || this.runState !== 'running') return;
    this.pumpQueued = true;
    queueMicrotask(() => {
      this.pumpQueued = false;
      this.pump();
    });
  }

  /**
   * Carries out what no visit led to, or has the node do it that owns the host; false when the URL is under way and decides
   * for itself. `known` may be out of date: a visit may have ended since it was read.
   */
  async decide(known: UrlState, word: Word): Promise<boolean> {
    const fence = this.services.partitions.fence(known.hostKey);
    if (!fence) {
      await this.services.nodes.send(decisionErrand(known, word));
      return true;
    }
    if (!this.frontier.hold(known)) return false;
    this.underWay.add(known);
    try {
      await this.carryOut(known, word, fence);
    } catch (error) {
      this.frontier.settled(known, placeOf(known));
      if (!(error instanceof FencedOut)) throw error;
      await this.services.nodes.send(decisionErrand(known, word));
    } finally {
      this.underWay.delete(known);
    }
    return true;
  }

  private async carryOut(known: UrlState, word: Word, fence: Fence): Promise<void> {
    const { store, doubts, rulings } = this.services;
    const [state] = await store.get([known.id]);
    const ruling = state && (await rulings.of(word, doubts.suspect(state), this.current));
    if (!ruling) {
      this.frontier.settled(known, state && placeOf(state));
      return;
    }
    const disposition = doubts.outlived(state, ruling.disposition);
    this.settled(state, await this.conclusion.conclude({ ...ruling, disposition, state, fence, byPerson: true }));
  }

  /** Writes down what is otherwise known of a URL, and when it is visited next; false when it is under way. */
  async correct(url: UrlState, changes: UrlChanges & { source: SourceNumber; dueAt: Instant }): Promise<boolean> {
    if (!this.frontier.hold(url)) return false;
    const { source, dueAt } = changes;
    try {
      await this.services.store.settle([{ id: url.id, changes }]);
    } finally {
      this.frontier.settled(url, { source, dueAt });
    }
    return true;
  }

  /** Is anything of such hosts under way? */
  isVisiting(isOf: (hostKey: string) => boolean): boolean {
    for (const state of this.underWay) if (isOf(state.hostKey)) return true;
    return false;
  }

  /** URLs of these partitions may have become due. */
  async lookAt(partitions: readonly number[]): Promise<void> {
    if (this.swept) await this.frontier.sweep(after(this.services.clock.now(), SWEEP_HORIZON), partitions);
  }

  /** Hosts have come from another node: what is remembered of them is read again. */
  forgetHosts(): void {
    this.deletions.forget();
    this.endless.forget();
  }

  /** What this node does for it now. */
  work(): CrawlerWork {
    const { definition } = this.context;
    const { delivery, partitions, clock } = this.services;
    return {
      name: this.name,
      hasHosts: partitions.owned?.length !== 0,
      picks: [...this.frontier.picks],
      pagesPerSecond: this.tally.pages.perSecond(),
      errorsPerSecond: this.tally.errors.perSecond(),
      ordersPerSecond: this.tally.orders.perSecond(),
      active: this.fetching,
      pendingOrders: this.pendingOrders,
      load: {
        state: this.runState,
        waiting: this.frontier.waiting(),
        fetching: this.fetching,
        concurrency: definition.concurrency,
        sinks: delivery.views().filter((sink) => definition.pushTo.includes(sink.name)),
        hasRoom: delivery.hasRoom(definition.pushTo),
        storeFollows: this.bytesInHand < MOST_BYTES_IN_HAND,
        now: clock.now(),
      },
      idle: this.isIdle(),
    };
  }

  isIdle(): boolean {
    return this.swept && this.underWay.size === 0 && this.frontier.isEmpty();
  }

  /** Are there visits whose order, if they come to one, has not been given yet? */
  get isDeciding(): boolean {
    return this.fetching > 0 || (this.underWay.size > 0 && this.underWay.size > this.pendingOrders);
  }

  mayVisitUntil(horizon: Instant): boolean {
    return this.runState === 'running' && this.visitsLeft > 0 && this.frontier.hasUntil(horizon);
  }

  private get pendingOrders(): number {
    return this.services.delivery.pending().filter(({ order }) => order.crawler === this.name).length;
  }

  get urlsUnderWay(): UrlState[] {
    return [...this.underWay];
  }

  /** Visits whose settlement has not been written yet. */
  get visitsUnderWay(): number {
    return this.underWay.size;
  }

  get fetchesUnderWay(): number {
    return this.fetching;
  }

  /** Picks nothing any more; what is under way goes on. */
  close(): void {
    this.closed = true;
    this.cancelSweep?.();
    this.frontier.close();
  }

  private async sweep(): Promise<void> {
    const now = this.services.clock.now();
    try {
      await this.frontier.sweep(after(now, SWEEP_HORIZON));
      this.swept = true;
    } finally {
      this.cancelSweep?.();
      if (!this.closed) this.cancelSweep = this.services.clock.at(after(now, SWEEP_INTERVAL), () => this.sweepAgain());
    }
  }

  private sweepAgain(): void {
    this.sweep().catch((error: unknown) =>
      this.services.log.error('looking for due URLs failed', { crawler: this.name, error: String(error) }),
    );
  }

  private pump(): void {
    const { concurrency, pushTo } = this.context.definition;
    while (
      this.runState === 'running' &&
      !this.closed &&
      this.visitsLeft > 0 &&
      this.fetching < concurrency &&
      this.bytesInHand < MOST_BYTES_IN_HAND &&
      this.services.delivery.hasRoom(pushTo)
    ) {
      const picked = this.frontier.next();
      if (!picked) {
        this.services.delivery.flushLast();
        return;
      }
      // The lease has run out, and the word of it has not come yet.
      if (!this.services.partitions.owns(picked.host.key)) {
        this.frontier.lose((hostKey) => hostKey === picked.host.key);
        continue;
      }
      this.fetching++;
      this.visitsLeft--;
      this.underWay.add(picked.url);
      this.services.hosts.claim(picked.host);
      void this.visit(picked.url, picked.host, picked.source);
      this.frontier.offerAgain(picked.host);
    }
  }

  private async visit(url: UrlState, host: Host, source: Parameters<Frontier['putBack']>[1]): Promise<void> {
    let fetching = true;
    let held = 0;
    const fetched = (bytes: number): void => {
      if (fetching) this.fetching--;
      fetching = false;
      held += bytes;
      this.bytesInHand += bytes;
      this.wake();
    };
    try {
      const end = await this.visits.run(url, host, fetched);
      if (end !== PUT_BACK) this.settled(url, end);
      else {
        this.visitsLeft++;
        this.frontier.putBack(url, source);
      }
    } catch (error) {
      this.visitsLeft++;
      if (error instanceof FencedOut) {
        await this.leaveTo(url, error);
        return;
      }
      // Not the site's doing: the store or the program failed. The lease ends unsettled, so the URL comes again.
      this.services.log.error('a visit failed', {
        crawler: this.name,
        url: url.url,
        error: String((error as Error)?.stack ?? error),
      });
      this.frontier.settled(url, { source, dueAt: after(this.services.clock.now(), minutes(1)) });
    } finally {
      fetched(-held);
      this.underWay.delete(url);
    }
  }

  /** The host is another node's, which visits the URL again; it has to know when an order of ours may have passed its own. */
  private async leaveTo(url: UrlState, { uncertain }: FencedOut): Promise<void> {
    this.frontier.lose((hostKey) => hostKey === url.hostKey && !this.services.partitions.owns(hostKey));
    if (uncertain) void this.tellOwner(url);
  }

  /** An order may have come out of turn: for as long as this process lives, its new owner has to be told. */
  private async tellOwner(url: UrlState): Promise<void> {
    const { nodes, clock, log } = this.services;
    for (;;) {
      try {
        await nodes.send(verifyErrand(url));
        return;
      } catch (error) {
        log.warn('an order may have come out of turn, and nobody can be told yet', {
          url: url.url,
          error: String(error),
        });
        await clock.sleep(TELL_AGAIN);
      }
    }
  }

  private settled(url: UrlState, end: Concluded): void {
    if (end.removed) this.services.processor.forget(this.name, [url.url]);
    this.frontier.settled(url, end.next);
    this.documents.settled(url.id, end.simhash);
    this.wake();
  }

  private async siteMoved(root: string, target?: CrawlUrl): Promise<void> {
    if (!target) this.policySince = this.services.clock.now();
    await noteMove(this.services, this.context, root, target);
  }
}

function placeOf({ source, dueAt }: UrlState): Concluded['next'] {
  return source === undefined ? undefined : { source, dueAt };
}

function frontierSettings({ definition }: CrawlContext): FrontierSettings {
  return {
    weights: SOURCES.map((name) => definition.weights[name]),
    concurrencyPerHost: requestsPerHost(definition),
    maximumAge: definition.refresh.maximumAge,
  };
}
