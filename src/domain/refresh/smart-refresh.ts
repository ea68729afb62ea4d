/**
 * Smart refresh: when to visit a page again, from what its past visits saw. Two steps: how often does the page change
 * (`changeRate`), and which interval makes the most of visits to such a page (`freshnessInterval`).
 *
 * Pages are taken to change at random moments, each at a rate of its own (a Poisson process), after Cho and Garcia-Molina:
 * "Estimating Frequency of Change", ACM TOIT 3(3), 2003, and "Effective Page Refresh Policies for Web Crawlers", ACM TODS
 * 28(4), 2003.
 */
import { atLeast, atMost, between, type Duration, days, type Instant, milliseconds, minutes } from '../time/units.js';

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

export interface RefreshOptions {
  /**
   * What a visit has to earn, as fresh time of one page: the Lagrange multiplier of the crawler's budget. A crawler that can't
   * keep up raises it, and all intervals grow, first those of pages that no visit can keep fresh. By default such that the
   * pages most worth visiting are visited at the minimum age.
   */
  readonly price?: Duration;
  /** 0…1, fixed for each URL: spreads pages that would all be due at once over a fifth of their interval. */
  readonly jitter?: number;
}

/** Of a page never seen before: one change in 30 days, within a factor of e² in two cases of three (log-normal). */
const PRIOR_LOG_RATE = Math.log(1 / days(30));
const PRIOR_VARIANCE = 4;

/** A Last-Modified that was younger than this when it came is the time of the answer, not of a change. */
const GENERATED = minutes(5);

/** By chance alone one page in a hundred is quiet for this many mean intervals: such a page has calmed down. */
const CALM = 4.6;

/** The pages most worth visiting change at this rate times their interval, and their interval is this many prices. */
const MOST_WORTH = { changesPerInterval: 1.7933, intervalInPrices: 3.3509 };

const JITTER = 0.2;

/** Time until the next visit, between minimum and maximum age; `changed`: the visit just made found another version. */
export function nextVisit(
  history: VisitHistory,
  refresh: { readonly minimumAge: Duration; readonly maximumAge: Duration },
  now: Instant,
  changed: boolean,
  options: RefreshOptions = {},
): Duration {
  const rate = changeRate(history, now, changed);
  const best =
    options.price === undefined ? unpricedInterval(rate, refresh.minimumAge) : freshnessInterval(rate, options.price);
  const spread = 1 + JITTER * ((options.jitter ?? 0.5) - 0.5);
  const interval = milliseconds(Math.round(atMost(best, refresh.maximumAge) * spread));
  return atMost(atLeast(interval, refresh.minimumAge), refresh.maximumAge);
}

/** Pages that change faster than the minimum age can show can't be told apart: they all stay at the minimum. */
function unpricedInterval(rate: number, minimumAge: Duration): Duration {
  if (rate * minimumAge >= MOST_WORTH.changesPerInterval) return minimumAge;
  return freshnessInterval(rate, milliseconds(minimumAge / MOST_WORTH.intervalInPrices));
}

/**
 * The interval at which one more visit to a page that changes `rate` times per millisecond would earn exactly `price`: no other
 * way to spend as many visits keeps more pages fresh (TODS 2003, section 4). Infinite when no visit earns that much: a page
 * that changes too fast is stale again as soon as it is fetched.
 *
 * With r = rate * interval, one more visit earns g(r) / rate, g(r) = 1 - (1 + r) / e^r. Newton's method solves log(1 - g(r))
 * for r, from above, where it can't overshoot.
 */
export function freshnessInterval(rate: number, price: Duration): Duration {
  const earned = rate * price;
  if (!(earned > 0 && earned < 1)) return milliseconds(Number.POSITIVE_INFINITY);
  const target = -Math.log1p(-earned);
  let r = target + Math.sqrt(2 * target);
  for (let step = 0; step < 6; step++) r -= ((r - Math.log1p(r) - target) * (1 + r)) / r;
  return milliseconds(r / rate);
}

/**
 * Changes per millisecond, estimated from all visits: the most likely rate, given that a visit tells whether the page has
 * changed since the visit before and not how often (TOIT 2003, section 5), and a prior by which little history misleads
 * little. Last-Modified tells when the last change was, even one before the first visit.
 */
export function changeRate(history: VisitHistory, now: Instant, changed: boolean): number {
  const foundAt = changed ? now : (history.lastChangeAt ?? history.firstSeenAt);
  const lastChange = trusted(history.lastModified, foundAt);
  const quiet = Math.max(0, between(lastChange ?? foundAt, now));
  const intervals = Math.max(0, history.visits - 1);
  const changes = Math.min(history.changes, intervals);
  const observed = changes === 0 ? quiet : Math.max(quiet, between(history.firstSeenAt, now));
  const interval = changes === 0 ? 0 : Math.min(observed / intervals, (observed - quiet) / changes);
  const rate = mostLikelyRate({
    dated: lastChange === undefined ? 0 : 1,
    changed: Math.max(0, changes - (lastChange === undefined ? 0 : 1)),
    interval,
    unchanged: observed - changes * interval,
  });
  return Math.min(rate, Math.max(CALM / quiet, Math.exp(PRIOR_LOG_RATE)));
}

function trusted(lastModified: Instant | undefined, foundAt: Instant): Instant | undefined {
  return lastModified !== undefined && lastModified < foundAt - GENERATED ? lastModified : undefined;
}

interface Evidence {
  /** Changes whose time is known. */
  readonly dated: number;
  /** Intervals in which the page changed at least once, at times unknown. */
  readonly changed: number;
  /** Mean length of those, in milliseconds. */
  readonly interval: number;
  /** Time in which the page did not change, in milliseconds. */
  readonly unchanged: number;
}

/** Bisects the derivative of the log posterior by the log rate, which falls steadily. */
function mostLikelyRate({ dated, changed, interval, unchanged }: Evidence): number {
  let low = PRIOR_LOG_RATE - 12;
  let high = PRIOR_LOG_RATE + 12;
  for (let step = 0; step < 18; step++) {
    const logRate = (low + high) / 2;
    const rate = Math.exp(logRate);
    const expected = rate * interval;
    const perChanged = expected > 0 ? expected / Math.expm1(expected) : 1;
    const slope = (PRIOR_LOG_RATE - logRate) / PRIOR_VARIANCE + dated + changed * perChanged - rate * unchanged;
    if (slope > 0) low = logRate;
    else high = logRate;
  }
  return Math.exp((low + high) / 2);
}
