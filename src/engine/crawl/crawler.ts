/**
 * One crawler at work: picks URLs from its frontier while there is room, sends each on its visit, and keeps the books.
 * It never waits for a host: a host that is not ready is simply not picked.
 */

import type { CrawlerRunState } from '../../domain/crawl/run-state.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { Teller } from '../../domain/explain/visit-detail.js';
import { REFRESH, SOURCES, USER, wantedNow } from '../../domain/frontier/sources.js';
import { requestsPerHost } from '../../domain/politeness/politeness.js';
import { after, type Instant, instant, minutes, seconds } from '../../domain/time/units.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import type { CrawlContext } from '../page/crawl-context.js';
import { FencedOut } from '../ports/partitions.js';
import { CanonicalPages } from './canonical-pages.js';
import { ClaimedChanges } from './claimed-changes.js';
import { tryCommand, verifyCommand } from './commands.js';
import { FoundAgain } from './found-again.js';
import { EndlessLinks } from './frontier/endless-links.js';
import { Frontier, type FrontierSettings } from './frontier/frontier.js';
import { Gates } from './frontier/gates.js';
import { noteMove } from './frontier/moved-sites.js';
import { RefusedLinks } from './frontier/refused-links.js';
import { HostTroubles } from './host-trouble.js';
import type { Host } from './hosts/hosts.js';
import { Deletions } from './outcome/deletions.js';
import { type SettledUrl, type UrlCommand, UrlSettlement } from './outcome/url-settlement.js';
import type { CrawlServices } from './services.js';
import { Tally } from './tally.js';
import { Documents } from './visit/documents.js';
import { PUT_BACK } from './visit/preconditions.js';
import { VisitRunner } from './visit/visit.js';
import { WithoutVisit } from './without-visit.js';
import type { CrawlerWork } from './work.js';

/** Hosts at rest that one forced refresh of many URLs asks. */
const MOST_TRIED_HOSTS = 100;
const SWEEP_INTERVAL = minutes(5);
const SWEEP_HORIZON = minutes(10);
/** After the database could not be reached. */
const TELL_AGAIN = seconds(5);
/**
 * Bytes of pages that are fetched and not yet settled. More than may wait for a sink, so that the crawl comes to it only when
 * the store cannot follow.
 */
const MOST_BYTES_IN_HAND = 48 * 1024 * 1024;

/** URLs whose site has told of them and that have not been visited since. */
const MOST_TOLD = 100_000;

export class Crawler {
  readonly frontier: Frontier;
  readonly gates: Gates;
  readonly tally: Tally;
  readonly refused = new RefusedLinks();
  readonly endless: EndlessLinks;
  private readonly withoutVisit: WithoutVisit;
  private readonly documents: Documents;
  private readonly foundAgain: FoundAgain;
  private readonly canonicalPages: CanonicalPages;
  private readonly claims: ClaimedChanges;
  private readonly told = new Map<UrlId, Teller>();
  private current!: CrawlContext;
  private settlement!: UrlSettlement;
  private visits!: VisitRunner;
  /** Since when the present policy is in force: pages visited before may have links that it takes and the last one did not. */
  policySince: Instant = instant(0);
  private runState: CrawlerRunState = 'stopped';
  /** Visits that may still begin. */
  private visitsLeft: number;
  /** Pages being fetched. */
  private fetching = 0;
  private bufferedBytes = 0;
  /** URLs whose visit, or decision without one, has begun and whose settlement has not ended. */
  private readonly inFlight = new Set<UrlState>();
  private deletions!: Deletions;
  private readonly troubles: HostTroubles;
  private pumpQueued = false;
  private swept = false;
  /** Visits made when it came to rest last. */
  private visitedAtRest = 0;
  private cancelSweep: (() => void) | undefined;
  private closed = false;

  constructor(
    context: CrawlContext,
    private readonly services: CrawlServices,
  ) {
    this.tally = new Tally(services.clock);
    this.visitsLeft = services.mostVisits;
    this.gates = new Gates(services);
    const wake = (): void => this.wake();
    this.frontier = new Frontier(context.definition.name, services, frontierSettings(context), wake, this.gates);
    this.withoutVisit = new WithoutVisit(services, {
      frontier: this.frontier,
      inFlight: this.inFlight,
      context: () => this.current,
      settlement: () => this.settlement,
      settled: (url, end) => this.settled(url, end),
    });
    const { name } = context.definition;
    this.documents = new Documents(name, services.store, () => this.current.definition.nearDuplicateDetector);
    this.foundAgain = new FoundAgain(name, services);
    this.claims = new ClaimedChanges(name, services, (url, dueAt) =>
      this.withoutVisit.requeue(url, { source: REFRESH, dueAt }),
    );
    this.canonicalPages = new CanonicalPages(name, services, (page) => this.decide(page, { do: 'index-after-all' }));
    this.endless = new EndlessLinks(name, services, () => this.current.definition.traps.maxPatternUrls);
    this.troubles = new HostTroubles(name, {
      ...services,
      visitSoon: (state) => this.visitSoon(state),
    });
    this.configure(context);
  }

  get context(): CrawlContext {
    return this.current;
  }

  /** Visits in flight end under the configuration that they began with; the next ones take the new one. */
  configure(context: CrawlContext): void {
    const { definition } = context;
    const { services } = this;
    this.current = context;
    this.gates.configure(definition);
    this.frontier.configure(frontierSettings(context));
    const { store, clock } = services;
    this.deletions = new Deletions(definition.name, definition.deletionGuard, {
      store,
      clock,
      troubles: this.troubles,
    });
    this.settlement = new UrlSettlement(services, this.deletions, {
      sinks: definition.pushTo,
      maximumAge: definition.refresh.maximumAge,
      tally: this.tally,
    });
    this.visits = new VisitRunner(services, {
      context,
      settlement: this.settlement,
      tally: this.tally,
      endless: this.endless,
      documents: this.documents,
      troubles: this.troubles,
      foundAgain: this.foundAgain,
      claims: this.claims,
      told: this.told,
      policySince: () => this.policySince,
      refused: (link, from) => this.refused.add(link, from, services.clock.now()),
      siteMoved: (root, target) => this.siteMoved(root, target),
      gates: this.gates,
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

  /** See WithoutVisit. */
  decide(known: UrlState, command: UrlCommand): Promise<boolean> {
    return this.withoutVisit.decide(known, command);
  }

  /** See WithoutVisit. */
  correct(url: UrlState, changes: Parameters<WithoutVisit['correct']>[1]): Promise<boolean> {
    return this.withoutVisit.correct(url, changes);
  }

  private visitSoon(url: UrlState): Promise<boolean> {
    return this.withoutVisit.requeue(url, wantedNow(url, this.services.clock.now()));
  }

  /** Their site says that they have changed; the next visit of each says so. */
  noteTold(urls: readonly UrlState[], teller: Teller): void {
    for (const { id } of urls) if (this.told.size < MOST_TOLD) this.told.set(id, teller);
  }

  /** A person wants it visited now, though its host may rest; done by the node that owns the host. */
  async tryNow(url: UrlState): Promise<void> {
    if (this.services.partitions.owns(url.hostKey)) this.frontier.tryNow(url);
    else await this.services.nodes.send(tryCommand(url));
  }

  /** The same of whatever a person wants of hosts that rest: one URL of each. */
  async tryResting(): Promise<void> {
    const { store, clock } = this.services;
    for (const hostKey of this.frontier.resting(MOST_TRIED_HOSTS)) {
      const { urls } = await store.due(this.name, hostKey, USER, clock.now(), 1, new Set());
      if (urls[0]) this.frontier.tryNow(urls[0]);
    }
  }

  /** Is anything of such hosts in flight? */
  isVisiting(isOf: (hostKey: string) => boolean): boolean {
    for (const state of this.inFlight) if (isOf(state.hostKey)) return true;
    return false;
  }

  /** URLs of these partitions may have become due. */
  async checkPartitions(partitions: readonly number[]): Promise<void> {
    if (this.swept) await this.frontier.sweep(after(this.services.clock.now(), SWEEP_HORIZON), partitions);
  }

  /** Hosts have come from another node: what is remembered of them is read again. */
  forgetHosts(): void {
    this.deletions.forget();
    this.troubles.forget();
    this.claims.forget();
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
        storeFollows: this.bufferedBytes < MOST_BYTES_IN_HAND,
        now: clock.now(),
      },
      idle: this.isIdle(),
    };
  }

  /** True once each time that it comes to rest after visits. */
  hasCaughtUp(): boolean {
    if (this.runState !== 'running' || !this.isIdle()) return false;
    const visited = this.tally.visits;
    const caughtUp = visited !== this.visitedAtRest;
    this.visitedAtRest = visited;
    return caughtUp;
  }

  isIdle(): boolean {
    return this.swept && this.inFlight.size === 0 && this.frontier.isEmpty();
  }

  /** Are there visits whose order, if they come to one, has not been given yet? */
  get isDeciding(): boolean {
    return this.fetching > 0 || (this.inFlight.size > 0 && this.inFlight.size > this.pendingOrders);
  }

  mayVisitUntil(horizon: Instant): boolean {
    return this.runState === 'running' && this.visitsLeft > 0 && this.frontier.hasUntil(horizon);
  }

  private get pendingOrders(): number {
    return this.services.delivery.pending().filter(({ order }) => order.crawler === this.name).length;
  }

  get urlsInFlight(): UrlState[] {
    return [...this.inFlight];
  }

  /** Visits whose settlement has not been written yet. */
  get visitsInFlight(): number {
    return this.inFlight.size;
  }

  get fetchesInFlight(): number {
    return this.fetching;
  }

  /** Picks nothing any more; what is in flight goes on. */
  close(): void {
    this.closed = true;
    this.cancelSweep?.();
    this.gates.close();
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
      this.bufferedBytes < MOST_BYTES_IN_HAND &&
      this.services.delivery.hasRoom(pushTo)
    ) {
      const picked = this.frontier.next();
      if (!picked) {
        this.services.delivery.flushLast();
        return;
      }
      // The lease has run out, and the word of it has not come yet.
      if (!this.services.partitions.owns(picked.host.key)) {
        this.frontier.revoke((hostKey) => hostKey === picked.host.key);
        continue;
      }
      this.fetching++;
      this.visitsLeft--;
      this.inFlight.add(picked.url);
      this.services.hosts.claim(picked.host);
      this.frontier.begun(picked.url);
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
      this.bufferedBytes += bytes;
      this.wake();
    };
    try {
      const end = await this.visits.run(url, host, fetched);
      if (end !== PUT_BACK) {
        this.settled(url, end);
        await this.canonicalPages.settled(url, end);
        await this.troubles.settled(url);
      } else {
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
      this.inFlight.delete(url);
    }
  }

  /** The host is another node's, which visits the URL again; it has to know when an order of ours may have passed its own. */
  private async leaveTo(url: UrlState, { uncertain }: FencedOut): Promise<void> {
    this.frontier.revoke((hostKey) => hostKey === url.hostKey && !this.services.partitions.owns(hostKey));
    if (uncertain) void this.tellOwner(url);
  }

  /** An order may have come out of turn: for as long as this process lives, its new owner has to be told. */
  private async tellOwner(url: UrlState): Promise<void> {
    const { nodes, clock, log } = this.services;
    for (;;) {
      try {
        await nodes.send(verifyCommand(url));
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

  private settled(url: UrlState, end: SettledUrl): void {
    if (end.removed) {
      this.services.processor.forget(this.name, [url.url]);
      this.foundAgain.removed();
    }
    this.frontier.settled(url, end.next);
    this.documents.settled(url, end.simhash);
    this.wake();
  }

  private async siteMoved(root: string, target?: CrawlUrl): Promise<void> {
    if (!target) this.policySince = this.services.clock.now();
    await noteMove(this.services, this.context, root, target);
  }
}

function frontierSettings({ definition }: CrawlContext): FrontierSettings {
  return {
    weights: SOURCES.map((name) => definition.weights[name]),
    concurrencyPerHost: requestsPerHost(definition),
    maximumAge: definition.refresh.maximumAge,
  };
}
