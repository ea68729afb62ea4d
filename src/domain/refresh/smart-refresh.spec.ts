import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Duration, days, hours, milliseconds, minutes } from '../time/units.js';
import { UNKNOWN_BELIEF, updateBelief } from './change-belief.js';
import { computeFreshnessInterval, computeNextVisit, REFRESH_OBJECTIVES, type RefreshRange } from './smart-refresh.js';
import { limitPrice } from './visit-price.js';

/**
 * The best interval for the harmonic objective. Averaged over an interval, a page that changes r times in it costs
 * Ein(r) less (r - 1 + exp(-r)) / r, where Ein is the entire exponential integral; its derivative with respect to the
 * visit frequency is r - 1 + exp(-r). Never infinite: however fast a page changes, its interval is at most the price plus one
 * mean time between changes.
 */
function computeHarmonicInterval(rate: number, price: Duration): Duration {
  const target = rate * price;
  if (!(target > 0)) return milliseconds(Number.POSITIVE_INFINITY);
  // Newton's method from above, where it cannot overshoot.
  let r = target + Math.sqrt(2 * target);
  for (let step = 0; step < 6; step++) r -= (r + Math.expm1(-r) - target) / -Math.expm1(-r);
  return milliseconds(r / rate);
}

const range: RefreshRange = { minimumAge: hours(1), maximumAge: days(30), objective: 'harmonic' };
const freshness: RefreshRange = { ...range, objective: 'freshness' };
const objectives = fc.constantFrom(...REFRESH_OBJECTIVES);
const price = hours(2);
const belief = (interval: Duration, uncertainty = 0.05) => ({ interval, uncertainty });

const beliefs = fc.record({
  interval: fc.integer({ min: minutes(6), max: days(7_300) }).map(milliseconds),
  uncertainty: fc.double({ min: 0.05, max: 4, noNaN: true }),
});
const prices = fc.integer({ min: minutes(1), max: days(50) }).map(milliseconds);
const draws = fc.double({ min: 0, max: 1, noNaN: true });

describe('the next visit', () => {
  it('is never earlier than the minimum age nor later than the maximum, whatever is believed', () => {
    const ranges = fc
      .tuple(fc.integer({ min: 1, max: days(30) }), fc.integer({ min: 0, max: days(300) }), objectives)
      .map(([minimum, more, objective]) => ({
        minimumAge: milliseconds(minimum),
        maximumAge: milliseconds(minimum + more),
        objective,
      }));
    fc.assert(
      fc.property(beliefs, ranges, prices, draws, (believed, ages, cost, draw) => {
        const interval = computeNextVisit(believed, ages, { price: cost, draw });
        expect(interval).toBeGreaterThanOrEqual(ages.minimumAge);
        expect(interval).toBeLessThanOrEqual(ages.maximumAge);
      }),
    );
  });

  it('comes at about the optimal interval when the rate is well known', () => {
    for (const interval of [hours(8), days(1), days(10), days(100)]) {
      const harmonic = computeNextVisit(belief(interval), range, { price, draw: 0.5 });
      const binary = computeNextVisit(belief(interval), freshness, { price, draw: 0.5 });
      expect(Math.abs(Math.log(harmonic / computeHarmonicInterval(1 / interval, price)))).toBeLessThan(0.1);
      expect(Math.abs(Math.log(binary / computeFreshnessInterval(1 / interval, price)))).toBeLessThan(0.1);
    }
  });

  it('comes later the less often a page changes, at any rate', () => {
    const rates = [hours(0.25), hours(12), days(4), days(30), days(100)];
    const intervals = rates.map((interval) => computeNextVisit(belief(interval), range, { price, draw: 0.5 }));
    expect(intervals).toEqual([...intervals].sort((a, b) => a - b));
    expect(new Set(intervals).size).toBe(intervals.length);
  });

  it('comes at the maximum age for a page that no visit can keep fresh, with the freshness objective only', () => {
    expect(computeNextVisit(belief(minutes(20)), freshness, { price, draw: 0.5 })).toBe(range.maximumAge);
    expect(computeNextVisit(belief(minutes(20)), range, { price, draw: 0.5 })).toBeLessThan(hours(3));
  });

  it('comes sooner to a page that changes at every visit than to one that never does, over sixty visits at any price', () => {
    const ages: RefreshRange = { minimumAge: hours(1), maximumAge: days(7), objective: 'harmonic' };
    for (const cost of [limitPrice(undefined, ages), hours(2), days(1)]) {
      const intervals = [true, false].map((changed) => {
        let believed = UNKNOWN_BELIEF;
        let elapsed: Duration | undefined;
        return Array.from({ length: 60 }, (_, visit) => {
          believed = updateBelief(believed, { elapsed, changed });
          elapsed = computeNextVisit(believed, ages, { price: cost, draw: (visit * 0.618) % 1 });
          return elapsed;
        });
      });
      const [lively, still] = intervals.map((all) => all.slice(10)) as [Duration[], Duration[]];
      expect(Math.max(...lively)).toBeLessThan(Math.min(...still));
    }
  });

  it('comes later the less often a page changes as learned from sixty visits, at any price', () => {
    const ages: RefreshRange = { minimumAge: hours(1), maximumAge: days(7), objective: 'harmonic' };
    let seed = 1;
    const random = (): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 2 ** 32;
    };
    const meanInterval = (every: Duration, cost: Duration): number => {
      let sum = 0;
      for (let page = 0; page < 100; page++) {
        let believed = UNKNOWN_BELIEF;
        let elapsed: Duration | undefined;
        for (let visit = 0; visit < 60; visit++) {
          believed = updateBelief(believed, { elapsed, changed: random() < -Math.expm1(-(elapsed ?? 0) / every) });
          elapsed = computeNextVisit(believed, ages, { price: cost, draw: (visit * 0.618) % 1 });
          if (visit >= 30) sum += elapsed;
        }
      }
      return sum / 3_000;
    };
    for (const cost of [limitPrice(undefined, ages), days(1)]) {
      const means = [hours(2), hours(12), days(3), days(15), days(100)].map((every) => meanInterval(every, cost));
      for (const [i, mean] of means.slice(1).entries()) expect(mean / means[i]!).toBeGreaterThan(1.1);
    }
  });

  it('comes about twice as often to a page of four times the importance', () => {
    const at = (importance: number) => computeNextVisit(belief(days(10)), range, { price, draw: 0.5, importance });
    expect(at(1) / at(4)).toBeGreaterThan(1.8);
    expect(at(1) / at(4)).toBeLessThan(2.2);
  });

  it('moves later as the price of a visit rises', () => {
    fc.assert(
      fc.property(beliefs, prices, objectives, draws, (believed, cost, objective, draw) => {
        const cheap = computeNextVisit(believed, { ...range, objective }, { price: cost, draw });
        const dear = computeNextVisit(believed, { ...range, objective }, { price: milliseconds(cost * 3), draw });
        expect(dear).toBeGreaterThanOrEqual(cheap);
      }),
    );
  });

  it('is spread at random more when less is known, and never far from the optimum', () => {
    const spread = (ages: RefreshRange, uncertainty: number) => {
      const at = (draw: number) => computeNextVisit(belief(days(5), uncertainty), ages, { price, draw });
      return Math.max(at(0.05), at(0.95)) / Math.min(at(0.05), at(0.95));
    };
    expect(spread(freshness, 0.05)).toBeLessThan(2);
    expect(spread(freshness, 1)).toBeGreaterThan(2);
    expect(spread(freshness, 4)).toBeLessThan(4.1);
    expect(spread(range, 0.05)).toBeGreaterThan(1.03);
    expect(spread(range, 0.05)).toBeLessThan(1.06);
    expect(spread(range, 1)).toBeGreaterThan(1.15);
    expect(spread(range, 4)).toBeLessThan(1.5);
  });

  it('comes sooner when the draw assumes a fast-changing page', () => {
    for (const ages of [range, freshness]) {
      const at = (draw: number) => computeNextVisit(belief(days(5), 1), ages, { price, draw });
      expect(at(0.9)).toBeLessThan(at(0.1));
    }
  });
});

describe('the best interval of a page whose rate is known', () => {
  const rates = fc.double({ min: Math.log(1 / days(3000)), max: Math.log(1 / minutes(1)), noNaN: true }).map(Math.exp);

  it('is the one at which one more visit earns its price', () => {
    fc.assert(
      fc.property(rates, prices, (rate, cost) => {
        const interval = computeFreshnessInterval(rate, cost);
        const r = rate * interval;
        if (rate * cost >= 1) expect(interval).toBe(Number.POSITIVE_INFINITY);
        else if (r > 1e-3) expect((1 - (1 + r) * Math.exp(-r)) / rate / cost).toBeCloseTo(1, 6);
        else expect(r).toBeCloseTo(Math.sqrt(2 * rate * cost), 4);
      }),
    );
  });

  it('is the one at which a missed change less earns its price, whatever the rate', () => {
    fc.assert(
      fc.property(rates, prices, (rate, cost) => {
        const r = rate * computeHarmonicInterval(rate, cost);
        if (r > 1e-3) expect((r + Math.expm1(-r)) / rate / cost).toBeCloseTo(1, 6);
        expect(computeHarmonicInterval(rate * 1.5, cost)).toBeLessThan(computeHarmonicInterval(rate, cost));
        expect(computeHarmonicInterval(rate, cost)).toBeLessThan(1 / rate + cost + Math.sqrt((2 * cost) / rate));
      }),
    );
  });

  it('beats every other way to spend the same visits on two pages', () => {
    const freshness = (rate: number, interval: number) => -Math.expm1(-rate * interval) / (rate * interval);
    fc.assert(
      fc.property(rates, rates, prices, fc.double({ min: 0.5, max: 2, noNaN: true }), (a, b, cost, factor) => {
        const [ia, ib] = [computeFreshnessInterval(a, cost), computeFreshnessInterval(b, cost)];
        const moved = { a: ia * factor, b: 1 / (1 / ia + 1 / ib - 1 / (ia * factor)) };
        fc.pre(Number.isFinite(ia) && Number.isFinite(ib) && moved.b > 0);
        const other = freshness(a, moved.a) + freshness(b, moved.b);
        expect(freshness(a, ia) + freshness(b, ib)).toBeGreaterThanOrEqual(other - 1e-9);
      }),
    );
  });
});
