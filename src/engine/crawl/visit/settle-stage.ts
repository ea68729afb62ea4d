/** The end of a visit: its disposition, its entry in the URL history, and its settlement. */
import { computeRefreshRange, type DispositionRules } from '../../../domain/crawl/revisit.js';
import type { VisitOutcome } from '../../../domain/crawl/state-changes.js';
import type { StateChanges, UrlState } from '../../../domain/crawl/url-state.js';
import {
  appendBackOffDetail,
  appendCutLinksDetail,
  appendNotificationDetail,
  appendSessionDetail,
  appendTermsDetail,
  createNotIndexedDetail,
  createRedirectDetail,
  type NotificationProtocol,
} from '../../../domain/explain/visit-detail.js';
import { type ErrorCode, getDefaultReactions } from '../../../domain/fetch/error-codes.js';
import { REFRESH } from '../../../domain/frontier/sources.js';
import { isStart } from '../../../domain/policy/site-mode.js';
import { limitPrice, updatePrice } from '../../../domain/refresh/visit-price.js';
import { NEEDS_RENDERING } from '../../../domain/render/needs-rendering.js';
import { between, type Duration, type Instant, milliseconds } from '../../../domain/time/units.js';
import { toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Visit } from '../../ports/frontier-store.js';
import type { PageOutcome, PageResult } from '../../ports/page-task.js';
import type { Fence } from '../../ports/partitions.js';
import type { Ports } from '../../ports/ports.js';
import type { Tracing } from '../../ports/tracing.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import type { ClaimedChanges } from '../evidence/claimed-changes.js';
import type { HostTroubles } from '../evidence/host-trouble.js';
import type { Redirects } from '../evidence/redirects.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { RepeatedContent } from '../evidence/repeated-content.js';
import type { SiteReports } from '../evidence/site-reports.js';
import type { Gates } from '../frontier/gates.js';
import type { Host, Hosts } from '../hosts/hosts.js';
import type { SiteHealth } from '../hosts/site-health.js';
import type { Tally } from '../load/metrics.js';
import type { Quotas } from '../load/quotas.js';
import type { Decision, SettledUrl } from '../outcome/decision.js';
import type { InDoubtDeliveries } from '../outcome/in-doubt-deliveries.js';
import type { UrlSettlement } from '../outcome/url-settlement.js';
import { toDispositionRules } from './disposition-rules.js';
import type { Documents } from './documents.js';

export interface SettleServices extends Pick<Ports, 'clock' | 'cron'> {
  readonly hosts: Pick<Hosts, 'setVisitPrice'>;
  readonly inDoubt: Pick<InDoubtDeliveries, 'decide'>;
  readonly health: Pick<SiteHealth, 'recordVisit'>;
  readonly events: Pick<CrawlEvents, 'emit'>;
  readonly tracing: Pick<Tracing, 'tracePart'>;
  readonly quotas: Pick<Quotas, 'noteVisit'>;
}

/** The crawler whose visit ends. */
export interface SettleTarget {
  readonly context: CrawlContext;
  readonly settlement: UrlSettlement;
  readonly documents: Documents;
  readonly troubles: Pick<HostTroubles, 'noteResponse'>;
  readonly rediscovery: Pick<Rediscovery, 'selectLinksToRemember'>;
  readonly claims: Pick<ClaimedChanges, 'isOnTrial' | 'recordVisit'>;
  readonly redirects: Pick<Redirects, 'judge'>;
  readonly repeated: Pick<RepeatedContent, 'isOn' | 'note'>;
  readonly tally: Tally;
  readonly reports: Pick<SiteReports, 'take'>;
  readonly gates: Pick<Gates, 'wasHeldBackUntilNow'>;
  /** When the current policy took effect. */
  readonly current: { readonly policySince: Instant };
}

/** A completed visit that is to be settled. */
export interface CompletedVisit {
  readonly state: UrlState;
  readonly host: Host;
  readonly result: PageResult;
  /** The fence under which the visit began. */
  readonly fence: Fence;
  readonly startedAt: Instant;
  /** The time until which the host would have rested if no one had requested the visit. */
  readonly restedUntil: Instant | undefined;
  /** The document of the same site with the same text, if there is one. */
  readonly original: UrlState | undefined;
}

export class SettleStage {
  constructor(
    private readonly services: SettleServices,
    private readonly target: SettleTarget,
  ) {}

  async settle(visit: CompletedVisit): Promise<SettledUrl> {
    const { tracing } = this.services;
    const decision = await tracing.tracePart('decide', () => this.decide(visit));
    return tracing.tracePart('settle', () => this.target.settlement.settle(decision));
  }

  private async decide({ state, host, fence, startedAt, restedUntil, ...visited }: CompletedVisit): Promise<Decision> {
    const { context, claims } = this.target;
    const isRedirect = visited.result.outcome.kind === 'redirect';
    const result = isRedirect ? await this.target.redirects.judge(state, visited.result) : visited.result;
    const outcome = await this.target.documents.decideOutcome(state, result.outcome, visited.original);
    const now = this.services.clock.now();
    const rules = {
      ...toDispositionRules(context.definition, result.schedule, this.services.cron, now),
      visitPrice: host.visitPrice,
      isStart: isStart(context.roots.get(state.url)),
    };
    await this.noteResponse(state, result, startedAt);
    if (this.target.repeated.isOn) await this.target.repeated.note(state, result);
    const disposition = this.services.inDoubt.decide(state, outcome, rules, now);
    // A visit that was delayed by a schedule says nothing about what the host can serve, as long as the next opening is
    // long enough.
    const isInformative = !this.target.gates.wasHeldBackUntilNow(host.key, state.dueAt, now);
    const price = isInformative
      ? computeVisitPrice({ state, rules, changes: disposition.changes }, host, now)
      : undefined;
    if (price !== undefined) {
      this.services.hosts.setVisitPrice(host, price);
      this.target.tally.recordPrice(price);
    }
    if (claims.isOnTrial(state))
      await claims.recordVisit(state, outcome.kind === 'error' ? undefined : disposition.changed);
    const changed = (disposition.changes.changes ?? state.changes) > state.changes;
    const visit = createVisitRecord(
      result,
      outcome,
      { changed, restedUntil, protocol: this.target.reports.take(state) },
      now,
    );
    this.countVisit(state, result, visit);
    const document = result.outcome.kind === 'document' ? result.outcome.document : undefined;
    const changes = { ...disposition.changes, lastStatus: result.status ?? null };
    // The page's links were judged by the previous policy: with this time recorded, its next visit reads them again.
    if (changes.lastVisitAt !== undefined && startedAt <= this.target.current.policySince)
      changes.lastVisitAt = startedAt;
    return {
      state,
      fence,
      disposition: { ...disposition, changes },
      document,
      visit,
      links: this.target.rediscovery.selectLinksToRemember(state, result),
      startedAt,
      movedTo: result.outcome.kind === 'redirect' && result.outcome.proven ? result.outcome.target : undefined,
      heldChange: result.outcome.kind === 'error' ? result.outcome.held : undefined,
      byOperator:
        result.believed === true || (result.outcome.kind === 'excluded' && result.outcome.byConfiguration === true),
    };
  }

  private noteResponse(state: UrlState, { outcome, status }: PageResult, startedAt: Instant): Promise<void> {
    const { id, url, hostKey, discoveredVia, firstSeenAt } = state;
    return this.target.troubles.noteResponse({
      id,
      url,
      hostKey,
      discoveredVia,
      firstSeenAt,
      visitedBefore: state.lastVisitAt !== undefined,
      startedAt,
      outcome: outcome.kind,
      status,
      code: outcome.kind === 'error' ? outcome.code : undefined,
      waits: outcome.kind === 'redirect' && outcome.waits === true,
    });
  }

  /** Counts a visit in the crawler's metrics and the site's health, and emits an event. */
  private countVisit(state: UrlState, result: PageResult, visit: Visit): void {
    const { tally } = this.target;
    const { outcome: pageOutcome } = result;
    const isSitemapMissing = pageOutcome.kind === 'error' && isMissingGuessedSitemap(state, pageOutcome.code);
    const failed = pageOutcome.kind === 'error' && !isSitemapMissing;
    const countedOutcome = isSitemapMissing ? NO_SITEMAP : visit.outcome;
    tally.countVisit(countedOutcome, failed, result.duration, result.bytes);
    if (pageOutcome.kind === 'document' && pageOutcome.unread) tally.countUnread(pageOutcome.unread.refused);
    if (pageOutcome.kind === 'document' && pageOutcome.shortfall) tally.countUnread(pageOutcome.shortfall.reason);
    if (pageOutcome.kind === 'document' && pageOutcome.needsRendering) tally.needRendering++;
    if (pageOutcome.kind === 'document' && pageOutcome.isMostlyCut) tally.mostlyCut++;
    if (result.rendering) tally.countRendering(result.rendering);
    const rendering = result.rendering?.time ?? milliseconds(0);
    this.services.quotas.noteVisit(state.crawler, { bytes: result.bytes, rendering });
    this.services.health.recordVisit(state.hostKey, { outcome: countedOutcome, failed, duration: result.duration });
    const { crawler, url } = state;
    const rootFailure = state.discoveredVia === 'root' ? { rootFailed: failed } : undefined;
    const { outcome, status, bytes, changed, duration: durationMs } = visit;
    this.services.events.emit({
      ...{ type: 'visit', crawler, url, outcome, status, bytes, changed, durationMs },
      ...rootFailure,
    });
  }
}

/**
 * The outcome counted for a visit that found no sitemap in the usual place: since no one had named that sitemap,
 * nothing failed.
 */
const NO_SITEMAP = 'no-sitemap';

const isMissingGuessedSitemap = ({ url, discoveredVia }: UrlState, code: ErrorCode): boolean =>
  discoveredVia === 'robots' && getDefaultReactions(code).isMissing === true && toCrawlUrl(url).path === '/sitemap.xml';

interface VisitFacts {
  readonly changed: boolean;
  readonly restedUntil: Instant | undefined;
  /** The channel through which the site requested the visit, if it did. */
  readonly protocol: NotificationProtocol | undefined;
}

/** Creates a visit's entry in the URL history. */
function createVisitRecord(
  result: PageResult,
  outcome: VisitOutcome,
  { changed, restedUntil, protocol }: VisitFacts,
  at: Visit['at'],
): Visit {
  const base =
    outcome.kind === 'document' && !outcome.index
      ? (findExclusionReason(result.outcome) ?? createNotIndexedDetail(outcome.reason, outcome.related))
      : findDetail(result.outcome);
  const cutLinks = result.outcome.kind === 'document' ? result.outcome.cutLinks : undefined;
  const terms = result.outcome.kind === 'document' ? result.outcome.terms : undefined;
  const withTerms = terms === undefined ? base : appendTermsDetail(base, terms);
  const withCutLinks = cutLinks ? appendCutLinksDetail(withTerms, cutLinks) : withTerms;
  const withSession = result.sent ? appendSessionDetail(withCutLinks, result.sent) : withCutLinks;
  const detail = protocol === undefined ? withSession : appendNotificationDetail(withSession, protocol);
  const outcomeName =
    outcome.kind === 'error' ? outcome.code : outcome.kind === 'excluded' ? outcome.reason : outcome.kind;
  return {
    at,
    status: result.status,
    outcome: outcomeName,
    detail: restedUntil === undefined ? detail : appendBackOffDetail(detail, between(at, restedUntil)),
    duration: result.duration,
    bytes: result.bytes,
    changed,
  };
}

const findExclusionReason = (outcome: PageOutcome): string | undefined =>
  outcome.kind === 'document' ? outcome.leftOut : undefined;

function findDetail(outcome: PageOutcome): string | undefined {
  if (outcome.kind === 'error' || outcome.kind === 'excluded') return outcome.detail;
  if (outcome.kind === 'redirect') return createRedirectDetail(outcome.target, outcome.refused);
  if (outcome.kind === 'document' && outcome.unread) return `${outcome.unread.refused}: ${outcome.unread.detail}`;
  if (outcome.kind === 'document' && outcome.shortfall)
    return `${outcome.shortfall.reason}: ${outcome.shortfall.detail}`;
  if (outcome.kind === 'document' && outcome.renderFailure)
    return `${outcome.renderFailure.code}: ${outcome.renderFailure.detail}`;
  if (outcome.kind === 'document' && outcome.needsRendering) return `${NEEDS_RENDERING}: ${outcome.needsRendering}`;
  return undefined;
}

interface RefreshedUrl {
  readonly state: UrlState;
  readonly rules: DispositionRules;
  /** What the visit changed. */
  readonly changes: StateChanges;
}

/** Computes the new visit price of the host from this visit; undefined if smart refresh did not schedule the visit. */
function computeVisitPrice({ state, rules, changes }: RefreshedUrl, host: Host, now: Instant): Duration | undefined {
  const { lastVisitAt, dueAt } = state;
  const isSmartRefresh = rules.refresh.smart && rules.schedule.period === undefined && state.source === REFRESH;
  // An outage says nothing about how much the host can serve.
  if (!isSmartRefresh || lastVisitAt === undefined || changes.dueAt === undefined || changes.status === 'error')
    return undefined;
  return updatePrice(limitPrice(host.visitPrice, computeRefreshRange(rules)), {
    lastVisitAt,
    dueAt,
    now,
    nextInterval: between(now, changes.dueAt),
    timeSincePriced: host.pricedAt === undefined ? undefined : between(host.pricedAt, now),
  });
}
