/** Exports and imports FDSE's pending file, which lists the URLs of a crawler with their states. */
import { createAdoptionChanges } from '../../domain/crawl/commands.js';
import { createFirstRefreshChanges, toVisitSchedule, type VisitSchedule } from '../../domain/crawl/revisit.js';
import type { StateChanges, UrlState } from '../../domain/crawl/url-state.js';
import { days, type Instant, instant, after as later, NEVER } from '../../domain/time/units.js';
import type { CrawlUrl } from '../../domain/url/crawl-url.js';
import type { TextLine } from '../../domain/url/url-list.js';
import type { Crawler } from '../crawl/crawler.js';
import type { Crawlers } from '../crawl/crawlers.js';
import { toUnlinkedUrl } from '../crawl/outcome/unlinked-urls.js';
import { toDispositionRules } from '../crawl/visit/disposition-rules.js';
import type { NewUrl } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import { type LineProblem } from '../views/url-views.js';

const PAGE_SIZE = 1_000;

/** 0, 2 or a Unix time. Smaller numbers are not times, but typing errors or another program's states. */
const PENDING_STATE = /^(?:0|2|[1-9]\d{8,9})$/;

/** Maximum difference between the clocks of two machines. */
const MAX_CLOCK_SKEW = days(1);

interface PendingLine {
  readonly url: NewUrl;
  readonly state: number;
  readonly schedule: VisitSchedule;
}

interface PendingServices extends Pick<Ports, 'store' | 'clock' | 'cron'> {
  readonly crawlers: Pick<Crawlers, 'get'>;
}

export class PendingUrls {
  constructor(private readonly services: PendingServices) {}

  async *export(name: string): AsyncIterable<string> {
    const crawler = this.services.crawlers.get(name);
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

  async import(
    name: string,
    input: Iterable<TextLine>,
  ): Promise<{ imported: number; known: number; problems: readonly LineProblem[] }> {
    const crawler = this.services.crawlers.get(name);
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

  /** Stores new URLs whose documents another program has put into a sink; returns those that were known already. */
  async adopt(crawler: Crawler, urls: readonly CrawlUrl[]): Promise<readonly CrawlUrl[]> {
    const newUrls = urls.map((url) => toUnlinkedUrl(crawler.context, url, this.services.clock.now(), 'imported'));
    const states = await this.services.store.discover(newUrls);
    const changes = createAdoptionChanges(this.services.clock.now());
    await this.services.store.settle(states.map(({ id }) => ({ id, changes })));
    crawler.admit(states.map((state) => ({ ...state, ...changes, etag: undefined, lastModified: undefined })));
    const newHrefs = new Set(states.map(({ url }) => url));
    return urls.filter(({ href }) => !newHrefs.has(href));
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
    return {
      state,
      schedule: toVisitSchedule(verdict.effects),
      url: toUnlinkedUrl(crawler.context, url, this.services.clock.now(), 'imported'),
    };
  }
}

/**
 * The state that a pending file gives to a URL: 2 for an error, the Unix time of the last visit if indexed, 0 if it
 * waits for its first visit. Undefined for any other URL: it has been crawled and has no document, or is only recorded.
 */
function toPendingState(state: UrlState): number | undefined {
  if (state.status === 'error' || state.status === 'removed') return 2;
  const isIndexed = state.stamp !== undefined || (state.status === 'visited' && state.reason === 'imported');
  if (isIndexed && state.lastVisitAt !== undefined) return Math.floor(state.lastVisitAt / 1000);
  return state.status === 'waiting' && state.source !== undefined ? 0 : undefined;
}

const isInTheFuture = (unixTime: number, now: Instant): boolean =>
  instant(unixTime * 1000) > later(now, MAX_CLOCK_SKEW);
