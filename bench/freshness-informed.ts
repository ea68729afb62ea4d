/**
 * Shows for `freshness.ts` how much can be learned from visits alone: a policy that begins with the true distribution
 * of the pages' rates, computes the exact probability of each rate after each visit (Bayes' rule on a grid), and
 * chooses the best interval for it at the price of the optimum. No estimate from the same visits can be based on more
 * information, so the remaining distance to the optimum is due to what visits do not reveal.
 */
import { type Duration, days, hours } from '../src/domain/time/units.js';
import type { Policy } from './freshness-simulation.js';
import { createRandom, type Distribution } from './freshness-web.js';

const POINTS = 48;
const MIN_TIME = days(0.02);
const MAX_TIME = days(5_000);
const RATIO = (MAX_TIME / MIN_TIME) ** (1 / (POINTS - 1));
/** Mean times between two changes, one for each point of the grid. */
const TIMES = Float64Array.from({ length: POINTS }, (_, point) => MIN_TIME * RATIO ** point);
const SAMPLES = 200_000;
const MINIMUM_AGE = hours(1);
const MAXIMUM_AGE = days(365);

export function createInformedPolicy(distribution: Distribution, size: number, price: Duration): Policy {
  const prior = computePrior(distribution);
  const beliefs = Array.from({ length: size }, () => Float64Array.from(prior));
  return {
    name: 'best estimate with a known distribution',
    chooseDelay({ index, now, changed, lastVisitAt }) {
      const belief = beliefs[index]!;
      if (lastVisitAt !== undefined) updateProbabilities(belief, now - lastVisitAt, changed);
      return findBestInterval(belief, price);
    },
  };
}

function computePrior(distribution: Distribution): Float64Array {
  const random = createRandom(1);
  const weights = new Float64Array(POINTS);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const point = Math.round(Math.log(days(distribution.drawMeanDays(random)) / MIN_TIME) / Math.log(RATIO));
    weights[Math.min(Math.max(point, 0), POINTS - 1)]! += 1 / SAMPLES;
  }
  return weights;
}

function updateProbabilities(belief: Float64Array, elapsed: number, changed: boolean): void {
  let total = 0;
  for (let point = 0; point < POINTS; point++) {
    const r = elapsed / TIMES[point]!;
    belief[point]! *= changed ? -Math.expm1(-r) : Math.exp(-r);
    total += belief[point]!;
  }
  for (let point = 0; point < POINTS; point++) belief[point]! /= total;
}

/** Chooses the interval as smart-refresh.ts does for the harmonic objective, but over these rates. */
function findBestInterval(belief: Float64Array, price: Duration): number {
  let low = Math.log(MINIMUM_AGE);
  let high = Math.log(MAXIMUM_AGE);
  for (let step = 0; step < 14; step++) {
    const interval = Math.exp((low + high) / 2);
    let gain = 0;
    for (let point = 0; point < POINTS; point++) {
      const r = interval / TIMES[point]!;
      gain += belief[point]! * TIMES[point]! * (r + Math.expm1(-r));
    }
    if (gain < price) low = Math.log(interval);
    else high = Math.log(interval);
  }
  return Math.exp(high);
}
