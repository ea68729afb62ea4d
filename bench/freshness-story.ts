/**
 * Shows when smart refresh visits a page again: the intervals for a page that changes at every visit and for one that
 * never changes, over sixty visits, and then the mean intervals for pages with five different rates. Change belief and
 * interval are computed by the engine's own functions, with the default ages and two visit prices.
 */
import { type ChangeBelief, UNKNOWN_BELIEF, updateBelief } from '../src/domain/refresh/change-belief.js';
import { computeNextVisit, type RefreshRange } from '../src/domain/refresh/smart-refresh.js';
import { limitPrice } from '../src/domain/refresh/visit-price.js';
import { type Duration, days, hours, milliseconds } from '../src/domain/time/units.js';
import { createRandom } from './freshness-web.js';

const VISITS = 60;
const AGES = { minimumAge: hours(1), maximumAge: days(7) };
const RATES: readonly (readonly [name: string, every: Duration])[] = [
  ['2 hours', hours(2)],
  ['12 hours', hours(12)],
  ['3 days', days(3)],
  ['15 days', days(15)],
  ['100 days', days(100)],
];
const PRICES: readonly (readonly [name: string, price: Duration | undefined])[] = [
  ['a host that can serve every visit', undefined],
  ['a visit price of one day', days(1)],
];

/** @param hasChanged whether the page has changed in the time since its last visit */
function computeIntervals(
  range: RefreshRange,
  price: Duration | undefined,
  hasChanged: (elapsed: Duration) => boolean,
): number[] {
  const visitPrice = limitPrice(price, range);
  let belief: ChangeBelief = UNKNOWN_BELIEF;
  let elapsed: Duration | undefined;
  return Array.from({ length: VISITS }, (_, visit) => {
    belief = updateBelief(belief, { elapsed, changed: elapsed === undefined || hasChanged(elapsed) });
    elapsed = computeNextVisit(belief, range, { price: visitPrice, draw: (visit * 0.618_033_988_749_895) % 1 });
    return elapsed;
  });
}

const formatHours = (time: number): string => (time / hours(1)).toFixed(1);

export function printStory(): void {
  for (const objective of ['harmonic', 'freshness'] as const) {
    const range = { ...AGES, objective };
    for (const [condition, price] of PRICES) {
      console.log(`\n${objective}, ${condition}: hours to the next visit, visit 1 to ${VISITS}`);
      console.log(
        `changes at every visit: ${computeIntervals(range, price, () => true)
          .map(formatHours)
          .join(' ')}`,
      );
      console.log(
        `never changes: ${computeIntervals(range, price, () => false)
          .map(formatHours)
          .join(' ')}`,
      );
      console.log(
        `\n| changes once every | hours between visits (visits 31 to ${VISITS}, mean of 100 pages) |\n|---|---|`,
      );
      for (const [name, every] of RATES)
        console.log(`| ${name} | ${formatHours(computeMeanInterval(range, price, every))} |`);
    }
  }
}

/** Mean interval between visits of pages that change at random times, on average once in `every`. */
function computeMeanInterval(range: RefreshRange, price: Duration | undefined, every: Duration): Duration {
  const pages = Array.from({ length: 100 }, (_, page) => {
    const random = createRandom(page);
    return computeIntervals(range, price, (elapsed) => random() < -Math.expm1(-elapsed / every)).slice(VISITS / 2);
  }).flat();
  return milliseconds(pages.reduce((sum, interval) => sum + interval, 0) / pages.length);
}
