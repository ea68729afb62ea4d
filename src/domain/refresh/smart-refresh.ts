/**
 * Smart refresh: decides when to visit a page again, based on what is believed about its changes and what a visit
 * costs. The worth of a visit depends on the objective. *Harmonic*: a copy that has missed n changes costs 1 + 1/2 + …
 * + 1/n, so that a page that changes fast is never abandoned (Kolobov, Peres, Lu and Horvitz, "Staying up to date with
 * Online Content Changes Using Reinforcement Learning for Scheduling", NeurIPS 2019). *Freshness*: a copy is up to date
 * or not (Cho and Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003); a page that
 * changes too fast to be kept up to date is abandoned. The belief is not reduced to one rate: the interval is the best
 * one over all rates that the page may have. With the freshness objective, if this interval were always used, it
 * would never become clear which of the pages that have changed at every visit deserve more visits. The interval
 * therefore leans towards the best one for a rate drawn from the belief (Thompson sampling, Biometrika 25, 1933). The harmonic objective never abandons a page, so
 * its planned visits reveal enough, and uneven intervals would add staleness in proportion to their variance.
 */
import { atLeast, atMost, type Duration, milliseconds } from '../time/units.js';
import { type ChangeBelief, computeExpectedValue, computeQuantile } from './change-belief.js';

export const REFRESH_OBJECTIVES = ['harmonic', 'freshness'] as const;

/** What smart refresh optimizes. */
export type RefreshObjective = (typeof REFRESH_OBJECTIVES)[number];

export interface RefreshRange {
  readonly minimumAge: Duration;
  readonly maximumAge: Duration;
  readonly objective: RefreshObjective;
}

export interface VisitCost {
  /**
   * What a visit must earn: the Lagrange multiplier of the budget. It is measured in fresh time of one page or, for the
   * harmonic objective, in time during which one missed change costs 1. See visit-price.ts.
   */
  readonly price: Duration;
  /** 0…1, different for each page and visit: 0 treats the page as if it changed seldom, 1 as if it changed often. */
  readonly draw: number;
  /** Worth of an up-to-date copy of this page relative to that of an average page; default: 1. */
  readonly importance?: number;
}

/** Factors by which a drawn rate may at most shorten or lengthen the best interval. */
const MIN_FACTOR = 0.3;
const MAX_FACTOR = 1.2;

/**
 * With the harmonic objective, the interval is spread around the best one by this fraction of the belief's standard
 * deviation: pages that were found together and look alike would otherwise all be due at the same time, again and
 * again.
 */
const SPREAD = 0.1;

/** Time until the next visit, between minimum and maximum age. */
export function computeNextVisit(belief: ChangeBelief, range: RefreshRange, cost: VisitCost): Duration {
  const price = milliseconds(cost.price / (cost.importance ?? 1));
  const bestInterval = computeBestInterval(belief, range, price);
  const interval =
    range.objective === 'harmonic'
      ? spreadInterval(bestInterval, belief, cost)
      : drawInterval(bestInterval, belief, cost, price);
  return atMost(atLeast(milliseconds(Math.round(interval)), range.minimumAge), range.maximumAge);
}

const spreadInterval = (bestInterval: number, { uncertainty }: ChangeBelief, { draw }: VisitCost): number =>
  bestInterval * (1 + SPREAD * Math.sqrt(uncertainty) * (1 - 2 * draw));

function drawInterval(bestInterval: number, belief: ChangeBelief, { draw }: VisitCost, price: Duration): number {
  const interval = computeFreshnessInterval(1 / computeQuantile(belief, draw), price);
  return Math.min(Math.max(interval, MIN_FACTOR * bestInterval), MAX_FACTOR * bestInterval);
}

/**
 * The last result, because pages about which nothing is known have the same belief and, for a while, the same price.
 */
let lastResult:
  | { readonly belief: ChangeBelief; readonly range: RefreshRange; readonly price: Duration; readonly best: number }
  | undefined;

function computeBestInterval(belief: ChangeBelief, range: RefreshRange, price: Duration): number {
  const isSameInput =
    lastResult?.price === price &&
    lastResult.belief.interval === belief.interval &&
    lastResult.belief.uncertainty === belief.uncertainty &&
    lastResult.range.minimumAge === range.minimumAge &&
    lastResult.range.maximumAge === range.maximumAge &&
    lastResult.range.objective === range.objective;
  if (!lastResult || !isSameInput) lastResult = { belief, range, price, best: bisectInterval(belief, range, price) };
  return lastResult.best;
}

/** The interval at which one more visit earns the price, on a logarithmic scale. */
function bisectInterval(belief: ChangeBelief, range: RefreshRange, price: Duration): number {
  const { minimumAge, maximumAge } = range;
  const computeEarnings = EARNED[range.objective];
  let low = Math.log(minimumAge);
  let high = Math.log(maximumAge);
  for (let step = 0; step < 10; step++) {
    const middle = (low + high) / 2;
    const interval = Math.exp(middle);
    if (computeExpectedValue(belief, (rate) => computeEarnings(rate * interval) / rate) < price) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

/** What one more visit earns, in mean times between changes, of a page that changes r times in an interval. */
const EARNED: Readonly<Record<RefreshObjective, (r: number) => number>> = {
  harmonic: (r) => r + Math.expm1(-r),
  freshness: (r) => 1 - (1 + r) * Math.exp(-r),
};

/**
 * The best interval of a page that is known to change `rate` times per millisecond: the one at which one more visit
 * earns exactly `price`. No other way to spend the same number of visits keeps more pages fresh (TODS 2003, section 4).
 * Infinite if no visit earns that much: a page that changes too fast is stale again as soon as it is fetched.
 */
export function computeFreshnessInterval(rate: number, price: Duration): Duration {
  const earnings = rate * price;
  if (!(earnings > 0 && earnings < 1)) return milliseconds(Number.POSITIVE_INFINITY);
  // Newton's method solves log(1 - earned(r)) = log(1 - earnings) from above, where it cannot overshoot.
  const target = -Math.log1p(-earnings);
  let r = target + Math.sqrt(2 * target);
  for (let step = 0; step < 6; step++) r -= ((r - Math.log1p(r) - target) * (1 + r)) / r;
  return milliseconds(r / rate);
}
