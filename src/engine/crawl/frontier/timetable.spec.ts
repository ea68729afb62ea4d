import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { findNextCronTime } from '../../../adapters/system/cron.js';
import type { ScheduleDefinition, WindowDefinition } from '../../../domain/crawl/schedule-definition.js';
import { hours, instant, milliseconds, NEVER, seconds } from '../../../domain/time/units.js';
import type { GatedWindow } from './gate.js';
import { Timetable } from './timetable.js';

const at = (time: string) => instant(Date.parse(`2026-06-0${time}Z`));
const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];
const open = (from: number, to: number, parts: Partial<WindowDefinition> = {}): WindowDefinition => ({
  days: ALL_DAYS,
  from: from * 60,
  to: to * 60,
  crawl: true,
  ...parts,
});
const url = (key: string, ready = true): GatedWindow => ({ host: { key }, limit: 1, ready: [ready] });

function timetable(parts: Partial<ScheduleDefinition>, start = '1T12:00') {
  const clock = new ManualClock(at(start));
  const definition = { hosts: [], timeZone: 'UTC', outside: 'rest', windows: [], ...parts } as ScheduleDefinition;
  const offered: string[] = [];
  let lookups = 0;
  const cron: typeof findNextCronTime = (...time) => {
    if (++lookups > 3_000) throw new Error('the search for an opening does not end');
    return findNextCronTime(...time);
  };
  const gate = new Timetable(definition, { clock, cron }, ({ host }) => offered.push(host.key));
  return { clock, gate, takeOffered: () => offered.splice(0), countLookups: () => lookups };
}

describe('a schedule', () => {
  it('opens and closes at the times of its windows', () => {
    const { gate } = timetable({ windows: [open(8, 18), open(20, 22, { throttle: seconds(9) })] }, '1T07:00');
    const opening = (time: string) => [gate.getOpeningTime(at(time)), gate.getReopeningTime(at(time))];
    expect(opening('1T07:59')).toEqual([at('1T08:00'), at('1T08:00')]);
    expect(opening('1T08:00')).toEqual([at('1T08:00'), undefined]);
    expect(opening('1T17:59')).toEqual([at('1T17:59'), undefined]);
    expect(opening('1T18:00')).toEqual([at('1T20:00'), at('1T20:00')]);
    expect(gate.getThrottle(at('1T20:00'))).toBe(seconds(9));
    expect(opening('1T23:00')).toEqual([at('2T08:00'), at('2T08:00')]);
    expect(gate.getThrottle(at('2T08:00'))).toBe(0);
  });

  it('that never opens says so', () => {
    const { gate, clock, takeOffered } = timetable({ windows: [open(0, 24, { crawl: false })] });
    expect(gate.getOpeningTime(clock.now())).toBe(NEVER);
    gate.offerWhenOpen(url('a'));
    expect(clock.nextTimer).toBeUndefined();
    expect(takeOffered()).toEqual([]);
  });

  it('that never opens is given up after a thousand of its times, not searched to the end of time', () => {
    const { gate, clock, countLookups } = timetable({ windows: [open(8, 18, { crawl: false })] });
    expect(gate.getOpeningTime(clock.now())).toBe(NEVER);
    // Each window has two times.
    expect(countLookups()).toBeLessThanOrEqual(2 * 1_001);
  });

  it('offers the windows that wait when it opens', () => {
    const { gate, clock, takeOffered } = timetable({ windows: [open(14, 15)] });
    for (const key of ['a', 'b']) gate.offerWhenOpen(url(key));
    expect(takeOffered()).toEqual([]);
    clock.advance(hours(1.9));
    expect(takeOffered()).toEqual([]);
    clock.advance(hours(0.1));
    expect(takeOffered()).toEqual(['a', 'b']);
    expect(clock.nextTimer).toBeUndefined();
  });

  it('offers those that wait while it is open when a turn is passed over', () => {
    const { gate, takeOffered } = timetable({ windows: [open(8, 18)] });
    gate.offerWhenOpen(url('a'));
    expect(takeOffered()).toEqual([]);
    gate.onPassedOver();
    expect(takeOffered()).toEqual(['a']);
    gate.onPassedOver();
    expect(takeOffered()).toEqual([]);
  });

  it('that was closed offers nothing more', () => {
    const { gate, clock, takeOffered } = timetable({ windows: [open(14, 15)] });
    gate.offerWhenOpen(url('a'));
    gate.close();
    clock.advance(hours(9));
    expect(takeOffered()).toEqual([]);
  });

  it.each([
    ['was closed then and opened since', '1T07:00', '1T12:00', true],
    ['was closed then and is in its next window', '1T19:00', '1T20:00', true],
    ['has opened twice since', '1T19:00', '2T08:00', false],
    ['has closed again since', '1T07:00', '1T18:00', false],
    ['is in a later window', '1T07:00', '1T20:30', false],
    ['was open then', '1T12:00', '1T13:00', false],
  ])('says whether it is open for the first time since a moment: it %s', (_, then, now, expected) => {
    const { gate } = timetable({ windows: [open(8, 18), open(20, 22)] });
    expect(gate.isFirstOpening(at(then), at(now))).toBe(expected);
  });
});

describe('a limit of bytes', () => {
  const limited = () => timetable({ bytesPerSecond: 1_000 });

  it('closes the gate until the bytes received are within it; a second that was not used may be used later', () => {
    const { gate, clock } = limited();
    const wait = () => Math.max(0, gate.getOpeningTime(clock.now()) - clock.now());
    expect(wait()).toBe(0);
    gate.onFetched({}, 1_000);
    expect(wait()).toBe(0);
    gate.onFetched({}, 3_000);
    expect(wait()).toBe(3_000);
    clock.advance(seconds(1));
    gate.onFetched({}, 500);
    expect(wait()).toBe(2_500);
    clock.advance(hours(1));
    gate.onFetched({}, 2_000);
    expect(wait()).toBe(1_000);
    expect(gate.getReopeningTime(clock.now())).toBeUndefined();
  });

  it('offers at most 32 windows with URLs at once, and the next ones when a page has arrived', () => {
    const { gate, takeOffered, clock } = limited();
    gate.onFetched({}, 2_000);
    for (let i = 0; i < 40; i++) gate.offerWhenOpen(url(`${i}`));
    expect(takeOffered()).toEqual([]);
    clock.advance(seconds(0.9));
    expect(takeOffered()).toEqual([]);
    clock.advance(seconds(0.1));
    expect(takeOffered()).toHaveLength(32);
    gate.onFetched({}, 100);
    expect(takeOffered()).toEqual([]);
    clock.advance(milliseconds(100));
    expect(takeOffered()).toHaveLength(8);
  });

  it('looks again no sooner than after 50 ms', () => {
    const { gate, clock } = limited();
    gate.onFetched({}, 1_010);
    gate.offerWhenOpen(url('a'));
    expect(clock.nextTimer! - clock.now()).toBe(50);
  });

  it('does not count while there is none', () => {
    const { gate, clock } = timetable({ windows: [open(8, 18), open(20, 22, { bytesPerSecond: 1 })] });
    gate.onFetched({}, 1e9);
    expect(gate.getOpeningTime(clock.now())).toBe(clock.now());
    expect(gate.getOpeningTime(at('1T20:00'))).toBeLessThanOrEqual(at('1T20:00'));
  });
});
