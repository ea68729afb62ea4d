import { describe, expect, it } from 'vitest';
import { type Duration, days, hours, instant, milliseconds, minutes } from '../time/units.js';
import { UNKNOWN_BELIEF } from './change-belief.js';
import { computeNextVisit } from './smart-refresh.js';
import { limitPrice, updatePrice } from './visit-price.js';

const range = { minimumAge: hours(1), maximumAge: days(30), objective: 'freshness' } as const;

/** A visit that was planned after ten days and came late by `lateBy`; `next` is the interval wanted now. */
const visit = (lateBy: Duration, next: Duration = days(10), sincePriced?: Duration) => ({
  lastVisitAt: instant(0),
  dueAt: instant(days(10)),
  now: instant(days(10) + lateBy),
  nextInterval: next,
  timeSincePriced: sincePriced,
});

/** The price after such visits, a minute apart, during ten days, which is the time planned between two visits. */
const afterTenDays = (price: Duration, lateBy: Duration, next?: Duration): Duration => {
  let moved = price;
  for (let i = 0; i < 10 * 24 * 60; i++) moved = updatePrice(moved, visit(lateBy, next, minutes(1)));
  return moved;
};

describe('the price of a visit', () => {
  it('falls while visits are on time', () => {
    expect(afterTenDays(hours(10), minutes(0)) / hours(10)).toBeCloseTo(Math.exp(-0.2), 6);
    expect(afterTenDays(hours(10), hours(9)) / hours(10)).toBeCloseTo(Math.exp(-0.1), 6);
    expect(afterTenDays(hours(10), hours(17.9)) / hours(10)).toBeCloseTo(1, 2);
  });

  it('falls after a visit that was due at once as after any other that is on time', () => {
    const visited = updatePrice(hours(10), { ...visit(hours(0)), dueAt: instant(0) });
    expect(visited / hours(10)).toBeCloseTo(Math.exp(-0.2 / 30), 9);
  });

  it('falls after a visit that came early as after one that is on time', () => {
    expect(updatePrice(hours(10), visit(hours(-48)))).toBe(updatePrice(hours(10), visit(hours(0))));
  });

  it('rises while visits are late, faster the more visits are wanted for each one made', () => {
    const hardly = afterTenDays(hours(10), hours(18.1), days(10));
    const little = afterTenDays(hours(10), days(2), days(10));
    const much = afterTenDays(hours(10), days(3), days(10));
    expect(hardly / hours(10)).toBeCloseTo(1, 2);
    expect(little / hours(10)).toBeCloseTo(Math.exp(2 * (1.2 / 1.075 - 1)), 6);
    expect(much / hours(10)).toBeCloseTo(Math.exp(2 * (1.3 / 1.075 - 1)), 6);
    expect(afterTenDays(hours(10), days(400), hours(1)) / hours(10)).toBeCloseTo(Math.exp(0.5), 6);
  });

  it('falls when the late visits are no longer wanted at this price', () => {
    expect(afterTenDays(hours(10), days(2), days(15))).toBeLessThan(hours(10));
  });

  it('is moved by a rare visit, the first one included, as by a thirtieth of a day', () => {
    const rare = updatePrice(hours(10), visit(days(100), hours(1), days(3)));
    expect(rare / hours(10)).toBeCloseTo(Math.exp(0.5 / 30), 9);
    expect(updatePrice(hours(10), visit(days(100), hours(1)))).toBe(rare);
  });

  it('moves as slowly as its effect shows: slower for pages that are visited every ten days', () => {
    const often = { ...visit(minutes(0), hours(1), minutes(1)), lastVisitAt: instant(days(10) - hours(1)) };
    const seldom = visit(minutes(0), days(10), minutes(1));
    const moved = (one: typeof seldom) => Math.log(updatePrice(hours(10), one) / hours(10));
    expect(moved(often) / moved(seldom)).toBeCloseTo(10, 6);
  });

  it('stays within the range in which the ages differ', () => {
    const cheapest = limitPrice(undefined, range);
    const dearest = limitPrice(days(1_000), range);
    expect(limitPrice(hours(7), range)).toBe(hours(7));
    const most = { interval: milliseconds(range.minimumAge / 1.7933), uncertainty: 0.05 };
    expect(computeNextVisit(most, range, { price: cheapest, draw: 0.5 })).toBeLessThan(hours(1.6));
    for (const interval of [minutes(10), hours(3), days(5), days(300)])
      expect(computeNextVisit({ ...UNKNOWN_BELIEF, interval }, range, { price: dearest, draw: 0.5 })).toBe(
        range.maximumAge,
      );
  });

  it('can move all pages to the maximum age with the harmonic objective, too', () => {
    const harmonic = { ...range, objective: 'harmonic' } as const;
    const dearest = limitPrice(days(1_000), harmonic);
    for (const interval of [minutes(10), hours(3), days(5), days(300)])
      expect(computeNextVisit({ ...UNKNOWN_BELIEF, interval }, harmonic, { price: dearest, draw: 0.5 })).toBe(
        range.maximumAge,
      );
  });

  it('settles where the host serves what its pages want, and stays there', () => {
    // 1,000 pages that change once in ten days, and 100 visits a day.
    const known = { interval: days(10), uncertainty: 0.05 };
    let price = limitPrice(undefined, range);
    const due = Array.from({ length: 1_000 }, (_, page) => ({ page, lastVisitAt: 0, dueAt: 0 }));
    const prices: number[] = [];
    for (let slot = 0; slot < 40_000; slot++) {
      const now = instant((slot * days(1)) / 100);
      const url = due.reduce((a, b) => (b.dueAt < a.dueAt ? b : a));
      if (url.dueAt > now) continue;
      const next = computeNextVisit(known, range, { price, draw: (url.page * 0.618 + slot * 0.1) % 1 });
      const times = { lastVisitAt: instant(url.lastVisitAt), dueAt: instant(url.dueAt), now };
      price = limitPrice(
        updatePrice(price, { ...times, nextInterval: next, timeSincePriced: milliseconds(days(1) / 100) }),
        range,
      );
      Object.assign(url, { lastVisitAt: now, dueAt: now + next });
      if (slot > 20_000) prices.push(price);
    }
    // The price at one visit in ten days: 1 - 2/e of ten days.
    const best = days(10) * (1 - 2 / Math.E);
    expect(prices.reduce((sum, one) => sum + one) / prices.length / best).toBeGreaterThan(0.65);
    expect(prices.reduce((sum, one) => sum + one) / prices.length / best).toBeLessThan(1.2);
    expect(Math.max(...prices) / Math.min(...prices)).toBeLessThan(6);
  });
});
