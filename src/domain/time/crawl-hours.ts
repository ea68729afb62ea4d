/** Determines what a schedule prescribes at a given time, and when that may change. Pure functions, without clocks. */
import type { ScheduleDefinition, WindowDefinition } from '../crawl/schedule-definition.js';
import { type Duration, type Instant, milliseconds } from './units.js';

export interface CrawlHours {
  readonly crawls: boolean;
  /** Minimum pause between two requests to one web server. */
  readonly throttle: Duration;
  /** Absent if there is no limit. */
  readonly bytesPerSecond?: number;
}

interface LocalTime {
  /** 0 is Sunday. */
  readonly day: number;
  /** Minutes since midnight. */
  readonly minute: number;
}

const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MINUTES_PER_DAY = 24 * 60;

export function findCrawlHours(schedule: ScheduleDefinition, at: Instant): CrawlHours {
  const { windows, outside, bytesPerSecond: defaultRate } = schedule;
  const localTime = windows.length === 0 ? undefined : toLocalTime(at, schedule.timeZone);
  const window = localTime && windows.find((candidate) => containsTime(candidate, localTime));
  const bytesPerSecond = window?.bytesPerSecond ?? defaultRate;
  return {
    crawls: window?.crawl ?? (windows.length === 0 || outside === 'crawl'),
    throttle: window?.throttle ?? milliseconds(0),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
  };
}

/** Lists five-field cron expressions for the times at which a window may begin or end. */
export function listChangeTimes({ windows }: ScheduleDefinition): string[] {
  const minutes = new Set(windows.flatMap(({ from, to }) => [from % MINUTES_PER_DAY, to % MINUTES_PER_DAY]));
  return [...minutes].map((minute) => `${minute % 60} ${Math.floor(minute / 60)} * * *`);
}

export const findSchedule = (
  schedules: readonly ScheduleDefinition[],
  hostname: string,
): ScheduleDefinition | undefined =>
  schedules.find(({ hosts }) => hosts.length === 0 || hosts.some((host) => isSameOrSubdomain(hostname, host)));

const isSameOrSubdomain = (hostname: string, host: string): boolean =>
  hostname === host || hostname.endsWith(`.${host}`);

function containsTime({ days, from, to }: WindowDefinition, { day, minute }: LocalTime): boolean {
  if (from < to) return days.includes(day) && minute >= from && minute < to;
  const yesterday = (day + 6) % 7;
  return (days.includes(day) && minute >= from) || (days.includes(yesterday) && minute < to);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function toLocalTime(at: Instant, timeZone: string): LocalTime {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    const fields = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, ...fields });
    formatters.set(timeZone, formatter);
  }
  const parts = Object.fromEntries(formatter.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: DAY_NAMES.indexOf(parts['weekday'] ?? ''),
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}
