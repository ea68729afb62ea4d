/**
 * What a person can do with a crawler's URLs: clear them, refresh them, forget errors, and export or import FDSE's
 * pending file.
 */
import { scheduleFirstRefresh } from '../../domain/crawl/revisit.js';
import type { StateChanges, UrlState } from '../../domain/crawl/url-state.js';
import { toImmediateQueuePlace } from '../../domain/frontier/sources.js';
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
import { CLEARED } from './url-commands.js';

const PAGE = 1_000;
const RETRY = seconds(1);

/** Smaller numbers are not times, but typing errors or another program's states. */
const PENDING_STATE = /^(?:0|2|[1-9]\d{8,9})$/;

/** How far two machines' clocks may differ. */
const CLOCK_SKEW = days(1);

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
      this.runInBackground(() => this.retryRemoval(crawler, states));
    }
    return count;
  }

  /** After a restart, resumes removing what `clear` had marked. */
  async resume(crawler: Crawler): Promise<void> {
    for await (const states of this.readPages({ crawler: crawler.name, pendingDeletion: true })) {
      const cleared = states.filter((state) => state.pendingDeletion === CLEARED);
      if (cleared.length > 0) this.runInBackground(() => this.retryRemoval(crawler, cleared));
    }
  }

  async refresh(crawler: Crawler, { url: one, ...choice }: RefreshRequest): Promise<number> {
    const now = this.services.clock.now();
    if (one === undefined) {
      const count = await this.services.store.makeDue({ ...choice, crawler: crawler.name }, now, 0);
      await crawler.sweep(now);
      await crawler.visitRestingHosts();
      this.services.nodes.notifyAllDue();
      return count;
    }
    const url = crawler.context.canonicalize(one);
    const state = url && (await this.services.store.find(crawler.name, url.href));
    if (!state)
      throw new NotFound(
        `${stripUserInfo(one)} is not known to crawler ${crawler.name}; submit it as a root to crawl it`,
      );
    const place = toImmediateQueuePlace(state, now);
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

  /** An unchanged page reports no links, and yet forgotten URLs must be found on it again. */
  private async requestLinkRereading(crawler: Crawler): Promise<void> {
    crawler.rereadLinksSince(this.services.clock.now());
    await storeRereading(crawler, this.services.store);
    await this.services.nodes.notifyControlChanged();
  }

  async *exportPendingUrls(crawler: Crawler): AsyncIterable<string> {
    const realm = encodeURIComponent(crawler.name);
    let after: string | undefined;
    for (;;) {
      const page = await this.services.store.listByUrl(crawler.name, after, PAGE);
      for (const state of page) {
        const number = toPendingState(state);
        if (number !== undefined) yield `${state.url} ${realm} ${number}\n`;
      }
      after = page.at(-1)?.url;
      if (after === undefined || page.length < PAGE) return;
    }
  }

  async importPendingUrls(
    crawler: Crawler,
    written: Iterable<TextLine>,
  ): Promise<{ imported: number; known: number; problems: readonly LineProblem[] }> {
    const problems: LineProblem[] = [];
    const lines: PendingLine[] = [];
    for (const { line, text } of written) {
      if (text.trim() === '') continue;
      const parsed = this.parsePendingLine(crawler, text);
      if (typeof parsed === 'string') problems.push({ line, problem: parsed });
      else lines.push(parsed);
    }
    let imported = 0;
    for (let i = 0; i < lines.length; i += PAGE) imported += await this.importLines(crawler, lines.slice(i, i + PAGE));
    return { imported, known: lines.length - imported, problems };
  }

  /** Resolves when the background work has ended. */
  async waitUntilSettled(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  /** A URL keeps its stored state, or else the state in the file's first line about it. */
  private async importLines(crawler: Crawler, lines: readonly PendingLine[]): Promise<number> {
    const first = new Map<string, PendingLine>();
    for (const line of lines) if (!first.has(line.url.url)) first.set(line.url.url, line);
    const stored = await this.services.store.discover([...first.values()].map(({ url }) => url));
    const visited = stored.filter(({ url }) => first.get(url)!.state !== 0);
    const changes = visited.map((state) => this.toImportedChanges(crawler, state, first.get(state.url)!));
    await this.services.store.settle(visited.map(({ id }, i) => ({ id, changes: changes[i] })));
    const waiting = stored.filter(({ url }) => first.get(url)!.state === 0);
    const due = visited.flatMap((state, i) => {
      const place = changes[i]!;
      return place.source == null ? [] : [{ ...state, source: place.source, dueAt: place.dueAt ?? state.dueAt }];
    });
    crawler.admit([...waiting, ...due]);
    return stored.length;
  }

  private toImportedChanges(crawler: Crawler, known: UrlState, { state, schedule }: PendingLine): StateChanges {
    if (state === 2) return { status: 'error', reason: 'imported', permanentError: true, source: null, dueAt: NEVER };
    const lastVisitAt = instant(state * 1000);
    const now = this.services.clock.now();
    const rules = toDispositionRules(crawler.context.definition, schedule, this.services.cron, now);
    const place = scheduleFirstRefresh(known, rules, lastVisitAt);
    return { status: 'visited', reason: 'imported', lastVisitAt, visits: 1, ...place };
  }

  private parsePendingLine(crawler: Crawler, line: string): PendingLine | string {
    const fields = line.trim().split(/\s+/);
    if (fields.length !== 3) return `expected "URL realm state", got ${JSON.stringify(line.slice(0, 200))}`;
    const [raw, realm, stateText] = fields as [string, string, string];
    const { name, context } = crawler;
    if (realm !== name && realm !== encodeURIComponent(name))
      return `the realm ${JSON.stringify(realm.slice(0, 200))} does not belong to this crawler, whose realm is ${encodeURIComponent(name)}`;
    const url = context.canonicalize(raw);
    if (!url) return `${JSON.stringify(raw.slice(0, 200))} is not a URL with a host`;
    const verdict = context.policy.judge({ url, discoveredVia: 'root', hops: 0 });
    const { reason, detail } = verdict;
    if (reason === 'protocol-not-allowed') return `${JSON.stringify(raw.slice(0, 200))}: ${detail}`;
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
      const page = await this.services.store.list(filter, last, PAGE);
      if (page.length > 0) yield page;
      last = page.at(-1)?.id ?? last;
      if (page.length < PAGE) return;
    }
  }

  private runInBackground(work: () => Promise<void>): void {
    const tracked = retryUntilDone('clearing URLs', work, this.services)
      .catch((error: unknown) =>
        this.services.log.error('clearing URLs failed; it will continue after a restart', { error: String(error) }),
      )
      .finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
  }

  /** Reads the URLs again: some may have gone since the last attempt. */
  private async retryRemoval(crawler: Crawler, marked: readonly UrlState[]): Promise<void> {
    await this.removeAll(crawler, await this.services.store.get(marked.map(({ id }) => id)));
  }

  private async removeAll(crawler: Crawler, states: readonly UrlState[]): Promise<void> {
    await Promise.all(states.map((state) => this.remove(crawler, state)));
  }

  private async remove(crawler: Crawler, marked: UrlState): Promise<void> {
    // If the URL is in flight, its visit must end first.
    while (!(await crawler.decide(marked, { do: 'clear' }))) await this.services.clock.sleep(RETRY);
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

const isInTheFuture = (unixTime: number, now: Instant): boolean => instant(unixTime * 1000) > later(now, CLOCK_SKEW);
