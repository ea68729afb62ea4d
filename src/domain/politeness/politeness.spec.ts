import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hours, instant, milliseconds, minutes, after as moment, seconds } from '../time/units.js';
import {
  applyBackOff,
  applyGoodResponse,
  applyRequestEnd,
  applyRequestStart,
  computeNextRequestTime,
  computePauseAfterReading,
  computeRequestDelay,
  isHostError,
  type Politeness,
  UNVISITED,
} from './politeness.js';

const noon = instant(1_700_000_000_000);
const second = (n: number) => moment(noon, seconds(n));

describe('the crawl delay', () => {
  it('allows the first request to a host at once', () => {
    expect(computeNextRequestTime(UNVISITED)).toBe(0);
  });

  it('counts from the end of the response', () => {
    const sent = applyRequestStart(UNVISITED, noon, seconds(2));
    expect(computeNextRequestTime(sent)).toBe(second(2));
    expect(computeNextRequestTime(applyRequestEnd(sent, second(5), seconds(2)))).toBe(second(7));
  });

  it('is never shortened by a crawler with a shorter delay', () => {
    const long = applyRequestEnd(UNVISITED, noon, seconds(10));
    expect(computeNextRequestTime(applyRequestEnd(long, second(1), seconds(1)))).toBe(second(10));
  });

  it('is the longer of the throttle and the bounded Crawl-delay', () => {
    expect(computeRequestDelay(seconds(2), undefined)).toBe(2000);
    expect(computeRequestDelay(seconds(2), seconds(1))).toBe(2000);
    expect(computeRequestDelay(seconds(2), seconds(10))).toBe(10_000);
    expect(computeRequestDelay(seconds(2), seconds(86_400))).toBe(60_000);
    expect(computeRequestDelay(seconds(90), seconds(86_400))).toBe(90_000);
  });
});

describe('the back-off', () => {
  it('doubles from 5 s to an hour while the host does not recover', () => {
    let state: Politeness = UNVISITED;
    const waits: number[] = [];
    for (let n = 0; n < 12; n++) {
      const now = instant(Math.max(noon, state.backOffUntil));
      state = applyBackOff(state, now);
      waits.push((state.backOffUntil - now) / 1000);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  });

  it('starts again at 5 s once the host has responded well', () => {
    const resting = applyBackOff(applyBackOff(UNVISITED, noon), second(5));
    expect(resting.backOffStep).toBe(2);
    const well = applyGoodResponse(resting, second(16));
    expect(well.backOffStep).toBe(0);
    expect(applyBackOff(well, second(20)).backOffUntil).toBe(second(25));
  });

  it('is not ended by a response that was in flight when it began', () => {
    const resting = applyBackOff(UNVISITED, noon);
    expect(applyGoodResponse(resting, second(1))).toEqual(resting);
  });

  it('grows one step for all failures of one outage', () => {
    const resting = applyBackOff(UNVISITED, noon);
    expect(applyBackOff(resting, second(1))).toEqual(resting);
  });

  it('follows Retry-After, within 5 s and a day', () => {
    expect(applyBackOff(UNVISITED, noon, minutes(10)).backOffUntil).toBe(second(600));
    expect(applyBackOff(UNVISITED, noon, milliseconds(0)).backOffUntil).toBe(second(5));
    expect(applyBackOff(UNVISITED, noon, hours(1000)).backOffUntil).toBe(moment(noon, hours(24)));
  });

  it('is lengthened, and never shortened, by a Retry-After that comes later', () => {
    const resting = applyBackOff(UNVISITED, noon, seconds(60));
    expect(applyBackOff(resting, second(1), seconds(120)).backOffUntil).toBe(second(121));
    expect(applyBackOff(resting, second(1), seconds(120)).backOffStep).toBe(1);
    expect(applyBackOff(resting, second(1), seconds(10))).toEqual(resting);
  });

  it('does not change the crawl delay; the later of the two counts', () => {
    const state = applyBackOff(applyRequestEnd(UNVISITED, noon, seconds(30)), noon);
    expect(state.nextRequestAt).toBe(second(30));
    expect(computeNextRequestTime(state)).toBe(second(30));
    expect(computeNextRequestTime(applyBackOff(state, noon, seconds(40)))).toBe(second(40));
  });

  it('is caused by overload and outage, not by a single bad page', () => {
    expect(isHostError('http-429')).toBe(true);
    expect(isHostError('http-503-retry-after')).toBe(true);
    expect(isHostError('connection-refused')).toBe(true);
    expect(isHostError('http-404')).toBe(false);
    expect(isHostError('http-5xx')).toBe(false);
    expect(isHostError('dns-not-found')).toBe(false);
  });
});

describe('whatever happens in whatever order', () => {
  it('no event ever makes the next request earlier, and every wait is bounded', () => {
    const event = fc.record({
      kind: fc.constantFrom('started', 'finished', 'answered', 'back-off', 'retry-after'),
      passed: fc.nat(7_200_000),
      length: fc.nat(200_000_000),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state: Politeness = UNVISITED;
        let now = noon;
        for (const { kind, passed, length } of events) {
          now = moment(now, milliseconds(passed));
          const wasReadyAt = computeNextRequestTime(state);
          state = step(state, kind, now, length);
          expect(computeNextRequestTime(state)).toBeGreaterThanOrEqual(wasReadyAt);
          expect(state.backOffUntil).toBeLessThanOrEqual(moment(now, hours(24)));
          if (kind === 'finished')
            expect(computeNextRequestTime(state)).toBeGreaterThanOrEqual(
              moment(now, computeRequestDelay(seconds(2), milliseconds(length))),
            );
        }
      }),
    );
  });

  function step(state: Politeness, kind: string, now: typeof noon, length: number): Politeness {
    const delay = computeRequestDelay(seconds(2), milliseconds(length));
    if (kind === 'started') return applyRequestStart(state, now, delay);
    if (kind === 'finished') return applyRequestEnd(state, now, delay);
    if (kind === 'answered') return applyGoodResponse(state, now);
    return applyBackOff(state, now, kind === 'retry-after' ? milliseconds(length) : undefined);
  }
});

describe('the pause after a page that held its thread', () => {
  const pause = (delay: number, readingTime: number): number =>
    computePauseAfterReading(milliseconds(delay), milliseconds(readingTime));

  it('is the usual one for usual pages', () => {
    expect([pause(1_000, 5), pause(1_000, 110), pause(0, 5), pause(0, 900)]).toEqual([1_000, 1_000, 0, 0]);
    expect([pause(10, 40), pause(100, 50)]).toEqual([10, 100]);
  });

  it('leaves nine tenths of the thread to other hosts, also in a crawl without pauses', () => {
    expect([pause(1_000, 900), pause(1_000, 6_000), pause(0, 1_100)]).toEqual([8_100, 54_000, 9_900]);
    expect([pause(500, 120), pause(500, 190), pause(100, 60)]).toEqual([1_080, 1_710, 540]);
  });

  it('ends after five minutes', () => {
    expect(pause(0, 3_600_000)).toBe(300_000);
    expect(pause(400_000, 3_600_000)).toBe(400_000);
  });
});
