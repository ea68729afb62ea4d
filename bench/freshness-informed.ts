/**
 * What visits alone can teach, for `freshness.ts`: a policy that begins with the true distribution of the pages' rates, keeps the exact
 * probability of each rate after each visit (Bayes' rule on a grid) and chooses the best interval for it at the price of the
 * optimum. No estimate from the same visits has more to go by, so the rest of the way to the optimum is what visits do not show.
 */
import { type Duration, days, hours } from '../src/domain/time/units.js';
import type { Policy } from './freshness-simulation.js';
import { type Distribution, seeded } from './freshness-web.js';

const POINTS = 48;
const SHORTEST = days(0.02);
const LONGEST = days(5_000);
const RATIO = (LONGEST / SHORTEST) ** (1 / (POINTS - 1));
/** Mean times between two changes. */
const TIMES = Float64Array.from({ length: POINTS }, (_, point) => SHORTEST * RATIO ** point);
const SAMPLES = 200_000;
const MINIMUM_AGE = hours(1);
const MAXIMUM_AGE = days(365);

export function informed(distribution: Distribution, size: number, price: Duration): Policy {
  const prior = priorOf(distribution);
  const beliefs = Array.from({ length: size }, () => Float64Array.from(prior));
  return {
    name: 'best estimate by one who knows the distribution',
    next({ index, now, changed, lastVisitAt }) {
      const belief = beliefs[index]!;
      if (lastVisitAt !== undefined) update(belief, now - lastVisitAt, changed);
      return bestInterval(belief, price);
    },
  };
}

function priorOf(distribution: Distribution): Float64Array {
  const random = seeded(1);
  const weights = new Float64Array(POINTS);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const point = Math.round(Math.log(days(distribution.meanDays(random)) / SHORTEST) / Math.log(RATIO));
    weights[Math.min(Math.max(point, 0), POINTS - 1)]! += 1 / SAMPLES;
  }
  return weights;
}

function update(belief: Float64Array, elapsed: number, changed: boolean): void {
  let total = 0;
  for (let point = 0; point < POINTS; point++) {
    const r = elapsed / TIMES[point]!;
    belief[point]! *= changed ? -Math.expm1(-r) : Math.exp(-r);
    total += belief[point]!;
  }
  for (let point = 0; point < POINTS; point++) belief[point]! /= total;
}

/** As smart-refresh.ts for the harmonic objective, over these rates. */
function bestInterval(belief: Float64Array, price: Duration): number {
  let low = Math.log(MINIMUM_AGE);
  let high = Math.log(MAXIMUM_AGE);
  for (let step = 0; step < 14; step++) {
    const interval = Math.exp((low + high) / 2);
    let earned = 0;
    for (let point = 0; point < POINTS; point++) {
      const r = interval / TIMES[point]!;
      earned += belief[point]! * TIMES[point]! * (r + Math.expm1(-r));
    }
    if (earned < price) low = Math.log(interval);
    else high = Math.log(interval);
  }
  return Math.exp(high);
}
