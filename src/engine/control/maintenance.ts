/**
 * Operations on a crawler's URLs that operators can request: clearing and refreshing them, forgetting errors, and
 * exporting or importing FDSE's pending file.
 */
import { CLEARED } from '../../domain/crawl/commands.js';
import { createFirstRefreshChanges } from '../../domain/crawl/revisit.js';
import type { StateChanges, UrlState } from '../../domain/crawl/url-state.js';
import { toImmediateQueuePlace, USER } from '../../domain/frontier/sources.js';
import { days, type Instant, instant, after as later, NEVER, seconds } from '../../domain/time/units.js';
import { getHostKey, stripUserInfo } from '../../domain/url/crawl-url.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { TextLine } from '../../domain/url/url-list.js';
import type { Crawler } from '../crawl/crawler.js';
import { toDispositionRules } from '../crawl/visit/disposition-rules.js';
import { toPageSchedule } from '../page/page-schedule.js';
import type { Clock } from '../ports/clock.js';
import type { CronSchedule } from '../ports/cron-schedule.js';
import type { FrontierStore, NewUrl, UrlFilter } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Nodes } from '../ports/nodes.js';
import type { PageSchedule } from '../ports/page-task.js';
import { NotFound } from '../support/api-errors.js';
import { retryUntilDone } from '../support/persistently.js';
import { type LineProblem, type RefreshRequest, type UrlChoice } from '../views/url-views.js';
import { storeRereading } from './rereading.js';
import type { Roots } from './roots.js';

const PAGE_SIZE = 1_000;
const RETRY_DELAY = seconds(1);

/** 0, 2 or a Unix time. Smaller numbers are not times, but typing errors or another program's states. */
const PENDING_STATE = /^(?:0|2|[1-9]\d{8,9})$/;

/** Maximum difference between the clocks of two machines. */
const MAX_CLOCK_SKEW = days(1);

interface PendingLine {
  readonly url: NewUrl;
  readonly state: number;
  readonly schedule: PageSchedule;
}

interface MaintenanceServices {
  readonly store: FrontierStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodes: Nodes;
  readonly cron: CronSchedule;
  readonly roots: Pick<Roots, 'forget'>;
}

export class Maintenance {
  private readonly inFlight = new Set<Promise<void>>();

  constructor(private readonly services: MaintenanceServices) {}

  /**
   * Marks the matching URLs, then removes them and their documents in the background; returns the number of matching
   * URLs.
   */
  async clear(crawler: Crawler, choice: UrlChoice): Promise<number> {
    const filter: UrlFilter = { ...choice, crawler: crawler.name };
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

  async refresh(crawler: Crawler, { url: rawUrl, ...choice }: RefreshRequest): Promise<number> {
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

  /** FDSE's Clear Error Cache: forgets URLs in error; those whose document is still indexed are visited again. */
  async clearErrors(crawler: Crawler): Promise<number> {
    let count = 0;
    for (const status of ['error', 'removed'] as const)
      for await (const states of this.readPages({ crawler: crawler.name, status })) {
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

  async *exportPendingUrls(crawler: Crawler): AsyncIterable<string> {
    const realm = encodeURIComponent(crawler.name);
    let after: string | undefined;
    for (;;) {
      const page = await this.services.store.listByUrl(crawler.name, after, PAGE_SIZE);
      for (const state of page) {
        const pendingState = toPendingState(state);
        if (pendingState !== undefined) yield `${state.url} ${realm} ${pendingState}\n`;
      }
      after = page.at(-1)?.url;
      if (after === undefined || page.length < PAGE_SIZE) return;
    }
  }

  async importPendingUrls(
    crawler: Crawler,
    input: Iterable<TextLine>,
  ): Promise<{ imported: number; known: number; problems: readonly LineProblem[] }> {
    const problems: LineProblem[] = [];
    const lines: PendingLine[] = [];
    for (const { line, text } of input) {
      if (text.trim() === '') continue;
      const parsed = this.parsePendingLine(crawler, text);
      if (typeof parsed === 'string') problems.push({ line, problem: parsed });
      else lines.push(parsed);
    }
    let imported = 0;
    for (let i = 0; i < lines.length; i += PAGE_SIZE)
      imported += await this.importLines(crawler, lines.slice(i, i + PAGE_SIZE));
    return { imported, known: lines.length - imported, problems };
  }

  /** Resolves when the background work has ended. */
  async waitUntilSettled(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  /** A URL that is already stored keeps its state; any other gets the state in its first line of the file. */
  private async importLines(crawler: Crawler, lines: readonly PendingLine[]): Promise<number> {
    const firstLines = new Map<string, PendingLine>();
    for (const line of lines) if (!firstLines.has(line.url.url)) firstLines.set(line.url.url, line);
    const newStates = await this.services.store.discover([...firstLines.values()].map(({ url }) => url));
    const visitedStates = newStates.filter(({ url }) => firstLines.get(url)!.state !== 0);
    const changes = visitedStates.map((state) => this.toImportedChanges(crawler, state, firstLines.get(state.url)!));
    await this.services.store.settle(visitedStates.map(({ id }, i) => ({ id, changes: changes[i] })));
    const waitingStates = newStates.filter(({ url }) => firstLines.get(url)!.state === 0);
    const dueStates = visitedStates.flatMap((state, i) => {
      const place = changes[i]!;
      return place.source == null ? [] : [{ ...state, source: place.source, dueAt: place.dueAt ?? state.dueAt }];
    });
    crawler.admit([...waitingStates, ...dueStates]);
    return newStates.length;
  }

  private toImportedChanges(crawler: Crawler, stored: UrlState, { state, schedule }: PendingLine): StateChanges {
    if (state === 2) return { status: 'error', reason: 'imported', permanentError: true, source: null, dueAt: NEVER };
    const lastVisitAt = instant(state * 1000);
    const now = this.services.clock.now();
    const rules = toDispositionRules(crawler.context.definition, schedule, this.services.cron, now);
    const place = createFirstRefreshChanges(stored, rules, lastVisitAt);
    return { status: 'visited', reason: 'imported', lastVisitAt, visits: 1, ...place };
  }

  private parsePendingLine(crawler: Crawler, line: string): PendingLine | string {
    const fields = line.trim().split(/\s+/);
    if (fields.length !== 3) return `expected "URL realm state", got ${JSON.stringify(line.slice(0, 200))}`;
    const [rawUrl, realm, stateText] = fields as [string, string, string];
    const { name, context } = crawler;
    if (realm !== name && realm !== encodeURIComponent(name))
      return `the realm ${JSON.stringify(realm.slice(0, 200))} does not belong to this crawler, whose realm is ${encodeURIComponent(name)}`;
    const url = context.canonicalize(rawUrl);
    if (!url) return `${JSON.stringify(rawUrl.slice(0, 200))} is not a URL with a host`;
    const verdict = context.policy.judge({ url, discoveredVia: 'root', hops: 0 });
    const { reason, detail } = verdict;
    if (reason === 'protocol-not-allowed') return `${JSON.stringify(rawUrl.slice(0, 200))}: ${detail}`;
    if (!PENDING_STATE.test(stateText))
      return `the state ${JSON.stringify(stateText)} is neither 0, 2 nor a Unix time of 9 or 10 digits (from March 1973)`;
    const state = Number(stateText);
    if (isInTheFuture(state, this.services.clock.now())) return `the state ${stateText} is a time in the future`;
    const base = {
      crawler: crawler.name,
      url: url.href,
      key: computeUrlKey(url.href),
      hostKey: getHostKey(url),
      hops: 1,
      redirects: 0,
    };
    return {
      state,
      schedule: toPageSchedule(verdict),
      url: {
        ...base,
        source: 3,
        status: 'waiting',
        reason: 'imported',
        discoveredVia: 'link',
        dueAt: this.services.clock.now(),
      },
    };
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
    const tracked = retryUntilDone('clearing URLs', work, this.services)
      .catch((error: unknown) =>
        this.services.log.error('clearing URLs failed and will continue after a restart', { error: String(error) }),
      )
      .finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
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

/**
 * The state that a pending file gives to a URL: 2 for an error, the Unix time of the last visit if indexed, 0 for any
 * other URL that will be visited. Undefined for a URL that is only recorded, because an import would queue it.
 */
function toPendingState(state: UrlState): number | undefined {
  if (state.status === 'error' || state.status === 'removed') return 2;
  const isIndexed = state.stamp !== undefined || (state.status === 'visited' && state.reason === 'imported');
  if (isIndexed && state.lastVisitAt !== undefined) return Math.floor(state.lastVisitAt / 1000);
  return state.source === undefined ? undefined : 0;
}

const isInTheFuture = (unixTime: number, now: Instant): boolean =>
  instant(unixTime * 1000) > later(now, MAX_CLOCK_SKEW);
