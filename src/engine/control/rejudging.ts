/**
 * Applies a configuration change to the stored URLs: each is judged with the same policy that the crawl uses. The
 * preview counts what would change and changes nothing. Applying the change runs in the background at a limited pace
 * and can be resumed.
 */

import { decideDisposition } from '../../domain/crawl/disposition.js';
import { reschedule } from '../../domain/crawl/revisit.js';
import { type Disposition } from '../../domain/crawl/state-changes.js';
import { OUTSIDE, type UrlState } from '../../domain/crawl/url-state.js';
import { assignSource, REFRESH } from '../../domain/frontier/sources.js';
import type { Reason } from '../../domain/policy/reasons.js';
import type { Candidate, RootContext, Verdict } from '../../domain/policy/verdict.js';
import { type Instant, seconds } from '../../domain/time/units.js';
import { toCrawlUrl } from '../../domain/url/crawl-url.js';
import type { Crawler } from '../crawl/crawler.js';
import { toDispositionRules } from '../crawl/visit/disposition-rules.js';
import { type CrawlContext, findKnownRoot, toStoredCandidate } from '../page/crawl-context.js';
import { toPageSchedule } from '../page/page-schedule.js';
import type { Clock } from '../ports/clock.js';
import type { CronSchedule } from '../ports/cron-schedule.js';
import type { FrontierStore } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { PageProcessor } from '../ports/page-processor.js';
import { retryUntilDone } from '../support/persistently.js';
import type { PreviewCounts, PreviewGroup, PreviewReport } from '../views/crawler-views.js';

const PAGE = 1_000;
const SAMPLES = 20;
const HOSTS_COUNTED = 1_000;
const RETRY = seconds(1);
/** If a larger share of a crawler's documents would be deleted, applying the change requires confirmation. */
const CONFIRM_SHARE = 0.1;

/** Reasons for `excluded` that resulted from a visit: a rule change alone does not revoke them. */
const VISITED_REASONS: ReadonlySet<string> = new Set([
  'robots-disallowed',
  'mime-type-excluded',
  'trap-endless-pattern',
]);

interface RejudgingServices {
  readonly store: FrontierStore;
  readonly processor: Pick<PageProcessor, 'resolve'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly cron: CronSchedule;
}

export class Rejudging {
  constructor(private readonly services: RejudgingServices) {}

  async *preview(contexts: ReadonlyMap<string, CrawlContext>): AsyncIterable<PreviewReport> {
    const names = [...contexts.keys()];
    const total = (await Promise.all(names.map((crawler) => this.services.store.count({ crawler })))).reduce(
      (a, b) => a + b,
      0,
    );
    const counts = names.map((name) => new CountingGroup(name));
    let judged = 0;
    const createReport = (done: boolean): PreviewReport => {
      const crawlers = counts.map((count) => count.toView());
      const large = crawlers.filter((count) => count.documentsDeleted.count > CONFIRM_SHARE * count.indexed);
      return { crawlers, judged, total, done, needsConfirmation: large.map((count) => count.crawler) };
    };
    for (const [i, name] of names.entries()) {
      for await (const states of this.readPages(name, 0)) {
        for (const state of states) counts[i]!.add(state, (await this.judge(contexts.get(name)!, state)).verdict);
        judged += states.length;
        yield createReport(false);
      }
    }
    yield createReport(true);
  }

  /** Judges every stored URL of the crawler again. After a store failure or a restart, it resumes where it left off. */
  async apply(crawler: Crawler, signal: AbortSignal): Promise<void> {
    // The visit of a URL in flight began under the previous configuration, which still applies to it.
    const late: UrlState[] = crawler.urlsInFlight;
    const work = () => this.resume(crawler, late, signal);
    await retryUntilDone(`judging the stored URLs of ${crawler.name} again`, work, this.services, signal);
  }

  /** @param late URLs in flight, which are judged once their visit has ended */
  private async resume(crawler: Crawler, late: UrlState[], signal: AbortSignal): Promise<void> {
    const setting = progressSettingName(crawler.name);
    const start = Number((await this.services.store.getSetting(setting)) ?? 0);
    await this.services.store.putSetting(setting, String(start));
    for await (const states of this.readPages(crawler.name, start)) {
      const decided = await Promise.all(states.map((state) => this.applyToUrl(crawler, state)));
      if (signal.aborted) return; // the stored progress now belongs to the next run
      late.push(...states.filter((_, i) => decided[i] === false));
      await this.services.store.putSetting(setting, String(states.at(-1)!.id));
    }
    while (late.length > 0 && !signal.aborted) {
      const [state] = await this.services.store.get([late[0]!.id]);
      const ended = !state || (!crawler.isInFlight(state) && (await this.applyToUrl(crawler, state)));
      if (ended) late.shift();
      else await this.services.clock.sleep(RETRY, signal);
    }
    if (!signal.aborted) await this.services.store.putSetting(setting, undefined);
  }

  async isUnfinished(crawler: string): Promise<boolean> {
    return (await this.services.store.getSetting(progressSettingName(crawler))) !== undefined;
  }

  private async applyToUrl(crawler: Crawler, state: UrlState): Promise<boolean> {
    const changes = (await this.decide(crawler.context, state)) !== undefined;
    return changes ? crawler.decide(state, { do: 'judge' }) : true;
  }

  /** Undefined if nothing changes for this URL. */
  async decide(context: CrawlContext, state: UrlState): Promise<Disposition | undefined> {
    // If a link to it is found, it is judged by the rules then in force.
    if (state.status === 'removed') return undefined;
    const { verdict, root } = await this.judge(context, state);
    const now = this.services.clock.now();
    if (verdict.accepted) {
      const disposition =
        decideReadmission(state, verdict, now) ??
        decideUnindexing(state, verdict) ??
        decideIndexing(state, verdict, now) ??
        decideMove(state, verdict) ??
        decideRename(context, state, now) ??
        this.decideReschedule(context, state, verdict, now);
      return root ? assignRoot(root, disposition) : disposition;
    }
    // A URL that is no longer left to another crawler still has its document.
    const wasLeft = state.status === 'elsewhere' && !verdict.keepDocument;
    // A stored URL whose server record is gone is removed by its own visit once it is due. A URL left to another
    // crawler is never due.
    const waitsUntilDue = verdict.layer === 'server-records' && !wasLeft;
    if (waitsUntilDue || (OUTSIDE.has(state.status) && !wasLeft)) return undefined;
    const { definition } = context;
    const outcome = {
      kind: 'excluded',
      reason: verdict.reason,
      keepDocument: verdict.keepDocument,
      removeStatus: false,
      revisit: false,
    } as const;
    return decideDisposition(
      state,
      outcome,
      { errors: definition.errors, refresh: definition.refresh, schedule: {} },
      now,
    );
  }

  private decideReschedule(
    context: CrawlContext,
    state: UrlState,
    verdict: Verdict,
    now: Instant,
  ): Disposition | undefined {
    if (OUTSIDE.has(state.status) || state.status === 'waiting') return undefined;
    const rules = toDispositionRules(context.definition, toPageSchedule(verdict), this.services.cron, now);
    return reschedule(state, rules, now);
  }

  /** The result includes the root on whose site the URL is if the URL was first found through a different one. */
  private async judge(context: CrawlContext, state: UrlState): Promise<{ verdict: Verdict; root?: RootContext }> {
    // A URL first found through a link may have become a root since, or become one under the previewed configuration.
    const own = context.roots.get(state.url);
    const first = own ?? (state.root === undefined ? undefined : findKnownRoot(context, state.root));
    const verdict = await this.judgeUnderRoot(first, context, state);
    if (verdict.accepted || (verdict.layer !== 'site-mode' && verdict.reason !== 'not-accepted')) return { verdict };
    const root = context.roots.findBySite(toCrawlUrl(state.url));
    return root ? { verdict: await this.judgeUnderRoot(root, context, state), root } : { verdict };
  }

  private async judgeUnderRoot(
    root: RootContext | undefined,
    context: CrawlContext,
    state: UrlState,
  ): Promise<Verdict> {
    const url = toCrawlUrl(state.url);
    const isRoot = root && (root.url.href === url.href || state.discoveredVia === 'root');
    const candidate: Candidate = { ...toStoredCandidate(state, url, root), discoveredVia: isRoot ? 'root' : 'stored' };
    const verdict = context.policy.judge(candidate);
    if (!verdict.needsAddress) return verdict;
    const address = await this.services.processor.resolve(url.host);
    return address === undefined ? verdict : context.policy.judge({ ...candidate, address });
  }

  private async *readPages(crawler: string, start: number): AsyncIterable<UrlState[]> {
    let last = start;
    for (;;) {
      const page = await this.services.store.list({ crawler }, last, PAGE);
      if (page.length > 0) yield page;
      last = page.at(-1)?.id ?? last;
      if (page.length < PAGE) return;
    }
  }
}

/** The site of the root that led to the URL has changed: assigns the URL to the root on whose site it is now. */
const assignRoot = (
  { url }: RootContext,
  rest: Disposition = { remove: false, changes: {}, changed: false },
): Disposition => ({ ...rest, changes: { ...rest.changes, root: url.href } });

/** Brings back a URL that the rules excluded and now accept. */
function decideReadmission(state: UrlState, verdict: Verdict, now: UrlState['dueAt']): Disposition | undefined {
  if (!OUTSIDE.has(state.status) || VISITED_REASONS.has(state.reason)) return undefined;
  const source = assignSource(
    state.discoveredVia === 'robots' ? 'sitemap' : state.discoveredVia,
    verdict.effects,
    verdict.effects.priorityShift,
  );
  const status = state.stamp === undefined ? 'waiting' : 'indexed';
  return {
    remove: false,
    changes: { status, reason: 'configuration-changed', source, dueAt: now, permanentError: false },
    changed: false,
  };
}

/** A page whose canonical URL is now a different one is visited, and gives way to it. */
function decideRename(
  { canonicalize }: CrawlContext,
  state: UrlState,
  now: UrlState['dueAt'],
): Disposition | undefined {
  if (state.status !== 'indexed' || state.dueAt <= now || canonicalize(state.url)?.href === state.url) return undefined;
  return { remove: false, changes: { source: REFRESH, dueAt: now }, changed: false };
}

/** Deletes a document that the rules no longer admit to the index, although its page may still be read for links. */
function decideUnindexing(state: UrlState, verdict: Verdict): Disposition | undefined {
  if (!leavesIndex(state, verdict)) return undefined;
  const reason = getReasonOutOfIndex(verdict);
  const changes = { status: 'visited', reason, stamp: null, simhash: null } as const;
  return { remove: false, changes, order: { kind: 'delete', reason }, changed: true };
}

const leavesIndex = (state: UrlState, verdict: Verdict): boolean =>
  state.stamp !== undefined && !OUTSIDE.has(state.status) && !verdict.effects.index;

const getReasonOutOfIndex = (verdict: Verdict) => (verdict.effects.follow ? 'links-only' : 'no-index');

/** A page that the rules kept out of the index and now admit need not wait for its next refresh. */
function decideIndexing(state: UrlState, verdict: Verdict, now: UrlState['dueAt']): Disposition | undefined {
  const keptOut = state.status === 'visited' && (state.reason === 'links-only' || state.reason === 'no-index');
  if (!keptOut || !verdict.effects.index || state.discoveredVia === 'robots') return undefined;
  return { remove: false, changes: { source: REFRESH, dueAt: now }, changed: false };
}

/** Moves a queued URL that belongs to a different source under the new rules. */
function decideMove(state: UrlState, verdict: Verdict): Disposition | undefined {
  const source = findNewSource(state, verdict);
  return source === undefined ? undefined : { remove: false, changes: { source }, changed: false };
}

function findNewSource(state: UrlState, verdict: Verdict) {
  if (
    state.status !== 'waiting' ||
    state.source === undefined ||
    state.source === REFRESH ||
    state.discoveredVia === 'robots'
  )
    return undefined;
  if (state.discoveredVia === 'root') return undefined; // a person has chosen its priority
  const source = assignSource(state.discoveredVia, verdict.effects, verdict.effects.priorityShift);
  return source === state.source ? undefined : source;
}

const progressSettingName = (crawler: string): string => `rejudging/${crawler}`;

class CountingGroup {
  private indexed = 0;
  private readonly newlyAccepted = new Group();
  private readonly excluded = new Group();
  private readonly keptElsewhere = new Group();
  private readonly documentsDeleted = new Group();
  private readonly changedSource = new Group();

  constructor(private readonly crawler: string) {}

  add(state: UrlState, verdict: Verdict): void {
    if (state.status === 'removed') return;
    if (state.stamp !== undefined) this.indexed++;
    const outside = OUTSIDE.has(state.status);
    if (verdict.accepted) {
      const returns = outside && !VISITED_REASONS.has(state.reason);
      // A URL that was left to another crawler still has its document, which its next visit may remove from the index.
      const leaves = returns ? state.stamp !== undefined && !verdict.effects.index : leavesIndex(state, verdict);
      if (returns) this.newlyAccepted.add(state, verdict.reason);
      if (leaves) this.documentsDeleted.add(state, getReasonOutOfIndex(verdict));
      else if (!returns && findNewSource(state, verdict) !== undefined) this.changedSource.add(state, verdict.reason);
      return;
    }
    if (verdict.keepDocument) {
      if (state.status !== 'elsewhere') this.keptElsewhere.add(state, verdict.reason);
      return;
    }
    if (!outside) this.excluded.add(state, verdict.reason);
    if (state.stamp !== undefined) this.documentsDeleted.add(state, verdict.reason);
  }

  toView(): PreviewCounts {
    const { crawler, indexed, newlyAccepted, excluded, keptElsewhere, documentsDeleted, changedSource } = this;
    return {
      crawler,
      indexed,
      newlyAccepted: newlyAccepted.toView(),
      excluded: excluded.toView(),
      keptElsewhere: keptElsewhere.toView(),
      documentsDeleted: documentsDeleted.toView(),
      changedSource: changedSource.toView(),
    };
  }
}

class Group {
  private count = 0;
  private readonly byHost = new Map<string, number>();
  private readonly samples: { url: string; reason: Reason }[] = [];

  add(state: UrlState, reason: Reason): void {
    this.count++;
    if (this.byHost.has(state.hostKey) || this.byHost.size < HOSTS_COUNTED) {
      this.byHost.set(state.hostKey, (this.byHost.get(state.hostKey) ?? 0) + 1);
    }
    if (this.samples.length < SAMPLES) this.samples.push({ url: state.url, reason });
  }

  toView(): PreviewGroup {
    return { count: this.count, byHost: Object.fromEntries(this.byHost), samples: [...this.samples] };
  }
}
