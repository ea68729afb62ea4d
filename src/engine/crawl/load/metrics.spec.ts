/** The counters of a crawler: rates over a minute, the histogram of fetches, the average price of a visit, and their sums. */
import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { hours, milliseconds, seconds } from '../../../domain/time/units.js';
import { mergeMetrics, Rate, Tally } from './metrics.js';

it.each([
  ['one second after the start: those of that second', [[0, 6]], 1, 6],
  ['half a minute after the start: divided by that half', [[0, 30]], 30, 1],
  ['a minute after the start: divided by the minute', [[1, 60]], 60, 1],
  [
    'later: those of the last minute alone',
    [
      [0, 600],
      [90, 30],
    ],
    100,
    0.5,
  ],
  ['an event of 59 seconds ago', [[100, 60]], 159, 1],
  ['an event of a minute ago', [[100, 60]], 160, 0],
  ['many hours after the last event', [[0, 60]], 10_000, 0],
  [
    'several events of one second',
    [
      [100, 20],
      [100.4, 40],
    ],
    101,
    1,
  ],
] as const)('events per second, %s', (_, events, at, expected) => {
  const clock = new ManualClock();
  const rate = new Rate(clock);
  let passed = 0;
  const passTo = (second: number): void => {
    clock.advance(milliseconds((second - passed) * 1_000));
    passed = second;
  };
  for (const [second, count] of events) {
    passTo(second);
    rate.add(count);
  }
  passTo(at);
  expect(rate.perSecond()).toBeCloseTo(expected, 9);
});

/** A crawler's tally with visits that took so many milliseconds. */
function tally(...durations: readonly number[]): Tally {
  const counted = new Tally(new ManualClock());
  for (const duration of durations) counted.countVisit('indexed', false, duration, 100);
  return counted;
}
const metricsOf = (counted: Tally, name = 'docs') => ({
  ...counted.getMetrics(name),
  activeFetches: 1,
  visitsInFlight: 2,
});

it('a visit is in the bucket of its time and in all above it, those included that it fills to the limit', () => {
  const { fetchSeconds } = metricsOf(tally(5, 6, 1_000, 60_000, 60_001));
  expect(fetchSeconds.count).toBe(5);
  expect(fetchSeconds.sum).toBeCloseTo(121.012, 6);
  const buckets = new Map(fetchSeconds.buckets);
  expect([0.005, 0.01, 0.5, 1, 30, 60].map((limit) => buckets.get(limit))).toEqual([1, 2, 2, 3, 3, 4]);
});

it('failed visits are pages and errors, all others are pages', () => {
  const counted = tally(1, 1);
  counted.countVisit('http-404', true, 1, 50);
  expect([counted.visits, counted.bytes]).toEqual([3, 250]);
  expect([counted.pages.perSecond(), counted.errors.perSecond()]).toEqual([3, 1]);
});

it('the price of a visit follows new prices by a hundredth of the difference, from the first one on', () => {
  const counted = tally();
  const price = () => metricsOf(counted).visitPrices[0]?.price;
  expect(price()).toBeUndefined();
  counted.recordPrice(hours(1));
  expect(price()).toBe(hours(1));
  counted.recordPrice(seconds(0));
  expect(price()).toBeCloseTo(hours(0.99), 3);
});

it('the counters of crawlers are listed beside each other, and what has no crawler is added up', () => {
  const merged = mergeMetrics([metricsOf(tally(5, 700), 'a'), metricsOf(tally(700), 'b')]);
  expect(merged.bytes.map(({ crawler }) => crawler)).toEqual(['a', 'b']);
  expect(merged).toMatchObject({ activeFetches: 2, visitsInFlight: 4, fetchSeconds: { count: 3 } });
  expect(merged.fetchSeconds.sum).toBeCloseTo(1.405, 6);
  const buckets = new Map(merged.fetchSeconds.buckets);
  expect([0.005, 0.5, 1].map((limit) => buckets.get(limit))).toEqual([1, 1, 3]);
  expect(mergeMetrics([]).fetchSeconds).toEqual({ sum: 0, count: 0, buckets: [] });
});

it('pages, unread documents, orders, renderings and the requests refused to scripts are counted by kind', () => {
  const counted = tally(1);
  expect(metricsOf(counted).rendering).toEqual([]);
  counted.countVisit('http-404', true, 1, 1);
  counted.countVisit('http-404', true, 1, 1);
  for (const reason of ['too-large', 'encrypted', 'too-large'] as never[]) counted.countUnread(reason);
  for (const state of ['refused', 'acknowledged', 'refused']) counted.countOrder('add', state);
  const rendering = { time: seconds(2), requests: 0, ownRequests: 0 };
  counted.countRendering({ ...rendering, refused: { robots: 2 } });
  counted.countRendering({ ...rendering, refused: { robots: 1, limit: 4 } });
  counted.countRendering({ ...rendering, refused: {}, failure: 'render-timeout' });
  const crawler = 'docs';
  expect(metricsOf(counted)).toMatchObject({
    pages: [
      { crawler, outcome: 'indexed', count: 1 },
      { crawler, outcome: 'http-404', count: 2 },
    ],
    unread: [
      { crawler, reason: 'too-large', count: 2 },
      { crawler, reason: 'encrypted', count: 1 },
    ],
    orders: [
      { crawler, kind: 'add', state: 'refused', count: 2 },
      { crawler, kind: 'add', state: 'acknowledged', count: 1 },
    ],
    rendering: [{ crawler, pages: { rendered: 2, 'render-timeout': 1 }, seconds: 6, refused: { robots: 3, limit: 4 } }],
  });
  expect(counted.orders.perSecond()).toBe(3);
});
