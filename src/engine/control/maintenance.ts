/**
 * Operations on a crawler's URLs that operators can request: clearing and refreshing them, and forgetting errors.
 */
import { CLEARED } from '../../domain/crawl/commands.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { toImmediateQueuePlace, USER } from '../../domain/frontier/sources.js';
import { type Instant, seconds } from '../../domain/time/units.js';
import { getHostKey, stripUserInfo } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import type { Hosts } from '../crawl/hosts/hosts.js';
import type { UrlFilter } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import { NotFound } from '../support/api-errors.js';
import { retryUntilDone } from '../support/persistently.js';
import type { RefreshOutcome, RefreshRequest, RestingHost, UrlChoice } from '../views/url-views.js';
import { storeRereading } from './rereading.js';
import type { Roots } from './roots.js';

const PAGE_SIZE = 1_000;
const RETRY_DELAY = seconds(1);
/** Maximum number of resting hosts that a refresh reports. */
const MAX_RESTING_SHOWN = 100;

interface MaintenanceServices extends Pick<Ports, 'store' | 'clock' | 'log' | 'nodes'> {
  readonly hosts: Pick<Hosts, 'peek'>;
  readonly crawlers: Pick<Crawlers, 'get' | 'getStored'>;
  readonly roots: Pick<Roots, 'forget'>;
}

export class Maintenance {
  constructor(private readonly services: MaintenanceServices) {}

  /**
   * Marks the matching URLs, then removes them and their documents in the background; returns the number of matching
   * URLs.
   */
  async clear(name: string, choice: UrlChoice): Promise<number> {
    const crawler = this.services.crawlers.getStored(name);
    const filter: UrlFilter = { ...choice, crawler: name };
    let count = 0;
    for await (const states of this.readPages(filter)) {
      await this.services.store.settle(
        states.map((state) => ({ id: state.id, changes: { pendingDeletion: CLEARED } })),
      );
      count += states.length;
      // A root would otherwise stay submitted and bring back what was cleared.
      await this.services.roots.forget(
        crawler,
        states.map((state) => state.url),
      );
      this.runInBackground(() => this.removeMarked(crawler, states));
    }
    return count;
  }

  /** After a restart, resumes removing the URLs that `clear` marked. */
  async resume(crawler: Crawler): Promise<void> {
    for await (const states of this.readPages({ crawler: crawler.name, pendingDeletion: true })) {
      const clearedStates = states.filter((state) => state.pendingDeletion === CLEARED);
      if (clearedStates.length > 0) this.runInBackground(() => this.removeMarked(crawler, clearedStates));
    }
  }

  /** Refreshes one URL, or all that match. */
  async refresh(name: string, request: RefreshRequest): Promise<RefreshOutcome> {
    const crawler = this.services.crawlers.get(name);
    const resting = await this.findRestingHosts(crawler, request);
    return { count: await this.makeDue(crawler, request), resting };
  }

  private async makeDue(crawler: Crawler, { url: rawUrl, ...choice }: RefreshRequest): Promise<number> {
    const now = this.services.clock.now();
    if (rawUrl === undefined) {
      const count = await this.services.store.makeDue({ ...choice, crawler: crawler.name }, now, USER, (ids) =>
        crawler.noteRequested(ids),
      );
      await crawler.sweep(now);
      await crawler.visitRestingHosts();
      this.services.nodes.notifyAllDue();
      return count;
    }
    const url = crawler.context.canonicalize(rawUrl);
    const state = url && (await this.services.store.find(crawler.name, url.href));
    if (!state)
      throw new NotFound(
        `${stripUserInfo(rawUrl)} is not known to crawler ${crawler.name}; submit it as a root to crawl it`,
      );
    const place = toImmediateQueuePlace(state, now);
    crawler.noteRequested([state.id]);
    await this.services.store.settle([{ id: state.id, changes: place }]);
    crawler.admit([{ ...state, ...place }]);
    await crawler.visitNow({ ...state, ...place });
    return 1;
  }

  /**
   * Finds the hosts of URLs to be refreshed that are resting after a failure or at their own request. One request is made
   * to each of them anyway; the other URLs wait. For a pattern, only hosts that this node crawls are listed.
   */
  private async findRestingHosts(crawler: Crawler, request: RefreshRequest): Promise<RestingHost[]> {
    const { store, hosts, clock } = this.services;
    const url = request.url === undefined ? undefined : crawler.context.canonicalize(request.url);
    const keys = url
      ? [getHostKey(url)]
      : crawler
          .listRestingHosts(MAX_RESTING_SHOWN)
          .filter((key) => request.hostKey === undefined || key === request.hostKey);
    const now = clock.now();
    const resting: RestingHost[] = [];
    for (const key of keys) {
      if (crawler.findReopeningTime(key, now) !== undefined) continue; // nothing is requested from it, resting or not
      const host = hosts.peek(key);
      const until: Instant | undefined = host?.loaded
        ? host.politeness.backOffUntil
        : (await store.loadHosts([key]))[0]?.backOffUntil;
      if (until !== undefined && until > now) resting.push({ hostKey: key, until });
    }
    return resting;
  }

  /** FDSE's Clear Error Cache: forgets URLs in error; those whose document is still indexed are visited again. */
  async clearErrors(name: string): Promise<number> {
    const crawler = this.services.crawlers.get(name);
    let count = 0;
    for (const status of ['error', 'removed'] as const)
      for await (const states of this.readPages({ crawler: name, status })) {
        for (const state of states) if (await crawler.decide(state, { do: 'forget-error' })) count++;
      }
    await this.requestLinkRereading(crawler);
    return count;
  }

  /**
   * Has pages read again even if unchanged: an unchanged page reports no links, so forgotten URLs would not be found
   * again.
   */
  private async requestLinkRereading(crawler: Crawler): Promise<void> {
    crawler.rereadLinksSince(this.services.clock.now());
    await storeRereading(crawler, this.services.store);
    await this.services.nodes.notifyControlChanged();
  }

  private async *readPages(filter: UrlFilter): AsyncIterable<UrlState[]> {
    let last = 0;
    for (;;) {
      const page = await this.services.store.list(filter, last, PAGE_SIZE);
      if (page.length > 0) yield page;
      last = page.at(-1)?.id ?? last;
      if (page.length < PAGE_SIZE) return;
    }
  }

  private runInBackground(work: () => Promise<void>): void {
    void retryUntilDone('clearing URLs', work, this.services).catch((error: unknown) =>
      this.services.log.error('clearing URLs failed and will continue after a restart', { error: String(error) }),
    );
  }

  /** Reads the URLs again first, because some may have been removed since the last attempt. */
  private async removeMarked(crawler: Crawler, markedStates: readonly UrlState[]): Promise<void> {
    await this.removeAll(crawler, await this.services.store.get(markedStates.map(({ id }) => id)));
  }

  private async removeAll(crawler: Crawler, states: readonly UrlState[]): Promise<void> {
    await Promise.all(states.map((state) => this.remove(crawler, state)));
  }

  private async remove(crawler: Crawler, markedState: UrlState): Promise<void> {
    // If the URL is in flight, its visit must end first.
    while (!(await crawler.decide(markedState, { do: 'clear' }))) await this.services.clock.sleep(RETRY_DELAY);
  }
}
