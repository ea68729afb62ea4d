import { computeRefreshRange, type DispositionRules } from '../../../domain/crawl/revisit.js';
import type { StateChanges, UrlState } from '../../../domain/crawl/url-state.js';
import { REFRESH } from '../../../domain/frontier/sources.js';
import { limitPrice, updatePrice } from '../../../domain/refresh/visit-price.js';
import { between, type Duration, type Instant } from '../../../domain/time/units.js';
import type { Host } from './hosts.js';

export interface RefreshedUrl {
  readonly state: UrlState;
  readonly rules: DispositionRules;
  /** What the visit changed. */
  readonly changes: StateChanges;
}

/** Computes the new visit price of the host from this visit; undefined if smart refresh did not schedule the visit. */
export function computeVisitPrice(
  { state, rules, changes }: RefreshedUrl,
  host: Host,
  now: Instant,
): Duration | undefined {
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
