import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Duration, days, hours, milliseconds, minutes } from '../time/units.js';
import { freshnessInterval, nextVisit } from './smart-refresh.js';

const range = { minimumAge: hours(1), maximumAge: days(30) };
const price = hours(2);
const belief = (interval: Duration, doubt = 0.05) => ({ interval, doubt });

const beliefs = fc.record({
  interval: fc.integer({ min: minutes(6), max: days(7_300) }).map(milliseconds),
  doubt: fc.double({ min: 0.05, max: 4, noNaN: true }),
});
const prices = fc.integer({ min: minutes(1), max: days(50) }).map(milliseconds);
const draws = fc.double({ min: 0, max: 1, noNaN: true });

describe('the next visit', () => {
  it('is never earlier than the minimum age nor later than the maximum, whatever is believed', () => {
    const ranges = fc
      .tuple(fc.integer({ min: 1, max: days(30) }), fc.integer({ min: 0, max: days(300) }))
      .map(([minimum, more]) => ({ minimumAge: milliseconds(minimum), maximumAge: milliseconds(minimum + more) }));
    fc.assert(
      fc.property(beliefs, ranges, prices, draws, (believed, ages, cost, draw) => {
        const interval = nextVisit(believed, ages, { price: cost, draw });
        expect(interval).toBeGreaterThanOrEqual(ages.minimumAge);
        expect(interval).toBeLessThanOrEqual(ages.maximumAge);
      }),
    );
  });

  it('comes at about the best interval when the rate is known well', () => {
    for (const interval of [hours(8), days(1), days(10), days(100)]) {
      const found = nextVisit(belief(interval), range, { price, draw: 0.5 });
      const best = freshnessInterval(1 / interval, price);
      expect(found / best).toBeGreaterThan(0.9);
      expect(found / best).toBeLessThan(1.1);
    }
  });

  it('comes the later the seldomer a page changes that is worth its visits', () => {
    const intervals = [0.5, 1, 4, 30, 100].map((n) => nextVisit(belief(days(n)), range, { price, draw: 0.5 }));
    expect(intervals).toEqual([...intervals].sort((a, b) => a - b));
    expect(new Set(intervals).size).toBe(intervals.length);
  });

  it('comes at the maximum age for a page that no visit can keep fresh', () => {
    expect(nextVisit(belief(minutes(20)), range, { price, draw: 0.5 })).toBe(range.maximumAge);
  });

  it('moves out with the price of a visit', () => {
    fc.assert(
      fc.property(beliefs, prices, fc.integer({ min: 2, max: 20 }), draws, (believed, cost, times, draw) => {
        const cheap = nextVisit(believed, range, { price: cost, draw });
        const dear = nextVisit(believed, range, { price: milliseconds(cost * times), draw });
        expect(dear).toBeGreaterThanOrEqual(cheap);
      }),
    );
  });

  it('is spread by the draw the more, the less is known, and never far from the best', () => {
    const spread = (doubt: number) => {
      const at = (draw: number) => nextVisit(belief(days(5), doubt), range, { price, draw });
      return Math.max(at(0.05), at(0.95)) / Math.min(at(0.05), at(0.95));
    };
    expect(spread(0.05)).toBeLessThan(2);
    expect(spread(1)).toBeGreaterThan(2);
    expect(spread(4)).toBeLessThan(4.1);
  });
});

describe('the best interval of a page whose rate is known', () => {
  const rates = fc.double({ min: Math.log(1 / days(3000)), max: Math.log(1 / minutes(1)), noNaN: true }).map(Math.exp);

  it('is the one at which one more visit earns its price', () => {
    fc.assert(
      fc.property(rates, prices, (rate, cost) => {
        const interval = freshnessInterval(rate, cost);
        const r = rate * interval;
        if (rate * cost >= 1) expect(interval).toBe(Number.POSITIVE_INFINITY);
        else if (r > 1e-3) expect((1 - (1 + r) * Math.exp(-r)) / rate / cost).toBeCloseTo(1, 6);
        else expect(r).toBeCloseTo(Math.sqrt(2 * rate * cost), 4);
      }),
    );
  });

  it('beats every other way to spend the same visits on two pages', () => {
    const freshness = (rate: number, interval: number) => -Math.expm1(-rate * interval) / (rate * interval);
    fc.assert(
      fc.property(rates, rates, prices, fc.double({ min: 0.5, max: 2, noNaN: true }), (a, b, cost, factor) => {
        const [ia, ib] = [freshnessInterval(a, cost), freshnessInterval(b, cost)];
        const moved = { a: ia * factor, b: 1 / (1 / ia + 1 / ib - 1 / (ia * factor)) };
        fc.pre(Number.isFinite(ia) && Number.isFinite(ib) && moved.b > 0);
        const other = freshness(a, moved.a) + freshness(b, moved.b);
        expect(freshness(a, ia) + freshness(b, ib)).toBeGreaterThanOrEqual(other - 1e-9);
      }),
    );
  });
});
