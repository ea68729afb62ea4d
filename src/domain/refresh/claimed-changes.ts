/**
 * Evaluates what a site says about changes of its own pages: `lastmod` of a sitemap, dates of a feed, a hub page that
 * has changed. The weight of a claim depends on how often earlier claims from the same place proved true.
 */
import { daysFromCivil } from '../time/http-date.js';
import { type Duration, days, hours, type Instant, instant, milliseconds, minutes } from '../time/units.js';

/**
 * When a page is claimed to have changed: between these two times, which are equal if the claim is exact to the second.
 */
export interface ClaimedChange {
  readonly from: Instant;
  readonly to: Instant;
}

const W3C_TIME =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?\s*(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

/** How far a site's clock may be ahead of ours. */
const CLOCK_ERROR = minutes(10);

/**
 * Parses a time in the format of sitemaps (W3C Datetime, from a year alone to fractions of a second); undefined if it
 * is not one or is in the future.
 */
export function parseClaimedChange(text: string, now: Instant): ClaimedChange | undefined {
  const match = W3C_TIME.exec(text.trim());
  if (!match) return undefined;
  const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(parseOptionalNumber);
  const from = dateToMs(year!, month, day) + hours(hour) + minutes(minute) + second * 1000 - parseOffset(match[7]);
  const end = [
    match[4] !== undefined && from,
    match[3] !== undefined && dateToMs(year!, month, day + 1),
    match[2] !== undefined && (month === 12 ? dateToMs(year! + 1, 1, 1) : dateToMs(year!, month + 1, 1)),
    dateToMs(year! + 1, 1, 1),
  ].find((time) => time !== false);
  const isValidTime = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 25 && minute < 60;
  return isValidTime && from <= now + CLOCK_ERROR ? { from: instant(from), to: instant(end!) } : undefined;
}

const dateToMs = (year: number, month: number, day: number): number => days(daysFromCivil(year, month, day));

const parseOptionalNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

function parseOffset(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * minutes(Number(match[2]) * 60 + Number(match[3])) : 0;
}

/**
 * Whether the claim says that a copy made at `visitedAt` is out of date. A date without a time may be before or after a
 * visit on that day, so it is considered only once the day is over.
 */
export const contradictsVisit = ({ from, to }: ClaimedChange, visitedAt: Instant, now: Instant): boolean =>
  visitedAt < from || (visitedAt < to && to <= now);

/** How often the claims from one place proved true. */
export interface Credibility {
  readonly confirmed: number;
  readonly refuted: number;
  /** How many consecutive claims, up to the last one, proved false; absent if none did. */
  readonly refutedInARow?: number;
}

export const UNTRIED: Credibility = { confirmed: 0, refuted: 0 };

/** Maximum number of results remembered: older ones say nothing about the site today. */
const MAX_REMEMBERED_RESULTS = 100;

/**
 * This many false claims in a row outweigh any number of true ones before them, because the site has changed the way it
 * dates its pages.
 */
const MAX_REFUTED_IN_A_ROW = 10;

export function updateCredibility(
  { confirmed, refuted, refutedInARow = 0 }: Credibility,
  isTrue: boolean,
): Credibility {
  if (isTrue) return createCredibility(confirmed + 1, refuted);
  const falseStreak = refutedInARow + 1;
  const isTooLong = falseStreak >= MAX_REFUTED_IN_A_ROW;
  return {
    ...(isTooLong ? createCredibility(0, falseStreak) : createCredibility(confirmed, refuted + 1)),
    refutedInARow: falseStreak,
  };
}

function createCredibility(confirmed: number, refuted: number): Credibility {
  const share = confirmed + refuted > MAX_REMEMBERED_RESULTS ? 0.5 : 1;
  return { confirmed: confirmed * share, refuted: refuted * share };
}

/** Probability, 0…1, that the next claim is true: 1/2 before any claim was checked (Laplace's rule of succession). */
export const computeTruthProbability = ({ confirmed, refuted }: Credibility): number =>
  (confirmed + 1) / (confirmed + refuted + 2);

/** A place with a lower probability is not believed. */
const MIN_TRUTH_PROBABILITY = 0.1;

export const isBelieved = (credibility: Credibility): boolean =>
  computeTruthProbability(credibility) >= MIN_TRUTH_PROBABILITY;

/**
 * Computes when to visit a page that is claimed to have changed: immediately if that is more likely than not, otherwise
 * somewhat sooner than planned.
 */
export function computeClaimedVisitTime(dueAt: Instant, credibility: Credibility, now: Instant): Instant {
  const doubt = Math.max(0, 1 - 2 * computeTruthProbability(credibility));
  return instant(Math.round(now + milliseconds(Math.max(0, dueAt - now)) * doubt));
}

/**
 * Planned visits are made in addition to those for claims; the freshness benchmark shows that making fewer does not
 * pay.
 */
const MIN_GAIN = 2;

/**
 * Whether a visit is worth its price now, if the claim is true. It is if the copy now costs much more than it does on
 * average at the end of the interval that smart refresh has planned; a copy that is known to have missed a change costs
 * more than another one of the same age. For a page that changes several times in that interval, a claim says nothing
 * new: where visits are expensive, the other copies of its host would suffer.
 * @param interval mean time between two changes
 */
export function isWorthVisitingNow(interval: Duration, age: Duration, plannedInterval: Duration): boolean {
  const changes = age / interval;
  const knownStaleness = changes < 1e-6 ? 1 : computeMeanStaleness(changes) / -Math.expm1(-changes);
  return knownStaleness >= MIN_GAIN * computeMeanStaleness(plannedInterval / interval);
}

const EULER_GAMMA = 0.577_215_664_901_532_9;

/** Ein(x), the entire exponential integral: the expected harmonic number of a Poisson variable with mean x. */
function computeMeanStaleness(x: number): number {
  if (x > 20) return Math.log(x) + EULER_GAMMA;
  let term = x;
  let total = x;
  for (let k = 2; Math.abs(term) > 1e-9; k++) {
    term *= -x / k;
    total += term / k;
  }
  return total;
}
