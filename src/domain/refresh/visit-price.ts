/**
 * The price of a visit depends on what a host can serve. Late refresh visits show that the pages need more visits than
 * politeness, source weights and the machine allow: the price rises and all intervals grow, most of all those of pages
 * that no visit can keep fresh. Timely visits show that there is room: the price falls slowly, until visits are a
 * little late. The host's politeness is the scarce resource, so every host has its own price, which all its crawlers
 * share.
 */
import { between, type Duration, days, type Instant, milliseconds } from '../time/units.js';
import type { RefreshObjective, RefreshRange } from './smart-refresh.js';

export interface RefreshVisit {
  readonly lastVisitAt: Instant;
  /** When the visit was due. */
  readonly dueAt: Instant;
  readonly now: Instant;
  /** Time until the next visit at the current price. */
  readonly nextInterval: Duration;
  /** Time since the previous visit that adjusted the price; absent if unknown. */
  readonly timeSincePriced?: Duration;
}

/** The pages most worth visiting earn 1/3.3509 of their interval: the maximum of 1 - (1 + r) exp(-r) over r. */
const INTERVAL_IN_PRICES = 3.3509;

/**
 * The price stays unchanged when visits are late by this fraction of the interval: if none were late, some of the
 * host's capacity would go unused.
 */
const TARGET_LATENESS = 0.075;

/**
 * The limits below apply to all visits within the time that was planned between two of them, but at least a day. A
 * price shows its effect only when the next visits are due; if it moves faster, it oscillates. Also, a single bad hour
 * must not upset the schedule of all pages.
 */
const MIN_ADJUSTMENT_PERIOD = days(1);
/** If there are few visits, each counts for at most this fraction of that time. */
const MAX_VISIT_WEIGHT = 1 / 30;

/** Logarithms of the maximum factors by which the price rises and falls in that time. */
const MAX_RISE = 0.5;
const MAX_FALL = 0.2;

/** The price, as a fraction of the maximum age, at which all pages are visited at that age: no visit is worth more. */
const MAX_PRICE_SHARE: Readonly<Record<RefreshObjective, number>> = { harmonic: 1, freshness: 1 / INTERVAL_IN_PRICES };

/**
 * Limits the price to its meaningful range: from visiting pages at the minimum age to visiting all at the maximum age.
 */
export function limitPrice(price: Duration | undefined, range: RefreshRange): Duration {
  const priceAtLeastMinimum = Math.max(price ?? 0, range.minimumAge / INTERVAL_IN_PRICES);
  return milliseconds(Math.min(priceAtLeastMinimum, range.maximumAge * MAX_PRICE_SHARE[range.objective]));
}

/**
 * The price after a refresh visit. The mean ratio of elapsed time to planned time is the number of visits needed for
 * each one made; the step is doubled because most pages' intervals grow with the square root of the price. The step is
 * zero at the desired lateness and grows continuously on both sides: a jump there would make the price oscillate.
 */
export function updatePrice(price: Duration, visit: RefreshVisit): Duration {
  const { lastVisitAt, dueAt, now, nextInterval, timeSincePriced } = visit;
  const plannedInterval = between(lastVisitAt, dueAt);
  const lateness = plannedInterval > 0 ? Math.max(0, between(dueAt, now) / plannedInterval) : 0;
  const missingVisits = between(lastVisitAt, now) / ((1 + TARGET_LATENESS) * nextInterval) - 1;
  const step =
    lateness > TARGET_LATENESS ? Math.min(2 * missingVisits, MAX_RISE) : MAX_FALL * (lateness / TARGET_LATENESS - 1);
  const adjustmentPeriod = Math.max(MIN_ADJUSTMENT_PERIOD, plannedInterval);
  const weight =
    timeSincePriced === undefined ? MAX_VISIT_WEIGHT : Math.min(timeSincePriced / adjustmentPeriod, MAX_VISIT_WEIGHT);
  return milliseconds(price * Math.exp(step * weight));
}
