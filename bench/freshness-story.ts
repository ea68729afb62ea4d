/**
 * When smart refresh comes back: the intervals of a page that changes at every visit beside those of one that never changes, over
 * sixty visits, then pages of five rates. The engine's own belief and interval, with the default ages, at two prices of a visit.
 */
import { type ChangeBelief, UNKNOWN, updateBelief } from '../src/domain/refresh/change-belief.js';
import { computeNextVisit, type RefreshRange } from '../src/domain/refresh/smart-refresh.js';
import { limitPrice } from '../src/domain/refresh/visit-price.js';
import { type Duration, days, hours, milliseconds } from '../src/domain/time/units.js';
import { seeded } from './freshness-web.js';

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
  ['with room for every visit', undefined],
  ['where a visit costs a day', days(1)],
];

/** Intervals between the visits of a page of which `changes` says whether it has changed in the time since the last one. */
function intervals(
  range: RefreshRange,
  price: Duration | undefined,
  changes: (elapsed: Duration) => boolean,
): number[] {
  const cost = limitPrice(price, range);
  let belief: ChangeBelief = UNKNOWN;
  let elapsed: Duration | undefined;
  return Array.from({ length: VISITS }, (_, visit) => {
    belief = updateBelief(belief, { elapsed, changed: elapsed === undefined || changes(elapsed) });
    elapsed = computeNextVisit(belief, range, { price: cost, draw: (visit * 0.618_033_988_749_895) % 1 });
    return elapsed;
  });
}

const inHours = (time: number): string => (time / hours(1)).toFixed(1);

export function story(): void {
  for (const objective of ['harmonic', 'freshness'] as const) {
    const range = { ...AGES, objective };
    for (const [where, price] of PRICES) {
      console.log(`\n${objective}, ${where}: hours to the next visit, visit 1 to ${VISITS}`);
      console.log(
        `changes at every visit: ${intervals(range, price, () => true)
          .map(inHours)
          .join(' ')}`,
      );
      console.log(
        `never changes: ${intervals(range, price, () => false)
          .map(inHours)
          .join(' ')}`,
      );
      console.log(`\n| changes once in | hours between visits 31 to ${VISITS}, mean of 100 pages |\n|---|---|`);
      for (const [name, every] of RATES) console.log(`| ${name} | ${inHours(meanInterval(range, price, every))} |`);
    }
  }
}

/** Of pages that change at random times with this mean between two changes. */
function meanInterval(range: RefreshRange, price: Duration | undefined, every: Duration): Duration {
  const pages = Array.from({ length: 100 }, (_, page) => {
    const random = seeded(page);
    return intervals(range, price, (elapsed) => random() < -Math.expm1(-elapsed / every)).slice(VISITS / 2);
  }).flat();
  return milliseconds(pages.reduce((sum, interval) => sum + interval, 0) / pages.length);
}
