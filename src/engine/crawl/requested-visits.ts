/**
 * Visits that somebody has requested. A URL whose host is resting (back-off) is visited nevertheless: one at a time for
 * each host, at the pace of its throttle. A URL that was in flight when it was requested is visited once more.
 */
import type { UrlId, UrlState } from '../../domain/crawl/url-state.js';
import { USER } from '../../domain/frontier/sources.js';
import type { Reason } from '../../domain/policy/reasons.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { Clock } from '../ports/clock.js';
import type { UrlQueue } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { Partitions } from '../ports/partitions.js';
import type { Host } from './hosts/hosts.js';
import type { UrlCommand } from './outcome/decision.js';
import { createTryCommand } from './outcome/owner-commands.js';

/** Maximum number of resting hosts that receive a request in one forced refresh of many URLs. */
const MAX_HOSTS = 100;
/** Interval of checks while a response from the host is still in flight. */
const RECHECK_INTERVAL = seconds(1);

interface RequestServices {
  readonly partitions: Pick<Partitions, 'owns'>;
  readonly nodes: Pick<Nodes, 'send' | 'notifyRequested'>;
  readonly store: UrlQueue;
  readonly clock: Clock;
}

/** The part of the frontier that this module uses. */
interface UrgentQueue {
  /** See Frontier.queueUrgently. */
  queueUrgently(url: UrlState): boolean;
  listRestingHosts(limit: number): string[];
}

export class RequestedVisits {
  /**
   * URLs that were requested while they were in flight, as their visit may have read the page before it changed; with
   * the errors with which the visit has to end, or undefined for any end.
   */
  private readonly requested = new Map<UrlId, readonly Reason[] | undefined>();

  /** @param inFlight URLs that are being visited or decided */
  constructor(
    private readonly crawler: string,
    private readonly services: RequestServices,
    private readonly frontier: UrgentQueue,
    private readonly inFlight: ReadonlySet<UrlState>,
  ) {}

  /**
   * Visits the URL now because a user requested it, even if its host is resting; carried out by the node that owns the
   * host.
   */
  async visitNow(url: UrlState): Promise<void> {
    if (this.services.partitions.owns(url.hostKey)) this.frontier.queueUrgently(url);
    else await this.services.nodes.send(createTryCommand(url));
  }

  /** Visits one URL of each resting host, from those in the user source. */
  async visitRestingHosts(): Promise<void> {
    const { store, clock } = this.services;
    for (const hostKey of this.frontier.listRestingHosts(MAX_HOSTS)) {
      const { urls } = await store.listDue(this.crawler, hostKey, USER, clock.now(), 1, new Set());
      if (urls[0]) this.frontier.queueUrgently(urls[0]);
    }
  }

  /** To be called before URLs are made due in the store; those that are not in flight on any node are ignored. */
  noteRequested(ids: readonly UrlId[]): void {
    this.noteRequestedElsewhere(ids);
    this.services.nodes.notifyRequested(ids);
  }

  /** Like noteRequested, when another node is about to make the URLs due. */
  noteRequestedElsewhere(ids: readonly UrlId[]): void {
    this.note(ids, undefined);
  }

  /** All URLs in flight on this node are visited once more if their visits end with one of these errors. */
  retryInFlight(reasons: readonly Reason[]): void {
    this.note(
      Array.from(this.inFlight, ({ id }) => id),
      reasons,
    );
  }

  private note(ids: readonly UrlId[], reasons: readonly Reason[] | undefined): void {
    const idsInFlight = new Set(Array.from(this.inFlight, ({ id }) => id));
    // The visits of the others have failed, so that they are still due.
    for (const id of this.requested.keys()) if (!idsInFlight.has(id)) this.requested.delete(id);
    for (const id of ids) {
      if (!idsInFlight.has(id)) continue;
      const known = this.requested.get(id) ?? (this.requested.has(id) ? undefined : []);
      this.requested.set(id, reasons && known && [...known, ...reasons]);
    }
  }

  /**
   * To be called when the URL is no longer in flight. If it has to be visited once more, returns the command for it.
   */
  takeRequested(url: UrlState): UrlCommand | undefined {
    const reasons = this.requested.get(url.id);
    return this.requested.delete(url.id) ? { do: 'visit', ...(reasons ? { reasons } : {}) } : undefined;
  }
}

/** The part of a host's window that urgent visits use. */
interface UrgentWindow {
  readonly host: Host;
  readonly limit: number;
  isOpen(now: Instant): boolean;
}

/** URLs that are to be visited although their host is resting. */
export class UrgentVisits<W extends UrgentWindow> {
  private readonly waitingUrls = new Map<string, { readonly url: UrlState; readonly window: W }>();
  private cancelTimer: (() => void) | undefined;

  /**
   * @param giveBack receives URLs that are no longer urgent: their host is no longer resting, or an operator or a
   * schedule has stopped it
   */
  constructor(
    private readonly clock: Clock,
    private readonly wake: () => void,
    private readonly giveBack: (url: UrlState, window: W) => void,
  ) {}

  /** Returns false if the host already has an urgent URL. */
  add(url: UrlState, window: W): boolean {
    if (this.waitingUrls.has(url.hostKey)) return false;
    this.waitingUrls.set(url.hostKey, { url, window });
    this.wake();
    return true;
  }

  /** Removes a waiting URL that is to be decided on without a visit. */
  remove({ id, hostKey }: { id: UrlId; hostKey: string }): boolean {
    return this.waitingUrls.get(hostKey)?.url.id === id && this.waitingUrls.delete(hostKey);
  }

  /** What is known about the host may have been read from the store, without which nothing is requested. */
  noteHostReady(hostKey: string): void {
    if (this.waitingUrls.has(hostKey)) this.wake();
  }

  revoke(isLost: (hostKey: string) => boolean): void {
    for (const hostKey of this.waitingUrls.keys()) if (isLost(hostKey)) this.waitingUrls.delete(hostKey);
  }

  /** Takes the next URL whose host may receive a request. */
  takeNext(): { readonly url: UrlState; readonly window: W } | undefined {
    if (this.waitingUrls.size === 0) return undefined;
    const now = this.clock.now();
    let nextCheckAt: Instant | undefined;
    for (const [hostKey, entry] of this.waitingUrls) {
      const { host, limit } = entry.window;
      if (host.isReadyForUrgentRequest(now, limit) && host.isResting(now) && entry.window.isOpen(now)) {
        this.waitingUrls.delete(hostKey);
        return entry;
      }
      if (host.paused || (host.loaded && !host.isResting(now)) || !entry.window.isOpen(now)) {
        this.waitingUrls.delete(hostKey);
        this.giveBack(entry.url, entry.window);
      } else {
        const { nextRequestAt } = host.politeness;
        const at = nextRequestAt > now ? nextRequestAt : after(now, RECHECK_INTERVAL);
        if (nextCheckAt === undefined || at < nextCheckAt) nextCheckAt = at;
      }
    }
    this.wakeAt(nextCheckAt);
    return undefined;
  }

  close(): void {
    this.cancelTimer?.();
    this.waitingUrls.clear();
  }

  private wakeAt(at: Instant | undefined): void {
    this.cancelTimer?.();
    this.cancelTimer = at === undefined ? undefined : this.clock.at(at, this.wake);
  }
}
