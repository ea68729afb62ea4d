/** The end of a visit: its disposition, its entry in the URL history, and its settlement. */
import type { UrlState } from '../../../domain/crawl/url-state.js';
import type { Instant } from '../../../domain/time/units.js';
import type { CrawlContext } from '../../page/crawl-context.js';
import type { Clock } from '../../ports/clock.js';
import type { CronSchedule } from '../../ports/cron-schedule.js';
import type { PageResult } from '../../ports/page-task.js';
import type { Fence } from '../../ports/partitions.js';
import type { Tracing } from '../../ports/tracing.js';
import type { ClaimedChanges } from '../evidence/claimed-changes.js';
import type { HostTroubles } from '../evidence/host-trouble.js';
import type { Rediscovery } from '../evidence/rediscovery.js';
import type { SiteReports } from '../evidence/site-reports.js';
import type { Gates } from '../frontier/gates.js';
import type { Host, Hosts } from '../hosts/hosts.js';
import { computeVisitPrice } from '../hosts/visit-pricing.js';
import type { Tally } from '../load/tally.js';
import type { Decision, SettledUrl } from '../outcome/decision.js';
import type { InDoubtDeliveries } from '../outcome/in-doubt-deliveries.js';
import type { UrlSettlement } from '../outcome/url-settlement.js';
import { toDispositionRules } from './disposition-rules.js';
import type { Documents } from './documents.js';
import type { VisitCounts } from './visit-counts.js';
import { createVisitRecord } from './visit-record.js';

export interface SettleServices {
  readonly clock: Clock;
  readonly hosts: Pick<Hosts, 'setVisitPrice'>;
  readonly inDoubt: Pick<InDoubtDeliveries, 'decide'>;
  readonly cron: CronSchedule;
  readonly tracing: Pick<Tracing, 'tracePart'>;
}

/** The crawler whose visit ends. */
export interface SettleTarget {
  readonly context: CrawlContext;
  readonly settlement: UrlSettlement;
  readonly documents: Documents;
  readonly troubles: Pick<HostTroubles, 'noteResponse'>;
  readonly rediscovery: Pick<Rediscovery, 'selectLinksToRemember'>;
  readonly claims: Pick<ClaimedChanges, 'isOnTrial' | 'recordVisit'>;
  readonly tally: Pick<Tally, 'recordPrice'>;
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
}

export class SettleStage {
  constructor(
    private readonly services: SettleServices,
    private readonly target: SettleTarget,
    private readonly counts: Pick<VisitCounts, 'countVisit'>,
  ) {}

  async settle(visit: CompletedVisit): Promise<SettledUrl> {
    const { tracing } = this.services;
    const decision = await tracing.tracePart('decide', () => this.decide(visit));
    return tracing.tracePart('settle', () => this.target.settlement.settle(decision));
  }

  private async decide({ state, host, result, fence, startedAt, restedUntil }: CompletedVisit): Promise<Decision> {
    const { context, claims } = this.target;
    const outcome = await this.target.documents.decideOutcome(state, result.outcome);
    const now = this.services.clock.now();
    const rules = {
      ...toDispositionRules(context.definition, result.schedule, this.services.cron, now),
      visitPrice: host.visitPrice,
    };
    await this.noteResponse(state, result, startedAt);
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
    this.counts.countVisit(state, result, visit);
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
      byOperator: result.outcome.kind === 'excluded' && result.outcome.byConfiguration === true,
    };
  }

  private noteResponse(state: UrlState, { outcome, status }: PageResult, startedAt: Instant): Promise<void> {
    const { id, url, hostKey, discoveredVia, firstSeenAt } = state;
    const code = outcome.kind === 'error' ? outcome.code : undefined;
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
      code,
    });
  }
}
