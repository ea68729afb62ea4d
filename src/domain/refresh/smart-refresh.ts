/**
 * Smart refresh: when to visit a page again, from what its past visits saw.
 *
 * Pages are taken to change at random moments, each at a rate of its own (a Poisson process), as Cho and Garcia-Molina found.
 * How often a page changes is weighed as in their "Estimating Frequency of Change", ACM TOIT 3(3), 2003: a visit tells whether
 * the page has changed since the visit before, not how often. What a visit is worth follows their "Effective Page Refresh
 * Policies for Web Crawlers", ACM TODS 28(4), 2003. Between the two nothing is rounded to one estimate: the interval is the
 * best one over all rates that the page may have.
 */
import {
  atLeast,
  atMost,
  between,
  type Duration,
  days,
  hours,
  type Instant,
  milliseconds,
  minutes,
} from '../time/units.js';

export interface VisitHistory {
  /** Visits up to and including the one just made. */
  readonly visits: number;
  /** Visits after the first that found the document changed, the one just made included. */
  readonly changes: number;
  readonly firstSeenAt: Instant;
  /** The visit that found today's version for the first time. */
  readonly lastChangeAt?: Instant;
  /** When today's version was made, by the server's word. */
  readonly lastModified?: Instant;
}

export interface RefreshRange {
  readonly minimumAge: Duration;
  readonly maximumAge: Duration;
}

export interface RefreshOptions {
  /**
   * What a visit has to earn, as fresh time of one page: the Lagrange multiplier of the crawler's budget. A crawler that can't
   * keep up raises it, and all intervals grow, most those of pages that no visit can keep fresh. By default such that the
   * pages most worth visiting are visited at the minimum age.
   */
  readonly price?: Duration;
  /** 0…1, fixed for each URL: spreads pages that would all be due at once over a fifth of their interval. */
  readonly jitter?: number;
}

const JITTER = 0.2;

/** Rates that a page may have, in changes per millisecond: from ten an hour to one in twenty years. */
const LOG_RATES = Float64Array.from({ length: 33 }, (_, i) => Math.log(10 / hours(1)) - i * 0.45);
const RATES = LOG_RATES.map(Math.exp);

/** Before anything is known of a page: one change in 30 days, within a factor of e² in two cases of three (log-normal). */
const PRIOR_RATE = 1 / days(30);
const PRIOR_VARIANCE = 4;
const LOG_PRIOR = LOG_RATES.map((logRate) => -((logRate - Math.log(PRIOR_RATE)) ** 2) / (2 * PRIOR_VARIANCE));

/** Rates less likely than the likeliest by this much, as a logarithm, are left out: one in 3,000. */
const NEGLIGIBLE = -8;

/** A Last-Modified that was younger than this when it came is the time of the answer, not of a change. */
const GENERATED = minutes(5);

/** By chance alone one page in a hundred is quiet for this many mean intervals: such a page has calmed down. */
const CALM = 4.6;

/** The pages most worth visiting change this often in their interval, and their interval is this many prices. */
const MOST_WORTH = { changesPerInterval: 1.7933, intervalInPrices: 3.3509 };

/** Time until the next visit, between minimum and maximum age; `changed`: the visit just made found another version. */
export function nextVisit(
  history: VisitHistory,
  refresh: RefreshRange,
  now: Instant,
  changed: boolean,
  options: RefreshOptions = {},
): Duration {
  const evidence = evidenceOf(history, now, changed);
  // Pages that change faster than the minimum age can show can't be told apart, and are all worth as much.
  const visible = MOST_WORTH.changesPerInterval / refresh.minimumAge;
  const fastest = Math.min(visible, Math.max(CALM / evidence.quiet, PRIOR_RATE));
  const price = options.price ?? milliseconds(refresh.minimumAge / MOST_WORTH.intervalInPrices);
  const best = bestInterval({ belief: weigh(evidence), fastest, price }, refresh);
  const spread = 1 + JITTER * ((options.jitter ?? 0.5) - 0.5);
  return atMost(atLeast(milliseconds(Math.round(best * spread)), refresh.minimumAge), refresh.maximumAge);
}

interface Evidence {
  /** Changes whose time is known: 0 or 1. */
  readonly dated: number;
  /** Intervals between visits in which the page changed at least once, at times unknown. */
  readonly changed: number;
  /** Mean length of those, in milliseconds. */
  readonly interval: number;
  /** All the time in which the page is known not to have changed, in milliseconds. */
  readonly unchanged: number;
  /** The part of it since the last change. */
  readonly quiet: number;
}

/** Last-Modified tells when the last change was, even one from before the first visit. */
function evidenceOf(history: VisitHistory, now: Instant, changedNow: boolean): Evidence {
  const foundAt = changedNow ? now : (history.lastChangeAt ?? history.firstSeenAt);
  const sinceFound = Math.max(0, between(foundAt, now));
  const intervals = Math.max(0, history.visits - 1);
  const changes = Math.min(history.changes, intervals);
  const observed = changes === 0 ? sinceFound : Math.max(sinceFound, between(history.firstSeenAt, now));
  const interval = changes === 0 ? 0 : Math.max(1, Math.min(observed / intervals, (observed - sinceFound) / changes));
  const ageWhenFound = history.lastModified === undefined ? 0 : between(history.lastModified, foundAt);
  const dated = ageWhenFound > GENERATED ? 1 : 0;
  const sinceChange = dated === 0 ? 0 : changes === 0 ? ageWhenFound : Math.min(ageWhenFound, interval);
  return {
    dated,
    changed: Math.max(0, changes - dated),
    interval,
    unchanged: Math.max(0, observed - changes * interval) + sinceChange,
    quiet: sinceFound + sinceChange,
  };
}

/** How likely each of the rates is, by Bayes' rule; sums to one. */
function weigh({ dated, changed, interval, unchanged }: Evidence): Float64Array {
  const weights = new Float64Array(RATES.length);
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < weights.length; i++) {
    const rate = RATES[i]!;
    const someChange = changed === 0 ? 0 : changed * Math.log(1 - Math.exp(-rate * interval));
    const log = LOG_PRIOR[i]! + dated * LOG_RATES[i]! + someChange - rate * unchanged;
    weights[i] = log;
    if (log > most) most = log;
  }
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    const below = weights[i]! - most;
    weights[i] = below < NEGLIGIBLE ? 0 : Math.exp(below);
    total += weights[i]!;
  }
  for (let i = 0; i < weights.length; i++) weights[i]! /= total;
  return weights;
}

interface Prospect {
  readonly belief: Float64Array;
  /** Rates above this count as this. */
  readonly fastest: number;
  readonly price: Duration;
}

/** Bisects, on a logarithmic scale, for the interval at which one more visit earns the price. */
function bestInterval(prospect: Prospect, { minimumAge, maximumAge }: RefreshRange): number {
  let low = Math.log(minimumAge);
  let high = Math.log(maximumAge);
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (earnedBy(prospect, Math.exp(middle)) < prospect.price) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

/** Fresh time that one more visit at this interval is expected to earn: the mean of g(rate * interval) / rate. */
function earnedBy({ belief, fastest }: Prospect, interval: number): number {
  let earned = 0;
  for (let i = 0; i < RATES.length; i++) {
    const weight = belief[i]!;
    if (weight === 0) continue;
    const rate = Math.min(RATES[i]!, fastest);
    earned += (weight * g(rate * interval)) / rate;
  }
  return earned;
}

const g = (r: number): number => 1 - (1 + r) * Math.exp(-r);

/**
 * The best interval of a page that is known to change `rate` times per millisecond: the one at which one more visit earns
 * exactly `price`. No other way to spend as many visits keeps more pages fresh (TODS 2003, section 4). Infinite when no visit
 * earns that much: a page that changes too fast is stale again as soon as it is fetched.
 */
export function freshnessInterval(rate: number, price: Duration): Duration {
  const earned = rate * price;
  if (!(earned > 0 && earned < 1)) return milliseconds(Number.POSITIVE_INFINITY);
  // Newton's method solves log(1 - g(r)) = log(1 - earned) from above, where it can't overshoot.
  const target = -Math.log1p(-earned);
  let r = target + Math.sqrt(2 * target);
  for (let step = 0; step < 6; step++) r -= ((r - Math.log1p(r) - target) * (1 + r)) / r;
  return milliseconds(r / rate);
}
