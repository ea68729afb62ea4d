/**
 * The price of a visit depends on what a host can serve. Late refresh visits show that the pages need more visits than politeness,
 * the weights of the sources and the machine allow: the price rises and all intervals grow, most of all those of pages that no
 * visit can keep fresh. Visits in time show that there is room: the price falls slowly, until visits are a little late. The host's
 * politeness is the scarce resource, so every host has its own price, which all its crawlers share.
 */
import { between, type Duration, days, type Instant, milliseconds } from '../time/units.js';
import type { RefreshObjective, RefreshRange } from './smart-refresh.js';

export interface RefreshVisit {
  readonly lastVisitAt: Instant;
  /** When the visit was due. */
  readonly dueAt: Instant;
  readonly now: Instant;
  /** Time until the next visit at the present price. */
  readonly next: Duration;
  /** Time since the previous visit that adjusted the price; absent: unknown. */
  readonly sincePriced?: Duration;
}

/** The pages most worth visiting earn a 3.3509th of their interval: the maximum of 1 - (1 + r) exp(-r) over r. */
const INTERVAL_IN_PRICES = 3.3509;

/**
 * The price stays as it is when visits come after their time by this part of the interval: if none were late, some of the time in
 * which the host can serve would pass unused.
 */
const LATE = 0.075;

/**
 * The bounds below are for visits during as much time as was planned between two of them, but at least a day. A price shows its
 * effect only when the next visits are due: moved faster, it swings. And one bad hour must not upset the times of all pages.
 */
const SHORTEST_PACE = days(1);
/** If there are few visits, each counts for at most this part of that time. */
const MOST_PER_VISIT = 1 / 30;

/** Logarithms of the factors by which the price rises and falls at most in that time. */
const RISE = 0.5;
const FALL = 0.2;

/** The price, as a fraction of the maximum age, at which all pages are visited at that age: no visit is worth more. */
const DEAREST: Readonly<Record<RefreshObjective, number>> = { harmonic: 1, freshness: 1 / INTERVAL_IN_PRICES };

/** The price within its meaningful bounds: pages are visited at the minimum age, or all at the maximum age. */
export function effectivePrice(price: Duration | undefined, range: RefreshRange): Duration {
  const wanted = Math.max(price ?? 0, range.minimumAge / INTERVAL_IN_PRICES);
  return milliseconds(Math.min(wanted, range.maximumAge * DEAREST[range.objective]));
}

/**
 * The price after a refresh visit. The mean of time passed over time planned is how many visits are wanted for each one made; twice
 * the step, because the interval of most pages grows with the square root of the price. The step is zero at the lateness that is
 * wanted and grows steadily on both sides: one that jumps there makes the price swing.
 */
export function priceAfter(price: Duration, visit: RefreshVisit): Duration {
  const { lastVisitAt, dueAt, now, next, sincePriced } = visit;
  const planned = between(lastVisitAt, dueAt);
  const lateness = planned > 0 ? Math.max(0, between(dueAt, now) / planned) : 0;
  const wantedMore = between(lastVisitAt, now) / ((1 + LATE) * next) - 1;
  const step = lateness > LATE ? Math.min(2 * wantedMore, RISE) : FALL * (lateness / LATE - 1);
  const pace = Math.max(SHORTEST_PACE, planned);
  const weight = sincePriced === undefined ? MOST_PER_VISIT : Math.min(sincePriced / pace, MOST_PER_VISIT);
  return milliseconds(price * Math.exp(step * weight));
}
