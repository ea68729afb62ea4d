import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { before, days, hours, type Instant, instant, minutes } from '../time/units.js';
import { freshnessInterval, nextVisit, type VisitHistory } from './smart-refresh.js';

const range = { minimumAge: hours(1), maximumAge: days(30) };
const now: Instant = instant(1_700_000_000_000);
const ago = (time: ReturnType<typeof hours>): Instant => before(now, time);

/** A page visited at even intervals, of which the last `quiet` found no change and the first `changes` found one each. */
function visited(visits: number, interval: ReturnType<typeof hours>, changes: number): VisitHistory {
  const lastChangeAt = instant(now - (visits - 1 - changes) * interval);
  return { visits, changes, firstSeenAt: instant(now - (visits - 1) * interval), lastChangeAt };
}

const histories = fc
  .record({
    visits: fc.integer({ min: 1, max: 500 }),
    changes: fc.integer({ min: 0, max: 600 }),
    age: fc.integer({ min: 0, max: days(4000) }),
    changeAge: fc.option(fc.integer({ min: -days(1), max: days(5000) }), { nil: undefined }),
    modifiedAge: fc.option(fc.integer({ min: -days(10), max: days(20_000) }), { nil: undefined }),
    changed: fc.boolean(),
  })
  .map(({ visits, changes, age, changeAge, modifiedAge, changed }) => {
    const past = (time: number | undefined) => (time === undefined ? undefined : instant(now - time));
    const firstSeenAt = instant(now - age);
    return {
      changed,
      history: { visits, changes, firstSeenAt, lastChangeAt: past(changeAge), lastModified: past(modifiedAge) },
    };
  });

const ranges = fc
  .tuple(fc.integer({ min: 1, max: days(30) }), fc.integer({ min: 0, max: days(300) }))
  .map(([minimum, more]) => ({
    minimumAge: hours(minimum / hours(1)),
    maximumAge: hours((minimum + more) / hours(1)),
  }));

describe('the next visit', () => {
  it('is never earlier than the minimum age nor later than the maximum, whatever the history says', () => {
    fc.assert(
      fc.property(
        histories,
        ranges,
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ history, changed }, ages, jitter) => {
          const interval = nextVisit(history, ages, now, changed, { jitter });
          expect(interval).toBeGreaterThanOrEqual(ages.minimumAge);
          expect(interval).toBeLessThanOrEqual(ages.maximumAge);
        },
      ),
    );
  });

  it('is a time even when the clock stood still', () => {
    expect(nextVisit({ visits: 5, changes: 4, firstSeenAt: now, lastChangeAt: now }, range, now, true)).toBeLessThan(
      1.02 * range.minimumAge,
    );
  });

  it('comes the sooner the more visits of as many found a change', () => {
    const intervals = [0, 1, 3, 6, 12, 20].map((changes) =>
      nextVisit(visited(21, hours(24), changes), range, now, false),
    );
    expect(intervals).toEqual([...intervals].sort((a, b) => b - a));
    expect(new Set(intervals).size).toBe(intervals.length);
  });

  it('comes at the minimum age for a page that every visit finds changed at that age', () => {
    expect(nextVisit(visited(40, hours(1), 39), range, now, true)).toBeLessThan(1.02 * range.minimumAge);
  });

  it('moves out with every visit that finds nothing new, up to the maximum age', () => {
    const visits = [2, 4, 8, 16, 32, 64].map((n) =>
      nextVisit(visited(n, days(10), 0), { ...range, maximumAge: days(3) }, now, false),
    );
    expect(visits).toEqual([...visits].sort((a, b) => a - b));
    expect(visits.at(-1)).toBe(days(3));
  });

  it('starts from the age of the document on the first visit, when Last-Modified tells it', () => {
    const first = (lastModified?: Instant) =>
      nextVisit({ visits: 1, changes: 0, firstSeenAt: now, lastChangeAt: now, lastModified }, range, now, true);
    const unknown = first();
    expect(first(ago(days(2000)))).toBeGreaterThan(1.5 * unknown);
    expect(first(ago(hours(3)))).toBeLessThan(unknown / 1.5);
  });

  it('trusts a page the longer, the older it was when first seen', () => {
    const first = (lastModified: Instant) =>
      nextVisit({ visits: 1, changes: 0, firstSeenAt: now, lastChangeAt: now, lastModified }, range, now, true);
    const intervals = [1, 10, 100, 1000, 5000].map((age) => first(ago(days(age))));
    expect(intervals).toEqual([...intervals].sort((a, b) => a - b));
    expect(intervals[4]).toBeGreaterThan(1.3 * intervals[3]!);
  });

  it('believes its own visits rather than a Last-Modified from before them', () => {
    const lively = visited(40, hours(6), 39);
    const interval = nextVisit(lively, range, now, true);
    const contradicted = nextVisit({ ...lively, lastModified: ago(days(3000)) }, range, now, true);
    expect(contradicted / interval).toBeGreaterThan(0.7);
    expect(contradicted / interval).toBeLessThan(1.4);
  });

  it('takes a Last-Modified that is the time of the answer, or later, for none', () => {
    const first = (lastModified?: Instant) =>
      nextVisit({ visits: 1, changes: 0, firstSeenAt: now, lastChangeAt: now, lastModified }, range, now, true);
    expect(first(now)).toBe(first());
    expect(first(ago(minutes(4)))).toBe(first());
    expect(first(ago(hours(-5)))).toBe(first());
  });

  it('moves out for a page that has changed often and then calmed down', () => {
    const lively: VisitHistory = { visits: 200, changes: 150, firstSeenAt: ago(days(20)), lastChangeAt: ago(hours(2)) };
    const calm: VisitHistory = { visits: 220, changes: 150, firstSeenAt: ago(days(420)), lastChangeAt: ago(days(400)) };
    expect(nextVisit(lively, range, now, false)).toBeLessThan(hours(3));
    expect(nextVisit(calm, range, now, false)).toBeGreaterThan(hours(15));
  });

  it('moves out with the price of a visit', () => {
    fc.assert(
      fc.property(
        histories,
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 2, max: 20 }),
        ({ history, changed }, price, times) => {
          const cheap = nextVisit(history, range, now, changed, { price: hours(price) });
          expect(nextVisit(history, range, now, changed, { price: hours(price * times) })).toBeGreaterThanOrEqual(
            cheap,
          );
        },
      ),
    );
  });

  it('is spread by a tenth to both sides, evenly, by the jitter alone', () => {
    const at = (jitter: number) => nextVisit(visited(10, days(1), 3), range, now, false, { jitter });
    const middle = nextVisit(visited(10, days(1), 3), range, now, false);
    expect(at(0) / middle).toBeCloseTo(0.9, 6);
    expect(at(0.5)).toBe(middle);
    expect(at(1) / middle).toBeCloseTo(1.1, 6);
  });

  it('nears the best interval for the rate as the history grows', () => {
    const price = hours(2);
    for (const rate of [1 / days(1), 1 / days(10), 1 / days(100)]) {
      const interval = freshnessInterval(rate, price);
      const visits = 400;
      const share = 1 - Math.exp(-rate * interval);
      const history = {
        visits,
        changes: Math.round(share * (visits - 1)),
        firstSeenAt: instant(now - (visits - 1) * interval),
        lastChangeAt: instant(now - Math.floor(1 / share) * interval),
      };
      const found = nextVisit(history, { ...range, maximumAge: days(400) }, now, false, { price });
      expect(found / interval).toBeGreaterThan(0.9);
      expect(found / interval).toBeLessThan(1.1);
    }
  });
});

describe('the best interval of a page whose rate is known', () => {
  const rates = fc.double({ min: Math.log(1 / days(3000)), max: Math.log(1 / minutes(1)), noNaN: true }).map(Math.exp);
  const prices = fc.integer({ min: minutes(1), max: days(50) }).map((price) => hours(price / hours(1)));

  it('is the one at which one more visit earns its price', () => {
    fc.assert(
      fc.property(rates, prices, (rate, price) => {
        const interval = freshnessInterval(rate, price);
        const r = rate * interval;
        if (rate * price >= 1) expect(interval).toBe(Number.POSITIVE_INFINITY);
        else if (r > 1e-3) expect((1 - (1 + r) * Math.exp(-r)) / rate / price).toBeCloseTo(1, 6);
        else expect(r).toBeCloseTo(Math.sqrt(2 * rate * price), 4);
      }),
    );
  });

  it('beats every other way to spend the same visits on two pages', () => {
    const freshness = (rate: number, interval: number) => -Math.expm1(-rate * interval) / (rate * interval);
    fc.assert(
      fc.property(rates, rates, prices, fc.double({ min: 0.5, max: 2, noNaN: true }), (a, b, price, factor) => {
        const [ia, ib] = [freshnessInterval(a, price), freshnessInterval(b, price)];
        const moved = { a: ia * factor, b: 1 / (1 / ia + 1 / ib - 1 / (ia * factor)) };
        fc.pre(Number.isFinite(ia) && Number.isFinite(ib) && moved.b > 0);
        const other = freshness(a, moved.a) + freshness(b, moved.b);
        expect(freshness(a, ia) + freshness(b, ib)).toBeGreaterThanOrEqual(other - 1e-9);
      }),
    );
  });
});
