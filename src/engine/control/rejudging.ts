/**
 * Applies a configuration change to the stored URLs: each is judged with the same policy that the crawl uses. The
 * preview counts what would change and changes nothing. Applying the change runs in the background at a limited pace
 * and can be resumed.
 */

import { decideDisposition } from '../../domain/crawl/disposition.js';
import { createRescheduleDisposition } from '../../domain/crawl/revisit.js';
import { type Disposition } from '../../domain/crawl/state-changes.js';
import { POLICY_STATUSES, type UrlState } from '../../domain/crawl/url-state.js';
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

const PAGE_SIZE = 1_000;
const MAX_SAMPLES = 20;
const MAX_HOSTS = 1_000;
const RETRY_DELAY = seconds(1);
/** If a larger share of a crawler's documents would be deleted, applying the change requires confirmation. */
const CONFIRMATION_THRESHOLD = 0.1;

/** Reasons for `excluded` that resulted from a visit: a rule change alone does not revoke them. */
const REASONS_FROM_VISITS: ReadonlySet<string> = new Set([
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
    const counters = names.map((name) => new PreviewCounter(name));
    let judged = 0;
    const createReport = (done: boolean): PreviewReport => {
      const crawlers = counters.map((counter) => counter.toView());
      const largeDeletions = crawlers.filter(
        (view) => view.documentsDeleted.count > CONFIRMATION_THRESHOLD * view.indexed,
      );
      return { crawlers, judged, total, done, needsConfirmation: largeDeletions.map((view) => view.crawler) };
    };
    for (const [i, name] of names.entries()) {
      for await (const states of this.readPages(name, 0)) {
        for (const state of states) counters[i]!.add(state, (await this.judge(contexts.get(name)!, state)).verdict);
        judged += states.length;
        yield createReport(false);
      }
    }
    yield createReport(true);
  }

  /** Judges every stored URL of the crawler again. After a store failure or a restart, it resumes where it left off. */
  async apply(crawler: Crawler, signal: AbortSignal): Promise<void> {
    // The visit of a URL in flight began under the previous configuration, which still applies to it.
    const deferred: UrlState[] = crawler.urlsInFlight;
    const work = () => this.resume(crawler, deferred, signal);
    await retryUntilDone(`judging the stored URLs of ${crawler.name} again`, work, this.services, signal);
  }

  /** @param deferred URLs in flight, which are judged once their visit has ended */
  private async resume(crawler: Crawler, deferred: UrlState[], signal: AbortSignal): Promise<void> {
    const setting = getProgressSettingName(crawler.name);
    const start = Number((await this.services.store.getSetting(setting)) ?? 0);
    await this.services.store.putSetting(setting, String(start));
    for await (const states of this.readPages(crawler.name, start)) {
      const isDone = await Promise.all(states.map((state) => this.applyToUrl(crawler, state)));
      if (signal.aborted) return; // the stored progress now belongs to the next run
      deferred.push(...states.filter((_, i) => isDone[i] === false));
      await this.services.store.putSetting(setting, String(states.at(-1)!.id));
    }
    while (deferred.length > 0 && !signal.aborted) {
      const [state] = await this.services.store.get([deferred[0]!.id]);
      const isDone = !state || (!crawler.isInFlight(state) && (await this.applyToUrl(crawler, state)));
      if (isDone) deferred.shift();
      else await this.services.clock.sleep(RETRY_DELAY, signal);
    }
    if (!signal.aborted) await this.services.store.putSetting(setting, undefined);
  }

  async isUnfinished(crawler: string): Promise<boolean> {
    return (await this.services.store.getSetting(getProgressSettingName(crawler))) !== undefined;
  }

  private async applyToUrl(crawler: Crawler, state: UrlState): Promise<boolean> {
    const needsChange = (await this.decide(crawler.context, state)) !== undefined;
    return needsChange ? crawler.decide(state, { do: 'judge' }) : true;
  }

  /** Resolves to undefined if nothing changes for this URL. */
  async decide(context: CrawlContext, state: UrlState): Promise<Disposition | undefined> {
    // If a link to it is found, it is judged by the rules then in force.
    if (state.status === 'removed') return undefined;
    const { verdict, root } = await this.judge(context, state);
    const now = this.services.clock.now();
    if (verdict.accepted) {
      const disposition =
        decideReadmission(state, verdict, now) ??
        decideOnRemoval(state, verdict) ??
        decideOnIndexing(state, verdict, now) ??
        decideMove(state, verdict) ??
        decideOnCanonicalChange(context, state, now) ??
        this.decideReschedule(context, state, verdict, now);
      return root ? assignRoot(root, disposition) : disposition;
    }
    // A URL that is no longer left to another crawler still has its document.
    const wasLeftToAnother = state.status === 'elsewhere' && !verdict.keepDocument;
    // A stored URL whose server record is gone is removed by its own visit once it is due. A URL left to another
    // crawler is never due.
    const waitsUntilDue = verdict.layer === 'server-records' && !wasLeftToAnother;
    if (waitsUntilDue || (POLICY_STATUSES.has(state.status) && !wasLeftToAnother)) return undefined;
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
    if (POLICY_STATUSES.has(state.status) || state.status === 'waiting') return undefined;
    const rules = toDispositionRules(context.definition, toPageSchedule(verdict), this.services.cron, now);
    return createRescheduleDisposition(state, rules, now);
  }

  /** The result includes the root on whose site the URL is if the URL was first found through a different one. */
  private async judge(context: CrawlContext, state: UrlState): Promise<{ verdict: Verdict; root?: RootContext }> {
    // A URL first found through a link may have become a root since, or become one under the previewed configuration.
    const ownRoot = context.roots.get(state.url);
    const firstRoot = ownRoot ?? (state.root === undefined ? undefined : findKnownRoot(context, state.root));
    const verdict = await this.judgeUnderRoot(firstRoot, context, state);
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
      const page = await this.services.store.list({ crawler }, last, PAGE_SIZE);
      if (page.length > 0) yield page;
      last = page.at(-1)?.id ?? last;
      if (page.length < PAGE_SIZE) return;
    }
  }
}

/** The site of the root that led to the URL has changed: assigns the URL to the root on whose site it is now. */
const assignRoot = (
  { url }: RootContext,
  disposition: Disposition = { remove: false, changes: {}, changed: false },
): Disposition => ({ ...disposition, changes: { ...disposition.changes, root: url.href } });

/** Brings back a URL that the rules excluded and now accept. */
function decideReadmission(state: UrlState, verdict: Verdict, now: UrlState['dueAt']): Disposition | undefined {
  if (!POLICY_STATUSES.has(state.status) || REASONS_FROM_VISITS.has(state.reason)) return undefined;
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
function decideOnCanonicalChange(
  { canonicalize }: CrawlContext,
  state: UrlState,
  now: UrlState['dueAt'],
): Disposition | undefined {
  if (state.status !== 'indexed' || state.dueAt <= now || canonicalize(state.url)?.href === state.url) return undefined;
  return { remove: false, changes: { source: REFRESH, dueAt: now }, changed: false };
}

/** Deletes a document that the rules no longer admit to the index, although its page may still be read for links. */
function decideOnRemoval(state: UrlState, verdict: Verdict): Disposition | undefined {
  if (!leavesIndex(state, verdict)) return undefined;
  const reason = getUnindexingReason(verdict);
  const changes = { status: 'visited', reason, stamp: null, simhash: null } as const;
  return { remove: false, changes, order: { kind: 'delete', reason }, changed: true };
}

const leavesIndex = (state: UrlState, verdict: Verdict): boolean =>
  state.stamp !== undefined && !POLICY_STATUSES.has(state.status) && !verdict.effects.index;

const getUnindexingReason = (verdict: Verdict) => (verdict.effects.follow ? 'links-only' : 'no-index');

/** A page that the rules kept out of the index and now admit need not wait for its next refresh. */
function decideOnIndexing(state: UrlState, verdict: Verdict, now: UrlState['dueAt']): Disposition | undefined {
  const wasKeptOut = state.status === 'visited' && (state.reason === 'links-only' || state.reason === 'no-index');
  if (!wasKeptOut || !verdict.effects.index || state.discoveredVia === 'robots') return undefined;
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
  if (state.discoveredVia === 'root') return undefined; // an operator has chosen its priority
  const source = assignSource(state.discoveredVia, verdict.effects, verdict.effects.priorityShift);
  return source === state.source ? undefined : source;
}

const getProgressSettingName = (crawler: string): string => `rejudging/${crawler}`;

class PreviewCounter {
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
    const isExcluded = POLICY_STATUSES.has(state.status);
    if (verdict.accepted) {
      const isReadmitted = isExcluded && !REASONS_FROM_VISITS.has(state.reason);
      // A URL that was left to another crawler still has its document, which its next visit may remove from the index.
      const isUnindexed = isReadmitted
        ? state.stamp !== undefined && !verdict.effects.index
        : leavesIndex(state, verdict);
      if (isReadmitted) this.newlyAccepted.add(state, verdict.reason);
      if (isUnindexed) this.documentsDeleted.add(state, getUnindexingReason(verdict));
      else if (!isReadmitted && findNewSource(state, verdict) !== undefined)
        this.changedSource.add(state, verdict.reason);
      return;
    }
    if (verdict.keepDocument) {
      if (state.status !== 'elsewhere') this.keptElsewhere.add(state, verdict.reason);
      return;
    }
    if (!isExcluded) this.excluded.add(state, verdict.reason);
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
    if (this.byHost.has(state.hostKey) || this.byHost.size < MAX_HOSTS) {
      this.byHost.set(state.hostKey, (this.byHost.get(state.hostKey) ?? 0) + 1);
    }
    if (this.samples.length < MAX_SAMPLES) this.samples.push({ url: state.url, reason });
  }

  toView(): PreviewGroup {
    return { count: this.count, byHost: Object.fromEntries(this.byHost), samples: [...this.samples] };
  }
}
