/**
 * Picks URLs from the frontier while there is room, and starts a visit of each. Never waits for a host: a host that is
 * not ready is simply not picked.
 */
import { BoundedMap } from '../../domain/bounded-map.js';
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import type { QuotaDefinition } from '../../domain/crawl/quota-definition.js';
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import { after, hours, type Instant, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import { type Delivery, SinksRemoved } from '../delivery/delivery.js';
import { StoreUnavailable } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import { FencedOut, type Partitions } from '../ports/partitions.js';
import type { Ports } from '../ports/ports.js';
import type { CanonicalPages } from './evidence/canonical-pages.js';
import type { ChangeGuard } from './evidence/change-guard.js';
import type { HostTroubles } from './evidence/host-trouble.js';
import type { Redirects } from './evidence/redirects.js';
import type { Discovery } from './frontier/discovery.js';
import type { Frontier } from './frontier/frontier.js';
import type { Host, Hosts } from './hosts/hosts.js';
import type { Quotas } from './load/quotas.js';
import type { SettledUrl } from './outcome/decision.js';
import { createVerifyCommand } from './outcome/owner-commands.js';
import type { UrlDecisions } from './outcome/url-decisions.js';
import { PUT_BACK } from './visit/preconditions.js';
import type { VisitRunner } from './visit/visit.js';

/** Delay before trying again if the database could not be reached. */
const NOTIFY_RETRY_DELAY = seconds(5);
/** Delay before a command is tried again for a URL that something else is in flight for. */
const COMMAND_RETRY_DELAY = seconds(1);
/** Delay before repeating a visit that failed because of this server, not the site; it doubles with each failure. */
const VISIT_RETRY_DELAY = minutes(1);
const MAX_VISIT_RETRY_DELAY = hours(1);
/** While nothing can be stored, single visits show whether that is over: more would be requests for nothing. The pause doubles. */
const STORE_RETRY_DELAY = seconds(1);
const MAX_STORE_RETRY_DELAY = seconds(10);
/** A visit is repeated after up to this many such failures in a row; after more, the page itself may be the cause. */
const MAX_FAILURES = 3;
const MAX_FAILING_URLS = 10_000;
/**
 * Maximum number of bytes of pages that are fetched and not yet settled. This is more than may be waiting for a sink,
 * so that the crawl reaches the limit only if the store cannot keep up.
 */
const MAX_BUFFERED_BYTES = 48 * 1024 * 1024;

export interface LoopServices extends Pick<Ports, 'clock' | 'log'> {
  readonly delivery: Pick<Delivery, 'hasRoom' | 'flushUnlessMoreExpected'>;
  readonly partitions: Pick<Partitions, 'owns'>;
  readonly hosts: Pick<Hosts, 'claim'>;
  readonly discovery: Pick<Discovery, 'noteFirstVisit'>;
  readonly nodes: Pick<Nodes, 'send'>;
  readonly quotas: Pick<Quotas, 'findReached'>;
  /** Maximum number of visits per crawler. */
  readonly maxVisits: number;
}

/** The crawler whose URLs are visited. */
interface Target {
  readonly frontier: Frontier;
  /** URLs with a visit, or a decision without one, that has begun and is not settled yet. */
  readonly inFlight: Set<UrlState>;
  readonly current: {
    readonly definition: CrawlerDefinition;
    readonly visits: Pick<VisitRunner, 'run' | 'settleFailure'>;
  };
  readonly decisions: Pick<UrlDecisions, 'noteSettled' | 'decide'>;
  readonly canonicalPages: Pick<CanonicalPages, 'reconsiderAfter'>;
  readonly redirects: Pick<Redirects, 'noteSettled'>;
  readonly troubles: Pick<HostTroubles, 'noteSettled'>;
  readonly changes: Pick<ChangeGuard, 'noteSettled'>;
}

export class VisitLoop {
  /** Number of visits that may still begin. */
  private visitsLeft: number;
  /** Number of pages being fetched. */
  private fetchCount = 0;
  private bufferedBytes = 0;
  private readonly failures = new BoundedMap<UrlId, number>(MAX_FAILING_URLS);
  private fault: string | undefined;
  /** While the store is down, no visit begins during a rest. */
  private isResting = false;
  private rests = 0;
  private isRunning = false;
  private isCheckQueued = false;
  private closed = false;

  constructor(
    private readonly services: LoopServices,
    private readonly target: Target,
  ) {
    this.visitsLeft = services.maxVisits;
    target.frontier.onReady(() => this.wake());
  }

  /** Sets whether further visits may begin; those in flight continue in either case. */
  setRunning(isRunning: boolean): void {
    this.isRunning = isRunning;
    this.wake();
  }

  /** Requests a check of the frontier soon; several requests lead to one check. */
  wake(): void {
    if (this.isCheckQueued || this.closed || !this.isRunning) return;
    this.isCheckQueued = true;
    queueMicrotask(() => {
      this.isCheckQueued = false;
      this.startVisits();
    });
  }

  get fetchesInFlight(): number {
    return this.fetchCount;
  }

  /** Why the store cannot store visits; undefined while it works. */
  get storeFault(): string | undefined {
    return this.fault;
  }

  /** True while the store keeps up: few enough pages are fetched and not yet settled. */
  get storeKeepsUp(): boolean {
    return this.bufferedBytes < MAX_BUFFERED_BYTES;
  }

  /** The quota that has been used up for today, so that no visit begins. */
  get usedUpQuota(): QuotaDefinition | undefined {
    return this.services.quotas.findReached(this.target.current.definition.name, 'bytes');
  }

  mayVisitBefore(horizon: Instant): boolean {
    return this.isRunning && this.visitsLeft > 0 && !this.usedUpQuota && this.target.frontier.mayHaveUrlBefore(horizon);
  }

  /** Starts no more visits; those in flight continue. */
  close(): void {
    this.closed = true;
  }

  private startVisits(): void {
    const { frontier, current, inFlight } = this.target;
    const { concurrency, pushTo } = current.definition;
    const { delivery, partitions, hosts } = this.services;
    while (
      this.isRunning &&
      !this.closed &&
      this.visitsLeft > 0 &&
      this.fetchCount < concurrency &&
      this.bufferedBytes < MAX_BUFFERED_BYTES &&
      !(this.fault !== undefined && this.isResting) &&
      !this.usedUpQuota &&
      delivery.hasRoom(pushTo)
    ) {
      const picked = frontier.takeNext();
      if (!picked) {
        delivery.flushUnlessMoreExpected();
        return;
      }
      // This node has lost the host and has not been notified yet.
      if (!partitions.owns(picked.host.key)) {
        frontier.revoke((hostKey) => hostKey === picked.host.key);
        continue;
      }
      this.fetchCount++;
      this.visitsLeft--;
      if (this.fault !== undefined) this.rest();
      inFlight.add(picked.url);
      hosts.claim(picked.host);
      frontier.noteVisitStarted(picked.url);
      void this.visit(picked.url, picked.host, picked.source);
      frontier.offerAgain(picked.host);
    }
  }

  private rest(): void {
    const delay = Math.min(MAX_STORE_RETRY_DELAY, STORE_RETRY_DELAY * 2 ** Math.min(this.rests++, 10));
    const { clock } = this.services;
    this.isResting = true;
    // A timer may be a little early, so it ends the rest, whatever the clock says.
    clock.at(after(clock.now(), milliseconds(delay)), () => {
      this.isResting = false;
      this.wake();
    });
  }

  private async visit(url: UrlState, host: Host, source: SourceNumber): Promise<void> {
    let isFetching = true;
    let ownBytes = 0;
    const { current, frontier } = this.target;
    const { pushTo } = current.definition;
    const noteFetched = (bytes: number): void => {
      if (isFetching) this.fetchCount--;
      isFetching = false;
      ownBytes += bytes;
      this.bufferedBytes += bytes;
      this.wake();
    };
    try {
      const result = await current.visits.run(url, host, noteFetched);
      if (result !== PUT_BACK) {
        this.failures.delete(url.id);
        this.noteStoreWorks();
        await this.noteVisited(url, result, pushTo);
      } else {
        this.visitsLeft++;
        this.isResting = false;
        frontier.putBack(url, source);
      }
    } catch (error) {
      this.visitsLeft++;
      if (error instanceof FencedOut) {
        this.noteStoreWorks();
        this.leaveToOwner(url, error);
        return;
      }
      if (error instanceof SinksRemoved) {
        frontier.requeue(url, { source, dueAt: this.services.clock.now() });
        return;
      }
      // The page of a crawler that was removed before it was requested cannot be processed.
      if (!this.closed) await this.handleFailure(url, host, source, error);
    } finally {
      noteFetched(-ownBytes);
      this.target.inFlight.delete(url);
    }
  }

  private noteStoreWorks(): void {
    if (this.fault === undefined) return;
    this.fault = undefined;
    this.services.log.info('visits can be stored again', { crawler: this.target.current.definition.name });
  }

  /** Not the site's fault: the store or the program failed. The URL is not settled, so it is visited again. */
  private async handleFailure(url: UrlState, host: Host, source: SourceNumber, error: unknown): Promise<void> {
    const { clock, log } = this.services;
    const failures = (this.failures.get(url.id) ?? 0) + 1;
    this.failures.set(url.id, failures);
    const text = String((error as Error)?.stack ?? error);
    if (!(error instanceof StoreUnavailable))
      log.error('a visit failed', { crawler: url.crawler, url: url.url, failures, error: text });
    // A full disk may be that of the log, too: one line for all pages in flight.
    else if (this.fault === undefined)
      log.error('visits cannot be stored and are repeated', { crawler: url.crawler, error: error.message });
    if (error instanceof StoreUnavailable && this.fault === undefined) {
      this.fault = error.message;
      this.rests = 0;
      this.rest();
    }
    const { current, frontier } = this.target;
    if (failures > MAX_FAILURES) {
      const detail = `the visit failed ${failures} times: ${String((error as Error)?.message ?? error)}`;
      // If nothing can be settled, the page is not the cause.
      const settled = await current.visits.settleFailure(url, host, detail).catch(() => undefined);
      if (settled) {
        this.failures.delete(url.id);
        await this.noteVisited(url, settled, current.definition.pushTo).catch((cause: unknown) =>
          log.error('other pages may not have been told of a failed visit', { url: url.url, error: String(cause) }),
        );
        return;
      }
    }
    const delay = milliseconds(Math.min(MAX_VISIT_RETRY_DELAY, VISIT_RETRY_DELAY * 2 ** Math.min(failures - 1, 10)));
    frontier.requeue(url, { source, dueAt: after(clock.now(), delay) });
  }

  /**
   * Completes the visit of a URL.
   * @param sinks the sinks of the configuration under which the visit was made
   */
  private async noteVisited(url: UrlState, settled: SettledUrl, sinks: readonly string[]): Promise<void> {
    const { decisions, canonicalPages, redirects, troubles, changes, current } = this.target;
    decisions.noteSettled(url, settled);
    if (url.visits === 0) this.services.discovery.noteFirstVisit(url, settled.reason);
    // Other pages may have been waiting for this one.
    await canonicalPages.reconsiderAfter(url, settled);
    await redirects.noteSettled(url, settled);
    await troubles.noteSettled(url, settled);
    await changes.noteSettled(url);
    if (current.definition.pushTo !== sinks) await this.sendToAddedSinks(url, sinks);
  }

  /** Sends a document to sinks that were added during its visit: the backfill may have passed over it. */
  private async sendToAddedSinks(url: UrlState, formerSinks: readonly string[]): Promise<void> {
    const { current, decisions } = this.target;
    const addedSinks = current.definition.pushTo.filter((sink) => !formerSinks.includes(sink));
    for (const sink of addedSinks)
      while (!(await decisions.decide(url, { do: 'send-to', sink })))
        await this.services.clock.sleep(COMMAND_RETRY_DELAY);
  }

  /**
   * The host belongs to another node, which visits the URL again; it must be notified if one of this node's orders may
   * have overtaken its own.
   */
  private leaveToOwner(url: UrlState, { uncertain }: FencedOut): void {
    this.target.frontier.revoke((hostKey) => hostKey === url.hostKey && !this.services.partitions.owns(hostKey));
    if (uncertain) void this.notifyOwner(url);
  }

  /**
   * Notifies the new owner that an order may have been delivered out of sequence; retries as long as this process
   * lives.
   */
  private async notifyOwner(url: UrlState): Promise<void> {
    const { nodes, clock, log } = this.services;
    for (;;) {
      try {
        await nodes.send(createVerifyCommand(url));
        return;
      } catch (error) {
        log.warn('could not notify the new owner of a host that an order may be out of sequence; trying again', {
          url: url.url,
          error: String(error),
        });
        await clock.sleep(NOTIFY_RETRY_DELAY);
      }
    }
  }
}
