/** When a URL is visited again, and what changed refresh times make of that. */
import { describe, expect, it } from 'vitest';
import {
  decide,
  document,
  INDEXED,
  NOW,
  type PartialRules,
  rules,
  state,
  YESTERDAY,
} from '../../../test/support/url-states.js';
import { INDEX, REFRESH } from '../frontier/sources.js';
import {
  type Duration,
  days,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
  NEVER,
  after as plus,
} from '../time/units.js';
import { decideDisposition } from './disposition.js';
import { createExclusion } from './exclusion.js';
import { computeFaultDelay, createFirstRefreshChanges, createRescheduleDisposition } from './revisit.js';
import type { UrlState } from './url-state.js';

describe('the next visit', () => {
  const due = (parts: PartialRules, from = INDEXED): readonly [Instant | undefined, unknown] => {
    const { dueAt, source } = decide(from, document(), { schedule: { period: undefined }, ...parts }).changes;
    return [dueAt, source];
  };

  it('is after the period of a server record, else between the ages of smart refresh, else at the time of the schedule', () => {
    expect(due({ schedule: { period: hours(2) } })).toEqual([plus(NOW, hours(2)), REFRESH]);
    expect(due({ refresh: { smart: false }, nextCron: plus(NOW, hours(9)) })).toEqual([plus(NOW, hours(9)), INDEX]);
    expect(due({ refresh: { smart: false } })).toEqual([NEVER, null]);
    const age = (refresh: PartialRules['refresh'], schedule: PartialRules['schedule'] = {}) =>
      due({ refresh, schedule: { period: undefined, ...schedule } })[0]! - NOW;
    expect(age({ minimumAge: hours(1), maximumAge: hours(1) })).toBe(hours(1));
    expect(age({}, { refreshMinimumAge: hours(3), refreshMaximumAge: hours(3) })).toBe(hours(3));
    expect(age({ maximumAge: hours(2) })).toBeGreaterThanOrEqual(hours(1));
    expect(age({ maximumAge: hours(2) })).toBeLessThanOrEqual(hours(2));
  });

  it('of a URL that its site excludes is after its period, or at the maximum age, or at the time of the schedule, or never', () => {
    const dueAt = (parts: PartialRules) =>
      decide(INDEXED, createExclusion('mime-type-excluded', undefined), {
        schedule: { period: undefined },
        ...parts,
      }).changes.dueAt;
    expect(dueAt({ schedule: { period: days(30) } })).toBe(plus(NOW, days(30)));
    expect(dueAt({ refresh: { maximumAge: hours(3) } })).toBe(plus(NOW, hours(3)));
    expect(dueAt({ refresh: { smart: false }, nextCron: plus(NOW, hours(9)) })).toBe(plus(NOW, hours(9)));
    expect(dueAt({ refresh: { smart: false } })).toBe(NEVER);
  });

  it('comes earlier the closer to the root and the more important the page is', () => {
    const wait = (hops: number, importance?: number) =>
      due(
        {
          schedule: { period: undefined, importance },
          visitPrice: hours(1),
          refresh: { minimumAge: minutes(1), maximumAge: days(300) },
        },
        { ...INDEXED, hops, changeInterval: days(2), changeUncertainty: 1 },
      )[0]! - NOW;
    expect(wait(0)).toBeLessThan(wait(3));
    expect(wait(3)).toBeLessThan(wait(15));
    expect(wait(15)).toBe(wait(16));
    expect(wait(3, 4)).toBeLessThan(wait(3));
    expect(wait(3, 1)).toBe(wait(3));
    // The importance falls with the square root of the distance.
    expect(wait(3, 2)).toBe(wait(0, 1));
  });

  it('of pages that were found together is spread, and that of one page is the same when it is computed again', () => {
    const at = (id: number, visits = 3) =>
      due(
        { schedule: { period: undefined } },
        { ...INDEXED, id, visits, changeInterval: days(2), changeUncertainty: 1 },
      )[0]!;
    expect(at(1)).toBe(at(1));
    expect(new Set(Array.from({ length: 50 }, (_, id) => at(id))).size).toBeGreaterThan(20);
    expect(at(1, 4)).toBe(at(2, 3));
  });

  it('of a page that another program visited is that of a first visit at its time', () => {
    expect(createFirstRefreshChanges(state(), rules(), YESTERDAY)).toEqual({
      source: REFRESH,
      dueAt: plus(YESTERDAY, hours(5)),
    });
  });
});

describe('a temporary redirect', () => {
  const away = state({ status: 'redirected', reason: 'redirected-for-now', lastVisitAt: instant(NOW - hours(1)) });
  const delays: PartialRules = { schedule: { period: days(5) }, errors: { retryDelay: minutes(2) } };

  it.each<[string, UrlState, boolean | undefined, PartialRules, string, number]>([
    ['soon, after the delay of the crawler', INDEXED, false, delays, 'redirected-for-now', minutes(2)],
    [
      'soon, after the delay of the URL',
      INDEXED,
      false,
      { ...delays, schedule: { period: days(5), retryDelay: minutes(7) } },
      'redirected-for-now',
      minutes(7),
    ],
    ['later each time', away, false, delays, 'redirected-for-now', hours(6)],
    ['soon, if it has just begun', { ...away, lastVisitAt: NOW }, false, delays, 'redirected-for-now', minutes(2)],
    ['no later than regularly', away, false, { schedule: { period: hours(5) } }, 'redirected-for-now', hours(5)],
    ['regularly, if it never had a document', state(), false, delays, 'redirected', days(5)],
    ['regularly, if the redirect is permanent', INDEXED, true, delays, 'redirected', days(5)],
    ['regularly, if nothing is known of its kind', INDEXED, undefined, delays, 'redirected', days(5)],
  ])('is requested again %s', (_, from, permanent, parts, reason, wait) => {
    const { changes } = decide(from, { kind: 'redirect', permanent }, parts);
    expect([changes.reason, changes.dueAt! - NOW]).toEqual([reason, wait]);
  });
});

describe('a fault of the crawler', () => {
  const before: Partial<UrlState> = {
    status: 'error',
    reason: 'robots-unreachable',
    lastVisitAt: instant(NOW - minutes(5)),
  };
  it.each([
    ['each time later, if it lasts', before, minutes(30)],
    ['after the usual delay at first', { ...before, lastVisitAt: undefined }, minutes(2)],
    ['after the usual delay after a good visit, however long ago', { ...before, status: 'indexed' }, minutes(2)],
    ['after the usual delay after another error', { ...before, reason: 'http-5xx' }, minutes(2)],
    ['after an hour at the latest', { ...before, lastVisitAt: instant(NOW - minutes(50)) }, hours(1)],
  ] as const)('is tried again %s', (_, from, delay) => {
    const retried = rules({ errors: { retryDelay: minutes(2) }, schedule: {} });
    expect(computeFaultDelay(state(from), 'robots-unreachable', retried, NOW)).toBe(delay);
  });
});

describe('when refresh times change', () => {
  const reschedule = (from: Partial<UrlState>, parts: PartialRules = {}) =>
    createRescheduleDisposition({ ...INDEXED, dueAt: plus(YESTERDAY, days(3)), ...from }, rules(parts), NOW);
  const period = (value: ReturnType<typeof hours>) => ({ schedule: { period: value } });

  it('a visit that would be too late is brought forward', () => {
    expect(reschedule({}, period(days(2)))).toEqual({
      remove: false,
      changed: false,
      changes: { source: REFRESH, dueAt: plus(YESTERDAY, days(2)) },
    });
  });

  it.each([
    ['is early enough', {}, period(days(3))],
    ['is earlier than necessary', {}, period(days(9))],
    ['was never made', { lastVisitAt: undefined }, period(hours(2))],
    ['is a retry', { temporaryErrors: 1 }, period(hours(2))],
    ['is not made any more', { status: 'removed' }, period(hours(2))],
    ['is within the maximum age', {}, { schedule: { period: undefined } }],
    [
      'is within the time for errors',
      {},
      { schedule: { period: undefined, errorExpiry: days(3), refreshMaximumAge: days(2) } },
    ],
    ['has no schedule', { source: INDEX }, { schedule: { period: undefined }, refresh: { smart: false } }],
    ['is due already', { dueAt: NOW }, { schedule: { period: undefined }, refresh: { smart: false } }],
    [
      'tries an error again',
      { status: 'error', reason: 'robots-unreachable' },
      { schedule: { period: undefined }, refresh: { smart: false } },
    ],
    [
      'checks a redirect',
      { status: 'redirected', reason: 'redirected-for-now' },
      { schedule: { period: undefined }, refresh: { smart: false } },
    ],
  ] as const)('a visit that %s stays as it is', (_, from, parts) => {
    expect(reschedule(from as Partial<UrlState>, parts)).toBeUndefined();
  });

  it('visits that are overdue by the new times are spread over one interval from now', () => {
    const delays = Array.from({ length: 200 }, (_, id) => reschedule({ id }, period(hours(10)))!.changes.dueAt! - NOW);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(hours(10));
    for (const quarter of [0, 1, 2, 3]) {
      const inQuarter = delays.filter((delay) => Math.floor(delay / hours(2.5)) === quarter);
      expect(inQuarter.length).toBeGreaterThan(40);
    }
  });

  it('a visit at the time of a schedule is not spread', () => {
    const nextCron = milliseconds(NOW - hours(1)) as unknown as Instant;
    const parts = { schedule: { period: undefined }, refresh: { smart: false }, nextCron };
    expect(reschedule({}, parts)).toMatchObject({ changes: { source: INDEX, dueAt: nextCron } });
  });

  it('nothing changes if the spread visit would not be earlier', () => {
    const soon = { dueAt: plus(NOW, milliseconds(1)), lastVisitAt: instant(NOW - days(20)) };
    expect(reschedule(soon, period(days(10)))).toBeUndefined();
  });
});

describe('a page with a temporary error', () => {
  const retry = (temporaryErrors: number, parts: PartialRules = {}, retryAfter?: Duration) =>
    decide(
      { ...INDEXED, temporaryErrors },
      { kind: 'error', code: 'http-503-retry-after', retryAfter },
      {
        errors: { maxTemporaryErrors: 40 },
        ...parts,
      },
    ).changes.dueAt! - NOW;

  it('is retried after one minute, then six times longer each time, up to a day', () => {
    expect([0, 1, 2, 3, 4, 30].map((count) => retry(count))).toEqual(
      [1, 6, 36, 216, 1_296, 1_440].map((count) => minutes(count)),
    );
  });

  it('is retried no later than at the maximum age', () => {
    expect(retry(30, { refresh: { maximumAge: hours(3) } })).toBe(hours(3));
    expect(retry(30, { schedule: { refreshMaximumAge: hours(2) } })).toBe(hours(2));
  });

  it('has its first delay from the URL, else from the crawler', () => {
    const errors = { maxTemporaryErrors: 40, retryDelay: minutes(2) };
    expect(retry(0, { errors })).toBe(minutes(2));
    expect(retry(0, { errors, schedule: { retryDelay: minutes(3) } })).toBe(minutes(3));
  });

  it('waits as long as the server asks, but not shorter than it would anyway', () => {
    expect(retry(0, {}, hours(1))).toBe(hours(1));
    expect(retry(2, {}, minutes(1))).toBe(minutes(36));
  });
});

it('a start URL is retried after permanent errors: soon, then less and less often, never later than at its regular visit', () => {
  let from: UrlState = { ...INDEXED, stamp: undefined };
  const delays = Array.from({ length: 8 }, () => {
    const { changes, order } = decideDisposition(
      from,
      { kind: 'error', code: 'http-404' },
      { ...rules({}), isStart: true },
      NOW,
    );
    expect([changes.status, order]).toEqual(['error', undefined]);
    from = { ...from, temporaryErrors: changes.temporaryErrors!, permanentError: true };
    return changes.dueAt! - NOW;
  });
  expect(delays[0]).toBeLessThanOrEqual(60_000);
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  const regular = decide({ ...INDEXED, stamp: undefined }, { kind: 'error', code: 'http-404' }).changes.dueAt! - NOW;
  expect(delays.at(-1)).toBeLessThanOrEqual(regular);
});
