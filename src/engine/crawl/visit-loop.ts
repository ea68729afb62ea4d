/**
 * Picks URLs from the frontier while there is room, and starts a visit of each. Never waits for a host: a host that is
 * not ready is simply not picked.
 */
import type { CrawlerDefinition } from '../../domain/crawl/definition.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { SourceNumber } from '../../domain/frontier/sources.js';
import { after, type Instant, minutes, seconds } from '../../domain/time/units.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import { FencedOut, type Partitions } from '../ports/partitions.js';
import { createVerifyCommand } from './commands.js';
import type { Frontier } from './frontier/frontier.js';
import type { Host, Hosts } from './hosts/hosts.js';
import type { SettledUrl } from './outcome/decision.js';
import { PUT_BACK } from './visit/preconditions.js';
import type { VisitRunner } from './visit/visit.js';

/** Delay before trying again if the database could not be reached. */
const TELL_AGAIN = seconds(5);
/** Delay before a visit is repeated that failed for a reason on our side. */
const VISIT_AGAIN = minutes(1);
/**
 * Maximum number of bytes of pages that are fetched and not yet settled. This is more than may be waiting for a sink,
 * so that the crawl reaches the limit only if the store cannot keep up.
 */
const MOST_BYTES_IN_HAND = 48 * 1024 * 1024;

export interface LoopServices {
  readonly delivery: Pick<Delivery, 'hasRoom' | 'flushUnlessMoreExpected'>;
  readonly partitions: Pick<Partitions, 'owns'>;
  readonly hosts: Pick<Hosts, 'claim'>;
  readonly nodes: Pick<Nodes, 'send'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum number of visits per crawler. */
  readonly mostVisits: number;
}

/** The crawler whose URLs are visited. */
export interface LoopOwner {
  getDefinition(): CrawlerDefinition;
  visits(): Pick<VisitRunner, 'run'>;
  /** Called when the visit of the URL is settled. */
  noteVisited(url: UrlState, end: SettledUrl): Promise<void>;
}

export class VisitLoop {
  /** URLs with a visit, or a decision without one, that has begun and is not settled yet. */
  readonly inFlight = new Set<UrlState>();
  /** Number of visits that may still begin. */
  private visitsLeft: number;
  /** Number of pages being fetched. */
  private fetching = 0;
  private bufferedBytes = 0;
  private runs = false;
  private pumpQueued = false;
  private closed = false;

  constructor(
    private readonly services: LoopServices,
    private readonly frontier: Frontier,
    private readonly owner: LoopOwner,
  ) {
    this.visitsLeft = services.mostVisits;
  }

  /** Says whether further visits may begin; those in flight go on in either case. */
  setRunning(runs: boolean): void {
    this.runs = runs;
    this.wake();
  }

  /** Requests a check of the frontier soon; several requests lead to one check. */
  wake(): void {
    if (this.pumpQueued || this.closed || !this.runs) return;
    this.pumpQueued = true;
    queueMicrotask(() => {
      this.pumpQueued = false;
      this.startVisits();
    });
  }

  get fetchesInFlight(): number {
    return this.fetching;
  }

  /** True while the store keeps up: few enough pages are fetched and not yet settled. */
  get storeKeepsUp(): boolean {
    return this.bufferedBytes < MOST_BYTES_IN_HAND;
  }

  mayVisitBefore(horizon: Instant): boolean {
    return this.runs && this.visitsLeft > 0 && this.frontier.mayHaveUrlBefore(horizon);
  }

  /** Starts no more visits; those in flight continue. */
  close(): void {
    this.closed = true;
  }

  private startVisits(): void {
    const { concurrency, pushTo } = this.owner.getDefinition();
    const { delivery, partitions, hosts } = this.services;
    while (
      this.runs &&
      !this.closed &&
      this.visitsLeft > 0 &&
      this.fetching < concurrency &&
      this.bufferedBytes < MOST_BYTES_IN_HAND &&
      delivery.hasRoom(pushTo)
    ) {
      const picked = this.frontier.next();
      if (!picked) {
        delivery.flushUnlessMoreExpected();
        return;
      }
      // This node has lost the host and has not been notified yet.
      if (!partitions.owns(picked.host.key)) {
        this.frontier.revoke((hostKey) => hostKey === picked.host.key);
        continue;
      }
      this.fetching++;
      this.visitsLeft--;
      this.inFlight.add(picked.url);
      hosts.claim(picked.host);
      this.frontier.noteVisitStarted(picked.url);
      void this.visit(picked.url, picked.host, picked.source);
      this.frontier.offerAgain(picked.host);
    }
  }

  private async visit(url: UrlState, host: Host, source: SourceNumber): Promise<void> {
    let fetching = true;
    let held = 0;
    const noteFetched = (bytes: number): void => {
      if (fetching) this.fetching--;
      fetching = false;
      held += bytes;
      this.bufferedBytes += bytes;
      this.wake();
    };
    try {
      const end = await this.owner.visits().run(url, host, noteFetched);
      if (end !== PUT_BACK) {
        await this.owner.noteVisited(url, end);
      } else {
        this.visitsLeft++;
        this.frontier.putBack(url, source);
      }
    } catch (error) {
      this.visitsLeft++;
      if (error instanceof FencedOut) {
        this.leaveToOwner(url, error);
        return;
      }
      // Not the site's fault: the store or the program failed. The URL is not settled, so it is visited again.
      this.services.log.error('a visit failed', {
        crawler: this.owner.getDefinition().name,
        url: url.url,
        error: String((error as Error)?.stack ?? error),
      });
      this.frontier.requeue(url, { source, dueAt: after(this.services.clock.now(), VISIT_AGAIN) });
    } finally {
      noteFetched(-held);
      this.inFlight.delete(url);
    }
  }

  /**
   * The host belongs to another node, which visits the URL again; it must be notified if one of our orders may have
   * overtaken its own.
   */
  private leaveToOwner(url: UrlState, { uncertain }: FencedOut): void {
    this.frontier.revoke((hostKey) => hostKey === url.hostKey && !this.services.partitions.owns(hostKey));
    if (uncertain) void this.notifyOwner(url);
  }

  /** An order may have been delivered out of order: tries to notify the new owner as long as this process lives. */
  private async notifyOwner(url: UrlState): Promise<void> {
    const { nodes, clock, log } = this.services;
    for (;;) {
      try {
        await nodes.send(createVerifyCommand(url));
        return;
      } catch (error) {
        log.warn('an order may have been delivered out of sequence; the new owner of the host cannot be notified yet', {
          url: url.url,
          error: String(error),
        });
        await clock.sleep(TELL_AGAIN);
      }
    }
  }
}
