import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds, seconds } from '../time/units.js';
import { adaptPause, type ServerPace, UNKNOWN_PACE, updatePace } from './server-pace.js';

const answered = (durations: readonly number[], status = 200, pace: ServerPace = UNKNOWN_PACE): ServerPace =>
  durations.reduce((now, duration) => updatePace(now, milliseconds(duration), status), pace);
const times = (count: number, duration: number): number[] => Array.from({ length: count }, () => duration);
const delay = seconds(2);

describe('the pause that follows the response times of a server', () => {
  it('is as configured while the server responds as usual, fast or slow', () => {
    for (const usual of [20, 400, 3_000]) expect(adaptPause(delay, answered(times(200, usual)))).toBe(delay);
  });

  it('grows while the server is slower than usual, and shrinks again with it', () => {
    const usual = answered(times(200, 300));
    const slow = answered(times(10, 3_000), 200, usual);
    expect(adaptPause(delay, slow)).toBeGreaterThan(2 * delay);
    expect(adaptPause(delay, slow)).toBeLessThanOrEqual(8 * delay);
    expect(adaptPause(delay, answered(times(40, 300), 200, slow))).toBe(delay);
  });

  it('counts the first response as usual even if it fails, and no later failure', () => {
    const failing = answered([900], 503);
    expect(failing.usualTime).toBe(900);
    expect(answered([90_000], 503, failing).usualTime).toBe(900);
  });

  it('grows as many times as the server is slower than usual, from more than twice to eight times', () => {
    const pauseAt = (recent: number) =>
      adaptPause(delay, { usualTime: seconds(1), recentTime: seconds(recent), responseCount: 10, isFailing: false });
    expect([2, 3, 8, 20].map(pauseAt)).toEqual([delay, 3 * delay, 8 * delay, 8 * delay]);
  });

  it('stays as configured until ten responses have shown what is usual', () => {
    const slowEnd = (usual: number) =>
      adaptPause(delay, answered([5_000], 200, answered([5_000], 503, answered(times(usual, 100)))));
    expect(slowEnd(7)).toBe(delay);
    expect(slowEnd(8)).toBeGreaterThan(delay);
  });

  it('doubles after a 5xx, whose response time is not typical', () => {
    const failing = answered([5_000, 5_000], 503, answered(times(50, 100)));
    expect(adaptPause(delay, failing)).toBeGreaterThanOrEqual(2 * delay);
    expect(failing.usualTime).toBeCloseTo(100, 6);
  });

  it('is never shorter than configured, at most a minute unless configured longer, and stays zero when zero', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 120_000 }), { maxLength: 100 });
    fc.assert(
      fc.property(
        durations,
        fc.constantFrom(200, 500),
        fc.integer({ min: 1, max: 120_000 }),
        (all, status, configured) => {
          const pause = adaptPause(milliseconds(configured), answered(all, status));
          expect(pause).toBeGreaterThanOrEqual(configured);
          expect(pause).toBeLessThanOrEqual(Math.max(configured, seconds(60)));
          expect(adaptPause(milliseconds(0), answered(all, status))).toBe(0);
        },
      ),
    );
  });
});
