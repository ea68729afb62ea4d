/** One running crawler as the rest of the engine sees it: its configuration, run state and operations. */

import type { CrawlerRunState } from '../../domain/crawl/run-state.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { NotificationProtocol } from '../../domain/explain/visit-detail.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import { type Instant, instant } from '../../domain/time/units.js';
import type { Delivery } from '../delivery/delivery.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import type { CrawlerMemory } from './crawler-memory.js';
import type { DueSweeps } from './frontier/due-sweeps.js';
import type { Frontier } from './frontier/frontier.js';
import { toFrontierSettings } from './frontier/frontier-settings.js';
import type { Gates } from './frontier/gates.js';
import type { RefusedLinks } from './frontier/refused-links.js';
import type { CrawlerWork } from './load/crawler-work.js';
import type { EngineMetrics } from './load/engine-metrics.js';
import type { Tally } from './load/tally.js';
import type { WithoutVisit } from './outcome/changes-without-visit.js';
import type { UrlCommand } from './outcome/decision.js';
import type { Deletions } from './outcome/deletions.js';
import type { UrlSettlement } from './outcome/url-settlement.js';
import type { RequestedInFlight } from './requested-in-flight.js';
import type { VisitRunner } from './visit/visit.js';
import type { VisitLoop } from './visit-loop.js';
import type { WantedNow } from './wanted-now.js';

export interface CrawlerServices {
  readonly clock: Clock;
  readonly events: CrawlEvents;
  readonly delivery: Pick<Delivery, 'listViews' | 'hasRoom' | 'listPending'>;
  readonly partitions: Pick<Partitions, 'owned'>;
  readonly nodes: Pick<Nodes, 'notifyRequested'>;
}

/** The parts of a crawler; see create-crawler.ts. */
export interface CrawlerParts {
  readonly frontier: Frontier;
  readonly gates: Gates;
  readonly sweeps: DueSweeps;
  readonly loop: VisitLoop;
  readonly withoutVisit: WithoutVisit;
  readonly wantedNow: WantedNow;
  readonly requestedInFlight: RequestedInFlight;
  readonly memory: CrawlerMemory;
}

/** The parts that are created anew for each configuration. */
export interface ConfiguredParts {
  readonly deletions: Deletions;
  readonly settlement: UrlSettlement;
  readonly visits: VisitRunner;
}

export class Crawler {
  private current: CrawlContext;
  private configuredParts: ConfiguredParts;
  private policyStart: Instant = instant(0);
  private runState: CrawlerRunState = 'stopped';
  /** Number of visits made by the time the crawler last became idle. */
  private visitsWhenIdle = 0;

  constructor(
    context: CrawlContext,
    private readonly services: CrawlerServices,
    private readonly parts: CrawlerParts,
    private readonly createParts: (context: CrawlContext) => ConfiguredParts,
  ) {
    this.current = context;
    this.configuredParts = createParts(context);
  }

  get context(): CrawlContext {
    return this.current;
  }

  get name(): string {
    return this.current.definition.name;
  }

  get settlement(): UrlSettlement {
    return this.configuredParts.settlement;
  }

  get visits(): VisitRunner {
    return this.configuredParts.visits;
  }

  /**
   * Takes over a new configuration. Visits in flight end under the one they began with; later visits use the new one.
   */
  configure(context: CrawlContext): void {
    this.current = context;
    this.parts.gates.configure(context.definition);
    this.parts.frontier.configure(toFrontierSettings(context.definition));
    this.configuredParts = this.createParts(context);
    this.parts.loop.wake();
  }

  /** Adds a root; URLs found through it are judged accordingly. */
  addRoot(root: RootContext): void {
    this.current.roots.set(root.url.href, root);
  }

  removeRoot(url: string): void {
    this.current.roots.delete(url);
  }

  /**
   * When the current policy took effect: pages visited before may have links that it accepts but the previous one did
   * not.
   */
  get policySince(): Instant {
    return this.policyStart;
  }

  /** Has the links of pages visited before this moment read again. */
  rereadLinksSince(moment: Instant): void {
    this.policyStart = moment;
  }

  get state(): CrawlerRunState {
    return this.runState;
  }

  async setState(state: CrawlerRunState): Promise<void> {
    if (state === this.runState) return;
    if (state === 'running') await this.parts.sweeps.start();
    this.runState = state;
    this.services.events.emit({ type: 'crawler', crawler: this.name, state });
    this.parts.loop.setRunning(state === 'running');
  }

  /** To be called when something that visits are waiting for may have changed. */
  wake(): void {
    this.parts.loop.wake();
  }

  /** Loads stored URLs that are due into the frontier; others stay in the store. */
  admit(states: readonly UrlState[]): void {
    this.parts.frontier.admit(states);
  }

  /** Loads the URLs due by the given time from the store. */
  sweep(until: Instant): Promise<void> {
    return this.parts.frontier.sweep(until);
  }

  /** To be called when URLs of these partitions may have become due. */
  sweepPartitions(partitions: readonly number[]): Promise<void> {
    return this.parts.sweeps.sweepPartitions(partitions);
  }

  /** Gives up these hosts; another node visits their URLs from now on. */
  revoke(isLost: (hostKey: string) => boolean): void {
    this.parts.frontier.revoke(isLost);
  }

  /** To be called when hosts have been taken over from another node: what is known about them is read again. */
  forgetHosts(): void {
    this.configuredParts.deletions.reset();
    this.parts.memory.forgetHosts();
  }

  /** See WithoutVisit. */
  decide(url: UrlState, command: UrlCommand): Promise<boolean> {
    return this.parts.withoutVisit.decide(url, command);
  }

  /** See WithoutVisit. */
  runWhileHeld(url: UrlState, work: Parameters<WithoutVisit['runWhileHeld']>[1]): Promise<boolean> {
    return this.parts.withoutVisit.runWhileHeld(url, work);
  }

  /** See WithoutVisit. */
  applyCorrection(url: UrlState, changes: Parameters<WithoutVisit['applyCorrection']>[1]): Promise<boolean> {
    return this.parts.withoutVisit.applyCorrection(url, changes);
  }

  /** To be called when a site has reported these URLs as changed; the next visit of each records that. */
  noteReported(urls: readonly UrlState[], protocol: NotificationProtocol): void {
    this.parts.memory.noteReported(urls, protocol);
  }

  /**
   * Visits the URL now because a user requested it, even if its host is resting; carried out by the node that owns the
   * host.
   */
  visitNow(url: UrlState): Promise<void> {
    return this.parts.wantedNow.visitNow(url);
  }

  /** Like visitNow, if this node owns the host. */
  visitNowIfOwned(url: UrlState): void {
    this.parts.frontier.queueUrgently(url);
  }

  /** To be called before URLs are made due because someone requested it: those in flight are visited once more. */
  noteRequested(ids: readonly UrlId[]): void {
    this.parts.requestedInFlight.note(ids);
    this.services.nodes.notifyRequested(ids);
  }

  /** Like noteRequested, called when another node is about to make the URLs due. */
  noteRequestedElsewhere(ids: readonly UrlId[]): void {
    this.parts.requestedInFlight.note(ids);
  }

  /** Like visitNow, for one URL of each resting host that has URLs requested by users. */
  visitRestingHosts(): Promise<void> {
    return this.parts.wantedNow.visitRestingHosts();
  }

  /** The time until which a schedule keeps the host closed; undefined if none does. */
  findReopeningTime(hostKey: string, now: Instant): Instant | undefined {
    return this.parts.gates.findReopeningTime(hostKey, now);
  }

  /** Lists hosts in use that are resting, up to the given number. */
  listRestingHosts(limit: number): string[] {
    return this.parts.frontier.listRestingHosts(limit);
  }

  get tally(): Tally {
    return this.parts.memory.parts.tally;
  }

  /** Links that the policy refused and that were never stored. */
  get refused(): RefusedLinks {
    return this.parts.memory.refused;
  }

  /** Explains why no more links like this URL are accepted; undefined if they are. */
  findEndlessObjection(hostKey: string, url: string): string | undefined {
    return this.parts.memory.parts.endless.findObjection(hostKey, url);
  }

  /** Describes what this node is currently doing for the crawler. */
  getWork(): CrawlerWork {
    const { definition } = this.context;
    const { delivery, partitions, clock } = this.services;
    const { frontier, loop } = this.parts;
    const { pages, errors, orders } = this.tally;
    return {
      name: this.name,
      hasHosts: partitions.owned?.length !== 0,
      picks: [...frontier.picks],
      pagesPerSecond: pages.perSecond(),
      errorsPerSecond: errors.perSecond(),
      ordersPerSecond: orders.perSecond(),
      active: loop.fetchesInFlight,
      pendingOrders: this.pendingOrders,
      load: {
        state: this.runState,
        waiting: frontier.summarizeWaiting(),
        fetching: loop.fetchesInFlight,
        concurrency: definition.concurrency,
        sinks: delivery.listViews().filter((sink) => definition.pushTo.includes(sink.name)),
        hasRoom: delivery.hasRoom(definition.pushTo),
        storeFollows: loop.storeKeepsUp,
        now: clock.now(),
      },
      idle: this.isIdle(),
    };
  }

  /** Returns true once each time the crawler becomes idle after visits. */
  consumeCaughtUp(): boolean {
    if (this.runState !== 'running' || !this.isIdle()) return false;
    const { visits } = this.tally;
    const caughtUp = visits !== this.visitsWhenIdle;
    this.visitsWhenIdle = visits;
    return caughtUp;
  }

  isIdle(): boolean {
    const { sweeps, loop, frontier } = this.parts;
    return sweeps.isFrontierFilled && loop.inFlight.size === 0 && frontier.isEmpty();
  }

  /** True if there are visits whose order, if any, has not been sent yet. */
  get isDeciding(): boolean {
    const { fetchesInFlight, inFlight } = this.parts.loop;
    return fetchesInFlight > 0 || (inFlight.size > 0 && inFlight.size > this.pendingOrders);
  }

  mayVisitBefore(horizon: Instant): boolean {
    return this.parts.loop.mayVisitBefore(horizon);
  }

  /** True if the URL is being visited or decided. */
  isInFlight(url: UrlState): boolean {
    return this.parts.frontier.isInFlight(url);
  }

  /** True if anything is in flight for a matching host. */
  isVisiting(isMatching: (hostKey: string) => boolean): boolean {
    for (const state of this.parts.loop.inFlight) if (isMatching(state.hostKey)) return true;
    return false;
  }

  get urlsInFlight(): UrlState[] {
    return [...this.parts.loop.inFlight];
  }

  /** Number of visits that are not settled yet. */
  get visitsInFlight(): number {
    return this.parts.loop.inFlight.size;
  }

  get fetchesInFlight(): number {
    return this.parts.loop.fetchesInFlight;
  }

  /** Counters since the start of the process. */
  getMetrics(): ReturnType<Tally['getMetrics']> & Pick<EngineMetrics, 'activeFetches' | 'visitsInFlight'> {
    const { fetchesInFlight: activeFetches, visitsInFlight } = this;
    return { ...this.tally.getMetrics(this.name), activeFetches, visitsInFlight };
  }

  /** Starts no more visits; those in flight continue. */
  close(): void {
    const { loop, sweeps, gates, frontier } = this.parts;
    loop.close();
    sweeps.close();
    gates.close();
    frontier.close();
  }

  private get pendingOrders(): number {
    return this.services.delivery.listPending().filter(({ order }) => order.crawler === this.name).length;
  }
}
