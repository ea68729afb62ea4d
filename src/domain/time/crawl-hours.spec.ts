import { describe, expect, it } from 'vitest';
import type { ScheduleDefinition, WindowDefinition } from '../crawl/schedule-definition.js';
import { findCrawlHours, findSchedule, listChangeTimes } from './crawl-hours.js';
import { instant, seconds } from './units.js';

const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];
const WORKDAYS = [1, 2, 3, 4, 5];
const at = (time: string) => instant(Date.parse(time));
const hour = (n: number): number => n * 60;
const window = (from: number, to: number, more: Partial<WindowDefinition> = {}): WindowDefinition => ({
  days: ALL_DAYS,
  from: hour(from),
  to: hour(to),
  crawl: true,
  ...more,
});
const schedule = (windows: WindowDefinition[], more: Partial<ScheduleDefinition> = {}): ScheduleDefinition => ({
  hosts: [],
  timeZone: 'UTC',
  outside: 'rest',
  windows,
  ...more,
});
const crawls = (one: ScheduleDefinition, times: readonly string[]): boolean[] =>
  times.map((time) => findCrawlHours(one, at(time)).crawls);

describe('the windows of a schedule', () => {
  it('include the first minute and exclude the end', () => {
    const day = schedule([window(8, 18)]);
    const times = ['07:59', '08:00', '17:59', '18:00'].map((time) => `2026-06-01T${time}:30Z`);
    expect(crawls(day, times)).toEqual([false, true, true, false]);
    // 2026-06-06 is a Saturday.
    const workdays = schedule([window(8, 18, { days: WORKDAYS })]);
    expect(crawls(workdays, ['2026-06-05T12:00Z', '2026-06-06T12:00Z'])).toEqual([true, false]);
  });

  it('may pass midnight and belong to the day on which they begin', () => {
    const night = schedule([window(22, 6, { days: WORKDAYS })]);
    // 2026-06-05 is a Friday.
    const times = [
      '2026-06-05T23:00Z',
      '2026-06-06T05:59Z',
      '2026-06-06T23:00Z',
      '2026-06-07T23:00Z',
      '2026-06-08T05:00Z',
    ];
    expect(crawls(night, times)).toEqual([true, true, false, false, false]);
  });

  it('follow their time zone, in summer and in winter', () => {
    const paris = schedule([window(22, 24)], { timeZone: 'Europe/Paris' });
    const times = ['2026-07-01T20:00Z', '2026-01-01T20:00Z', '2026-01-01T21:00Z'];
    expect(crawls(paris, times)).toEqual([true, false, true]);
  });

  it("are tried in order, and the schedule's own values apply outside of all", () => {
    const slow = window(8, 18, { throttle: seconds(10), bytesPerSecond: 5 });
    const lunch = window(12, 13, { crawl: false });
    const usual = schedule([lunch, slow], { outside: 'crawl', bytesPerSecond: 100 });
    expect(findCrawlHours(usual, at('2026-06-01T12:30Z')).crawls).toBe(false);
    expect(findCrawlHours(usual, at('2026-06-01T09:00Z'))).toEqual({
      crawls: true,
      throttle: 10_000,
      bytesPerSecond: 5,
    });
    expect(findCrawlHours(usual, at('2026-06-01T20:00Z'))).toEqual({ crawls: true, throttle: 0, bytesPerSecond: 100 });
    expect(findCrawlHours(schedule([]), at('2026-06-01T20:00Z'))).toEqual({ crawls: true, throttle: 0 });
  });

  it('change at their beginnings and ends only', () => {
    expect(listChangeTimes(schedule([window(22, 6), window(6, 24)]))).toEqual(['0 22 * * *', '0 6 * * *', '0 0 * * *']);
  });

  it('apply to hosts and their subdomains', () => {
    const [own, all] = [schedule([], { hosts: ['example.org', 'example.com'] }), schedule([])];
    expect(findSchedule([own, all], 'example.com')).toBe(own);
    expect(findSchedule([own, all], 'www.example.com')).toBe(own);
    expect(findSchedule([own, all], 'notexample.com')).toBe(all);
    expect(findSchedule([own], 'other.example')).toBeUndefined();
  });
});
