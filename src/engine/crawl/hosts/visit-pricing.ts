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

/**
 * The price of a visit to the host from now on, according to this one; undefined if smart refresh did not schedule this
 * visit.
 */
export function computeVisitPrice(
  { state, rules, changes }: RefreshedUrl,
  host: Host,
  now: Instant,
): Duration | undefined {
  const { lastVisitAt, dueAt } = state;
  const timed = rules.refresh.smart && rules.schedule.period === undefined && state.source === REFRESH;
  // An outage says nothing about how much the host can serve.
  if (!timed || lastVisitAt === undefined || changes.dueAt === undefined || changes.status === 'error')
    return undefined;
  return updatePrice(limitPrice(host.visitPrice, computeRefreshRange(rules)), {
    lastVisitAt,
    dueAt,
    now,
    next: between(now, changes.dueAt),
    sincePriced: host.pricedAt === undefined ? undefined : between(host.pricedAt, now),
  });
}
