/** One running crawler as the rest of the engine sees it: its configuration, run state and operations. */
import type { TrapDefinition } from '../../domain/crawl/definition.js';
import type { CrawlerRunState } from '../../domain/crawl/run-state.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { NotificationProtocol } from '../../domain/explain/visit-detail.js';
import type { Reason } from '../../domain/policy/reasons.js';
import type { RootContext } from '../../domain/policy/verdict.js';
import type { Instant } from '../../domain/time/units.js';
import type { Delivery } from '../delivery/delivery.js';
import type { CrawlContext } from '../page/crawl-context.js';
import type { Clock } from '../ports/clock.js';
import type { NewUrl } from '../ports/frontier-store.js';
import type { Partitions } from '../ports/partitions.js';
import type { CrawlEvents } from '../support/crawl-events.js';
import type { ConfiguredParts, CurrentConfiguration } from './current-configuration.js';
import type { ChangeGuard } from './evidence/change-guard.js';
import type { ClaimedChanges } from './evidence/claimed-changes.js';
import type { EndlessLinks } from './evidence/endless-links.js';
import type { HostTroubles } from './evidence/host-trouble.js';
import type { RepeatedContent } from './evidence/repeated-content.js';
import type { SiteReports } from './evidence/site-reports.js';
import type { DiscoveryTarget } from './frontier/discovery.js';
import type { DueSweeps } from './frontier/due-sweeps.js';
import type { Frontier } from './frontier/frontier.js';
import { toFrontierSettings } from './frontier/frontier-settings.js';
import type { Gates } from './frontier/gates.js';
import type { RefusedLinks } from './frontier/refused-links.js';
import type { CrawlerWork } from './load/crawler-work.js';
import type { CrawlerMetrics, Tally } from './load/metrics.js';
import type { Quotas } from './load/quotas.js';
import type { UrlCommand } from './outcome/decision.js';
import type { UrlDecisions } from './outcome/url-decisions.js';
import type { RequestedVisits } from './requested-visits.js';
import type { VisitLoop } from './visit-loop.js';

export interface CrawlerServices {
  readonly clock: Clock;
  readonly events: CrawlEvents;
  readonly delivery: Pick<Delivery, 'listViews' | 'hasRoom' | 'listPending'>;
  readonly partitions: Pick<Partitions, 'owned'>;
  readonly quotas: Pick<Quotas, 'endOfToday'>;
}

/** The parts of a crawler; see create-crawler.ts. */
export interface CrawlerParts {
  readonly frontier: Frontier;
  readonly gates: Gates;
  readonly sweeps: DueSweeps;
  readonly loop: VisitLoop;
  /** URLs that are being visited or decided. */
  readonly inFlight: ReadonlySet<UrlState>;
  readonly decisions: UrlDecisions;
  readonly requested: RequestedVisits;
  readonly refused: RefusedLinks;
  readonly reports: SiteReports;
  readonly claims: ClaimedChanges;
  readonly endless: EndlessLinks;
  readonly repeated: RepeatedContent;
  readonly troubles: HostTroubles;
  readonly changes: ChangeGuard;
  readonly tally: Tally;
}

export class Crawler implements DiscoveryTarget {
  private runState: CrawlerRunState = 'stopped';
  /** Number of visits made by the time the crawler last became idle. */
  private visitsWhenIdle = 0;

  constructor(
    private readonly services: CrawlerServices,
    private readonly current: CurrentConfiguration,
    private readonly parts: CrawlerParts,
    private readonly createParts: (context: CrawlContext) => ConfiguredParts,
  ) {}

  get context(): CrawlContext {
    return this.current.context;
  }

  get name(): string {
    return this.current.definition.name;
  }

  /**
   * Takes over a new configuration. Visits in flight end under the one they began with; later visits use the new one.
   */
  configure(context: CrawlContext): void {
    this.parts.gates.configure(context.definition);
    this.parts.frontier.configure(toFrontierSettings(context.definition));
    this.current.set(context, this.createParts(context));
    this.parts.loop.wake();
  }

  /** Adds a root; URLs found through it are judged accordingly. */
  addRoot(root: RootContext): void {
    this.context.roots.set(root.url.href, root);
  }

  removeRoot(url: string): void {
    this.context.roots.delete(url);
  }

  /** See CurrentConfiguration. */
  get policySince(): Instant {
    return this.current.policySince;
  }

  /** Has the links of pages visited before this moment read again. */
  rereadLinksSince(moment: Instant): void {
    this.current.policySince = moment;
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

  get traps(): TrapDefinition {
    return this.current.definition.traps;
  }

  /** Loads stored URLs that are due into the frontier; others stay in the store. */
  admit(states: readonly UrlState[]): void {
    this.parts.frontier.admit(states);
  }

  /** Queues a URL that waits for its first visit again, in the source that it has now. */
  readmit(state: UrlState): void {
    const { frontier } = this.parts;
    if (state.source !== undefined && frontier.hold(state))
      frontier.requeue(state, { source: state.source, dueAt: state.dueAt });
  }

  /** Loads the URLs due by the given time from the store. */
  sweep(until: Instant): Promise<void> {
    return this.parts.frontier.sweep(until);
  }

  /** To be called when URLs of these partitions may have become due. */
  sweepPartitions(partitions: readonly number[]): Promise<void> {
    return this.parts.sweeps.sweepPartitions(partitions);
  }

  /** Returns hashes of blocks that stand on most pages of the host, if the crawler leaves them out. */
  async findRepeatedBlocks(hostKey: string): Promise<Int32Array | undefined> {
    return (await this.parts.repeated.find(hostKey))?.blocks;
  }

  /** Gives up these hosts; another node visits their URLs from now on. */
  revoke(isLost: (hostKey: string) => boolean): void {
    this.parts.frontier.revoke(isLost);
  }

  /** To be called when hosts have been taken over from another node: what is known about them is read again. */
  forgetHosts(): void {
    this.current.deletions.reset();
    const { troubles, changes, claims, endless, repeated } = this.parts;
    for (const part of [troubles, changes, claims, endless, repeated]) part.reset();
  }

  /** See UrlDecisions. */
  decide(url: UrlState, command: UrlCommand): Promise<boolean> {
    return this.parts.decisions.decide(url, command);
  }

  /** See UrlDecisions. */
  runWhileHeld(url: UrlState, work: Parameters<UrlDecisions['runWhileHeld']>[1]): Promise<void> {
    return this.parts.decisions.runWhileHeld(url, work);
  }

  /** See UrlDecisions. */
  applyCorrection(url: UrlState, changes: Parameters<UrlDecisions['applyCorrection']>[1]): Promise<boolean> {
    return this.parts.decisions.applyCorrection(url, changes);
  }

  /** See SiteReports. */
  noteReported(urls: readonly UrlState[], protocol: NotificationProtocol): void {
    this.parts.reports.note(urls, protocol);
  }

  /** See RequestedVisits. */
  visitNow(url: UrlState): Promise<void> {
    return this.parts.requested.visitNow(url);
  }

  /** Like visitNow, if this node owns the host. */
  visitNowIfOwned(url: UrlState): void {
    this.parts.frontier.queueUrgently(url);
  }

  /** See RequestedVisits. */
  noteRequested(ids: readonly UrlId[]): void {
    this.parts.requested.noteRequested(ids);
  }

  /** See RequestedVisits. */
  noteRequestedElsewhere(ids: readonly UrlId[]): void {
    this.parts.requested.noteRequestedElsewhere(ids);
  }

  /** See RequestedVisits. */
  retryInFlight(reasons: readonly Reason[]): void {
    this.parts.requested.retryInFlight(reasons);
  }

  /** Like visitNow, for one URL of each resting host that has URLs requested by users. */
  visitRestingHosts(): Promise<void> {
    return this.parts.requested.visitRestingHosts();
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
    return this.parts.tally;
  }

  /** Counts a URL that does not fit within the traps' limits. */
  refuse({ url, hostKey, foundOn }: NewUrl, reason: Reason): void {
    this.parts.refused.add({ url, hostKey, reason }, foundOn ?? '', this.services.clock.now());
  }

  /** Links that the policy refused and that were never stored. */
  get refused(): RefusedLinks {
    return this.parts.refused;
  }

  /** Explains why no more links like this URL are accepted; undefined if they are. */
  findEndlessObjection(hostKey: string, url: string): string | undefined {
    return this.parts.endless.findObjection(hostKey, url);
  }

  /** Describes what this node is currently doing for the crawler. */
  getWork(): CrawlerWork {
    const { definition } = this.context;
    const { delivery, partitions } = this.services;
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
        storeFault: loop.storeFault,
        usedUp: this.usedUp,
      },
      idle: this.isIdle(),
    };
  }

  /** The quota that is used up for today, if there is one, and when it begins anew. */
  get usedUp(): { readonly quota: string; readonly until: Instant } | undefined {
    const quota = this.parts.loop.usedUpQuota;
    return quota && { quota: quota.name, until: this.services.quotas.endOfToday };
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
    const { sweeps, inFlight, frontier } = this.parts;
    return sweeps.isFrontierFilled && inFlight.size === 0 && frontier.isEmpty();
  }

  /** True if there are visits whose order, if any, has not been sent yet. */
  get isDeciding(): boolean {
    const { loop, inFlight } = this.parts;
    return loop.fetchesInFlight > 0 || (inFlight.size > 0 && inFlight.size > this.pendingOrders);
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
    for (const state of this.parts.inFlight) if (isMatching(state.hostKey)) return true;
    return false;
  }

  get urlsInFlight(): UrlState[] {
    return [...this.parts.inFlight];
  }

  /** Number of visits that are not settled yet. */
  get visitsInFlight(): number {
    return this.parts.inFlight.size;
  }

  get fetchesInFlight(): number {
    return this.parts.loop.fetchesInFlight;
  }

  /** Counters since the start of the process. */
  getMetrics(): CrawlerMetrics {
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
