/**
 * Estimates how often a page changes, and improves the estimate with each visit. Pages are assumed to change at random
 * times, each page at its own rate (a Poisson process), as Cho and Garcia-Molina found. A visit shows whether the page
 * has changed since the previous visit, not how often ("Estimating Frequency of Change", ACM TOIT 3(3), 2003), or, with
 * Last-Modified, when it last changed. Each visit updates the belief by Bayes' rule. A belief is stored as a log-normal
 * distribution, which takes two numbers per page.
 */
import { type Duration, days, milliseconds, minutes } from '../time/units.js';

export interface ChangeBelief {
  /** Median of the believed mean time between two changes: the true one is equally likely to be longer or shorter. */
  readonly interval: Duration;
  /**
   * Variance of the natural logarithm of the interval: 0.25 means within a factor of e^0.5 in two cases out of three.
   */
  readonly uncertainty: number;
}

/** Before anything is known about a page: one change in 30 days, within a factor of e² in two cases out of three. */
export const UNKNOWN_BELIEF: ChangeBelief = { interval: days(30), uncertainty: 4 };

/** What one visit observed. */
export interface Observation {
  /** Time since the previous visit; absent on the first visit. */
  readonly elapsed?: Duration;
  /** Whether the document differs from that of the previous visit; meaningless on the first visit. */
  readonly changed: boolean;
  /** Age of the document according to its Last-Modified. */
  readonly age?: Duration;
  /** How long the response claims to stay fresh (Cache-Control, Expires). */
  readonly lifetime?: Duration;
}

/** A Last-Modified that was younger than this on arrival is the time of the response, not of a change. */
const MIN_DATED_AGE = minutes(5);

/**
 * A belief never becomes more certain than after about twenty visits, so that changed behavior of a page is noticed.
 */
const MIN_UNCERTAINTY = 0.05;

/** Limits of a belief: from ten changes an hour to one in twenty years. */
const MIN_INTERVAL = minutes(6);
const MAX_INTERVAL = days(7_300);

/** A normal distribution as discrete points, in standard deviations, and their weights. */
const POINTS = Float64Array.from({ length: 13 }, (_, i) => (i - 6) / 2);
const WEIGHTS = POINTS.map((z) => Math.exp((-z * z) / 2));
const TOTAL_WEIGHT = WEIGHTS.reduce((sum, weight) => sum + weight, 0);

/** The belief after a visit. */
export function updateBelief(belief: ChangeBelief, observation: Observation): ChangeBelief {
  const logLikelihood = createLogLikelihood(observation);
  if (!logLikelihood) return belief;
  const deviation = Math.sqrt(belief.uncertainty);
  let maxLog = Number.NEGATIVE_INFINITY;
  const logs = POINTS.map((z, i) => {
    const log = Math.log(WEIGHTS[i]!) + logLikelihood(Math.exp(z * deviation) / belief.interval);
    if (log > maxLog) maxLog = log;
    return log;
  });
  let total = 0;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < POINTS.length; i++) {
    const weight = Math.exp(logs[i]! - maxLog);
    total += weight;
    sum += weight * POINTS[i]!;
    squares += weight * POINTS[i]! ** 2;
  }
  const shift = sum / total;
  return {
    interval: milliseconds(clamp(belief.interval * Math.exp(-shift * deviation), MIN_INTERVAL, MAX_INTERVAL)),
    uncertainty: Math.max(MIN_UNCERTAINTY, (squares / total - shift * shift) * belief.uncertainty),
  };
}

/** Computes the mean of `computeValue` over all rates that the page may have, in changes per millisecond. */
export function computeExpectedValue(
  { interval, uncertainty }: ChangeBelief,
  computeValue: (rate: number) => number,
): number {
  const deviation = Math.sqrt(uncertainty);
  let sum = 0;
  for (let i = 0; i < POINTS.length; i++)
    sum += WEIGHTS[i]! * computeValue(Math.exp(POINTS[i]! * deviation) / interval);
  return sum / TOTAL_WEIGHT;
}

/** Computes the length that the page's interval reaches or exceeds with a probability of about `share`, 0…1. */
export function computeQuantile({ interval, uncertainty }: ChangeBelief, share: number): Duration {
  const clampedShare = clamp(share, 0.01, 0.99);
  // The logistic distribution approximates the normal one.
  const deviations = Math.log(clampedShare / (1 - clampedShare)) / 1.702;
  return milliseconds(interval * Math.exp(-deviations * Math.sqrt(uncertainty)));
}

/**
 * A first response that claims to stay fresh has half the weight of a visit that finds no change after that time,
 * because many claims are arbitrary.
 */
const LIFETIME_WEIGHT = 0.5;

/** Logarithm of the observation's likelihood at a given rate; undefined if the observation says nothing. */
function createLogLikelihood(observation: Observation): ((rate: number) => number) | undefined {
  const { elapsed, lifetime = 0 } = observation;
  const changeLikelihood = createChangeLikelihood(observation);
  if (elapsed !== undefined || lifetime <= 0) return changeLikelihood;
  return (rate) => (changeLikelihood?.(rate) ?? 0) - LIFETIME_WEIGHT * rate * lifetime;
}

function createChangeLikelihood({ elapsed, changed, age }: Observation): ((rate: number) => number) | undefined {
  const isDated = age !== undefined && age > MIN_DATED_AGE && (elapsed === undefined || (changed && age < elapsed));
  if (isDated) return (rate) => Math.log(rate) - rate * age;
  if (elapsed === undefined || elapsed <= 0) return undefined;
  return changed ? (rate) => Math.log(-Math.expm1(-rate * elapsed)) : (rate) => -rate * elapsed;
}

const clamp = (value: number, minimum: number, maximum: number): number => Math.min(Math.max(value, minimum), maximum);
