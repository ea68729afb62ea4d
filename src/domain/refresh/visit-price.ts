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
  readonly next: Duration;
  /** Time since the previous visit that adjusted the price; absent if unknown. */
  readonly sincePriced?: Duration;
}

/** The pages most worth visiting earn 1/3.3509 of their interval: the maximum of 1 - (1 + r) exp(-r) over r. */
const INTERVAL_IN_PRICES = 3.3509;

/**
 * The price stays unchanged when visits are late by this fraction of the interval: if none were late, some of the
 * host's capacity would go unused.
 */
const LATE = 0.075;

/**
 * The limits below apply to all visits within the time that was planned between two of them, but at least a day. A
 * price shows its effect only when the next visits are due; if moved faster, it swings. Besides, one bad hour must not
 * upset the schedule of all pages.
 */
const SHORTEST_PACE = days(1);
/** If there are few visits, each counts for at most this fraction of that time. */
const MOST_PER_VISIT = 1 / 30;

/** Logarithms of the maximum factors by which the price rises and falls in that time. */
const RISE = 0.5;
const FALL = 0.2;

/** The price, as a fraction of the maximum age, at which all pages are visited at that age: no visit is worth more. */
const DEAREST: Readonly<Record<RefreshObjective, number>> = { harmonic: 1, freshness: 1 / INTERVAL_IN_PRICES };

/**
 * Limits the price to its meaningful range: from visiting pages at the minimum age to visiting all at the maximum age.
 */
export function limitPrice(price: Duration | undefined, range: RefreshRange): Duration {
  const wanted = Math.max(price ?? 0, range.minimumAge / INTERVAL_IN_PRICES);
  return milliseconds(Math.min(wanted, range.maximumAge * DEAREST[range.objective]));
}

/**
 * The price after a refresh visit. The mean ratio of time passed to time planned is how many visits are wanted for each
 * one made; the step is doubled because most pages' intervals grow with the square root of the price. The step is zero
 * at the desired lateness and grows continuously on both sides: a jump there would make the price swing.
 */
export function updatePrice(price: Duration, visit: RefreshVisit): Duration {
  const { lastVisitAt, dueAt, now, next, sincePriced } = visit;
  const planned = between(lastVisitAt, dueAt);
  const lateness = planned > 0 ? Math.max(0, between(dueAt, now) / planned) : 0;
  const wantedMore = between(lastVisitAt, now) / ((1 + LATE) * next) - 1;
  const step = lateness > LATE ? Math.min(2 * wantedMore, RISE) : FALL * (lateness / LATE - 1);
  const pace = Math.max(SHORTEST_PACE, planned);
  const weight = sincePriced === undefined ? MOST_PER_VISIT : Math.min(sincePriced / pace, MOST_PER_VISIT);
  return milliseconds(price * Math.exp(step * weight));
}
